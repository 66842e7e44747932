//! What a flow achieved.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Instant;
use crate::measure::{DelayReport, TransferReport, VoiceReport};
use crate::scenario::FlowLoad;
use crate::simulation::endpoints::{Endpoints, Flow};
use crate::simulation::recorder::Recorder;

/// What a flow achieved, at its stop (packets over UDP are counted to the end of the run).
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FlowReport {
    /// Its number, in the order of the scenario.
    pub id: u32,
    /// The kind of its table.
    pub kind: &'static str,
    /// The name of its table, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its place in the Poisson process by which its table's flows arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival: Option<u32>,
    /// The flow that opened the connection, if this one is what goes back over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u32>,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Start \[s\].
    pub start_s: f64,
    /// Stop \[s\]; that of a file is when it had arrived.
    pub stop_s: f64,
    /// Hops of a shortest path between the initial positions; none if there is none.
    pub shortest_hops: Option<u32>,
    /// Hops of the shortest path at any whole second of the run; none if there is none then.
    pub least_hops: Option<u32>,
    /// In-order payload at the receiver per second of the flow's life \[bit/s\].
    pub goodput_bps: f64,
    /// In-order payload at the receiver \[bytes\].
    pub delivered_bytes: u64,
    /// In-order segments at the receiver, or packets received (UDP, QUIC).
    pub delivered_segments: u64,
    /// Highest cumulative ACK at the sender (TCP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acked_segments: Option<u64>,
    /// Payload of a packet \[bytes\] (CBR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_bytes: Option<u32>,
    /// Payload sent \[bit/s\] (CBR).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<f64>,
    /// Packets received (UDP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_packets: Option<u64>,
    /// Segments that arrived, each counted once, whatever their order; packets received.
    pub unique_segments: u64,
    /// Payload of these per second of the flow's life \[bit/s\].
    pub unique_bps: f64,
    /// Acknowledgments that the receiver sent in packets of their own (TCP), or its datagrams
    /// without data (QUIC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acks_sent: Option<u64>,
    /// When an end gave the connection up because nothing came any more (QUIC) \[s\]; the flow is
    /// silent from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_up_s: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub sent_segments: u64,
    /// Segments sent again; packets taken for lost (QUIC).
    pub retransmits: u64,
    /// Expiries of the retransmission timer, or of the probe timeout (QUIC).
    pub timeouts: u64,
    /// Losses noticed by duplicate acknowledgments; reductions of the window for losses (QUIC).
    pub fast_retransmits: u64,
    /// Reductions of the window for marks of congested nodes (ECN).
    pub ecn_reductions: u64,
    /// Route errors that the sender heard, whatever it made of them.
    pub route_errors: u64,
    /// Those of them that came while it was suspended already.
    pub route_errors_suspended: u64,
    /// Times that the sender froze on a route error.
    pub freezes: u64,
    /// Times that the sender stood by after a route error.
    pub standbys: u64,
    /// Segments sent as probes of a broken route.
    pub probes: u64,
    /// Time that the sender was suspended so \[s\].
    pub suspended_s: f64,
    /// Data segments that arrived, duplicates included.
    pub arrived_segments: u64,
    /// Those of them that arrived before one with a lower number did (TCP).
    pub out_of_order_segments: u64,
    /// Route discoveries of either end for the other.
    pub discoveries: u64,
    /// Mean of the round-trip times that the TCP sender measured \[s\]; none if it measured none.
    pub mean_rtt_s: Option<f64>,
    /// Mean time from the sender's handing down a packet to its arrival \[s\]; none if none
    /// arrived.
    pub mean_delay_s: Option<f64>,
    /// How these times are spread; none if none arrived.
    pub delay: Option<DelayReport>,
    /// Mean time of an arriving data packet from its source's interface queue to its destination's
    /// MAC \[s\].
    pub mean_mac_delay_s: Option<f64>,
    /// Mean links crossed by an arriving data packet.
    pub mean_hops: Option<f64>,
    /// Fewest links crossed by an arriving data packet; none if none arrived.
    pub least_observed_hops: Option<u32>,
    /// Goodput sampled each second of the flow's life: standard deviation over mean.
    pub goodput_variation: Option<f64>,
    /// Share of those seconds in which nothing was delivered in order.
    pub silent_share: f64,
    /// The longest time in which nothing was delivered in order \[s\].
    pub longest_silence_s: f64,
    /// Time from a file's start until its last byte had arrived in order \[s\], if that was before
    /// the flow's stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_s: Option<f64>,
    /// What users waited for, over TCP: files, responses, pages, messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfers: Option<TransferReport>,
    /// How a call was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<VoiceReport>,
    /// Mean congestion window of the samples, if series are recorded \[segments\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_cwnd_segments: Option<f64>,
}

