//! Scripts of what a sender gets and is to do, after packetdrill (Cardwell et al., "packetdrill:
//! scriptable network stack testing, from sockets to packets", USENIX ATC 2013).
//!
//! A script begins with keys of `[transport]`, one a line, up to a line `---`. The application has
//! data without end, or with a line `supply = "empty"` those that it is given. Then a line is a
//! time \[ms\], an event, and behind `>` the segments that leave at once: numbers and ranges, `-`
//! for none. Events: `start`; `stop`; `supply N` bytes; `ack N` of all segments up to N, with
//! blocks `A-B` (both ends have arrived), `echo=T`, the time of the segment that it answers (by
//! default that of N's last transmission), `probe` if that was marked as one, `ece` with that flag,
//! and `window=F` with that window field; `timer`, which must be due then; `pace`, the same for
//! pacing; `broken`, the route has. Lines that begin with a word check the state after the event:
//! `cwnd`, `ssthresh` (`unlimited`), `timer` (when it is due \[ms\]; `off`), `rto` and `srtt`
//! \[ms\], `stage`.

use crate::kernel::{Duration, Instant, Purpose, Rng};
use crate::profile::Profile;
use crate::transport::flow_sender::Stage;
use crate::transport::{Acknowledgment, SenderActions, Supply, TcpConfig, TcpSender, TimerChange};
use crate::wire::FlowId;
use crate::wire::tcp::{SACK_BLOCKS, SackBlocks, SegmentKind};

struct Stepped {
    sender: TcpSender,
    actions: SenderActions,
    timer: Option<Instant>,
    pacing: Option<Instant>,
    /// When each segment was last sent.
    sent: Vec<Instant>,
}

fn at(ms: &str) -> Result<Instant, String> {
    let ms: f64 = ms.parse().map_err(|_| format!("no time: {ms:?}"))?;
    Ok(Instant::from_nanos((ms * 1e6).round() as u64))
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("no number: {word:?}"))
}

/// A range `A-B` or a number, both ends included.
fn range(word: &str) -> Result<(u32, u32), String> {
    let (from, to) = word.split_once('-').unwrap_or((word, word));
    Ok((number(from)?, number(to)?))
}

/// `numbers` as a script has them: runs joined.
fn written(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let words = runs.iter().map(|&(from, to)| match from == to {
        true => from.to_string(),
        false => format!("{from}-{to}"),
    });
    let text = words.collect::<Vec<_>>().join(" ");
    if text.is_empty() { "-".into() } else { text }
}

impl Stepped {
    fn new(keys: &str) -> Result<Stepped, String> {
        let is_empty = |line: &&str| line.trim() == "supply = \"empty\"";
        let is_endless = !keys.lines().any(|line| is_empty(&line));
        let keys: Vec<&str> = keys.lines().filter(|line| !is_empty(line)).collect();
        let config: TcpConfig =
            toml::from_str(&keys.join("\n")).map_err(|error| error.to_string())?;
        config.check().map_err(|error| format!("{error:?}"))?;
        let mut rng = Rng::stream(1, Purpose::Transport, 0);
        let supply = match is_endless {
            true => Supply::endless(config.segment_bytes),
            false => Supply::empty(config.segment_bytes),
        };
        Ok(Stepped {
            sender: TcpSender::new(&config, supply, Profile::Standard, FlowId(0), &mut rng),
            actions: SenderActions::default(),
            timer: None,
            pacing: None,
            sent: Vec::new(),
        })
    }

