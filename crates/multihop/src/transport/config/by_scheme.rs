//! What of the `[transport]` keys follows from the scheme.

use super::TcpConfig;
use crate::config::ConfigError;
use crate::profile::Profile;
use crate::transport::pacing::config::PacingScheme;
use crate::transport::rules::Rules;
use crate::transport::sack::config::RecoveryScheme;
use crate::transport::scheme::{Pull, Sending};

impl TcpConfig {
    /// How losses are noticed.
    pub fn recovery_scheme(&self, rules: Rules) -> RecoveryScheme {
        self.recovery.scheme.unwrap_or(match rules {
            Rules::Linux => RecoveryScheme::RackTlp,
            Rules::Ns2 | Rules::Standard => self.scheme.scheme().recovery,
        })
    }

    /// Whether the retransmission timeout doubles at each expiry.
    pub fn rto_backoff(&self) -> bool {
        self.rto_backoff.unwrap_or(self.scheme.scheme().rto_backoff)
    }

    /// Whether a connection with state machines of its own takes the place of TCP.
    pub fn has_connection(&self) -> bool {
        matches!(self.scheme.scheme().sending, Sending::Connection)
    }

    /// How the scheme lets its node ask for segments, if it does not send by itself.
    pub fn pull(&self) -> Option<Pull> {
        (self.scheme.scheme().pull)(self)
    }

    /// What spaces segments.
    pub fn pacing_scheme(&self) -> PacingScheme {
        self.pacing.scheme.unwrap_or(self.scheme.scheme().pacing)
    }

    /// The same with every default filled in that has an effect, in a scenario of this profile.
    #[must_use]
    pub fn resolved(&self, profile: Profile) -> TcpConfig {
        if self.has_connection() {
            // Its defaults are its own, and none depends on these rules.
            return self.clone();
        }
        let rules = self.rules(profile);
        let has_probes = self.recovery_scheme(rules).uses_probes();
        let defaults: [&dyn Fn(&mut TcpConfig); 17] = [
            &|all| all.profile = Some(rules),
            &|all| all.recovery.scheme = Some(self.recovery_scheme(rules)),
            &|all| _ = all.recovery.prr.get_or_insert(has_probes),
            &|all| _ = all.recovery.undo.get_or_insert(has_probes),
            &|all| _ = all.recovery.probe.get_or_insert(has_probes),
            &|all| all.acks.delayed = Some(self.acks.delayed(rules)),
            &|all| all.acks.delay_s = Some(self.acks.delay_s(rules)),
            &|all| all.acks.quick_segments = Some(self.acks.quick_segments(rules)),
            &|all| {
                all.probe_interval_s =
                    self.probe_interval_s.or(self.link_failure.usual_probe_interval_s())
            },
            &|all| all.initial_window_segments = Some(self.initial_window(rules)),
            &|all| all.initial_ssthresh_segments = Some(self.initial_ssthresh(rules)),
            &|all| all.rto_initial_s = Some(self.rto_initial_s(rules)),
            &|all| all.rto_min_s = Some(self.rto_min_s(rules)),
            &|all| all.rto_backoff = Some(self.rto_backoff()),
            &|all| all.timestamps = Some(self.timestamps(profile)),
            &|all| all.pacing.scheme = Some(self.pacing_scheme()),
            &|all| all.semi.source_rule = Some(self.semi.source_rule()),
        ];
        let mut resolved = self.clone();
        for fill_in in defaults {
            let mut more = resolved.clone();
            fill_in(&mut more);
            // What is refused has no effect beside the other keys.
            if more.check().is_ok() {
                resolved = more;
            }
        }
        resolved
    }

    /// Checks every key against its bounds.
    ///
    /// # Errors
    /// The first key that is out of bounds.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_own()?;
        (self.scheme.scheme().check)(self)?;
        let recovery = self.recovery_scheme(self.profile.unwrap_or(Rules::Standard));
        self.recovery.check(recovery)?;
        self.acks.check(recovery, self.pull().is_some())?;
        self.receive_buffer.check(recovery, self.segment_bytes)?;
        self.pacing.check()?;
        self.semi.check()
    }
}
