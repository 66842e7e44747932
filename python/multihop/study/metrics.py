"""The metrics: what each is, of a flow or of a whole run.

A metric of a flow is a column of `StudyResults.flows`, one of a run a column of
`StudyResults.runs`. A mean over flows is taken over all flows of all networks, so a starved flow
weighs like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from multihop.study import used_links
from multihop.study.estimates import jain
from multihop.study.paths import (
    coupled_share,
    longest_life,
    rediscovered_shortest,
    shortest_life,
)

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of each flow, or of each run, worked out from the result's JSON."""

    name: str
    level: Literal["flow", "run"]
    unit: str
    definition: str
    of: Callable[[Json, Json], float | None]
    """From the run's JSON and the flow's (of a run: the run's twice)."""


def _key(name: str) -> Callable[[Json, Json], float | None]:
    return lambda _run, flow: flow.get(name)


def _total(run: Json, name: str) -> float:
    return float(sum(flow.get(name) or 0 for flow in run["flows"]))


def _tcp(run: Json) -> list[Json]:
    return [flow for flow in run["flows"] if flow["kind"] == "ftp"]


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None


def _weighted(run: Json, name: str) -> float | None:
    """Mean over the packets that arrived, of all flows, from each flow's mean over its own."""
    parts = [
        (flow[name], flow["arrived_segments"]) for flow in run["flows"] if flow[name] is not None
    ]
    return _ratio(sum(mean * count for mean, count in parts), sum(count for _, count in parts))


def _backoffs(run: Json, _flow: Json) -> float | None:
    return _ratio(run["mac"]["backoffs"], len(run["positions_m"]) * run["scenario"]["duration_s"])


def _contention_backoffs(run: Json, _flow: Json) -> float | None:
    counted = run["mac"]["backoffs_busy"] + run["mac"]["backoffs_retry"]
    return _ratio(counted, len(run["positions_m"]) * run["scenario"]["duration_s"])


def _routing_overhead(run: Json, _flow: Json) -> float | None:
    routing = run["routing"]
    sent = routing["bytes_sent"] + routing.get("piggyback_bytes", 0)
    return _ratio(sent, _total(run, "delivered_bytes"))


def _busiest_relay(name: str) -> Callable[[Json, Json], float | None]:
    """A number of the busiest relay, where there is a relay."""
    return lambda run, _: run["bottleneck"][name] if run.get("bottleneck") else None


def _busiest_relay_flows(run: Json, _flow: Json) -> float | None:
    if not run.get("bottleneck") or not run.get("links"):
        return None
    node = run["bottleneck"]["node"]
    return float(len({link["flow"] for link in run["links"] if link["from"] == node}))


def _congested_spell(run: Json, _flow: Json) -> float | None:
    counted = run["mac"].get("admission")
    return _ratio(counted["congested_s"], counted["congestions"]) if counted else None


def _dropping_ratio(run: Json, _flow: Json) -> float | None:
    return _ratio(run["data"]["dropped_packets"], run["data"]["transmitted_packets"])


def _bottleneck_throughput(run: Json, _flow: Json) -> float | None:
    bottleneck = run.get("bottleneck")
    return bottleneck["effective_throughput_bps"] if bottleneck else None


def _of_paths(above: str, below: str) -> Callable[[Json, Json], float | None]:
    """Ratio of two totals over the paths that a flow's (or a run's) discoveries found."""

    def of(run: Json, flow: Json) -> float | None:
        totals = run.get("multipath") if flow is run else flow.get("paths")
        return _ratio(totals[above], totals[below]) if totals else None

    return of


def _paths_per_discovery(_run: Json, flow: Json) -> float | None:
    paths = flow.get("paths")
    return _ratio(paths["paths_found"], sum(paths["discoveries_by_paths"])) if paths else None


def _path_failures(_run: Json, flow: Json) -> float | None:
    paths = flow.get("paths")
    return float(paths["paths_lost"]) if paths else flow.get("route_errors")


def _contenders(run: Json, flow: Json) -> float:
    """Ends of other flows within sensing range of either end, at the start."""
    places = np.array(run["positions_m"])
    own = {flow["source"], flow["destination"]}
    others = {other[end] for other in run["flows"] for end in ("source", "destination")} - own
    sensing_m = run["scenario"]["radio"]["sense_range_m"]
    gaps = places[sorted(others)][:, None] - places[sorted(own)][None]
    return float((np.hypot(gaps[..., 0], gaps[..., 1]).min(axis=1) <= sensing_m).sum())


