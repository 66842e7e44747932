"""A paper's claims, claims.toml, as checked models; the ten kinds of expectation are a union.

papers/README.md explains each key and the rule by which verdicts are given.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from multihop import papers
from multihop.papers import Paper, Table

CLAIMS = "claims.toml"


class _Expectation(Table):
    at: str | None = None
    """Selector of what is pooled."""
    per: str | None = None
    """Variable at each of whose values the expectation must hold separately."""
    quorum: float = Field(default=1.0, gt=0, le=1)
    """Share of the values of `per` at which it must hold."""
    reduce: str | None = None
    """`max over VARIABLE and VARIABLE` or `mean over VARIABLE`."""
    slack: float = Field(default=0.0, ge=0)
    """Relative widening that still counts as near."""


class Ratio(_Expectation):
    """Every scheme's metric over the last one's lies in a range."""

    kind: Literal["ratio"]
    lo: float | None = None
    hi: float | None = None
    value: float | None = None


class Equal(_Expectation):
    """Schemes, or conditions, within a factor 1 + tol of each other."""

    kind: Literal["equal"]
    tol: float
    between: list[str] | None = None


class Direction(_Expectation):
    """Some schemes above others, or schemes above at one condition than at another."""

    kind: Literal["direction"]
    higher: list[str] = Field(default=[])
    lower: list[str] = Field(default=[])
    higher_at: str | None = None
    lower_at: str | None = None


class Order(_Expectation):
    """Schemes or conditions, the largest first."""

    kind: Literal["order"]
    high_to_low: list[str]


class Trend(_Expectation):
    """The shape of the metric over a variable."""

    kind: Literal["trend"]
    x: str
    shape: Literal["up", "down", "flat", "flat-or-down", "up-then-flat", "any"]
    over: tuple[float, float]
    tol: float = 0.15


class ArgBest(_Expectation):
    """The value of a parameter that does best."""

    kind: Literal["argbest"]
    param: str
    best: float | list[float]
    among: list[float] | str
    sense: Literal["max", "min"]


class ValueIn(_Expectation):
    """The metric lies in a range."""

    kind: Literal["value"]
    lo: float | None = None
    hi: float | None = None
    value: float | None = None
    of: str | None = None
    unit: str


class Exact(_Expectation):
    """A deterministic result."""

    kind: Literal["exact"]
    value: Any


class Invariant(_Expectation):
    """A condition that holds at all times in all runs."""

    kind: Literal["invariant"]
    must: str


class Matrix(_Expectation):
    """A table of the paper: rows over y, columns over x."""

    kind: Literal["table"]
    values: list[list[float]]
    x: str
    cols: list[float]
    y: str | None = None
    rows: list[float] = Field(default=[])
    tol: float
    check: Literal["absolute", "normalised", "bound-and-shape"] = "absolute"
    unit: str


Expectation = Annotated[
    Ratio | Equal | Direction | Order | Trend | ArgBest | ValueIn | Exact | Invariant | Matrix,
    Field(discriminator="kind"),
]


class ScenarioUse(BaseModel):
    """Which scenarios a claim is about; further keys replace the scenario's."""

    model_config = ConfigDict(extra="allow", frozen=True)

    use: str
    also: list[str] = []


class Claim(Table):
    """One statement of a paper."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")
    paper: str = Field(default="", exclude=True)
    """Name of the paper; not written in the file, which is in the paper's folder."""
    where: str
    statement: str
    scenario: ScenarioUse | None = None
    compare: list[str] = Field(min_length=1)
    metric: str
    expect: Expectation
    explicit: bool = True
    notes: str = ""
    depends_on: list[str] = Field(default=[], exclude=True)
    """Our own defaults, where the paper is silent, that its scenarios assume; not written here."""


class _File(Table):
    schemes: dict[str, str]
    scenario: dict[str, dict[str, Any]] = Field(default={})
    claim: list[Claim] = Field(min_length=1)


def claims(paper: Paper) -> list[Claim]:
    """The claims of a paper, in their order.

    Raises:
        PaperError: with the file, the key, what is wrong and what is allowed.
    """
    file = paper.file(CLAIMS)
    found = papers.table(file, _File)
    ids: set[str] = set()
    made = []
    for number, claim in enumerate(found.claim):
        key = f"claim.{number}"
        if claim.id in ids:
            raise papers.placed(file, f"{key}.id", f"two claims are called {claim.id}")
        ids.add(claim.id)
        names = [*claim.compare, *getattr(claim.expect, "higher", [])]
        for name in [*names, *getattr(claim.expect, "lower", [])]:
            _one_of(paper, f"{key}.compare", "scheme", name, found.schemes)
        used = [] if claim.scenario is None else [claim.scenario.use, *claim.scenario.also]
        for name in used:
            _one_of(paper, f"{key}.scenario.use", "scenario", name, found.scenario)
        assumed = [one for name in used for one in found.scenario[name].get("assumed", [])]
        given = {"paper": paper.name, "depends_on": [*dict.fromkeys(assumed)]}
        made.append(claim.model_copy(update=given))
    return made


def _one_of(paper: Paper, key: str, what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        hint = papers.nearest(name, names)
        raise papers.placed(paper.file(CLAIMS), key, f"no {what} {name!r} in this file; {hint}")
