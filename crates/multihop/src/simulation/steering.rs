//! What can be observed and set while a network runs, for agents: the senders of flows, and nodes.
//!
//! [`Steering`] is for whoever keeps the time of a run ([`Simulation::run_until`]) and decides from
//! outside. The policies of a scenario's `[[agents]]` decide at their instants by the same numbers,
//! after all that happens at or before them. Without agents a run costs nothing more.

use std::sync::Arc;

use super::Simulation;
use super::endpoints::SenderStatus;
use super::next_hops::NextHopChoices;
use crate::agents::{AgentTable, NODE, Of, Policy, Quantities, Quantity, indices};
use crate::kernel::{Duration, Instant};
use crate::mac::Mac;
use crate::measure::BackoffCounts;
use crate::scenario::Error;
use crate::transport::Setting;
use crate::wire::{FlowId, NodeId};

/// What sets the rates of a node's data frames.
const RATE: &str = "data_rate_bps";
/// What sets where a node's packets go next.
const NEXT_HOP: &str = "next_hop";
/// Numbers that an agent can observe at most.
const WIDEST: usize = 16;

/// Agents of one kind that observe and set the same.
#[derive(Debug)]
pub struct Steering {
    of: Of,
    /// The flows or nodes.
    agents: Vec<Agent>,
    /// Where what is observed and set is among what can be.
    observes: Vec<usize>,
    sets: Vec<usize>,
    /// Where packets can go next, if the agents set it.
    next_hops: Option<NextHopChoices>,
    /// The last decision.
    since: Instant,
}

/// One agent, with what was counted at the last decision.
#[derive(Debug)]
struct Agent {
    number: u32,
    before: Counts,
    /// What it has set, in the order of what can be set; 0 before.
    set: [f64; 4],
    /// Flows that start or end at its node.
    flows: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    acked: u64,
    sent: u64,
    retransmits: u64,
    timeouts: u64,
    bytes: u64,
    backoffs: BackoffCounts,
    sending: Duration,
}

/// The agents of one table of a scenario.
#[derive(Debug)]
pub(super) struct PolicyAgents {
    steering: Steering,
    policy: Policy,
    every: Duration,
    next: Instant,
    observed: Vec<f32>,
    set: Vec<f32>,
}

impl Steering {
    /// Agents of `simulation` that observe and set what is called so: those `only`, or all.
    ///
    /// # Errors
    /// If there is no such agent or name, or what is to be set can't be.
    pub fn new(
        simulation: &Simulation,
        of: Of,
        only: Option<&[u32]>,
        (observes, sets): (&[String], &[String]),
    ) -> Result<Steering, Error> {
        let Quantities { observed, set } = of.quantities();
        let flows = &simulation.endpoints.flows;
        let count = match of {
            Of::Flow => flows.len(),
            Of::Node => simulation.node_count(),
        };
        let all: Vec<u32>;
        let numbers = match only {
            Some(only) => only,
            None => {
                all = everybody(of, simulation);
                &all
            }
        };
        if numbers.is_empty() {
            return Err(Error::new("only", "must hold at least one number (got none)"));
        }
        for (place, &number) in numbers.iter().enumerate() {
            if number as usize >= count || numbers[..place].contains(&number) {
                let of = of.name();
                let fault = format!("must be different {of}s, 0 to {} (got {number})", count - 1);
                return Err(Error::new("only", fault));
            }
        }
        let at_node = |node: u32| {
            let ends = flows.iter().flat_map(|flow| [flow.source, flow.destination]);
            ends.filter(|end| end.0 == node).count() as u32
        };
        let agent = |&number| Agent {
            number,
            before: Counts::default(),
            set: [0.0; 4],
            flows: if of == Of::Node { at_node(number) } else { 0 },
        };
        let mut steering = Steering {
            of,
            agents: numbers.iter().map(agent).collect(),
            observes: indices("observes", observes, observed)?,
            sets: indices("sets", sets, set)?,
            next_hops: None,
            since: simulation.now(),
        };
        steering.check(simulation)?;
        if of == Of::Node && sets.iter().any(|name| name == NEXT_HOP) {
            let choices = NextHopChoices::of(simulation).ok_or_else(|| {
                let fault = "\"next_hop\" needs routing.scheme \"static\", nodes that do not \
                             move, one interface each";
                Error::new("sets", fault)
            })?;
            steering.next_hops = Some(choices);
        }
        Ok(steering)
    }

