"""What the log of all frames shows of one connection: links at once, and the cost of a hop.

The metrics need `record = { frames = true }` in the study.
"""

from __future__ import annotations

from bisect import bisect

from multihop.metrics.access import ratio
from multihop.metrics.registry import Metric, RunMetric
from multihop.result_types import RunResult

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
