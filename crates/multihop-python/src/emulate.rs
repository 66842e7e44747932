//! Real programs over the simulated mesh, in real time. Python makes the namespaces and devices;
//! the run goes on in a thread that needs no Python.

use std::path::PathBuf;
use std::sync::Mutex;

use multihop::api::capture::Passage;
use multihop::api::scenario::{Error, Scenario};
use multihop::api::simulation::{Outage, Recording, Simulation};
use multihop::api::wire::NodeId;
use multihop_emulate::frame::{addresses_on, mac_of};
use multihop_emulate::{Emulation as Driver, Order, carry};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::document::{self, Syntax};
use crate::panics::guarded;
use crate::run::{Column, Record, blocks, os_error, write_pcap};
use crate::{about, scenario_error};

/// How far it has come.
#[allow(clippy::large_enum_variant)] // there is one of them
enum State {
    Built(Simulation),
    Running(Driver),
    Over,
}

/// An emulation: built, then started with devices, then finished. From the start on it goes on by
/// itself.
#[pyclass(frozen)]
pub(crate) struct Emulation {
    state: Mutex<State>,
    /// The devices of each node.
    devices: Vec<Vec<Device>>,
    is_one_link: bool,
    /// When the scenario switches which node off (true) or on.
    switched: Vec<(f64, u32, bool)>,
}

/// A device: its number, the name of its interface if the scenario has several, its MAC, IPv4 and
/// IPv6 addresses.
type Device = (u32, String, String, String, String);