    /// Checks that all agents can be steered.
    fn check(&self, simulation: &Simulation) -> Result<(), Error> {
        let by_number = |fault: &str, number: u32| {
            Error::new("only", format!("{fault} ({} {number} has none)", self.of.name()))
        };
        for agent in &self.agents {
            match self.of {
                Of::Flow => {
                    let flow = &simulation.endpoints.flows[agent.number as usize];
                    if simulation.endpoints.sender_status(flow).is_none() {
                        let fault = "must be flows whose sender has a congestion window";
                        return Err(by_number(fault, agent.number));
                    }
                }
                Of::Node => {
                    let node = NodeId(agent.number);
                    let own = || simulation.stations.layout.all_of(node);
                    let macs = || own().map(|station| &simulation.stations[station].mac);
                    if macs().any(|mac| !matches!(mac, Mac::Dcf(_))) {
                        let fault = "must be nodes with one contention window: mac.access \"dcf\" without mac.edca";
                        return Err(by_number(fault, agent.number));
                    }
                    let sets_rate = self.sets.iter().any(|&index| NODE.set[index].name == RATE);
                    if sets_rate && macs().any(|mac| mac.rates().is_none()) {
                        let fault =
                            "must be nodes with rates to choose from, as by mac.rate \"arf\"";
                        return Err(by_number(fault, agent.number));
                    }
                }
            }
        }
        Ok(())
    }

    /// What an `other` sets too, in words, if there is any such.
    fn set_too_by(&self, other: &Steering) -> Option<String> {
        if self.of != other.of {
            return None;
        }
        let index = self.sets.iter().find(|index| other.sets.contains(index))?;
        let number = self.numbers().find(|number| other.numbers().any(|each| each == *number))?;
        let name = self.of.quantities().set[*index].name;
        Some(format!("\"{name}\" of {} {number}", self.of.name()))
    }

    /// The flows or nodes, by number.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.agents.iter().map(|agent| agent.number)
    }

    /// Adds what the agents observe to `out`, agent by agent, as shares of the ranges, and to
    /// `delivered` what each has delivered since the last decision, or the start \[bytes\].
    pub fn observe(
        &mut self,
        simulation: &Simulation,
        out: &mut Vec<f32>,
        delivered: &mut Vec<f64>,
    ) {
        let now = simulation.now();
        let passed_s = now.saturating_since(self.since).as_secs_f64();
        self.since = now;
        let known = self.of.quantities().observed;
        for agent in &mut self.agents {
            let bytes = agent.before.bytes;
            let row = match self.of {
                Of::Flow => of_flow(simulation, agent, passed_s),
                Of::Node => of_node(simulation, agent, passed_s),
            };
            delivered.push((agent.before.bytes - bytes) as f64);
            out.extend(self.observes.iter().map(|&index| known[index].share(row[index]) as f32));
        }
    }

    /// Sets what the agents want, agent by agent, each number from -1 to 1 for its range; it holds
    /// until the next. What is not a number counts as 0.
    ///
    /// # Panics
    /// If `wanted` has another length.
    pub fn set(&mut self, simulation: &mut Simulation, wanted: &[f32]) {
        assert_eq!(wanted.len(), self.agents.len() * self.sets.len(), "a number for each");
        let known = self.of.quantities().set;
        for (agent, wanted) in self.agents.iter_mut().zip(wanted.chunks(self.sets.len())) {
            for (&index, &wanted) in self.sets.iter().zip(wanted) {
                let wanted = if wanted.is_nan() { 0.0 } else { f64::from(wanted) };
                let value = known[index].value((wanted + 1.0) / 2.0);
                agent.set[index] = value;
                match self.of {
                    Of::Flow => set_flow(simulation, FlowId(agent.number), &known[index], value),
                    Of::Node => {
                        let node = NodeId(agent.number);
                        match &mut self.next_hops {
                            Some(choices) if known[index].name == NEXT_HOP => {
                                choices.choose(simulation, node, value.round() as usize);
                            }
                            _ => set_node(simulation, node, &known[index], value),
                        }
                    }
                }
            }
        }
    }
}

/// All nodes, or all flows whose sender has a congestion window; every flow if none has, so that
/// one is named.
fn everybody(of: Of, simulation: &Simulation) -> Vec<u32> {
    let flows = &simulation.endpoints.flows;
    let steerable: Vec<u32> = match of {
        Of::Node => return (0..simulation.node_count() as u32).collect(),
        Of::Flow => (0..flows.len() as u32)
            .filter(|&number| simulation.endpoints.sender_status(&flows[number as usize]).is_some())
            .collect(),
    };
    if steerable.is_empty() { (0..flows.len() as u32).collect() } else { steerable }
}