impl FlowReport {
    /// The report of `flow` at `now`.
    pub(super) fn new(
        flow: &Flow,
        endpoints: &Endpoints,
        now: Instant,
        recorder: &Recorder,
    ) -> FlowReport {
        let (ends, way) = endpoints.ends_of(flow);
        let at_end = ends.tally(way, now);
        let tally = flow.at_stop.filter(|_| ends.is_reliable()).unwrap_or(at_end);
        let link_failure = tally.link_failure;
        let (packet_bytes, rate_bps) = match &flow.load {
            FlowLoad::Cbr(cbr) => (Some(cbr.packet_bytes), Some(cbr.rate_bps)),
            _ => (None, None),
        };
        let arrived = flow.arrivals.packets as f64;
        let mean = |sum: f64| (arrived > 0.0).then(|| sum / arrived);
        // A flow lives no longer than the run.
        let life_s = (flow.stop.min(now).max(flow.start) - flow.start).as_secs_f64();
        let per_second = |bytes: u64| if life_s > 0.0 { bytes as f64 * 8.0 / life_s } else { 0.0 };
        let steadiness = flow.steadiness.report(now);
        FlowReport {
            id: flow.id.0,
            kind: flow.kind,
            name: flow.name.clone(),
            arrival: flow.arrival,
            answers: flow.answers.map(|flow| flow.0),
            source: flow.source.0,
            destination: flow.destination.0,
            start_s: flow.start.as_secs_f64(),
            stop_s: flow.stop.as_secs_f64(),
            shortest_hops: flow.shortest_hops,
            least_hops: flow.least_hops,
            goodput_bps: per_second(tally.delivered_bytes),
            delivered_bytes: tally.delivered_bytes,
            delivered_segments: tally.delivered_segments,
            acked_segments: tally.acked_segments,
            packet_bytes,
            rate_bps,
            received_packets: (!ends.is_reliable()).then_some(tally.delivered_segments),
            unique_segments: tally.unique_segments,
            unique_bps: per_second(tally.unique_bytes),
            acks_sent: tally.acks_sent,
            given_up_s: at_end.given_up.map(Instant::as_secs_f64),
            sent_segments: tally.sent_segments,
            retransmits: tally.retransmits,
            timeouts: tally.timeouts,
            fast_retransmits: tally.fast_retransmits,
            ecn_reductions: tally.ecn_reductions,
            route_errors: link_failure.route_errors,
            route_errors_suspended: link_failure.route_errors_suspended,
            freezes: link_failure.freezes,
            standbys: link_failure.standbys,
            probes: link_failure.probes,
            suspended_s: link_failure.suspended.as_secs_f64(),
            arrived_segments: flow.arrivals.packets,
            out_of_order_segments: at_end.out_of_order_segments,
            discoveries: flow.discoveries,
            mean_rtt_s: tally.mean_rtt_s,
            mean_delay_s: flow.arrivals.delays.mean_s(),
            delay: flow.arrivals.delays.report(),
            mean_mac_delay_s: mean(flow.arrivals.mac_delay_s),
            mean_hops: mean(flow.arrivals.hops as f64),
            least_observed_hops: flow.arrivals.least_hops,
            goodput_variation: steadiness.variation,
            silent_share: steadiness.silent_share,
            longest_silence_s: steadiness.longest_silence_s,
            completion_s: match &flow.load {
                FlowLoad::File(_) => flow.transfers.first_time_s(),
                _ => None,
            },
            transfers: flow.transfers.report(),
            voice: flow.voice_report(now),
            mean_cwnd_segments: recorder.mean_cwnd(flow.id),
        }
    }
}
