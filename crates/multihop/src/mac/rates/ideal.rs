//! An ideal choice: the rate that carries most at the power of the last frame from the neighbour.
//!
//! As if the receiver told the sender, since links are the same both ways. Interference at the receiver stays
//! unknown. Each attempt without an ACK takes one rate off, until something is heard again: the link may have
//! faded.

use super::Ladder;

/// The power on one link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ideal {
    power_w: f64,
    /// Attempts without an ACK since then.
    failures: usize,
}

impl Ideal {
    pub(super) fn on_heard(&mut self, power_w: f64) {
        *self = Ideal { power_w, failures: 0 };
    }

    pub(super) fn on_result(&mut self, is_good: bool) {
        self.failures += usize::from(!is_good);
    }

    /// The best rate; the slowest until something was heard.
    pub(super) fn place(&self, ladder: &Ladder) -> usize {
        let suffices = |&needed_w: &f64| needed_w <= self.power_w;
        let place = ladder.needed_w.iter().rposition(suffices).unwrap_or(0);
        place.saturating_sub(self.failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Rate;

    #[test]
    fn the_fastest_rate_that_the_power_suffices_for_less_one_a_failure() {
        let rates = vec![Rate(0), Rate(1), Rate(2)];
        let needed_w = vec![1e-12, 4e-12, 2e-12];
        let [exchanges, shared] = [Vec::new(), Vec::new()];
        let ladder = Ladder { rates, exchanges, shared, groups: vec![0; 3], needed_w };
        let mut ideal = Ideal::default();
        assert_eq!(ideal.place(&ladder), 0, "nothing heard yet");
        for (power_w, place) in [(5e-13, 0), (1.5e-12, 0), (3e-12, 2), (1e-9, 2)] {
            ideal.on_heard(power_w);
            assert_eq!(ideal.place(&ladder), place);
        }
        for place in [1, 0, 0] {
            ideal.on_result(false);
            assert_eq!(ideal.place(&ladder), place);
        }
        ideal.on_heard(1e-9);
        assert_eq!(ideal.place(&ladder), 2);
    }
}
