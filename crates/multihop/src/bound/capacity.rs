//! What bounds the rates that a scenario's network can give its flows: who hears whom, how
//! strongly, over time, and how long the exchanges take that carry a packet. `docs/use/bound.md`
//! says what is made of it.

use serde::Serialize;

use crate::config::Error;
use crate::kernel::{Duration, Instant};
use crate::mac::Timing;
use crate::mac::config::AccessKind;
use crate::profile::Profile;
use crate::radio::config::Reception;
use crate::radio::{Neighbour, PathLoss, Reach};
use crate::scenario::{
    EventTable, FlowLoad, FlowSpec, LargestPacket as Packet, Names, Network, Scenario,
};
use crate::wire::{NodeId, Rate};

/// Before and after each period, so that a frame in the air when it ends belongs to it \[s\].
const MARGIN_S: f64 = 0.05;
/// Air times are rounded to nanoseconds \[s\].
const ROUNDING_S: f64 = 1e-9;
/// Relative slack of distances between moving nodes.
const SLACK: f64 = 1e-6;

/// The network of a scenario, as far as it bounds what its flows can get.
#[derive(Clone, Debug, Serialize)]
pub struct Capacity {
    /// Nodes.
    pub nodes: usize,
    /// Simulated time \[s\].
    pub duration_s: f64,
    /// Seed of the network.
    pub seed: u64,
    /// Stations count a medium as busy while a captured frame is on the air: ns-2's profile.
    pub notes_captured: bool,
    /// How many times as strong as another a frame is that survives it; none if none does.
    pub capture_ratio: Option<f64>,
    /// Short interframe space \[s\].
    pub sifs_s: f64,
    /// DCF interframe space \[s\].
    pub difs_s: f64,
    /// Extended interframe space \[s\].
    pub eifs_s: f64,
    /// Air time of an RTS \[s\].
    pub rts_s: f64,
    /// Air time of the CTS that answers it \[s\].
    pub cts_s: f64,
    /// What the nodes are called, unless they have numbers alone.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub node_names: Names,
    /// The flows.
    pub flows: Vec<Demand>,
    /// The network over time; one period if no node moves.
    pub periods: Vec<Period>,
}

/// A flow, and what a packet of it costs.
#[derive(Clone, Debug, Serialize)]
pub struct Demand {
    /// Its number.
    pub id: usize,
    /// The name of its table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of its table.
    pub kind: &'static str,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Hops of a shortest path at the initial positions.
    pub hops: Option<u32>,
    /// Start \[s\].
    pub start_s: f64,
    /// Until when its arrivals count: its stop over TCP, the end of the run over UDP \[s\].
    pub end_s: f64,
    /// Payload of a packet at most \[bytes\].
    pub payload_bytes: u32,
    /// What it offers at most \[bit/s\]; none without limit.
    pub offered_bps: Option<f64>,
    /// The least that a packet takes over a link.
    pub exchange: Exchange,
}

/// The least time that a packet takes over a link, by what is counted; of an A-MPDU its share
/// \[s\].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Exchange {
    /// The data frame.
    pub data_s: f64,
    /// From the start of the RTS, or of the sender's CTS to itself, to the end of the data frame.
    pub core_s: f64,
    /// The core, SIFS and the answer.
    pub answered_s: f64,
    /// DIFS before it as well.
    pub whole_s: f64,
    /// Packets in its frame at most.
    pub packets: usize,
    /// No packet goes without an RTS, nor in a data frame that fits between another's RTS and data.
    pub is_cleared: bool,
}

/// A time in which who hears whom is given by bounds that hold throughout.
#[derive(Clone, Debug, Serialize)]
pub struct Period {
    /// Start \[s\].
    pub start_s: f64,
    /// End \[s\].
    pub end_s: f64,
    /// What one node hears of another: sender, hearer.
    pub ends: Vec<[u32; 2]>,
    /// The strongest and the weakest that it is then \[W\].
    pub power_w: Vec<[f64; 2]>,
    /// Whether it can ever be decoded, and whether it is always sensed.
    pub certain: Vec<[bool; 2]>,
}