def _relay(name: str) -> Callable[[Json, Json], float | None]:
    """A number of the fullest relay's queue, where queues were recorded."""
    return lambda run, _: next(
        (queue[name] for queue in run.get("queues", []) if queue["node"] == run["fullest_relay"]),
        None,
    )


def _longest_queue(run: Json, _flow: Json) -> float | None:
    return max((queue["max_packets"] for queue in run.get("queues", [])), default=None)


def _sources_share(run: Json, _flow: Json) -> float | None:
    waiting = [(queue["is_source"], queue["mean_data"]) for queue in run.get("queues", [])]
    return _ratio(sum(data for is_source, data in waiting if is_source),
                  sum(data for _, data in waiting))  # fmt: skip


def _queue_rtt(run: Json, _flow: Json) -> float | None:
    """Pearson's correlation over flows of round trip and data waiting in the queues on the way."""
    waiting = {queue["node"]: queue["mean_data"] for queue in run.get("queues", [])}
    pairs = []
    for flow in run["flows"]:
        links = [link for link in run.get("links", []) if link["flow"] == flow["id"]]
        packets = sum(link["packets"] for link in links)
        if waiting and packets and flow["mean_hops"] and flow["mean_rtt_s"] is not None:
            at_link = sum(waiting[link["from"]] * link["packets"] for link in links) / packets
            pairs.append((at_link * flow["mean_hops"], flow["mean_rtt_s"]))
    if len(pairs) < 3 or np.ptp(pairs, axis=0).min() == 0.0:
        return None
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


def _best_over_worst(run: Json, _flow: Json) -> float:
    delivered = [flow["delivered_segments"] for flow in run["flows"]]
    return float(max(delivered) / max(1, min(delivered)))


def _copas(of: Callable[[Json], float | None]) -> Callable[[Json, Json], float | None]:
    """A number of COPAS's counters, where there are any."""
    return lambda run, _: of(run["copas"]) if run.get("copas") else None


def _choices(of: Callable[[Json], float | None]) -> Callable[[Json, Json], float | None]:
    """Mean of a number of each path that the centre chose, where there is a centre."""

    def mean(run: Json, _flow: Json) -> float | None:
        choices = run["centre"]["choices"] if run.get("centre") else []
        numbers = [number for choice in choices if (number := of(choice)) is not None]
        return float(np.mean(numbers)) if numbers else None

    return mean


def _bottleneck_spread(choice: Json) -> float | None:
    weights = choice["bottlenecks"]
    return float(np.ptp(weights) / np.mean(weights)) if len(weights) > 1 else None


