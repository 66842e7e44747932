//! The keys of the `[transport.recovery]` table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::departures::Departures;
use super::detection::LossDetection;
use super::outside::{Maker, Outside};
use super::rack::Rack;
use super::threshold::Threshold;
use crate::config::ConfigError;
use crate::config::outside::{chosen_by_name, one_of};

/// How losses are noticed and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = one_of)]
pub enum RecoveryScheme {
    /// By duplicate acknowledgments alone, as Reno or NewReno, whichever `transport.scheme` brings
    /// along.
    DuplicateAcks,
    /// By selective acknowledgments: a segment is lost once three behind it have arrived (RFC
    /// 6675).
    Sack,
    /// By selective acknowledgments and time: a segment is lost once one sent sufficiently later
    /// has arrived; tail loss probes (RFC 8985).
    RackTlp,
    /// By selective acknowledgments and a rule of another crate.
    #[serde(untagged)]
    #[schemars(skip)]
    Outside(Outside),
}

/// Loss recovery. All keys but `scheme` need one with selective acknowledgments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecoveryConfig {
    /// How losses are noticed. Default: `duplicate-acks`; `rack-tlp` with `transport.profile =
    /// "linux"` and with congestion controls that need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<RecoveryScheme>,
    /// In recovery the window falls in proportion to what arrives (RFC 6937), in place of at once.
    /// Default: with `rack-tlp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prr: Option<bool>,
    /// Take a reduction back when timestamps, duplicate reports (D-SACK) or what is acknowledged
    /// after a timeout (F-RTO) show that nothing was lost. Default: with `rack-tlp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
    /// Tail loss probes. Default: with `rack-tlp`, and only there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<bool>,
}

impl RecoveryScheme {
    /// What notices the losses of a flow, of which acknowledgments report every segment that has
    /// arrived.
    pub(super) fn detection(self, departures: Departures) -> Box<dyn LossDetection> {
        match self {
            RecoveryScheme::RackTlp => Box::new(Rack::new(departures.times_in_order)),
            RecoveryScheme::Sack | RecoveryScheme::DuplicateAcks => Box::new(Threshold::default()),
            RecoveryScheme::Outside(outside) => (outside.maker().make)(),
        }
    }

    /// Whether it has a use for tail loss probes; they, proportional rate reduction and taking back
    /// are on by default then.
    pub fn uses_probes(self) -> bool {
        match self {
            RecoveryScheme::DuplicateAcks | RecoveryScheme::Sack => false,
            RecoveryScheme::RackTlp => true,
            RecoveryScheme::Outside(outside) => outside.maker().uses_probes,
        }
    }

    /// Refuses `key`, if it `is_set`, with duplicate acknowledgments, where it has no effect.
    ///
    /// # Errors
    /// That of `key`.
    pub fn check_unused(self, key: &'static str, is_set: bool) -> Result<(), ConfigError> {
        match self {
            RecoveryScheme::DuplicateAcks if is_set => {
                let fault = "has an effect with recovery.scheme \"sack\" or \"rack-tlp\" only";
                Err(ConfigError::new(key, fault))
            }
            _ => Ok(()),
        }
    }
}

impl RecoveryConfig {
    /// Checks that every key has an effect, `scheme` being what is in force.
    ///
    /// # Errors
    /// The first key that has none.
    pub fn check(&self, scheme: RecoveryScheme) -> Result<(), ConfigError> {
        scheme.check_unused("recovery.prr", self.prr.is_some())?;
        scheme.check_unused("recovery.undo", self.undo.is_some())?;
        scheme.check_unused("recovery.probe", self.probe.is_some())?;
        // What a probe's answer tells only RACK can use (RFC 8985 section 4, 4).
        if !scheme.uses_probes() && self.probe == Some(true) {
            let fault = "must be false unless recovery.scheme is \"rack-tlp\", which probes need";
            return Err(ConfigError::new("recovery.probe", fault));
        }
        Ok(())
    }
}

chosen_by_name! {
    impl Choice for RecoveryScheme {
        type Make = Maker;
        const KEY = "transport.recovery.scheme";
        const DEFINITION = "RecoveryScheme";
        const OURS = &[
            ("duplicate-acks", RecoveryScheme::DuplicateAcks),
            ("sack", RecoveryScheme::Sack),
            ("rack-tlp", RecoveryScheme::RackTlp),
        ];
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::TcpConfig;

    fn fault(keys: &str) -> Option<&'static str> {
        let config: TcpConfig = toml::from_str(keys).unwrap();
        config.check().err().map(|error| error.key)
    }

    #[test]
    fn keys_without_effect_are_refused() {
        assert_eq!(fault("recovery.undo = true"), Some("recovery.undo"));
        assert_eq!(fault("acks.delay_s = 0.1"), Some("acks.delay_s"));
        let by_scheme = "scheme = \"semi-tcp\"\nacks.delayed = true";
        assert_eq!(fault(by_scheme), Some("acks"));
        let probes = "recovery = {scheme = \"sack\", probe = true}";
        assert_eq!(fault(probes), Some("recovery.probe"));
        for keys in [
            "recovery = {scheme = \"sack\", prr = true}\nacks.delayed = true",
            "acks = {delayed = true, delay_s = 0.1, quick_segments = 2}",
            "profile = \"linux\"\nacks.delay_s = 0.2",
            "scheme = \"bbr1\"\nrecovery.undo = false",
        ] {
            assert_eq!(fault(keys), None, "{keys}");
        }
    }
}
