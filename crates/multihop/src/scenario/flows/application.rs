//! The application that gives what a flow carries.

use super::kinds::FlowLoad;
use crate::kernel::Rng;
use crate::traffic::{self, Application};

impl FlowLoad {
    /// The application of a flow; what it draws comes from `rng`.
    pub fn application(&self, rng: Rng) -> Option<Box<dyn Application>> {
        Some(match self {
            FlowLoad::Endless | FlowLoad::Answers | FlowLoad::Programs => return None,
            FlowLoad::Cbr(cbr) => Box::new(traffic::Cbr::new(cbr.packet_bytes, cbr.rate_bps)),
            FlowLoad::File(bytes) => Box::new(traffic::File { bytes: *bytes }),
            FlowLoad::OnOff(own) => Box::new(traffic::OnOff::new(
                own.packet_bytes,
                own.rate_bps,
                own.on_s.clone(),
                own.off_s.clone(),
                rng,
            )),
            FlowLoad::RequestResponse(own) => Box::new(traffic::RequestResponse::new(
                own.request_bytes.clone(),
                own.response_bytes.clone(),
                own.think_s.clone(),
                own.requests,
                rng,
            )),
            FlowLoad::Web(own) => Box::new(traffic::Web::new(own.pages(), rng)),
            FlowLoad::Voice(own) => Box::new(traffic::Voice { codec: own.codec }),
            FlowLoad::Trace(messages) => Box::new(traffic::Trace::new(messages.clone())),
        })
    }
}
