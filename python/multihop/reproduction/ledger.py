"""The claims ledger, claims.toml, as checked models; the ten kinds of expectation are a union.

The top of claims.toml explains each key and the rule by which verdicts are given.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from multihop.catalogue import PAPERS

_FILE = Path(__file__).with_name("claims.toml")


class LedgerError(ValueError):
    """The ledger or a file of owners is wrong; the message is one line."""


class Table(BaseModel):
    """A table of the ledger: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
    higher: list[str] = []
    lower: list[str] = []
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
    rows: list[float] = []
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

    id: str
    paper: str
    where: str
    statement: str
    scenario: ScenarioUse
    compare: list[str]
    metric: str
    expect: Expectation
    explicit: bool
    notes: str

    @property
    def tag(self) -> str:
        """How the paper arrives at it: `measured`, `text`, `argued`, ..."""
        return self.notes.partition("]")[0].removeprefix("[")


class Meta(Table):
    """About the ledger."""

    version: int
    kinds: list[str]
    papers: dict[str, str]


class Ledger(Table):
    """All claims, with the schemes and scenarios they name."""

    meta: Meta
    schemes: dict[str, str]
    scenario: dict[str, dict[str, Any]]
    claim: list[Claim]

    def of(self, paper: str) -> list[Claim]:
        """The claims of a paper by its name in `PAPERS`; `all` gives all."""
        if paper == "all":
            return self.claim
        return [claim for claim in self.claim if claim.id.startswith(f"{PAPERS[paper]}-")]

    def depends_on(self, claim: Claim) -> list[str]:
        """Our own defaults, where the paper is silent, that the claim's scenarios assume."""
        names = [claim.scenario.use, *claim.scenario.also]
        assumed = [key for name in names for key in self.scenario[name].get("assumed", [])]
        return list(dict.fromkeys(assumed))


@cache
def load() -> Ledger:
    """The ledger."""
    return Ledger.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))
