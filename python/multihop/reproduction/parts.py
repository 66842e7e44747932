"""Parts of a verdict: one comparison each, and how several make one verdict.

A range is met when the mean lies in it and the interval does not leave the range widened by the
slack; it is met nearly when the mean lies in the widened range only. It is missed when the whole
interval lies outside the widened range. It makes no difference that matters when the whole interval
lies within the headlines' margin of a bound. Where that bound is the only one and has no slack of
its own, this comes first, as of headlines; a range and a slack say themselves what matters, so
there it only replaces no answer. In between more networks are needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from multihop.reproduction.lines import Line, matters_not, nearness, networks_needed
from multihop.statistics import Estimate

ALIKE: Literal["no difference that matters"] = "no difference that matters"
Word = Literal["reproduced", "no difference that matters", "inconclusive", "differs", "not run"]
WORDS: tuple[Word, ...] = get_args(Word)
"""The verdicts, the best first."""
Grade = Literal["exact", "near", "sign holds", "sign differs", ""]
"""Of what is reproduced: exact or near. Of what differs: whether the stated side is right."""


@dataclass(frozen=True, slots=True)
class Part:
    """One comparison and how it came out."""

    what: str
    word: Word
    grade: Grade = ""
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    expected: str = ""
    near: float | None = None
    """How far what is inconclusive is from the nearest line, as a share of it."""
    needed: int | None = None
    """Networks on which a word can be expected, if it stays as it is."""

    @property
    def text(self) -> str:
        """The part in words, with its numbers."""
        if self.measured is None:
            return f"{self.what}: no result" if self.what else "no result"
        interval = "" if self.low is None else f" [{number(self.low)}, {number(self.high)}]"
        sign = f"; the {self.grade}" if self.grade.startswith("sign") else ""
        said = f"{self.what}: {number(self.measured)}{interval}, expected {self.expected}{sign}"
        return said + self._more if self.word == "inconclusive" else said

    @property
    def _more(self) -> str:
        """How near it is, and what it would take."""
        near = "" if self.near is None else f"; {self.near:.1%} from the line"
        return near if self.needed is None else f"{near}; about {self.needed:,} networks needed"


def number(value: float | None) -> str:
    """Four digits of a number."""
    return "none" if value is None or math.isnan(value) else f"{value:.4g}"


def in_range(
    what: str, found: Estimate, lo: float | None, hi: float | None, slack: float = 0.0
) -> Part:
    """Whether an estimate lies in a range; either bound may be missing."""
    expected = _range_text(lo, hi) + (f", or {100 * slack:g} % beyond" if slack else "")
    if math.isnan(found.value):
        return Part(what, "not run", expected=expected)
    low, high = (-math.inf if lo is None else lo), (math.inf if hi is None else hi)
    wide_low, wide_high = low - slack * _size(lo), high + slack * _size(hi)
    part = _part(what, found, expected)
    if math.isnan(found.low) or math.isnan(found.high):
        return part
    ends = (wide_low, True), (wide_high, False)
    lines = [Line(end, end, is_least) for end, is_least in ends if math.isfinite(end)]
    if len(lines) == 1 and not slack and matters_not(found, lines):
        return replace(part, word=ALIKE)
    if found.low >= wide_low and found.high <= wide_high:
        grade: Grade = "exact" if low <= found.value <= high else "near"
        return replace(part, word="reproduced", grade=grade)
    if found.high < wide_low or found.low > wide_high:
        return replace(part, word="differs", grade=_side(found.value, lo, hi))
    return _unsure(part, found, lines)


def above(what: str, found: Estimate, whole: float) -> Part:
    """Whether a difference is significantly above zero; the margin is a share of `whole`."""
    if math.isnan(found.value):
        return Part(what, "not run", expected="above 0")
    part = _part(what, found, "above 0")
    lines = [Line(0.0, whole, is_least=True)]
    if matters_not(found, lines):
        return replace(part, word=ALIKE)
    if found.low > 0:
        return replace(part, word="reproduced", grade="exact")
    if found.high < 0:
        return replace(part, word="differs", grade="sign differs")
    return _unsure(part, found, lines)


def at_least(what: str, found: Estimate, bound: float, sure: float) -> Part:
    """Whether a coefficient reaches a bound, and is above `sure` with its whole interval."""
    expected = f"at least {number(bound)}"
    if math.isnan(found.value):
        return Part(what, "not run", expected=expected)
    part = _part(what, found, expected)
    if math.isnan(found.low):
        return part
    if found.value >= bound and found.low > sure:
        return replace(part, word="reproduced", grade="exact")
    if found.value < bound and found.high < bound:
        grade: Grade = "sign holds" if found.value > 0 else "sign differs"
        return replace(part, word="differs", grade=grade)
    return part


def at_most(what: str, found: Estimate, bound: float) -> Part:
    """Whether a spread stays below a bound; noise only adds to it, so its mean decides."""
    expected = f"at most {number(bound)}"
    if math.isnan(found.value):
        return Part(what, "not run", expected=expected)
    part = _part(what, found, expected)
    if math.isnan(found.low):
        return part
    if found.value <= bound:
        return replace(part, word="reproduced", grade="exact")
    return replace(part, word="differs") if found.low > bound else part


def all_of(parts: Sequence[Part], what: str = "") -> Part:
    """All parts must hold; the one that decides stands for them."""
    if not parts:
        return Part(what, "not run")
    if all(part.word == "not run" for part in parts):
        return replace(parts[0], what=_joined(what, parts[0].what))
    missing = [replace(part, word="inconclusive") for part in parts if part.word == "not run"]
    present = [part for part in parts if part.word != "not run"]
    worst = max([*present, *missing], key=_badness)
    if worst.word == "differs":
        grades = [part.grade for part in present if part.word == "differs"]
        worst = replace(worst, grade=_joint(grades))
    return replace(worst, what=_joined(what, worst.what))


def share_of(parts: Sequence[Part], quorum: float, variable: str) -> Part:
    """A share of the parts must hold; values of the variable without results do not count."""
    present = [part for part in parts if part.word != "not run"]
    if not present:
        return Part(f"every {variable}", "not run")
    needed = math.ceil(quorum * len(present) - 1e-9)
    holding = sorted((part for part in present if part.word == "reproduced"), key=_badness)
    alike = [part for part in present if part.word == ALIKE]
    missed = [part for part in present if part.word == "differs"]
    if len(holding) >= needed:
        decisive = holding[needed - 1]
    elif len(missed) > len(present) - needed:
        decisive = replace(missed[0], grade=_joint([part.grade for part in missed]))
    elif len(holding) + len(alike) >= needed:
        decisive = alike[0]
    else:
        decisive = next(part for part in present if part.word in ("inconclusive", "differs"))
        decisive = replace(decisive, word="inconclusive", grade="")
    count = f"{len(holding)} of {len(present)} values of {variable} hold, {needed} needed"
    return replace(decisive, what=f"{count}; {decisive.what}")


def best_of(parts: Sequence[Part]) -> Part:
    """Any of the parts will do."""
    return min(parts, key=_badness)


def _badness(part: Part) -> tuple[int, bool]:
    return WORDS.index(part.word), part.grade == "near"


def _part(what: str, found: Estimate, expected: str) -> Part:
    part = Part(what, "inconclusive", "", found.value, expected=expected)
    if math.isnan(found.low) or math.isnan(found.high):
        return part
    return replace(part, low=found.low, high=found.high)


def _unsure(part: Part, found: Estimate, lines: Sequence[Line]) -> Part:
    """What is neither met nor missed: within the margin, or how near it is."""
    if math.isnan(found.low) or math.isnan(found.high):
        return part
    if matters_not(found, lines):
        return replace(part, word=ALIKE)
    near = nearness(found, lines)
    return replace(
        part,
        near=None if math.isnan(near) else near,
        needed=networks_needed(found, lines),
    )


def _joint(grades: Sequence[Grade]) -> Grade:
    if "sign differs" in grades:
        return "sign differs"
    return "sign holds" if "sign holds" in grades else ""


def _side(value: float, lo: float | None, hi: float | None) -> Grade:
    """For a range on one side of 1: whether the value is on that side."""
    if lo is not None and lo >= 1:
        return "sign holds" if value > 1 else "sign differs"
    if hi is not None and hi <= 1:
        return "sign holds" if value < 1 else "sign differs"
    return ""


def _range_text(lo: float | None, hi: float | None) -> str:
    if lo is None:
        return f"at most {number(hi)}"
    return f"at least {number(lo)}" if hi is None else f"{number(lo)} to {number(hi)}"


def _size(bound: float | None) -> float:
    return 0.0 if bound is None else abs(bound)


def _joined(what: str, detail: str) -> str:
    return f"{what}: {detail}" if what and detail else what or detail
