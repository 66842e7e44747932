//! Connections of Linux replayed: a sender fed the acknowledgments that the kernel's sender got
//! sends what that sent, at the same time.
//!
//! `transport/tests/kernel/` has the recordings, made by `evidence/kernel_tcp`;
//! `evidence/kernel-tcp.md` tells their form. A transmission is at its recorded place if it is the
//! same transmission of the same segment, sent within a millisecond of the recorded time, or within
//! two ticks of the kernel's clock if a timer caused it. Timestamps are taken as times of the
//! segments that bear them.

use std::collections::HashMap;

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::transport::Rules;
use crate::transport::congestion::CongestionControl;
use crate::transport::congestion::bbr1::Bbr1;
use crate::transport::flow_sender::FlowSender;
use crate::transport::receive_window::WindowScheme;
use crate::transport::sack::SackSender;
use crate::transport::scheme::Sending;
use crate::transport::{
    Acknowledgment, Flavour, ReceiveBufferConfig, SenderActions, Supply, TcpConfig, TimerChange,
};
use crate::wire::tcp::{SackBlocks, SegmentKind};

/// Payload of a full segment with timestamps \[bytes\].
const SEGMENT: u32 = 1448;
/// The largest receive buffer of the machine that recorded: tcp_rmem in the heads of recordings
/// \[bytes\].
const LARGEST_BUFFER: u32 = 33_554_432;
/// What the recorder's wire and its clock add to the time of an event.
const NOISE: Duration = Duration::from_nanos(1_500_000);
/// A tick of the kernel's timers at 250 Hz.
const TICK: Duration = Duration::from_millis(4);

/// How much later than `timeout` the kernel's timer may expire: its wheel's granularity is a tick
/// below 64 ticks, and eight times as much for each eightfold (Corbet, "Reinventing the timer
/// wheel", LWN 2015); and a tick to begin with.
fn lateness(timeout: Duration) -> Duration {
    let mut granule = TICK;
    while timeout >= granule * 63 {
        granule = granule * 8;
    }
    granule + TICK + NOISE
}

/// The phases at which a cycle of probing may begin.
const PHASES: [usize; 7] = [0, 2, 3, 4, 5, 6, 7];

/// A recorded event.
#[derive(Clone, Debug)]
enum Event {
    Send { at: Instant, number: u32, timestamp: u64 },
    Ack { at: Instant, number: u32, echo: u64, blocks: SackBlocks, window: u16 },
    State { at: Instant, cwnd: u32 },
}

impl Event {
    fn at(&self) -> Instant {
        let (Event::Send { at, .. } | Event::Ack { at, .. } | Event::State { at, .. }) = self;
        *at
    }
}

struct Recording {
    scheme: Flavour,
    bytes: Option<u64>,
    /// When the application wrote how many bytes; if empty, all at once.
    messages: Vec<(Instant, u64)>,
    /// The kernel sized the receive buffer.
    is_auto: bool,
    events: Vec<Event>,
}

fn micros(word: &str) -> Instant {
    Instant::from_nanos(word.parse::<u64>().unwrap() * 1000)
}

/// The segment that begins at `byte`, the first data byte being 1.
fn segment_at(byte: u32) -> u32 {
    byte.div_ceil(SEGMENT)
}

/// The segments below it are those up to `byte`, which is the first that they do not have.
fn below(byte: u32) -> u32 {
    (byte - 1).div_ceil(SEGMENT) + 1
}

