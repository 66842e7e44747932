"""Rankings: which candidate is best, and which others the runs do not distinguish from it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop import renamed
from multihop.metrics import METRICS
from multihop.study import estimates
from multihop.study.document import Ranking
from multihop.study.estimates import Sample
from multihop.study.race import Place, Point, Race, races
from multihop.study.runs import StudyRuns
from multihop.study.samples import equals, estimate_columns, sample_of
from multihop.study.selector import parse


@dataclass(frozen=True, slots=True)
class RankingData:
    """A ranking with its numbers.

    `frame` has, for each value of the columns in `per`, the candidates, best first: rank,
    scheme, the axes in `over`, value, the ratio to the baseline and the difference from the best,
    each with `_low` and `_high`, distinguishable, networks, flows. `distinguishable` is true where
    the interval of the difference from the best excludes 0. A candidate is ranked only where it
    ran, and by the networks on which all candidates of its ranking ran.

    Where the best is selected (`races`), those that are left come first, then the eliminated, the
    last first. `eliminated` says after how many networks. A value then is by all networks that its
    candidate ran on, a ratio or difference by those that both sides ran on.
    """

    ranking: Ranking
    frame: pl.DataFrame
    races: list[Race]
    """How the best was selected, for each value of `per`; empty where it was not."""

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return METRICS[self.ranking.y].unit


def ranking_data(results: StudyRuns) -> list[RankingData]:
    """Every ranking of the study."""
    return [ranked(results, ranking) for ranking in results.study.table.rankings]


def ranked(results: StudyRuns, ranking: Ranking) -> RankingData:
    """One ranking with its numbers; no rows where no finished run has the metric."""
    if not results.finished:
        return RankingData(ranking, pl.DataFrame(), [])
    found = races(results, ranking) if ranking in results.selections else []
    rows = list(_rows(results, ranking, {race.place: race for race in found}))
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return RankingData(ranking, renamed.with_former(frame), found)


def ranking_frame(results: StudyRuns, ranking: Ranking) -> pl.DataFrame:
    """The numbers of one ranking."""
    return ranked(results, ranking).frame


def _rows(
    results: StudyRuns, ranking: Ranking, found: Mapping[Place, Race]
) -> Iterator[dict[str, Any]]:
    frame = results.frame(ranking.y)
    frame = frame.filter(parse(ranking.where, frame.columns))
    values = [results.values(frame, column) for column in ranking.per]
    for labels in itertools.product(*values):
        place = dict(zip(ranking.per, labels, strict=True))
        samples = _samples(results, ranking, frame.filter(equals(place)))
        race = found.get(labels)
        for row in _ranked(ranking, samples if race else _on_common(samples), race):
            yield place | row


def _ranked(
    ranking: Ranking, samples: Mapping[Point, Sample], race: Race | None
) -> Iterator[dict[str, Any]]:
    # Ties stay in the study's order.
    turn = -1 if ranking.best == "highest" else 1
    ordered = sorted(samples.items(), key=lambda found: turn * found[1].mean)
    if race is not None:
        left = [found for found in ordered if found[0] in race.remaining]
        gone = [point for point in reversed(race.out) if point in samples]
        ordered = left + [(point, samples[point]) for point in gone]
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
            "distinguishable": apart,
            "networks": value.networks,
            "flows": value.flows,
            **({"eliminated": race.out.get(point)} if race else {}),
        }


def _samples(results: StudyRuns, ranking: Ranking, frame: pl.DataFrame) -> dict[Point, Sample]:
    """Every candidate that has the metric here, in the study's order."""
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
    return found


def _on_common(found: Mapping[Point, Sample]) -> dict[Point, Sample]:
    """The samples on the networks on which all candidates ran."""
    lacks = frozenset[int]().union(*(sample.lacks for sample in found.values()))
    common = {point: sample.without(lacks) for point, sample in found.items()}
    return {point: sample for point, sample in common.items() if math.isfinite(sample.mean)}
