//! One node's receiver by signal over noise and interference.
//!
//! As [`crate::radio::Receiver`] it is brought up to date on demand and reports with exact
//! instants. It is locked on one frame at a time: the first one whose preamble is strong enough
//! over noise and interference when it starts, unless the node sends then. The preamble must still
//! be strong enough when it has been detected, 4 µs later; until then any stronger frame takes its
//! place, afterwards one that is stronger by the capture ratio. A frame whose preamble is lost is
//! only energy: nobody waits EIFS for it. The medium is busy from when a preamble is noticed to the
//! end of its frame, and whenever the power of all signals reaches the level of energy detection.
//!
//! Ties are those of [`crate::radio::Receiver`]: ends before starts, starts after all that nodes
//! do.
//!
//! Deviation: until its preamble is detected or lost, a frame counts as noticed, so the medium is
//! busy.

use super::parts::Parts;
use super::{Form, Rules, RulesByPhy};
use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::radio::OldArrivals;
use crate::radio::arrival::{Arrival, Traits};
use crate::radio::carrier_sense::{CarrierSense, Fate};
use crate::radio::reception::{Followed, Reception};
use crate::wire::{MpduSet, NodeId};

/// The logarithm of a chance that needs no draw.
const CERTAIN: f64 = -1e-12;

/// The logarithm of a chance that is 0 as an `f64`.
const IMPOSSIBLE: f64 = -750.0;

/// How long it takes to detect a preamble: five of OFDM's ten short training symbols (802.11-2020
/// 17.3.3). DSSS preambles, far longer, are given the same time.
const DETECTION: Duration = Duration::from_micros(4);

/// A signal on the air at this node.
#[derive(Clone, Copy, Debug)]
struct Signal {
    end: Instant,
    power_w: f64,
    /// What tells whose it is.
    start: Instant,
    frame: u32,
}

/// The frame that the receiver is locked on.
#[derive(Clone, Copy, Debug)]
struct Locked {
    arrival: Arrival,
    /// Logarithm of the chance that all bits up to `since` are good.
    ln_good: f64,
    since: Instant,
    /// The strongest interferer so far, for what is told about a loss.
    interferer: Option<Arrival>,
    /// It is over, has been received, and waits for [`Reception::finish`].
    is_received: bool,
    /// When its preamble is detected or lost.
    detection: Instant,
    /// Another signal overlaps its preamble, so that detection may fail.
    is_covered: bool,
    /// Until when earlier preambles keep the medium busy.
    noticed_before: Instant,
}

/// A radio's receiving side.
#[derive(Clone, Debug)]
pub struct SinrReceiver {
    node: NodeId,
    on_air: Vec<Signal>,
    /// The sum of their powers \[W\].
    total_w: f64,
    /// When the first of them ends; `FAR` if there is none.
    first_end: Instant,
    /// Up to when it has been brought.
    as_of: Instant,
    locked: Option<Locked>,
    parts: Parts,
    is_busy: bool,
    /// Until when noticed preambles keep the medium busy.
    noticed_until: Instant,
    emitting_until: Instant,
    /// The last tapped frame overheard completely, and when it ended.
    tapped: (u32, Instant),
    /// Power of the last frame received \[W\].
    last_w: f64,
}

impl Reception for SinrReceiver {
    type Rules = RulesByPhy;

    fn catch_up(
        &mut self,
        arrivals: &[Arrival],
        now: Instant,
        all: &RulesByPhy,
        sense: &mut impl CarrierSense,
    ) -> usize {
        let rules = all.of(self.node);
        let seen = arrivals.partition_point(|arrival| arrival.start < now);
        for arrival in &arrivals[..seen] {
            self.pass_ends(arrival.start, rules, sense);
            self.begin(arrival, rules, sense);
        }
        self.pass_ends(now, rules, sense);
        self.as_of = now;
        seen
    }

