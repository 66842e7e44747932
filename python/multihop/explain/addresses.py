"""What became of the requests by which a node asked for the address of a neighbour."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from multihop.explain.channel import Channel
from multihop.explain.model import Cause, Evidence, Incident
from multihop.explain.record import Record
from multihop.places import Places


@dataclass(frozen=True, slots=True)
class Asked:
    """The requests of a time: in words, with what kept them from their target."""

    text: str
    evidence: list[Evidence]
    because: tuple[Cause, ...]
    counted: tuple[Incident, ...]


class Addresses:
    """The address requests of a run."""

    def __init__(self, record: Record, places: Places, channel: Channel) -> None:
        self._record = record
        self._places = places
        self._channel = channel

    def asked(self, node: int, peer: int, from_ns: int, to_ns: int) -> Asked:
        """The requests of `node` for the address of `peer` that ended in a time."""
        rows = self._record.address_requests
        begin, end = np.searchsorted(rows["time_ns"], [from_ns, to_ns + 1])
        part = slice(int(begin), int(end))
        own = (
            (rows["origin"][part] == node) & (rows["target"][part] == peer)
            & (rows["event"][part] == "miss") & (rows["node"][part] == peer)
        )  # fmt: skip
        evidence: list[Evidence] = []
        counted: list[Incident] = []
        reasons: Counter[str] = Counter()
        causes: Counter[Cause] = Counter()
        for place in (begin + np.flatnonzero(own)).tolist():
            frame, by = int(rows["frame"][place]), int(rows["by_frame"][place])
            lost = self._channel.broadcast_lost(frame, peer, str(rows["detail"][place]), by)
            at = int(rows["time_ns"][place])
            evidence.append(Evidence(at, f"request for an address lost: {lost.why}", None, peer))
            counted.append(("lost request", frame))
            reasons[lost.why] += 1
            causes[lost.cause] += 1
        if not counted:
            return Asked("", [], (), ())
        why = reasons.most_common(1)[0][0]
        because = (causes.most_common(1)[0][0],)
        other = self._places.told(peer)
        return Asked(f", as {other} lost the request ({why})", evidence, because, tuple(counted))
