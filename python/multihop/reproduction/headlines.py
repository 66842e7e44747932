"""Headlines: what a reader takes away from each paper, and the rule that decides it.

They stand in the paper's headlines.toml; papers/README.md explains the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, model_validator

from multihop import papers
from multihop.metrics import METRICS
from multihop.papers import Paper, Table
from multihop.study import Study, columns
from multihop.study.selector import SelectorError, parse

HEADLINES = "headlines.toml"
MARGIN = 0.03
"""What differs by less from its line does not matter, as a share of the line."""


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
    paper: str = Field(default="", exclude=True)
    """Name of the paper; not written in the file, which is in the paper's folder."""
    where: str
    says: str
    study: str
    """Name of the study whose readings it is judged under; in the file, in the folder `studies`."""
    margin: float = Field(default=MARGIN, gt=0, lt=1)
    """`MARGIN`, unless the paper's words give another."""
    parts: list[Comparison] = Field(min_length=1)
    """All of them must hold."""


class _File(Table):
    headline: list[Headline] = Field(min_length=1)


def headlines(paper: Paper) -> list[Headline]:
    """The headlines of a paper, checked against their studies; none without the file.

    Raises:
        PaperError: with the file, the key, what is wrong and what is allowed.
    """
    file = paper.file(HEADLINES)
    if not file.exists():
        return []
    made: list[Headline] = []
    for number, headline in enumerate(papers.table(file, _File).headline):
        key = f"headline.{number}"
        if any(headline.id == other.id for other in made):
            raise papers.placed(file, f"{key}.id", f"two headlines are called {headline.id}")
        papers.check_study(paper, headline.study, file, f"{key}.study")
        if wrong := faults(headline, Study.read(paper.studies[headline.study])):
            raise papers.placed(file, f"{key}.parts", wrong[0])
        given = {"paper": paper.name, "study": paper.full(headline.study)}
        made.append(headline.model_copy(update=given))
    return made


def studies_of(chosen: Iterable[Headline]) -> list[str]:
    """The studies that decide them, each once."""
    return list(dict.fromkeys(headline.study for headline in chosen))


def faults(headline: Headline, study: Study) -> list[str]:
    """What is wrong with a headline for its study: schemes, metrics and selectors."""
    table = study.table
    schemes = [scheme.name for scheme in table.scheme_tables]
    found = []
    for part in headline.parts:
        found += [
            f"{headline.id}: the study has no scheme {name}; {papers.nearest(name, schemes)}"
            for name in filter(None, [part.scheme, part.over])
            if name not in schemes
        ]
        if part.metric not in METRICS:
            hint = papers.nearest(part.metric, METRICS)
            found.append(f"{headline.id}: unknown metric {part.metric}; {hint}")
            continue
        known = columns.columns(part.metric, table.axes, metrics=True)
        for words in (part.at, part.against):
            try:
                parse(words, known)
            except SelectorError as error:
                found.append(f"{headline.id}: {error}")
    return found