METRICS = {
    metric.name: metric
    for metric in [
        Metric("goodput_bps", "flow", "bit/s",
               "In-order payload at the receiver per second of the flow's life.",
               _key("goodput_bps")),
        Metric("throughput_bps", "flow", "bit/s",
               "Payload at the receiver per second of the flow's life, whatever its order, "
               "duplicates excluded.",
               _key("unique_bps")),
        Metric("over_baseline", "flow", "",
               "The flow's goodput over that of the study's baseline on the same network.",
               lambda _run, _flow: None),
        Metric("acked_segments", "flow", "segments",
               "Highest cumulative acknowledgement at the sender when the flow stops.",
               _key("acked_segments")),
        Metric("delivered_segments", "flow", "segments",
               "In-order segments at the receiver; packets received for CBR.",
               _key("delivered_segments")),
        Metric("mean_delay_s", "flow", "s",
               "From the sender's handing a packet down to its arrival, packets that arrived only; "
               "a retransmission is a packet of its own.",
               _key("mean_delay_s")),
        Metric("mean_mac_delay_s", "flow", "s",
               "From the source's interface queue to the destination's MAC, data packets that "
               "arrived only.",
               _key("mean_mac_delay_s")),
        Metric("mean_rtt_s", "flow", "s",
               "Mean of the round-trip times that the TCP sender measured.", _key("mean_rtt_s")),
        Metric("mean_hops", "flow", "hops", "Links crossed by a data packet that arrived.",
               _key("mean_hops")),
        Metric("whole_hops", "flow", "hops",
               "Links crossed by a delivered data packet, the mean rounded to whole hops.",
               lambda _run, flow: float(round(flow["mean_hops"])) if flow["mean_hops"] else None),
        Metric("stretch", "flow", "", "Mean hops of packets that arrived over the shortest path's.",
               lambda _run, flow: _ratio(flow["mean_hops"] or 0, flow["shortest_hops"] or 0)
               if flow["mean_hops"] else None),
        Metric("straight_share", "flow", "",
               "Share of the packets that went through every node on the straight line from source "
               "to destination (needs recorded links).", used_links.straight_share),
        Metric("endpoint_in_congestion", "flow", "",
               "1 if an end is in sensing range of another flow's main links, 0 if only relays; "
               "none if no node is (needs recorded links).", used_links.endpoint_in_congestion),
        Metric("sent_segments", "flow", "segments", "Segments sent, retransmissions included.",
               _key("sent_segments")),
        Metric("goodput_variation", "flow", "",
               "Standard deviation over mean of the goodput in each second of the flow's life.",
               _key("goodput_variation")),
        Metric("silent_share", "flow", "",
               "Share of the seconds of the flow's life in which nothing was delivered.",
               _key("silent_share")),
        Metric("longest_silence_s", "flow", "s", "The longest time without a delivery.",
               _key("longest_silence_s")),
        Metric("timeouts", "flow", "", "Expiries of the retransmission timer.", _key("timeouts")),
        Metric("retransmits", "flow", "segments", "Segments sent again.", _key("retransmits")),
        Metric("window_cuts", "flow", "",
               "Reductions of the congestion window: timeouts and fast retransmissions.",
               lambda _run, flow: float(flow["timeouts"] + flow["fast_retransmits"])),
        Metric("acks_sent", "flow", "", "Acknowledgments that the receiver sent.",
               _key("acks_sent")),
        Metric("freezes", "flow", "", "Entries into the frozen state (ELFN).", _key("freezes")),
        Metric("suspended_s", "flow", "s", "Time frozen or in standby.", _key("suspended_s")),
        Metric("route_errors", "flow", "", "Route errors that the sender heard.",
               _key("route_errors")),
        Metric("out_of_order_share", "flow", "",
               "Share of the arriving segments that came before one with a lower number.",
               lambda _run, flow: _ratio(
                   flow.get("out_of_order_segments", 0), flow.get("arrived_segments", 0))),
        Metric("discoveries", "flow", "", "Route discoveries of either end for the other.",
               _key("discoveries")),
        Metric("standbys", "flow", "", "Entries into standby.", _key("standbys")),
        Metric("path_failures", "flow", "",
               "Paths that the source heard to have failed; of a single path, its route errors.",
               _path_failures),
        Metric("paths_per_discovery", "flow", "paths",
               "Paths that a successful discovery found (multipath AODV).", _paths_per_discovery),
        Metric("path_life_s", "flow", "s",
               "From the source's hearing of a path to its hearing of the failure, failed paths "
               "only (multipath AODV).", _of_paths("life_total_s", "paths_lost")),
        Metric("longest_life_s", "flow", "s",
               "Life of the longest-lived path of a discovery, of those that found several paths "
               "and lost all (multipath AODV, paths recorded).", longest_life),
        Metric("shortest_life_s", "flow", "s", "Life of the shortest-lived path of the same.",
               shortest_life),
        Metric("coupled_share", "flow", "",
               "Share of the pairs of paths of one discovery in which every relay is within 550 m "
               "of a relay of the other path, at the start (multipath AODV, paths recorded).",
               coupled_share),
        Metric("rediscovered_shortest", "flow", "",
               "Share of the discoveries after the first whose shortest path has the hops of a "
               "shortest path (multipath AODV, paths recorded).", rediscovered_shortest),
        Metric("alternate_stretch", "run", "",
               "Hops of a discovery's further paths over those of its shortest (multipath AODV).",
               _of_paths("alternate_hops_total", "alternate_shortest_hops_total")),
        Metric("mean_cwnd_segments", "flow", "segments",
               "Mean congestion window; needs a recorded series.", _key("mean_cwnd_segments")),
        Metric("contenders", "flow", "nodes",
               "Ends of other flows within sensing range of either end, at the start.",
               _contenders),
        Metric("total_goodput_bps", "run", "bit/s", "Goodput summed over the flows.",
               lambda run, _: _total(run, "goodput_bps")),
        Metric("tcp_goodput_bps", "run", "bit/s", "Goodput summed over the TCP flows.",
               lambda run, _: sum(flow["goodput_bps"] for flow in _tcp(run))),
        Metric("udp_goodput_bps", "run", "bit/s", "Goodput summed over the CBR flows.",
               lambda run, _: _total(run, "goodput_bps")
               - sum(flow["goodput_bps"] for flow in _tcp(run))),
        Metric("total_throughput_bps", "run", "bit/s", "Throughput summed over the flows.",
               lambda run, _: _total(run, "unique_bps")),
        Metric("bottleneck_throughput_bps", "run", "bit/s",
               "Payload of data packets that the MAC of the busiest relay got acknowledged, per "
               "second: its effective throughput.", _busiest_relay("effective_throughput_bps")),
        Metric("jain", "run", "", "Jain's index of the flows' goodputs, 1/n to 1.",
               lambda run, _: jain(np.array([flow["goodput_bps"] for flow in run["flows"]]))),
        Metric("packet_delay_s", "run", "s", "Mean delay over all packets that arrived.",
               lambda run, _: _weighted(run, "mean_delay_s")),
        Metric("packet_mac_delay_s", "run", "s",
               "Mean delay between the MACs of both ends over all packets that arrived.",
               lambda run, _: _weighted(run, "mean_mac_delay_s")),
        Metric("path_length", "run", "hops", "Mean links crossed by all packets that arrived.",
               lambda run, _: _weighted(run, "mean_hops")),
        Metric("backoffs_per_node_s", "run", "1/s",
               "MAC backoffs per node and second, over all nodes and the whole run.", _backoffs),
        Metric("contention_backoffs_per_node_s", "run", "1/s",
               "MAC backoffs for a busy medium or a missing answer per node and second, over all "
               "nodes and the whole run.", _contention_backoffs),
        Metric("routing_overhead", "run", "",
               "Bytes of routing packets sent and of what relays wrote into others, each hop "
               "counted, over payload delivered.", _routing_overhead),
        Metric("two_paths_share", "run", "",
               "Share of the connections' time with two disjoint paths (COPAS).",
               _copas(lambda copas: _ratio(copas["two_paths_s"], copas["connection_s"]))),
        Metric("no_path_share", "run", "",
               "Share of the connections' time without any path (COPAS).",
               _copas(lambda copas: _ratio(copas["no_path_s"], copas["connection_s"]))),
        Metric("replacements", "run", "", "Contended paths replaced (COPAS).",
               _copas(lambda copas: float(copas["replacements"]))),
        Metric("routing_packets", "run", "packets", "Routing packets sent, each hop counted.",
               lambda run, _: float(run["routing"]["packets_sent"])),
        Metric("routing_bytes", "run", "bytes", "Bytes of routing packets sent, each hop counted.",
               lambda run, _: float(run["routing"]["bytes_sent"])),
        Metric("route_errors_sent", "run", "", "Route errors that nodes originated.",
               lambda run, _: float(run["routing"]["errors_originated"])),
        Metric("replies_per_discovery", "run", "", "Route replies originated per discovery begun.",
               lambda run, _: _ratio(run["routing"]["replies_originated"],
                                     run["routing"]["discoveries"])),
        Metric("rts_success", "run", "", "Unicast data frames sent per RTS sent.",
               lambda run, _: _ratio(run["mac"]["data_sent"], run["mac"]["rts_sent"])),
        Metric("discoveries_per_s", "run", "1/s", "Route discoveries begun per second.",
               lambda run, _: run["routing"]["discoveries"] / run["scenario"]["duration_s"]),
        Metric("link_failures", "run", "", "Data packets that the MAC could not hand on.",
               lambda run, _: float(run["routing"]["link_failures"])),
        Metric("dropping_ratio", "run", "",
               "Data packets dropped anywhere (retry limit, full queue, no route) over those that "
               "reached their source's interface queue, retransmissions included.",
               _dropping_ratio),
        Metric("rts_per_frame", "run", "",
               "RTS frames sent for each unicast frame that arrived.",
               lambda run, _: _ratio(run["mac"]["rts_sent"], run["mac"]["ack_sent"])),
        Metric("frames_per_s", "run", "1/s",
               "Unicast frames sent per second, each attempt and each hop counted.",
               lambda run, _: run["mac"]["data_sent"] / run["scenario"]["duration_s"]),
        Metric("busiest_relay_share", "run", "",
               "Share of the time in which the busiest relay sent.",
               _busiest_relay("sending_share")),
        Metric("busiest_relay_flows", "run", "",
               "Flows whose data pass the busiest relay; needs the links recorded.",
               _busiest_relay_flows),
        Metric("congested_spell_s", "run", "s",
               "Mean time for which a node stays congested (semi-TCP).", _congested_spell),
        Metric("interfering_pairs", "run", "",
               "Pairs of flows whose main links have ends within sensing range (needs "
               "recorded links).", used_links.interfering_pairs),
        Metric("shortest_choices", "run", "",
               "Share of the paths chosen by the centre that are as short as any (CCAR).",
               _choices(lambda choice: len(choice["path"]) - 1 == choice["shortest_hops"])),
        Metric("lightest_choices", "run", "",
               "Share of the paths chosen by the centre that are also the lightest (CCAR).",
               _choices(lambda choice: choice["chosen"] == 0)),
        Metric("chosen_bottleneck", "run", "connections",
               "Mean weight of the heaviest link of the paths chosen by the centre (CCAR).",
               _choices(lambda choice: choice["bottlenecks"][choice["chosen"]])),
        Metric("bottleneck_spread", "run", "",
               "Greatest less least of the heaviest links of the paths to choose from, over their "
               "mean (CCAR, modified heuristic I).", _choices(_bottleneck_spread)),
        Metric("weight_error", "run", "connections",
               "Mean error of the weights that requests met (DCAR).",
               lambda run, _: _ratio(run["routing"].get("weights_stale_connections", 0),
                                     run["routing"].get("weights_used", 0))),
        Metric("late_requests", "run", "",
               "Lighter copies of a request that came after the choice (DCAR).",
               lambda run, _: float(run["routing"].get("late_requests", 0))),
        Metric("collisions", "run", "frames", "Frames lost at a receiver to another frame.",
               lambda run, _: float(run["mac"]["collisions"])),
        Metric("queue_packets", "run", "packets", "Mean length of an interface queue.",
               lambda run, _: run["queue"]["mean_packets"]),
        Metric("queue_drops", "run", "packets", "Packets dropped by full interface queues.",
               lambda run, _: float(run["queue"]["drops"])),
        Metric("longest_queue", "run", "packets",
               "Most packets that ever waited in one interface queue; needs queue_classes.",
               _longest_queue),
        Metric("relay_data", "run", "packets",
               "Mean data packets in the fullest relay's queue; needs queue_classes.",
               _relay("mean_data")),
        Metric("relay_routing", "run", "packets",
               "Mean routing packets in the fullest relay's queue; needs queue_classes.",
               _relay("mean_routing")),
        Metric("relay_max_data", "run", "packets",
               "Most data packets in the fullest relay's queue; needs queue_classes.",
               _relay("max_data")),
        Metric("relay_routing_share", "run", "",
               "Share of the time with a routing packet in the fullest relay's queue; needs "
               "queue_classes.", _relay("routing_share")),
        Metric("relay_nearly_full_share", "run", "",
               "Share of the time in which the fullest relay held nine tenths of its queue as "
               "data; needs queue_classes.", _relay("nearly_full_share")),
        Metric("relay_growth_with_routing", "run", "packets/s",
               "Growth of the fullest relay's data while routing packets wait (queue_classes).",
               _relay("growth_with_routing_per_s")),
        Metric("relay_growth_without_routing", "run", "packets/s",
               "The same while no routing packet waits; needs queue_classes.",
               _relay("growth_without_routing_per_s")),
        Metric("sources_share", "run", "",
               "Share of the waiting data packets that wait at sources; needs queue_classes.",
               _sources_share),
        Metric("queue_rtt_correlation", "run", "",
               "Correlation over flows of the round trip and the data in all queues on the way; "
               "needs queue_classes and links.", _queue_rtt),
        Metric("stranded_packets", "run", "packets",
               "Data packets waiting for the next hop when its link failed, per failure.",
               lambda run, _: _ratio(run["routing"].get("stranded_packets", 0),
                                     run["routing"]["link_failures"])),
        Metric("false_link_failures", "run", "",
               "Link failures reported though the neighbour was in reach.",
               lambda run, _: float(run["routing"]["false_link_failures"])),
        Metric("best_over_worst", "run", "",
               "Most segments delivered to a flow over the fewest, at least 1.", _best_over_worst),
    ]
}  # fmt: skip
"""Every metric by its name."""

SERIES = {
    "flows": {"sequence": "segments", "cwnd": "segments", "goodput_bps": "bit/s"},
    "queues": dict.fromkeys(("packets", "routing", "acks", "data"), "packets"),
}
"""What recorded series hold over `time_s`, of each `flow` and each `node`, with its unit."""


def series_of(column: str) -> str:
    """The series that has `column`: `flows` or `queues`."""
    return "flows" if column in SERIES["flows"] else "queues"


def flow_metrics() -> list[Metric]:
    """The metrics of flows."""
    return [metric for metric in METRICS.values() if metric.level == "flow"]


def run_metrics() -> list[Metric]:
    """The metrics of runs."""
    return [metric for metric in METRICS.values() if metric.level == "run"]
