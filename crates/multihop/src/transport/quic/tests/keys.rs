use crate::transport::TcpConfig;

fn fault(keys: &str) -> Option<(&'static str, String)> {
    let config: TcpConfig = toml::from_str(&format!("scheme = \"quic\"\n{keys}")).unwrap();
    config.check().err().map(|error| (error.key, error.fault))
}

#[test]
fn keys_without_effect_are_refused() {
    for (keys, key) in [
        ("profile = \"linux\"", "profile"),
        ("recovery.undo = true", "recovery"),
        ("recovery.scheme = \"sack\"", "recovery"),
        ("acks.delayed = true", "acks"),
        ("link_failure = \"elfn\"", "link_failure"),
        ("link_failure = \"standby\"", "link_failure"),
        ("probe_interval_s = 2.0", "probe_interval_s"),
        ("first_probe = \"after_interval\"", "first_probe"),
        ("initial_ssthresh_segments = 20", "initial_ssthresh_segments"),
        ("duplicate_ack_threshold = 4", "duplicate_ack_threshold"),
        ("limited_transmit = false", "limited_transmit"),
        ("clock_granularity_s = 0.1", "clock_granularity_s"),
        ("rto_initial_s = 3.0", "rto_initial_s"),
        ("rto_min_s = 1.0", "rto_min_s"),
        ("rto_max_s = 30.0", "rto_max_s"),
        ("rto_backoff = true", "rto_backoff"),
        ("free_acks = true", "free_acks"),
        ("timestamps = false", "timestamps"),
        ("receive_buffer.scheme = \"auto\"", "receive_buffer"),
        ("pacing.scheme = \"rate\"", "pacing"),
    ] {
        let (found, text) = fault(keys).unwrap_or_else(|| panic!("{keys}"));
        assert_eq!(found, key, "{text}");
        assert!(
            !text.contains('\n') && text.starts_with("has no effect with scheme \"quic\": "),
            "{text}"
        );
    }
}

#[test]
fn small_datagrams_are_refused_in_words() {
    let (key, text) = fault("segment_bytes = 1000").unwrap();
    assert_eq!(key, "segment_bytes");
    let words = "must be 1200 or more with scheme \"quic\", whose first datagrams have no fewer bytes (got 1000)";
    assert_eq!(text, words);
    assert_eq!(fault("segment_bytes = 1200"), None);
}

#[test]
fn keys_with_an_effect_are_taken() {
    let keys = "window_segments = 64\ninitial_window_segments = 3\necn = true\nsegment_bytes = 1400\n\
                quic = {congestion_control = \"cubic\", idle_timeout_s = 5, certificate_bytes = 900}";
    assert_eq!(fault(keys), None);
}

#[test]
fn its_own_keys_have_bounds() {
    for (keys, key) in [
        ("quic.idle_timeout_s = 0.0", "quic.idle_timeout_s"),
        ("quic.certificate_bytes = 20000", "quic.certificate_bytes"),
    ] {
        assert_eq!(fault(keys).map(|(key, _)| key), Some(key));
    }
}