impl Capacity {
    /// Of `scenario` with `seed`, each period at most `step_s` long if nodes move.
    ///
    /// # Errors
    /// If the network can't be built, receivers go by signal and noise, stations have several channels
    /// or access categories, or events or empty batteries take links or nodes away.
    pub fn new(scenario: &Scenario, seed: u64, step_s: f64) -> Result<Capacity, Error> {
        if scenario.radio.reception != Reception::Threshold {
            let fault = "must be \"threshold\" for a bound: by signal over noise there is no rule for which \
                         frames can be in the air together";
            return Err(Error::new("radio.reception", fault));
        }
        let access = scenario.mac.access;
        if matches!(access, AccessKind::Tdma | AccessKind::SlotReservation) {
            let fault = format!(
                "must not be {:?} for a bound: it counts the time of the DCF's exchanges",
                access.name()
            );
            return Err(Error::new("mac.access", fault));
        }
        if scenario.mac.edca {
            let fault = "must be false for a bound: it counts the wait for the medium before every frame, and a \
                         turn has many";
            return Err(Error::new("mac.edca", fault));
        }
        if !scenario.wires.is_empty() {
            let fault = "must not be given for a bound: it knows the air alone";
            return Err(Error::new("wires", fault));
        }
        if !scenario.interfaces.is_empty() {
            let fault = "must not be given for a bound: it knows one channel";
            return Err(Error::new("interfaces", fault));
        }
        // Where a signal no longer passes it disturbs nobody either, so a run could be above.
        let is_outage = |event: &EventTable| !matches!(event, EventTable::LinkFailure(_));
        if let Some(number) = scenario.events.iter().position(is_outage) {
            let fault = "must be \"link-failure\" for a bound: cuts change who disturbs whom";
            return Err(Error::new(format!("events.{number}.kind"), fault));
        }
        if scenario.radio.energy.as_ref().is_some_and(|energy| energy.battery_j.is_some()) {
            let fault = "must not be given for a bound: empty batteries change who disturbs whom";
            return Err(Error::new("radio.energy.battery_j", fault));
        }
        let network = scenario.network(seed)?;
        let timing = Timing::covering(&scenario.mac, scenario.profile, network.coverage);
        let rates = scenario.data_rates(&timing);
        let shapes =
            Shapes { timing: &timing, rates: &rates, is_mixed: is_mixed(scenario, &network) };
        let flows = network.flows.iter().enumerate();
        let [rts, cts] = [timing.rts(timing.rts_rate()), shapes.cts()];
        Ok(Capacity {
            nodes: network.positions.len(),
            duration_s: scenario.duration_s,
            seed,
            notes_captured: scenario.profile == Profile::Ns2,
            capture_ratio: Some(scenario.radio.capture_db.ratio())
                .filter(|ratio| ratio.is_finite()),
            sifs_s: timing.sifs.as_secs_f64(),
            difs_s: timing.difs.as_secs_f64(),
            eifs_s: timing.eifs.as_secs_f64(),
            rts_s: rts.as_secs_f64(),
            cts_s: cts.as_secs_f64(),
            node_names: scenario.topology.names.clone(),
            flows: flows.map(|(id, flow)| demand(scenario, id, flow, &shapes)).collect(),
            periods: periods(scenario, &network, seed, step_s),
        })
    }
}

/// Whether packets of different sizes may share an A-MPDU.
fn is_mixed(scenario: &Scenario, network: &Network) -> bool {
    let mut packets: Vec<Packet> =
        network.flows.iter().map(|flow| Packet::of(scenario, flow)).collect();
    packets.sort_unstable_by_key(|packet| packet.bytes);
    packets.dedup();
    packets.len() > 1 || packets.iter().any(|packet| !packet.is_even)
}

