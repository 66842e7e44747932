//! Proportional rate reduction (RFC 6937): in recovery the window falls to `ssthresh` by a segment
//! for about every other one that arrives, and never below what keeps the acknowledgments coming.
//!
//! Of the two reduction bounds the slow-start one holds while new data are acknowledged and nothing
//! more is lost, else the conservative one, as later work proposes and Linux does (Mathis,
//! Cardwell, Cheng, Dukkipati, draft-ietf-tcpm-prr-rfc6937bis, section 6).

/// A recovery's account \[segments\].
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// Outstanding when recovery began (RecoverFS).
    flight_size: u32,
    /// Arrived since (prr_delivered).
    delivered: u32,
    /// Sent since (prr_out).
    sent: u32,
}

/// What an acknowledgment in recovery has told.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Segments newly known to have arrived.
    pub arrived: u32,
    /// New data were acknowledged, and nothing was lost that was not known to be (SafeACK).
    pub is_safe: bool,
}

impl Reduction {
    /// Recovery begins with `flight_size` segments outstanding.
    pub fn new(flight_size: u32) -> Reduction {
        Reduction { flight_size: flight_size.max(1), delivered: 0, sent: 0 }
    }

    /// A segment leaves.
    pub fn on_send(&mut self) {
        self.sent += 1;
    }

    /// The congestion window after an acknowledgment, with `in_flight` segments in the network.
    /// Always room for the first retransmission.
    pub fn window(&mut self, progress: Progress, in_flight: u32, ssthresh: u32) -> u32 {
        self.delivered += progress.arrived;
        let may_send = if in_flight > ssthresh {
            let share = u64::from(self.delivered) * u64::from(ssthresh);
            let due = share.div_ceil(u64::from(self.flight_size)) as u32;
            due.saturating_sub(self.sent)
        } else {
            let mut limit = self.delivered.saturating_sub(self.sent);
            if progress.is_safe {
                limit = limit.max(progress.arrived) + 1;
            }
            limit.min(ssthresh - in_flight)
        };
        in_flight + may_send.max(u32::from(self.sent == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments sent at each of `acks` acknowledgments of one SACKed segment, `lost` of 20 in
    /// flight being lost, as in RFC 6937 section 3.1.
    fn sent_at_each(acks: u32, lost: u32, is_safe: bool) -> Vec<u32> {
        let mut reduction = Reduction::new(20);
        let mut in_flight = 20 - lost;
        (0..acks)
            .map(|_| {
                in_flight -= 1;
                let room =
                    reduction.window(Progress { arrived: 1, is_safe }, in_flight, 10) - in_flight;
                (0..room).for_each(|_| reduction.on_send());
                in_flight += room;
                room
            })
            .collect()
    }

    #[test]
    fn every_other_segment_leaves_until_the_window_is_halved() {
        let sent = sent_at_each(19, 1, false);
        assert_eq!(sent.iter().sum::<u32>(), 10);
        assert!(sent.windows(2).all(|pair| pair[0] + pair[1] <= 1 || pair[0] == 1));
    }

    #[test]
    fn after_a_burst_of_losses_a_segment_leaves_for_each_that_arrives_or_two() {
        assert_eq!(sent_at_each(4, 15, false), [1, 1, 1, 1], "packet conservation");
        assert_eq!(sent_at_each(4, 15, true), [2, 2, 2, 2], "slow start");
    }
}
