"""A study's answer in a few sentences: who has more than the baseline, and whether it is sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.precision import networks_in_words
from multihop.report.rankings import ranking_tables
from multihop.report.wording import capital, name_of, scale_of, with_interval
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.ranking import ranking_data
from multihop.study.results import StudyResults
from multihop.study.samples import equals

_MOST_PLACES = 4
"""Of more points of axes and groups all are told together."""
_MOST_SCHEMES = 6
"""Of more schemes the first and the last are told, and how many are distinguishable."""


def answers(results: StudyResults) -> list[str]:
    """What the first ranking says, or else the first metric; nothing if no run has finished."""
    if not results.finished:
        return []
    told = [*_by_ranking(results)] if results.study.table.rankings else [*_by_metric(results)]
    under = ", ".join(sorted({*results.readings.values()}))
    read = f", under {under}" if under else ""
    return [*told, f"On {networks_in_words(results)}{read}."] if told else []


def _by_ranking(results: StudyResults) -> Iterator[str]:
    data = ranking_data(results)[0]
    if (tables := ranking_tables(data)) is None:
        return
    heads, per = tables.best.headings, len(data.ranking.per)
    for row in tables.best.rows[:_MOST_PLACES]:
        at = "".join(
            f", {head.lower()} {cell}" for head, cell in zip(heads, row[:per], strict=False)
        )
        said = [f"{head[:1].lower()}{head[1:]} {cell}" for head, cell in _pairs(heads, row, per)]
        yield f"{data.ranking.title}{at}: {', '.join(said)}."
    if (more := len(tables.best.rows) - _MOST_PLACES) > 0:
        yield f"And {more} more places in its table."


def _pairs(heads: Sequence[str], row: Sequence[str], per: int) -> Iterator[tuple[str, str]]:
    """Headings and cells but for those of the place and the counts."""
    for head, cell in zip(heads[per:], row[per:], strict=True):
        if head not in ("Networks", "Flows"):
            yield head, cell


class _Compared(NamedTuple):
    """A scheme at a place, beside what it is compared with."""

    scheme: str
    ratio: Estimate

    @property
    def text(self) -> str:
        """Its ratio in words."""
        ratio = self.ratio
        value, between = with_interval(ratio.value, ratio.low, ratio.high)
        said = f"{self.scheme} {value} times that"
        return f"{said} ({between}), {self.word}" if between else f"{said}, on one network"

    @property
    def word(self) -> str:
        """Whether it is distinguishable."""
        if self.ratio.low > 1:
            return "more"
        return "less" if self.ratio.high < 1 else "not distinguishable"


def _by_metric(results: StudyResults) -> Iterator[str]:
    metric = results.study.table.metrics[0]
    for place in _places(results, metric):
        where = equals(place)
        means = {
            name: found
            for name in results.scheme_names
            if (found := estimates.mean(results.sample(metric, name, where))).flows
        }
        if means:
            yield _sentence(results, metric, place, means)


def _places(results: StudyResults, metric: str) -> list[dict[str, Any]]:
    """The points of axes and groups, or all of them together where there are many."""
    table, frame = results.study.table, results.frame(metric)
    split = [
        name
        for name in (*table.axes, *table.group)
        if name in frame.columns and frame[name].n_unique() > 1
    ]
    if any(axis.schemes is not None for axis in table.axes.values()) or not split:
        return [{}]
    found = frame.select(split).unique(maintain_order=True).sort(split).to_dicts()
    found = [place for place in found if None not in place.values()]
    return found if len(found) <= _MOST_PLACES else [{}]


def _sentence(
    results: StudyResults, metric: str, place: dict[str, Any], means: dict[str, Estimate]
) -> str:
    factor, unit = scale_of(METRICS[metric].unit, [found.value for found in means.values()])
    at = "".join(f", {name_of(name)} {plain(value)}" for name, value in place.items())
    named = f"{capital(name_of(metric))}{at}"
    baseline = results.study.table.baseline
    by = baseline if baseline in means else max(means, key=lambda name: means[name].value)
    ends = (means[by].value, means[by].low, means[by].high)
    value, between = with_interval(*(end * factor for end in ends))
    base = " ".join([by, value, *([f"({between})"] if between else []), *([unit] if unit else [])])
    others = [name for name in means if name != by]
    if not others:
        return f"{named}: {base}."
    where = equals(place)
    base_of = results.sample(metric, by, where)
    compared = [
        _Compared(name, estimates.ratio(results.sample(metric, name, where), base_of))
        for name in others
    ]
    if len(compared) > _MOST_SCHEMES:
        ranked = sorted(compared, key=lambda each: each.ratio.value)
        sure = sum(each.word != "not distinguishable" for each in compared)
        said = (
            f"most with {ranked[-1].text}; least with {ranked[0].text}; {sure} of {len(compared)} "
            "distinguishable"
        )
    else:
        said = "; ".join(each.text for each in compared)
    return f"{named}: {base}; {said}."