impl Packet {
    /// The size of the smallest that the flow may send \[bytes\].
    fn least_bytes(&self) -> u32 {
        if self.is_even { self.bytes } else { self.bytes - self.payload }
    }

    /// The least air time \[s\] of a frame with it at `rate`. Where smaller ones may waste less of
    /// their last symbol for each of their bytes, it counts no whole symbols.
    fn data_s(&self, timing: &Timing, rate: Rate) -> f64 {
        if self.is_even {
            return timing.data(self.bytes, rate).as_secs_f64();
        }
        let bits = f64::from(8 * (self.bytes + timing.data_overhead_bytes()));
        let bits_s = bits / timing.modulations()[rate.index()].rate_bps;
        timing.preamble(rate).as_secs_f64() + bits_s - ROUNDING_S
    }
}

fn demand(scenario: &Scenario, id: usize, flow: &FlowSpec, shapes: &Shapes) -> Demand {
    let packet = Packet::of(scenario, flow);
    Demand {
        id,
        name: flow.name.clone(),
        kind: flow.kind,
        source: flow.source.0,
        destination: flow.destination.0,
        hops: flow.shortest_hops,
        start_s: flow.start.as_secs_f64(),
        end_s: match flow.tcp {
            Some(_) => flow.stop.as_secs_f64().min(scenario.duration_s),
            None => scenario.duration_s,
        },
        payload_bytes: packet.payload,
        offered_bps: match &flow.load {
            FlowLoad::Cbr(cbr) => Some(cbr.rate_bps),
            _ => None,
        },
        exchange: shapes.exchange(&packet),
    }
}

/// The forms that an exchange of frames can take.
struct Shapes<'a> {
    timing: &'a Timing,
    rates: &'a [Rate],
    is_mixed: bool,
}

impl Shapes<'_> {
    fn cts(&self) -> Duration {
        self.timing.cts(self.timing.response_rate(self.timing.rts_rate()))
    }

    fn exchange(&self, packet: &Packet) -> Exchange {
        let mut least = Exchange {
            data_s: f64::INFINITY,
            core_s: f64::INFINITY,
            answered_s: f64::INFINITY,
            whole_s: f64::INFINITY,
            packets: 1,
            is_cleared: true,
        };
        let timing = self.timing;
        let gap = self.cts() + timing.sifs * 2;
        for &rate in self.rates {
            let answer = timing.ack(timing.response_rate(rate));
            let uses_rts = timing.uses_rts(packet.least_bytes());
            let is_long = timing.data(packet.least_bytes(), rate) > gap;
            let alone = self.timed(1, packet.data_s(timing, rate), answer, uses_rts, rate);
            least.take(&Exchange { is_cleared: uses_rts && is_long, ..alone });
            if packet.is_even {
                for (packets, bytes) in self.aggregates(packet.bytes, rate) {
                    let whole = timing.aggregate_airtime(bytes, rate);
                    let answer = timing.block_ack(timing.response_rate(rate));
                    let uses_rts = timing.aggregate_uses_rts(bytes);
                    least.take(&self.timed(packets, whole.as_secs_f64(), answer, uses_rts, rate));
                }
            }
            if let (true, Some(limits)) = (self.is_mixed, timing.aggregation) {
                // Of a frame with packets of several sizes each has an equal share of what they
                // share, at least.
                let shared = timing.preamble(rate).as_secs_f64() - ROUNDING_S;
                let rate_bps = timing.modulations()[rate.index()].rate_bps;
                let own_s = f64::from(8 * timing.aggregate_bytes(0, packet.bytes)) / rate_bps;
                let data_s = shared / limits.mpdus as f64 + own_s;
                let answer = timing.block_ack(timing.response_rate(rate));
                let all_s = data_s * limits.mpdus as f64;
                least.take(&self.timed(
                    limits.mpdus,
                    all_s,
                    answer,
                    timing.aggregate_uses_rts(0),
                    rate,
                ));
            }
        }
        least
    }

    /// A-MPDUs of such packets: how many, and the size.
    fn aggregates(&self, packet_bytes: u32, rate: Rate) -> Vec<(usize, u32)> {
        let timing = self.timing;
        let Some(limits) = timing.aggregation else { return Vec::new() };
        let mut bytes = timing.aggregate_bytes(0, packet_bytes);
        let mut found = Vec::new();
        for packets in 2..=limits.mpdus {
            if timing.aggregate_room(bytes, rate, None).is_none_or(|room| room < packet_bytes) {
                break;
            }
            bytes = timing.aggregate_bytes(bytes, packet_bytes);
            found.push((packets, bytes));
        }
        found
    }

    /// The share of one of `packets` in an exchange whose data frame lasts `data_s`.
    fn timed(
        &self,
        packets: usize,
        data_s: f64,
        answer: Duration,
        uses_rts: bool,
        rate: Rate,
    ) -> Exchange {
        let timing = self.timing;
        let cleared = match uses_rts {
            true => timing.rts(timing.rts_rate()) + self.cts() + timing.sifs * 2,
            false if timing.is_protected(rate) => timing.cts(timing.rts_rate()) + timing.sifs,
            false => Duration::ZERO,
        };
        let share = |seconds: f64| seconds / packets as f64;
        let core_s = cleared.as_secs_f64() + data_s;
        let answered_s = core_s + (timing.sifs + answer).as_secs_f64();
        Exchange {
            data_s: share(data_s),
            core_s: share(core_s),
            answered_s: share(answered_s),
            whole_s: share(answered_s + timing.difs.as_secs_f64()),
            packets,
            is_cleared: uses_rts,
        }
    }
}

