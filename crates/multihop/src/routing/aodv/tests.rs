//! Hand-driven.
