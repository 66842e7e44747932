//! The rate of a token-bucket policer: when two spells of heavy loss in a row deliver at the same
//! rate, that is taken to be the path's for a while (Cardwell and others, "BBR congestion control",
//! IETF 97, slides on policers).

use super::super::Delivery;
use crate::kernel::Instant;

/// Rounds of a spell at least, and at most before it is given up.
const ROUNDS: (u32, u32) = (4, 16);
/// Losses for a segment delivered that make a spell one of heavy loss.
const HEAVY: f64 = 50.0 / 256.0;
/// Two rates are the same if they differ by this share, or by 4 kbit/s in segments of 1448 bytes.
const SAME: f64 = 0.125;
const SAME_RATE: f64 = 4000.0 / 8.0 / 1448.0;
/// Rounds for which the rate is used.
const USED_ROUNDS: u32 = 48;

/// The search for a policer.
#[derive(Clone, Debug, Default)]
pub struct Policer {
    /// The rate of the last spell \[segments/s\].
    rate: Option<f64>,
    is_used: bool,
    spell: Option<Spell>,
    /// Rounds of the spell, or since the rate is used.
    rounds: u32,
    lost: u32,
}

#[derive(Clone, Copy, Debug)]
struct Spell {
    start: Instant,
    delivered: u32,
    lost: u32,
}

impl Policer {
    /// The rate that is used \[segments/s\].
    pub fn rate(&self) -> Option<f64> {
        self.rate.filter(|_| self.is_used)
    }

    /// Starts over.
    pub fn reset(&mut self) {
        *self = Policer { lost: self.lost, ..Policer::default() };
    }

    /// An acknowledgment, which begins a round if `begins`; `cruises`: the pipe has been found and
    /// bandwidth is probed. Returns whether the rate was used for long enough.
    pub fn on_delivery(&mut self, delivery: &Delivery, begins: bool, cruises: bool) -> bool {
        self.lost += delivery.lost;
        let now = Spell {
            start: delivery.ack.now,
            delivered: delivery.ack.delivered_total,
            lost: self.lost,
        };
        if self.is_used {
            self.rounds += u32::from(begins && cruises);
            let ends = self.rounds >= USED_ROUNDS;
            if ends {
                self.reset();
            }
            return ends;
        }
        let Some(spell) = self.spell else {
            if delivery.lost > 0 {
                self.begin(now);
            }
            return false;
        };
        if delivery.sample.is_some_and(|sample| sample.is_application_limited) {
            self.reset();
            return false;
        }
        self.rounds += u32::from(begins);
        if self.rounds > ROUNDS.1 {
            self.reset();
        } else if self.rounds >= ROUNDS.0 && delivery.lost > 0 {
            let delivered = f64::from(now.delivered - spell.delivered);
            let took = now.start.saturating_since(spell.start).as_secs_f64();
            let is_heavy = f64::from(now.lost - spell.lost) >= HEAVY * delivered;
            if took > 0.0 && delivered > 0.0 && is_heavy {
                self.finish(now, delivered / took);
            }
        }
        false
    }

    fn begin(&mut self, spell: Spell) {
        (self.spell, self.rounds) = (Some(spell), 0);
    }

    /// A spell of heavy loss ends, having delivered at `rate`.
    fn finish(&mut self, now: Spell, rate: f64) {
        match self.rate {
            Some(last) if (rate - last).abs() <= (SAME * last).max(SAME_RATE) => {
                *self = Policer { rate: Some((rate + last) / 2.0), is_used: true, ..self.clone() };
                self.rounds = 0;
            }
            _ => {
                self.rate = Some(rate);
                self.begin(now);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Duration;
    use crate::transport::congestion::{Ack, LimitedBy};

    /// Rounds of 100 ms and 10 segments delivered, of which `lost` are told to be lost besides.
    /// Returns after how many the rate is used, or no longer so, of at most a hundred.
    fn rounds(policer: &mut Policer, begun: u32, lost: u32, is_used: bool) -> Option<u32> {
        (begun..begun + 100).find(|&round| {
            let now = Instant::ZERO + Duration::from_millis(100) * u64::from(round);
            let ack = Ack {
                now,
                rtt: None,
                smoothed_rtt: None,
                min_rtt: None,
                delivered: 10,
                delivered_total: 10 * round,
                in_flight: 0,
                duplicates: 0,
                limited_by: LimitedBy::Window,
            };
            let delivery = Delivery {
                ack,
                sample: None,
                lost,
                in_flight: 0,
                prior_in_flight: 0,
                next_departure: now,
                in_recovery: true,
            };
            policer.on_delivery(&delivery, true, true);
            policer.rate().is_some() == is_used
        })
    }

    #[test]
    fn two_spells_of_heavy_loss_at_the_same_rate_show_a_policer_for_48_rounds() {
        let mut policer = Policer::default();
        let found = rounds(&mut policer, 1, 3, true);
        assert_eq!(found, Some(9), "one begins it, and four are a spell");
        assert_eq!(policer.rate(), Some(100.0));
        assert_eq!(rounds(&mut policer, 10, 3, false), Some(57));
    }

    #[test]
    fn few_losses_show_none() {
        assert_eq!(rounds(&mut Policer::default(), 1, 1, true), None, "a tenth");
    }
}
