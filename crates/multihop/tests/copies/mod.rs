//! Rate controls, queues and loss recoveries as another crate would write them, each of which does
//! as one of the engine's own does.

use multihop::api::kernel::{Duration, Instant, Rng};
use multihop::api::link::{self, Backlog, CodelConfig, FqCodel, Lines, QueueRule, Verdict};
use multihop::api::mac::rates::{self, Minstrel, RateRule};
use multihop::api::schemes::Schemes;
use multihop::api::transport::sack::{
    self, Circumstances, Detected, LossDetection, Rack, Scoreboard,
};
use multihop::api::wire::{Ecn, Packet};

/// Automatic rate fallback, of one link: up after ten ACKs in a row or fifteen attempts, down after
/// two failures or one right after going up.
#[derive(Debug, Default)]
struct Fallback {
    highest: usize,
    place: usize,
    /// Since the rate last changed.
    attempts: u32,
    streak: i32,
    is_new: bool,
}

impl RateRule for Fallback {
    fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
        self.place
    }

    fn again(&mut self) -> usize {
        self.place
    }

    fn on_result(&mut self, _: usize, is_good: bool) {
        self.attempts += 1;
        let step = if is_good { 1 } else { -1 };
        self.streak = if self.streak * step > 0 { self.streak + step } else { step };
        let is_down = self.streak <= -2 || self.is_new && !is_good;
        let is_up = self.streak >= 10 || is_good && self.attempts >= 15;
        self.is_new = false;
        if is_down {
            self.place = self.place.saturating_sub(1);
        } else if is_up && self.place < self.highest {
            self.place += 1;
            self.is_new = true;
        } else {
            return;
        }
        (self.attempts, self.streak) = (0, 0);
    }
}

/// Controlled delay, as the pseudocode of RFC 8289 has it.
#[derive(Debug, Default)]
struct ControlledDelay {
    first_above: Option<Instant>,
    dropping: bool,
    drop_next: Instant,
    count: u32,
    last_count: u32,
    /// What has been dropped since a packet last left, and whether that began the dropping.
    dropped: Option<bool>,
}

const TARGET: Duration = Duration::from_millis(5);
const INTERVAL: Duration = Duration::from_millis(100);

impl ControlledDelay {
    /// When to drop after `time` (control_law).
    fn after(&self, time: Instant) -> Instant {
        time + Duration::from_secs_f64(0.1 / f64::from(self.count).sqrt())
    }
}

impl QueueRule for ControlledDelay {
    fn next(&mut self, lines: &Lines) -> Option<usize> {
        let next = (0..lines.count()).find(|&line| lines.packets_in(line) > 0);
        if next.is_none() {
            self.first_above = None;
            self.dropping &= self.dropped.take() == Some(true);
        }
        next
    }

    fn on_departure(
        &mut self,
        now: Instant,
        packet: &Packet,
        waited: Duration,
        backlog: Backlog,
    ) -> Verdict {
        let is_short = waited < TARGET || backlog.bytes <= 1500;
        let above = *self.first_above.get_or_insert(now + INTERVAL);
        self.first_above = (!is_short).then_some(above);
        let ok_to_drop = !is_short && now >= above;
        let capable = packet.ecn != Ecn::NotCapable;
        match self.dropped.take() {
            Some(true) => return Verdict::Pass,
            Some(false) if ok_to_drop => self.drop_next = self.after(self.drop_next),
            _ => {}
        }
        let begins = !self.dropping;
        if begins && ok_to_drop {
            let delta = self.count - self.last_count;
            let is_recent = now.saturating_since(self.drop_next) < INTERVAL * 16;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.after(now);
            self.dropping = true;
        } else {
            self.dropping &= ok_to_drop;
            if !self.dropping || now < self.drop_next {
                return Verdict::Pass;
            }
            self.count += 1;
            if capable {
                self.drop_next = self.after(self.drop_next);
            }
        }
        self.dropped = (!capable).then_some(begins);
        if capable { Verdict::Mark } else { Verdict::Drop }
    }
}

/// Conservative loss recovery (RFC 6675).
#[derive(Debug, Default)]
struct Conservative {
    /// RescueRxt.
    rescue: u32,
}

/// Whether enough segments behind `number` have arrived (IsLost).
fn is_lost(board: &Scoreboard, number: u32, threshold: u32) -> bool {
    let behind = board.iter().filter(|&(other, segment)| other > number && segment.sacked);
    behind.count() >= threshold as usize
}

impl LossDetection for Conservative {
    fn detect(&mut self, board: &Scoreboard, cx: Circumstances) -> Detected {
        let missing = board.iter().filter(|(_, segment)| !segment.sacked);
        let lost = missing.filter(|&(number, _)| is_lost(board, number, cx.threshold));
        // Those that left again, lost or not, are in the network (pipe, step b).
        let (again, lost): (Vec<_>, Vec<_>) = lost.partition(|(_, segment)| segment.resent);
        let numbers = |segments: Vec<(u32, _)>| segments.into_iter().map(|(n, _)| n).collect();
        Detected { lost: numbers(lost), superseded: numbers(again), again_after: None }
    }

    fn on_recovery(&mut self, first: u32) {
        self.rescue = first;
    }

    fn last_resort(&mut self, board: &Scoreboard, recover: u32) -> Option<u32> {
        let is_missing = |number: &u32| board.get(*number).is_some_and(|s| !s.sacked);
        let has_left_once = |number: &u32| board.get(*number).is_some_and(|s| !s.resent);
        let mut holes = (board.first()..board.forward()).filter(is_missing);
        // NextSeg, rules 3 and 4.
        if let Some(hole) = holes.find(has_left_once) {
            return Some(hole);
        }
        if board.first() <= self.rescue + 1 {
            return None;
        }
        let last = (board.first()..board.end()).rfind(is_missing)?;
        self.rescue = recover - 1;
        Some(last)
    }
}

/// Every scheme of the package, and these.
pub fn schemes() -> Schemes {
    Schemes::standard()
        .with_loss_recovery(sack::Outside::new("own-sack", || Box::new(Conservative::default())))
        .with_loss_recovery(sack::Outside::with_probes("own-rack", || Box::new(Rack::new(false))))
        .with_queue(link::Outside::new("own-codel", |_| Box::new(ControlledDelay::default())))
        .with_queue(link::Outside::new("own-fq-codel", |_| {
            Box::new(FqCodel::new(&CodelConfig::default()))
        }))
        .with_rate_control(rates::Outside::new("own-arf", |rate_set| {
            Box::new(Fallback { highest: rate_set.len() - 1, ..Fallback::default() })
        }))
        .with_rate_control(rates::Outside::among_all("own-minstrel", |rate_set| {
            Box::new(Minstrel::new(rate_set))
        }))
}
