//! The keys of `[transport]` that QUIC has no use for.

use crate::config::{ConfigError, within};
use crate::transport::config::TcpConfig;

/// The smallest datagram that a path must carry (RFC 9000, section 14).
const LEAST_DATAGRAM: u32 = 1200;

/// Checks QUIC's own keys, and that no key is set that has no effect on it.
pub(super) fn check(config: &TcpConfig) -> Result<(), ConfigError> {
    if config.segment_bytes < LEAST_DATAGRAM {
        let fault = format!(
            "must be {LEAST_DATAGRAM} or more with scheme \"quic\", whose first datagrams have no fewer bytes \
             (got {})",
            config.segment_bytes
        );
        return Err(ConfigError::new("segment_bytes", fault));
    }
    within("quic.idle_timeout_s", config.quic.idle_timeout_s, 0.001, 1e7)?;
    within("quic.certificate_bytes", config.quic.certificate_bytes.into(), 0.0, 12_000.0)?;
    let usual = TcpConfig::default();
    let repairs = "QUIC repairs losses its own way (RFC 9002)";
    let routes = "QUIC knows nothing of routes";
    let timeouts = "QUIC's timeouts follow RFC 9002";
    let unused = [
        ("profile", config.profile.is_some(), "QUIC has one set of rules"),
        ("recovery", config.recovery != usual.recovery, repairs),
        ("acks", config.acks != usual.acks, "QUIC acknowledges by RFC 9000, section 13.2"),
        (
            "receive_buffer",
            config.receive_buffer != usual.receive_buffer,
            "QUIC's windows are flow control by RFC 9000, section 4",
        ),
        ("link_failure", config.link_failure != usual.link_failure, routes),
        ("probe_interval_s", config.probe_interval_s.is_some(), routes),
        ("probe_backoff", config.probe_backoff != usual.probe_backoff, routes),
        ("first_probe", config.first_probe != usual.first_probe, routes),
        (
            "initial_ssthresh_segments",
            config.initial_ssthresh_segments.is_some(),
            "QUIC's threshold is unlimited at first",
        ),
        (
            "window_validation",
            config.window_validation != usual.window_validation,
            "QUIC's window does not grow unused (RFC 9002, section 7.8)",
        ),
        (
            "duplicate_ack_threshold",
            config.duplicate_ack_threshold != usual.duplicate_ack_threshold,
            repairs,
        ),
        ("limited_transmit", config.limited_transmit != usual.limited_transmit, repairs),
        ("clock_granularity_s", config.clock_granularity_s != usual.clock_granularity_s, timeouts),
        ("rto_initial_s", config.rto_initial_s.is_some(), timeouts),
        ("rto_min_s", config.rto_min_s.is_some(), timeouts),
        ("rto_max_s", config.rto_max_s != usual.rto_max_s, timeouts),
        ("rto_backoff", config.rto_backoff.is_some(), timeouts),
        ("free_acks", config.free_acks, "QUIC's acknowledgments travel with data"),
        ("timestamps", config.timestamps.is_some(), "QUIC has no such option"),
        ("pacing", config.pacing != usual.pacing, "QUIC paces by itself"),
    ];
    match unused.into_iter().find(|&(_, is_set, _)| is_set) {
        Some((key, _, why)) => {
            Err(ConfigError::new(key, format!("has no effect with scheme \"quic\": {why}")))
        }
        None => Ok(()),
    }
}