impl Exchange {
    /// Makes it the least of both.
    fn take(&mut self, other: &Exchange) {
        self.data_s = self.data_s.min(other.data_s);
        self.core_s = self.core_s.min(other.core_s);
        self.answered_s = self.answered_s.min(other.answered_s);
        self.whole_s = self.whole_s.min(other.whole_s);
        self.packets = self.packets.max(other.packets);
        self.is_cleared &= other.is_cleared;
    }
}

fn periods(scenario: &Scenario, network: &Network, seed: u64, step_s: f64) -> Vec<Period> {
    let radio = &scenario.radio;
    let reach = Reach { receive_m: radio.receive_range_m, sense_m: radio.sense_range_m };
    let Some(movement) = &network.movement else {
        let neighbours = scenario.neighbours(&network.positions, reach, seed);
        let mut period = Period::empty(0.0, scenario.duration_s);
        for node in (0..network.positions.len() as u32).map(NodeId) {
            let decoding = neighbours.decoding(node).len();
            for (place, &Neighbour { node: other, power_w, .. }) in
                neighbours.sensing(node).iter().enumerate()
            {
                period.note(node.0, other.0, [power_w; 2], [place < decoding, true]);
            }
        }
        return vec![period];
    };
    let trails = movement.trails(Instant::from_secs_f64(scenario.duration_s));
    let path_loss = radio.path_loss();
    let count = (scenario.duration_s / step_s).ceil() as usize;
    (0..count)
        .map(|number| {
            let start_s = number as f64 * step_s;
            let end_s = (start_s + step_s).min(scenario.duration_s);
            moving_period(&trails, start_s, end_s, reach, &path_loss)
        })
        .collect()
}

fn moving_period(
    trails: &[Vec<[f64; 3]>],
    start_s: f64,
    end_s: f64,
    reach: Reach,
    path_loss: &PathLoss,
) -> Period {
    let mut period = Period::empty(start_s, end_s);
    let (from_s, to_s) = (start_s - MARGIN_S, end_s + MARGIN_S);
    let pieces: Vec<Vec<[f64; 3]>> =
        trails.iter().map(|trail| piece(trail, from_s, to_s)).collect();
    for a in 0..pieces.len() {
        for b in 0..a {
            let (near_m, far_m) = distances_m(&pieces[a], &pieces[b]);
            let (near_m, far_m) = (near_m * (1.0 - SLACK), far_m * (1.0 + SLACK));
            if near_m > reach.sense_m {
                continue;
            }
            let power_w = [near_m, far_m].map(|distance_m| path_loss.received_w(distance_m));
            let certain = [near_m <= reach.receive_m, far_m <= reach.sense_m];
            period.note(a as u32, b as u32, power_w, certain);
            period.note(b as u32, a as u32, power_w, certain);
        }
    }
    period
}

