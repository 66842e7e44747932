//! The stations' radios: what each has heard, and what its MAC makes of it.

use std::sync::Arc;

use super::sinr::ChannelModel;
use crate::kernel::{Duration, Instant};
use crate::mac::{Contention, IdleSense, StationSense, Timing, Wake};
use crate::radio::energy::EnergyMeter;
use crate::radio::sinr::{RulesByPhy, SinrReceiver};
use crate::radio::{Arrivals, Lasting, OldArrivals, Receiver, Reception, StationLayout};
use crate::simulation::fates::{Fates, Noting};
use crate::wire::NodeId;

/// One station's receiver, and what its MAC makes of what it hears. By threshold it takes two whole
/// lines of the cache, of 64 bytes: large networks wait for memory.
#[derive(Debug)]
#[repr(align(64))]
pub struct Ear<R> {
    receiver: R,
    /// Carrier sense and backoff.
    contention: Contention,
}

/// The radios of all stations, and how they receive.
#[derive(Debug)]
pub struct Ears<R: Reception> {
    pub(super) rules: R::Rules,
    all: Vec<Ear<R>>,
}

/// How the stations receive.
#[derive(Debug)]
pub enum Radios {
    /// By thresholds of power.
    Threshold(Ears<Receiver>),
    /// By signal over noise and interference, on links that change as the air has it.
    Sinr(Box<(Ears<SinrReceiver>, ChannelModel)>),
}

/// What is the same for all kinds of reception: does `$call` with the radios of that kind.
macro_rules! each {
    ($radios:expr, $ears:ident => $call:expr) => {
        match $radios {
            Radios::Threshold($ears) => $call,
            Radios::Sinr(sinr) => {
                let $ears = &mut sinr.0;
                $call
            }
        }
    };
}
pub(super) use each;

impl Radios {
    /// Those of `stations` stations that receive by threshold: the stronger of two frames by this
    /// ratio survives.
    pub fn by_threshold(capture_ratio: f64, stations: usize) -> Radios {
        Radios::Threshold(Ears::new(capture_ratio, stations, |_| Receiver::default()))
    }

    /// Those of `stations` stations that receive by signal and noise.
    pub fn by_sinr(rules: RulesByPhy, air: ChannelModel, stations: usize) -> Radios {
        Radios::Sinr(Box::new((Ears::new(rules, stations, SinrReceiver::new), air)))
    }

    /// Carrier sense and backoff of `station`.
    #[inline]
    pub fn contention(&mut self, station: NodeId) -> &mut Contention {
        each!(self, ears => &mut ears.all[station.index()].contention)
    }

    /// How often a busy medium has frozen a countdown of `station`.
    pub fn freezes(&self, station: NodeId) -> u32 {
        match self {
            Radios::Threshold(ears) => ears.all[station.index()].contention.freezes(),
            Radios::Sinr(sinr) => sinr.0.all[station.index()].contention.freezes(),
        }
    }

    /// What comes with reception by signal and noise.
    pub(super) fn sinr(&self) -> Option<&(Ears<SinrReceiver>, ChannelModel)> {
        match self {
            Radios::Threshold(_) => None,
            Radios::Sinr(sinr) => Some(sinr),
        }
    }
}

/// What reaches the radios.
#[derive(Debug)]
pub struct Signals {
    pub(super) arrivals: Arrivals,
    pub(super) lasting: Lasting,
    pub(super) timings: Timings,
    /// Frames lost to collisions at a station that they were addressed to.
    pub(super) collisions: u64,
    /// What became of which frames where, if events are recorded.
    pub(super) fates: Option<Box<Fates>>,
    /// How long each station sends and receives, if energy is counted.
    pub(super) meters: Vec<EnergyMeter>,
    /// Whether somebody minds all that stations hear: there are fates or meters.
    pub(super) are_noted: bool,
}

