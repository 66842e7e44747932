use super::*;
use crate::mac::MacConfig;
use proptest::prelude::*;

fn at(us: u64) -> Instant {
    Instant::from_nanos(us * 1000)
}

struct Bench {
    contention: Contention,
    timing: Timing,
    collisions: u64,
}

impl Bench {
    fn new(profile: Profile) -> Bench {
        Bench::with_keys("", profile)
    }

    fn with_keys(keys: &str, profile: Profile) -> Bench {
        let mut table = toml::from_str(keys).unwrap();
        MacConfig::fill_in_phy(&mut table);
        let timing = Timing::new(&table.try_into().unwrap(), profile);
        Bench { contention: Contention::default(), timing, collisions: 0 }
    }

    fn sense(&mut self) -> StationSense<'_> {
        let contention = &mut self.contention;
        StationSense { contention, timing: &self.timing, collisions: &mut self.collisions }
    }

    fn start(&mut self, us: u64, slots: u32) {
        self.contention.start_backoff(at(us), self.timing.difs, slots, &self.timing);
    }

    fn hear(&mut self, from_us: u64, to_us: u64) {
        self.sense().on_busy(at(from_us));
        self.sense().on_idle(at(to_us));
    }

    fn expiry_us(&self) -> u64 {
        self.contention.earliest_expiry(|| None, &self.timing).unwrap().as_nanos() / 1000
    }

    fn wake(&mut self, us: u64) -> Wake {
        self.contention.wake(at(us), || None, &self.timing)
    }
}

#[test]
fn an_idle_medium_counts_down_after_difs() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.start(1000, 3);
    assert_eq!(bench.expiry_us(), 1000 + 50 + 60);
    assert_eq!(bench.wake(1110), Wake::Expired);
    assert!(!bench.contention.is_backing_off());
}

#[test]
fn whole_slots_are_kept_and_a_begun_one_is_not() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.start(1000, 5);
    // Busy 59 µs into counting: two slots have gone by.
    bench.hear(1109, 1500);
    assert_eq!(bench.expiry_us(), 1500 + 50 + 60);
    assert_eq!(bench.wake(1150), Wake::NotBefore(at(1610)));
    // Busy again within DIFS: nothing is counted.
    bench.hear(1549, 1600);
    assert_eq!(bench.wake(1610), Wake::NotBefore(at(1710)));
    assert_eq!(bench.wake(1710), Wake::Expired);
}

#[test]
fn a_backoff_drawn_on_a_busy_medium_waits_for_difs() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.sense().on_busy(at(900));
    bench.start(1000, 0);
    bench.sense().on_idle(at(1200));
    assert_eq!(bench.expiry_us(), 1250);
}

#[test]
fn in_ns2_a_lost_frame_costs_eifs_and_then_difs() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.start(1000, 10);
    bench.sense().on_busy(at(1050));
    bench.sense().on_lost(at(1400));
    bench.sense().on_idle(at(1400));
    assert!(bench.contention.nav_is_set(at(1763)) && !bench.contention.nav_is_set(at(1764)));
    assert_eq!(bench.expiry_us(), 1400 + 364 + 50 + 200);
}

#[test]
fn a_good_frame_much_shorter_than_eifs_is_not_missed() {
    // 802.11g: DIFS 28 µs, EIFS 342 µs, an ACK at 24 Mbit/s 34 µs.
    let mut bench = Bench::with_keys("phy = \"802.11g\"", Profile::Standard);
    bench.sense().on_busy(at(900));
    bench.start(1000, 2);
    bench.sense().on_lost(at(1100));
    bench.sense().on_idle(at(1100));
    // Woken after DIFS it must look again before EIFS is over: 30 µs of a frame at once, DIFS and
    // two slots.
    assert_eq!(bench.wake(1146), Wake::NotBefore(at(1146 + 30 + 28 + 18)));
    assert!(bench.expiry_us() <= 1222);
    bench.sense().on_busy(at(1150));
    bench.sense().on_overheard(at(1184), Duration::ZERO, false);
    bench.sense().on_idle(at(1184));
    assert_eq!(bench.wake(1222), Wake::NotBefore(at(1184 + 28 + 18)));
    assert_eq!(bench.wake(1230), Wake::Expired);
}

#[test]
fn in_the_standard_eifs_replaces_difs_until_a_good_frame() {
    let mut bench = Bench::new(Profile::Standard);
    bench.start(1000, 10);
    bench.sense().on_busy(at(1050));
    bench.sense().on_lost(at(1400));
    bench.sense().on_idle(at(1400));
    assert!(bench.contention.is_idle(at(1400)));
    // The earliest instant allows for a good frame; woken there, the station waits out EIFS.
    assert_eq!(bench.wake(1650), Wake::NotBefore(at(1400 + 364 + 200)));
    bench.sense().on_busy(at(1660));
    bench.sense().on_overheard(at(2000), Duration::ZERO, false);
    bench.sense().on_idle(at(2000));
    assert_eq!(bench.wake(2100), Wake::NotBefore(at(2000 + 50 + 200)));
}

