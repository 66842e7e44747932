//! Congestion window validation (RFC 7661), with a sender that counts duplicates.

use super::*;
use crate::transport::congestion::WindowValidation;

const SEGMENT: u64 = 1460;

fn config(scheme: Flavour, window_validation: WindowValidation) -> TcpConfig {
    TcpConfig {
        scheme,
        window_validation,
        window_segments: 100,
        initial_window_segments: Some(10),
        ..TcpConfig::default()
    }
}

fn idle(config: TcpConfig) -> Pair {
    let supply = Supply::empty(config.segment_bytes);
    let mut pair = Pair::with_supply(config, supply, Profile::Standard);
    pair.until_acked(0);
    pair
}

const BY_ACKS: [Flavour; 5] =
    [Flavour::Reno, Flavour::NewReno, Flavour::Cubic, Flavour::Vegas, Flavour::Westwood];

#[test]
fn small_messages_open_the_window_no_further_once_their_use_is_known() {
    let after = |scheme, validation| {
        let mut pair = idle(config(scheme, validation));
        for _ in 0..100 {
            let last = pair.supply(2 * SEGMENT);
            pair.until_acked(last);
            pair.now += Duration::from_millis(100);
        }
        pair.sender.cwnd()
    };
    for scheme in BY_ACKS {
        // The first two acknowledgments come before a round trip is measured.
        assert!(after(scheme, WindowValidation::Rfc7661) <= 12.0, "{scheme:?}");
    }
    assert_eq!(after(Flavour::NewReno, WindowValidation::None), 210.0);
}

#[test]
fn a_window_in_full_use_grows_as_without_validation() {
    for scheme in BY_ACKS {
        let sent = |validation| {
            let mut pair = Pair::new(config(scheme, validation), Profile::Standard);
            pair.until_acked(200);
            pair.sent
        };
        assert_eq!(sent(WindowValidation::Rfc7661), sent(WindowValidation::None), "{scheme:?}");
    }
}

#[test]
fn a_loss_from_an_unused_window_leaves_half_of_what_was_used_and_not_lost() {
    for scheme in BY_ACKS {
        let mut pair = idle(TcpConfig {
            initial_window_segments: Some(40),
            ..config(scheme, WindowValidation::Rfc7661)
        });
        let last = pair.supply(8 * SEGMENT);
        pair.until_acked(last);
        pair.rest(Duration::from_millis(100));
        // Six of the next are in flight when the first of them is lost; eight were acknowledged in
        // a round trip before.
        pair.drops = vec![9];
        let last = pair.supply(6 * SEGMENT);
        while pair.sender.counters().fast_retransmits == 0 {
            assert!(pair.step());
        }
        assert_eq!((pair.sender.cwnd(), pair.sender.ssthresh()), (4.0, 4), "{scheme:?}");
        pair.until_acked(last);
        // (8 - 1) / 2, in whole segments, and what one acknowledgment adds.
        assert!((3.0..3.5).contains(&pair.sender.cwnd()), "{scheme:?}: {}", pair.sender.cwnd());
        assert_eq!(pair.sender.ssthresh(), 3, "{scheme:?}");
    }
}

#[test]
fn an_idle_time_leaves_the_window_and_five_minutes_half_of_it() {
    for (seconds, part) in [(10, 1), (299, 1), (310, 2), (620, 4)] {
        let mut pair = idle(config(Flavour::NewReno, WindowValidation::Rfc7661));
        let last = pair.supply(100 * SEGMENT);
        pair.until_acked(last);
        let cwnd = pair.sender.cwnd() as usize;
        assert!((40..100).contains(&cwnd), "{cwnd}");
        pair.rest(Duration::from_secs(seconds));
        let sent = pair.sent.len();
        pair.supply(200 * SEGMENT);
        assert_eq!(pair.sent.len() - sent, cwnd / part, "idle for {seconds} s");
    }
}

#[test]
fn schemes_and_rules_that_know_no_validation_refuse_it() {
    let fault = |keys: &str| {
        let config: TcpConfig =
            toml::from_str(&format!("window_validation = \"rfc7661\"\n{keys}")).unwrap();
        config.check().err().map(|error| error.key)
    };
    for keys in [
        "profile = \"linux\"",
        "scheme = \"bbr\"",
        "scheme = \"bbr1\"",
        "scheme = \"semi-tcp\"",
        "scheme = \"quic\"",
    ] {
        assert_eq!(fault(keys), Some("window_validation"), "{keys}");
    }
    for keys in ["", "profile = \"standard\"", "profile = \"ns2\"", "scheme = \"cubic\""] {
        assert_eq!(fault(keys), None, "{keys}");
    }
}