/// The timing of each station.
#[derive(Debug)]
pub struct Timings {
    pub(super) stations: usize,
    /// That of the first kind of station, at hand: mostly there is no other.
    first: Timing,
    /// That of each kind.
    kinds: Vec<Arc<Timing>>,
    /// The kind of each station, if there are several.
    kind_of: Vec<u8>,
}

impl Timings {
    /// Those of `layout`, of whose kinds each has one of `kinds`.
    pub fn new(layout: &StationLayout, kinds: Vec<Arc<Timing>>) -> Timings {
        let stations = (0..layout.count() as u32).map(NodeId);
        let kind_of = match kinds.len() {
            1 => Vec::new(),
            _ => stations.map(|station| layout.kind(station).0).collect(),
        };
        let first = Timing::clone(&kinds[0]);
        Timings { stations: layout.count(), first, kinds, kind_of }
    }

    #[inline]
    pub(super) fn of(&self, station: NodeId) -> &Timing {
        if self.kind_of.is_empty() {
            return &self.first;
        }
        &self.kinds[usize::from(self.kind_of[station.index()])]
    }
}

impl<R: Reception> Ears<R> {
    fn new(rules: R::Rules, stations: usize, receiver: impl Fn(NodeId) -> R) -> Ears<R> {
        let ear = |station| Ear { receiver: receiver(station), contention: Contention::default() };
        Ears { rules, all: (0..stations as u32).map(NodeId).map(ear).collect() }
    }

    /// The receiver of `station`.
    pub(super) fn receiver(&self, station: NodeId) -> &R {
        &self.all[station.index()].receiver
    }

