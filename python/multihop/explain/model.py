"""What an explanation consists of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Cause = Literal[
    "hidden-terminal",
    "contention",
    "false-link-failure",
    "stale-route",
    "lost-request-or-reply",
    "arp",
    "queue-overflow",
    "queue-delay",
    "rto-backoff",
    "reordering",
    "out-of-range",
    "nothing-to-send",
    "unknown",
]
"""Why a flow was silent; docs/explain.md says what each means."""

CAUSES: tuple[Cause, ...] = get_args(Cause)


_OF_MOMENTS: tuple[Cause, ...] = ("contention", "hidden-terminal", "reordering")
"""Causes of many short waits, whose number says nothing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """An event that shows a cause."""

    time_ns: int
    what: str
    frame: int | None = None
    node: int | None = None
    peer: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "time_s": self.time_ns / 1e9, "what": self.what,
            "frame": self.frame, "node": self.node, "peer": self.peer,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a silence that has one cause."""

    cause: Cause
    from_ns: int
    to_ns: int
    text: str
    evidence: Sequence[Evidence] = ()
    because: tuple[Cause, ...] = ()
    """What brought the cause about, the nearest first, where that is known."""
    after: str = ""
    """In words, what a sender's wait came after."""
    times: int = 1
    """How many such spans in a row it stands for; it is told as the longest of them."""

    @property
    def length_ns(self) -> int:
        """How long it is."""
        return self.to_ns - self.from_ns

    def told(self, *, with_reason: bool = True) -> str:
        """The whole text: what it was, after what, and how often in a row."""
        after = f", after: {self.after}" if self.after and with_reason else ""
        counted = self.times > 1 and self.cause not in _OF_MOMENTS
        more = f"; {self.times} such waits in a row" if counted else ""
        return f"{self.text}{after}{more}"


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing new was delivered in order, and its causes one after another."""

    from_ns: int
    to_ns: int
    spans: Sequence[Span]
    text: str

    @property
    def length_ns(self) -> int:
        """How long it is."""
        return self.to_ns - self.from_ns

    def shares(self) -> dict[Cause, float]:
        """Each cause's share of it, the largest first."""
        return shares_of(self.spans)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "from_s": self.from_ns / 1e9,
            "to_s": self.to_ns / 1e9,
            "text": self.text,
            "causes": [
                {
                    "cause": span.cause,
                    "because": list(span.because),
                    "from_s": span.from_ns / 1e9,
                    "to_s": span.to_ns / 1e9,
                    "share": span.length_ns / self.length_ns,
                    "text": span.told(),
                    "evidence": [each.as_json() for each in span.evidence],
                }
                for span in self.spans
            ],
        }


@dataclass(frozen=True, slots=True)
class FlowExplanation:
    """Why one flow was silent."""

    flow: int
    source: int
    destination: int
    silences: Sequence[Silence] = field(default_factory=list)

    @property
    def silent_s(self) -> float:
        """How long it was silent [s]."""
        return sum(silence.length_ns for silence in self.silences) / 1e9

    def shares(self) -> dict[Cause, float]:
        """Each cause's share of the silent time, the largest first."""
        return shares_of([span for silence in self.silences for span in silence.spans])

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "flow": self.flow,
            "source": self.source,
            "destination": self.destination,
            "silent_s": self.silent_s,
            "shares": self.shares(),
            "silences": [silence.as_json() for silence in self.silences],
        }


def shares_of(spans: Sequence[Span]) -> dict[Cause, float]:
    """Each cause's share of these spans' length, the largest first; none of no spans."""
    total = sum(span.length_ns for span in spans)
    lengths: dict[Cause, int] = {}
    for span in spans:
        lengths[span.cause] = lengths.get(span.cause, 0) + span.length_ns
    ordered = sorted(lengths.items(), key=lambda item: -item[1])
    return {cause: length / total for cause, length in ordered if total}
