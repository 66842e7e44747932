//! The radio: propagation, positions and the shared medium.