    /// Brings what `station` hears up to `now`.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, station: NodeId, now: Instant, signals: &mut Signals) {
        if !signals.arrivals.is_empty(station) || self.receiver(station).ends_by(now) {
            self.process(station, now, signals);
        }
    }

    /// The same where there is something new.
    #[inline(never)]
    fn process(&mut self, station: NodeId, now: Instant, signals: &mut Signals) {
        if signals.are_noted {
            return self.catch_up_noting(station, now, signals);
        }
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let arrivals = signals.arrivals.at(station);
        let (timing, collisions) = (signals.timings.of(station), &mut signals.collisions);
        let seen = match IdleSense::of(contention, timing, collisions) {
            Some(mut sense) => {
                let seen = receiver.catch_up(arrivals, now, &self.rules, &mut sense);
                sense.store(contention, receiver);
                seen
            }
            None => {
                let mut sense = StationSense { contention, timing, collisions };
                receiver.catch_up(arrivals, now, &self.rules, &mut sense)
            }
        };
        signals.arrivals.forget(station, seen);
    }

    /// The same, noting what becomes of frames.
    #[cold]
    fn catch_up_noting(&mut self, station: NodeId, now: Instant, signals: &mut Signals) {
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let arrivals = signals.arrivals.at(station);
        let (timing, collisions) = (signals.timings.of(station), &mut signals.collisions);
        let fates = signals.fates.as_deref_mut();
        let meter = signals.meters.get_mut(station.index());
        let seen = match IdleSense::of(contention, timing, collisions) {
            Some(sense) => {
                let mut noting = Noting::new(station, sense, fates, meter);
                let seen = receiver.catch_up(arrivals, now, &self.rules, &mut noting);
                noting.sense.store(contention, receiver);
                seen
            }
            None => {
                let sense = StationSense { contention, timing, collisions };
                let mut noting = Noting::new(station, sense, fates, meter);
                receiver.catch_up(arrivals, now, &self.rules, &mut noting)
            }
        };
        signals.arrivals.forget(station, seen);
    }

    /// Makes room for what `station` will hear: most have nothing to send, and most of what they
    /// heard can't matter any more.
    pub(super) fn make_room(&mut self, station: NodeId, now: Instant, signals: &mut Signals) {
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let arrivals = signals.arrivals.at(station);
        let counted = signals.arrivals.counted(station);
        let is_half_counted = 2 * counted > arrivals.len();
        if is_half_counted || signals.are_noted || contention.has_backoff() {
            return self.catch_up(station, now, signals);
        }
        let past = OldArrivals { arrivals, counted, now, lasting: &signals.lasting };
        let (timing, collisions) = (signals.timings.of(station), &mut signals.collisions);
        let seen = match IdleSense::of(contention, timing, collisions) {
            Some(mut sense) => {
                let seen = receiver.pass_over(&past, &self.rules, &mut sense);
                sense.store(contention, receiver);
                seen
            }
            None => {
                let mut sense = StationSense { contention, timing, collisions };
                receiver.pass_over(&past, &self.rules, &mut sense)
            }
        };
        let is_half_empty = 2 * seen >= arrivals.len();
        if seen > 0 {
            signals.arrivals.forget(station, seen);
        }
        if !is_half_empty {
            self.catch_up(station, now, signals);
        }
    }

    /// `station` sends until `end`, and hears nothing.
    #[inline]
    pub(super) fn begin_emission(&mut self, station: NodeId, end: Instant, signals: &mut Signals) {
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let timing = signals.timings.of(station);
        let mut sense = StationSense { contention, timing, collisions: &mut signals.collisions };
        match &mut signals.fates {
            None => receiver.begin_emission(end, &mut sense),
            Some(fates) => {
                let mut noting = Noting::new(station, sense, Some(fates), None);
                receiver.begin_emission(end, &mut noting);
            }
        }
    }

    /// `station`, caught up to `now`, is woken for its backoff.
    #[inline]
    pub(super) fn wake(&mut self, station: NodeId, now: Instant, timing: &Timing) -> Wake {
        let Ear { receiver, contention } = &mut self.all[station.index()];
        contention.wake(now, || receiver.followed(), timing)
    }

    /// The earliest instant at which the backoff of `station` can run out.
    #[inline]
    pub(super) fn earliest_expiry(&self, station: NodeId, timing: &Timing) -> Option<Instant> {
        let Ear { receiver, contention } = &self.all[station.index()];
        contention.earliest_expiry(|| receiver.followed(), timing)
    }

    /// The MAC of `station` has handled the frame of transmission `number`.
    #[inline(always)]
    pub(super) fn release(
        &mut self,
        station: NodeId,
        number: u32,
        now: Instant,
        signals: &mut Signals,
    ) {
        if signals.are_noted {
            return self.release_noting(station, number, now, signals);
        }
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let timing = signals.timings.of(station);
        let mut sense = StationSense { contention, timing, collisions: &mut signals.collisions };
        receiver.release(number, now, &self.rules, &mut sense);
    }

    /// The same, noting how long the medium was busy.
    #[cold]
    fn release_noting(
        &mut self,
        station: NodeId,
        number: u32,
        now: Instant,
        signals: &mut Signals,
    ) {
        let Ear { receiver, contention } = &mut self.all[station.index()];
        let timing = signals.timings.of(station);
        let sense = StationSense { contention, timing, collisions: &mut signals.collisions };
        let meter = signals.meters.get_mut(station.index());
        let mut noting = Noting::new(station, sense, None, meter);
        receiver.release(number, now, &self.rules, &mut noting);
    }
}

impl Signals {
    /// None, at stations with these timings.
    pub(super) fn new(timings: Timings) -> Signals {
        Signals {
            arrivals: Arrivals::new(timings.stations),
            lasting: Lasting::default(),
            timings,
            collisions: 0,
            fates: None,
            meters: Vec::new(),
            are_noted: false,
        }
    }

    /// `sender` starts to send for `airtime`, and announces so many more microseconds.
    #[inline]
    pub(super) fn extend(&mut self, sender: NodeId, airtime: Duration, duration_us: u16) {
        let timing = self.timings.of(sender);
        let nav = Duration::from_micros(u64::from(duration_us)).max(timing.eifs);
        self.lasting.extend(airtime, nav + timing.eifs);
    }
}
