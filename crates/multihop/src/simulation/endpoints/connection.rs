//! Transports that bring state machines of their own for both ends of a connection: what reaches
//! them, and the datagrams that they send.

use super::datagrams::Datagrams;
use super::ends::{Effect, Ends, EndsContext};
use super::flow::Tally;
use crate::capture::{Capture, Detail, NONE, SenderState, State};
use crate::kernel::{Instant, Purpose, Rng};
use crate::measure::Progress;
use crate::scenario::{self, FlowLoad};
use crate::simulation::event::{FlowTimer, Timer};
use crate::traffic::Way;
use crate::transport::{Account, Connection, End, TcpConfig};
use crate::wire::udp::{Carried, Datagram, UDP_HEADER_BYTES};
use crate::wire::{Body, Ecn, FlowId, NodeId, Packet};

/// A connection, and what its directions have achieved.
#[derive(Debug)]
pub struct ConnectionEnds {
    /// Unless it is over.
    connection: Option<Box<Connection>>,
    /// The flow that opens it, and the one that carries what goes back, if there is one.
    id: FlowId,
    back: Option<FlowId>,
    /// The source always has data.
    is_endless: bool,
    has_ecn: bool,
    accounts: [Account; 2],
    /// Datagrams that both ends have sent.
    sent: u32,
    /// Those with data that have arrived, of each direction.
    received: [Datagrams; 2],
}

impl ConnectionEnds {
    /// The connection that flow `id` opens; the flow with the answers, if `has_answers`, has the
    /// next number.
    pub fn new(
        id: FlowId,
        (spec, config): (&scenario::FlowSpec, &TcpConfig),
        has_answers: bool,
        seed: u64,
    ) -> ConnectionEnds {
        let mut rng = Rng::stream(seed, Purpose::Transport, u64::from(id.0));
        ConnectionEnds {
            connection: Some(Box::new(Connection::new(config, spec.is_two_way, &mut rng))),
            id,
            back: has_answers.then_some(FlowId(id.0 + 1)),
            is_endless: spec.load == FlowLoad::Endless,
            has_ecn: config.ecn,
            accounts: Default::default(),
            sent: 0,
            received: Default::default(),
        }
    }

    /// Calls the connection, unless it is over, because of `cause`, and carries out what follows.
    fn with_connection(
        &mut self,
        cause: Detail,
        cx: &mut EndsContext<'_>,
        call: impl FnOnce(&mut Connection, Instant),
    ) {
        let now = cx.clock.now();
        let Some(connection) = &mut self.connection else { return };
        call(connection, now);
        let step = connection.step(now);
        for (at, timer) in step.timers.into_iter().zip(FlowTimer::ALL) {
            cx.clock.keep(Timer::Flow(self.id, timer), at);
        }
        let accounts = End::BOTH.map(|end| connection.account(end));
        if connection.is_over() {
            self.connection = None;
        }
        let flows = [Some(self.id), self.back];
        for ((flow, account), kept) in flows.into_iter().zip(accounts).zip(&mut self.accounts) {
            let Some(id) = flow else { continue };
            note_account(id, (account, kept), cause, cx);
        }
        // Data belong to the flow that they are sent by, all else to the one that it answers.
        let answers = self.back.unwrap_or(self.id);
        let carriers = [(self.id, answers), (answers, self.id)];
        for (end, leaving) in End::BOTH.into_iter().zip(step.leaving) {
            for datagram in leaving {
                let (data, answers) = carriers[end as usize];
                let flow = if datagram.has_data { data } else { answers };
                let is_answer = !datagram.has_data;
                let (bytes, opener) = (datagram.bytes, self.id);
                let is_from_opener = end == End::Client;
                let carried = Carried { bytes, opener, is_from_opener, is_answer, tcp: None };
                let packet = self.datagram(flow, carried, cx);
                let marks = self.has_ecn && datagram.is_ecn_capable;
                let ecn = if marks { Ecn::Capable } else { Ecn::NotCapable };
                cx.effects.push(Effect::Send(flow, Packet { ecn, ..packet }));
            }
        }
        for (count, way) in step.delivered.into_iter().zip([Way::Forth, Way::Back]) {
            cx.effects.extend((0..count).map(|_| Effect::Delivered(self.id, way)));
        }
    }

    /// A packet of `flow` with what an end sends.
    fn datagram(&mut self, flow: FlowId, carried: Carried, cx: &EndsContext<'_>) -> Packet {
        let number = self.sent;
        self.sent += 1;
        let payload_bytes = carried.bytes.len() as u32;
        let is_from_source = (flow == carried.opener) == carried.is_from_opener;
        let body = Body::Udp(Datagram { flow, number, payload_bytes, carried: Some(carried) });
        let size_bytes = UDP_HEADER_BYTES + payload_bytes;
        cx.flows[flow.index()].packet(cx.clock.now(), is_from_source, size_bytes, body)
    }
}

