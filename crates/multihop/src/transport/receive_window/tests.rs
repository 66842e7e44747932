//! Receive windows: of the kernel's receiver, given the recorded arrivals, and by hand.

mod by_hand;
mod kernel;
