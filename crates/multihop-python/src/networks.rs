//! Networks that Python steers step by step: many at once, on a few threads, with the GIL free.
//! Numbers go through buffers of Python's; nothing of a packet does.

use std::sync::Mutex;
use std::{thread, time};

use multihop::api::agents::{FLOW, NODE, Of, Quantities, Quantity, Scale};
use multihop::api::config::document::Document;
use multihop::api::config::json::read_json;
use multihop::api::kernel::{Duration, Instant};
use multihop::api::scenario::{Error, Scenario};
use multihop::api::simulation::{Recording, Simulation, Steering};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::document::{self, Syntax};
use crate::panics::guarded;
use crate::scenario_error;

/// A step of all networks that takes less is left to one thread: starting others takes as long.
const LEAST_SHARED: time::Duration = time::Duration::from_micros(500);

/// What agents observe and set, as a JSON object of lists by kind.
#[pyfunction]
pub(crate) fn quantities() -> String {
    let one = |quantity: &Quantity| {
        let scale = match quantity.scale {
            Scale::Linear => "linear",
            Scale::Logarithmic(_) => "logarithmic",
        };
        let Quantity { name, about, low, high, is_local, .. } = quantity;
        json!({
            "name": name, "about": about, "low": low, "high": high, "scale": scale,
            "is_local": is_local,
        })
    };
    let all = |of: &[Quantity]| of.iter().map(one).collect::<Vec<_>>();
    let both = |Quantities { observed, set }: Quantities| json!({ "observed": all(observed), "set": all(set) });
    json!({ "flow": both(FLOW), "node": both(NODE) }).to_string()
}

/// `value` of the quantity called `name` as a share of its range, of what is `set` or observed.
#[pyfunction]
pub(crate) fn share(of: &str, name: &str, set: bool, value: f64) -> PyResult<f64> {
    Ok(found(of, name, set)?.share(value))
}

/// The value of that quantity at `share` of its range.
#[pyfunction]
pub(crate) fn value(of: &str, name: &str, set: bool, share: f64) -> PyResult<f64> {
    Ok(found(of, name, set)?.value(share))
}

fn found(of: &str, name: &str, set: bool) -> PyResult<Quantity> {
    let all = if of == Of::Flow.name() { FLOW } else { NODE };
    let among = if set { all.set } else { all.observed };
    let one = among.iter().find(|quantity| quantity.name == name).copied();
    one.ok_or_else(|| PyValueError::new_err(format!("{of}s have no {name}")))
}

/// What agents are, and their reward.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    of: Of,
    only: Option<Vec<u32>>,
    observes: Vec<String>,
    sets: Vec<String>,
    every_s: f64,
    /// A step ends when something happens at an agent, if that is before `every_s`.
    by_event: bool,
    reward: Reward,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Reward {
    /// What all flows have delivered \[Mbit/s\].
    Goodput,
    /// The mean over flows of the logarithm of 1 and what each has delivered \[kbit/s\].
    Fair,
    /// What each agent's own flow or node has delivered \[Mbit/s\].
    Own,
}

/// Networks with the same agents.
#[pyclass]
pub(crate) struct Networks {
    scenarios: Vec<(Document, Scenario)>,
    plan: Plan,
    environments: Vec<Environment>,
    workers: usize,
    agents: usize,
    numbers: Vec<u32>,
}

/// One network, and what the last step has returned of it.
#[derive(Default)]
struct Environment {
    running: Option<Running>,
    observed: Vec<f32>,
    rewards: Vec<f64>,
    ended: bool,
    took: time::Duration,
}

struct Running {
    simulation: Simulation,
    steering: Steering,
    /// What each flow had delivered at the last step \[bytes\].
    delivered: Vec<u64>,
    since: Instant,
}

/// What a network does next.
enum Task<'a> {
    /// A new run of a scenario with this seed.
    Reset { scenario: usize, seed: u64 },
    /// A step with the agents' actions.
    Step(&'a [f32]),
}

