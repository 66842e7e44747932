"""What an explanation consists of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Cause = Literal[
    "hidden-terminal",
    "contention",
    "slot",
    "backoff",
    "weak-signal",
    "false-link-failure",
    "stale-route",
    "stale-neighbour",
    "convergence",
    "loop",
    "hop-limit",
    "lost-request-or-reply",
    "arp",
    "queue-overflow",
    "queue-delay",
    "rto-backoff",
    "reordering",
    "out-of-range",
    "not-associated",
    "wire",
    "nothing-to-send",
    "unknown",
]
"""Why a flow was silent; docs/use/explain.md says what each means."""

CAUSES: tuple[Cause, ...] = get_args(Cause)

Incident = tuple[str, int]
"""Something that can be counted: what it is called, and a number that no other of its kind has."""


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
    counted: tuple[Incident, ...] = ()
    """What happened in it; of several spans in a row, which are told as one, in all of them."""
    search: tuple[int, int] | None = None
    """Who looked for a route to whom, if it is told by what became of the requests."""

    @property
    def length_ns(self) -> int:
        """How long it is."""
        return self.to_ns - self.from_ns

    def told(self, *, with_reason: bool = True) -> str:
        """The whole text: what it was, after what, and how often in a row."""
        after = f", after: {self.after}" if self.after and with_reason else ""
        counts = Counter(noun for noun, _ in self.counted)
        several = [f"{count} {noun}s" for noun, count in counts.most_common() if count > 1]
        more = f"; {' and '.join(several)} in a row" if several else ""
        return f"{self.text}{after}{more}"


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing new was delivered in order, and its causes one after another."""

    from_ns: int
    to_ns: int
    spans: Sequence[Span]
    text: str
    brief: str
    """The same in at most two sentences, with the main causes alone."""

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
            "brief": self.brief,
            "causes": [
                {
                    "cause": span.cause,
                    "because": list(span.because),
                    "from_s": span.from_ns / 1e9,
                    "to_s": span.to_ns / 1e9,
                    "share": span.length_ns / self.length_ns,
                    "text": span.told(),
                    "counts": dict(Counter(noun for noun, _ in span.counted)),
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
    title: str = ""
    """The flow and its ends as people are told of them."""
    name: str | None = None
    """Of its table, if that has one."""

    @property
    def silent_s(self) -> float:
        """How long it was silent [s]."""
        return sum(silence.length_ns for silence in self.silences) / 1e9

    def shares(self) -> dict[Cause, float]:
        """Each cause's share of the silent time, the largest first."""
        return shares_of([span for silence in self.silences for span in silence.spans])

    def roots(self) -> dict[Cause, float]:
        """The same by what is at the root: the last of `because`, or the cause itself."""
        spans = [span for silence in self.silences for span in silence.spans]
        return shares_of(spans, lambda span: (span.cause, *span.because)[-1])

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "flow": self.flow,
            **({} if self.name is None else {"name": self.name}),
            "source": self.source,
            "destination": self.destination,
            "silent_s": self.silent_s,
            "shares": self.shares(),
            "roots": self.roots(),
            "silences": [silence.as_json() for silence in self.silences],
        }


def shares_of(
    spans: Sequence[Span], cause_of: Callable[[Span], Cause] = lambda span: span.cause
) -> dict[Cause, float]:
    """Each cause's share of these spans' length, the largest first; none of no spans."""
    total = sum(span.length_ns for span in spans)
    lengths: dict[Cause, int] = {}
    for span in spans:
        cause = cause_of(span)
        lengths[cause] = lengths.get(cause, 0) + span.length_ns
    ordered = sorted(lengths.items(), key=lambda item: -item[1])
    return {cause: length / total for cause, length in ordered if total}
