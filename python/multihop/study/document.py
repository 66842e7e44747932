"""The study file: its tables as checked models.

A study names a base scenario, the schemes to compare and what to vary. Every scheme runs on the
same networks with the same seeds (common random numbers), so that differences are taken network
by network.
"""

from __future__ import annotations

import difflib
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from multihop import catalogue, reading, renamed
from multihop.errors import ReadingError, StudyError
from multihop.observed import OBSERVATIONS
from multihop.overriding import reading_for
from multihop.recording import Recording
from multihop.study.choices import Alternative, Assumptions, OpenChoice, Part, Stage
from multihop.study.figure import Figure, Printed
from multihop.study.names import NAME, Value, one_of

Settings = dict[str, Any]
"""Key paths of the scenario and their values, such as `{"routing.w_p" = 2}`."""

RESERVED = ("flows", "runs", "summary")
"""Data files of every report; no figure or ranking may have their names."""

RANKED = (
    "rank", "scheme", "value", "low", "high", "ratio", "ratio_low", "ratio_high", "difference",
    "difference_low", "difference_high", "distinguishable", "networks", "flows", "eliminated",
)  # fmt: skip
"""Columns of every ranking; no axis in it may have their names."""

READING = "reading"
"""The axis that the readings of a study are."""


class Table(BaseModel):
    """A table of the study file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class SchemeTable(Table):
    """A scheme under a name of its own, with settings laid over it."""

    name: str = Field(min_length=1)
    scheme: str | None = None
    """Name in `multihop list schemes`; the scenario's own choice where absent."""
    set: Settings = {}
    reading: str | None = None
    """Name or file of the reading that it is always under; else the study's, or the default one of
    its paper."""


MOST_VALUES = 10_000
"""Of an axis."""


class Point(Table):
    """One value of an axis that sets several keys."""

    label: Value
    set: Settings


class Axis(Table):
    """What to vary: one key over values, or labelled points that set several keys."""

    key: str | None = None
    values: list[Any] = []
    points: list[Point] = []
    schemes: list[str] | None = None
    """Vary it for these schemes only; the others run at `default`."""
    default: Value | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Axis:
        if bool(self.points) == (self.key is not None):
            raise ValueError("needs either key and values, or points")
        if self.key is not None and not self.values:
            raise ValueError("values: must not be empty")
        labels = self.labels
        if len(labels) > MOST_VALUES:
            raise ValueError(f"values: at most {MOST_VALUES:,} (got {len(labels):,})")
        if len({str(label) for label in labels}) < len(labels):
            raise ValueError("values: must differ from each other")
        if (self.schemes is None) != (self.default is None):
            raise ValueError("needs both schemes and default, or neither")
        if self.default is not None and self.default not in labels:
            raise ValueError(f"default: must be one of its values (got {self.default!r})")
        return self

    @cached_property
    def labels(self) -> list[Value]:
        """The name of each value in tables."""
        if self.points:
            return [point.label for point in self.points]
        return [v if isinstance(v, bool | int | float | str) else str(v) for v in self.values]

    def varies(self, scheme: str) -> bool:
        """Whether it is varied for `scheme`, which otherwise runs at `default`."""
        return self.schemes is None or scheme in self.schemes

    def settings(self, label: Value) -> Settings:
        """The settings that `label` stands for."""
        place = self._places[label]
        if self.points:
            return self.points[place].set
        assert self.key is not None
        return {self.key: self.values[place]}

    @cached_property
    def _places(self) -> dict[Value, int]:
        return {label: place for place, label in enumerate(self.labels)}


class Scale(Table):
    """How much to run."""

    networks: int = Field(ge=1, le=1_000_000)
    """How many seeds; each makes its own network."""
    set: Settings = {}
    """Settings laid over every run, for instance a shorter duration."""
    only: dict[str, list[Value]] = {}
    """Restricts axes to some of their values."""


class Scales(Table):
    """The scales of a study: one or both."""

    quick: Scale | None = None
    full: Scale | None = None

    @model_validator(mode="after")
    def _one_at_least(self) -> Scales:
        if not self.named:
            raise ValueError("needs [scale.quick] or [scale.full], or both")
        return self

    @property
    def named(self) -> dict[str, Scale]:
        """Those that there are."""
        both = {"quick": self.quick, "full": self.full}
        return {name: scale for name, scale in both.items() if scale is not None}