    #[inline(never)]
    fn pass_over(
        &mut self,
        past: &OldArrivals<'_>,
        all: &RulesByPhy,
        sense: &mut impl CarrierSense,
    ) -> usize {
        let rules = all.of(self.node);
        let (arrivals, first) = (past.arrivals, past.first_to_matter());
        let until = arrivals.get(first).map_or(past.now, |arrival| arrival.start);
        let is_counted = |locked: &Locked| locked.arrival.traits.has(Traits::FOR_HERE);
        let mut seen = 0;
        while seen < first {
            self.pass_ends(arrivals[seen].start, rules, sense);
            let is_amid = sense.minds_the_last() && !self.on_air.is_empty();
            if seen >= past.counted && !self.locked.as_ref().is_some_and(is_counted) && !is_amid {
                break;
            }
            self.begin(&arrivals[seen], rules, sense);
            seen += 1;
        }
        self.pass_ends(until, rules, sense);
        self.as_of = until;
        if !self.on_air.is_empty() {
            return seen;
        }
        if sense.minds_the_last() {
            sense.on_passed_over(past.last_heard((seen, first), |arrivals, end, last| {
                // Signals too weak to be noticed are neither lost nor good.
                if arrivals.iter().any(|it| rules.is_noticed(it.power_w, it.traits.rate())) {
                    // Later ones may have been noticed before.
                    self.noticed_until = Instant::ZERO;
                    self.catch_up(arrivals, end, all, last);
                }
            }));
            self.as_of = until;
        }
        first
    }

    fn finish(&self, frame: u32, now: Instant) -> bool {
        self.locked.is_some_and(|locked| {
            locked.is_received && locked.arrival.frame == frame && locked.arrival.end == now
        })
    }

    fn release(
        &mut self,
        frame: u32,
        now: Instant,
        all: &RulesByPhy,
        sense: &mut impl CarrierSense,
    ) {
        if self.finish(frame, now) {
            let rules = all.of(self.node);
            self.locked = None;
            self.remove(now);
            self.update_busy(now, rules, sense);
        }
    }

    fn begin_emission(&mut self, until: Instant, sense: &mut impl CarrierSense) {
        self.emitting_until = until;
        if let Some(locked) = self.locked.take_if(|locked| !locked.is_received) {
            tell(&locked.arrival, Fate::Sending, sense);
        }
    }

    #[inline]
    fn ends_by(&self, now: Instant) -> bool {
        let is_received = self.locked.is_some_and(|locked| locked.is_received);
        !is_received && self.busy_until().is_some_and(|until| until <= now)
    }

    #[inline]
    fn followed(&self) -> Option<Followed> {
        let received = self.locked.filter(|locked| locked.is_received);
        let end = received.map(|locked| locked.arrival.end).or_else(|| self.busy_until())?;
        // No bound on the NAV, so that a backoff is never woken too late.
        Some(Followed { end, announces: Some(Duration::ZERO) })
    }

    #[inline]
    fn overheard(&self, frame: u32, now: Instant) -> bool {
        self.tapped == (frame, now)
    }
}

impl SinrReceiver {
    /// The silent receiver of `node`.
    pub fn new(node: NodeId) -> SinrReceiver {
        SinrReceiver {
            node,
            on_air: Vec::new(),
            total_w: 0.0,
            first_end: Instant::FAR,
            as_of: Instant::ZERO,
            locked: None,
            parts: Parts::default(),
            is_busy: false,
            noticed_until: Instant::ZERO,
            emitting_until: Instant::ZERO,
            tapped: (u32::MAX, Instant::ZERO),
            last_w: 0.0,
        }
    }

    /// Until when the medium is busy at least, as of the last catching up: nothing changes before a
    /// signal ends or a preamble is lost.
    fn busy_until(&self) -> Option<Instant> {
        let detection = self.locked.as_ref().map(|locked| locked.detection);
        self.is_busy.then(|| match detection.filter(|&at| at > self.as_of) {
            // Another signal may still cover the preamble.
            Some(at) => at.min(self.first_end),
            None => self.first_end,
        })
    }

    /// When the first signal ends or a preamble is detected or lost, if nothing else begins before.
    #[inline]
    fn next_change(&self) -> Instant {
        match &self.locked {
            Some(Locked { is_covered: true, detection, .. }) => self.first_end.min(*detection),
            _ => self.first_end,
        }
    }

    /// Power \[W\] of the frame that [`Reception::finish`] confirmed last.
    pub fn last_w(&self) -> f64 {
        self.last_w
    }

    /// Which MPDUs of the A-MPDU that was received or overheard last are good.
    pub fn parts_received(&self) -> MpduSet {
        self.parts.received()
    }

