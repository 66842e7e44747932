"""The table `[[figures]]` of a study file, and which of its keys go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from multihop.errors import StudyError
from multihop.labels import plain
from multihop.study.names import NAME, Value, one_of

Kind = Literal["line", "bar", "series", "heatmap", "cdf", "box", "front"]
Scale = Literal["linear", "log"]

_OF_KINDS: dict[str, tuple[Kind, ...]] = {
    "y": ("line", "bar", "series", "heatmap", "box", "front"),
    "y_where": ("front",),
    "over": ("heatmap", "front"),
    "relative_to": ("line", "bar", "heatmap"),
    "network": ("series",),
    "least_flows": ("line", "bar", "heatmap", "cdf", "box"),
    "x_scale": ("line", "cdf"),
    "y_scale": ("line", "series", "box"),
    "x_labels": ("bar",),
    "printed": ("line", "bar"),
    "free_y": ("line", "bar", "series", "box"),
}
"""The keys that some kinds have; the others are every kind's."""
_NEEDED: dict[str, tuple[Kind, ...]] = {"y": _OF_KINDS["y"], "over": ("heatmap",)}
"""The keys that some kinds can't do without."""
METRIC_ACROSS: tuple[Kind, ...] = ("cdf", "front")
"""The kinds whose `x` is a metric."""


class Printed(BaseModel):
    """A number that the paper prints, which the report shows beside the measured one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: float
    """In the metric's unit, or as a ratio where the figure has `relative_to`."""
    x: Value | None = None
    """Where; at every x where absent."""
    scheme: str | None = None
    """Of which scheme; of every where absent."""
    facet: Value | None = None
    """In which panel; in every where absent."""


class Figure(BaseModel):
    """A figure: a metric over a column, one line a scheme, unless its kind is another."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    name: str = Field(pattern=NAME)
    title: str
    kind: Kind = "line"
    x: str
    """An axis, or a column of the flows such as `hops`; for a series, `time_s`; for a cdf, the
    metric; for a front, the metric across."""
    y: str | None = None
    """A metric, or for a series one of its columns."""
    over: str | None = None
    """For a heatmap: the axis or column that its rows are. For a front: an axis, each of whose
    values makes a candidate with each scheme."""
    relative_to: str | None = None
    """Scheme by whose mean the others' are divided, on the same networks."""
    schemes: list[str] | None = None
    where: str | None = None
    """Condition on what is drawn, such as `hops <= 10 and n_flows == 5`."""
    y_where: str | None = None
    """For a front: a further condition on what counts for `y` alone."""
    facet: str | None = None
    """An axis: one panel for each of its values."""
    free_y: bool = False
    """Each panel has a y axis of its own."""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    network: int | None = None
    """For a series: the seed that is drawn; the first where absent."""
    x_labels: dict[str, str] = {}
    """What values of `x` are called where bars are drawn, such as `{ 0 = "connection I" }`."""
    x_title: str | None = None
    y_title: str | None = None
    least_flows: int = Field(default=1, ge=1)
    """Leaves out points with fewer flows."""
    paper: str | None = None
    """What the paper says about it; the report shows it beside the figure."""

    printed: list[Printed] = []
    """Numbers that the paper prints: marks in bars, and a column of the figure's table."""

    def named_x(self, value: Any) -> str | None:
        """What a value of `x` is called; None where nothing else than itself."""
        return self.x_labels.get(plain(value))

    def printed_at(self, x: Any, scheme: str, facet: Any = None) -> float | None:
        """What the paper prints there, in the metric's unit."""
        for found in self.printed:
            asked = ((found.x, x), (found.scheme, scheme), (found.facet, facet))
            if all(wanted is None or plain(wanted) == plain(value) for wanted, value in asked):
                return found.value
        return None

    @property
    def metric(self) -> str:
        """The metric, or the column of a series, that is drawn."""
        return self.x if self.y is None else self.y

    @property
    def columns(self) -> list[str]:
        """The columns whose values are kept apart, besides the scheme."""
        drawn = [None if self.kind in METRIC_ACROSS else self.x, self.over, self.facet]
        return [name for name in drawn if name is not None and name != "scheme"]

    def check(
        self, where: str, schemes: Sequence[str], axes: Mapping[str, Sequence[Value]]
    ) -> None:
        """Refuse what the study does not have, and keys that don't go together.

        Args:
            where: its place in the file.
            schemes: the study's schemes.
            axes: the study's axes with their values.

        Raises:
            StudyError: naming the key, what is wrong and what is allowed.
        """
        self._check_kind(where)
        for name in self.schemes or []:
            one_of(f"{where}.schemes", name, schemes)
        for number, found in enumerate(self.printed):
            if found.scheme is not None:
                one_of(f"{where}.printed.{number}.scheme", found.scheme, schemes)
        if self.relative_to is not None:
            one_of(f"{where}.relative_to", self.relative_to, schemes)
        if self.facet is not None:
            one_of(f"{where}.facet", self.facet, [*axes])
        for key in ("over", "facet"):
            others = {other: getattr(self, other) for other in ("x", "over") if other != key}
            for other, column in others.items():
                if column is not None and getattr(self, key) == column:
                    raise StudyError.at(f"{where}.{key}", f"{column!r} is {other} already")
        if self.free_y and self.facet is None:
            raise StudyError.at(f"{where}.free_y", "needs a facet, whose panels it is about")
        if self.x_scale == "log" and self.kind == "line":
            self._check_log_x(f"{where}.x_scale", axes)

    def _check_kind(self, where: str) -> None:
        for key, kinds in _OF_KINDS.items():
            if key in self.model_fields_set and self.kind not in kinds:
                fault = f'not with kind = "{self.kind}", only with {", ".join(kinds)}'
                if self.kind == "cdf" and key == "y":
                    fault = 'not with kind = "cdf", whose metric is x'
                raise StudyError.at(f"{where}.{key}", fault)
        for key, kinds in _NEEDED.items():
            if self.kind in kinds and getattr(self, key) is None:
                raise StudyError.at(f"{where}.{key}", f'missing, with kind = "{self.kind}"')

    def _check_log_x(self, where: str, axes: Mapping[str, Sequence[Value]]) -> None:
        if self.x in ("scheme", "kind"):
            raise StudyError.at(where, f'"log" needs numbers; {self.x} has none')
        for label in axes.get(self.x, []):
            if isinstance(label, bool | str) or label <= 0:
                fault = f'"log" needs numbers above 0; {self.x} has {label!r}'
                raise StudyError.at(where, fault)
