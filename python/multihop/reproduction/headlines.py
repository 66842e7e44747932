"""Headlines: what a reader takes away from each paper, and the rule that decides it.

They stand in headlines.toml, whose top explains the rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from multihop import catalogue
from multihop.metrics import METRICS
from multihop.reproduction.ledger import Table
from multihop.study import Study, columns
from multihop.study.selector import SelectorError, parse

_FILE = Path(__file__).with_name("headlines.toml")


class Comparison(Table):
    """One quantity beside a line."""

    metric: str
    scheme: str
    over: str | None = None
    """Scheme by whose metric it is divided, on the same networks."""
    at: str | None = None
    """Selector of the rows."""
    against: str | None = None
    """Selector: the quantity is divided by itself there."""
    above: float | None = None
    below: float | None = None

    @model_validator(mode="after")
    def _one_line(self) -> Comparison:
        if (self.above is None) == (self.below is None):
            raise ValueError("needs above or below, and not both")
        return self

    @property
    def side(self) -> Literal["above", "below"]:
        """On which side of the line the quantity has to lie."""
        return "below" if self.above is None else "above"

    @property
    def line(self) -> float:
        """The line."""
        found = self.below if self.above is None else self.above
        assert found is not None
        return found

    @property
    def is_ratio(self) -> bool:
        """Whether the quantity is a ratio, which is tested by its logarithm."""
        return self.over is not None or self.against is not None

    @property
    def what(self) -> str:
        """The quantity in words."""
        words = self.metric if self.over is None else f"{self.metric} over {self.over}"
        at = f", {self.at}" if self.at else ""
        against = f", over itself at {self.against}" if self.against else ""
        return f"{self.scheme}: {words}{at}{against}"


class Headline(Table):
    """A statement of a paper that a reader takes away."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    paper: str
    where: str
    says: str
    study: str
    """Name of the study whose readings it is judged under."""
    parts: list[Comparison] = Field(min_length=1)
    """All of them must hold."""


class _File(Table):
    headline: list[Headline]


@cache
def all_headlines() -> list[Headline]:
    """Every headline, in the order of the papers."""
    return _File.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8"))).headline


def headlines(paper: str = "all") -> list[Headline]:
    """The headlines of a paper by its name in `catalogue.PAPERS`; `all` gives all."""
    return [found for found in all_headlines() if paper in ("all", found.paper)]


def studies_of(chosen: Iterable[Headline]) -> list[str]:
    """The studies that decide them, each once."""
    return list(dict.fromkeys(headline.study for headline in chosen))


def faults(headline: Headline) -> list[str]:
    """What is wrong with a headline: its paper, study, schemes, metrics and selectors."""
    if headline.paper not in catalogue.PAPERS:
        return [f"{headline.id}: unknown paper {headline.paper}"]
    file = catalogue.study_file(headline.study)
    if not file.is_file():
        return [f"{headline.id}: no study {headline.study}"]
    table = Study.read(file).table
    schemes = [scheme.name for scheme in table.scheme_tables]
    found = []
    for part in headline.parts:
        found += [
            f"{headline.id}: the study has no scheme {name}"
            for name in filter(None, [part.scheme, part.over])
            if name not in schemes
        ]
        if part.metric not in METRICS:
            found.append(f"{headline.id}: unknown metric {part.metric}")
            continue
        known = columns.columns(part.metric, table.axes, metrics=True)
        for words in (part.at, part.against):
            try:
                parse(words, known)
            except SelectorError as error:
                found.append(f"{headline.id}: {error}")
    return found
