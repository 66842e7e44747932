"""Links that were taken for broken: whether they were, and since when."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from multihop.explain.channel import Channel, Service
from multihop.explain.model import Cause, Evidence, Incident
from multihop.explain.record import Record
from multihop.places import Places

FRESH_NS = 3_000_000_000
"""A link over which a frame went so recently was in use when it broke (AODV's route lifetime)."""
_JUST_NS = 1_000_000_000
"""Nor is a route stale whose link broke so recently: a MAC takes some time to find out."""

_SERVED_NS = 5_000_000_000
"""No MAC tries for longer to get a packet across."""


@dataclass(frozen=True, slots=True)
class Break:
    """A link that a node took for broken."""

    cause: Cause
    at_ns: int
    text: str
    evidence: list[Evidence]
    because: tuple[Cause, ...] = ()
    counted: tuple[Incident, ...] = ()


class Breaks:
    """All link failures of a run."""

    def __init__(self, record: Record, places: Places, channel: Channel) -> None:
        self._record = record
        self._places = places
        self._channel = channel

    def at(self, node: int, time_ns: int) -> Break | None:
        """The failure that a node's routing was told of at this instant, if one was."""
        rows = self._record.failures
        begin, end = np.searchsorted(rows["time_ns"], [time_ns, time_ns + 1])
        for place in range(int(begin), int(end)):
            if rows["node"][place] == node:
                return self._judge(place)
        return None

    def last(self, ends: tuple[int, int], from_ns: int, to_ns: int) -> Break | None:
        """The last failure in a time that struck a packet between these ends, either way."""
        rows = self._record.failures
        begin, end = np.searchsorted(rows["time_ns"], [from_ns, to_ns + 1])
        for place in range(int(end) - 1, int(begin) - 1, -1):
            if {int(rows["origin"][place]), int(rows["target"][place])} == set(ends):
                return self._judge(place)
        return None

    def _judge(self, place: int) -> Break:
        row = self._record.failures.row(place)
        node, peer, now = int(row["node"]), int(row["peer"]), int(row["time_ns"])
        shown = [Evidence(now, "link taken for broken", None, node, peer)]
        at = f"at {now / 1e9:.2f} s"
        counted = (("link failure", place),)
        if row["detail"] == "in-range" and not self._is_one_way(node, peer, now):
            tried = self._last_service(node, int(row["interface"]), now)
            why = f": {tried.failures}" if tried and tried.failures else ""
            present = self._places.presence(node, peer)
            a, b = self._places.told(node), self._places.told(peer)
            text = f"{a} took its link to {b} for broken {at}, though {present}{why}"
            evidence = [*shown, *(tried.evidence if tried else [])]
            because = (tried.failing,) if tried and tried.failing else ()
            return Break("false-link-failure", now, text, evidence, because, counted)
        return replace(self.gone(node, peer, now, shown), counted=counted)

    def _is_one_way(self, node: int, peer: int, now: int) -> bool:
        """Whether a node hears another that can't hear it, so that nothing is acknowledged."""
        places = self._places
        return (
            not places.by_distance
            and places.carries(node, peer, now)
            and not places.decodes(peer, node, now)
        )

    def gone(self, node: int, peer: int, now: int, shown: list[Evidence]) -> Break:
        """Why a node sends to another that is out of range."""
        at = f"at {now / 1e9:.2f} s"
        a, b = self._places.told(node), self._places.told(peer)
        since = self._places.out_of_reach_since(node, peer, now)
        if self._record.keeps_routes and since >= 0:
            gone = self._places.absence(node, peer, now)
            text = f"{a} still had {b} for a neighbour {at}: {gone}"
            return Break("stale-neighbour", now, text, shown)
        stale = self._stale(node, peer, since, now)
        if stale:
            text = f"{a} still used its link to {b} {at}: {stale}"
            return Break("stale-route", now, text, shown)
        why = self._places.absence(node, peer, now)
        text = f"the link {a} -> {b} broke {at}, as {why}"
        return Break("out-of-range", now, text, shown)

    def _last_service(self, node: int, interface: int, now: int) -> Service | None:
        """The service that ended at an instant, if the MAC tried in it."""
        starts = self._record.serves(node, interface, now - _SERVED_NS, now)
        if not len(starts) or not self._channel.tries(node, interface, int(starts[-1]), now):
            return None
        return self._channel.services(node, interface, int(starts[-1]), now)[0]

    def _stale(self, node: int, peer: int, since_ns: int, now: int) -> str:
        """Why a broken link should not have been used any more; empty if it just broke."""
        if since_ns < 0:  # there never was a link
            return ""
        rows = self._record.failures
        earlier = (
            (rows["peer"] == peer) & (rows["node"] == node)
            & (rows["time_ns"] > since_ns) & (rows["time_ns"] < now)
        )  # fmt: skip
        if earlier.any():
            first = int(rows["time_ns"][earlier][0])
            return f"it had been found broken at {first / 1e9:.2f} s"
        used, gone = self._last_use(node, peer, now), self._places.absence(node, peer, now)
        if used is None and now - since_ns > _JUST_NS:
            return f"{gone}, and nothing had passed before"
        if used is not None and now - max(used + FRESH_NS, since_ns + _JUST_NS) > 0:
            return f"{gone}, and nothing had passed since {used / 1e9:.2f} s"
        return ""

    def _last_use(self, node: int, peer: int, now: int) -> int | None:
        """When a frame last went over a link, either way."""
        record = self._record
        last = None
        for sender, receiver in ((node, peer), (peer, node)):
            own = record.frames_of(sender, 0, now)
            over = own[(record.receiver[own] == receiver) & record.received[own]]
            if len(over):
                last = max(last or 0, int(record.sent_ns[over[-1]]))
        return last