class Precision(Table):
    """Adds networks to each cell, a scheme at a point, until an interval there is narrow enough."""

    metric: str
    relative_half_width: float = Field(gt=0, lt=1)
    """Half the width of the 95 % interval over the value."""
    limit: int = Field(ge=2, le=1_000_000)
    """The most networks to run."""
    relative_to: str | None = None
    """Scheme to which the ratio must be narrow, at the same point; the mean itself where absent."""
    schemes: list[str] | None = None
    """The schemes that it is about; all where absent."""
    where: str | None = None
    """Condition on what is counted, such as `hops >= 6`."""

    def is_about(self, scheme: str) -> bool:
        """Whether a scheme's cells must be narrow."""
        return scheme != self.relative_to and (self.schemes is None or scheme in self.schemes)


class Select(Table):
    """Selects the best of a ranking: only candidates still in the race get further networks."""

    probability: float = Field(default=0.95, ge=0.5, lt=1)
    """That the best is selected, where it leads by the indifference."""
    indifference: float = Field(default=0.05, gt=0, lt=1)
    """The least lead that matters, over the mean of the best."""
    start: int = Field(default=10, ge=2)
    """Networks before the first is eliminated."""
    limit: int = Field(default=200, ge=2, le=1_000_000)
    """The most networks to run."""
    procedure: Literal["kn", "kn++"] = "kn++"
    """Whether variances are those of the first networks, or renewed after each."""


class Ranking(Table):
    """Candidates ranked by a metric: every scheme at every value of some axes."""

    name: str = Field(pattern=NAME)
    title: str
    y: str
    """A metric."""
    over: list[str] = []
    """Axes whose values, each with each scheme, are the candidates; if none, the schemes."""
    per: list[str] = []
    """Axes, or columns such as `hops`: a ranking for each of their values."""
    baseline: dict[str, Value] | None = None
    """Candidate that ratios are taken to, such as `{ scheme = "aodv", transport = "newreno" }`."""
    schemes: list[str] | None = None
    where: str | None = None
    """Condition on what is counted, such as `hops >= 4`."""
    best: Literal["highest", "lowest"] = "highest"
    shown: int = Field(default=5, ge=1)
    """How many candidates the report lists with their values."""
    select: Select | None = None
    """Adds networks until the best is selected; none are added where absent."""


_ONE, _SEVERAL = "one table", "several tables"


