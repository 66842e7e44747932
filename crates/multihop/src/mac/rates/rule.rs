//! What a rate control decides, ours as well as one of another crate or of a file that a scenario
//! names.

use std::fmt::Debug;

use crate::kernel::{Instant, Rng};
use crate::measure::Counts;

/// The choice of rates for one neighbour of one station, by their places in the
/// [`RateSet`](super::RateSet).
///
/// ```
/// use multihop::api::kernel::{Instant, Purpose, Rng};
/// use multihop::api::mac::rates::RateRule;
///
/// /// The higher of two rates as long as frames are acknowledged at it.
/// #[derive(Debug)]
/// struct Hopeful(usize);
///
/// impl RateRule for Hopeful {
///     fn first(&mut self, _: Instant, _: &mut Rng) -> usize {
///         self.0
///     }
///
///     fn again(&mut self) -> usize {
///         0
///     }
///
///     fn on_result(&mut self, _: usize, is_good: bool) {
///         self.0 = usize::from(is_good);
///     }
/// }
///
/// let (mut rule, mut rng) = (Hopeful(1), Rng::stream(1, Purpose::RateControl, 0));
/// rule.on_result(1, false);
/// assert_eq!(rule.first(Instant::ZERO, &mut rng), 0);
/// ```
pub trait RateRule: Debug + Send + Sync {
    /// The rate of the first attempt at a packet. `rng` is the station's, for all of its links.
    fn first(&mut self, now: Instant, rng: &mut Rng) -> usize;

    /// The rate of the next attempt at the same packet.
    fn again(&mut self) -> usize;

    /// Whether a data frame at the rate at `place` was acknowledged.
    fn on_result(&mut self, place: usize, is_good: bool);

    /// An A-MPDU at the rate at `place` carried `sent` data frames, of which `delivered` were
    /// acknowledged. Returns whether the rule has counted them. If not, as by default, the A-MPDU
    /// is one frame to it, acknowledged if half of its frames were, of which
    /// [`RateRule::on_result`] tells next; the [`Airtime`](super::Airtime) measured for routing
    /// counts as the rule does.
    fn on_aggregate(&mut self, _place: usize, _sent: u32, _delivered: u32) -> bool {
        false
    }

    /// A frame came from the neighbour with this power \[W\].
    fn on_heard(&mut self, _power_w: f64) {}

    /// Adds what it has counted of its own to the result, where it stands under the name that
    /// scenarios have for it.
    fn report(&self, _counts: &mut Counts) {}
}