    /// The strongest signal that overlapped the A-MPDU that waits for [`Reception::finish`], and
    /// which MPDUs would have been good without.
    pub fn parts_good_alone(&self, rules: &Rules) -> Option<(Arrival, MpduSet)> {
        let Locked { arrival, interferer, .. } =
            self.locked.filter(|_| self.parts.are_several())?;
        Some((interferer?, self.parts.good_alone(self.node, &arrival, rules)))
    }

    /// Ends the signals that are over by `now`.
    // Mostly none is, and a call would cost more than the question.
    #[inline(always)]
    fn pass_ends(&mut self, now: Instant, rules: &Rules, sense: &mut impl CarrierSense) {
        debug_assert!(
            self.locked.is_none_or(|locked| !locked.is_received || locked.arrival.end >= now),
            "a frame was received, and nobody asked"
        );
        if self.next_change() <= now {
            self.end_some(now, rules, sense);
        }
    }

    /// The same where something is.
    #[inline(never)]
    fn end_some(&mut self, now: Instant, rules: &Rules, sense: &mut impl CarrierSense) {
        loop {
            let at = self.next_change();
            if at > now {
                break;
            }
            if at < self.first_end {
                self.detect(at, rules, sense);
                continue;
            }
            self.advance(at, rules);
            if self.locked.as_ref().is_some_and(|locked| locked.arrival.end == at)
                && self.end_reception(rules, sense)
            {
                // The MAC is called before the medium becomes idle.
                return;
            }
            self.remove(at);
            self.update_busy(at, rules, sense);
        }
    }

    /// The preamble of the locked frame is detected, or lost among other signals.
    #[cold]
    fn detect(&mut self, at: Instant, rules: &Rules, sense: &mut impl CarrierSense) {
        let Some(locked) = &mut self.locked else { return };
        locked.is_covered = false;
        let Locked { arrival, interferer, noticed_before, .. } = *locked;
        let form = &rules.forms[arrival.traits.rate().index()];
        let others_w = (self.total_w - arrival.power_w).max(0.0);
        if arrival.power_w >= rules.levels.preamble_ratio * (form.noise_w + others_w) {
            return;
        }
        if arrival.traits.has(Traits::FOR_HERE) {
            sense.on_collision();
        }
        tell(&arrival, interferer.as_ref().map_or(Fate::Weak, Fate::Collided), sense);
        self.locked = None;
        self.noticed_until = noticed_before;
        self.update_busy(at, rules, sense);
    }

    /// The locked frame is over. Returns whether it waits for [`Reception::finish`].
    fn end_reception(&mut self, rules: &Rules, sense: &mut impl CarrierSense) -> bool {
        let Some(locked) = &mut self.locked else { return false };
        if locked.is_received {
            return true;
        }
        let arrival = locked.arrival;
        let is_good = rules.draw(self.node, &arrival, locked.ln_good)
            && (!self.parts.are_several() || self.parts.draw(self.node, &arrival, rules));
        if is_good {
            self.last_w = arrival.power_w;
            if arrival.traits.has(Traits::WANTED) {
                locked.is_received = true;
                return true;
            }
            tell(&arrival, Fate::Received, sense);
            if arrival.traits.has(Traits::TAPPED) {
                self.tapped = (arrival.frame, arrival.end);
            }
            let is_rts = arrival.traits.has(Traits::RTS);
            sense.on_overheard(arrival.end, arrival.announced(), is_rts);
        } else {
            match &locked.interferer {
                Some(other) => {
                    if arrival.traits.has(Traits::FOR_HERE) {
                        sense.on_collision();
                    }
                    let is_weak =
                        sense.minds_fates() && rules.loses_alone(self.node, &arrival, &self.parts);
                    let fate = if is_weak { Fate::Weak } else { Fate::Collided(other) };
                    tell(&arrival, fate, sense);
                }
                None => tell(&arrival, Fate::Weak, sense),
            }
            sense.on_lost(arrival.end);
        }
        self.locked = None;
        false
    }

