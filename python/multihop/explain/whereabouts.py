"""Where a packet is, and when: its way from one transport to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from multihop.explain.record import Record, Rows, rows_of

Place = Literal["routing", "arp", "queue", "mac"]
"""Who has a packet: routing, which looks for a way; ARP; the interface queue; the MAC."""

_KEPT = (
    "send", "route", "arp-wait", "enqueue", "serve", "receive", "give-up", "link-failure", "drop",
    "deliver",
)  # fmt: skip
_FOLLOWING: dict[str, Place] = {
    "send": "routing",
    "receive": "routing",
    "give-up": "routing",
    "link-failure": "routing",
    "route": "queue",
    "enqueue": "queue",
    "arp-wait": "arp",
    "serve": "mac",
}


@dataclass(slots=True)
class Stay:
    """A time in which one layer of one node has a packet."""

    place: Place
    node: int
    interface: int
    """The node's that has it or by which it came; `NONE` where nodes have one each."""
    peer: int
    from_ns: int
    to_ns: int = -1
    served: bool = False
    """Whether the MAC takes it next."""


@dataclass(slots=True)
class Way:
    """What became of one packet."""

    packet: int
    number: int
    sent_ns: int
    source: int
    stays: list[Stay] = field(default_factory=list)
    end_ns: int = -1
    delivered: bool = False
    lost: dict[str, Any] | None = None
    """The row of its drop."""

    def alive(self, time_ns: int) -> bool:
        """Whether it is on its way."""
        return self.sent_ns <= time_ns < self.end_ns

    def within(self, from_ns: int, to_ns: int) -> list[Stay]:
        """Its stays in a time, cut to it."""
        return [
            replace(stay, from_ns=max(stay.from_ns, from_ns), to_ns=min(stay.to_ns, to_ns))
            for stay in self.stays
            if stay.from_ns < to_ns and stay.to_ns > from_ns
        ]


class Ways:
    """The packets of one flow."""

    def __init__(self, record: Record, flow: int) -> None:
        own = (
            record.of_flow(flow)
            .filter(
                pl.col("packet").is_not_null(),
                pl.col("event").is_in(_KEPT),
                (pl.col("event") != "receive") | pl.col("kind").is_in(["data", "ethernet"]),
            )
            .sort("packet", maintain_order=True)
        )
        self._record = record
        self._rows: Rows = rows_of(own)
        self._end_ns = record.span_ns[1]
        packets = self._rows["packet"]
        starts = np.flatnonzero(np.diff(packets, prepend=-2))
        ends = np.append(starts, len(packets))[1:]
        sends = self._rows["event"][starts] == "send" if len(starts) else starts.astype(bool)
        self._bounds = dict(
            zip(packets[starts].tolist(), zip(starts, ends, strict=True), strict=True)
        )
        self._ways: dict[int, Way] = {}
        first = starts[sends]
        self._sends = {
            content: _Sent(
                self._rows["time_ns"][chosen], packets[chosen], self._rows["number"][chosen]
            )
            for content in ("tcp-data", "tcp-ack", "udp")
            for chosen in [first[self._rows["content"][first] == content]]
        }

    def sent(
        self, content: str, from_ns: int, to_ns: int, numbers: tuple[int, int] | None = None
    ) -> list[Way]:
        """The packets that were sent in a time, by time; `numbers` is a range, half open."""
        return [
            self.way(packet) for packet in self._sends[content].between(from_ns, to_ns, numbers)
        ]

    def way(self, packet: int) -> Way:
        """The way of one packet."""
        if packet not in self._ways:
            begin, end = self._bounds[packet]
            self._ways[packet] = self._follow(packet, int(begin), int(end))
        return self._ways[packet]

    def _follow(self, packet: int, begin: int, end: int) -> Way:
        rows = self._rows
        way = Way(packet, int(rows["number"][begin]), int(rows["time_ns"][begin]),
                  int(rows["node"][begin]))  # fmt: skip
        here: int | None = way.source
        for place in range(begin, end):
            event, now, node = (
                rows["event"][place],
                int(rows["time_ns"][place]),
                int(rows["node"][place]),
            )
            if event == "deliver":
                _leave(way, now)
                way.end_ns, way.delivered, way.lost = now, True, None
                break
            if event == "receive":
                if here is not None and rows["peer"][place] != here:
                    continue  # again, as its acknowledgment was lost
            elif here is not None and node != here:
                continue  # a copy that has been received
            if event == "drop":
                _leave(way, now)
                here, way.end_ns, way.lost = None, now, rows.row(place)
                continue
            # After a drop, another copy goes on.
            here, way.end_ns, way.lost = node, -1, None
            following = _FOLLOWING[event]
            if way.stays:
                way.stays[-1].served = event in ("serve", "enqueue")
            _leave(way, now)
            interface, peer = int(rows["interface"][place]), int(rows["peer"][place])
            way.stays.append(Stay(following, node, interface, peer, now))
        if way.end_ns < 0:
            _leave(way, self._end_ns)
            way.end_ns = self._end_ns
        way.stays = [part for stay in way.stays for part in self._taken_back(stay)]
        return way

    def _taken_back(self, stay: Stay) -> list[Stay]:
        """A stay in a queue from which routing took the packet back, as two."""
        if stay.place != "queue" or stay.served:
            return [stay]
        interface = stay.interface
        taken = self._record.queue_changes(stay.node, interface, stay.from_ns, stay.to_ns)
        if not len(taken):
            return [stay]
        at = int(taken[0])
        return [replace(stay, to_ns=at), replace(stay, place="routing", from_ns=at)]


@dataclass(frozen=True, slots=True)
class _Sent:
    time_ns: np.ndarray[Any, Any]
    packet: np.ndarray[Any, Any]
    number: np.ndarray[Any, Any]

    def between(self, from_ns: int, to_ns: int, numbers: tuple[int, int] | None) -> Sequence[int]:
        chosen = (self.time_ns >= from_ns) & (self.time_ns < to_ns)
        if numbers is not None:
            chosen &= (self.number >= numbers[0]) & (self.number < numbers[1])
        order = np.argsort(self.time_ns[chosen], kind="stable")
        found: list[int] = self.packet[chosen][order].tolist()
        return found


def _leave(way: Way, now: int) -> None:
    if way.stays and way.stays[-1].to_ns < 0:
        way.stays[-1].to_ns = now
