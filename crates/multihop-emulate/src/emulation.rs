//! The run in real time: waits until the next event of the simulation is due or a program sends
//! something, and carries frames both ways.

use std::io;
use std::num::NonZeroU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant as Clock};

use crate::device::Devices;
use crate::lateness::{Late, Lateness};
use crate::post::{Post, arrived_at, link};
use crate::report::EmulationReport;
use multihop::api::capture::Passage;
use multihop::api::kernel::Instant;
use multihop::api::simulation::{Arrived, FlowSoFar, Outage, Simulation};

/// So much simulated time at most goes by between two looks at what has arrived, when the run is
/// behind.
const STEP: multihop::api::kernel::Duration = multihop::api::kernel::Duration::from_micros(500);

/// Orders wait no longer than this.
const LOOK: Duration = Duration::from_millis(20);

/// A wake-up that takes longer is an accident, and none to be expected.
const MOST_WAKING: Duration = Duration::from_micros(100);

/// What programs have sent waits at most so long for a run that is behind; then it leaves in its
/// past.
const PATIENCE: Duration = Duration::from_millis(5);

/// What a run is told to do.
#[derive(Debug)]
pub enum Order {
    /// Cut or restore a link, or switch a radio off or on.
    Change(Outage),
    /// Tell what was recorded since the last time.
    Look(Sender<View>),
    /// End.
    Stop,
}

/// What a run that goes on has recorded since the last look.
#[derive(Debug)]
pub struct View {
    /// Until when.
    pub at: Instant,
    /// What happened.
    pub passage: Passage,
    /// What the flows have got by then.
    pub flows: Vec<FlowSoFar>,
}

/// A run in real time, in a thread of its own.
#[derive(Debug)]
pub struct Emulation {
    thread: JoinHandle<io::Result<Driver>>,
    thread_id: i32,
    orders: Sender<Order>,
    recent: Arc<Mutex<Late>>,
}

/// What the thread works with.
#[derive(Debug)]
struct Driver {
    simulation: Simulation,
    devices: Devices,
    post: Post,
    orders: Receiver<Order>,
    is_stopped: bool,
    start: Clock,
    lateness: Lateness,
    recent: Arc<Mutex<Late>>,
    waited: Duration,
    /// How long the kernel takes to wake the thread, in the mean of the latest times.
    waking: Duration,
    last_look: Clock,
    longest_absence: Duration,
    arrived: Vec<Arrived>,
}

impl Emulation {
    /// Starts `simulation` now, with the devices of some of its stations: the station, which has
    /// the number of its node where that has one, and a descriptor for each. `is_one_link` says
    /// whether routing makes the mesh one link.
    ///
    /// # Errors
    /// If a descriptor can't be used.
    pub fn start(
        simulation: Simulation,
        descriptors: &[(u32, i32)],
        is_one_link: bool,
    ) -> io::Result<Emulation> {
        let devices = Devices::new(simulation.layout().count(), descriptors)?;
        // Programs that route send through nodes without a device as well.
        let all = simulation.has_routers();
        let link = link(&simulation, is_one_link, |station| all || devices.has(station));
        let now = Clock::now();
        let (sender, orders) = mpsc::channel();
        let recent = Arc::default();
        let mut driver = Driver {
            simulation,
            devices,
            post: Post::new(link),
            orders,
            is_stopped: false,
            start: now,
            lateness: Lateness::new(),
            recent: Arc::clone(&recent),
            waited: Duration::ZERO,
            waking: Duration::ZERO,
            last_look: now,
            longest_absence: Duration::ZERO,
            arrived: Vec::new(),
        };
        let (tell, told) = mpsc::channel();
        let work = move || {
            let _ = tell.send(rustix::thread::gettid().as_raw_nonzero().get());
            driver.run().map(|()| driver)
        };
        let thread = thread::Builder::new().name("multihop-emulate".to_owned()).spawn(work)?;
        let thread_id = told.recv().unwrap_or(0);
        Ok(Emulation { thread, thread_id, orders: sender, recent })
    }

    /// What the kernel calls the thread, for who wants to give it a priority.
    pub fn thread_id(&self) -> i32 {
        self.thread_id
    }

