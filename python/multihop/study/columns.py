"""The columns of a study's frames, and whether what a study names is among them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

from multihop.errors import StudyError
from multihop.metrics import METRICS, SERIES, of_papers
from multihop.study.document import StudyTable
from multihop.study.figure import METRIC_ACROSS, Figure
from multihop.study.names import one_of
from multihop.study.selector import SelectorError, parse

TAKEN = (
    "scheme", "network", "flow", "kind", "source", "destination", "least_hops", "metric", "value",
)  # fmt: skip
"""Columns of the results that no axis may be named after."""
RECORDED = ("time_s", "node", *(name for names in SERIES.values() for name in names))
"""Columns of the recorded series, which no axis may be named after if there are any."""


def columns(metric: str, axes: Iterable[str], *, metrics: bool = False) -> list[str]:
    """Columns that identify a row of the frame that has `metric`; with `metrics` those too."""
    level = METRICS[metric].level
    found = [*axes, "scheme", "network", "n_flows"]
    if level == "flow":
        found += ["flow", "kind", "hops", "least_hops", "least_observed_hops"]
    if metrics:
        found += [other.name for other in METRICS.values() if other.level == level]
    return list(dict.fromkeys(found))


def check(table: StudyTable) -> None:
    """Refuse metrics, columns and conditions that the study's results would not have.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """
    for where, name in metric_names(table):
        if name not in METRICS:
            near = difflib.get_close_matches(name, METRICS, n=1, cutoff=0.7)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(METRICS)}"
            raise StudyError.at(where, f"unknown metric {name!r}; {hint}{of_papers.unread()}")
    for name in table.axes:
        if name in TAKEN or name in METRICS:
            raise StudyError.at(f"axes.{name}", "is the name of another column")
        if name in RECORDED and table.record.series_interval_s is not None:
            raise StudyError.at(f"axes.{name}", "is the name of a column of the recorded series")
    _check_figures(table)
    for number, ranking in enumerate(table.rankings):
        where = f"rankings.{number}"
        for column in ranking.per:
            one_of(f"{where}.per", column, columns(ranking.y, table.axes))
        known = columns(ranking.y, table.axes, metrics=True)
        _check_condition(f"{where}.where", ranking.where, known)
    for where, wanted in table.precisions.items():
        known = columns(wanted.metric, table.axes, metrics=True)
        _check_condition(f"{where}.where", wanted.where, known)
    if table.assumptions:
        known = columns(table.assumptions.metric, table.axes, metrics=True)
        _check_condition("assumptions.where", table.assumptions.where, known)
    known = columns("goodput_bps", table.axes)
    for name in table.group:
        if name not in known:
            raise StudyError.at("group", f"must be of {', '.join(known)} (got {name!r})")


def metric_names(table: StudyTable) -> Iterator[tuple[str, str]]:
    """Every metric that a study names, with where."""
    for name in table.metrics:
        yield "metrics", name
    for number, figure in enumerate(table.figures):
        if figure.kind != "series":
            key = "x" if figure.kind == "cdf" else "y"
            yield f"figures.{number}.{key}", figure.metric
        if figure.kind == "front":
            yield f"figures.{number}.x", figure.x
    for number, ranking in enumerate(table.rankings):
        yield f"rankings.{number}.y", ranking.y
    for where, wanted in table.precisions.items():
        yield f"{where}.metric", wanted.metric
    if table.assumptions:
        yield "assumptions.metric", table.assumptions.metric


def _check_figures(table: StudyTable) -> None:
    for number, figure in enumerate(table.figures):
        where = f"figures.{number}"
        if figure.kind == "series":
            known = [*table.axes, "scheme", "network", "flow", "node", "time_s"]
            one_of(f"{where}.x", figure.x, ["time_s"])
            names = [name for names in SERIES.values() for name in names]
            one_of(f"{where}.y", figure.metric, names)
        else:
            for key in ("over",) if figure.kind in METRIC_ACROSS else ("x", "over"):
                if (name := getattr(figure, key)) is not None:
                    one_of(f"{where}.{key}", name, columns(figure.metric, table.axes))
            known = columns(figure.metric, table.axes, metrics=True)
            _check_log(where, figure)
        _check_condition(f"{where}.where", figure.where, known)
        if figure.kind == "front":
            _check_front(where, figure, table)


def _check_front(where: str, figure: Figure, table: StudyTable) -> None:
    """Its candidates are schemes at values of an axis, and what is drawn has both metrics."""
    if figure.over is not None:
        one_of(f"{where}.over", figure.over, list(table.axes))
    across, up = (columns(name, table.axes, metrics=True) for name in (figure.x, figure.metric))
    _check_condition(f"{where}.where", figure.where, across)
    _check_condition(f"{where}.y_where", figure.y_where, up)


def _check_log(where: str, figure: Figure) -> None:
    """A logarithm is of a metric that can't be below 0."""
    key = "x_scale" if figure.kind == "cdf" else "y_scale"
    if getattr(figure, key) == "log" and METRICS[figure.metric].least is None:
        fault = f'"log" needs values above 0; {figure.metric} may be below'
        raise StudyError.at(f"{where}.{key}", fault)


def _check_condition(where: str, condition: str | None, known: Sequence[str]) -> None:
    try:
        parse(condition, known)
    except SelectorError as error:
        raise StudyError.at(where, str(error)) from None