fn parse(text: &str) -> Recording {
    let mut scheme = Flavour::Reno;
    let mut bytes = None;
    let mut messages = Vec::new();
    let mut is_auto = false;
    let mut scale = 0;
    let mut events = Vec::new();
    for line in text.lines() {
        if let Some((key, value)) = line.split_once(" =") {
            match key {
                "cc" => {
                    scheme = match value.trim() {
                        "reno" => Flavour::Reno,
                        "cubic" => Flavour::Cubic,
                        "bbr" => Flavour::Bbr1,
                        other => panic!("{other}"),
                    }
                }
                "receive_window" => is_auto = value.trim() == "auto",
                "bytes" => bytes = value.trim().parse().ok(),
                "messages" => {
                    let message = |word: &str| {
                        let (at_s, bytes) = word.split_once(':').unwrap();
                        (Instant::from_secs_f64(at_s.parse().unwrap()), bytes.parse().unwrap())
                    };
                    messages = value.split_whitespace().map(message).collect();
                }
                _ => {}
            }
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"syn") => {
                events.push(Event::Send { at: micros(words[1]), number: 0, timestamp: 0 });
            }
            Some(&"syn-ack") => {
                let blocks = SackBlocks::default();
                let window = words[2].parse().unwrap();
                scale = words[6].parse().unwrap();
                events.push(Event::Ack {
                    at: micros(words[1]),
                    number: 0,
                    echo: 0,
                    blocks,
                    window,
                });
            }
            Some(&"send") if words[3] != "0" => events.push(Event::Send {
                at: micros(words[1]),
                number: segment_at(words[2].parse().unwrap()),
                timestamp: words[4].parse().unwrap(),
            }),
            Some(&"ack") => {
                let runs = words.iter().skip(6).filter_map(|word| word.split_once('-'));
                let ends = runs.map(|(from, to)| [from, to].map(|byte| byte.parse().unwrap()));
                let blocks = ends.map(|[from, to]| (segment_at(from), below(to))).collect();
                events.push(Event::Ack {
                    at: micros(words[1]),
                    number: below(words[2].parse().unwrap()) - 1,
                    echo: words[4].parse().unwrap(),
                    blocks,
                    window: words[3]
                        .parse::<u32>()
                        .map_or(u16::MAX, |bytes| (bytes >> scale) as u16),
                });
            }
            Some(&"state") => {
                events.push(Event::State { at: micros(words[1]), cwnd: words[2].parse().unwrap() })
            }
            _ => {}
        }
    }
    Recording { scheme, bytes, messages, is_auto, events }
}

/// The segment and which of its transmissions it is, and when that is.
type SentSegment = HashMap<(u32, u32), Instant>;

struct Replay {
    sender: Box<dyn FlowSender>,
    actions: SenderActions,
    /// When the timer was set, and when it expires.
    timer: Option<(Instant, Instant)>,
    pacing: Option<Instant>,
    times: HashMap<u32, u32>,
    sent: SentSegment,
}

impl Replay {
    fn event(&mut self, now: Instant, what: impl FnOnce(&mut dyn FlowSender, &mut SenderActions)) {
        what(&mut *self.sender, &mut self.actions);
        match self.actions.timer.take() {
            Some(TimerChange::Set(at)) => self.timer = Some((now, at)),
            Some(TimerChange::Cancel) => self.timer = None,
            None => {}
        }
        match self.actions.pacing.take() {
            Some(TimerChange::Set(at)) => self.pacing = Some(at),
            Some(TimerChange::Cancel) => self.pacing = None,
            None => {}
        }
        for kind in self.actions.send.drain(..) {
            let SegmentKind::Data { number, .. } = kind else { panic!("sent an ack") };
            let times = self.times.entry(number).or_default();
            *times += 1;
            self.sent.insert((number, *times), now);
        }
    }

    fn expire(&mut self, now: Instant) {
        self.timer = None;
        self.event(now, |sender, actions| sender.on_timeout(now, actions));
    }

    /// The kernel sent something at `now`: a timer that may have expired by then has.
    fn expire_with(&mut self, now: Instant) {
        self.pace_before(now);
        if self.timer.is_some_and(|(_, at)| at <= now + NOISE) {
            self.expire(now);
        }
    }

