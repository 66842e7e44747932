//! Whether what flows send fits in the slots of a table, or in those that are reserved.

use super::Scenario;
use super::flows::FlowSpec;
use super::packets::LargestPacket;
use crate::config::Error;
use crate::kernel::Duration;
use crate::mac::Timing;
use crate::mac::reservation::PACKET_BYTES;
use crate::mac::tdma::exchange;
use crate::wire::NodeId;

impl Scenario {
    /// Checks that the largest packet of each of `flows` fits in a slot, if there are slots.
    ///
    /// # Errors
    /// The first one that does not.
    pub(super) fn check_slots(&self, flows: &[FlowSpec], timing: &Timing) -> Result<(), Error> {
        if let Some(config) = self.mac.reservation() {
            return self.check_reserved(flows, timing, config.timeline(timing).room());
        }
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

    /// The same of slots that are reserved, whose data frames may last for `room`.
    fn check_reserved(
        &self,
        flows: &[FlowSpec],
        timing: &Timing,
        room: Duration,
    ) -> Result<(), Error> {
        let bytes = |flow: &FlowSpec| LargestPacket::of(self, flow).bytes;
        let is_too_long =
            |flow: &FlowSpec| timing.data(bytes(flow), timing.data_rate(NodeId(0))) > room;
        match flows.iter().position(is_too_long) {
            Some(i) => Err(Error::new(
                "mac.access",
                format!(
                    "must not be {:?} for packets of {}: they have {} bytes, and a slot has room for {PACKET_BYTES}",
                    self.mac.access.name(),
                    flows[i].called(i),
                    bytes(&flows[i])
                ),
            )),
            None => Ok(()),
        }
    }
}
