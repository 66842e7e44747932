//! Connections of ns-2.35 replayed: a sender fed the acknowledgments that ns-2.35's agent got sends
//! what that agent sent, at the same instants.
//!
//! Each file in `recordings/` is one connection over two wired nodes, or over a wireless chain,
//! with losses. First line: agent, window, threshold of duplicates, end of the recording, phase of
//! its clock \[ns\], initial ssthresh (the window between wired nodes, 20 between wireless ones).
//! Then `ack` or `send`, time \[ns\], segment. Last line: cwnd, ssthresh, segments sent,
//! retransmits, timeouts.

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::transport::{
    Acknowledgment, Flavour, FlowSender, Sender, SenderActions, Supply, TcpConfig, TimerChange,
};
use crate::wire::tcp::SegmentKind;

/// ns-2.35 keeps time in floating point and prints it rounded.
const ROUNDING: Duration = Duration::from_nanos(20);

struct Recording {
    config: TcpConfig,
    until: Instant,
    phase: Duration,
    acks: Vec<(Instant, u32)>,
    sends: Vec<(Instant, u32)>,
    end: Vec<f64>,
}

fn parse(text: &str) -> Recording {
    let nanos = |word: &str| word.parse::<u64>().unwrap();
    let mut lines = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let config = TcpConfig {
        scheme: if head[0] == "Reno" { Flavour::Reno } else { Flavour::NewReno },
        window_segments: head[1].parse().unwrap(),
        duplicate_ack_threshold: head[2].parse().unwrap(),
        initial_ssthresh_segments: Some(head[5].parse().unwrap()),
        ..TcpConfig::default()
    };
    let mut recording = Recording {
        config,
        until: Instant::from_nanos(nanos(head[3])),
        phase: Duration::from_nanos(nanos(head[4])),
        acks: Vec::new(),
        sends: Vec::new(),
        end: Vec::new(),
    };
    for line in lines {
        match line[0] {
            "ack" => {
                recording.acks.push((Instant::from_nanos(nanos(line[1])), line[2].parse().unwrap()))
            }
            "send" => recording
                .sends
                .push((Instant::from_nanos(nanos(line[1])), line[2].parse().unwrap())),
            _ => recording.end = line[1..].iter().map(|word| word.parse().unwrap()).collect(),
        }
    }
    recording
}

struct Replay {
    sender: Sender,
    actions: SenderActions,
    timer: Option<Instant>,
    sends: Vec<(Instant, u32)>,
}

impl Replay {
    fn event(&mut self, now: Instant, what: impl FnOnce(&mut Sender, &mut SenderActions)) {
        self.actions = SenderActions::default();
        what(&mut self.sender, &mut self.actions);
        match self.actions.timer {
            Some(TimerChange::Set(at)) => self.timer = Some(at),
            Some(TimerChange::Cancel) => self.timer = None,
            None => {}
        }
        for kind in &self.actions.send {
            let SegmentKind::Data { number, .. } = *kind else { panic!("sent an ack") };
            self.sends.push((now, number));
        }
    }

    fn expire_before(&mut self, until: Instant) {
        while let Some(at) = self.timer.filter(|&at| at < until) {
            self.timer = None;
            self.event(at, |sender, actions| sender.on_timeout(at, actions));
        }
    }
}

fn replay(recording: &Recording) -> Result<(), String> {
    let mut rng = Rng::stream(1, Purpose::Transport, 0);
    let mut sender =
        super::sender(&recording.config, Supply::endless(1460), Profile::Ns2, &mut rng);
    sender.set_clock_phase(recording.phase);
    let mut run =
        Replay { sender, actions: SenderActions::default(), timer: None, sends: Vec::new() };
    let start = recording.sends[0].0;
    run.event(start, |sender, actions| sender.on_start(start, actions));
    for &(at, number) in &recording.acks {
        run.expire_before(at);
        run.event(at, |sender, actions| {
            let ack = Acknowledgment { number, ..Acknowledgment::default() };
            sender.on_ack(at, ack, actions);
        });
    }
    run.expire_before(recording.until);
    for (i, (&got, &expected)) in run.sends.iter().zip(&recording.sends).enumerate() {
        let apart = got.0.saturating_since(expected.0) + expected.0.saturating_since(got.0);
        if got.1 != expected.1 || apart > ROUNDING {
            return Err(format!("send {i}: {got:?}, ns-2.35 {expected:?}"));
        }
    }
    // The count of segments sent, compared here too, shows a surplus on either side.
    let counters = run.sender.counters();
    let end = [
        run.sender.cwnd(),
        f64::from(run.sender.ssthresh()),
        counters.sent_segments as f64,
        counters.retransmits as f64,
        counters.timeouts as f64,
    ];
    let close = end.iter().zip(&recording.end).all(|(a, b)| (a - b).abs() < 1e-3);
    if close { Ok(()) } else { Err(format!("end: {end:?}, ns-2.35 {:?}", recording.end)) }
}

#[test]
fn recorded_connections_of_ns2_replay_to_the_nanosecond() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/transport/tests/recordings");
    let mut failures = Vec::new();
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let recording = parse(&std::fs::read_to_string(&path).unwrap());
        if let Err(difference) = replay(&recording) {
            failures.push(format!("{}: {difference}", path.display()));
        }
        replayed += 1;
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(replayed >= 10, "recordings are missing");
}