    /// Up to `until` the kernel sent nothing more: timers that it can't have put off expire.
    fn expire_before(&mut self, until: Instant) {
        self.pace_before(until);
        while let Some((_, at)) =
            self.timer.filter(|&(set, at)| at + lateness(at.saturating_since(set)) < until)
        {
            self.expire(at);
            self.pace_before(until);
        }
    }

    fn pace_before(&mut self, until: Instant) {
        while let Some(at) = self.pacing.filter(|&at| at < until) {
            self.pacing = None;
            self.event(at, |sender, actions| sender.on_pacing_tick(at, actions));
        }
    }
}

/// What a replay shows.
#[derive(Default)]
struct Outcome {
    /// Transmissions recorded or sent, and those at their place.
    transmissions: [usize; 2],
    /// States recorded, and those whose window is within one segment.
    windows: [usize; 2],
    /// The first transmission that is not at its place: the segment, which of its transmissions,
    /// when it was recorded, and when sent.
    first: Option<(u32, u32, Option<Instant>, Option<Instant>)>,
}

/// Replays a recording; BBR's cycles of probing, whose first phases are random in the kernel, begin
/// with those that fit best.
fn replay(recording: &Recording) -> Outcome {
    let Sending::Windowed(control, _) = recording.scheme.scheme().sending else { unreachable!() };
    let mut best = replay_with(recording, control.make());
    let mut phases = Vec::new();
    while recording.scheme == Flavour::Bbr1 && phases.len() < 8 {
        let outcomes: Vec<Outcome> = PHASES
            .iter()
            .map(|&phase| {
                let phases = [&phases[..], &[phase]].concat();
                replay_with(recording, Box::new(Bbr1::with_phases(&phases)))
            })
            .collect();
        let shares: Vec<f64> = outcomes.iter().map(|o| share(o.transmissions)).collect();
        if shares.iter().all(|&share| share == shares[0]) {
            break;
        }
        let fits = |&a: &usize, &b: &usize| shares[a].total_cmp(&shares[b]);
        let place = (0..shares.len()).max_by(fits).unwrap();
        phases.push(PHASES[place]);
        best = outcomes.into_iter().nth(place).unwrap();
    }
    best
}

