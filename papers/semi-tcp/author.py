"""The engine compared with the chain results that the first author of semi-TCP published.

    python papers/semi-tcp/author.py --markdown papers/semi-tcp/author.md

Runs his scenario (chains of odd length, 1 Mbit/s, 100 s) under the rules of his program, with
several seeds where he has one run a point.
"""

from __future__ import annotations

import csv
import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click

from multihop.files import write_atomically
from multihop.result_types import FlowReport
from multihop.results import Result
from multihop.scenario import ScenarioSource
from multihop.simulate import run_tasks
from multihop.statistics import Estimate, mean_interval
from multihop.validation.surplus import surplus

HERE = Path(__file__).parent
HOPS = range(1, 20, 2)
POOLED_FROM = 5
"""Hops from which on points are also judged together; on shorter chains little is lost."""
BAR = 0.15
"""Relative difference within which a figure counts as met."""


_T_C = "mac.semi.congestion_threshold_packets"


@dataclass(frozen=True, slots=True)
class Series:
    """A series of the published results, and what gives it here."""

    scenario: str
    variant: str
    title: str
    scheme: str
    settings: Mapping[str, Any]

    def tasks(self, seeds: int) -> list[tuple[ScenarioSource, dict[str, Any]]]:
        """Our runs of the series, by length and then seed."""
        options = {"scheme": self.scheme, "set": dict(self.settings)}
        return [
            (chain(hops), {"seed": seed, **options})
            for hops in HOPS
            for seed in range(1, seeds + 1)
        ]


_SILENT = {"mac.report_failures": False}
_SELECTIVE = {"transport.semi.out_of_order_acks": "selective"}
# His runs before mid October 2010 call a node congested from T_c packets on, so m = 0; the
# published program, and the static series with answers, from T_c + 1.
_OLDER = {"mac.semi.transit_packets": 0}