    /// Whether the run is over, or has failed.
    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }

    /// Gives an order, which a run that is over does not hear.
    pub fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }

    /// What was recorded since the last look; none once the run is over.
    pub fn look(&self) -> Option<View> {
        let (asker, answer) = mpsc::channel();
        self.order(Order::Look(asker));
        // A run that is over keeps its orders, and never answers.
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(view) => return Some(view),
                Err(RecvTimeoutError::Timeout) if !self.is_over() => {}
                Err(_) => return None,
            }
        }
    }

    /// The frames since the last call.
    pub fn take_recent(&self) -> Late {
        std::mem::take(&mut *lock(&self.recent))
    }

    /// Ends the run, if it is not over. Returns the simulation and what is to be said of the
    /// emulation.
    ///
    /// # Errors
    /// If a device was gone.
    ///
    /// # Panics
    /// If the simulation has.
    pub fn finish(self) -> io::Result<(Simulation, EmulationReport)> {
        self.order(Order::Stop);
        match self.thread.join() {
            Ok(driver) => Ok(driver?.report()),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn lock(recent: &Mutex<Late>) -> MutexGuard<'_, Late> {
    recent.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    fn run(&mut self) -> io::Result<()> {
        // Without, the kernel ends waits up to 50 µs late.
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        loop {
            let is_behind = self.catch_up();
            while let Ok(order) = self.orders.try_recv() {
                self.obey(order);
            }
            if self.is_stopped || self.simulation.now() >= self.simulation.end() {
                return Ok(());
            }
            self.wait(is_behind)?;
            self.carry()?;
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Change(outage) => self.simulation.change(outage),
            Order::Look(asker) => {
                let passage = self.simulation.look().unwrap_or_default();
                let flows = self.simulation.flows_so_far();
                let _ = asker.send(View { at: self.simulation.now(), passage, flows });
            }
            Order::Stop => self.is_stopped = true,
        }
    }

    /// Brings the simulation towards the present and hands out what has arrived. Returns whether it
    /// is still behind.
    fn catch_up(&mut self) -> bool {
        let present = self.present();
        let step = self.simulation.now() + STEP;
        self.simulation.run_until(present.min(step));
        self.simulation.take_arrived(&mut self.arrived);
        for Arrived { node, at, bytes, .. } in self.arrived.drain(..) {
            let device = arrived_at(&self.simulation, node, &bytes).index();
            match self.devices.write(device, &bytes) {
                true => self.post.frames.delivered += 1,
                false => self.post.frames.refused += u64::from(self.devices.has(device)),
            }
            let due = Duration::from_nanos(at.as_nanos());
            let lateness = self.start.elapsed().saturating_sub(due);
            self.lateness.note(lateness);
            lock(&self.recent).note(lateness);
        }
        present > step
    }

    /// The instant of the simulation that it is.
    fn present(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    /// Waits for programs until the next event is due, or it is time to look for orders.
    fn wait(&mut self, is_behind: bool) -> io::Result<()> {
        let now = Clock::now();
        let due = match is_behind {
            true => Instant::ZERO,
            false => self.simulation.next_event_at().min(self.simulation.end()),
        };
        let due = self.start + Duration::from_nanos(due.as_nanos());
        // The kernel wakes this thread some time after it is asked to: it is asked so much earlier.
        // Too early is seen by the clock, and the rest of the time spent in looking at the devices.
        let until = due.checked_sub(self.waking).unwrap_or(now).min(now + LOOK);
        let wait = until.saturating_duration_since(now);
        self.devices.wait(wait.as_nanos() as u64)?;
        let back = Clock::now();
        if wait > Duration::ZERO {
            self.waited += back - now;
            if let Some(over) = back.checked_duration_since(until) {
                self.waking = self.waking - self.waking / 16 + over.min(MOST_WAKING) / 16;
            }
        }
        self.longest_absence = self.longest_absence.max(now - self.last_look);
        self.last_look = back;
        Ok(())
    }

    /// Has the simulation carry what programs have sent.
    fn carry(&mut self) -> io::Result<()> {
        let post = &mut self.post;
        self.devices.read(|node, frame| post.take(node, frame))?;
        for (node, answer) in self.post.answers.drain(..) {
            self.devices.write(node as usize, &answer);
        }
        if self.post.outgoing.is_empty() {
            return Ok(());
        }
        // They leave at the present, unless that is too far away to be reached soon.
        let begun = Clock::now();
        while self.catch_up() && begun.elapsed() < PATIENCE {}
        self.post.send(&mut self.simulation);
        Ok(())
    }

    fn report(mut self) -> (Simulation, EmulationReport) {
        self.simulation.end_now();
        let seconds = self.simulation.now().as_secs_f64();
        let all = (self.last_look - self.start).as_secs_f64();
        let report = EmulationReport {
            seconds,
            frames: self.post.frames,
            lateness: self.lateness.report(),
            longest_absence_s: self.longest_absence.as_secs_f64(),
            busy_share: if all > 0.0 { 1.0 - self.waited.as_secs_f64() / all } else { 0.0 },
            programs: Vec::new(),
        };
        (self.simulation, report)
    }
}
