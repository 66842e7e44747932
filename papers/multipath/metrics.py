"""Multipath AODV with standby: the paths that discoveries found, how long they lasted, their cost.

The metrics of frames need `record = { frames = true }` in the study.
"""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Callable
from math import dist

from multihop.metrics.access import mean, ratio
from multihop.metrics.registry import FlowMetric, Metric, RunMetric
from multihop.result_types import FlowReport, PathReport, PathTotals, RunResult

SENSING_M = 550.0
"""Within this distance one node's transmission keeps the other from sending."""


def _paths(run: RunResult, flow: FlowReport) -> PathTotals | None:
    """What the discoveries of a flow's source for its destination found."""
    report = run["schemes"].get("multipath-aodv")
    return report["flows"][flow["id"]] if report else None


def _path_failures(run: RunResult, flow: FlowReport) -> float | None:
    paths = _paths(run, flow)
    return float(paths["paths_lost"]) if paths else flow.get("route_errors")


def _paths_per_discovery(run: RunResult, flow: FlowReport) -> float | None:
    paths = _paths(run, flow)
    return ratio(paths["paths_found"], sum(paths["discoveries_by_paths"])) if paths else None


def _path_life(run: RunResult, flow: FlowReport) -> float | None:
    paths = _paths(run, flow)
    return ratio(paths["life_total_s"], paths["paths_lost"]) if paths else None


def _alternate_stretch(run: RunResult) -> float | None:
    report = run["schemes"].get("multipath-aodv")
    if not report:
        return None
    totals = report["totals"]
    return ratio(totals["alternate_hops_total"], totals["alternate_shortest_hops_total"])


def _life(pick: Callable[[list[float]], float]) -> Callable[[RunResult, FlowReport], float | None]:
    """Mean over discoveries of the life of the path picked, in seconds."""
    return lambda run, flow: mean([pick(lives) for lives in _lives(run, flow)])


def _coupled_share(run: RunResult, flow: FlowReport) -> float | None:
    places = run["positions_m"]
    pairs = [
        (one["nodes"][1:-1], other["nodes"][1:-1])
        for paths in _discoveries(run, flow)
        for one, other in itertools.combinations(paths, 2)
    ]
    return mean([float(_coupled(places, *pair)) for pair in pairs if all(pair)])


def _rediscovered_shortest(run: RunResult, flow: FlowReport) -> float | None:
    later = _discoveries(run, flow)[1:]
    found = [min(path["hops"] for path in paths) == flow["shortest_hops"] for paths in later]
    return mean([float(shortest) for shortest in found])


def _discoveries(run: RunResult, flow: FlowReport) -> list[list[PathReport]]:
    """The paths from the flow's source to its destination, grouped by discovery."""
    found: dict[int, list[PathReport]] = {}
    report = run["schemes"].get("multipath-aodv")
    for path in report.get("paths", ()) if report else ():
        if (path["source"], path["destination"]) == (flow["source"], flow["destination"]):
            found.setdefault(path["request"], []).append(path)
    return [found[request] for request in sorted(found)]


def _lives(run: RunResult, flow: FlowReport) -> list[list[float]]:
    """Lives of the paths of each discovery that found several and lost them all, in seconds."""
    found = []
    for paths in _discoveries(run, flow):
        lives = [_life_s(path) for path in paths]
        ended = [life_s for life_s in lives if life_s is not None]
        if len(lives) == len(ended) > 1:
            found.append(ended)
    return found


def _life_s(path: PathReport) -> float | None:
    """From when the source heard of a path to when it heard of its failure; None if it lasts."""
    lost_s = path["lost_s"]
    return None if lost_s is None else lost_s - path["found_s"]


def _coupled(places: list[list[float]], one: list[int], other: list[int]) -> bool:
    def near(node: int, nodes: list[int]) -> bool:
        return any(dist(places[node], places[each]) <= SENSING_M for each in nodes)

    return all(near(node, other) for node in one) and all(near(node, one) for node in other)


