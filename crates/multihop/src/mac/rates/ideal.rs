//! An ideal choice: the fastest rate for which the last frame from the neighbour was strong enough.
//!
//! As if the receiver told the sender: the link is the same both ways, and power needs no feedback. Interference
//! at the receiver stays unknown.

use super::Ladder;

/// The power on one link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ideal {
    power_w: f64,
}

impl Ideal {
    pub(super) fn on_heard(&mut self, power_w: f64) {
        self.power_w = power_w;
    }

    /// The fastest rate; the slowest until something was heard.
    pub(super) fn place(&self, ladder: &Ladder) -> usize {
        let suffices = |&needed_w: &f64| needed_w <= self.power_w;
        ladder.needed_w.iter().rposition(suffices).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Rate;

    #[test]
    fn the_fastest_rate_that_the_power_suffices_for() {
        let rates = vec![Rate(0), Rate(1), Rate(2)];
        let needed_w = vec![1e-12, 4e-12, 2e-12];
        let ladder = Ladder { rates, exchanges: Vec::new(), needed_w };
        let mut ideal = Ideal::default();
        assert_eq!(ideal.place(&ladder), 0, "nothing heard yet");
        for (power_w, place) in [(5e-13, 0), (1.5e-12, 0), (3e-12, 2), (1e-9, 2)] {
            ideal.on_heard(power_w);
            assert_eq!(ideal.place(&ladder), place);
        }
    }
}
