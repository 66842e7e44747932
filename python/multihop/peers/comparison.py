"""Our runs and a peer's, figure by figure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from multihop.peers import TOLERANCE, ns2
from multihop.result_types import FlowReport
from multihop.results import Result, called, delivered, ends_of
from multihop.statistics import (
    Estimate,
    difference_half_width,
    difference_in_errors,
    mean_interval,
    relative_difference,
)

AGREEMENT_ERRORS = 2.5
"""Means within so many standard errors of their difference count as equal."""

AGREEMENT_SHARE = 0.01
"""Means within this share of each other count as equal too, however small their spread."""


Word = Literal["agrees", "differs", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure on both sides."""

    figure: str
    ours: Estimate
    theirs: Estimate
    difference: float
    """Relative to theirs."""
    half_width: float
    """Half of the 95 % interval of the difference, relative to theirs."""
    word: Word

    @property
    def verdict(self) -> str:
        """The word, and how wide the interval is that could not tell."""
        if self.word != "cannot tell" or not math.isfinite(self.half_width):
            return self.word
        return f"{self.word} (±{self.half_width:.0%})"


def trace_figures(counts: Mapping[str, int]) -> dict[str, int]:
    """Figures of the result's counters from ns-2 trace counts ("event layer reason type")."""

    def total(*prefixes: str) -> int:
        return sum(n for key, n in counts.items() if key.startswith(prefixes))

    routing = ("AODV", "DSR", "message")  # DSDV's updates are messages
    data = ("tcp", "ack", "cbr", "ARP", *routing)
    return {
        "RTS sent": total("s MAC --- RTS"),
        "CTS sent": total("s MAC --- CTS"),
        "DATA sent": sum(counts.get(f"s MAC --- {kind}", 0) for kind in data),
        "ACK sent": total("s MAC --- ACK"),
        "collisions": total("D MAC COL "),
        "retry drops": total("D MAC RET ") - total("D MAC RET RTS"),
        "routing packets": sum(
            counts.get(f"{event} RTR --- {kind}", 0) for event in "sf" for kind in routing
        ),
    }


def result_figures(result: Result) -> dict[str, int]:
    """Return the same figures from a result of ours; DATA counts unicast and broadcast frames."""
    mac = result.json["mac"]
    return {
        "RTS sent": mac["rts_sent"],
        "CTS sent": mac["cts_sent"],
        "DATA sent": mac["data_sent"] + mac["broadcast_sent"],
        "ACK sent": mac["ack_sent"],
        "collisions": mac["collisions"],
        "retry drops": mac["retry_drops"],
        "routing packets": result.json["routing"]["packets_sent"],
    }


def compare(
    ours: Sequence[Result], theirs: Sequence[ns2.Run], *, tolerance: float = TOLERANCE
) -> list[Comparison]:
    """What each flow and all got through, kbit/s; then the counters, when ns-2 was traced.

    For TCP that is what ns-2 counts, the segments acknowledged at the sender: less than the goodput
    of our results, which is what reached the destination in order.
    """
    flows = ours[0].json["flows"]
    own = [_rates(flows, {f["id"]: delivered(f) for f in r.json["flows"]}, ours[0]) for r in ours]
    peer = [_rates(flows, run.delivered, ours[0]) for run in theirs]
    rows = []
    for index, flow in enumerate(flows):
        ends = ends_of([result.json["flows"][index] for result in ours], ours[0].nodes, "→")
        figure = f"{called(flow)} ({ends}) {_counted(flow)}"
        sides = ([run[index] for run in own], [run[index] for run in peer])
        rows.append(_row(f"{figure}, kbit/s", *sides, tolerance))
    if len(flows) > 1:
        totals = ([sum(run) for run in own], [sum(run) for run in peer])
        words = " or ".join(dict.fromkeys(map(_counted, flows)))
        rows.append(_row(f"total {words}, kbit/s", *totals, tolerance))
    if all(run.counts for run in theirs):
        counters = [result_figures(result) for result in ours]
        traced = [trace_figures(run.counts) for run in theirs]
        rows += [
            _row(figure, [c[figure] for c in counters], [c[figure] for c in traced], tolerance)
            for figure in counters[0]
        ]
    return rows


def _row(
    figure: str, ours: Sequence[float], theirs: Sequence[float], tolerance: float
) -> Comparison:
    difference = relative_difference(ours, theirs)
    base = float(np.mean(theirs))
    wide = difference_half_width(ours, theirs)
    half_width = wide / base if base else math.inf if wide else 0.0
    word = _word(difference, half_width, difference_in_errors(ours, theirs), tolerance)
    return Comparison(
        figure, mean_interval(ours), mean_interval(theirs), difference, half_width, word
    )


def _word(difference: float, half_width: float, errors: float, tolerance: float) -> Word:
    """Differs where no interval reaches the other mean; agrees where it could have been told."""
    beyond_chance = abs(errors) > AGREEMENT_ERRORS and not abs(difference) <= half_width
    if beyond_chance and abs(difference) > AGREEMENT_SHARE:
        return "differs"
    return "agrees" if half_width <= tolerance else "cannot tell"


def _counted(flow: FlowReport) -> str:
    return "received" if flow["kind"] == "cbr" else "acked"


def _rates(flows: Sequence[FlowReport], counts: Mapping[int, int], first: Result) -> list[float]:
    """What each flow got through, kbit/s of payload over its life."""
    segment_bytes = int(first.scenario["transport"]["segment_bytes"])
    end_s = float(first.scenario["duration_s"])
    sizes = [flow["packet_bytes"] if flow["kind"] == "cbr" else segment_bytes for flow in flows]
    lives = [min(flow["stop_s"], end_s) - flow["start_s"] for flow in flows]
    return [
        counts[flow["id"]] * size * 8e-3 / life if life > 0 else 0.0
        for flow, size, life in zip(flows, sizes, lives, strict=True)
    ]
