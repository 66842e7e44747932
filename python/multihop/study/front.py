"""The numbers of a figure of two metrics at once: who is on the Pareto front of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from multihop.study import estimates
from multihop.study.distributions import finite
from multihop.study.estimates import Sample
from multihop.study.figure import Figure
from multihop.study.places import Place, places
from multihop.study.runs import StudyRuns

Both = tuple[Sample, Sample]
"""Of one candidate: the horizontal metric and the vertical one."""


def trade_off(results: StudyRuns, figure: Figure) -> Iterator[dict[str, Any]]:
    """For each candidate both means, on the networks on which all candidates of its panel ran.

    `dominance` is "front" if no other candidate is at least as good in both; "dominated" if one of
    the front is shown to be better in both, each by its 95 % interval; "near" otherwise.
    """
    for panel in _panels(results, figure):
        known = _on_common(panel)
        means = {place: (x.mean, y.mean) for place, (x, y) in known.items()}
        front = [place for place in known if not _is_below(means, place)]
        for place, (across, up) in known.items():
            x, y = estimates.mean(across), estimates.mean(up)
            dominance = "near"
            if place in front:
                dominance = "front"
            elif any(_beats(known[other], (across, up)) for other in front):
                dominance = "dominated"
            yield {
                **dict(place),
                "x": x.value,
                "x_low": finite(x.low),
                "x_high": finite(x.high),
                "value": y.value,
                "low": finite(y.low),
                "high": finite(y.high),
                "dominance": dominance,
                "networks": y.networks,
                "flows": y.flows,
            }


Candidate = tuple[tuple[str, Any], ...]
"""A scheme, its value of `over` if there is any, and its panel: the labels of its place."""


def _panels(results: StudyRuns, figure: Figure) -> list[dict[Candidate, Both]]:
    """Panel by panel the candidates that have both metrics."""
    conditions = [condition for condition in (figure.where, figure.y_where) if condition]
    across = figure.model_copy(update={"y": figure.x, "y_where": None})
    upward = figure.model_copy(update={"where": " and ".join(conditions) or None})
    found = {
        tuple(place.labels.items()): place.sample(figure.x) for place in places(results, across)
    }
    panels: dict[Any, dict[Candidate, Both]] = {}
    for place in places(results, upward):
        labels = tuple(place.labels.items())
        if labels in found and _is_candidate(results, figure, place):
            both = found[labels], place.sample(figure.metric)
            panels.setdefault(place.labels["facet"], {})[labels] = both
    return [*panels.values()]


def _is_candidate(results: StudyRuns, figure: Figure, place: Place) -> bool:
    """Whether it is a scheme at a value of `over` that it ran at, not one that stands in."""
    if figure.over is None:
        return True
    axis = results.study.table.axes[figure.over]
    return axis.varies(place.scheme) or place.labels["over"] == axis.default


def _on_common(panel: Mapping[Candidate, Both]) -> dict[Candidate, Both]:
    """The candidates on the networks on which all of them ran."""
    ran = {place: both for place, both in panel.items() if all(map(_has_values, both))}
    lacks = frozenset[int]().union(*(sample.lacks for both in ran.values() for sample in both))
    common = {place: (x.without(lacks), y.without(lacks)) for place, (x, y) in ran.items()}
    return {place: both for place, both in common.items() if all(map(_has_values, both))}


def _has_values(sample: Sample) -> bool:
    return math.isfinite(sample.mean)


def _is_below(means: Mapping[Candidate, tuple[float, float]], place: Candidate) -> bool:
    """Whether another is at least as good in both, and better in one."""
    x, y = means[place]
    return any(a >= x and b >= y and (a, b) != (x, y) for a, b in means.values())


def _beats(better: Both, worse: Both) -> bool:
    """Whether it is shown to be better in both."""
    return all(
        estimates.difference(one, other).low > 0 for one, other in zip(better, worse, strict=True)
    )
