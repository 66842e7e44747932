"""Whether each headline holds, reading by reading, with one error rate for all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from multihop.reproduction.headlines import Comparison, Headline
from multihop.reproduction.quantities import Quantity, ratio
from multihop.statistics import holm, jackknife_error
from multihop.study.document import READING
from multihop.study.results import StudyResults
from multihop.study.selector import parse

LEVEL = 0.05
"""Chance of any wrong word among all headlines and readings judged together."""

Word = Literal["holds", "does not hold", "not decided", "not run"]


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

    @property
    def why(self) -> str:
        """Why it is not decided; empty for other words."""
        part = self.decisive
        if self.word != "not decided" or part is None:
            return ""
        if math.isnan(part.low) or math.isnan(part.high):
            return "the networks are too few for an interval"
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
    found = []
    for headline in chosen:
        study = results.get(headline.study)
        if study is None or not study.finished:
            found.append(HeadlineVerdict(headline.id, headline.paper, "", "not run", 1.0, []))
            continue
        for reading in _readings(study):
            parts = [tested(part, study, reading) for part in headline.parts]
            p = _two_sided(parts)
            found.append(
                HeadlineVerdict(headline.id, headline.paper, reading, "not decided", p, parts)
            )
    return _holm(found)


def in_a_word(verdicts: Sequence[HeadlineVerdict]) -> str:
    """One headline over its readings: holds, holds if, does not hold, or under which it does."""
    under: dict[str, list[str]] = {"holds": [], "does not hold": [], "not decided": []}
    for verdict in verdicts:
        if verdict.word == "not run":
            return "not run"
        under[verdict.word].append(_short(verdict.reading))
    given = [word for word, names in under.items() if names]
    if len(given) == 1:
        return given[0]
    if given == ["holds", "does not hold"]:
        return f"holds if {' or '.join(under['holds'])}"
    said = {"holds": "holds under", "does not hold": "not under", "not decided": "open under"}
    return "; ".join(f"{said[word]} {', '.join(under[word])}" for word in given)


def _short(reading: str) -> str:
    return reading.rpartition("/")[2]


def _readings(study: StudyResults) -> list[str]:
    axis = study.study.table.axes.get(READING)
    return [""] if axis is None else [str(label) for label in axis.labels]


def tested(part: Comparison, study: StudyResults, reading: str) -> Tested:
    """A comparison on the runs of a study, under one reading where it has several."""
    columns = study.frame(part.metric).columns
    within = pl.col(READING) == reading if reading else pl.lit(True)

    def quantity(words: str | None) -> Quantity:
        where = within & parse(words, columns)
        names = filter(None, [part.scheme, part.over])
        both = [Quantity((study.sample(part.metric, name, where),)) for name in names]
        return ratio(*both) if len(both) > 1 else both[0]

    found = quantity(part.at)
    if part.against is not None:
        found = ratio(found, quantity(part.against))
    estimate = found.estimate()
    beyond, short = _chances(found, part)
    return Tested(
        part.what, estimate.value, estimate.low, estimate.high, part.side, part.line, beyond, short,
        len(_networks(found)), estimate.flows,
    )  # fmt: skip


def _networks(quantity: Quantity) -> list[int]:
    """The networks with any flow of the kind on which all samples ran."""
    samples = quantity.samples
    lacking = {network for sample in samples for network in sample.lacks}
    return sorted({network for sample in samples for network in sample.networks} - lacking)


def _chances(quantity: Quantity, part: Comparison) -> tuple[float, float]:
    """One-sided p-values of the right and of the wrong side of the line.

    Student's test with the jackknife's standard error over networks, of the logarithm of a ratio.
    """
    from scipy.special import stdtr  # takes 0.1 s to import

    networks = _networks(quantity)
    if len(networks) < 3:
        return 1.0, 1.0
    paired = [sample.on(networks) for sample in quantity.samples]
    with np.errstate(all="ignore"):
        whole = [np.float64(sample.sums.sum() / sample.counts.sum()) for sample in paired]
        without = [
            (sample.sums.sum() - sample.sums) / (sample.counts.sum() - sample.counts)
            for sample in paired
        ]
        value, values = quantity.at(whole), np.asarray(quantity.at(without), dtype=np.float64)
        line = part.line
        if part.is_ratio:
            value, values, line = np.log(value), np.log(values), math.log(line)
        error = jackknife_error(values)
    if not (math.isfinite(error) and math.isfinite(value)):
        return 1.0, 1.0
    gap = float(value) - line if part.side == "above" else line - float(value)
    if error == 0.0:
        return (1.0, 1.0) if gap == 0.0 else ((0.0, 1.0) if gap > 0 else (1.0, 0.0))
    beyond = float(stdtr(len(networks) - 1, -gap / error))
    return beyond, 1.0 - beyond


def _two_sided(parts: Sequence[Tested]) -> float:
    """P-value of the word that is nearer."""
    holds, fails = _directions(parts)
    return min(1.0, 2 * min(holds, fails))


def _directions(parts: Sequence[Tested]) -> tuple[float, float]:
    """It holds if all parts do; it does not if one does not, of as many as are tried."""
    holds = max(part.p_beyond for part in parts)
    fails = min(1.0, len(parts) * min(part.p_short for part in parts))
    return holds, fails


def _holm(found: list[HeadlineVerdict]) -> list[HeadlineVerdict]:
    """Give the words that Holm's procedure allows."""
    judged = [verdict for verdict in found if verdict.parts]
    passed, needed = holm([verdict.p for verdict in judged], LEVEL)
    words: dict[tuple[str, str], Word] = {}
    for verdict in itertools.compress(judged, passed):
        holds, fails = _directions(verdict.parts)
        words[verdict.id, verdict.reading] = "holds" if holds < fails else "does not hold"
    return [
        replace(
            verdict,
            word=words.get((verdict.id, verdict.reading), verdict.word),
            needed=needed,
            together=len(judged),
        )
        for verdict in found
    ]