ANSWER_NS = 20_000
"""Within this time of a frame's end its MAC acknowledgment begins."""


def _links_at_once(run: RunResult) -> float | None:
    spans = _exchanges(run)
    # A frame that ends when another begins does not overlap it.
    steps = sorted((time, step) for span in spans for time, step in zip(span, (1, -1), strict=True))
    most = now = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return float(most) if spans else None


def _overlapping_share(run: RunResult) -> float | None:
    spans = sorted(_exchanges(run))
    overlapping, latest = set[int](), -1
    for place, (start, end) in enumerate(spans):
        if latest >= 0 and start < spans[latest][1]:
            overlapping |= {latest, place}
        if latest < 0 or end > spans[latest][1]:
            latest = place
    return ratio(len(overlapping), len(spans))


def _exchanges(run: RunResult) -> list[tuple[int, int]]:
    """Beginning and end of each frame of the connection that its receiver acknowledged [ns]."""
    frames = run.get("frames", [])
    answers: dict[tuple[int, int], list[int]] = {}
    for frame in frames:
        if frame["kind"] in ("ack", "block-ack") and frame["receiver"] is not None:
            ends = frame["transmitter"], frame["receiver"]
            answers.setdefault(ends, []).append(frame["time_ns"])
    spans = []
    for frame in frames:
        if frame["packet"] in ("tcp-data", "tcp-ack", "udp") and frame["receiver"] is not None:
            end = frame["time_ns"] + frame["airtime_ns"]
            answer = answers.get((frame["receiver"], frame["transmitter"]), [])
            if bisect(answer, end + ANSWER_NS) > bisect(answer, end):
                spans.append((frame["time_ns"], end))
    return spans


def _frames_per_hop(run: RunResult) -> float | None:
    if "frames" not in run:
        return None
    data = (frame for frame in run["frames"] if frame["packet"] in ("tcp-data", "udp"))
    sent = sum(frame.get("mpdus", 1) for frame in data)
    return ratio(
        sent,
        sum(flow["delivered_segments"] * (flow["shortest_hops"] or 0) for flow in run["flows"]),
    )


METRICS: list[Metric] = [
    FlowMetric("path_failures", "",
               "Paths that the source learnt had failed; with a single path, its route errors.",
               _path_failures),
    FlowMetric("paths_per_discovery", "paths",
               "Paths that a successful discovery found (multipath AODV).", _paths_per_discovery),
    FlowMetric("path_life_s", "s",
               "From when the source learns of a path to when it learns of its failure, failed "
               "paths only (multipath AODV).", _path_life),
    FlowMetric("longest_life_s", "s",
               "Life of the longest-lived path of a discovery, over discoveries that found several "
               "paths and lost them all (multipath AODV, paths recorded).", _life(max)),
    FlowMetric("shortest_life_s", "s",
               "Life of the shortest-lived path, over the same discoveries.", _life(min)),
    FlowMetric("coupled_share", "",
               "Share of the pairs of paths of one discovery in which every relay is within 550 m "
               "of a relay of the other path, at the start (multipath AODV, paths recorded).",
               _coupled_share),
    FlowMetric("rediscovered_shortest", "",
               "Share of the discoveries after the first whose shortest path is as short as any in "
               "the network (multipath AODV, paths recorded).", _rediscovered_shortest),
    RunMetric("alternate_stretch", "",
              "Hops of a discovery's alternate paths over those of its shortest (multipath AODV).",
              _alternate_stretch),
    RunMetric("links_at_once", "links",
              "Most data frames of flows, acknowledgments of TCP included, that were on the air at "
              "once and arrived (needs recorded frames).", _links_at_once),
    RunMetric("overlapping_share", "",
              "Share of such frames that were on the air together with another (needs recorded "
              "frames).", _overlapping_share),
    RunMetric("frames_per_hop", "frames",
              "Frames sent with a flow's data, not its acknowledgments, for each hop of a shortest "
              "path of each segment delivered (needs recorded frames).", _frames_per_hop),
]  # fmt: skip