fn replay_with(recording: &Recording, control: Box<dyn CongestionControl>) -> Outcome {
    let mut rng = Rng::stream(1, Purpose::Transport, 0);
    let config = TcpConfig {
        scheme: recording.scheme,
        profile: Some(Rules::Linux),
        segment_bytes: SEGMENT,
        window_segments: 100_000,
        receive_buffer: ReceiveBufferConfig {
            scheme: if recording.is_auto { WindowScheme::Auto } else { WindowScheme::Constant },
            largest_bytes: LARGEST_BUFFER,
            ..ReceiveBufferConfig::default()
        },
        ..TcpConfig::default()
    };
    let supply = match recording.bytes {
        Some(bytes) => {
            let mut supply = Supply::empty(SEGMENT);
            if recording.messages.is_empty() {
                supply.push(bytes);
            }
            supply
        }
        None => Supply::endless(SEGMENT),
    };
    let mut run = Replay {
        sender: Box::new(SackSender::new(&config, control, supply, Rules::Linux, &mut rng)),
        actions: SenderActions::default(),
        timer: None,
        pacing: None,
        times: HashMap::new(),
        sent: SentSegment::new(),
    };
    let mut recorded = SentSegment::new();
    let mut times: HashMap<u32, u32> = HashMap::new();
    let mut bearers: HashMap<u64, Instant> = HashMap::new();
    let mut windows = [0, 0];
    let (mut end, mut last_ack) = (Instant::ZERO, Instant::ZERO);
    let mut messages = recording.messages.iter().peekable();
    for event in &recording.events {
        while let Some(&(at, bytes)) = messages.next_if(|message| message.0 <= event.at()) {
            run.expire_before(at);
            run.event(at, |sender, actions| {
                sender.on_supply(at, bytes, actions);
            });
        }
        match *event {
            Event::Send { at, number, timestamp } => {
                if recorded.is_empty() {
                    run.event(at, |sender, actions| sender.on_start(at, actions));
                }
                if at.saturating_since(last_ack) > NOISE {
                    run.expire_with(at);
                }
                bearers.insert(timestamp, at);
                let times = times.entry(number).or_default();
                *times += 1;
                recorded.insert((number, *times), at);
            }
            Event::Ack { at, number, echo, blocks, window } => {
                run.expire_before(at);
                last_ack = at;
                let sent =
                    bearers.get(&echo).copied().unwrap_or(Instant::from_nanos(echo * 1_000_000));
                let ack = Acknowledgment {
                    number,
                    probe: false,
                    sent,
                    hops: 1,
                    echo: false,
                    window,
                    ..Acknowledgment::default()
                };
                run.event(at, |sender, actions| match blocks.is_empty() {
                    true => sender.on_ack(at, ack, actions),
                    false => sender.on_sack(at, ack, blocks, actions),
                });
                end = at;
            }
            Event::State { at, cwnd } => {
                run.expire_before(at);
                let is_alike = (run.sender.cwnd() - f64::from(cwnd)).abs() <= 1.0;
                windows = [windows[0] + 1, windows[1] + usize::from(is_alike)];
            }
        }
    }
    run.expire_before(end + NOISE);
    let mut keys: Vec<_> = recorded.keys().chain(run.sent.keys()).copied().collect();
    keys.sort_by_key(|key| (recorded.get(key).or(run.sent.get(key)).copied(), *key));
    keys.dedup();
    let placed = |key: &(u32, u32)| {
        let times = (recorded.get(key), run.sent.get(key));
        let apart = |(&then, &now): (&Instant, &Instant)| {
            then.saturating_since(now) + now.saturating_since(then)
        };
        times.0.zip(times.1).is_some_and(|times| apart(times) <= NOISE)
    };
    let first = keys.iter().find(|key| !placed(key)).map(|key| {
        let time = |sent: &SentSegment| sent.get(key).copied();
        (key.0, key.1, time(&recorded), time(&run.sent))
    });
    let placed = keys.iter().filter(|key| placed(key)).count();
    Outcome { transmissions: [keys.len(), placed], windows, first }
}

/// The share of `[all, some]`.
fn share([all, some]: [usize; 2]) -> f64 {
    some as f64 / all.max(1) as f64
}

/// Replays every recording of `scheme`: their number, the least shares of transmissions, all
/// together and the windows.
fn replay_all(scheme: &str) -> (usize, Vec<(f64, String)>, f64, f64) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/transport/tests/kernel");
    let mut total = Outcome::default();
    let mut worst = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if !name.starts_with(scheme) {
            continue;
        }
        let outcome = replay(&parse(&std::fs::read_to_string(&path).unwrap()));
        for i in 0..2 {
            total.transmissions[i] += outcome.transmissions[i];
            total.windows[i] += outcome.windows[i];
        }
        worst.push((share(outcome.transmissions), format!("{name}: {:?}", outcome.first)));
    }
    worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    (worst.len(), worst, share(total.transmissions), share(total.windows))
}

#[test]
fn reno_cubic_and_bbr_send_what_the_kernel_sent_when_it_did() {
    for (scheme, least) in [("reno", 0.95), ("cubic", 0.95), ("bbr", 0.85)] {
        let (recordings, worst, placed, alike) = replay_all(scheme);
        println!(
            "{scheme}: {recordings} recordings; at their place {placed:.4}; windows {alike:.4}"
        );
        for (share, what) in worst.iter().take_while(|(share, _)| *share < 1.0) {
            println!("{share:.4} {what}");
        }
        assert!(recordings >= 40, "recordings of {scheme} are missing");
        assert!(placed >= least, "{scheme}: {placed:.4} at their place; worst: {:?}", worst[0]);
        assert!(alike >= 0.9, "{scheme}: {alike:.4} of the windows are the kernel's");
    }
}
