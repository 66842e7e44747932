"""What a silent flow was waiting for: a packet on its way, or its sender."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multihop.explain.record import NONE, Numbers, Record, rows_of
from multihop.explain.silences import Gap
from multihop.explain.whereabouts import Way, Ways

Chosen = npt.NDArray[np.bool_]

_NEVER = 1 << 62
_EARLIER_NS = 60_000_000_000
"""No acknowledgment is on its way for longer."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A part of a silence in which the flow waited for one thing.

    For `way`, which was under way, if that is given. Else for the sender to send `following`, after
    `lost`, the last packet that might have gone on with it, was lost; where there is no such
    packet, the sender had nothing that it might send.
    """

    from_ns: int
    to_ns: int
    way: Way | None = None
    lost: Way | None = None
    following: Way | None = None


class Sender:
    """What the TCP sender of a flow knew, and its timer."""

    def __init__(self, record: Record, flow: int) -> None:
        own = record.of_flow(flow).filter(event="tcp")
        rows = rows_of(own, ("rto_s",))
        self._times, self._known = rows["time_ns"], rows["number"]
        self.details, self.states = rows["detail"], rows["state"]
        self.rto_s = rows["rto_s"]
        self._fresh_s = _fresh(rows["rto_s"], rows["detail"])

    def known(self, time_ns: int) -> int:
        """The highest acknowledgment by then; `NONE` before the first."""
        place = self._place(time_ns)
        return int(self._known[place]) if place >= 0 else NONE

    def state(self, time_ns: int) -> str:
        """Its state by then."""
        place = self._place(time_ns)
        return str(self.states[place]) if place >= 0 else ""

    def timeout_s(self, time_ns: int) -> float | None:
        """The retransmission timeout by then, backed off."""
        return self._value(self.rto_s, time_ns)

    def fresh_timeout_s(self, time_ns: int) -> float | None:
        """The same without backing off: what it was when last computed from a round trip."""
        return self._value(self._fresh_s, time_ns)

    def called_by(self, from_ns: int, to_ns: int) -> str:
        """Why it was last called in a time."""
        begin, end = np.searchsorted(self._times, [from_ns + 1, to_ns + 1])
        return str(self.details[end - 1]) if end > begin else ""

    def _place(self, time_ns: int) -> int:
        return int(np.searchsorted(self._times, time_ns, side="right")) - 1

    def _value(self, values: np.ndarray[tuple[int], np.dtype[np.float64]], at: int) -> float | None:
        place = self._place(at)
        return float(values[place]) if place >= 0 and values[place] > 0 else None


def _fresh(
    rto_s: np.ndarray[tuple[int], np.dtype[np.float64]], details: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """By row, the timeout when it was last computed: backing off happens at timeouts alone."""
    fresh = np.array(rto_s, dtype=float)
    backed_off = None
    for place in range(1, len(fresh)):
        if details[place] == "timeout":
            backed_off = rto_s[place]
        if backed_off is not None and rto_s[place] == backed_off:
            fresh[place] = fresh[place - 1]
        else:
            backed_off = None
    return fresh


def of_stream(gap: Gap, ways: Ways, sender: Sender) -> Iterator[Wait]:
    """The waits of a silence of TCP, one after another.

    What can end it are copies of the awaited segment. As long as the sender does not know that all
    before it have arrived, it sends none, unless it has done so before; it goes on with an
    acknowledgment, or with a segment that brings one about.
    """
    known = sender.known(gap.from_ns)
    awaited = ways.sent("tcp-data", 0, gap.to_ns, (gap.awaited, gap.awaited + 1))
    messengers = [
        *ways.sent("tcp-ack", gap.from_ns - _EARLIER_NS, gap.to_ns, (known + 1, 2**40)),
        *ways.sent("tcp-data", 0, gap.to_ns, (known + 1, gap.awaited)),
    ]
    asked, told = _Packets(awaited), _Packets(messengers)
    now = gap.from_ns
    while now < gap.to_ns:
        known = sender.known(now)
        is_useful = told.number > (known if known < gap.awaited - 1 else _NEVER)
        wait = _next(asked, told, is_useful, now, gap.to_ns)
        yield wait
        now = wait.to_ns


def of_datagrams(gap: Gap, ways: Ways) -> Iterator[Wait]:
    """The waits of a silence of a flow of datagrams, one after another."""
    sent = [
        way
        for way in ways.sent("udp", gap.from_ns - _EARLIER_NS, gap.to_ns)
        if way.end_ns > gap.from_ns or not way.delivered
    ]
    packets, none = _Packets(sent), _Packets([])
    now = gap.from_ns
    while now < gap.to_ns:
        wait = _next(packets, none, none.delivered, now, gap.to_ns)
        yield wait
        now = wait.to_ns


class _Packets:
    """Some packets as columns: a silence may last for thousands of datagrams."""

    def __init__(self, ways: Sequence[Way]) -> None:
        self.ways = ways
        self.sent_ns = np.array([way.sent_ns for way in ways], dtype=np.int64)
        self.end_ns = np.array([way.end_ns for way in ways], dtype=np.int64)
        self.number = np.array([way.number for way in ways], dtype=np.int64)
        self.delivered = np.array([way.delivered for way in ways], dtype=bool)
        self.every = np.ones(len(ways), dtype=bool)

    def first(self, chosen: Chosen, order: Numbers) -> Way | None:
        """Of those chosen the one that comes first in an order."""
        return self.ways[int(np.where(chosen, order, _NEVER).argmin())] if chosen.any() else None

    def oldest_alive(self, chosen: Chosen, now: int) -> Way | None:
        """Of those under way the one that was sent first; those that arrive come first."""
        alive = chosen & (self.sent_ns <= now) & (self.end_ns > now)
        arriving = alive & self.delivered
        return self.first(arriving if arriving.any() else alive, self.sent_ns)

    def upcoming(self, chosen: Chosen, now: int) -> Way | None:
        """Of those yet to be sent the next."""
        return self.first(chosen & (self.sent_ns > now), self.sent_ns)

    def lost(self, chosen: Chosen, now: int) -> Way | None:
        """Of those lost by now the last."""
        lost = chosen & ~self.delivered & (self.end_ns <= now)
        last = self.end_ns == np.where(lost, self.end_ns, -1).max(initial=-1)
        return self.first(lost & last, -self.sent_ns)


def _next(awaited: _Packets, messengers: _Packets, useful: Chosen, now: int, to_ns: int) -> Wait:
    """What is waited for now: the oldest packet under way, or the next to be sent.

    Those that arrive come first, and `awaited` before the `useful` of the `messengers`.
    """
    both = ((awaited, awaited.every), (messengers, useful))
    alive = [way for each, own in both if (way := each.oldest_alive(own, now))]
    if alive:
        way = alive[0]
        until = min(way.end_ns, to_ns)
        if not way.delivered:
            arriving = [each.upcoming(own & each.delivered, now) for each, own in both]
            until = min([until, *(later.sent_ns for later in arriving if later)])
        return Wait(now, until, way=way)
    following = [way for each, own in both if (way := each.upcoming(own, now))]
    lost = [way for each, own in both if (way := each.lost(own, now))]
    return Wait(
        now,
        min([to_ns, *(way.sent_ns for way in following)]),
        lost=max(lost, key=lambda way: (way.end_ns, way.sent_ns), default=None),
        following=min(following, key=lambda way: way.sent_ns, default=None),
    )