#[pymethods]
impl Networks {
    /// So many networks of `scenarios`: text, overrides and syntax of each. `plan` is a JSON object.
    #[new]
    fn new(
        scenarios: Vec<(String, String, Syntax)>,
        plan: &str,
        count: usize,
        workers: usize,
    ) -> PyResult<Networks> {
        let read = |(text, overrides, syntax): &(String, String, Syntax)| {
            let document = document::read(text, *syntax, overrides)?;
            let scenario = Scenario::from_document(&document::schemes(), &document)?;
            Ok((document, scenario))
        };
        let plan: Plan = read_json(plan).map_err(scenario_error)?;
        if !(1e-6..=1e6).contains(&plan.every_s) {
            let fault = format!("every_s: must be 0.000001 to 1000000 (got {})", plan.every_s);
            return Err(PyValueError::new_err(fault));
        }
        let scenarios = guarded(|| scenarios.iter().map(read).collect::<Result<Vec<_>, Error>>())?
            .map_err(scenario_error)?;
        let mut networks = Networks {
            scenarios,
            plan,
            environments: (0..count).map(|_| Environment::default()).collect(),
            workers: workers.max(1),
            agents: 0,
            numbers: Vec::new(),
        };
        let first = guarded(|| networks.started(0, networks.scenarios[0].1.seed))??;
        networks.numbers = first.steering.numbers().collect();
        networks.agents = networks.numbers.len();
        Ok(networks)
    }

    /// The flows or nodes of the agents.
    #[getter]
    fn numbers(&self) -> Vec<u32> {
        self.numbers.clone()
    }

    /// Starts `fresh` networks (index, scenario, seed) and has all others take a step with
    /// `actions`, if there are any. Fills in what agents observe, their rewards, and which runs
    /// have ended, network by network.
    fn step(
        &mut self,
        py: Python<'_>,
        fresh: Vec<(usize, usize, u64)>,
        actions: Option<PyBuffer<f32>>,
        observed: PyBuffer<f32>,
        rewards: PyBuffer<f64>,
        ended: PyBuffer<u8>,
    ) -> PyResult<()> {
        let wanted = self.agents * self.plan.sets.len();
        let actions = actions.map(|actions| actions.to_vec(py)).transpose()?;
        if actions.as_ref().is_some_and(|actions| actions.len() != self.environments.len() * wanted)
        {
            return Err(PyValueError::new_err("actions: must be a number for each that is set"));
        }
        let step = |index: usize| actions.as_ref().map(|all| &all[index * wanted..][..wanted]);
        let mut tasks: Vec<Option<Task<'_>>> =
            (0..self.environments.len()).map(|index| step(index).map(Task::Step)).collect();
        for (index, scenario, seed) in fresh {
            if index >= tasks.len() || scenario >= self.scenarios.len() {
                return Err(PyValueError::new_err("no such network or scenario"));
            }
            tasks[index] = Some(Task::Reset { scenario, seed });
        }
        py.detach(|| self.work(tasks))?;
        py.check_signals()?;
        let mut filled: (Vec<f32>, Vec<f64>, Vec<u8>) = Default::default();
        for environment in &self.environments {
            filled.0.extend(&environment.observed);
            filled.1.extend(&environment.rewards);
            filled.2.push(environment.ended.into());
        }
        observed.copy_from_slice(py, &filled.0)?;
        rewards.copy_from_slice(py, &filled.1)?;
        ended.copy_from_slice(py, &filled.2)
    }

    /// How far the network at `index` is \[s\].
    fn now_s(&self, index: usize) -> Option<f64> {
        Some(self.environments.get(index)?.running.as_ref()?.simulation.now().as_secs_f64())
    }

    /// The result of the run at `index` as JSON text, as far as it is.
    fn result(&self, py: Python<'_>, index: usize) -> PyResult<Option<String>> {
        let Some(running) = self.environments.get(index).and_then(|one| one.running.as_ref())
        else {
            return Ok(None);
        };
        let text = py.detach(|| guarded(|| serde_json::to_string(&running.simulation.result())))?;
        let text = text.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(Some(text))
    }
}

