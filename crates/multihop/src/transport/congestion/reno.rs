//! Reno (RFC 5681): slow start, congestion avoidance, half the window after a loss; fast recovery
//! ends with the first new acknowledgment.

use super::{Ack, CongestionControl, Loss, Window};
use crate::transport::recovery::Recovery;
use crate::transport::scheme::Scheme;

/// `transport.scheme = "reno"`.
pub const SCHEME: Scheme = Scheme::windowed(|| Box::new(Reno), Recovery::Reno);

/// Reno.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reno;

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        window.grow(ack.delivered);
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        window.halve(loss.in_flight);
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        window.collapse(loss.in_flight);
    }
}
