"""Whether each headline holds, reading by reading, with one error rate for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import polars as pl

from multihop.reproduction.headline_tests import Chances, Looked, chances, look
from multihop.reproduction.headlines import MARGIN, Comparison, Headline
from multihop.reproduction.quantities import Quantity, ratio
from multihop.statistics import holm
from multihop.study.document import READING
from multihop.study.estimates import Sample
from multihop.study.results import StudyResults
from multihop.study.selector import parse

LEVEL = 0.05
"""Chance of any wrong word among all headlines and readings judged together."""

Word = Literal["holds", "does not hold", "no difference that matters", "not decided", "not run"]


@dataclass(frozen=True, slots=True)
class Tested:
    """A comparison as it came out."""

    what: str
    value: float
    low: float
    high: float
    """Ends of the 95 % interval."""
    side: Literal["above", "below"]
    line: float
    p_beyond: float
    """Chance of a quantity so far on the right side, if it lay on the line."""
    p_short: float
    """The same of the wrong side."""
    networks: int
    flows: int

    @property
    def text(self) -> str:
        """The comparison in words, with its numbers."""
        numbers = f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"
        return f"{self.what}: {numbers}, wanted {self.side} {self.line:g}"


@dataclass(frozen=True, slots=True)
class HeadlineVerdict:
    """A headline under one reading."""

    id: str
    paper: str
    reading: str
    word: Word
    p: float
    """Of the word that it would get, over both directions, before Holm's correction."""
    parts: list[Tested]
    needed: float = LEVEL
    """What `p` had to be at most, by Holm's procedure; that of the first that missed it is also
    that of all behind it."""
    together: int = 1
    """How many were judged together."""
    expected: int | None = None
    """Networks on which a word can be expected, if it stays as it is; where they are added."""

    @property
    def why(self) -> str:
        """Why it is not decided; empty for other words."""
        part = self.decisive
        if self.word != "not decided" or part is None:
            return ""
        if math.isnan(part.low) or math.isnan(part.high):
            return "the networks are too few for an interval"
        if self.expected is not None:
            return (
                f"it is {abs(part.value / part.line - 1):.1%} from the line on {part.networks:,} "
                f"networks; it would take about {self.expected:,}"
            )
        if part.line < part.low or part.line > part.high:
            if self.p > LEVEL:
                return f"its test is less sure than its interval: p = {self.p:.2g}"
            return (
                f"one by itself would be, but of {self.together} judged together it needs "
                f"p <= {self.needed:.2g} (Holm, {LEVEL:.0%}) and has {self.p:.2g}"
            )
        return f"its interval has {part.line:g} in it: the networks are too few, or it is too near"

    @property
    def decisive(self) -> Tested | None:
        """The part that decides: the least certain of what holds, the worst of what does not."""
        if not self.parts:
            return None
        if self.word == "does not hold":
            return min(self.parts, key=lambda part: part.p_short)
        return max(self.parts, key=lambda part: part.p_beyond)

    def row(self) -> dict[str, Any]:
        """The verdict as plain JSON."""
        return asdict(self)


def judge(chosen: Iterable[Headline], results: Mapping[str, StudyResults]) -> list[HeadlineVerdict]:
    """Every headline under every reading of its study, in that order.

    Args:
        chosen: the headlines.
        results: results of their studies by name; a study that is missing was not run.
    """
    found, given = [], []
    for headline in chosen:
        study = results.get(headline.study)
        if study is None or not study.finished:
            found.append(HeadlineVerdict(headline.id, headline.paper, "", "not run", 1.0, []))
            given.append(Chances())
            continue
        for reading in _readings(study):
            quantities = [_quantity(part, study, reading) for part in headline.parts]
            both = [*zip(headline.parts, quantities, strict=True)]
            looked = [look(part, headline.margin, quantity).plain for part, quantity in both]
            parts = [
                with_interval(*each)
                for each in zip(headline.parts, quantities, looked, strict=True)
            ]
            given.append(chances(looked))
            found.append(
                HeadlineVerdict(
                    headline.id, headline.paper, reading, "not decided", given[-1].two_sided, parts
                )
            )
    return with_words(found, given)


def in_a_word(verdicts: Sequence[HeadlineVerdict]) -> str:
    """One headline over its readings: holds, holds if, does not hold, or under which it does."""
    under: dict[str, list[str]] = {word: [] for word in _SAID}
    for verdict in verdicts:
        if verdict.word == "not run":
            return "not run"
        under[verdict.word].append(_short(verdict.reading))
    given = [word for word, names in under.items() if names]
    if len(given) == 1:
        return given[0]
    if given == ["holds", "does not hold"]:
        return f"holds if {' or '.join(under['holds'])}"
    return "; ".join(f"{_SAID[word]} {', '.join(under[word])}" for word in given)


_SAID = {
    "holds": "holds under",
    "does not hold": "not under",
    "no difference that matters": "no difference that matters under",
    "not decided": "open under",
}


def _short(reading: str) -> str:
    return reading.rpartition("/")[2]


def _readings(study: StudyResults) -> list[str]:
    axis = study.study.table.axes.get(READING)
    return [""] if axis is None else [str(label) for label in axis.labels]


def _quantity(part: Comparison, study: StudyResults, reading: str) -> Quantity:
    """What is compared, on the runs of a study, under one reading where it has several."""
    within = pl.col(READING) == reading if reading else pl.lit(True)

    def sample(scheme: str, metric: str, at: str | None) -> Sample:
        columns = study.frame(metric).columns
        return study.sample(metric, scheme, within & parse(at, columns))

    return quantity_of(part, sample)


def quantity_of(part: Comparison, sample: Callable[[str, str, str | None], Sample]) -> Quantity:
    """What is compared, of the samples of a scheme, a metric and a selector."""

    def at(words: str | None) -> Quantity:
        names = filter(None, [part.scheme, part.over])
        both = [Quantity((sample(name, part.metric, words),)) for name in names]
        return ratio(*both) if len(both) > 1 else both[0]

    found = at(part.at)
    return found if part.against is None else ratio(found, at(part.against))


def tested(part: Comparison, study: StudyResults, reading: str) -> Tested:
    """A comparison on the runs of a study, under one reading where it has several."""
    quantity = _quantity(part, study, reading)
    return with_interval(part, quantity, look(part, MARGIN, quantity).plain)


def with_interval(part: Comparison, quantity: Quantity, looked: Looked) -> Tested:
    """A comparison that was looked at, with its interval."""
    estimate = quantity.estimate()
    return Tested(
        part.what, estimate.value, estimate.low, estimate.high, part.side, part.line,
        looked.beyond, looked.short, looked.networks, estimate.flows,
    )  # fmt: skip


def with_words(found: Sequence[HeadlineVerdict], given: Sequence[Chances]) -> list[HeadlineVerdict]:
    """Give the words that Holm's procedure allows, by the chances of each."""
    needed = holm([chances.two_sided for chances in given], LEVEL)[1]
    return [
        replace(
            verdict,
            word=chances.word(needed) or verdict.word,
            needed=needed,
            together=len(found),
        )
        for verdict, chances in zip(found, given, strict=True)
    ]