    fn begin(&mut self, arrival: &Arrival, rules: &Rules, sense: &mut impl CarrierSense) {
        let at = arrival.start;
        if self.locked.is_some() {
            self.advance(at, rules);
        }
        let form = &rules.forms[arrival.traits.rate().index()];
        let is_sending = self.emitting_until > at;
        if is_sending {
            tell(arrival, Fate::Sending, sense);
        } else if let Some(locked) = &mut self.locked {
            let other = locked.arrival;
            let is_detected = at >= locked.detection;
            let captures = match is_detected {
                false => arrival.power_w > other.power_w,
                true => arrival.power_w >= rules.levels.capture_ratio * other.power_w,
            };
            if captures
                && !locked.is_received
                && rules.is_noticed(arrival.power_w, arrival.traits.rate())
            {
                if other.traits.has(Traits::FOR_HERE) {
                    sense.on_collision();
                }
                tell(&other, Fate::Collided(arrival), sense);
                self.lock(arrival, Some(other), rules);
            } else {
                if locked.interferer.is_none_or(|known| known.power_w < arrival.power_w) {
                    locked.interferer = Some(*arrival);
                }
                locked.is_covered |= !is_detected;
                tell(arrival, Fate::Captured(&other), sense);
            }
        } else if arrival.power_w >= rules.levels.preamble_ratio * (form.noise_w + self.total_w)
            && arrival.power_w >= rules.levels.carrier_sense_w
        {
            self.lock(arrival, None, rules);
        } else if arrival.traits.has(Traits::FOR_HERE) {
            if rules.is_noticed(arrival.power_w, arrival.traits.rate()) {
                // Without the other signals it would have been noticed.
                sense.on_collision();
                self.tell_undetected(arrival, sense);
            } else {
                tell(arrival, Fate::Weak, sense);
            }
        }
        let &Arrival { start, end, power_w, frame, .. } = arrival;
        self.on_air.push(Signal { end, power_w, start, frame });
        self.first_end = self.first_end.min(arrival.end);
        self.total_w += arrival.power_w;
        self.update_busy(at, rules, sense);
    }

    /// `arrival` was not noticed over the signals on the air.
    fn tell_undetected(&self, arrival: &Arrival, sense: &mut impl CarrierSense) {
        if !sense.minds_fates() {
            return;
        }
        let strongest = self.on_air.iter().max_by(|a, b| a.power_w.total_cmp(&b.power_w));
        let other = strongest.map(|&Signal { end, power_w, start, frame }| Arrival {
            start,
            end,
            power_w,
            frame,
            ..Arrival::default()
        });
        tell(arrival, other.as_ref().map_or(Fate::Weak, Fate::Undetected), sense);
    }

    #[inline]
    fn lock(&mut self, arrival: &Arrival, interferer: Option<Arrival>, rules: &Rules) {
        self.parts.begin(arrival, rules);
        // One whose own preamble is not detected yet has not been noticed.
        let noticed_before = match self.locked {
            Some(Locked { detection, noticed_before, .. }) if arrival.start < detection => {
                noticed_before
            }
            _ => self.noticed_until,
        };
        self.locked = Some(Locked {
            arrival: *arrival,
            ln_good: 0.0,
            since: arrival.start,
            interferer,
            is_received: false,
            detection: arrival.start + DETECTION,
            is_covered: interferer.is_some(),
            noticed_before,
        });
        self.noticed_until = noticed_before.max(arrival.end);
    }

    /// Counts the bits of the locked frame up to `now`, under the present interference.
    #[inline(always)]
    fn advance(&mut self, now: Instant, rules: &Rules) {
        let Some(locked) = self.locked.as_mut().filter(|locked| locked.since < now) else { return };
        let form = &rules.forms[locked.arrival.traits.rate().index()];
        let power_w = locked.arrival.power_w;
        let noise_w = form.noise_w + (self.total_w - power_w).max(0.0);
        if power_w >= form.sure_ratio * noise_w && !self.parts.are_several() {
            locked.since = now;
        } else {
            self.advance_under(noise_w, now, rules);
        }
    }

    /// The same where noise and interference, of this power \[W\], may spoil bits.
    #[inline(never)]
    fn advance_under(&mut self, noise_w: f64, now: Instant, rules: &Rules) {
        let Some(locked) = &mut self.locked else { return };
        let form = &rules.forms[locked.arrival.traits.rate().index()];
        let ratio = locked.arrival.power_w / noise_w;
        let frame = &locked.arrival;
        locked.ln_good += match self.parts.are_several() {
            false => rules.ln_good(form, ratio, frame, locked.since, now),
            true => {
                self.parts.advance(rules, (form, ratio), frame, (locked.since, now));
                rules.ln_good_header(form, ratio, frame, locked.since, now)
            }
        };
        locked.since = now;
    }

