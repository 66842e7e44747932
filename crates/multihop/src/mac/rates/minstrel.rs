//! Minstrel, after its description by D. Smithies and F. Fietkau in the documentation of madwifi
//! and linuxwireless.org, and in D. Xia, J. Hart and Q. Fu, "Evaluation of the Minstrel rate
//! adaptation algorithm in IEEE 802.11g WLANs", IEEE ICC 2013.
//!
//! Each rate has a share of acknowledged attempts, smoothed every 100 ms with a quarter of weight
//! for the last interval. The throughput of a rate is that share over the time of an exchange; a
//! rate with a share below a tenth counts for nothing. A packet is tried at the rate of the highest
//! throughput, at the second, at that of the highest share, then at the slowest, twice each. One
//! packet in ten looks around: a random rate is tried before the best one if it is faster, and
//! after it otherwise.
//!
//! With 802.11n it has the form that L. Kriara and M. Marina describe in "SampleLite: A hybrid
//! approach to 802.11n link adaptation", ACM CCR 45(2), 2015, section 2, as Minstrel HT: rates are
//! in groups, here of one and of two streams, since width and guard interval are fixed; looking
//! around takes the groups in turn; each frame of an A-MPDU counts; and what A-MPDUs have once is
//! shared by as many packets as they carried on average.
//!
//! Deviation: two attempts at each stage, for the MAC's seven in all, where drivers fill some
//! milliseconds. With 802.11n too the slowest rate is the last stage, and one packet or A-MPDU in
//! ten looks around.

use std::sync::Arc;

use super::rate_set::RateSet;
use super::rule::RateRule;
use crate::kernel::{Duration, Instant, Rng};

/// From one update of the statistics to the next.
const INTERVAL: Duration = Duration::from_millis(100);
/// Weight of what is known against the last interval.
const OLD_WEIGHT: f64 = 0.75;
/// A smaller share counts for nothing.
const LEAST_SHARE: f64 = 0.1;
/// One packet in this many looks around.
const LOOK_AROUND: u32 = 10;
/// Attempts at each rate of a packet's list.
const ATTEMPTS: usize = 2;

/// What is known of one rate.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    attempts: u32,
    successes: u32,
    /// Smoothed; none before the first attempt.
    share: Option<f64>,
}

/// The choice of rates by Minstrel, for one link.
#[derive(Clone, Debug)]
pub struct Minstrel {
    rate_set: Arc<RateSet>,
    tallies: Vec<Tally>,
    updated: Instant,
    /// By throughput, the best two; by share, the best.
    best: [usize; 3],
    /// For the packet in service: rates in order, and attempts so far.
    list: [usize; 4],
    attempts: usize,
    /// Attempts since the last update, each A-MPDU as one, and how many packets one had on average.
    frames: u32,
    packets_per_frame: f64,
    /// The group that looks around next.
    group: usize,
}

impl Minstrel {
    /// The choice among the rates of `rate_set`, with nothing known yet.
    pub fn new(rate_set: &Arc<RateSet>) -> Minstrel {
        Minstrel {
            rate_set: rate_set.clone(),
            tallies: vec![Tally::default(); rate_set.len()],
            updated: Instant::ZERO,
            best: [0; 3],
            list: [0; 4],
            attempts: 0,
            frames: 0,
            packets_per_frame: 1.0,
            group: 0,
        }
    }

    /// How long a packet takes at `place`, with its part of what an A-MPDU has once \[s\].
    fn packet_s(&self, place: usize) -> f64 {
        let step = &self.rate_set[place];
        let shared_s = step.shared.as_secs_f64();
        step.exchange.as_secs_f64() - shared_s + shared_s / self.packets_per_frame
    }

    /// Works the last interval into the statistics and ranks the rates.
    fn update(&mut self) {
        let packets: u32 = self.tallies.iter().map(|tally| tally.attempts).sum();
        if self.frames > 0 {
            let last = f64::from(packets) / f64::from(self.frames);
            self.packets_per_frame =
                OLD_WEIGHT * self.packets_per_frame + (1.0 - OLD_WEIGHT) * last;
        }
        self.frames = 0;
        for tally in &mut self.tallies {
            if tally.attempts > 0 {
                let last = f64::from(tally.successes) / f64::from(tally.attempts);
                let smoothed = |old| OLD_WEIGHT * old + (1.0 - OLD_WEIGHT) * last;
                tally.share = Some(tally.share.map_or(last, smoothed));
            }
            (tally.attempts, tally.successes) = (0, 0);
        }
        let share = |place: usize| self.tallies[place].share.unwrap_or(0.0);
        let throughput = |place: usize| match share(place) {
            share if share < LEAST_SHARE => 0.0,
            share => share / self.packet_s(place),
        };
        let best = |value: &dyn Fn(usize) -> f64, but: Option<usize>| {
            let places = (0..self.tallies.len()).rev().filter(|&place| Some(place) != but);
            places.max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(0)
        };
        let fastest = best(&throughput, None);
        let second = best(&throughput, Some(fastest));
        self.best = [fastest, second, best(&share, None)];
    }
}

impl RateRule for Minstrel {
    fn first(&mut self, now: Instant, rng: &mut Rng) -> usize {
        if now.saturating_since(self.updated) >= INTERVAL {
            self.updated = now;
            self.update();
        }
        let [fastest, second, surest] = self.best;
        self.list = [fastest, second, surest, 0];
        if rng.below(LOOK_AROUND) == 0 {
            let steps = self.rate_set.iter().enumerate();
            let members: Vec<usize> = steps
                .filter(|(_, step)| step.group == self.group)
                .map(|(place, _)| place)
                .collect();
            let other = members[rng.below(members.len() as u32) as usize];
            let last = self.rate_set.iter().map(|step| step.group).max().unwrap_or(0);
            self.group = (self.group + 1) % (1 + last);
            let is_faster = self.packet_s(other) < self.packet_s(fastest);
            let [first, then] = if is_faster { [other, fastest] } else { [fastest, other] };
            self.list = [first, then, surest, 0];
        }
        self.attempts = 0;
        self.list[0]
    }