impl Period {
    fn empty(start_s: f64, end_s: f64) -> Period {
        let (ends, power_w, certain) = (Vec::new(), Vec::new(), Vec::new());
        Period { start_s, end_s, ends, power_w, certain }
    }

    fn note(&mut self, sender: u32, hearer: u32, power_w: [f64; 2], certain: [bool; 2]) {
        self.ends.push([sender, hearer]);
        self.power_w.push(power_w);
        self.certain.push(certain);
    }
}

/// A node's way between two times, as points (time, x, y) joined by straight lines.
fn piece(trail: &[[f64; 3]], from_s: f64, to_s: f64) -> Vec<[f64; 3]> {
    let inner = trail.iter().copied().filter(|knot| from_s < knot[0] && knot[0] < to_s);
    let mut points = vec![place(trail, from_s)];
    points.extend(inner);
    points.push(place(trail, to_s));
    points
}

/// Where a node is: before its trail at its start, after it at its end.
fn place(trail: &[[f64; 3]], at_s: f64) -> [f64; 3] {
    let next = trail.partition_point(|knot| knot[0] <= at_s);
    match (next.checked_sub(1).and_then(|last| trail.get(last)), trail.get(next)) {
        (Some(a), Some(b)) => {
            let share = (at_s - a[0]) / (b[0] - a[0]);
            [at_s, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]
        }
        (Some(&[_, x, y]), None) | (None, Some(&[_, x, y])) => [at_s, x, y],
        (None, None) => [at_s, 0.0, 0.0],
    }
}

/// The least and the greatest distance of two nodes \[m\] on ways over the same time.
fn distances_m(a: &[[f64; 3]], b: &[[f64; 3]]) -> (f64, f64) {
    let mut times: Vec<f64> = a.iter().chain(b).map(|knot| knot[0]).collect();
    times.sort_unstable_by(f64::total_cmp);
    let apart = times.iter().map(|&at_s| {
        let ([_, ax, ay], [_, bx, by]) = (place(a, at_s), place(b, at_s));
        [ax - bx, ay - by]
    });
    let apart: Vec<[f64; 2]> = apart.collect();
    let length = |[x, y]: [f64; 2]| x.hypot(y);
    let far_m = apart.iter().map(|&point| length(point)).fold(0.0, f64::max);
    let near_m = apart.windows(2).map(|ends| from_origin(ends[0], ends[1]));
    let near_m =
        near_m.fold(apart.iter().map(|&point| length(point)).fold(far_m, f64::min), f64::min);
    (near_m, far_m)
}

