"""Metrics of any scenario: goodput, delay, fairness, paths, frames, routing packets and queues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from multihop.metrics.access import (
    flow_key,
    mac_count,
    per_node_second,
    ratio,
    routing_count,
    total,
)
from multihop.metrics.registry import (
    BaselineMetric,
    BoundMetric,
    FlowMetric,
    Metric,
    RunMetric,
)
from multihop.result_types import FlowReport, RunResult
from multihop.results import is_udp, numbers
from multihop.statistics import jain


def _tcp_goodput(run: RunResult) -> float:
    return float(sum(flow["goodput_bps"] for flow in run["flows"] if not is_udp(flow)))


def _udp_goodput(run: RunResult) -> float:
    return total(run, "goodput_bps") - _tcp_goodput(run)


def _carried(run: RunResult) -> float:
    return total(run, "delivered_bytes") * 8 / float(run["scenario"]["duration_s"])


def _jain(run: RunResult) -> float:
    return jain(np.array([flow["goodput_bps"] for flow in run["flows"]]))


def _best_over_worst(run: RunResult) -> float:
    delivered = [flow["delivered_segments"] for flow in run["flows"]]
    return float(max(delivered) / max(1, min(delivered)))


def _over_packets(run: RunResult, name: str) -> float | None:
    """Mean over the packets of all flows that arrived, from each flow's own mean."""
    means = [(numbers(flow)[name], flow["arrived_segments"]) for flow in run["flows"]]
    parts = [(mean, count) for mean, count in means if mean is not None]
    return ratio(sum(mean * count for mean, count in parts), sum(count for _, count in parts))


def _rounded_hops(_run: RunResult, flow: FlowReport) -> float | None:
    return float(round(flow["mean_hops"])) if flow["mean_hops"] else None


def _stretch(_run: RunResult, flow: FlowReport) -> float | None:
    return ratio(flow["mean_hops"], flow["shortest_hops"] or 0) if flow["mean_hops"] else None


def _delay(name: str) -> Callable[[RunResult, FlowReport], float | None]:
    def value(_run: RunResult, flow: FlowReport) -> float | None:
        delay = flow["delay"]
        return None if delay is None else numbers(delay)[name]

    return value


def _sent_while_active(_run: RunResult, flow: FlowReport) -> float | None:
    return ratio(flow["sent_segments"], flow["stop_s"] - flow["start_s"] - flow["suspended_s"])


def _window_cuts(_run: RunResult, flow: FlowReport) -> float:
    return float(flow["timeouts"] + flow["fast_retransmits"] + flow["ecn_reductions"])


def _backoffs(run: RunResult) -> float | None:
    return per_node_second(run, run["mac"]["backoffs"])


def _rts_per_frame(run: RunResult) -> float | None:
    return ratio(run["mac"]["rts_sent"], run["mac"]["ack_sent"])


def _rts_success(run: RunResult) -> float | None:
    return ratio(run["mac"]["data_sent"], run["mac"]["rts_sent"])


def _frames_per_s(run: RunResult) -> float:
    return float(run["mac"]["data_sent"] / run["scenario"]["duration_s"])


def _dropping_ratio(run: RunResult) -> float | None:
    data = run["data"]
    is_none = data["transmitted_packets"] + data["dropped_packets"] == 0
    return None if is_none else data["dropping_ratio"]


def _routing_overhead(run: RunResult) -> float | None:
    routing = run["routing"]
    sent = routing["bytes_sent"] + routing.get("piggyback_bytes", 0)
    return ratio(sent, total(run, "delivered_bytes"))


def _discoveries_per_s(run: RunResult) -> float:
    return float(run["routing"]["discoveries"] / run["scenario"]["duration_s"])


def _replies_per_discovery(run: RunResult) -> float | None:
    return ratio(run["routing"]["replies_originated"], run["routing"]["discoveries"])


def _out_of_order_share(_run: RunResult, flow: FlowReport) -> float | None:
    return ratio(flow.get("out_of_order_segments", 0), flow.get("arrived_segments", 0))


def _stranded_packets(run: RunResult) -> float | None:
    routing = run["routing"]
    return ratio(routing.get("stranded_packets", 0), routing["link_failures"])


def fullest_relay(name: str) -> Callable[[RunResult], float | None]:
    """A number of the fullest relay's queue; None where queues were not recorded."""
    return lambda run: next(
        (
            numbers(queue)[name]
            for queue in run.get("queues", [])
            if queue["node"] == run["fullest_relay"]
        ),
        None,
    )