#[test]
fn the_nav_holds_the_backoff() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.start(1000, 4);
    bench.sense().on_busy(at(1060));
    bench.sense().on_overheard(at(1400), Duration::from_micros(5000), true);
    bench.sense().on_idle(at(1400));
    assert_eq!(bench.expiry_us(), 6400 + 50 + 80);
}

#[test]
fn a_captured_frame_sets_the_nav_in_ns2_only() {
    for (profile, until_us) in [(Profile::Ns2, 100 + 364 + 352), (Profile::Standard, 0)] {
        let mut bench = Bench::new(profile);
        bench.sense().on_captured(at(100), Duration::from_micros(352));
        assert_eq!(bench.contention.nav_is_set(at(815)), until_us == 816);
        assert!(!bench.contention.nav_is_set(at(816)));
    }
}

#[test]
fn in_the_standard_only_the_nav_of_an_rts_without_data_is_let_go() {
    let mut bench = Bench::new(Profile::Standard);
    let overhear = |bench: &mut Bench, start_us: u64, end_us: u64, nav_us: u64, is_rts| {
        bench.sense().on_busy(at(start_us));
        bench.sense().on_overheard(at(end_us), Duration::from_micros(nav_us), is_rts);
        bench.sense().on_idle(at(end_us));
    };
    overhear(&mut bench, 1000, 1400, 6000, true);
    assert!(!bench.contention.nav_is_set(at(3000)), "no data came");
    // A CTS, whose NAV ends before that of the RTS would have.
    overhear(&mut bench, 3000, 3300, 2000, false);
    assert!(bench.contention.nav_is_set(at(5299)));
    assert!(!bench.contention.nav_is_set(at(5300)));
    // And one whose NAV ends after it.
    overhear(&mut bench, 6000, 6300, 4000, false);
    assert!(bench.contention.nav_is_set(at(10_299)));
}

#[test]
fn in_the_standard_an_rts_without_data_lets_go_of_the_nav() {
    let mut bench = Bench::new(Profile::Standard);
    let void_us = 1400 + 20 + 304 + 192 + 40;
    bench.sense().on_busy(at(1048));
    bench.sense().on_overheard(at(1400), Duration::from_micros(5000), true);
    bench.sense().on_idle(at(1400));
    assert!(bench.contention.nav_is_set(at(void_us - 1)));
    assert!(!bench.contention.nav_is_set(at(void_us)));
    let mut followed = Bench::new(Profile::Standard);
    followed.sense().on_busy(at(1048));
    followed.sense().on_overheard(at(1400), Duration::from_micros(5000), true);
    followed.sense().on_idle(at(1400));
    followed.hear(1800, 1900);
    assert!(followed.contention.nav_is_set(at(6399)));
    assert!(!followed.contention.nav_is_set(at(6400)));
}

#[test]
fn nothing_counts_during_an_exchange_of_its_own() {
    let mut bench = Bench::new(Profile::Ns2);
    bench.start(1000, 4);
    bench.contention.begin_exchange(at(1091), &bench.timing);
    assert_eq!(bench.wake(1130), Wake::Nothing);
    bench.hear(1200, 1300);
    bench.contention.end_exchange(at(1400));
    assert_eq!(bench.expiry_us(), 1400 + 50 + 40);
}

proptest! {
    /// Against a station that looks at the medium every microsecond.
    #[test]
    fn the_settled_backoff_equals_one_counted_by_the_microsecond(
        slots in 0u32..40,
        busy in prop::collection::vec((1u64..300, 1u64..500), 0..12),
    ) {
        let mut bench = Bench::new(Profile::Ns2);
        bench.start(0, slots);
        let mut periods = Vec::new();
        let mut t = 0;
        for (gap, length) in busy {
            periods.push((t + gap, t + gap + length));
            t += gap + length;
        }
        // By the microsecond: a full DIFS after each busy period, then slot by slot.
        let is_busy = |us: u64| periods.iter().any(|&(from, to)| from <= us && us < to);
        let (mut left, mut quiet, mut now) = (slots, 0u64, 0u64);
        let expected = loop {
            if quiet >= 50 && (quiet - 50).is_multiple_of(20) && quiet > 50 {
                left -= 1;
            }
            if quiet >= 50 && left == 0 {
                break now;
            }
            quiet = if is_busy(now) { 0 } else { quiet + 1 };
            now += 1;
        };
        let mut woken = None;
        let mut heard = periods.iter().peekable();
        while woken.is_none() {
            let due = bench.contention.earliest_expiry(|| None, &bench.timing).unwrap();
            match heard.next_if(|&&(from, _)| at(from) < due) {
                Some(&(from, to)) => bench.hear(from, to),
                None => match bench.contention.wake(due, || None, &bench.timing) {
                    Wake::Expired => woken = Some(due),
                    Wake::NotBefore(later) => prop_assert!(later > due),
                    Wake::Nothing => prop_assert!(false, "a backoff is under way"),
                },
            }
        }
        prop_assert_eq!(woken, Some(at(expected)));
    }
}