/// How far the line between two points is from the origin.
fn from_origin([x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> f64 {
    let (dx, dy) = (to_x - x, to_y - y);
    let length = dx * dx + dy * dy;
    let share = if length > 0.0 { (-(x * dx + y * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
    (x + dx * share).hypot(y + dy * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(text: &str) -> Capacity {
        let scenario = Scenario::from_toml(text, &[]).unwrap();
        Capacity::new(&scenario, 1, 1.0).unwrap()
    }

    const CHAIN: &str = "duration_s = 9\n[topology]\nkind = \"chain\"\nhops = 3\nspacing_m = 200\n\
                         [routing]\nscheme = \"static\"\n[[flows]]\nkind = \"ftp\"\nsource = 0\n\
                         destination = 3\n";

    #[test]
    fn an_exchange_is_the_sum_of_its_frames() {
        let Demand { exchange, payload_bytes, .. } = capacity(CHAIN).flows[0].clone();
        assert_eq!(payload_bytes, 1460);
        // 1460 + 40 + 34 bytes at 2 Mbit/s after 192 µs; RTS 352, CTS and ACK 304, SIFS 10, DIFS 50
        // µs.
        let micros = |seconds: f64| (seconds * 1e6).round();
        assert_eq!(micros(exchange.data_s), 6328.0);
        assert_eq!(micros(exchange.core_s), 352.0 + 10.0 + 304.0 + 10.0 + 6328.0);
        assert_eq!(micros(exchange.whole_s), 50.0 + 7004.0 + 10.0 + 304.0);
    }

    #[test]
    fn static_nodes_hear_each_other_as_they_do_in_a_run() {
        let Capacity { periods, .. } = capacity(CHAIN);
        let heard: Vec<_> = std::iter::zip(&periods[0].ends, &periods[0].certain)
            .filter(|(ends, _)| ends[0] == 0)
            .collect();
        assert_eq!(heard, [(&[0, 1], &[true, true]), (&[0, 2], &[false, true])]);
    }

    #[test]
    fn packets_of_an_a_mpdu_share_what_is_before_and_after_it() {
        let mac = "[mac]\nphy = \"802.11n\"\nmcs = 7\n";
        let alone = capacity(&format!("{CHAIN}{mac}")).flows[0].exchange;
        let shared = capacity(&format!("{CHAIN}{mac}aggregate = 8\n")).flows[0].exchange;
        assert_eq!((alone.packets, shared.packets), (1, 8));
        assert!(shared.whole_s < 0.6 * alone.whole_s, "{shared:?} {alone:?}");
        assert!(shared.whole_s > 1520.0 * 8.0 / 65e6, "{shared:?}");
    }

    #[test]
    fn a_file_may_end_in_a_packet_that_wastes_less_or_goes_without_rts() {
        let file = CHAIN.replace("kind = \"ftp\"", "kind = \"file\"\nbytes = 3000");
        let mac = "[mac]\nphy = \"802.11a\"\ndata_rate_bps = 6e6\nbasic_rate_bps = 6e6\n";
        let of = |text: &str| capacity(&format!("{text}{mac}")).flows[0].exchange;
        let micros = |seconds: f64| (seconds * 1e6 * 10.0).round() / 10.0;
        // 1534 bytes: with 22 bits of service and tail 512.25 symbols, or 2045.3 µs of bits alone;
        // preamble 20 µs.
        assert_eq!(micros(of(CHAIN).data_s), 20.0 + 513.0 * 4.0);
        assert_eq!(micros(of(&file).data_s), 20.0 + 2045.3);
        let with_threshold = format!("{mac}rts_threshold_bytes = 500\n");
        let exchange = capacity(&format!("{file}{with_threshold}")).flows[0].exchange;
        assert!(!exchange.is_cleared && exchange.core_s == exchange.data_s);
        assert!(capacity(&format!("{CHAIN}{with_threshold}")).flows[0].exchange.is_cleared);
    }

    #[test]
    fn distances_of_nodes_that_pass_each_other() {
        let a = [[0.0, -30.0, 0.0], [10.0, 30.0, 0.0]];
        let b = [[0.0, 0.0, 40.0], [10.0, 0.0, 40.0]];
        let (near_m, far_m) = distances_m(&piece(&a, -1.0, 11.0), &piece(&b, -1.0, 11.0));
        assert!((near_m - 40.0).abs() < 1e-9 && (far_m - 50.0).abs() < 1e-9);
    }

    #[test]
    fn reception_by_signal_and_noise_is_refused() {
        let text = format!("{CHAIN}[radio]\nreception = \"sinr\"\n[mac]\nphy = \"802.11a\"\n");
        let scenario = Scenario::from_toml(&text, &[]).unwrap();
        let error = Capacity::new(&scenario, 1, 1.0).unwrap_err();
        assert_eq!(error.key, "radio.reception");
    }
}
