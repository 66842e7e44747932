//! Applications: what feeds transport.
