"""The first five of each of the tournament's rankings against each other, on networks of their own.

    python -m evidence.first_five --minutes 50        # goes on where it stopped
    python -m evidence.first_five --minutes 0 --page evidence/tournament.md

The five are those of the page's first twenty networks, in rankings by total goodput, by goodput
over four hops and more, and by fairness. `evidence/first_five.csv` has a row for each run.
"""

from __future__ import annotations

import csv
import json
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy import stats

import multihop
from multihop import catalogue
from multihop.files import put_between
from multihop.report.markdown import table_lines
from multihop.statistics import holm, jain, paired_ratio, t_quantile

PAGE = Path(__file__).with_name("tournament.md")
ROWS = Path(__file__).with_suffix(".csv")
MARKERS = ("<!-- first five: begin -->", "<!-- first five: end -->")
FIRST_SEED = 225_001
NETWORKS = 160
AT_ONCE = 5
"""Networks of one combination that are run before the next one's turn."""
FAR = 4
"""Hops from which on a flow is far."""
MARGIN = 0.03
"""Nearer to each other than this, the difference does not matter."""
LEVEL = 0.05
"""For a wrong word in all pairs together."""
RANKINGS = {
    "Goodput of all flows together": "total",
    "Goodput of a flow over four or more hops": "far",
    "Fairness among five and ten flows": "jain",
}
_NAME = re.compile(r"([\w-]+) \+ ([\w-]+) \d")
COLUMNS = ("scheme", "transport", "movement", "flows", "seed", "total", "far", "jain")

Arm = tuple[str, str, str, str]
"""Scheme, transport, movement and number of flows."""
Runs = dict[Arm, dict[int, dict[str, float]]]
"""What each network gave."""


@dataclass(frozen=True, slots=True)
class Five:
    """The first five of a row."""

    title: str
    measure: str
    arms: tuple[Arm, ...]

    @property
    def row(self) -> str:
        """Which row of the ranking it is."""
        return f"{self.arms[0][2]}, {self.arms[0][3]}"


@dataclass(frozen=True, slots=True)
class Pair:
    """One of five over another: the ratio of their sums over all networks."""

    over: Arm
    under: Arm
    ratio: float
    low: float
    high: float
    p: float

    @property
    def is_level(self) -> bool:
        """Whether the whole interval is too near 1 to matter."""
        return self.low >= 1 - MARGIN and self.high <= 1 + MARGIN


