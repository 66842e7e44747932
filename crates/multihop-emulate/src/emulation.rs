//! The run in real time: waits until the next event of the simulation is due or a program sends something, and carries frames
//! both ways.

use std::io;
use std::num::NonZeroU64;
use std::time::{Duration, Instant as Clock};

use multihop::kernel::Instant;
use multihop::simulation::{Arrived, Simulation};
use multihop::wire::NodeId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::device::Devices;
use crate::frame::{Fate, Link};
use crate::lateness::{Late, Lateness, LatenessReport};

/// So much simulated time at most goes by between two looks at what has arrived, when the run is behind.
const STEP: multihop::kernel::Duration = multihop::kernel::Duration::from_micros(500);

/// What programs have sent waits at most so long for a run that is behind; then it leaves in its past.
const PATIENCE: Duration = Duration::from_millis(5);

/// Counts of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrameCounts {
    /// That programs sent to a node.
    pub sent: u64,
    /// That programs sent to all nodes.
    pub broadcast: u64,
    /// That reached the device they were for.
    pub delivered: u64,
    /// Questions for addresses that were answered on the spot.
    pub answered: u64,
    /// For routers and switches, of which there are none.
    pub ignored: u64,
    /// For addresses that no node has.
    pub unknown: u64,
    /// No Ethernet frames, or too long.
    pub malformed: u64,
    /// That arrived at a device which was down.
    pub refused: u64,
}

/// What a result says of the emulation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EmulationReport {
    /// How long it ran \[s\].
    pub seconds: f64,
    /// Frames of programs.
    pub frames: FrameCounts,
    /// How late frames came; none if none did.
    pub lateness: Option<LatenessReport>,
    /// The longest time in which no device was looked at \[s\].
    pub longest_absence_s: f64,
    /// Share of the time that was not spent waiting.
    pub busy_share: f64,
}

/// A simulation in real time, with devices.
#[derive(Debug)]
pub struct Emulation {
    simulation: Simulation,
    devices: Devices,
    link: Link,
    start: Clock,
    lateness: Lateness,
    frames: FrameCounts,
    waited: Duration,
    last_look: Clock,
    longest_absence: Duration,
    arrived: Vec<Arrived>,
    read: Vec<(NodeId, NodeId, Vec<u8>)>,
}

impl Emulation {
    /// Starts `simulation` now, with the devices of some of its nodes: the node and a descriptor for each. `is_one_link` says whether
    /// routing makes the mesh one link.
    ///
    /// # Errors
    /// If a descriptor can't be used.
    pub fn new(
        simulation: Simulation,
        descriptors: &[(u32, i32)],
        is_one_link: bool,
    ) -> io::Result<Emulation> {
        let nodes = simulation.node_count();
        let devices = Devices::new(nodes, descriptors)?;
        let has_device = (0..nodes).map(|node| devices.has(node)).collect();
        let now = Clock::now();
        Ok(Emulation {
            simulation,
            devices,
            link: Link { has_device, is_one: is_one_link },
            start: now,
            lateness: Lateness::new(),
            frames: FrameCounts::default(),
            waited: Duration::ZERO,
            last_look: now,
            longest_absence: Duration::ZERO,
            arrived: Vec::new(),
            read: Vec::new(),
        })
    }

    /// Works for about `time`. Returns whether the run is over.
    ///
    /// # Errors
    /// If a device is gone.
    pub fn advance(&mut self, time: Duration) -> io::Result<bool> {
        // Without, the kernel ends waits up to 50 µs late. It is a thread's own, and callers may come from several.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        let until = Clock::now() + time;
        loop {
            let is_behind = self.catch_up();
            if self.simulation.now() >= self.simulation.end() {
                return Ok(true);
            }
            let now = Clock::now();
            if now >= until {
                return Ok(false);
            }
            self.wait(now, until, is_behind)?;
            self.carry()?;
        }
    }

    /// Brings the simulation towards the present and hands out what has arrived. Returns whether it is still behind.
    fn catch_up(&mut self) -> bool {
        let present = self.present();
        let step = self.simulation.now() + STEP;
        self.simulation.run_until(present.min(step));
        self.simulation.take_arrived(&mut self.arrived);
        for Arrived { node, at, bytes } in self.arrived.drain(..) {
            match self.devices.write(node.index(), &bytes) {
                true => self.frames.delivered += 1,
                false => self.frames.refused += u64::from(self.devices.has(node.index())),
            }
            let due = Duration::from_nanos(at.as_nanos());
            self.lateness.note(self.start.elapsed().saturating_sub(due));
        }
        present > step
    }

    /// The instant of the simulation that it is.
    fn present(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Waits for programs until the next event is due, or `until`.
    fn wait(&mut self, now: Clock, until: Clock, is_behind: bool) -> io::Result<()> {
        let due = match is_behind {
            true => Instant::ZERO,
            false => self.simulation.next_event_at().min(self.simulation.end()),
        };
        let due = self.start + Duration::from_nanos(due.as_nanos());
        let wait = due.min(until).saturating_duration_since(now);
        self.devices.wait(wait.as_nanos() as u64)?;
        let back = Clock::now();
        if wait > Duration::ZERO {
            self.waited += back - now;
        }
        let absence = now - self.last_look;
        self.longest_absence = self.longest_absence.max(absence);
        self.last_look = back;
        Ok(())
    }

    /// Has the simulation carry what programs have sent.
    fn carry(&mut self) -> io::Result<()> {
        let (link, frames, read) = (&self.link, &mut self.frames, &mut self.read);
        let mut answers = Vec::new();
        self.devices.read(|node, frame| match link.fate(node, frame) {
            Fate::To(to) => {
                frames.sent += 1;
                read.push((NodeId(node), NodeId(to), frame.to_vec()));
            }
            Fate::ToAll => {
                frames.broadcast += 1;
                read.push((NodeId(node), NodeId::BROADCAST, frame.to_vec()));
            }
            Fate::Answer(answer) => {
                frames.answered += 1;
                answers.push((node, answer));
            }
            Fate::Ignored => frames.ignored += 1,
            Fate::Unknown => frames.unknown += 1,
            Fate::Malformed => frames.malformed += 1,
        })?;
        for (node, answer) in answers {
            self.devices.write(node as usize, &answer);
        }
        if self.read.is_empty() {
            return Ok(());
        }
        // They leave at the present, unless that is too far away to be reached soon.
        let begun = Clock::now();
        while self.catch_up() && begun.elapsed() < PATIENCE {}
        for (from, to, frame) in self.read.drain(..) {
            self.simulation.send(from, to, frame.into());
        }
        Ok(())
    }

    /// The frames since the last call.
    pub fn take_recent(&mut self) -> Late {
        self.lateness.take_recent()
    }

    /// Ends the run, if it is not over. Returns the simulation and what is to be said of the emulation.
    pub fn finish(mut self) -> (Simulation, EmulationReport) {
        self.simulation.end_now();
        let seconds = self.simulation.now().as_secs_f64();
        let all = self.start.elapsed().as_secs_f64();
        let report = EmulationReport {
            seconds,
            frames: self.frames,
            lateness: self.lateness.report(),
            longest_absence_s: self.longest_absence.as_secs_f64(),
            busy_share: if all > 0.0 { 1.0 - self.waited.as_secs_f64() / all } else { 0.0 },
        };
        (self.simulation, report)
    }
}
