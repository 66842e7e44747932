//! How long frames take on a wire.

use super::Timing;
use crate::kernel::Duration;
use crate::mac::wired::frame_time;

impl Timing {
    /// The same for a port of a wire of `rate_bps`.
    #[must_use]
    pub fn of_wire(self, rate_bps: f64) -> Timing {
        Timing { wire_bps: Some(rate_bps), ..self }
    }

    /// Whether it is that of a port of a wire.
    pub fn is_of_wire(&self) -> bool {
        self.wire_bps.is_some()
    }

    /// How long a packet of `packet_bytes` takes on the wire.
    #[cold]
    pub(super) fn on_wire(&self, packet_bytes: u32) -> Duration {
        self.wire_bps.map_or(Duration::ZERO, |rate_bps| frame_time(packet_bytes, rate_bps))
    }
}