/// A flow of a run that goes on: number, kind, source, destination, packets that arrived, and bytes
/// in them.
type FlowSoFar = (u32, &'static str, u32, u32, u64, u64);

/// Until when (s), blocks of rows, and the flows.
type Look = (f64, Vec<Vec<Column>>, Vec<FlowSoFar>);

fn misused() -> PyErr {
    PyRuntimeError::new_err("an emulation is built, started once and finished once")
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn unwritten(error: serde_json::Error) -> PyErr {
    PyRuntimeError::new_err(format!("result can't be written: {error}"))
}

fn devices(simulation: &Simulation, node: NodeId) -> Vec<Device> {
    let layout = simulation.layout();
    let device = |station: NodeId| {
        let mac = mac_of(station.0).map(|byte| format!("{byte:02x}")).join(":");
        // A network of its own for each kind of interface, where nodes have several.
        let interface = if layout.are_several() { layout.kind(station).0 } else { 0 };
        let (ipv4, ipv6) = addresses_on(node.0, interface);
        (station.0, layout.name(station).to_owned(), mac, ipv4.to_string(), ipv6.to_string())
    };
    layout.all_of(node).map(device).collect()
}

#[pymethods]
impl Emulation {
    /// Builds the network of a scenario. Arguments as those of `run`; the scenario's flows run
    /// beside the programs if `keeps_flows`. Programs route at the nodes `routers`.
    #[new]
    #[pyo3(signature = (
        text, overrides, *, syntax, recording, events=None, seed=None, keeps_flows=false,
        routers=Vec::new()
    ))]
    #[allow(clippy::too_many_arguments)] // one for each keyword of Python's call
    fn new(
        py: Python<'_>,
        text: &str,
        overrides: &str,
        syntax: Syntax,
        recording: &str,
        events: Option<&str>,
        seed: Option<u64>,
        keeps_flows: bool,
        routers: Vec<u32>,
    ) -> PyResult<Emulation> {
        let build = || -> Result<(Simulation, bool), Error> {
            let recording: Recording = multihop::api::config::json::read_json(recording)?;
            let events = events.map(multihop::api::config::json::read_json).transpose()?;
            let recording = Recording { events, ..recording };
            let document = document::read(text, syntax, overrides)?;
            let scenario = Scenario::for_programs(&document::schemes(), &document, keeps_flows)?;
            let mut simulation = Simulation::for_programs(&scenario, seed, &recording)
                .map_err(|error| document.locate(error))?;
            let routers: Vec<NodeId> = routers.into_iter().map(NodeId).collect();
            simulation.leave_routing_to_programs(&routers);
            Ok((simulation, scenario.routing.is_multi_hop()))
        };
        let built = py.detach(|| guarded(build))?;
        let (simulation, is_one_link) = built.map_err(scenario_error)?;
        let nodes = (0..simulation.node_count() as u32).map(NodeId);
        let devices = nodes.map(|node| devices(&simulation, node)).collect();
        let mut switched: Vec<_> = simulation
            .staged_outages()
            .iter()
            .filter_map(|&(at, outage)| match outage {
                Outage::Node(node, is_off) => Some((at.as_secs_f64(), node.0, is_off)),
                Outage::Link(..) | Outage::Wire(..) => None,
            })
            .collect();
        switched.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Emulation {
            state: Mutex::new(State::Built(simulation)),
            devices,
            is_one_link,
            switched,
        })
    }

    /// How many nodes there are.
    #[getter]
    fn nodes(&self) -> usize {
        self.devices.len()
    }

    /// Whether routing makes the mesh one link.
    #[getter]
    fn is_one_link(&self) -> bool {
        self.is_one_link
    }

    /// When (s) the scenario switches which node off (true) or on, in the order of time.
    #[getter]
    fn switched(&self) -> Vec<(f64, u32, bool)> {
        self.switched.clone()
    }

    /// The devices of `node`, in the order of its interfaces.
    fn devices(&self, node: usize) -> Vec<Device> {
        self.devices.get(node).cloned().unwrap_or_default()
    }

    /// The result of a run that has not begun, as JSON text.
    fn plan(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            let mut state = self.state.lock().map_err(|_| misused())?;
            match &mut *state {
                State::Built(simulation) => {
                    let plan = guarded(|| serde_json::to_string(&simulation.result()))?;
                    plan.map_err(unwritten)
                }
                _ => Err(misused()),
            }
        })
    }

    /// What was recorded since the last call, if the run goes on: until when (s), blocks of rows as
    /// those of a record, and what each flow has got by then.
    fn look(&self, py: Python<'_>) -> PyResult<Option<Look>> {
        let look = || self.with_driver(|driver| Ok(driver.look()));
        let Some(view) = py.detach(look)? else { return Ok(None) };
        let Passage { rows, senders } = view.passage;
        let blocks = blocks(py, rows.iter().copied(), rows.len(), &senders)?;
        let flow = |flow: &multihop::api::simulation::FlowSoFar| {
            let (source, destination) = (flow.source.0, flow.destination.0);
            (flow.id.0, flow.kind, source, destination, flow.packets, flow.bytes)
        };
        Ok(Some((view.at.as_secs_f64(), blocks, view.flows.iter().map(flow).collect())))
    }

    /// Starts it now, with (node, descriptor) for each device.
    /// Returns what the kernel calls the thread that it runs in.
    fn start(&self, devices: Vec<(u32, i32)>) -> PyResult<i32> {
        self.change(|state| match state {
            State::Built(simulation) => {
                let driver = Driver::start(simulation, &devices, self.is_one_link);
                let driver = driver.map_err(os_error)?;
                let thread = driver.thread_id();
                Ok((State::Running(driver), thread))
            }
            _ => Err(misused()),
        })
    }

    /// Has the network carry frames of programs, (node, frame), in its own time and without
    /// devices: for tests of what hostile ones do. Returns what became of them and the result, as
    /// JSON text; a file `pcap` gets the frames.
    #[pyo3(signature = (frames, *, pcap=None))]
    fn carry(
        &self,
        py: Python<'_>,
        frames: Vec<(u32, Vec<u8>)>,
        pcap: Option<PathBuf>,
    ) -> PyResult<(String, String)> {
        let mut simulation = self.change(|state| match state {
            State::Built(simulation) => Ok((State::Over, simulation)),
            _ => Err(misused()),
        })?;
        py.detach(|| {
            let counts = guarded(|| carry(&mut simulation, self.is_one_link, &frames))?;
            let result = guarded(|| serde_json::to_string(&simulation.result()))?;
            let result = result.map_err(unwritten)?;
            let events = guarded(|| simulation.take_events())?;
            if let (Some(events), Some(pcap)) = (&events, pcap) {
                guarded(|| write_pcap(events, &pcap))?.map_err(os_error)?;
            }
            Ok((serde_json::to_string(&counts).map_err(unwritten)?, result))
        })
    }

    /// Whether it is over, or has failed.
    fn is_over(&self) -> PyResult<bool> {
        self.with_driver(|driver| Ok(driver.is_over()))
    }

    /// Cuts the link between nodes `a` and `b`, or restores it.
    fn set_link(&self, a: u32, b: u32, is_cut: bool) -> PyResult<()> {
        self.order(Order::Change(Outage::Link(NodeId(a), NodeId(b), is_cut)))
    }

    /// Switches the radio of `node` off, or on.
    fn set_node(&self, node: u32, is_off: bool) -> PyResult<()> {
        self.order(Order::Change(Outage::Node(NodeId(node), is_off)))
    }

    /// The frames since the last call: how many, how many of them later than 1 ms, and the latest
    /// (s).
    fn take_recent(&self) -> PyResult<(u64, u64, f64)> {
        self.with_driver(|driver| {
            let recent = driver.take_recent();
            Ok((recent.frames, recent.late, recent.worst.as_secs_f64()))
        })
    }

    /// Ends it: the result and what is to be said of the emulation, as JSON text, and the record of
    /// events. As in `run`, a file `pcap` gets the frames, and without `rows` the record is not
    /// returned.
    #[pyo3(signature = (*, rows=true, pcap=None))]
    fn finish(
        &self,
        py: Python<'_>,
        rows: bool,
        pcap: Option<PathBuf>,
    ) -> PyResult<(String, String, Option<Record>)> {
        py.detach(|| {
            let driver = self.change(|state| match state {
                State::Running(driver) => Ok((State::Over, driver)),
                _ => Err(misused()),
            })?;
            let (mut simulation, report) = guarded(|| driver.finish())?.map_err(os_error)?;
            let texts = guarded(|| {
                let mut result = simulation.result();
                result.engine.crates = about::crates();
                let result = serde_json::to_string(&result);
                result.and_then(|result| Ok((result, serde_json::to_string(&report)?)))
            })?;
            let (result, report) = texts.map_err(unwritten)?;
            let events = guarded(|| simulation.take_events())?;
            if let (Some(events), Some(pcap)) = (&events, pcap) {
                guarded(|| write_pcap(events, &pcap))?.map_err(os_error)?;
            }
            Ok((result, report, events.filter(|_| rows).map(Record)))
        })
    }
}

impl Emulation {
    fn order(&self, order: Order) -> PyResult<()> {
        self.with_driver(|driver| {
            driver.order(order);
            Ok(())
        })
    }

    fn with_driver<T>(&self, call: impl FnOnce(&mut Driver) -> PyResult<T>) -> PyResult<T> {
        let mut state = self.state.lock().map_err(|_| misused())?;
        match &mut *state {
            State::Running(driver) => call(driver),
            _ => Err(misused()),
        }
    }

    /// Replaces the state; after an error it is over.
    fn change<T>(&self, change: impl FnOnce(State) -> PyResult<(State, T)>) -> PyResult<T> {
        let mut state = self.state.lock().map_err(|_| misused())?;
        let (new, value) = change(std::mem::replace(&mut *state, State::Over))?;
        *state = new;
        Ok(value)
    }
}
