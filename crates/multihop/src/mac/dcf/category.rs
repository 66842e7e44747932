//! A DCF as one access category of a station: what [`Edca`](crate::mac::edca::Edca), which has one
//! a category, asks of it.

use super::Dcf;
use super::outgoing::{Outgoing, reached};
use super::role::Role;
use crate::kernel::{Duration, Instant};
use crate::mac::categories::Category;
use crate::mac::context::{MacContext, Phase};
use crate::mac::rates::RateControl;
use crate::mac::timing::Timing;
use crate::measure::BackoffCause;
use crate::wire::{Frame, FrameKind};

/// One of several access categories, or what answers for all.
#[derive(Debug, Default)]
pub struct OneCategory {
    overdue: Duration,
    listening_to: Category,
}

impl Role for OneCategory {
    fn on_send(&mut self, timing: &Timing, frame: &Frame, timeout: Duration) {
        self.overdue = timeout.saturating_sub(timing.airtime(frame) + timing.missing_after());
    }

    fn overdue(&self, _: &Timing) -> Duration {
        self.overdue
    }

    fn category(&self) -> Category {
        self.listening_to
    }
}

impl<R: Role> Dcf<R> {
    /// Whether it is in an exchange, or answers one after SIFS.
    pub(in crate::mac) fn is_engaged(&self) -> bool {
        self.phase != Phase::None || self.sifs_running || self.response.is_some()
    }

    /// Whether a frame of this kind would end its exchange well.
    pub(in crate::mac) fn awaits(&self, kind: FrameKind) -> bool {
        let awaited = match self.is_aggregate() {
            true => FrameKind::BlockAck,
            false => FrameKind::Ack,
        };
        self.phase == Phase::Data && kind == awaited
    }
}

impl Dcf<OneCategory> {
    /// Whether it sends a broadcast, which nobody answers.
    pub(in crate::mac) fn is_broadcasting(&self) -> bool {
        let to_all = |it: &Outgoing| it.next_hop.is_broadcast();
        self.phase == Phase::Data && self.outgoing.as_ref().is_some_and(to_all)
    }

    /// The frame about to be received is of `category`.
    pub(in crate::mac) fn listen_to(&mut self, category: Category) {
        self.role.listening_to = category;
    }

    /// The choice of rates, which all categories share, is lent or taken back.
    pub(in crate::mac) fn swap_rates(&mut self, rates: &mut Option<Box<RateControl>>) {
        std::mem::swap(&mut self.rates, rates);
    }

    /// A higher category of the same station has its turn at the same instant: it backs off as
    /// after a collision. The packet is not given up for that alone.
    pub(in crate::mac) fn on_internal_collision(&mut self, cx: &mut MacContext) {
        let Some(outgoing) = &self.outgoing else { return };
        let size = outgoing.packet.size_bytes;
        let (limit, retries) = match outgoing.rts_due {
            true => (cx.timing.short_retry_limit, &mut self.short_retries),
            false => (cx.timing.retry_limit(size), self.retries_of(cx.timing, size)),
        };
        if !reached(*retries + 1, limit) {
            *retries += 1;
        }
        self.back_off_longer(cx, BackoffCause::Retry);
    }

    /// No A-MPDU lasts longer than the present turn, which may take `limit`: what of it there is
    /// for one.
    pub(in crate::mac) fn limit_turn(&mut self, timing: &Timing, limit: Option<Duration>) {
        let first = self.outgoing.as_ref().map(|it| (it.rate, it.rts_due));
        let (Some(state), Some((rate, rts_due))) = (&mut self.aggregating, first) else { return };
        state.most_time = limit.map(|limit| timing.airtime_within(limit, rate, rts_due));
    }

    /// The turn goes on until `end`: if an exchange of the packet in service fits, it follows after
    /// SIFS, without RTS or backoff. Returns whether it does.
    pub(in crate::mac) fn go_on_until(&mut self, cx: &mut MacContext, end: Instant) -> bool {
        let Some(outgoing) = &mut self.outgoing else { return false };
        let airtime = cx.timing.data(outgoing.packet.size_bytes, outgoing.rate);
        let all = cx.timing.further_exchange(outgoing.rate, airtime);
        if cx.now + all > end {
            return false;
        }
        outgoing.rts_due = false;
        cx.contention.stop_backoff();
        self.start_sifs(cx);
        true
    }

    /// What is to be sent now follows an exchange of the same turn: it needs no RTS.
    pub(in crate::mac) fn waive_rts(&mut self) {
        if let Some(outgoing) = &mut self.outgoing {
            outgoing.rts_due = false;
        }
    }
}
