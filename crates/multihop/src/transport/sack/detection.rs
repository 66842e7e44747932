//! Which outstanding segments are lost: what a detection decides, ours as well as one of another
//! crate. Reno and NewReno, which know no more than a count of duplicates, are a sender of their
//! own (`transport/recovery.rs` says why).

use std::fmt::Debug;

use super::report::Report;
use super::scoreboard::{Arrived, Scoreboard};
use crate::kernel::{Duration, Instant};
use crate::measure::Counts;

/// Which outstanding segments are lost. What is lost is sent again before anything new; the window
/// falls once a recovery, as congestion control and `recovery.prr` have it.
///
/// ```
/// use multihop::api::kernel::Instant;
/// use multihop::api::transport::sack::{
///     Circumstances, Detected, LossDetection, Scoreboard, Snapshot,
/// };
///
/// /// The first segment is lost as soon as any behind it has arrived.
/// #[derive(Debug)]
/// struct Hasty;
///
/// impl LossDetection for Hasty {
///     fn detect(&mut self, board: &Scoreboard, _: Circumstances) -> Detected {
///         let lost = if board.sacked() > 0 { vec![board.first()] } else { vec![] };
///         Detected { lost, ..Detected::default() }
///     }
/// }
///
/// let (now, none) = (Instant::ZERO, None);
/// let cx = Circumstances {
///     now, min_rtt: none, smoothed_rtt: none, in_recovery: false, threshold: 3,
/// };
/// let mut board = Scoreboard::default();
/// (0..3).for_each(|_| board.send_new(now, Snapshot::default()));
/// assert!(Hasty.detect(&board, cx).lost.is_empty());
/// board.acknowledge(0, &[(2, 3)].into_iter().collect(), &mut Vec::new());
/// assert_eq!(Hasty.detect(&board, cx).lost, [0]);
/// ```
pub trait LossDetection: Debug + Send + Sync {
    /// `arrived` are known to have arrived by an acknowledgment that tells `report`; `board` knows
    /// of it.
    fn on_arrival(
        &mut self,
        _arrived: &[Arrived],
        _report: &Report,
        _board: &Scoreboard,
        _cx: Circumstances,
    ) {
    }

    /// What is lost by now, after every acknowledgment and when the time to look again is over.
    fn detect(&mut self, board: &Scoreboard, cx: Circumstances) -> Detected;

    /// The retransmission timer has expired: the segments to send again. All that have not arrived,
    /// unless it says otherwise.
    fn on_timeout(&mut self, board: &Scoreboard, _cx: Circumstances) -> Vec<u32> {
        // What has arrived is not sent again, as RFC 6675 section 5.1 allows where receivers keep
        // what they have reported, which they do here (RFC 2018 section 8).
        (board.first()..board.end()).collect()
    }

    /// A recovery begins with segment `first` sent again.
    fn on_recovery(&mut self, _first: u32) {}

    /// A recovery has ended, or was needless.
    fn on_recovered(&mut self) {}

    /// The segment to send again in a recovery, up to below `recover`, when none is lost and none
    /// is new. The board counts both transmissions as being in the network.
    fn last_resort(&mut self, _board: &Scoreboard, _recover: u32) -> Option<u32> {
        None
    }

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}

/// What a detection needs to know of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The time.
    pub now: Instant,
    /// Shortest round trip so far.
    pub min_rtt: Option<Duration>,
    /// Smoothed round trip.
    pub smoothed_rtt: Option<Duration>,
    /// Losses are being repaired.
    pub in_recovery: bool,
    /// Segments behind a missing one that count as its loss while no reordering is known
    /// (DupThresh).
    pub threshold: u32,
}

/// What a look at the scoreboard has shown. Segments that have arrived, or are not outstanding, do
/// not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// The segments that are lost; to name one again means that its retransmission is lost too.
    pub lost: Vec<u32>,
    /// Segments sent again of which the last transmission is still in the network, but none before
    /// it.
    pub superseded: Vec<u32>,
    /// Look again after this time, if nothing else happens.
    pub again_after: Option<Duration>,
}

impl Scoreboard {
    /// Marks what is `detected`. Returns how many segments are newly lost.
    pub(super) fn mark(&mut self, detected: &Detected) -> u32 {
        let outstanding = self.first()..self.end();
        for number in detected.superseded.iter().filter(|number| outstanding.contains(number)) {
            self.lose_original(*number);
        }
        self.lose_all(&detected.lost)
    }

    /// Loses these segments, but for those that are not outstanding or have arrived. Returns how
    /// many of which that is news.
    pub(super) fn lose_all(&mut self, numbers: &[u32]) -> u32 {
        let outstanding = self.first()..self.end();
        let is_news = |&number: &u32| outstanding.contains(&number) && self.lose(number);
        numbers.iter().copied().filter(is_news).count() as u32
    }
}
