"""Our runs and a peer's, figure by figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multihop.peers import ns2
from multihop.result_types import FlowReport
from multihop.results import Result, delivered
from multihop.statistics import (
    Estimate,
    difference_in_errors,
    mean_interval,
    relative_difference,
)

AGREEMENT_ERRORS = 2.5
"""Means within so many standard errors of their difference count as equal."""

AGREEMENT_SHARE = 0.01
"""Means within this share of each other count as equal too, however small their spread."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure on both sides."""

    figure: str
    ours: Estimate
    theirs: Estimate
    difference: float
    """Relative to theirs."""
    agrees: bool

    @property
    def verdict(self) -> str:
        """`agrees` or `differs`."""
        return "agrees" if self.agrees else "differs"


def trace_figures(counts: Mapping[str, int]) -> dict[str, int]:
    """Figures of the result's counters from ns-2 trace counts ("event layer reason type")."""

    def total(*prefixes: str) -> int:
        return sum(n for key, n in counts.items() if key.startswith(prefixes))

    data = ("tcp", "ack", "cbr", "AODV", "DSR", "ARP")
    return {
        "RTS sent": total("s MAC --- RTS"),
        "CTS sent": total("s MAC --- CTS"),
        "DATA sent": sum(counts.get(f"s MAC --- {kind}", 0) for kind in data),
        "ACK sent": total("s MAC --- ACK"),
        "collisions": total("D MAC COL "),
        "retry drops": total("D MAC RET ") - total("D MAC RET RTS"),
        "routing packets": sum(
            counts.get(f"{event} RTR --- {kind}", 0) for event in "sf" for kind in ("AODV", "DSR")
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


def compare(ours: Sequence[Result], theirs: Sequence[ns2.Run]) -> list[Comparison]:
    """Goodput of each flow and of all, kbit/s; then the counters, when ns-2 was traced."""
    flows = ours[0].json["flows"]
    segment_bytes = int(ours[0].scenario["transport"]["segment_bytes"])
    own = [
        _goodputs(flows, {f["id"]: delivered(f) for f in r.json["flows"]}, segment_bytes)
        for r in ours
    ]
    peer = [_goodputs(flows, run.delivered, segment_bytes) for run in theirs]
    rows = []
    for index, flow in enumerate(flows):
        figure = f"flow {flow['id']} ({flow['source']}→{flow['destination']}) goodput, kbit/s"
        rows.append(_row(figure, [run[index] for run in own], [run[index] for run in peer]))
    if len(flows) > 1:
        totals = ([sum(run) for run in own], [sum(run) for run in peer])
        rows.append(_row("total goodput, kbit/s", *totals))
    if all(run.counts for run in theirs):
        counters = [result_figures(result) for result in ours]
        traced = [trace_figures(run.counts) for run in theirs]
        rows += [
            _row(figure, [c[figure] for c in counters], [c[figure] for c in traced])
            for figure in counters[0]
        ]
    return rows


def _row(figure: str, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    difference = relative_difference(ours, theirs)
    near = abs(difference_in_errors(ours, theirs)) <= AGREEMENT_ERRORS
    agrees = near or abs(difference) <= AGREEMENT_SHARE
    return Comparison(figure, mean_interval(ours), mean_interval(theirs), difference, agrees)


def _goodputs(
    flows: Sequence[FlowReport], counts: Mapping[int, int], segment_bytes: int
) -> list[float]:
    """Goodput of each flow, kbit/s, from what it got through."""
    sizes = [flow["packet_bytes"] if flow["kind"] == "cbr" else segment_bytes for flow in flows]
    return [
        counts[flow["id"]] * size * 8e-3 / (flow["stop_s"] - flow["start_s"])
        for flow, size in zip(flows, sizes, strict=True)
    ]