    /// Takes the signals that end at `at` off the air.
    fn remove(&mut self, at: Instant) {
        (self.total_w, self.first_end) = (0.0, Instant::FAR);
        if self.on_air.len() == 1 {
            debug_assert!(self.on_air[0].end <= at);
            return self.on_air.clear();
        }
        self.on_air.retain(|signal| {
            let stays = signal.end > at;
            if stays {
                self.total_w += signal.power_w;
                self.first_end = self.first_end.min(signal.end);
            }
            stays
        });
    }

    // Calls of their own would cost 1.5 % of a run.
    #[inline(always)]
    fn update_busy(&mut self, at: Instant, rules: &Rules, sense: &mut impl CarrierSense) {
        let is_busy = self.noticed_until > at || self.total_w >= rules.levels.energy_detect_w;
        if is_busy != self.is_busy {
            self.is_busy = is_busy;
            match is_busy {
                true => sense.on_busy(at),
                false => sense.on_idle(at),
            }
        }
    }
}

impl Rules {
    /// Draws whether the bits of `frame` are good at `node`, whose chance has this logarithm.
    #[inline]
    fn draw(&self, node: NodeId, frame: &Arrival, ln_good: f64) -> bool {
        ln_good > CERTAIN
            || ln_good > IMPOSSIBLE && {
                let key = frame.start.as_nanos() ^ frame.end.as_nanos().rotate_left(32);
                let mut rng = Rng::indexed(self.seed, Purpose::Reception, u64::from(node.0), key);
                rng.unit() < libm::exp(ln_good)
            }
    }

    /// Whether `frame` would be lost at `node` with nothing else on the air, by the same draw.
    #[cold]
    fn loses_alone(&self, node: NodeId, frame: &Arrival, parts: &Parts) -> bool {
        let form = &self.forms[frame.traits.rate().index()];
        let (ratio, span) = (frame.power_w / form.noise_w, (frame.start, frame.end));
        if parts.are_several() {
            let ln_good = self.ln_good_header(form, ratio, frame, span.0, span.1);
            return !self.draw(node, frame, ln_good)
                || parts.good_alone(node, frame, self).is_empty();
        }
        !self.draw(node, frame, self.ln_good(form, ratio, frame, span.0, span.1))
    }

    /// The logarithm of the chance that the bits of `frame` from `from` to `to` are good at this
    /// ratio.
    #[inline]
    fn ln_good(&self, form: &Form, ratio: f64, frame: &Arrival, from: Instant, to: Instant) -> f64 {
        let waveform = &form.waveform;
        let payload = frame.start + waveform.preamble;
        let payload_end =
            frame.start + (frame.end - frame.start).saturating_sub(waveform.extension);
        let (coding, part) = (waveform.payload, overlap_s((from, to), (payload, payload_end)));
        coding.1 * part * self.curves[form.payload].ln_good(ratio)
            + self.ln_good_header(form, ratio, frame, from, to)
    }

    /// The same of the bits of the PHY header.
    #[inline]
    fn ln_good_header(
        &self,
        form: &Form,
        ratio: f64,
        frame: &Arrival,
        from: Instant,
        to: Instant,
    ) -> f64 {
        let waveform = &form.waveform;
        let header = (frame.start + waveform.sync, frame.start + waveform.header_end);
        match overlap_s((from, to), header) {
            part if part > 0.0 => {
                waveform.header.1 * part * self.curves[form.header].ln_good(ratio)
            }
            _ => 0.0,
        }
    }
}

/// How long two spans of time have in common \[s\].
#[inline]
fn overlap_s((from, to): (Instant, Instant), (begin, end): (Instant, Instant)) -> f64 {
    to.min(end).saturating_since(from.max(begin)).as_nanos() as f64 / 1e9
}

/// Tells what became of a frame for this node.
#[inline]
fn tell(arrival: &Arrival, fate: Fate<'_>, sense: &mut impl CarrierSense) {
    if arrival.traits.has(Traits::FOR_HERE) {
        sense.on_fate(arrival, fate);
    }
}

#[cfg(test)]
mod tests;
