"""Two headlines of each paper by a second way: own networks, own baseline, SciPy's statistics.

    python -m evidence.second ccar

A module for each paper holds what its author read out of the paper: networks, arms, measures and
rows; `REASONS` came after the comparison with the first way. This file runs them through
`multihop.run_many`, keeps what was measured in a table beside the module (runs that are there are
not repeated) and works out each row.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from scipy import stats

import multihop

HERE = Path(__file__).parent
FIRST_SEED = 400_001
NAMES = ("ccar", "multipath", "elfn", "copas", "semi-tcp")

Key = tuple[str, str, str]
"""Network, seed and arm of a run."""
Runs = dict[Key, dict[str, float | None]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio between two arms, with its interval of 95 % and the networks behind it."""

    ratio: float
    low: float
    high: float
    networks: int

    def __str__(self) -> str:
        return f"{self.ratio:.2f} [{self.low:.2f}, {self.high:.2f}]"


def pooled(over: np.ndarray, under: np.ndarray) -> Estimate:
    """Ratio of the sums over all networks; bias-corrected bootstrap over networks, in pairs."""

    def log_ratio(x: np.ndarray, y: np.ndarray, axis: int = -1) -> Any:
        return np.log(x.sum(axis=axis)) - np.log(y.sum(axis=axis))

    found = stats.bootstrap(
        (over, under), log_ratio, paired=True, n_resamples=9999, rng=np.random.default_rng(1)
    )
    interval = found.confidence_interval
    return _estimate(log_ratio(over, under), interval.low, interval.high, len(over))


def paired(over: np.ndarray, under: np.ndarray) -> Estimate:
    """Geometric mean of the networks' ratios, each network counting once; Student's t."""
    logs = np.log(over) - np.log(under)
    interval = stats.ttest_1samp(logs, 0).confidence_interval()
    return _estimate(logs.mean(), interval.low, interval.high, len(logs))


def _estimate(log: Any, low: Any, high: Any, networks: int) -> Estimate:
    ratio, low, high = (float(np.exp(each)) for each in (log, low, high))
    return Estimate(ratio, low, high, networks)


WAYS: dict[str, Callable[[np.ndarray, np.ndarray], Estimate]] = {"pooled": pooled, "paired": paired}


def load(name: str) -> ModuleType:
    """The module of a paper."""
    return importlib.import_module(f"evidence.second.{name.replace('-', '_')}")


def read(name: str) -> Runs:
    """The runs on record."""
    path = HERE / f"{name}.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            (row.pop("network"), row.pop("seed"), row.pop("arm")): {
                measure: float(text) if text else None for measure, text in row.items()
            }
            for row in csv.DictReader(file)
        }


def measure(name: str) -> None:
    """Do the runs that are not on record."""
    paper, known = load(name), read(name)
    measures = list(paper.MEASURES)
    with (HERE / f"{name}.csv").open("a", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        if not known:
            table.writerow(["network", "seed", "arm", *measures])
        for network, seed, arm in planned(paper):
            if (network, str(seed), arm) in known:
                continue
            scenario = paper.NETWORKS[network][0](seed) | paper.ARMS[arm]
            [result] = multihop.run_many(scenario, seeds=[seed], workers=1)
            values = [paper.MEASURES[each](result.json) for each in measures]
            table.writerow([network, seed, arm, *(_text(value) for value in values)])
            file.flush()


def planned(paper: ModuleType) -> Iterator[tuple[str, int, str]]:
    """Network, seed and arm of each run: the headlines', then those that look for reasons."""
    told = {name: (count, arms) for name, (_, count, arms) in paper.NETWORKS.items()}
    for networks in (told, paper.REASONS_TAKE):
        for network, (count, arms) in networks.items():
            for seed in range(FIRST_SEED, FIRST_SEED + count):
                yield from ((network, seed, arm) for arm in arms)


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def estimates(name: str) -> Iterator[tuple[str, str, Estimate]]:
    """Each row's headline, what it compares, and its estimate."""
    paper, runs = load(name), read(name)
    for headline, label, network, over, under, what, way in (*paper.ROWS, *paper.REASONS):
        pairs = [
            (values[what], runs[net, seed, under][what])
            for (net, seed, arm), values in runs.items()
            if net == network and arm == over and (net, seed, under) in runs
        ]
        both = np.array([(x, y) for x, y in pairs if x is not None and y is not None])
        yield headline, label, WAYS[way](both[:, 0], both[:, 1])
