"""What a search found, and the same as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multihop.assumptions.effects import Effect, Row
from multihop.assumptions.flips import Word, changes, lies
from multihop.assumptions.settings import name_of
from multihop.statistics import Estimate
from multihop.study.choices import Assumptions


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The flip with one of its changes taken back."""

    row: Row
    choice: int
    ratio: Estimate
    needed: Word
    """Whether the ratio is then back on the side that it is on as given."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A setting across the line, on the networks for confirming."""

    row: Row
    ratio: Estimate
    flips: Word


@dataclass(frozen=True, slots=True)
class Findings:
    """Which choices decide the headline, and the least change that flips it."""

    asked: Assumptions
    screening: range
    """Networks that settings were chosen on."""
    confirming: range
    """Networks that the flip was confirmed on."""
    screened: Sequence[Row]
    combined: Sequence[Row]
    """The settings of the full factorial."""
    pruned: Sequence[Row]
    """The settings of the backward elimination."""
    kept: Sequence[int]
    """The choices in it."""
    main: Sequence[Effect]
    """Of the screening, largest first."""
    main_in_full: Sequence[Effect]
    pairs: Sequence[Effect]
    ratios: Mapping[Row, Estimate]
    """Of every setting, on the networks for choosing."""
    base: Estimate
    """As given, on the networks for confirming."""
    candidates: Sequence[Flip]
    """Settings with the fewest changes across the line, in the order of the choosing."""
    taken_back: Sequence[TakenBack]
    """Of the flip, where it changes several choices."""

    @property
    def tried(self) -> Sequence[Row]:
        """Every setting that was run, in the order of their files."""
        beside = [found.row for found in self.taken_back]
        return list(dict.fromkeys([*self.screened, *self.combined, *self.pruned, *beside]))

    @property
    def flip(self) -> Flip | None:
        """The first candidate that flips or decides, else the first not decided, else the first."""
        for word in ("yes", "decides", "not decided", "no"):
            for found in self.candidates:
                if found.flips == word:
                    return found
        return None

    def name(self, row: Row) -> str:
        """The reading of a setting, such as `settings/s007`."""
        return name_of(self.tried.index(row) + 1)

    def named(self, effect: Effect) -> list[str]:
        """What an effect is of, such as `window = 32`, one for each choice."""
        choices, label = self.asked.choices, self.asked.label
        return [f"{choices[choice].name} = {label(choice, level)}" for choice, level in effect.of]

    def sentence(self) -> str:
        """The finding in a sentence."""
        line = f"{self.asked.line:g}"
        start = f"{self.asked.headline}: {shown(self.base)} as given"
        fresh = f"{len(self.confirming)} networks not used before"
        tried = f"{len(self.tried)} settings tried"
        flip = self.flip
        if flip is None:
            chosen = f"{len(self.screening)} networks"
            return f"{start} on {fresh}; no setting crosses {line} on {chosen}; {tried}"
        if flip.flips == "decides":
            sides = "; ".join(
                f"{lies(found.ratio, self.asked.line)} {line} with {self.asked.told(found.row)}: "
                f"{shown(found.ratio)}"
                for found in self._deciding()
            )
            return f"{start}, at the line; {sides} on {fresh}; {tried}"
        across = "above" if self._base_below else "below"
        changed = self.asked.told(flip.row)
        said = {
            "yes": f"{across} {line} with {changed}",
            "no": f"not {across} {line} with {changed}",
            "not decided": f"not decided whether {across} {line} with {changed}",
        }[flip.flips]
        return f"{start}; {said}: {shown(flip.ratio)} on {fresh}; {tried}"

    def _deciding(self) -> Iterator[Flip]:
        """For each side of the line the first candidate that decides for it."""
        decide = [found for found in self.candidates if found.flips == "decides"]
        for where in ("below", "above"):
            yield from [f for f in decide if lies(f.ratio, self.asked.line) == where][:1]

    def holds(self, found: Estimate) -> Word:
        """Whether the headline holds at a ratio: its whole interval is on the headline's side."""
        where = lies(found, self.asked.line)
        if where is None:
            return "not decided"
        return "yes" if where == self.asked.holds else "no"

    @property
    def _base_below(self) -> bool:
        base = next(ratio for row, ratio in self.ratios.items() if not changes(row))
        return base.value <= self.asked.line

    def document(self) -> dict[str, Any]:
        """The findings as JSON holds them; docs/use/assumptions.md says what each key is."""
        asked = self.asked
        flip = self.flip
        return {
            "headline": asked.headline,
            "sentence": self.sentence(),
            "metric": asked.metric,
            "scheme": asked.scheme,
            "over": asked.over,
            "where": asked.where,
            "line": asked.line,
            "holds": asked.holds,
            "settings_tried": len(self.tried),
            "screening": _networks(self.screening),
            "confirming": _networks(self.confirming),
            "choices": [
                {
                    "name": choice.name,
                    "about": choice.about,
                    "alternatives": [
                        self.asked.label(c, level) for level in range(asked.levels[c])
                    ],
                    "in_full": c in self.kept,
                }
                for c, choice in enumerate(asked.choices)
            ],
            "main_effects": [self._effect(effect) for effect in self.main],
            "main_effects_in_full": [self._effect(effect) for effect in self.main_in_full],
            "pair_effects": [self._effect(effect) for effect in self.pairs],
            "settings": [
                {
                    "reading": self.name(row),
                    "changes": self._changes(row),
                    "screened": row in self.screened,
                    "in_full": row in self.combined,
                    "pruned": row in self.pruned,
                    "ratio": _estimate(self.ratios[row]) if row in self.ratios else None,
                }
                for row in self.tried
            ],
            "base": {**_estimate(self.base), "headline_holds": self.holds(self.base)},
            "flips": flip.flips if flip else "no",
            "candidates": [
                {
                    "reading": self.name(found.row),
                    "changes": self._changes(found.row),
                    "ratio": _estimate(found.ratio),
                    "headline_holds": self.holds(found.ratio),
                    "flips": found.flips,
                }
                for found in self.candidates
            ],
            "flip": self.name(flip.row) if flip else None,
            "taken_back": [
                {
                    "reading": self.name(found.row),
                    "choice": asked.choices[found.choice].name,
                    "ratio": _estimate(found.ratio),
                    "needed": found.needed,
                }
                for found in self.taken_back
            ],
        }

    def _changes(self, row: Row) -> dict[str, str]:
        return {self.asked.choices[c].name: self.asked.label(c, row[c]) for c in changes(row)}

    def _effect(self, effect: Effect) -> dict[str, Any]:
        of = {self.asked.choices[c].name: self.asked.label(c, level) for c, level in effect.of}
        return {"of": of, **_estimate(effect.factor, "factor")}


def shown(found: Estimate) -> str:
    """An estimate with its interval, such as `0.94 (0.90-0.98)`."""
    if not math.isfinite(found.value):
        return "unknown"
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return f"{found.value:.2f}"
    return f"{found.value:.2f} ({found.low:.2f}-{found.high:.2f})"


def factor_shown(effect: Effect) -> list[str]:
    """An effect's factor, and its interval; that is empty where there is none."""
    found = effect.factor
    if not math.isfinite(found.value):
        return ["unknown", ""]
    bounded = math.isfinite(found.low) and math.isfinite(found.high)
    return [f"{found.value:.2f}", f"{found.low:.2f} to {found.high:.2f}" if bounded else ""]


def _networks(seeds: range) -> dict[str, int]:
    return {"first_seed": seeds[0], "networks": len(seeds)}


def _estimate(found: Estimate, name: str = "ratio") -> dict[str, float | int | None]:
    ends = {name: found.value, "low": found.low, "high": found.high}
    known = {key: value if math.isfinite(value) else None for key, value in ends.items()}
    return {**known, "networks": found.networks, "flows": found.flows}
