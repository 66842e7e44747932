"""Rankings: which candidate is best, and which others the runs do not distinguish from it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.metrics import METRICS
from multihop.study import estimates
from multihop.study.document import Ranking
from multihop.study.estimates import Sample
from multihop.study.names import Value
from multihop.study.runs import StudyRuns
from multihop.study.samples import equals, estimate_columns, sample_of
from multihop.study.selector import parse

Point = tuple[Value, ...]
"""A candidate: its scheme, then its value of each axis in `over`."""


@dataclass(frozen=True, slots=True)
class RankingData:
    """A ranking with its numbers.

    `frame` has, for each value of the columns in `per`, the candidates, best first: rank,
    scheme, the axes in `over`, value, the ratio to the baseline and the difference from the best,
    each with `_low` and `_high`, told_apart, networks, flows. `told_apart` is true where the
    interval of the difference from the best excludes 0. A candidate is ranked only where it ran,
    and by the networks on which all candidates of its ranking ran.
    """

    ranking: Ranking
    frame: pl.DataFrame

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return METRICS[self.ranking.y].unit


def ranking_data(results: StudyRuns) -> list[RankingData]:
    """Every ranking of the study."""
    return [
        RankingData(ranking, ranking_frame(results, ranking))
        for ranking in results.study.table.rankings
    ]


def ranking_frame(results: StudyRuns, ranking: Ranking) -> pl.DataFrame:
    """The numbers of one ranking; no rows where no finished run has the metric."""
    rows = list(_rows(results, ranking)) if results.finished else []
    return pl.DataFrame(rows, infer_schema_length=None)


def _rows(results: StudyRuns, ranking: Ranking) -> Iterator[dict[str, Any]]:
    frame = results.frame(ranking.y)
    frame = frame.filter(parse(ranking.where, frame.columns))
    values = [results.values(frame, column) for column in ranking.per]
    for labels in itertools.product(*values):
        place = dict(zip(ranking.per, labels, strict=True))
        for row in _ranked(results, ranking, frame.filter(equals(place))):
            yield place | row


def _ranked(results: StudyRuns, ranking: Ranking, frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    samples = _samples(results, ranking, frame)
    # Ties stay in the study's order.
    turn = -1 if ranking.best == "highest" else 1
    ordered = sorted(samples.items(), key=lambda found: turn * found[1].mean)
    baseline = ranking.baseline
    base = (
        samples.get(tuple(baseline[part] for part in ("scheme", *ranking.over)))
        if baseline
        else None
    )
    best = ordered[0][1] if ordered else None
    for rank, (point, sample) in enumerate(ordered, 1):
        value = estimates.mean(sample)
        ratio = None if base is None or sample is base else estimates.ratio(sample, base)
        behind = None if best is None or sample is best else estimates.difference(sample, best)
        # Without an interval, as on a single network, nothing is distinguishable.
        apart = behind is not None and (behind.low > 0 or behind.high < 0)
        yield {
            "rank": rank,
            **dict(zip(("scheme", *ranking.over), point, strict=True)),
            **estimate_columns("", value),
            **estimate_columns("ratio", ratio),
            **estimate_columns("difference", behind),
            "told_apart": apart,
            "networks": value.networks,
            "flows": value.flows,
        }


def _samples(results: StudyRuns, ranking: Ranking, frame: pl.DataFrame) -> dict[Point, Sample]:
    """Every candidate that has the metric here, in the study's order, on their common networks."""
    names = [scheme.name for scheme in results.study.table.scheme_tables]
    schemes = [name for name in names if name in (ranking.schemes or names)]
    axes = [results.values(frame, axis) for axis in ranking.over]
    gaps = results.gaps(ranking.y, [])
    found = {}
    for point in itertools.product(schemes, *axes):
        here = equals(dict(zip(ranking.over, point[1:], strict=True)))
        sample = sample_of(frame, ranking.y, point[0], here, gaps=gaps)
        if math.isfinite(sample.mean):
            found[point] = sample
    lacks = frozenset[int]().union(*(sample.lacks for sample in found.values()))
    common = {point: sample.without(lacks) for point, sample in found.items()}
    return {point: sample for point, sample in common.items() if math.isfinite(sample.mean)}
