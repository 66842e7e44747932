//! Where Linux departs from the RFCs, as its recordings show (evidence/kernel-tcp.md). All are off
//! but with `profile = "linux"`.

use crate::transport::rules::Rules;

/// The departures.
#[derive(Clone, Copy, Debug)]
pub struct Departures {
    /// Reductions and RFC 6937's RecoverFS count from the window, not from what is outstanding.
    pub counts_window: bool,
    /// RACK.rtt is that of the last segment acknowledged in order, if one is, not of the one sent
    /// last (RFC 8985 section 6.2).
    pub times_in_order: bool,
    /// The timeout begins again when the first missing segment is sent again, and while what
    /// arrives was sent before that.
    pub waits_for_head: bool,
    /// A tail loss probe leaves a timeout after the first missing segment at the latest, not when
    /// the timer expires (RFC 8985, section 7.2).
    pub probes_by_head: bool,
    /// A timeout during a recovery does not reduce the threshold again.
    pub recovery_spares_threshold: bool,
    /// The first SYN that is lost costs nothing: a timeout of a second may be spurious (RFC 6928
    /// section 2).
    pub forgives_syn: bool,
    /// When the reordering timer expires, a segment counts as having arrived.
    pub counts_awaited: bool,
    /// Any acknowledgment may refute a reduction by its echo, not the first alone (RFC 3522 section
    /// 3.2).
    pub heeds_every_echo: bool,
    /// A recovery that begins with the acknowledgment that ends another keeps that one's first
    /// retransmission, by whose time it may be refuted.
    pub joins_recoveries: bool,
    /// F-RTO takes the first original that arrives for proof, and bounds no window (RFC 5682
    /// section 3.1).
    pub trusts_originals: bool,
    /// After a spurious timeout the window is as before (RFC 4015 section 3.2 has what is
    /// outstanding), and the acknowledgment that shows it grows it further.
    pub restores_window: bool,
    /// The first ten segments, the SYN among them, are not paced, and a late one shortens the wait
    /// for the next, to half at most.
    pub paces_late: bool,
    /// The connection opens without data: the application writes to it then.
    pub opens_idle: bool,
}

impl Departures {
    /// Those of `rules`.
    pub fn of(rules: Rules) -> Departures {
        let is_linux = rules == Rules::Linux;
        Departures {
            counts_window: is_linux,
            times_in_order: is_linux,
            waits_for_head: is_linux,
            probes_by_head: is_linux,
            recovery_spares_threshold: is_linux,
            forgives_syn: is_linux,
            counts_awaited: is_linux,
            heeds_every_echo: is_linux,
            joins_recoveries: is_linux,
            trusts_originals: is_linux,
            restores_window: is_linux,
            paces_late: is_linux,
            opens_idle: is_linux,
        }
    }
}
