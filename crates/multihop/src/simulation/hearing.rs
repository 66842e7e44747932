//! Who hears whom in a run, how strongly and when: the medium's own lists, for whoever explains or
//! draws one.

use super::build;
use super::outages::{Outage, Outages};
use crate::kernel::Instant;
use crate::mac::Timing;
use crate::radio::sinr::Needs;
use crate::radio::{Course, Hearers, Leg, Movement, Position, StationLayout, fading};
use crate::scenario::{Error, Mobility, Scenario, Topology};
use crate::wire::NodeId;

/// A node's way: points (time \[s\], x \[m\], y \[m\]) joined by straight lines at constant speed;
/// one if it stays.
pub type Trail = Vec<[f64; 3]>;

/// A signal between two nodes that counts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Heard {
    /// Who sends it.
    pub sender: NodeId,
    /// Where it counts.
    pub node: NodeId,
    /// Its mean power there \[W\].
    pub power_w: f64,
    /// Frames at the basic rate are received if nothing else is on the air: with a chance of a half
    /// at least.
    pub decodes: bool,
    /// So are data frames at the lowest rate that they may go at.
    pub carries: bool,
    /// It alone makes the medium busy.
    pub senses: bool,
}

/// Who hears whom over the time of a run.
#[derive(Debug)]
pub struct Hearing {
    scenario: Scenario,
    seed: u64,
    positions: Vec<Position>,
    movement: Option<Movement>,
    trails: Vec<Trail>,
    /// What powers are enough for, and how strong a signal is that counts \[W\], by signal and
    /// noise.
    powers: Option<(Needs, f64)>,
    outages: Vec<(Instant, Outage)>,
    now: Now,
}

/// Who hears whom at an instant.
#[derive(Debug)]
struct Now {
    at: Instant,
    hearers: Hearers,
    cuts: Outages,
    /// Outages so far.
    changes: usize,
}

impl Hearing {
    /// In the run of `scenario` with `seed`, whose nodes go these ways or, without any, those of
    /// the scenario.
    ///
    /// # Errors
    /// If the network can't be built, or the ways are not those of its nodes.
    pub fn new(
        scenario: &Scenario,
        seed: u64,
        trails: Option<Vec<Trail>>,
    ) -> Result<Hearing, Error> {
        check(trails.as_deref(), scenario.topology.nodes())?;
        let end = Instant::from_secs_f64(scenario.duration_s);
        let (positions, movement) = match &trails {
            Some(trails) => (trails.iter().map(|trail| place(trail)).collect(), along(trails)),
            None => {
                let network = scenario.network(seed)?;
                (network.positions, network.movement)
            }
        };
        let trails = trails.unwrap_or_else(|| match &movement {
            Some(movement) => movement.trails(end).into_iter().map(without_stays).collect(),
            None => positions.iter().map(|place| vec![[0.0, place.x_m, place.y_m]]).collect(),
        });
        let timing = Timing::new(&scenario.mac, scenario.profile);
        let powers = scenario.needs(&timing).map(|needs| (needs, scenario.radio.weakest_w()));
        Ok(Hearing {
            now: Now::start(scenario, seed, &positions, movement.as_ref()),
            outages: on_air(&scenario.stations()?, scenario),
            scenario: scenario.clone(),
            seed,
            positions,
            movement,
            trails,
            powers,
        })
    }

    /// Each node's way to the end of the run.
    pub fn trails(&self) -> &[Trail] {
        &self.trails
    }

    /// When outages change it, earliest first.
    pub fn changes(&self) -> impl Iterator<Item = Instant> {
        self.outages.iter().map(|&(at, _)| at)
    }

    /// Whether powers mean anything: given links have none.
    pub fn has_power(&self) -> bool {
        !matches!(*self.scenario.topology, Topology::Links(_))
    }

    /// Whether reach is a matter of distance alone.
    pub fn is_by_distance(&self) -> bool {
        self.has_power() && self.powers.is_none()
    }