    fn again(&mut self) -> usize {
        self.attempts += 1;
        self.list[(self.attempts / ATTEMPTS).min(self.list.len() - 1)]
    }

    fn on_result(&mut self, place: usize, is_good: bool) {
        self.on_aggregate(place, 1, u32::from(is_good));
    }

    fn on_aggregate(&mut self, place: usize, sent: u32, delivered: u32) -> bool {
        let tally = &mut self.tallies[place];
        tally.attempts += sent;
        tally.successes += delivered;
        self.frames += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::*;
    use crate::kernel::Purpose;
    use crate::wire::Rate;

    fn rate_set(exchanges_us: [u64; 4], shared_us: [u64; 4], groups: [usize; 4]) -> Arc<RateSet> {
        let step = |place: usize| Step {
            rate: Rate(place as u8),
            rate_bps: 1e6,
            exchange: Duration::from_micros(exchanges_us[place]),
            shared: Duration::from_micros(shared_us[place]),
            attempt: Duration::ZERO,
            group: groups[place],
            needed_w: None,
        };
        Arc::new((0..4).map(step).collect())
    }

    fn plain() -> Arc<RateSet> {
        rate_set([4000, 3000, 2000, 1000], [0; 4], [0; 4])
    }

    /// Ten thousand frames of so many packets, 1 ms apart, over a link on which an attempt at each
    /// rate succeeds with this chance: the share of first attempts at each rate after a while.
    fn first_attempts_with(rate_set: &Arc<RateSet>, packets: u32, chances: [f64; 4]) -> [f64; 4] {
        let mut minstrel = Minstrel::new(rate_set);
        let mut rng = Rng::stream(1, Purpose::RateControl, 0);
        let mut luck = Rng::stream(2, Purpose::RateControl, 0);
        let mut counts = [0.0; 4];
        for frame in 0..10_000 {
            let now = Instant::ZERO + Duration::from_millis(frame);
            let mut place = minstrel.first(now, &mut rng);
            if frame >= 5_000 {
                counts[place] += 1.0 / 5_000.0;
            }
            for _ in 0..7 {
                let is_good = luck.unit() < chances[place];
                let good = if is_good { packets } else { 0 };
                minstrel.on_aggregate(place, packets, good);
                if is_good {
                    break;
                }
                place = minstrel.again();
            }
        }
        counts
    }

    fn first_attempts(chances: [f64; 4]) -> [f64; 4] {
        first_attempts_with(&plain(), 1, chances)
    }

    #[test]
    fn a_slow_rate_of_two_streams_is_found() {
        // Faster than the slow rate of one stream, slower than its fast one, which fails.
        let rate_set = rate_set([4000, 2000, 3000, 1000], [0; 4], [0, 0, 1, 1]);
        assert!(first_attempts_with(&rate_set, 1, [1.0, 0.0, 1.0, 0.0])[2] > 0.9);
        assert!(first_attempts_with(&rate_set, 1, [1.0, 1.0, 1.0, 0.1])[1] > 0.9);
        // Half of a tenth for each group, half of it for each rate.
        let counts = first_attempts_with(&rate_set, 1, [1.0, 0.0, 1.0, 0.0]);
        assert!((counts[1] - 0.025).abs() < 0.01 && (counts[3] - 0.025).abs() < 0.01, "{counts:?}");
    }

    #[test]
    fn what_a_mpdus_have_once_counts_less_the_longer_they_are() {
        // Alone the second rate loses by its long preamble, in A-MPDUs it wins.
        let rate_set = rate_set([1000, 1050, 5000, 5000], [100, 800, 0, 0], [0; 4]);
        assert!(first_attempts_with(&rate_set, 1, [1.0, 1.0, 0.0, 0.0])[0] > 0.9);
        assert!(first_attempts_with(&rate_set, 32, [1.0, 1.0, 0.0, 0.0])[1] > 0.9);
    }

    #[test]
    fn most_packets_go_first_at_the_rate_of_the_highest_throughput() {
        // 0.25, 0.33, 0.45 and 0.2 packets a millisecond.
        let counts = first_attempts([1.0, 1.0, 0.9, 0.2]);
        assert!(counts[2] > 0.9, "{counts:?}");
        // Now the fastest: 0.5.
        assert!(first_attempts([1.0, 1.0, 0.9, 0.5])[3] > 0.9);
        assert!(first_attempts([1.0, 0.05, 0.0, 0.0])[0] > 0.9);
    }

    #[test]
    fn a_packet_in_ten_looks_around_at_faster_rates() {
        let counts = first_attempts([1.0, 1.0, 0.0, 0.0]);
        // A quarter of a tenth for each rate.
        for place in [2, 3] {
            assert!((counts[place] - 0.025).abs() < 0.01, "{counts:?}");
        }
    }

    #[test]
    fn attempts_go_down_the_list() {
        let mut minstrel = Minstrel::new(&plain());
        minstrel.list = [3, 2, 1, 0];
        let places: Vec<usize> = (0..7).map(|_| minstrel.again()).collect();
        assert_eq!(places, [3, 2, 2, 1, 1, 0, 0]);
    }
}