def fives() -> Iterator[Five]:
    """Those of the page: the second table of each ranking."""
    sections = re.split(r"^### ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    for section in sections:
        title = section.partition("\n")[0]
        if title not in RANKINGS:
            continue
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            names = [found for cell in cells if (found := _NAME.match(cell))]
            if len(names) == 5:
                arms = tuple((name[1], name[2], cells[0], cells[1]) for name in names)
                yield Five(title, RANKINGS[title], arms)


def scenarios() -> dict[Arm, dict[str, Any]]:
    """Every combination of the tournament, resolved."""
    study = multihop.Study.read(catalogue.study_file("tournament"))
    found = {}
    for cell in study.cells("full"):
        at = dict(cell.point)
        arm = (cell.scheme, str(at["transport"]), str(at["movement"]), str(at["n_flows"]))
        found[arm] = json.loads(cell.text)
    return found


def measured(result: multihop.Result) -> dict[str, float]:
    """Goodput of all flows and of those over four hops and more [bit/s], and Jain's index."""
    goodput = np.array([flow["goodput_bps"] for flow in result.json["flows"]])
    hops = np.array([flow["shortest_hops"] or 0 for flow in result.json["flows"]])
    return {
        "total": float(goodput.sum()),
        "far": float(goodput[hops >= FAR].sum()),
        "jain": jain(goodput) if goodput.any() else 0.0,
    }


def read() -> Runs:
    """The runs on record."""
    runs: Runs = {}
    if ROWS.exists():
        with ROWS.open(newline="") as file:
            for row in csv.DictReader(file):
                arm = (row["scheme"], row["transport"], row["movement"], row["flows"])
                values = {key: float(row[key]) for key in COLUMNS[5:]}
                runs.setdefault(arm, {})[int(row["seed"])] = values
    return runs


def run(minutes: float, workers: int) -> None:
    """Run what is missing, network after network, as long as there is time."""
    until = time.monotonic() + 60 * minutes
    arms = sorted({arm for five in fives() for arm in five.arms})
    settings, there = scenarios(), read()
    with ROWS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not there:
            writer.writerow(COLUMNS)
        for first in range(FIRST_SEED, FIRST_SEED + NETWORKS, AT_ONCE):
            for arm in arms:
                seeds = [seed for seed in range(first, first + AT_ONCE)
                         if seed not in there.get(arm, {})]  # fmt: skip
                if time.monotonic() > until:
                    return
                for result in multihop.run_many(settings[arm], seeds=seeds, workers=workers):
                    found = measured(result).values()
                    writer.writerow([*arm, result.seed, *(f"{value:.6g}" for value in found)])
                file.flush()


def pair(runs: Runs, measure: str, over: Arm, under: Arm) -> Pair:
    """The ratio, with Student's interval of its logarithm."""
    seeds = sorted(runs[over].keys() & runs[under].keys())
    above, below = (np.array([runs[arm][seed][measure] for seed in seeds]) for arm in (over, under))
    ratio, error = paired_ratio(above, below)
    error /= ratio  # of its logarithm
    degrees = len(seeds) - 1
    reach = math.exp(t_quantile(degrees, 0.95) * error)
    p = float(2 * stats.t.sf(abs(math.log(ratio)) / error, degrees))
    return Pair(over, under, ratio, ratio / reach, ratio * reach, p)


def table(runs: Runs) -> str:
    """A line for each row of a ranking, the words allowing for all pairs together."""
    found = []
    for five in fives():
        order = _ranked(five, runs)
        pairs = [pair(runs, five.measure, *two) for two in combinations(order, 2)]
        found.append((five, order, pairs))
    chances = [each.p for *_, pairs in found for each in pairs]
    passes = iter(holm(chances, LEVEL)[0])
    head = ["ranking", "nodes, flows", "first", "first over the others (* apart)"]
    lines = [[*head, "pairs apart", "level", "open", "networks"]]
    for five, order, pairs in found:
        apart = [next(passes) for _ in pairs]
        level = [
            each.is_level and not is_apart for each, is_apart in zip(pairs, apart, strict=True)
        ]
        behind = [
            f"{_name(each.under)} {each.ratio:.3f} ({each.low:.3f} to {each.high:.3f})"
            + "*" * is_apart
            for each, is_apart in zip(pairs, apart, strict=True)
            if each.over == order[0]
        ]
        rest = len(pairs) - sum(apart) - sum(level)
        counts = (sum(apart), sum(level), rest, min(len(runs[arm]) for arm in order))
        lines.append([five.title, five.row, _name(order[0]), "; ".join(behind), *map(str, counts)])
    return table_lines(lines)


def _ranked(five: Five, runs: Runs) -> list[Arm]:
    def total(arm: Arm) -> float:
        return sum(values[five.measure] for values in runs[arm].values()) / len(runs[arm])

    return sorted(five.arms, key=total, reverse=True)


def _name(arm: Arm) -> str:
    return f"{arm[0]} + {arm[1]}"


@click.command(help=__doc__)
@click.option("--minutes", type=click.FloatRange(0), default=50.0, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True)
@click.option("--page", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def main(minutes: float, workers: int, page: Path | None) -> None:
    """Run, print the table, and put it into the page."""
    if minutes:
        run(minutes, workers)
    lines = table(read())
    print(lines)
    if page is not None:
        put_between(page, MARKERS, lines)


if __name__ == "__main__":
    main()