class StudyTable(Table):
    """The whole file."""

    title: str = Field(min_length=1)
    question: str = Field(min_length=1)
    scenario: str | dict[str, Any]
    """Path of a scenario file, relative to the study's; or the scenario itself."""
    schemes: Annotated[list[str | SchemeTable], Field(min_length=1)]
    baseline: str | None = None
    readings: list[str] = []
    """Names or files of readings: the axis `reading`, between a scheme's preset and its `set`."""
    axes: dict[str, Axis] = {}
    scale: Scales
    first_seed: int = Field(default=1, ge=0, le=2**52)
    precision: (
        Annotated[
            Annotated[Precision, Tag(_ONE)] | Annotated[list[Precision], Tag(_SEVERAL)],
            Discriminator(lambda given: _SEVERAL if isinstance(given, list) else _ONE),
        ]
        | None
    ) = None
    record: Recording = Recording()
    metrics: list[str] = ["goodput_bps"]
    """Metrics of the summary table; see `multihop list metrics`."""
    group: list[str] = []
    """Columns besides the axes that the summary table is split by, such as `hops`."""
    figures: list[Figure] = []
    rankings: list[Ranking] = []
    assumptions: Assumptions | None = None
    """For `multihop assumptions`; other commands take no notice of it."""

    @property
    def scheme_tables(self) -> list[SchemeTable]:
        """The schemes, each as a table."""
        return [
            SchemeTable(name=scheme, scheme=scheme) if isinstance(scheme, str) else scheme
            for scheme in self.schemes
        ]

    @property
    def precisions(self) -> dict[str, Precision]:
        """The tables of `precision`, by their keys."""
        if isinstance(self.precision, list):
            return {f"precision.{number}": each for number, each in enumerate(self.precision)}
        return {} if self.precision is None else {"precision": self.precision}

    @model_validator(mode="before")
    @classmethod
    def _names_are_todays(cls, tables: dict[str, Any]) -> dict[str, Any]:
        asked = (key for key in tables if key not in ("scenario", "schemes", "axes"))
        return {**tables, **{key: renamed.in_tables(tables[key], key) for key in asked}}

    @model_validator(mode="before")
    @classmethod
    def _readings_are_an_axis(cls, tables: dict[str, Any]) -> dict[str, Any]:
        names, axes = tables.get("readings"), tables.get("axes") or {}
        if not isinstance(axes, dict) or (READING not in axes and not names):
            return tables
        if READING in axes:
            raise StudyError.at(
                f"axes.{READING}", 'is the axis of readings; write readings = ["..."]'
            )
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            return tables
        labels = [reading.find(name).name for name in names]
        _no_repeats("readings", labels)
        points = [{"label": label, "set": {}} for label in labels]
        return {**tables, "axes": {READING: {"points": points}, **axes}}

    def _keys_differ(self, schemes: list[str]) -> None:
        """No axis may be overruled by another, or by the seeds of the networks."""
        for (first, axis), (name, other) in combinations(self.axes.items(), 2):
            both = [scheme for scheme in schemes if axis.varies(scheme) and other.varies(scheme)]
            if axis.key is not None and axis.key == other.key and both:
                raise StudyError.at(f"axes.{name}.key", f"is the key of axes.{first}, too")
        for name, axis in self.axes.items():
            if axis.key == "seed":
                fault = (
                    "is the networks'; say how many with networks, and from where with first_seed"
                )
                raise StudyError.at(f"axes.{name}.key", fault)

    @model_validator(mode="after")
    def _names_fit(self) -> StudyTable:
        names = [scheme.name for scheme in self.scheme_tables]
        _no_repeats("schemes", names)
        drawn = [figure.name for figure in self.figures]
        _no_repeats("figures", drawn)
        _no_repeats("rankings", [*drawn, *(ranking.name for ranking in self.rankings)])
        for number, scheme in enumerate(self.scheme_tables):
            _reading_fits(f"schemes.{number}", scheme)
        if self.baseline is not None:
            one_of("baseline", self.baseline, names)
        for name in self.record.observe or []:
            one_of("record.observe", name, list(OBSERVATIONS))
        for axis_name, axis in self.axes.items():
            for name in axis.schemes or []:
                one_of(f"axes.{axis_name}.schemes", name, names)
        self._keys_differ(names)
        for where, wanted in self.precisions.items():
            for name in wanted.schemes or []:
                one_of(f"{where}.schemes", name, names)
            if wanted.relative_to is not None:
                one_of(f"{where}.relative_to", wanted.relative_to, names)
        for which, scale in self.scale.named.items():
            for axis_name, labels in scale.only.items():
                where = f"scale.{which}.only.{axis_name}"
                one_of(where, axis_name, list(self.axes))
                for label in labels:
                    one_of(where, label, self.axes[axis_name].labels)
        for number, figure in enumerate(self.figures):
            where = f"figures.{number}"
            _not_reserved(where, figure.name)
            figure.check(where, names, {name: axis.labels for name, axis in self.axes.items()})
        for number, ranking in enumerate(self.rankings):
            self._ranking_fits(f"rankings.{number}", ranking, names)
        if self.assumptions is not None:
            if self.axes:
                raise StudyError.at("assumptions", f"no axes beside them ({', '.join(self.axes)})")
            for key in ("scheme", "over"):
                one_of(f"assumptions.{key}", getattr(self.assumptions, key), names)
            self.assumptions.fit({table.name: table.scheme for table in self.scheme_tables})
        return self

    def _ranking_fits(self, where: str, ranking: Ranking, names: list[str]) -> None:
        _not_reserved(where, ranking.name)
        for name in ranking.schemes or []:
            one_of(f"{where}.schemes", name, names)
        for axis in ranking.over:
            one_of(f"{where}.over", axis, list(self.axes))
        _no_repeats(f"{where}.over", ranking.over)
        _no_repeats(f"{where}.per", ranking.per)
        for key, columns in (("over", ranking.over), ("per", ranking.per)):
            for column in columns:
                if column in RANKED:
                    fault = f"{column!r} is a column of every ranking"
                    raise StudyError.at(f"{where}.{key}", fault)
        for column in ranking.per:
            if column in ranking.over:
                raise StudyError.at(f"{where}.per", f"{column!r} is in over already")
        if ranking.select is not None and ranking.select.limit < ranking.select.start:
            fault = f"must be at least start, {ranking.select.start} (got {ranking.select.limit})"
            raise StudyError.at(f"{where}.select.limit", fault)
        if ranking.baseline is None:
            return
        parts = ["scheme", *ranking.over]
        if sorted(ranking.baseline) != sorted(parts):
            listed = ", ".join(ranking.baseline) or "nothing"
            fault = f"must have {', '.join(parts)} (got {listed})"
            raise StudyError.at(f"{where}.baseline", fault)
        for part, value in ranking.baseline.items():
            allowed = (ranking.schemes or names) if part == "scheme" else self.axes[part].labels
            one_of(f"{where}.baseline.{part}", value, list(allowed))