SERIES = (
    Series("chain-static", "ap-dupack", "TCP-AP, silent MAC", "tcp-ap-agent", _SILENT),
    Series(
        "chain-static", "semi-nodupack", "semi-TCP, silent MAC", "semi-tcp-author",
        _SILENT | _OLDER,
    ),
    Series(
        "chain-static", "semi-dupack", "semi-TCP that answers every segment, silent MAC",
        "semi-tcp-author", _SILENT | _SELECTIVE,
    ),
    Series("chain-rt-fail", "ap-dupack", "TCP-AP, MAC that reports failures", "tcp-ap-agent", {}),
    Series(
        "chain-rt-fail", "semi-nodupack", "semi-TCP, MAC that reports failures",
        "semi-tcp-author", _OLDER,
    ),
    Series(
        "chain-rt-fail", "semi-dupack",
        "semi-TCP that answers every segment, MAC that reports failures",
        "semi-tcp-author", _OLDER | _SELECTIVE,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """One figure at one length, theirs and ours."""

    hops: int
    theirs: float
    ours: Estimate
    smooth: bool
    """Their value continues its neighbours' course, so that it can be compared."""
    median: float
    """Of our runs: a single run lies above or below it with the same probability."""

    @property
    def difference(self) -> float:
        """Ours less theirs, relative."""
        return self.ours.value / self.theirs - 1

    @property
    def verdict(self) -> str:
        """Whether it is met, one of the values that single runs of ours have, or neither."""
        if abs(self.difference) <= BAR:
            return "met"
        if not self.smooth:
            return "not smooth"
        single = self.ours.half_width * math.sqrt(self.ours.networks + 1)
        return "scatter" if abs(self.theirs - self.ours.value) <= single else "differs"


Compared = tuple[Series, dict[str, list[Point]]]
"""A series and its points, by figure."""

FIGURES: dict[str, tuple[str, Callable[[FlowReport], float]]] = {
    "throughput": ("throughput, kbit/s", lambda flow: flow["unique_bps"] / 1e3),
    "cumulative_ack_goodput": (
        "acknowledged, kbit/s",
        lambda flow: flow["acked_segments"] * 4.096 / (flow["stop_s"] - flow["start_s"]),
    ),
    "delay": ("delay, ms", lambda flow: (flow["mean_delay_s"] or math.nan) * 1e3),
    "acks_sent": ("acknowledgments sent", lambda flow: float(flow["acks_sent"])),
}
"""The figures compared: title and our value of a flow."""


TABLE_1 = {"parallel": "thresholds-parallel", "random mobile": "thresholds-mobile"}
"""The topologies of the paper's Table 1, and the studies that have their scenarios."""
THRESHOLDS = (1, 2, 3, 4)
"""The values of T_c in Table 1."""


def chain(hops: int) -> dict[str, Any]:
    """The scenario of the published runs."""
    return {
        "title": f"chain of {hops} hops",
        "duration_s": 100,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "radio": {"receive_range_m": 250, "sense_range_m": 550},
        "mac": {"data_rate_bps": 1e6, "short_retry_limit": 7, "long_retry_limit": 4},
        "transport": {"segment_bytes": 512},
        "flows": [{"kind": "ftp", "source": 0, "destination": hops, "start_s": 1}],
    }


def published(file: Path) -> dict[tuple[str, str, int, str], float]:
    """The published values by scenario, variant, hops and metric."""
    with file.open(encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {
            (row["scenario"], row["variant"], int(row["hops"]), row["metric"]): float(row["value"])
            for row in rows
        }


def is_smooth(values: Sequence[float], place: int) -> bool:
    """Whether a value is within the bar of the geometric mean of its neighbours."""
    if not 0 < place < len(values) - 1:
        return True
    between = math.sqrt(values[place - 1] * values[place + 1])
    return between > 0 and abs(values[place] / between - 1) <= BAR


def compare(
    series: Sequence[Series],
    theirs: Mapping[tuple[str, str, int, str], float],
    seeds: int,
    workers: int | None = None,
) -> list[Compared]:
    """Run every series and compare each figure with the published one."""
    tasks = [task for each in series for task in each.tasks(seeds)]
    results = iter(run_tasks(tasks, workers=workers))
    compared = []
    for each in series:
        flows = [[_flow(next(results)) for _ in range(seeds)] for _ in HOPS]
        figures = {
            metric: _points(
                [theirs[each.scenario, each.variant, hops, metric] for hops in HOPS],
                [[of(flow) for flow in runs] for runs in flows],
            )
            for metric, (_, of) in FIGURES.items()
        }
        compared.append((each, figures))
    return compared


def by_threshold(seeds: int, workers: int | None = None) -> dict[str, list[Estimate]]:
    """Throughput of a flow by T_c with k = 1 under the rules of his program, by topology."""
    tasks = []
    for study in TABLE_1.values():
        file = HERE / "studies" / f"{study}.toml"
        scenario = tomllib.loads(file.read_text(encoding="utf-8"))["scenario"]
        tasks += [
            (scenario, {"seed": seed, "scheme": "semi-tcp-author", "set": {_T_C: threshold}})
            for threshold in THRESHOLDS
            for seed in range(1, seeds + 1)
        ]
    results = iter(run_tasks(tasks, workers=workers))
    return {
        topology: [
            mean_interval([_mean_throughput(next(results)) for _ in range(seeds)])
            for _ in THRESHOLDS
        ]
        for topology in TABLE_1
    }


def markdown(
    compared: Sequence[Compared], thresholds: Mapping[str, Sequence[Estimate]], seeds: int
) -> str:
    """The comparison as tables: all points together, Table 1, then one a series."""
    parts = [_together(compared), _table_1(thresholds)]
    for series, figures in compared:
        heads = "".join(f" {title}: published | ours | |" for title, _ in FIGURES.values())
        rows = "".join(_row(points) for points in zip(*figures.values(), strict=True))
        parts.append(
            f"\n## {series.title}\n\n`{series.scenario}/{series.variant}` against "
            f"{_command(series)}.\n\n"
            f"| hops |{heads}\n|---|{'---:|---:|---|' * len(FIGURES)}\n{rows}"
        )
    judged = [
        point
        for _, figures in compared
        for metric in ("throughput", "delay")
        for point in figures[metric]
    ]
    count = Counter(point.verdict for point in judged)
    return (
        "# Semi-TCP beside its first author's results\n\n"
        "Written by `python papers/semi-tcp/author.py --markdown papers/semi-tcp/author.md`. "
        "Published: one run a point without a seed, `author.csv` names "
        f"the source. Ours: mean of {seeds} seeds and half of its 95 % interval. Met: within "
        f"{BAR:.0%}. Not smooth: the published value is further than that from the geometric mean "
        "of its neighbours. Scatter: it lies in the 95 % interval of a single run of ours. Of "
        f"{len(judged)} throughputs and delays {count['met']} are met, {count['not smooth']} not "
        f"smooth, {count['scatter']} scatter and {count['differs']} differ: "
        "[why](page.md#beside-the-first-authors-numbers). Throughput counts each "
        "segment once, out of order or not. Acknowledged is the highest cumulative "
        "acknowledgment at our sender; what the author counts so under semi-TCP that answers "
        "every segment is no such thing.\n" + "".join(parts)
    )


def _together(compared: Sequence[Compared]) -> str:
    """The sign test by scenario, scheme and figure."""
    groups: dict[tuple[str, str], list[dict[str, list[Point]]]] = {}
    for series, figures in compared:
        name = "TCP-AP" if series.scheme.startswith("tcp-ap") else "semi-TCP, both series"
        groups.setdefault((series.scenario, name), []).append(figures)
    rows = []
    for (scenario, name), members in groups.items():
        cells = []
        for metric in FIGURES:
            points = [point for figures in members for point in figures[metric]]
            found = surplus(
                (point.median, point.theirs) for point in points if point.hops >= POOLED_FROM
            )
            cells.append(f"{found.above} of {found.points}, {found.factor:.2f}, {found.chance:.2g}")
        rows.append(f"| `{scenario}`, {name} | {' | '.join(cells)} |\n")
    heads = " | ".join(title.partition(",")[0] for title, _ in FIGURES.values())
    return (
        f"\n## All points together\n\nFrom {POOLED_FROM} hops on: at how many lengths the median "
        "of ours is above the published value, the geometric mean of the one over the other, and "
        "the probability of so uneven a split if his runs were like ours (two-sided sign test). "
        "The labels in the tables below judge each length alone and hide what all have in "
        "common.\n\n"
        f"| series | {heads} |\n|---|{'---|' * len(FIGURES)}\n{''.join(rows)}"
    )


def _table_1(thresholds: Mapping[str, Sequence[Estimate]]) -> str:
    rows = "".join(
        f"| {topology} | "
        + " | ".join(f"{found.value / 1e3:.0f} ± {found.half_width / 1e3:.0f}" for found in row)
        + f" | {row[-1].value / row[0].value - 1:+.0%} |\n"
        for topology, row in thresholds.items()
    )
    heads = " | ".join(f"T_c = {threshold}" for threshold in THRESHOLDS)
    return (
        "\n## Table 1 under the rules of his program\n\nThe paper has less throughput with a "
        "larger T_c. This is what `--scheme semi-tcp-author` gives with k = 1: kbit/s a flow, "
        f"in any order, and the change from T_c = {THRESHOLDS[0]} to {THRESHOLDS[-1]}.\n\n"
        f"| topology | {heads} | change |\n|---|{'---:|' * (len(THRESHOLDS) + 1)}\n{rows}"
    )


def _points(theirs: Sequence[float], ours: Iterable[Sequence[float]]) -> list[Point]:
    return [
        Point(hops, value, mean_interval(values), is_smooth(theirs, place), median(values))
        for place, (hops, value, values) in enumerate(zip(HOPS, theirs, ours, strict=True))
    ]


def _row(points: Sequence[Point]) -> str:
    cells = "".join(
        f" {point.theirs:.0f} | {point.ours.value:.0f} ± {point.ours.half_width:.0f} "
        f"| {point.difference:+.0%}, {point.verdict} |"
        for point in points
    )
    return f"| {points[0].hops} |{cells}\n"


def _command(series: Series) -> str:
    settings = "".join(
        f" `--set {key}={str(value).lower()}`" for key, value in series.settings.items()
    )
    return f"`--scheme {series.scheme}`{settings}"


def _mean_throughput(result: Result) -> float:
    rates = [flow["unique_bps"] for flow in result.json["flows"]]
    return sum(rates) / len(rates)


def _flow(result: Result) -> FlowReport:
    flow: FlowReport = result.json["flows"][0]
    return flow


@click.command()
@click.option("--seeds", default=10, show_default=True, help="Runs of ours a point.")
@click.option("--markdown", "file", required=True, type=click.Path(path_type=Path))
def main(seeds: int, file: Path) -> None:
    """Compare every series and write the page."""
    theirs = published(HERE / "author.csv")
    compared = compare(SERIES, theirs, seeds)
    write_atomically(file, markdown(compared, by_threshold(seeds), seeds))


if __name__ == "__main__":
    main()
