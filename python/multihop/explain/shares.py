"""The causes of many silences together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from multihop.explain.model import CAUSES, Cause, FlowExplanation, Silence


def _none() -> dict[Cause, float]:
    return dict.fromkeys(CAUSES, 0.0)


@dataclass
class Shares:
    """What was found of some flows, of one run or of many."""

    flows: int = 0
    silences: int = 0
    lived_s: float = 0.0
    delivered_bits: float = 0.0
    lengths_s: dict[Cause, float] = field(default_factory=_none)
    """How long each cause kept them silent."""
    roots_s: dict[Cause, float] = field(default_factory=_none)
    """The same by what is at the root: the last of `because`, or the cause itself."""
    longest: Silence | None = None

    def add(self, report: Mapping[str, Any], found: FlowExplanation) -> None:
        """Add a flow, by its report and its explanation."""
        self.flows += 1
        self.silences += len(found.silences)
        self.lived_s += report["stop_s"] - report["start_s"]
        self.delivered_bits += 8 * report["delivered_bytes"]
        for silence in found.silences:
            if self.longest is None or silence.length_ns > self.longest.length_ns:
                self.longest = silence
            for span in silence.spans:
                self.lengths_s[span.cause] += span.length_ns / 1e9
                self.roots_s[(span.cause, *span.because)[-1]] += span.length_ns / 1e9

    @property
    def silent_s(self) -> float:
        """How long they were silent [s]."""
        return sum(self.lengths_s.values())

    @property
    def silent_share(self) -> float:
        """The share of their lives in which they were silent."""
        return self.silent_s / self.lived_s if self.lived_s else 0.0

    def share(self, cause: Cause) -> float:
        """A cause's share of the silent time; 0 of no time."""
        return self.lengths_s[cause] / self.silent_s if self.silent_s else 0.0
