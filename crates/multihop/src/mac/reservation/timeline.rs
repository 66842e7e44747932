//! When things happen in a slot.

use super::config::ReservationConfig;
use crate::kernel::{Duration, Instant};
use crate::mac::timing::Timing;
use crate::wire::NodeId;

/// The packet that a slot has room for (bytes).
pub const PACKET_BYTES: u32 = 1500;

/// A packet that is returned: a TCP acknowledgment with timestamps and one block of SACK (bytes).
const RETURNED_BYTES: u32 = 64;

/// A mark in a round of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The countdown begins.
    Begin,
    /// Requests begin.
    Request,
    /// Grants begin.
    Grant,
    /// Objections begin.
    Object,
}

/// When things happen in a slot, by one station's clock.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// One place of the countdown; a tone lasts as long.
    pub place: Duration,
    /// Places of the countdown.
    pub places: u32,
    /// Rounds in a slot.
    pub rounds: u32,
    /// For the calls for an open slot, each with a place, before the first round.
    calls: Duration,
    /// From a round's begin to each mark, and to the next round.
    request: Duration,
    grant: Duration,
    object: Duration,
    round: Duration,
    /// From the slot's begin to the data, to the acknowledgments, to what is returned and its
    /// acknowledgments, and to the next slot.
    data: Duration,
    acks: Duration,
    returns: Duration,
    confirms: Duration,
    slot: Duration,
    /// A part of the data phase, which has room for a long packet, and how many there are.
    part: Duration,
    parts: u32,
    /// Room for a packet that is returned, and how many there may be.
    returned: Duration,
    most_returned: u32,
    /// How late this station's clock is.
    late: Duration,
    /// Between what one station sends and what another answers, and after the last frame of a part.
    pub gap: Duration,
}

impl ReservationConfig {
    /// When things happen in a slot.
    pub fn timeline(&self, timing: &Timing) -> Timeline {
        Timeline::new(self, timing)
    }
}

impl Timeline {
    /// That of a station whose clock is right.
    pub(super) fn new(config: &ReservationConfig, timing: &Timing) -> Timeline {
        let apart = Duration::from_secs_f64(2.0 * config.clock_error_s);
        let (place, gap) = (timing.slot + apart, timing.sifs + apart);
        let control = timing.rts_rate();
        let request = place * u64::from(config.countdown) + gap;
        let grant = request + timing.rts(control) + gap;
        let object = grant + timing.cts(control) + gap;
        let round = object + place + gap;
        let calls = place * 2;
        let data = calls + round * u64::from(config.rounds);
        let rate = timing.data_rate(NodeId(0));
        let part = timing.data(PACKET_BYTES, rate) + gap;
        let acks = data + part * u64::from(config.packets);
        let ack = timing.ack(timing.response_rate(rate)) + gap;
        let returned = timing.data(RETURNED_BYTES, rate) + gap;
        let returns = acks + ack;
        let confirms = returns + returned * u64::from(config.returns);
        let slot = if config.returns > 0 { confirms + ack } else { returns };
        Timeline {
            place,
            places: config.countdown,
            rounds: config.rounds,
            calls,
            request,
            grant,
            object,
            round,
            data,
            acks,
            returns,
            confirms,
            slot,
            part,
            parts: config.packets,
            returned,
            most_returned: config.returns,
            late: Duration::ZERO,
            gap,
        }
    }

    /// The same by a clock that is late by `share` (0 to 1) of what clocks are apart at most.
    pub(super) fn late(self, share: f64, config: &ReservationConfig) -> Timeline {
        Timeline { late: Duration::from_secs_f64(2.0 * config.clock_error_s * share), ..self }
    }

    /// The slot that is under way.
    pub fn slot_at(&self, now: Instant) -> u64 {
        now.saturating_since(Instant::ZERO + self.late) / self.slot
    }

    /// When `slot` begins.
    pub fn begin(&self, slot: u64) -> Instant {
        Instant::ZERO + self.late + self.slot * slot
    }

    /// The round of `slot` that is under way, if any.
    pub fn round_at(&self, slot: u64, now: Instant) -> Option<u32> {
        let round = now.saturating_since(self.begin(slot) + self.calls) / self.round;
        u32::try_from(round).ok().filter(|&round| round < self.rounds)
    }

    /// A mark in a round.
    pub fn mark(&self, slot: u64, round: u32, mark: Mark) -> Instant {
        let into = match mark {
            Mark::Begin => Duration::ZERO,
            Mark::Request => self.request,
            Mark::Grant => self.grant,
            Mark::Object => self.object,
        };
        self.begin(slot) + self.calls + self.round * u64::from(round) + into
    }

    /// When data begin: the end of the last round.
    pub fn data(&self, slot: u64) -> Instant {
        self.begin(slot) + self.data
    }

    /// When acknowledgments begin; data that last longer do not fit.
    pub fn acks(&self, slot: u64) -> Instant {
        self.begin(slot) + self.acks
    }

    /// When the `number`th packet may be returned, from 0 on; none after the last one.
    pub fn returns(&self, slot: u64, number: u32) -> Option<Instant> {
        let is_one = number < self.most_returned;
        is_one.then(|| self.begin(slot) + self.returns + self.returned * u64::from(number))
    }

    /// The longest frame that may be returned.
    pub fn return_room(&self) -> Duration {
        self.returned - self.gap
    }

    /// When what was returned is acknowledged; none where nothing may be.
    pub fn confirms(&self, slot: u64) -> Option<Instant> {
        (self.most_returned > 0).then(|| self.begin(slot) + self.confirms)
    }

    /// The longest frame that fits in a part of the data phase.
    pub fn room(&self) -> Duration {
        self.part - self.gap
    }

    /// When the part of the data phase ends that is under way at `now`; none after the last one.
    pub fn part_end(&self, slot: u64, now: Instant) -> Option<Instant> {
        let part = now.saturating_since(self.data(slot)) / self.part;
        let is_one = part < u64::from(self.parts);
        is_one.then(|| self.data(slot) + self.part * (part + 1))
    }
}
