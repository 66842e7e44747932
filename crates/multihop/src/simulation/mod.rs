//! A network of nodes put together and run.
