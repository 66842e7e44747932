"""Why a node that looked for a route had none: what became of its requests and their answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multihop.explain.channel import Channel
from multihop.explain.model import Cause, Evidence
from multihop.explain.record import Numbers, Record, Rows
from multihop.places import Places


@dataclass(frozen=True, slots=True)
class Request:
    """One route request of a node, and what became of it."""

    at_ns: int
    lost: bool
    """Whether a node that could have brought it or its answer nearer lost it."""
    answered: bool
    text: str
    evidence: Evidence
    because: tuple[Cause, ...] = ()


class Discoveries:
    """The route requests of a run."""

    def __init__(self, record: Record, places: Places, channel: Channel) -> None:
        self._record = record
        self._places = places
        self._channel = channel
        self._pairs: dict[tuple[int, int], Numbers] = {}
        self._judged: dict[tuple[int, int], Request] = {}
        """By the frame of a request and until when its answer was waited for."""

    def searches(self, node: int, target: int, from_ns: int, to_ns: int) -> int:
        """How often `node` began to look for `target` in a time."""
        rows = self._record.searches
        begin, end = np.searchsorted(rows["time_ns"], [from_ns, to_ns])
        own = (rows["node"][begin:end] == node) & (rows["peer"][begin:end] == target)
        return int(own.sum())

    def requests(self, node: int, target: int, from_ns: int, to_ns: int) -> list[Request]:
        """The requests that `node` sent for `target` in a time."""
        rows, about = self._record.requests, self._about(node, target)
        begin, end = np.searchsorted(rows["time_ns"][about], [from_ns, to_ns])
        about = about[begin:end]
        own = about[(rows["event"][about] == "transmit") & (rows["node"][about] == node)]
        times = rows["time_ns"][own].tolist()
        found = []
        for place, until in zip(own.tolist(), [*times[1:], to_ns], strict=False):
            key = int(rows["frame"][place]), until
            if key not in self._judged:
                self._judged[key] = self._request(place, node, target, until)
            found.append(self._judged[key])
        return found

    def _request(self, place: int, node: int, target: int, until_ns: int) -> Request:
        """What became of the request in a row until a time."""
        rows, about = self._record.requests, self._about(node, target)
        number, at_ns, frame = (int(rows[name][place]) for name in ("number", "time_ns", "frame"))
        begin, end = np.searchsorted(rows["time_ns"][about], [at_ns, until_ns + 1])
        own = about[begin:end]
        own = own[rows["number"][own] == number]
        event, where = rows["event"][own], rows["node"][own]
        reached = {node, *where[event == "receive"].tolist()}
        missed = {int(where[at]): int(own[at]) for at in np.flatnonzero(event == "miss")}
        shown = Evidence(at_ns, f"route request for {self._places.told(target)}", frame, node)
        if self._reply_arrives(node, target, at_ns, until_ns):
            return Request(at_ns, False, True, "answered", shown)
        if target in reached:
            why, because = self._reply_lost(node, target, at_ns, until_ns)
            return Request(at_ns, True, False, why, shown, because)
        hops = self._places.hops_to(target, at_ns)
        nearest = min((int(hops[other]) for other in reached if hops[other] >= 0), default=-1)
        for other, row in missed.items():
            if other not in reached and 0 <= hops[other] < nearest:
                lost = self._channel.broadcast_lost(
                    *(int(rows["frame"][row]), other, str(rows["detail"][row])),
                    int(rows["by_frame"][row]),
                )
                text = f"request lost at {self._places.told(other)} ({lost.why})"
                return Request(at_ns, True, False, text, shown, (lost.cause,))
        text = f"request did not go as far as {self._places.told(target)}"
        return Request(at_ns, False, False, text, shown)

    def _about(self, node: int, target: int) -> Numbers:
        """The rows about requests of `node` for `target`."""
        if not self._pairs:
            rows = self._record.requests
            order = np.lexsort((rows["time_ns"], rows["target"], rows["origin"]))
            pairs = np.stack([rows["origin"][order], rows["target"][order]])
            starts = np.flatnonzero((np.diff(pairs, prepend=-2) != 0).any(axis=0))
            for begin, end in zip(starts, [*starts[1:], len(order)], strict=False):
                self._pairs[int(pairs[0, begin]), int(pairs[1, begin])] = order[begin:end]
        return self._pairs.get((node, target), np.zeros(0, dtype=np.int64))

    def _reply_arrives(self, node: int, target: int, from_ns: int, to_ns: int) -> bool:
        rows = self._record.replies
        begin, end = np.searchsorted(rows["time_ns"], [from_ns, to_ns + 1])
        chosen = slice(int(begin), int(end))
        found = (
            (rows["event"][chosen] == "receive") & (rows["node"][chosen] == node)
            & (rows["origin"][chosen] == node) & (rows["target"][chosen] == target)
        )  # fmt: skip
        return bool(found.any())

    def _reply_lost(
        self, node: int, target: int, from_ns: int, to_ns: int
    ) -> tuple[str, tuple[Cause, ...]]:
        """How far a reply came, and why no further where that is known."""
        rows = self._record.replies
        begin, end = np.searchsorted(rows["time_ns"], [from_ns, to_ns + 1])
        chosen = slice(int(begin), int(end))
        own = (rows["origin"][chosen] == node) & (rows["target"][chosen] == target)
        where = rows["node"][chosen][own]
        why, because = self._not_heard(rows, np.flatnonzero(own) + begin)
        ended = np.isin(rows["event"][chosen][own], ["drop", "give-up", "link-failure"])
        told = self._places.told
        if ended.any():
            return f"reply lost at {told(int(where[ended][-1]))}{why}", because
        if not len(where):
            return f"no reply from {told(target)}", ()
        last = told(int(where[-1]))
        if rows["event"][chosen][own][-1] == "arp-wait":
            return f"reply waits for an address at {last}{why}", because or ("arp",)
        return f"reply under way at {last}", ()

    def _not_heard(self, rows: Rows, own: Numbers) -> tuple[str, tuple[Cause, ...]]:
        """That the node to which a reply was to go last does not hear from where, if so."""
        onward = own[(rows["peer"][own] >= 0) & (rows["event"][own] != "receive")]
        if not len(onward):
            return "", ()
        node, peer, at = (int(rows[name][onward[-1]]) for name in ("node", "peer", "time_ns"))
        if self._places.reaches(node, peer, at):
            return "", ()
        return f", as {self._places.absence(node, peer, at)}", ("out-of-range",)
