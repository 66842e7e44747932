//! Which access a station has.

use super::access::{Access, Defers, Gathers};
use super::aggregation::{Room, Several};
use super::categories::{CATEGORIES, Category};
use super::contention::Contention;
use super::context::MacContext;
use super::dcf::Dcf;
use super::rates::RateControl;
use super::timing::Timing;
use crate::capture::State;
use crate::kernel::Instant;
use crate::measure::{BackoffCounts, CategoryCounters, PartCounts};
use crate::wire::{Frame, NodeId, Packet};

/// A station's access: the DCF, which nearly all have, in place, and any other behind its trait.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are the large one")]
pub enum Mac {
    /// The distributed coordination function.
    Dcf(Dcf),
    /// Another.
    Other(Box<dyn Access>),
}

/// Passes calls on. What is not among these cannot be called, so none is lost. A DCF is never
/// behind its trait: what every exchange calls would cost 4 % of a run.
macro_rules! passed_on {
    ($(($($by:tt)+) $self:ident, $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?;)*) => {
        impl Mac {
            $(
                #[doc = "See [`Access`], [`Defers`] and [`Gathers`]."]
                #[inline]
                pub fn $name($($by)+ $self $(, $arg: $type)*) $(-> $out)? {
                    match $self {
                        Mac::Dcf(dcf) => dcf.$name($($arg),*),
                        Mac::Other(other) => other.$name($($arg),*),
                    }
                }
            )*
        }
    };
}

passed_on! {
    (&) self, is_free() -> bool;
    (&mut) self, on_packet(cx: &mut MacContext, next_hop: NodeId, packet: Packet);
    (&mut) self, on_frame(cx: &mut MacContext, frame: Frame);
    (&mut) self, on_timer(cx: &mut MacContext);
    (&mut) self, on_sifs(cx: &mut MacContext);
    (&mut) self, on_turn(cx: &mut MacContext);
    (&mut) self, next_step(cx: &mut MacContext) -> bool;
    (&mut) self, end_step(cx: &mut MacContext);
    (&) self, wants(packet: &Packet) -> bool;
    (&) self, data_packets() -> u32;
    (&) self, delivered_payload_bytes() -> u64;
    (&) self, state() -> (State, u32, u32);
    (&) self, backoffs() -> BackoffCounts;
    (&) self, rates() -> Option<&RateControl>;
    (&mut) self, order_rate(most_bps: f64);
    (&mut) self, on_power(neighbour: NodeId, power_w: f64);
    (&mut) self, on_backlog(waiting: &mut dyn Iterator<Item = (NodeId, &Packet)>);
    (&) self, rank(next_hop: NodeId, packet: &Packet) -> u64;
    (&) self, report(parts: &mut PartCounts);
    (&) self, is_holding() -> bool;
    (&) self, deferral_end() -> Option<Instant>;
    (&mut) self, on_deferral_end(cx: &mut MacContext);
    (&mut) self, on_overheard(cx: &mut MacContext, frame: &Frame);
    (&mut) self, on_occupancy(cx: &mut MacContext);
    (&) self, room(timing: &Timing) -> Option<Room>;
    (&mut) self, on_more(packet: Packet);
    (&mut) self, prepare(timing: &Timing);
    (&mut) self, several() -> Option<&mut Several>;
    (&mut) self, on_hold_over(cx: &mut MacContext);
    (&) self, category() -> Option<Category>;
    (&) self, by_category() -> Option<[CategoryCounters; CATEGORIES]>;
    (&) self, goes_on() -> bool;
    (&mut) self, begin_gathering(contention: &mut Contention, now: Instant);
}
