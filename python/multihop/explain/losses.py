"""Why a packet was dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from multihop.explain.breaks import Breaks
from multihop.explain.channel import Channel
from multihop.explain.model import Cause, Evidence, Incident
from multihop.explain.record import NONE, QUEUE_DROPS, Record
from multihop.explain.whereabouts import Way
from multihop.places import Places

_LATELY_NS = 2_000_000_000
"""News of a broken link travel for at most so long."""
_PAUSE_NS = 1_000_000_000
"""A queue that drops nothing for so long has room."""
_SEARCHED_NS = 50_000_000
"""A packet that routing had for longer was held while it looked for a route."""

_NAMES = {"tcp-data": "segment", "tcp-ack": "acknowledgment", "udp": "datagram"}


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a packet was lost."""

    cause: Cause
    text: str
    evidence: list[Evidence]
    because: tuple[Cause, ...] = ()
    counted: tuple[Incident, ...] = ()
    search: tuple[int, int] | None = None
    """Who looked for a route to whom in vain, if that is why."""


class Losses:
    """The drops of a run."""

    def __init__(self, record: Record, places: Places, channel: Channel, breaks: Breaks) -> None:
        self._record = record
        self._places = places
        self._channel = channel
        self._breaks = breaks

    def of(self, way: Way, until_ns: int) -> Loss:
        """Why this packet was lost, by what happened until a time; `unknown` if not dropped."""
        row = way.lost
        if row is None:
            return Loss("unknown", "what became of it is not recorded", [])
        loss = self._judge(way, row, until_ns)
        if loss.search is not None or loss.counted:
            return loss
        return replace(loss, counted=(("drop", way.packet),))

    def _judge(self, way: Way, row: dict[str, Any], until_ns: int) -> Loss:
        node, now = int(row["node"]), int(row["time_ns"])
        ends = (int(row["origin"]), int(row["target"]))
        name = f"{_NAMES.get(row['content'], 'packet')} {way.number}"
        shown = Evidence(now, f"{name} dropped: {row['detail']}", None, node)
        dropped = f"{name} was dropped at {self._places.told(node)} at {now / 1e9:.2f} s"
        match row["detail"]:
            case "queue-full":
                return Loss("queue-overflow", f"{dropped}, whose queue was full", [shown])
            case "codel":
                text = f"{dropped}, whose queue had kept packets too long"
                return Loss("queue-delay", text, [shown])
            case "queue-rule":
                return Loss("queue-delay", f"{dropped}, by the rule of its queue", [shown])
            case "arp-replaced":
                return self._displaced(way, node, now, dropped, shown)
            case "ttl" if not _circled(way):
                hops = len(_nodes(way)) - 1
                text = f"{dropped} after {hops} hops, as many as its time to live allows"
                return Loss("hop-limit", text, [shown])
            case "ttl" | "loop":
                return Loss("loop", f"{dropped}: it went in circles", [shown])
            case "not-associated":
                text = f"{dropped}: its client belonged to no access point"
                return Loss("not-associated", text, [shown])
            case "wire-loss":
                return Loss("wire", f"{dropped}: the wire lost it", [shown])
            case "switch-full":
                text = f"{dropped}: too many waited at the switch for the same port"
                return Loss("wire", text, [shown])
            case "retries":
                return self._tried(way, node, now, dropped, shown)
            case "link-failure":
                return self._broken(node, ends, now, dropped, shown, until_ns)
            case _:
                return self._no_route(way, node, ends, now, dropped, shown)

    def lasts_until(self, way: Way, from_ns: int, to_ns: int) -> int:
        """Until when the queue that dropped a packet goes on to drop some, without a pause."""
        if way.lost is None or way.lost["detail"] not in QUEUE_DROPS:
            return from_ns
        drops = self._record.queue_drops(int(way.lost["node"]), from_ns, to_ns)
        pauses = np.diff(drops, prepend=from_ns) > _PAUSE_NS
        going_on = drops[: int(np.argmax(pauses))] if pauses.any() else drops
        return int(going_on[-1]) if len(going_on) else from_ns

    def _displaced(self, way: Way, node: int, now: int, dropped: str, shown: Evidence) -> Loss:
        peer = way.stays[-1].peer if way.stays else NONE
        other = self._places.told(peer)
        text = f"{dropped}: another packet took its place, waiting for the address of {other}"
        if peer == NONE or self._places.reaches(node, peer, now):
            return Loss("arp", text, [shown])
        gone = self._breaks.gone(node, peer, now, [shown])
        return Loss(gone.cause, f"{gone.text}; {dropped}", gone.evidence)

    def _tried(self, way: Way, node: int, now: int, dropped: str, shown: Evidence) -> Loss:
        interface = way.stays[-1].interface if way.stays else NONE
        starts = self._record.serves(node, interface, now - _LATELY_NS, now)
        begin = int(starts[-1]) if len(starts) else now
        services = self._channel.services(node, interface, begin, now)
        if not services:
            return Loss("unknown", f"{dropped} after its last retry", [shown])
        last = services[0]
        return Loss(last.cause, f"{dropped}: {last.text}", [shown, *last.evidence])

    def _broken(
        self, node: int, ends: tuple[int, int], now: int, dropped: str, shown: Evidence,
        until_ns: int,
    ) -> Loss:  # fmt: skip
        broken = self._breaks.at(node, now)
        if broken is None:
            broken = self._breaks.last(ends, now - _LATELY_NS, now)
        if broken is None:
            return Loss("stale-route", f"{dropped}, as its route was broken", [shown])
        told, heard = self._error_heard(ends, broken.at_ns, until_ns)
        evidence = [*broken.evidence, shown, *heard]
        return Loss(broken.cause, f"{broken.text}{told}", evidence, broken.because, broken.counted)

    def _error_heard(
        self, ends: tuple[int, int], broken_ns: int, until_ns: int
    ) -> tuple[str, list[Evidence]]:
        """When the source of a packet learned that its route was broken, if it did by then."""
        rows = self._record.errors
        last = min(broken_ns + _LATELY_NS, until_ns + 1)
        begin, end = np.searchsorted(rows["time_ns"], [broken_ns + 1, last])
        for place in range(int(begin), int(end)):
            if (rows["node"][place], rows["peer"][place]) == ends:
                at = int(rows["time_ns"][place])
                shown = Evidence(at, "route error arrives", None, *ends)
                source = self._places.told(ends[0])
                return f"; route error reached {source} at {at / 1e9:.2f} s", [shown]
        return "", []

    def _no_route(
        self, way: Way, node: int, ends: tuple[int, int], now: int, dropped: str, shown: Evidence
    ) -> Loss:
        is_apart = ends[1] != NONE and not self._places.connected(node, ends[1], now)
        if self._record.keeps_routes and not is_apart:
            broken = self._breaks.last(ends, now - _LATELY_NS, now)
            because = () if broken is None else (broken.cause,)
            return Loss("convergence", f"{dropped}, which had no route yet", [shown], because)
        last = way.stays[-1] if way.stays else None
        held = last is not None and last.place == "routing" and now - last.from_ns > _SEARCHED_NS
        if node != ends[0] and not held:
            broken = self._breaks.last(ends, now - _LATELY_NS, now)
            if broken is not None:
                return Loss(
                    broken.cause,
                    f"{broken.text}; {dropped}",
                    [*broken.evidence, shown],
                    broken.because,
                    broken.counted,
                )
            return Loss("stale-route", f"{dropped}, which had no route for it", [shown])
        if is_apart:
            no_way = self._places.no_way(node, ends[1], now)
            return Loss("out-of-range", f"{dropped}: {no_way}", [shown])
        search = None if ends[1] == NONE else (node, ends[1])
        text = f"{dropped}, which found no route"
        return Loss("lost-request-or-reply", text, [shown], search=search)


def _nodes(way: Way) -> list[int]:
    """The nodes that a packet came through, one after another."""
    return [node for node, _ in groupby(stay.node for stay in way.stays)]


def _circled(way: Way) -> bool:
    """Whether a packet came to a node again."""
    nodes = _nodes(way)
    return len({*nodes}) < len(nodes)