impl Ends for ConnectionEnds {
    fn on_start(&mut self, cx: &mut EndsContext<'_>) {
        let is_endless = self.is_endless;
        self.with_connection(Detail::Start, cx, |connection, now| {
            connection.on_start(now);
            if is_endless {
                connection.on_supply(End::Client, u64::MAX);
            }
        });
    }

    /// The source closes the connection.
    fn on_stop(&mut self, way: Way, cx: &mut EndsContext<'_>) {
        if way == Way::Forth {
            self.with_connection(Detail::None, cx, |connection, now| connection.close(now));
        }
    }

    fn on_timer(&mut self, _: Way, timer: FlowTimer, cx: &mut EndsContext<'_>) {
        let end = if timer == FlowTimer::Retransmission { End::Client } else { End::Server };
        self.with_connection(Detail::Timeout, cx, |connection, now| connection.on_timer(now, end));
        if end == End::Client {
            cx.effects.push(Effect::Demand(cx.flows[self.id.index()].source));
        }
    }

    fn on_supply(&mut self, way: Way, bytes: u64, cx: &mut EndsContext<'_>) {
        self.with_connection(Detail::Supply, cx, |connection, _| {
            connection.on_supply(End::BOTH[way as usize], bytes);
        });
    }

    fn on_arrival(&mut self, way: Way, packet: &Packet, cx: &mut EndsContext<'_>) {
        let Body::Udp(Datagram { flow, number, payload_bytes, carried: Some(carried) }) =
            &packet.body
        else {
            return;
        };
        cx.monitor.fingerprint.add_numbered(*flow, *number);
        let flow = &mut cx.flows[flow.index()];
        // What the destination sends of the handshake is in a flow of one direction too, and none
        // of its data.
        let is_forward = !carried.is_answer && packet.destination == flow.destination;
        if is_forward && self.received[way as usize].on_arrival(*number, *payload_bytes) {
            flow.arrivals.count(cx.clock.now(), packet);
        }
        let end = if carried.is_from_opener { End::Server } else { End::Client };
        self.with_connection(Detail::NewAck, cx, |connection, now| {
            connection.on_datagram(now, end, packet.ecn, &carried.bytes);
        });
    }

    fn sent(&self, way: Way) -> u64 {
        self.accounts[way as usize].sent
    }

    fn progress(&self, way: Way) -> Progress {
        let Account { delivered_bytes, cwnd, .. } = self.accounts[way as usize];
        let packets = self.received[way as usize].packets();
        Progress { packets, bytes: delivered_bytes, cwnd }
    }

    fn tally(&self, way: Way, _: Instant) -> Tally {
        let account = &self.accounts[way as usize];
        let packets = self.received[way as usize].packets();
        Tally {
            delivered_bytes: account.delivered_bytes,
            delivered_segments: packets,
            unique_segments: packets,
            unique_bytes: account.delivered_bytes,
            acks_sent: Some(account.answers_sent),
            given_up: account.given_up,
            sent_segments: account.sent,
            retransmits: account.lost,
            timeouts: account.probe_timeouts,
            fast_retransmits: account.reductions,
            ecn_reductions: account.ecn_reductions,
            mean_rtt_s: account.mean_rtt_s,
            ..Tally::default()
        }
    }
}

/// Keeps `account`, what flow `id` has achieved, in the place of what was `kept`, and has a change
/// recorded.
fn note_account(
    id: FlowId,
    (account, kept): (Account, &mut Account),
    cause: Detail,
    cx: &mut EndsContext<'_>,
) {
    let before = std::mem::replace(kept, account);
    let now = cx.clock.now();
    let flow = &mut cx.flows[id.index()];
    if account.delivered_bytes != before.delivered_bytes {
        flow.steadiness.note(now, account.delivered_bytes);
    }
    if let Some(capture) = &mut cx.monitor.capture
        && account != before
    {
        let timer = cx.clock.deadline(Timer::Flow(id, FlowTimer::Retransmission));
        record(capture, now, (id, flow.source), cause, &account, timer);
    }
}

/// Tells the record of events of a connection's end, which has no numbers of segments and tells no
/// timeout.
#[cold]
fn record(
    capture: &mut Capture,
    now: Instant,
    at: (FlowId, NodeId),
    cause: Detail,
    account: &Account,
    timer: Instant,
) {
    let stage = match account.cwnd < account.ssthresh {
        true => State::SlowStart,
        false => State::CongestionAvoidance,
    };
    let state = SenderState {
        number: NONE,
        cwnd: account.cwnd as f32,
        ssthresh: account.ssthresh as f32,
        rto_s: f32::NAN,
        srtt_s: account.smoothed_rtt.map_or(f32::NAN, |rtt| rtt.as_secs_f64() as f32),
        timer_s: SenderState::until(now, timer),
    };
    capture.on_sender(now, at, cause, stage, state);
}