    /// Every signal that counts at `at`, with what happens then; by sender.
    pub fn at(&mut self, at: Instant) -> Vec<Heard> {
        if at < self.now.at {
            let movement = self.movement.as_ref();
            self.now = Now::start(&self.scenario, self.seed, &self.positions, movement);
        }
        self.now.at = at;
        let Now { hearers, cuts, changes, .. } = &mut self.now;
        while let Some(&(_, outage)) = self.outages.get(*changes).filter(|(then, _)| *then <= at) {
            cuts.change(outage, hearers);
            *changes += 1;
        }
        let neighbours = hearers.neighbours_at(at);
        let deviation_db = self.scenario.radio.shadowing_db.unwrap_or(0.0);
        // The lists of neighbours of a static network have it.
        let may_move = self.movement.is_some() || self.scenario.mobility != Mobility::Static;
        let is_shadowed = deviation_db > 0.0 && may_move;
        let mut heard = Vec::new();
        for sender in (0..self.positions.len() as u32).map(NodeId) {
            let decoding = neighbours.decoding(sender).len();
            for (place, neighbour) in neighbours.sensing(sender).iter().enumerate() {
                let factor = match is_shadowed {
                    true => fading::shadowing(self.seed, deviation_db, sender, neighbour.node),
                    false => 1.0,
                };
                let (node, power_w) = (neighbour.node, neighbour.power_w * factor);
                let [decodes, carries, senses] = match self.powers {
                    None => [place < decoding, place < decoding, true],
                    Some((_, weakest_w)) if power_w < weakest_w => continue,
                    Some((needs, _)) => {
                        [needs.decoded_w, needs.carried_w, needs.sensed_w].map(|w| power_w >= w)
                    }
                };
                heard.push(Heard { sender, node, power_w, decodes, carries, senses });
            }
        }
        heard
    }
}

impl Now {
    fn start(
        scenario: &Scenario,
        seed: u64,
        positions: &[Position],
        movement: Option<&Movement>,
    ) -> Now {
        Now {
            at: Instant::ZERO,
            hearers: build::hearers(scenario, positions, movement.cloned(), seed),
            cuts: Outages::default(),
            changes: 0,
        }
    }
}

/// What changes who hears whom: all outages but those of wires.
fn on_air(stations: &StationLayout, scenario: &Scenario) -> Vec<(Instant, Outage)> {
    let mut all = Outages::new(&scenario.events, stations).by_time();
    all.retain(|(_, outage)| !matches!(outage, Outage::Wire(..)));
    all
}

/// Checks that `trails` are ways of so many nodes.
fn check(trails: Option<&[Trail]>, nodes: usize) -> Result<(), Error> {
    let Some(trails) = trails else { return Ok(()) };
    if trails.len() != nodes {
        let fault = format!("must be a way for each of {nodes} nodes (got {})", trails.len());
        return Err(Error::new("movement", fault));
    }
    for (node, trail) in trails.iter().enumerate() {
        let is_way = !trail.is_empty()
            && trail.iter().flatten().all(|value| value.is_finite())
            && trail[0][0] >= 0.0
            && trail.windows(2).all(|ends| ends[0][0] <= ends[1][0]);
        if !is_way {
            let fault = "must be points (time, x, y), the earliest first";
            return Err(Error::new(format!("movement.{node}"), fault));
        }
    }
    Ok(())
}

/// Where a way begins.
fn place(trail: &[[f64; 3]]) -> Position {
    let [_, x_m, y_m] = trail.first().copied().unwrap_or_default();
    Position { x_m, y_m }
}

/// Movement along these ways, if there is any.
fn along(trails: &[Trail]) -> Option<Movement> {
    let mut max_speed_mps = 0.0_f64;
    let legs = |trail: &Trail| -> Vec<Leg> {
        let at = |[_, x_m, y_m]: [f64; 3]| Position { x_m, y_m };
        let mut legs: Vec<Leg> = trail
            .windows(2)
            .map(|ends| {
                let (from, to) = (at(ends[0]), at(ends[1]));
                let speed_mps = from.distance_m(&to) / (ends[1][0] - ends[0][0]);
                let speed_mps = if speed_mps.is_finite() { speed_mps } else { 0.0 };
                Leg { start: Instant::from_secs_f64(ends[0][0]), from, to, speed_mps }
            })
            .collect();
        if legs.is_empty() {
            legs.push(Leg::stay(Instant::ZERO, place(trail)));
        }
        legs
    };
    let legs: Vec<Vec<Leg>> = trails.iter().map(legs).collect();
    for leg in legs.iter().flatten() {
        max_speed_mps = max_speed_mps.max(leg.speed_mps);
    }
    let courses = legs.into_iter().map(|legs| Course::Listed(legs.into_iter())).collect();
    (max_speed_mps > 0.0).then_some(Movement { courses, max_speed_mps })
}

/// Only the beginning of a way that leads nowhere.
fn without_stays(mut trail: Trail) -> Trail {
    if trail.iter().all(|knot| knot[1..] == trail[0][1..]) {
        trail.truncate(1);
    }
    trail
}
