//! The seam of congestion control: which hooks a sender calls, in which order, and what it tells
//! them.

use std::sync::{Arc, Mutex};

use super::*;
use crate::transport::congestion::{Ack, CongestionControl, LimitedBy, Loss, SentSegment, Window};
use crate::transport::pacing::PacingScheme;

/// A call of a hook.
#[derive(Clone, Debug, PartialEq)]
enum Call {
    Ack(Ack),
    PartialAck(Ack),
    DuplicateAck(Ack),
    Loss(Loss),
    Timeout(Loss),
    Resume(Duration),
    Send(SentSegment),
}

/// A window that never changes but at a loss, and a record of every call.
#[derive(Clone, Debug, Default)]
struct Record(Arc<Mutex<Vec<Call>>>);

impl Record {
    fn note(&self, call: Call) {
        self.0.lock().unwrap().push(call);
    }

    /// The calls since the last time.
    fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl CongestionControl for Record {
    fn on_ack(&mut self, _: &mut Window, ack: &Ack) {
        self.note(Call::Ack(*ack));
    }

    fn on_partial_ack(&mut self, _: &mut Window, ack: &Ack) {
        self.note(Call::PartialAck(*ack));
    }

    fn on_duplicate_ack(&mut self, _: &mut Window, ack: &Ack) {
        self.note(Call::DuplicateAck(*ack));
    }

    fn on_loss(&mut self, window: &mut Window, loss: &Loss) {
        self.note(Call::Loss(*loss));
        window.cwnd = 4.0;
    }

    fn on_timeout(&mut self, window: &mut Window, loss: &Loss) {
        self.note(Call::Timeout(*loss));
        window.cwnd = 1.0;
    }

    fn on_resume(&mut self, suspended: Duration) {
        self.note(Call::Resume(suspended));
    }

    fn on_send(&mut self, sent: &SentSegment) {
        self.note(Call::Send(*sent));
    }
}

/// A sender with a window of 6 and segments up to 20 acknowledged; segments 21 to 26 are in flight.
fn recorded(config: TcpConfig) -> (Pair, Record) {
    let record = Record::default();
    let mut pair = Pair::new(config, Profile::Standard);
    pair.sender.replace_control(Box::new(record.clone()));
    pair.until_acked(20);
    pair.flights.clear();
    record.calls();
    (pair, record)
}

fn window_of_six() -> TcpConfig {
    TcpConfig { initial_window_segments: Some(6), window_segments: 20, ..TcpConfig::default() }
}

fn timeout(pair: &mut Pair) {
    pair.now = pair.timer.expect("segments are outstanding");
    pair.sender.on_timeout(pair.now, &mut pair.actions);
    pair.carry_out();
}

#[test]
fn each_cause_calls_its_hook_once_before_the_segments_that_it_releases() {
    let (mut pair, record) = recorded(window_of_six());
    let mut names = |step: &dyn Fn(&mut Pair)| -> Vec<String> {
        step(&mut pair);
        let name = |call: Call| match call {
            Call::Ack(_) => "ack".to_owned(),
            Call::PartialAck(_) => "partial ack".to_owned(),
            Call::DuplicateAck(_) => "duplicate ack".to_owned(),
            Call::Loss(_) => "loss".to_owned(),
            Call::Timeout(_) => "timeout".to_owned(),
            Call::Resume(_) => "resume".to_owned(),
            Call::Send(SentSegment { number, retransmission: false, .. }) => {
                format!("send {number}")
            }
            Call::Send(SentSegment { number, .. }) => format!("resend {number}"),
        };
        record.calls().into_iter().map(name).collect()
    };
    let ack = |number| move |pair: &mut Pair| drop(pair.ack(number));
    assert_eq!(names(&ack(22)), ["ack", "send 27", "send 28"]);
    // Limited transmit on the first two duplicates; the third is the loss.
    assert_eq!(names(&ack(22)), ["send 29"]);
    assert_eq!(names(&ack(22)), ["send 30"]);
    assert_eq!(names(&ack(22)), ["loss", "resend 23"]);
    // Of 8 outstanding, 4 + 3 inflated are allowed; the fifth and sixth duplicates release
    // segments.
    assert_eq!(names(&ack(22)), ["duplicate ack"]);
    assert_eq!(names(&ack(22)), ["duplicate ack", "send 31"]);
    assert_eq!(names(&ack(24)), ["partial ack", "resend 25", "send 32"]);
    assert_eq!(names(&ack(32)), ["ack", "send 33", "send 34", "send 35", "send 36"]);
    assert_eq!(names(&|pair: &mut Pair| timeout(pair)), ["timeout", "resend 33"]);
    // A probe's answer and old acknowledgments tell nothing.
    assert_eq!(names(&|pair: &mut Pair| drop(pair.marked_ack(32, true))), [""; 0]);
    assert_eq!(names(&ack(10)), [""; 0]);
}

#[test]
fn an_acknowledgment_tells_round_trip_delivery_and_flight() {
    let (mut pair, record) = recorded(window_of_six());
    let (now, smoothed) = (pair.now, pair.sender.smoothed_rtt());
    pair.ack(22);
    let first = Ack {
        now,
        rtt: Some(LATENCY * 2),
        smoothed_rtt: smoothed,
        min_rtt: Some(LATENCY * 2),
        delivered: 2,
        delivered_total: 23,
        in_flight: 4,
        duplicates: 0,
        limited_by: LimitedBy::Window,
    };
    let sent = |number, in_flight| SentSegment { now, number, retransmission: false, in_flight };
    assert_eq!(
        record.calls(),
        [Call::Ack(first), Call::Send(sent(27, 4)), Call::Send(sent(28, 5))]
    );
    // Round trips of 60 and of 30 ms: the shortest stays, the smoothed one follows the timed
    // segment.
    pair.now += Duration::from_millis(40);
    let answer = |pair: &mut Pair, number: u32, rtt_ms: u64| {
        let sent = pair.now - Duration::from_millis(rtt_ms);
        let ack = Acknowledgment {
            number,
            probe: false,
            sent,
            hops: 4,
            echo: false,
            ..Acknowledgment::default()
        };
        pair.sender.on_ack(pair.now, ack, &mut pair.actions);
        pair.carry_out();
        match record.calls()[0] {
            Call::Ack(ack) | Call::PartialAck(ack) | Call::DuplicateAck(ack) => ack,
            ref other => panic!("{other:?}"),
        }
    };
    let ms = |ms| Some(Duration::from_millis(ms));
    let slow = answer(&mut pair, 23, 60);
    assert_eq!((slow.rtt, slow.min_rtt, slow.delivered), (ms(60), ms(40), 1));
    let fast = answer(&mut pair, 27, 30);
    assert_eq!((fast.rtt, fast.min_rtt, fast.delivered), (ms(30), ms(30), 4));
    assert_eq!((fast.delivered_total, fast.in_flight), (28, 2));
    assert_eq!(fast.smoothed_rtt, pair.sender.smoothed_rtt());
}

#[test]
fn a_loss_tells_the_outstanding_segments_and_a_retransmission_hides_the_round_trip() {
    let (mut pair, record) = recorded(window_of_six());
    (0..5).for_each(|_| drop(pair.ack(20)));
    // Six outstanding and two by limited transmit.
    let loss = Loss { now: pair.now, in_flight: 8, duplicates: 3 };
    let calls = record.calls();
    assert!(calls.contains(&Call::Loss(loss)), "{calls:?}");
    let duplicates = |call: &Call| match call {
        Call::DuplicateAck(ack) => Some((ack.duplicates, ack.delivered, ack.rtt)),
        _ => None,
    };
    let seen: Vec<_> = calls.iter().filter_map(duplicates).collect();
    assert_eq!(seen, [(4, 0, None), (5, 0, None)]);
    pair.ack(22);
    let Call::PartialAck(partial) = record.calls()[0] else { panic!("no partial ack") };
    assert_eq!((partial.rtt, partial.delivered), (None, 2));
    // 23 was sent again: what covers it is ambiguous, what comes after is not.
    let last = pair.sender.highest_sent().unwrap();
    pair.ack(last);
    let Call::Ack(full) = record.calls()[0] else { panic!("no ack") };
    assert_eq!(full.rtt, None);
    pair.ack(last + 1);
    let Call::Ack(clear) = record.calls()[0] else { panic!("no ack") };
    assert_eq!(clear.rtt, Some(LATENCY * 2));
    let outstanding = pair.sender.highest_sent().unwrap() - (last + 1);
    timeout(&mut pair);
    let lost = Loss { now: pair.now, in_flight: outstanding, duplicates: 0 };
    assert_eq!(record.calls()[0], Call::Timeout(lost));
    // The segments that the timeout gave up count as lost, not as in flight.
    pair.ack(last + 2);
    let Call::Ack(after) = record.calls()[0] else { panic!("no ack") };
    assert_eq!(after.in_flight, 0);
}

#[test]
fn a_suspension_is_told_with_its_length_before_the_acknowledgment_that_ends_it() {
    let link_failure = LinkFailure::Elfn;
    let (mut pair, record) = recorded(TcpConfig { link_failure, ..window_of_six() });
    pair.route_error();
    let began = pair.now;
    pair.now += Duration::from_millis(300);
    pair.ack(23);
    let probe = SentSegment { now: began, number: 21, retransmission: true, in_flight: 6 };
    assert_eq!(record.calls(), [Call::Send(probe)], "while suspended only its number counts");
    pair.marked_ack(24, true);
    let calls = record.calls();
    assert_eq!(calls[0], Call::Resume(Duration::from_millis(300)));
    let Call::Ack(ack) = calls[1] else { panic!("{calls:?}") };
    assert_eq!((ack.delivered, ack.delivered_total), (1, 25));
}

#[test]
fn what_limits_the_sender_is_told() {
    let limit = |config: TcpConfig| {
        let (mut pair, record) = recorded(config);
        pair.ack(21);
        match record.calls()[0] {
            Call::Ack(ack) => ack.limited_by,
            ref other => panic!("{other:?}"),
        }
    };
    assert_eq!(limit(window_of_six()), LimitedBy::Window);
    let receiver = TcpConfig { window_segments: 4, ..window_of_six() };
    assert_eq!(limit(receiver), LimitedBy::Receiver);
    let (mut pair, record) = recorded(window_of_six());
    pair.sender.on_stop(pair.now);
    let limits = [21, 22].map(|number| {
        pair.ack(number);
        match record.calls()[..] {
            [Call::Ack(ack)] => ack.limited_by,
            ref other => panic!("{other:?}"),
        }
    });
    // The window was full when the application stopped.
    assert_eq!(limits, [LimitedBy::Window, LimitedBy::Application]);
    let pacing = PacingConfig { scheme: Some(PacingScheme::TcpAp), ..PacingConfig::default() };
    let paced = TcpConfig { pacing, ..window_of_six() };
    assert_eq!(limit(paced), LimitedBy::Pacing);
}

#[test]
fn every_flavour_is_built_and_has_its_name() {
    let names: Vec<_> = Flavour::OURS.iter().map(|(name, _)| *name).collect();
    let windowed = ["reno", "newreno", "cubic", "vegas", "westwood", "bbr", "bbr1"];
    assert_eq!(names, [&windowed[..], &["tcp-ap", "semi-tcp", "quic"]].concat());
    let mut rng = Rng::stream(1, Purpose::Transport, 0);
    for &(name, scheme) in Flavour::OURS {
        assert_eq!(serde_json::to_value(scheme).unwrap(), name);
        let config = TcpConfig { scheme, ..TcpConfig::default() };
        assert!(config.check().is_ok(), "{scheme:?}");
        if config.has_connection() {
            continue;
        }
        let mut sender =
            TcpSender::new(&config, Supply::endless(1460), Profile::Ns2, FlowId(0), &mut rng);
        let mut out = SenderActions::default();
        sender.on_start(Instant::ZERO, &mut out);
        sender.on_room(Instant::ZERO, &mut out);
        assert_eq!(out.send.len(), 1, "{scheme:?} sends its SYN");
    }
}

#[test]
fn a_scheme_states_its_defaults_and_what_it_cannot_be_combined_with() {
    let config = |scheme| TcpConfig { scheme, ..TcpConfig::default() };
    for &(_, scheme) in Flavour::OURS {
        let doubles = !matches!(scheme, Flavour::TcpAp | Flavour::SemiTcp);
        assert_eq!(config(scheme).rto_backoff(), doubles, "{scheme:?}");
        let paces = match scheme {
            Flavour::TcpAp => PacingScheme::TcpAp,
            Flavour::Bbr | Flavour::Bbr1 => PacingScheme::Rate,
            _ => PacingScheme::None,
        };
        assert_eq!(config(scheme).pacing_scheme(), paces, "{scheme:?}");
    }
    let allowed = |scheme, pacing| {
        let pacing = PacingConfig { scheme: Some(pacing), ..PacingConfig::default() };
        TcpConfig { pacing, ..config(scheme) }.check().map_err(|error| error.key)
    };
    use PacingScheme as P;
    for scheme in [Flavour::Reno, Flavour::NewReno, Flavour::Cubic] {
        for pacing in [P::None, P::TcpAp, P::Rate] {
            assert_eq!(allowed(scheme, pacing), Ok(()), "{scheme:?} {pacing:?}");
        }
    }
    let contradiction = Err("pacing.scheme");
    assert_eq!(
        [P::None, P::TcpAp, P::Rate].map(|p| allowed(Flavour::TcpAp, p)),
        [contradiction, Ok(()), contradiction]
    );
    assert_eq!(
        [P::None, P::TcpAp, P::Rate].map(|p| allowed(Flavour::SemiTcp, p)),
        [Ok(()), contradiction, contradiction]
    );
}