impl Networks {
    /// Does what is to be done, on as many threads as there are workers. Whether a step is shared
    /// depends on how long the last one took; what comes out does not.
    fn work(&mut self, tasks: Vec<Option<Task<'_>>>) -> PyResult<()> {
        let mut environments = std::mem::take(&mut self.environments);
        let done = {
            let todo =
                environments.iter_mut().zip(tasks).filter_map(|(one, task)| Some((one, task?)));
            let todo: Vec<_> = todo.collect();
            let took: time::Duration = todo.iter().map(|(one, _)| one.took).sum();
            let are_steps = todo.iter().all(|(_, task)| matches!(task, Task::Step(_)));
            let is_shared = !are_steps || took >= LEAST_SHARED;
            let workers = if is_shared { self.workers.min(todo.len()) } else { 1 };
            let todo = Mutex::new(todo.into_iter());
            let next = || todo.lock().ok().and_then(|mut todo| todo.next());
            let this = &*self;
            let all = || {
                let mut done = Ok(());
                while let Some((environment, task)) = next() {
                    let began = time::Instant::now();
                    let one = guarded(|| this.carry_out(environment, task)).and_then(|one| one);
                    if one.is_err() {
                        environment.running = None;
                    }
                    environment.took = began.elapsed();
                    done = done.and(one);
                }
                done
            };
            thread::scope(|scope| {
                let others: Vec<_> = (1..workers).map(|_| scope.spawn(all)).collect();
                let failed = |_| PyRuntimeError::new_err("the engine failed");
                let done = others.into_iter().map(|other| other.join().map_err(failed)?);
                done.fold(all(), PyResult::and)
            })
        };
        self.environments = environments;
        done
    }

    /// A run of a scenario with `seed`, brought to the first decision.
    fn started(&self, scenario: usize, seed: u64) -> PyResult<Running> {
        let (document, scenario) = &self.scenarios[scenario];
        let Plan { of, only, observes, sets, .. } = &self.plan;
        let started = || -> Result<Running, Error> {
            let simulation = Simulation::new(scenario, Some(seed), &Recording::default())?;
            let names = (&**observes, &**sets);
            let steering = Steering::new(&simulation, *of, only.as_deref(), names)?;
            let since = simulation.now();
            Ok(Running { simulation, steering, delivered: Vec::new(), since })
        };
        started().map_err(|error| scenario_error(document.locate(error)))
    }

    fn carry_out(&self, environment: &mut Environment, task: Task<'_>) -> PyResult<()> {
        environment.observed.clear();
        environment.rewards.clear();
        if let Task::Reset { scenario, seed } = task {
            environment.running = Some(self.started(scenario, seed)?);
        }
        let Some(running) = &mut environment.running else {
            return Err(PyRuntimeError::new_err("this network has not been reset"));
        };
        let Running { simulation, steering, .. } = running;
        if let Task::Step(actions) = task {
            steering.set(simulation, actions);
        }
        let until = simulation.now() + Duration::from_secs_f64(self.plan.every_s);
        match self.plan.by_event {
            true => simulation.run_until_decision(steering, until),
            false => simulation.run_until(until),
        }
        let mut own = Vec::new();
        steering.observe(simulation, &mut environment.observed, &mut own);
        if own.len() != self.agents {
            let (known, got) = (self.agents, own.len());
            let fault =
                format!("networks must have as many agents as the first, {known} (got {got})");
            return Err(PyValueError::new_err(fault));
        }
        environment.rewards.extend(running.rewards(self.plan.reward, &own));
        environment.ended = running.simulation.now() >= running.simulation.end();
        Ok(())
    }
}

impl Running {
    /// What each agent gets for the time since the last step.
    fn rewards(&mut self, kind: Reward, own: &[f64]) -> Vec<f64> {
        let passed_s = self.simulation.now().saturating_since(self.since).as_secs_f64();
        self.since = self.simulation.now();
        let bps = |bytes: f64| if passed_s > 0.0 { 8.0 * bytes / passed_s } else { 0.0 };
        if kind == Reward::Own {
            return own.iter().map(|&bytes| bps(bytes) / 1e6).collect();
        }
        let now: Vec<u64> = self.simulation.flows_so_far().iter().map(|flow| flow.bytes).collect();
        self.delivered.resize(now.len(), 0);
        let more = now.iter().zip(&self.delivered).map(|(now, before)| bps((now - before) as f64));
        let total = match kind {
            Reward::Fair => more.map(|bps| libm::log1p(bps / 1e3)).sum::<f64>() / now.len() as f64,
            _ => more.sum::<f64>() / 1e6,
        };
        self.delivered = now;
        vec![total; own.len()]
    }
}