def _longest_queue(run: RunResult) -> float | None:
    return max((queue["max_packets"] for queue in run.get("queues", [])), default=None)


METRICS: list[Metric] = [
    FlowMetric("goodput_bps", "bit/s",
               "In-order payload at the receiver per second of the flow's life.",
               flow_key("goodput_bps")),
    FlowMetric("throughput_bps", "bit/s",
               "Payload at the receiver per second of the flow's life, in order or not, "
               "duplicates excluded.",
               flow_key("unique_bps")),
    BaselineMetric("over_baseline", "",
                   "The flow's goodput over its goodput under the study's baseline, on the same "
                   "network.",
                   "goodput_bps"),
    FlowMetric("acked_segments", "segments",
               "Highest cumulative acknowledgment at the sender when the flow stops.",
               flow_key("acked_segments")),
    FlowMetric("delivered_segments", "segments",
               "In-order segments at the receiver; packets received over UDP.",
               flow_key("delivered_segments")),
    FlowMetric("mean_delay_s", "s",
               "From when the sender hands a packet down to when it arrives, packets that arrived "
               "only; a retransmission is a packet of its own.",
               flow_key("mean_delay_s")),
    *(FlowMetric(f"delay_{quantile}", "s",
                 f"The delay that {share} of the flow's packets do not exceed.", _delay(quantile))
      for quantile, share in (("p50_s", "half"), ("p95_s", "95 %"), ("p99_s", "99 %"))),
    FlowMetric("jitter_s", "s",
               "Mean difference between the delays of packets that arrive one after the other.",
               _delay("jitter_s")),
    FlowMetric("mean_mac_delay_s", "s",
               "From the source's interface queue to the destination's MAC, data packets that "
               "arrived only.",
               flow_key("mean_mac_delay_s")),
    FlowMetric("mean_rtt_s", "s", "Mean of the round-trip times that the TCP sender measured.",
               flow_key("mean_rtt_s")),
    FlowMetric("mean_hops", "hops", "Hops taken by a data packet that arrived.",
               flow_key("mean_hops")),
    FlowMetric("least_observed_hops", "hops",
               "Fewest hops taken by any data packet that arrived; `least_hops` is the least that "
               "the network offered.",
               flow_key("least_observed_hops")),
    FlowMetric("rounded_hops", "hops",
               "Hops taken by a data packet that arrived, the mean rounded to an integer.",
               _rounded_hops),
    FlowMetric("stretch", "", "Mean hops of packets that arrived over those of a shortest path.",
               _stretch),
    FlowMetric("sent_segments", "segments", "Segments sent, retransmissions included.",
               flow_key("sent_segments")),
    FlowMetric("sent_while_active_per_s", "segments/s",
               "Segments sent per second in which the sender was neither frozen nor in standby.",
               _sent_while_active),
    FlowMetric("goodput_variation", "",
               "Standard deviation over mean of the goodput in each second of the flow's life.",
               flow_key("goodput_variation")),
    FlowMetric("silent_share", "",
               "Share of the seconds of the flow's life in which nothing was delivered.",
               flow_key("silent_share")),
    FlowMetric("longest_silence_s", "s", "The longest time without a delivery.",
               flow_key("longest_silence_s")),
    FlowMetric("timeouts", "", "Expiries of the retransmission timer.", flow_key("timeouts")),
    FlowMetric("retransmits", "segments", "Segments retransmitted.", flow_key("retransmits")),
    FlowMetric("window_cuts", "",
               "Reductions of the congestion window: timeouts, fast retransmissions, marks heeded.",
               _window_cuts),
    FlowMetric("acks_sent", "", "Acknowledgments that the receiver sent.", flow_key("acks_sent")),
    FlowMetric("mean_cwnd_segments", "segments",
               "Mean congestion window; needs a recorded series.", flow_key("mean_cwnd_segments")),
    FlowMetric("suspended_s", "s", "Time frozen or in standby.", flow_key("suspended_s")),
    FlowMetric("route_errors", "", "Route errors that the sender received.",
               flow_key("route_errors")),
    FlowMetric("discoveries", "", "Route discoveries of either end for the other.",
               flow_key("discoveries")),
    FlowMetric("freezes", "", "Entries into the frozen state (ELFN).", flow_key("freezes")),
    FlowMetric("out_of_order_share", "",
               "Share of the arriving segments that came before one with a lower number.",
               _out_of_order_share),
    FlowMetric("standbys", "", "Entries into standby.", flow_key("standbys")),
    RunMetric("total_goodput_bps", "bit/s", "Goodput summed over the flows.",
              lambda run: total(run, "goodput_bps")),
    RunMetric("carried_bps", "bit/s",
              "In-order payload of all flows per second of the run; of short flows, whose lives "
              "differ, `total_goodput_bps` says nothing.",
              _carried),
    BoundMetric("share_of_bound", "",
                "Payload of all flows that arrived over the most that any routing, scheduling and "
                "transport could have carried in the same time."),
    RunMetric("tcp_goodput_bps", "bit/s", "Goodput summed over the TCP flows.", _tcp_goodput),
    RunMetric("udp_goodput_bps", "bit/s", "Goodput summed over the UDP flows.", _udp_goodput),
    RunMetric("total_throughput_bps", "bit/s", "Throughput summed over the flows.",
              lambda run: total(run, "unique_bps")),
    RunMetric("jain", "", "Jain's index of the flows' goodputs, 1/n to 1.", _jain),
    RunMetric("best_over_worst", "",
              "Most segments delivered to any flow over the fewest, which count as at least 1.",
              _best_over_worst),
    RunMetric("packet_delay_s", "s", "Mean delay over all packets that arrived.",
              lambda run: _over_packets(run, "mean_delay_s")),
    RunMetric("packet_mac_delay_s", "s",
              "Mean delay between the MACs of both ends over all packets that arrived.",
              lambda run: _over_packets(run, "mean_mac_delay_s")),
    RunMetric("path_length", "hops", "Mean hops taken by all packets that arrived.",
              lambda run: _over_packets(run, "mean_hops")),
    RunMetric("dropping_ratio", "",
              "Data packets dropped anywhere (retry limit, full queue, no route), each once, over "
              "those that reached their source's interface queue or were dropped before it, "
              "retransmissions included.",
              _dropping_ratio),
    RunMetric("backoffs_per_node_s", "1/s",
              "MAC backoffs per node and second, over all nodes and the whole run.", _backoffs),
    RunMetric("rts_per_frame", "", "RTS frames sent for each unicast frame that arrived.",
              _rts_per_frame),
    RunMetric("rts_success", "", "Unicast data frames sent per RTS sent.", _rts_success),
    RunMetric("frames_per_s", "1/s",
              "Unicast frames sent per second, each attempt and each hop counted.", _frames_per_s),
    RunMetric("collisions", "frames", "Frames lost at a receiver to another frame.",
              mac_count("collisions")),
    RunMetric("routing_overhead", "",
              "Bytes of routing packets sent, and of what relays added to other packets, each hop "
              "counted, over payload delivered.", _routing_overhead),
    RunMetric("routing_packets", "packets", "Routing packets sent, each hop counted.",
              routing_count("packets_sent")),
    RunMetric("routing_bytes", "bytes", "Bytes of routing packets sent, each hop counted.",
              routing_count("bytes_sent")),
    RunMetric("route_errors_sent", "", "Route errors that nodes originated.",
              routing_count("errors_originated")),
    RunMetric("discoveries_per_s", "1/s", "Route discoveries started per second.",
              _discoveries_per_s),
    RunMetric("replies_per_discovery", "", "Route replies originated per discovery started.",
              _replies_per_discovery),
    RunMetric("link_failures", "", "Data packets that the MAC failed to deliver to the next hop.",
              routing_count("link_failures")),
    RunMetric("queue_packets", "packets", "Mean length of an interface queue.",
              lambda run: run["queue"]["mean_packets"]),
    RunMetric("queue_drops", "packets", "Packets dropped by full interface queues.",
              lambda run: float(run["queue"]["drops"])),
    RunMetric("codel_drops", "packets",
              "Packets dropped as they had waited too long in interface queues.",
              lambda run: float(run["queue"]["codel_drops"])),
    RunMetric("ecn_marks", "packets", "Packets marked in place of that.",
              lambda run: float(run["queue"]["ecn_marks"])),
    RunMetric("stranded_packets", "packets",
              "Data packets waiting for the next hop when its link failed, per failure.",
              _stranded_packets),
    RunMetric("false_link_failures", "",
              "Link failures reported although the neighbour was in range.",
              routing_count("false_link_failures")),
    RunMetric("longest_queue", "packets",
              "Most packets that ever waited in one interface queue; needs queue_classes.",
              _longest_queue),
    RunMetric("relay_data", "packets",
              "Mean data packets in the fullest relay's queue; needs queue_classes.",
              fullest_relay("mean_data")),
    RunMetric("relay_max_data", "packets",
              "Most data packets in the fullest relay's queue; needs queue_classes.",
              fullest_relay("max_data")),
]  # fmt: skip
