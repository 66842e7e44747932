//! The rates that there are to choose from.

use std::ops::Deref;

use crate::kernel::Duration;
use crate::mac::timing::Timing;
use crate::wire::Rate;

/// The size for which rates are compared, as in Minstrel's description \[bytes\].
const TYPICAL_BYTES: u32 = 1200;

/// A rate, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The rate.
    pub rate: Rate,
    /// What it carries \[bit/s\].
    pub rate_bps: f64,
    /// How long an exchange of a packet of 1200 bytes takes, without the wait before it.
    pub exchange: Duration,
    /// What of that an A-MPDU has only once: all but the packet itself.
    pub shared: Duration,
    /// How long an attempt at a test frame takes, with the wait before it.
    pub attempt: Duration,
    /// Its group: 0 with one stream, 1 with two.
    pub group: usize,
    /// The power from which it carries more than the rate before \[W\]; none if that is not known.
    pub needed_w: Option<f64>,
}

/// The rates to choose from, slowest first; those of two streams come after those of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateSet(Vec<Step>);

impl RateSet {
    /// The rates of `timing` up to that of its data frames: those of two streams where they are
    /// faster than those of one, or `all`. `needed_w` tells the power \[W\] at which a frame of so
    /// many bytes is received at a rate with a given chance, if that is known.
    pub fn new(
        timing: &Timing,
        all: bool,
        needed_w: Option<impl Fn(Rate, u32, f64) -> f64>,
    ) -> RateSet {
        let rates = timing.data_rates(all);
        let modulations = timing.modulations();
        // A faster rate is worth its failures down to the share at which attempts carry as much.
        let mut before: Option<Duration> = None;
        let step = |&rate: &Rate| {
            let exchange = timing.exchange(TYPICAL_BYTES, rate);
            let share = before.map_or(0.5, |before| exchange.as_secs_f64() / before.as_secs_f64());
            before = Some(exchange);
            Step {
                rate,
                rate_bps: modulations[rate.index()].rate_bps,
                exchange,
                shared: timing.exchange_overhead(rate),
                attempt: timing.test_attempt(rate),
                group: timing.group(rate),
                needed_w: needed_w.as_ref().map(|needed_w| needed_w(rate, TYPICAL_BYTES, share)),
            }
        };
        RateSet(rates.iter().map(step).collect())
    }

    /// The best rate for this power \[W\]; the slowest if none is known to be good enough.
    pub fn place_for(&self, power_w: f64) -> usize {
        let suffices = |step: &Step| step.needed_w.is_some_and(|needed_w| needed_w <= power_w);
        self.iter().rposition(suffices).unwrap_or(0)
    }

    /// Where `rate` stands.
    pub(super) fn place_of(&self, rate: Rate) -> usize {
        self.iter().position(|step| step.rate == rate).unwrap_or_default()
    }
}

impl Deref for RateSet {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        &self.0
    }
}

impl FromIterator<Step> for RateSet {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> RateSet {
        RateSet(steps.into_iter().collect())
    }
}