    /// Does `event` at `now`. Returns the segments sent.
    fn event(&mut self, now: Instant, event: &str) -> Result<Vec<u32>, String> {
        let mut words = event.split_whitespace();
        let (timer, pacing) = (self.timer, self.pacing);
        let due = |at: Option<Instant>| match at {
            Some(at)
                if at.saturating_since(now) + now.saturating_since(at)
                    < Duration::from_nanos(10_000) =>
            {
                Ok(())
            }
            other => Err(format!("due at {other:?}, not now")),
        };
        let out = &mut self.actions;
        match words.next() {
            Some("start") => self.sender.on_start(now, out),
            Some("stop") => self.sender.on_stop(now),
            Some("broken") => self.sender.on_route_error(now, out),
            Some("timer") => {
                due(timer)?;
                self.timer = None;
                self.sender.on_timeout(now, out);
            }
            Some("pace") => {
                due(pacing)?;
                self.pacing = None;
                self.sender.on_pacing_tick(now, out);
            }
            Some("supply") => {
                let bytes = number(words.next().ok_or("how much?")?)?;
                self.sender.on_supply(now, u64::from(bytes), out);
            }
            Some("ack") => {
                let acked = number(words.next().ok_or("ack of what?")?)?;
                let mut sent = self.sent.get(acked as usize).copied().unwrap_or(now);
                let (mut runs, mut probe, mut echo, mut window) = (Vec::new(), false, false, 0);
                for word in words {
                    if let Some(time) = word.strip_prefix("echo=") {
                        sent = self::at(time)?;
                        continue;
                    }
                    if let Some(field) = word.strip_prefix("window=") {
                        window = field.parse().map_err(|_| format!("no field: {field:?}"))?;
                        continue;
                    }
                    if word == "probe" {
                        probe = true;
                        continue;
                    }
                    if word == "ece" {
                        echo = true;
                        continue;
                    }
                    let (from, to) = range(word)?;
                    if runs.len() == SACK_BLOCKS {
                        return Err("more blocks than there is room for".into());
                    }
                    runs.push((from, to + 1));
                }
                let blocks: SackBlocks = runs.into_iter().collect();
                let ack = Acknowledgment {
                    number: acked,
                    probe,
                    sent,
                    hops: 4,
                    echo,
                    window,
                    ..Acknowledgment::default()
                };
                match blocks.is_empty() {
                    true => self.sender.on_ack(now, ack, out),
                    false => self.sender.on_sack(now, ack, blocks, out),
                }
            }
            other => return Err(format!("no such event: {other:?}")),
        }
        for (slot, change) in [
            (&mut self.timer, self.actions.timer.take()),
            (&mut self.pacing, self.actions.pacing.take()),
        ] {
            match change {
                Some(TimerChange::Set(at)) => *slot = Some(at),
                Some(TimerChange::Cancel) => *slot = None,
                None => {}
            }
        }
        let mut numbers = Vec::new();
        for kind in self.actions.send.drain(..) {
            let SegmentKind::Data { number, retransmission, .. } = kind else {
                return Err("a sender sends data".into());
            };
            if retransmission != (number < self.sent.len() as u32) {
                return Err(format!("{number} is marked wrongly as sent before or not"));
            }
            if !retransmission {
                self.sent.push(now);
            }
            self.sent[number as usize] = now;
            numbers.push(number);
        }
        Ok(numbers)
    }

    /// Checks the state.
    fn check(&self, what: &str, expected: &str) -> Result<(), String> {
        let glance = self.sender.glance().ok_or("no state")?;
        let millis = |at: Instant| (at.as_nanos() as f64 / 1e6).to_string();
        let found = match what {
            "cwnd" => glance.cwnd.to_string(),
            "ssthresh" if glance.ssthresh == u32::MAX => "unlimited".into(),
            "ssthresh" => glance.ssthresh.to_string(),
            "rto" => (glance.rto.as_secs_f64() * 1e3).to_string(),
            "srtt" => glance
                .smoothed_rtt
                .map_or("none".into(), |rtt| (rtt.as_secs_f64() * 1e3).to_string()),
            "timer" => self.timer.map_or("off".into(), millis),
            "pacing" => self.pacing.map_or("off".into(), millis),
            "stage" => match glance.stage {
                Stage::SlowStart => "slow-start",
                Stage::CongestionAvoidance => "avoidance",
                Stage::Recovery => "recovery",
                Stage::Suspended => "suspended",
            }
            .into(),
            _ => return Err(format!("nothing known of {what:?}")),
        };
        let same = match (found.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(found), Ok(expected)) => (found - expected).abs() < 0.01,
            _ => found == expected,
        };
        if same { Ok(()) } else { Err(format!("{what} is {found}, not {expected}")) }
    }
}

/// Runs a script. The first thing that differs, with its line.
fn run(text: &str) -> Result<(), String> {
    let (head, steps) = text.split_once("\n---\n").ok_or("no line ---")?;
    let mut stage = Stepped::new(head)?;
    let first = head.lines().count() + 2;
    for (place, line) in steps.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        let Some((word, rest)) = line.split_once(' ') else { continue };
        let found = if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let (event, expected) = rest.split_once('>').unwrap_or((rest, "-"));
            at(word).and_then(|now| stage.event(now, event)).and_then(|numbers| {
                match written(&numbers) == expected.trim() {
                    true => Ok(()),
                    false => Err(format!("sent {}", written(&numbers))),
                }
            })
        } else {
            stage.check(word, rest.trim())
        };
        found.map_err(|error| format!("line {}, `{line}`: {error}", first + place))?;
    }
    Ok(())
}

#[test]
fn the_sender_follows_its_scripts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/transport/sack/tests/scripts");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let failures: Vec<_> = paths
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let error = run(&text).err()?;
            Some(format!("{}: {error}", path.file_name().unwrap().display()))
        })
        .collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_script_that_is_not_followed_fails() {
    let script = "recovery.scheme = \"sack\"\nwindow_segments = 8\n---\n0 start > 0\n";
    assert_eq!(run(&format!("{script}50 ack 0 > 1-3")), Ok(()));
    for (wrong, complaint) in [
        ("50 ack 0 > 1-4", "line 5, `50 ack 0 > 1-4`: sent 1-3"),
        ("50 ack 0 > 1-3\ncwnd 7", "line 6, `cwnd 7`: cwnd is 3, not 7"),
        ("50 timer > 0", "line 5, `50 timer > 0`: due at"),
    ] {
        let error = run(&format!("{script}{wrong}")).unwrap_err();
        assert!(error.starts_with(complaint), "{error}");
    }
}