/// A count per second.
fn rate(count: u64, passed_s: f64) -> f64 {
    if passed_s > 0.0 { count as f64 / passed_s } else { 0.0 }
}

/// What can be observed of a flow, in the order of [`FLOW`](crate::agents::FLOW).
fn of_flow(simulation: &Simulation, agent: &mut Agent, passed_s: f64) -> [f64; WIDEST] {
    let flow = &simulation.endpoints.flows[agent.number as usize];
    let now = simulation.now();
    let bytes = simulation.endpoints.progress(flow).bytes;
    let mut row = [0.0; WIDEST];
    let before = agent.before;
    row[0] = f64::from(flow.start <= now && now < flow.stop && flow.at_stop.is_none());
    if let Some(SenderStatus { glance, ack_hops, acked_segments, counters }) =
        simulation.endpoints.sender_status(flow)
    {
        agent.before = Counts {
            acked: acked_segments,
            sent: counters.sent_segments,
            retransmits: counters.retransmits,
            timeouts: counters.timeouts,
            ..before
        };
        row[1] = f64::from(ack_hops);
        row[2] = glance.smoothed_rtt.map_or(0.0, Duration::as_secs_f64);
        row[3] = glance.least_rtt.map_or(0.0, Duration::as_secs_f64);
        row[4] = glance.rto.as_secs_f64();
        row[5] = glance.cwnd;
        row[6] = rate(acked_segments - before.acked, passed_s);
        row[7] = rate(counters.sent_segments - before.sent, passed_s);
        row[8] = rate(counters.retransmits - before.retransmits, passed_s);
        row[9] = (counters.timeouts - before.timeouts) as f64;
    }
    [row[10], row[11]] = [agent.set[0], agent.set[1]];
    row[12] = 8.0 * rate(bytes - before.bytes, passed_s);
    agent.before.bytes = bytes;
    row
}

/// What can be observed of a node, in the order of [`NODE`](crate::agents::NODE).
fn of_node(simulation: &Simulation, agent: &mut Agent, passed_s: f64) -> [f64; WIDEST] {
    let stations = &simulation.stations;
    let mut counts = Counts::default();
    let mut row = [0.0; WIDEST];
    for station in stations.layout.all_of(NodeId(agent.number)) {
        let this = &stations[station];
        let (_, attempts, window) = this.mac.state();
        counts.backoffs += stations.backoffs(station);
        counts.sending += stations.medium.sending[station.index()];
        counts.bytes += this.mac.delivered_payload_bytes();
        row[0] += this.queue.len() as f64;
        row[6] = f64::from(attempts).max(row[6]);
        row[7] = f64::from(window).max(row[7]);
        row[8] = f64::from(this.timing.cw_min).max(row[8]);
    }
    let before = agent.before;
    let more = |of: fn(&BackoffCounts) -> u32| {
        u64::from(of(&counts.backoffs).wrapping_sub(of(&before.backoffs)))
    };
    let (retries, posts) = (more(|counts| counts.retry), more(|counts| counts.post));
    row[1] = rate(counts.sending.as_nanos() - before.sending.as_nanos(), passed_s) / 1e9;
    row[2] = retries as f64 / (retries + posts).max(1) as f64;
    row[3] = rate(more(|counts| counts.busy), passed_s);
    row[4] = rate(more(|counts| counts.freezes), passed_s);
    row[5] = 8.0 * rate(counts.bytes - before.bytes, passed_s);
    row[9] = f64::from(agent.flows);
    row[10] = agent.set[3];
    agent.before = counts;
    row
}

fn set_flow(simulation: &mut Simulation, flow: FlowId, of: &Quantity, value: f64) {
    let segments = value.round() as u32;
    let setting = match of.name {
        "window_segments" => Setting::WindowLimit(segments),
        "pacing_s" => Setting::PacingInterval(Duration::from_secs_f64(value)),
        _ => Setting::CongestionWindow(segments),
    };
    let is_applied = simulation.endpoints.apply(flow, setting);
    debug_assert!(is_applied, "checked: it has a window");
}

