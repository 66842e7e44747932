//! Whether what flows send fits in the slots of `mac.tdma`.

use super::Scenario;
use super::flows::FlowSpec;
use super::packets::LargestPacket;
use crate::config::Error;
use crate::kernel::Duration;
use crate::mac::Timing;
use crate::mac::tdma::exchange;
use crate::wire::NodeId;

impl Scenario {
    /// Checks that the largest packet of each of `flows` fits in a slot, if there are slots.
    ///
    /// # Errors
    /// The first one that does not.
    pub(super) fn check_slots(&self, flows: &[FlowSpec], timing: &Timing) -> Result<(), Error> {
        let Some(table) = &self.mac.tdma else { return Ok(()) };
        let usable = Duration::from_secs_f64(table.slot_s - table.guard_s);
        for (i, flow) in flows.iter().enumerate() {
            let bytes = LargestPacket::of(self, flow).bytes;
            let needed = exchange(timing, bytes, timing.data_rate(NodeId(0)));
            if needed > usable {
                let fault = format!(
                    "must hold a packet of {}: {bytes} bytes and their ACK take {:.6} s, and the slot leaves \
                     {:.6} s before guard_s",
                    flow.called(i),
                    needed.as_secs_f64(),
                    usable.as_secs_f64()
                );
                return Err(Error::new("mac.tdma.slot_s", fault));
            }
        }
        Ok(())
    }
}
