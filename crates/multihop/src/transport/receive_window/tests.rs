//! Receive windows: of the kernel's receiver, given the recorded arrivals.

mod kernel;
