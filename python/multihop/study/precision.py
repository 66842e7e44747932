"""How precise each cell of a study is, and how many networks it needs to be as precise as wanted.

A cell stops when its interval is narrow enough, whatever its value. That keeps the coverage of the
interval where the first networks are a minimum (Chow and Robbins, On the asymptotic theory of
fixed-width sequential confidence intervals for the mean, Ann. Math. Stat. 36, 1965): the fewer
there are, the likelier that an interval is narrow by luck.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from multihop.metrics import METRICS, BaselineMetric
from multihop.study import estimates
from multihop.study.document import Precision
from multihop.study.names import Value
from multihop.study.plan import Cell
from multihop.study.samples import equals
from multihop.study.selector import about, parse

if TYPE_CHECKING:
    from multihop.study.runs import StudyRuns

LEAST_NETWORKS = 10
"""No cell is held to be precise with fewer, unless the limit is below."""


@dataclass(frozen=True, slots=True)
class CellWidth:
    """How wide the interval of a cell is."""

    cell: Cell
    width: float
    """Half of the 95 % interval over the value; infinite where there is no interval."""
    networks: int
    """Networks that the cell has, with what it is compared to."""


@dataclass(frozen=True, slots=True)
class Attained:
    """What a study has attained of a precision that it wants."""

    wanted: Precision
    cells: list[CellWidth]
    """Every cell that it is about, the widest first."""

    @property
    def short(self) -> list[CellWidth]:
        """The cells that are wider than wanted."""
        return [found for found in self.cells if found.width > self.wanted.relative_half_width]


def attained(results: StudyRuns) -> list[Attained]:
    """How precise the results are, by each precision that they are held to."""
    found = []
    for wanted in results.precision:
        widths = [_cell_width(results, wanted, cells) for cells in _judged(results, wanted)]
        found.append(Attained(wanted, sorted(widths, key=lambda each: -each.width)))
    return found


def networks_wanted(results: StudyRuns) -> list[int]:
    """How many networks each cell should have next; as many as it has where all is attained."""
    found = [len(seeds) for seeds in results.cell_seeds]
    for wanted in results.precision:
        for cells in _judged(results, wanted):
            width = _cell_width(results, wanted, cells)
            enough = next_networks(width.networks, width.width, wanted)
            for number in cells:
                found[number] = max(found[number], enough)
    return found


def next_networks(count: int, width: float, wanted: Precision) -> int:
    """How many networks to have next with an interval of relative half-width `width` on `count`."""
    least = min(LEAST_NETWORKS, wanted.limit)
    if count < least:
        return least
    if width <= wanted.relative_half_width or count >= wanted.limit:
        return count
    # Widths fall with the square root of the number of networks, and few networks estimate the
    # width poorly: go half of the way, and at most double the number at a time.
    needed = count * (width / wanted.relative_half_width) ** 2
    more = max(1, round((min(needed, 3 * count) - count) / 2))
    return min(count + more, wanted.limit)


def _judged(results: StudyRuns, wanted: Precision) -> list[list[int]]:
    """The place of each cell that must be precise, followed by those that it is compared to."""
    table = results.study.table
    partners = [] if wanted.relative_to is None else [wanted.relative_to]
    if isinstance(METRICS[wanted.metric], BaselineMetric) and table.baseline is not None:
        partners.append(table.baseline)
    numbers = {(cell.scheme, cell.point): number for number, cell in enumerate(results.cells)}
    found = []
    for number, cell in enumerate(results.cells):
        if not wanted.is_about(cell.scheme) or not may_fulfil(cell.point, wanted.where):
            continue
        point = dict(cell.point)
        places = [(name, tuple(results.ran_at(name, point).items())) for name in partners]
        if all(place in numbers for place in places):
            cells = [number, *(numbers[place] for place in places)]
            if _has_values(results, wanted, cells):
                found.append(cells)
    return found


@lru_cache(maxsize=4096)
def may_fulfil(point: tuple[tuple[str, Value], ...], where: str | None) -> bool:
    """Whether a cell's axes and labels leave it open that it has what the condition asks for."""
    labels = dict(point)
    condition = parse(about(where, labels), labels).alias("fulfilled")
    return not labels or bool(pl.DataFrame([labels]).select(condition).item())


def _has_values(results: StudyRuns, wanted: Precision, cells: Sequence[int]) -> bool:
    """Whether the metric means anything for these cells: not if all their flows lack it."""
    frame = results.frame(wanted.metric)
    for cell in (results.cells[number] for number in cells):
        at = equals({"scheme": cell.scheme, **dict(cell.point)})
        if frame.is_empty() or frame.filter(at)[wanted.metric].drop_nulls().is_empty():
            return False
    return True


def _cell_width(results: StudyRuns, wanted: Precision, cells: Sequence[int]) -> CellWidth:
    cell = results.cells[cells[0]]
    count = min(len(results.cell_seeds[number]) for number in cells)
    within = parse(wanted.where, results.frame(wanted.metric).columns)
    compared = cells[: 1 if wanted.relative_to is None else 2]
    samples = [
        results.sample(wanted.metric, each.scheme, equals(dict(each.point)) & within)
        for each in (results.cells[number] for number in compared)
    ]
    found = estimates.mean(*samples) if len(samples) == 1 else estimates.ratio(*samples)
    width = found.half_width
    if not math.isfinite(width):
        return CellWidth(cell, math.inf, count)
    if width > 0:
        width = width / abs(found.value) if found.value else math.inf
    return CellWidth(cell, width, count)