fn set_node(simulation: &mut Simulation, node: NodeId, of: &Quantity, value: f64) {
    let count = value.round() as usize;
    let own: Vec<NodeId> = simulation.stations.layout.all_of(node).collect();
    for station in own {
        let this = &mut simulation.stations[station];
        match of.name {
            "least_window_slots" => {
                let slots = (count as u32).min(this.timing.cw_max);
                if slots != this.timing.cw_min {
                    Arc::make_mut(&mut this.timing).cw_min = slots;
                }
            }
            RATE => this.mac.order_rate(value),
            _ => this.queue.set_size(count),
        }
    }
}

impl PolicyAgents {
    /// The agents of `table`, which the scenario's check has found right.
    ///
    /// # Errors
    /// If a flow or node can't be steered.
    pub fn new(simulation: &Simulation, table: &AgentTable) -> Result<PolicyAgents, Error> {
        let names = (&*table.observes, &*table.sets);
        let every = Duration::from_secs_f64(table.every_s);
        Ok(PolicyAgents {
            steering: Steering::new(simulation, table.of, table.only.as_deref(), names)?,
            policy: Policy::new(&table.layers),
            every,
            next: Instant::ZERO + every,
            observed: Vec::new(),
            set: Vec::new(),
        })
    }

    fn decide(&mut self, simulation: &mut Simulation) {
        self.observed.clear();
        self.set.clear();
        self.steering.observe(simulation, &mut self.observed, &mut Vec::new());
        for observed in self.observed.chunks(self.steering.observes.len()) {
            self.policy.decide(observed, &mut self.set);
        }
        self.steering.set(simulation, &self.set);
        self.next += self.every;
    }
}

impl Simulation {
    /// The agents of the scenario steer from now on.
    ///
    /// # Errors
    /// If a flow or node can't be steered, or two tables would set the same; names the table.
    pub(super) fn add_agents(&mut self, tables: &[AgentTable]) -> Result<(), Error> {
        for (i, table) in tables.iter().enumerate() {
            let agents = PolicyAgents::new(self, table)
                .map_err(|error| Error::new(format!("agents.{i}.{}", error.key), error.fault))?;
            for (earlier, other) in self.policies.iter().enumerate() {
                if let Some(same) = agents.steering.set_too_by(&other.steering) {
                    let fault = format!("{same} is set by agents.{earlier} already");
                    return Err(Error::new(format!("agents.{i}.sets"), fault));
                }
            }
            self.policies.push(agents);
        }
        self.clock.set_horizon(self.end.min(self.next_decision()));
        Ok(())
    }

    /// When agents of the scenario decide next, [`Instant::FAR`] if none do.
    pub(super) fn next_decision(&self) -> Instant {
        self.policies.iter().map(|agents| agents.next).min().unwrap_or(Instant::FAR)
    }

    /// Nothing is left before the horizon: agents that decide then do, and it moves on to the next
    /// decision, at most to `until`. Returns false if none decides before that.
    #[cold]
    pub(super) fn decide(&mut self, until: Instant) -> bool {
        let at = self.next_decision();
        if at > until || at >= self.end {
            return false;
        }
        self.clock.reach_horizon();
        let mut policies = std::mem::take(&mut self.policies);
        for agents in policies.iter_mut().filter(|agents| agents.next == at) {
            agents.decide(self);
        }
        self.policies = policies;
        self.clock.set_horizon(until.min(self.next_decision()));
        true
    }

    /// Runs until something has happened at an agent of `steering`, but not beyond `at`: an
    /// acknowledgment of new data at the sender of a flow, a change of the number of packets in the
    /// queue of a node.
    pub fn run_until_decision(&mut self, steering: &Steering, at: Instant) {
        let before: Vec<u64> = steering.marks(self).collect();
        self.clock.set_horizon(at.min(self.end));
        while self.step() {
            self.monitor.events += 1;
            if steering.marks(self).ne(before.iter().copied()) {
                return;
            }
        }
        self.clock.reach_horizon();
    }
}

impl Steering {
    /// What changes when something has happened at the agents.
    fn marks<'a>(&'a self, simulation: &'a Simulation) -> impl Iterator<Item = u64> + 'a {
        self.agents.iter().map(|agent| match self.of {
            Of::Flow => {
                let flow = &simulation.endpoints.flows[agent.number as usize];
                simulation.endpoints.sender_status(flow).map_or(0, |status| status.acked_segments)
            }
            Of::Node => {
                let own = simulation.stations.layout.all_of(NodeId(agent.number));
                own.map(|station| simulation.stations[station].queue.len() as u64).sum()
            }
        })
    }
}
