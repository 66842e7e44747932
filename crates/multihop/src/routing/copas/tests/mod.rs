//! COPAS on hand-driven networks.