_BRANCHES = ("str", "SchemeTable", _ONE, _SEVERAL)
"""What locations of errors name besides keys: which form of a value was read."""
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


def error_of(error: ValidationError) -> StudyError:
    """The first error: its key, what is wrong, what is allowed."""
    # A misspelt key is missing as well, but its wrong spelling tells more.
    faults = error.errors()
    fault = next((each for each in faults if each["type"] in _UNKNOWN_KEY), faults[0])
    if fault["loc"][:1] == ("scenario",):
        got = fault["input"]
        return StudyError.at("scenario", f"must be a file's name or a table (got {got!r})")
    location = [part for part in fault["loc"] if part not in _BRANCHES]
    key = ".".join(str(part) for part in location if not str(part).startswith("function-"))
    raised = fault.get("ctx", {}).get("error")
    if not key and isinstance(raised, StudyError):
        return raised
    if fault["type"] in _UNKNOWN_KEY:
        near = difflib.get_close_matches(str(location[-1]), _known_keys(location), n=1)
        known = ", ".join(_known_keys(location))
        hint = f"did you mean {near[0]}?" if near else f"known keys: {known}"
        return StudyError.at(key, f"unknown key; {hint}")
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing":
        return StudyError.at(key, "missing")
    given = fault["input"]
    shown = f" (got {given!r})" if isinstance(given, Value) else ""
    return StudyError.at(key, f"{message[:1].lower()}{message[1:]}{shown}")


_TABLES: dict[str, type[BaseModel | Recording]] = {
    "schemes": SchemeTable,
    "axes": Axis,
    "points": Point,
    "scale": Scales,
    "quick": Scale,
    "full": Scale,
    "precision": Precision,
    "record": Recording,
    "figures": Figure,
    "printed": Printed,
    "rankings": Ranking,
    "select": Select,
    "assumptions": Assumptions,
    "screening": Stage,
    "confirming": Stage,
    "choices": OpenChoice,
    "alternatives": Alternative,
    "parts": Part,
}


def _known_keys(location: list[Any]) -> list[str]:
    parents = [part for part in location[:-1] if part in _TABLES]
    table = _TABLES[parents[-1]] if parents else StudyTable
    return [*(table.model_fields if issubclass(table, BaseModel) else table.__dataclass_fields__)]


def _reading_fits(where: str, scheme: SchemeTable) -> None:
    if scheme.reading is None:
        return
    try:
        reading_for(scheme.scheme, scheme.reading)
    except ReadingError as error:
        raise StudyError.at(f"{where}.reading", str(error)) from None


def _not_reserved(where: str, name: str) -> None:
    if name in RESERVED:
        raise StudyError.at(f"{where}.name", f"{name!r} is the name of other data of the report")


def _no_repeats(where: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise StudyError.at(where, f"{name!r} appears twice")


def resolve_path(name: str, folder: Path) -> Path:
    """`name` relative to the study file's folder; an example's, if no file is there."""
    path = folder / name
    return path if path.exists() else catalogue.named(name, "scenario") or path
