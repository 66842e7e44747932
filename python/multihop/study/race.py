"""The race of a ranking's candidates for the first place, by the networks of a study.

A network's value of a candidate is the sum of the metric over the network's flows of the kind, so
that the best by it is the best by the mean over flows: all candidates have the same flows. A flow
without the metric counts as the others of its network. A network on which a candidate in the race
has no value, or failed, is left out for all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from multihop.metrics import METRICS, BaselineMetric
from multihop.study.document import Ranking
from multihop.study.kn import Selection
from multihop.study.names import Value
from multihop.study.precision import may_fulfil
from multihop.study.selector import parse

if TYPE_CHECKING:
    from multihop.study.runs import StudyRuns

Point = tuple[Value, ...]
"""A candidate: its scheme, then its value of each axis in `over`."""
Place = tuple[Any, ...]
"""A value of each column in `per`."""
Values = Mapping[int, tuple[float, int]]
"""Sum and number of values on each network."""


@dataclass(frozen=True, slots=True)
class Race:
    """How far the selection of the best has come, in one place of a ranking."""

    place: Place
    remaining: list[Point]
    """The candidates in the race; one where the best is selected."""
    out: dict[Point, int]
    """After how many networks each of the others was eliminated, in that order."""
    tried: int
    """Networks on which those that remain were compared."""
    counted: int
    """Those of them on which all had a value."""
    indifference: float
    """In the metric's unit; NaN before the first networks are done."""
    cells: Mapping[Point, frozenset[int]]
    """Places in the study's cells of each candidate's runs."""

    @property
    def decided(self) -> bool:
        """Whether the best is selected."""
        return len(self.remaining) == 1

    def networks(self, candidate: Point) -> int:
        """On how many networks a candidate was compared."""
        return self.out.get(candidate, self.tried)


def races(results: StudyRuns, ranking: Ranking) -> list[Race]:
    """Every race of a ranking that selects: one for each place with two candidates or more."""
    at = _cells_at(results, ranking)
    axes = [column in results.study.table.axes for column in ranking.per]
    found = []
    for place, candidates in _fields(results, ranking):
        if len(candidates) > 1:
            by_axes = tuple(itertools.compress(place, axes))
            cells = {point: at[by_axes, point] for point in candidates}
            found.append(_race(results, ranking, place, candidates, cells))
    return found


def networks_to_select(results: StudyRuns) -> list[int]:
    """How many networks each cell should have next; as many as it has where all is selected."""
    found = [len(seeds) for seeds in results.cell_seeds]
    for ranking in results.selections:
        select = ranking.select
        assert select is not None
        for race in races(results, ranking):
            if race.decided:
                continue
            # A tenth at a time: few steps, and few runs that an elimination makes needless.
            more = max(race.tried + max(1, race.tried // 10), select.start)
            for candidate in race.remaining:
                for number in race.cells[candidate]:
                    found[number] = max(found[number], min(more, select.limit))
    return found


def runs_of(found: list[Race]) -> tuple[int, int]:
    """Runs that the races took, and those of as many networks for every candidate."""
    taken: dict[int, int] = {}
    equal: dict[int, int] = {}
    for race in found:
        for candidate, numbers in race.cells.items():
            for number in numbers:
                taken[number] = max(taken.get(number, 0), race.networks(candidate))
                equal[number] = max(equal.get(number, 0), race.tried)
    return sum(taken.values()), sum(equal.values())


def _fields(results: StudyRuns, ranking: Ranking) -> Iterator[tuple[Place, dict[Point, Values]]]:
    """The candidates of each place with their values, in the study's order."""
    frame = results.frame(ranking.y)
    if frame.is_empty():
        return
    frame = frame.filter(parse(ranking.where, frame.columns))
    parts = ["scheme", *ranking.over]
    sums = frame.group_by(*ranking.per, *parts, "network").agg(
        pl.col(ranking.y).sum().alias("sum"), pl.col(ranking.y).count().alias("count")
    )
    found: dict[Place, dict[Point, dict[int, tuple[float, int]]]] = {}
    width = len(ranking.per)
    for *key, network, total, count in sums.filter(pl.col("count") > 0).iter_rows():
        candidates = found.setdefault(tuple(key[:width]), {})
        candidates.setdefault(tuple(key[width:]), {})[network] = (total, count)
    names = [name for name in results.scheme_names if name in (ranking.schemes or [name])]
    points = list(itertools.product(names, *(results.values(frame, axis) for axis in ranking.over)))
    for place in itertools.product(*(results.values(frame, column) for column in ranking.per)):
        here = found.get(place, {})
        yield place, {point: here[point] for point in points if point in here}


def _race(
    results: StudyRuns,
    ranking: Ranking,
    place: Place,
    candidates: Mapping[Point, Values],
    cells: Mapping[Point, frozenset[int]],
) -> Race:
    select, points = ranking.select, list(candidates)
    assert select is not None
    selection = Selection(
        len(points),
        probability=select.probability,
        indifference=select.indifference,
        start=select.start,
        lowest=ranking.best == "lowest",
        procedure=select.procedure,
    )
    out: dict[Point, int] = {}
    first, tried, weights = results.study.table.first_seed, 0, 0
    for network in range(first, first + select.limit):
        racing = selection.remaining
        needed = frozenset[int]().union(*(cells[points[number]] for number in racing))
        if selection.decided or any(network not in results.settled[each] for each in needed):
            break
        tried += 1
        drawn = {number: candidates[points[number]].get(network) for number in racing}
        measured = {number: value for number, value in drawn.items() if value is not None}
        if len(measured) < len(racing) or any(network in results.failed[each] for each in needed):
            continue
        flows = max(count for _, count in measured.values())
        weights += flows
        row = [math.nan] * len(points)
        for number, (total, count) in measured.items():
            row[number] = total / count * flows
        selection.add(row)
        out |= {points[number]: tried for number in selection.out if points[number] not in out}
    return Race(
        place,
        [points[number] for number in selection.remaining],
        out,
        tried,
        selection.networks,
        selection.indifference * selection.networks / weights if weights else math.nan,
        cells,
    )


def _cells_at(results: StudyRuns, ranking: Ranking) -> dict[tuple[Place, Point], frozenset[int]]:
    """The cells of each candidate, by the axes among `per`, with those they are set against."""
    table = results.study.table
    against = table.baseline if isinstance(METRICS[ranking.y], BaselineMetric) else None
    numbers = {(cell.scheme, cell.point): number for number, cell in enumerate(results.cells)}
    found: dict[tuple[Place, Point], set[int]] = {}
    for number, cell in enumerate(results.cells):
        if not may_fulfil(cell.point, ranking.where):
            continue
        point = dict(cell.point)
        place = tuple(point[column] for column in ranking.per if column in point)
        candidate = (cell.scheme, *(point[axis] for axis in ranking.over))
        here = found.setdefault((place, candidate), set())
        here.add(number)
        if against is not None:
            theirs = (against, tuple(results.ran_at(against, point).items()))
            here |= {numbers[theirs]} if theirs in numbers else set()
    return {key: frozenset(cells) for key, cells in found.items()}
