"""Why a node's MAC did not get its packets across."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from multihop.explain.model import Cause, Evidence
from multihop.explain.record import NONE, Record
from multihop.places import Places

_BEFORE_NS = 20_000_000
"""No exchange takes longer: 1500 bytes at 1 Mbit/s take 13 ms."""
_PAUSE_NS = 20_000
"""A frame that ended so shortly before still held the medium: longer than SIFS (10 us)."""
_OVERHEAD_NS = 1_000_000
"""What a try takes besides its frame and its backoff: the answer awaited and the spaces."""
_EVIDENCE = 8
"""So many tries of one service are told one by one."""
_IN_SLOTS = ("slot-reservation", "tdma")
"""Accesses whose stations wait for slots, and neither defer nor back off."""
_ANSWERED_TOGETHER = ("slot-reservation",)
"""Accesses with one ACK for the data of a slot, at its end."""
_BY_A_RULE = ("adaptive-csma", "diffq", "ez-flow")
"""Accesses whose windows follow a rule, and may be long while nobody else sends."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one frame had no answer."""

    cause: Cause
    why: str
    node: int
    """The node that was in the way; `NONE` if none."""
    peer: int = NONE
    """Whom it sent to."""


@dataclass(frozen=True, slots=True)
class Service:
    """A time in which the MAC of a node had one packet, or waited for its turn with it."""

    node: int
    from_ns: int
    to_ns: int
    cause: Cause
    text: str
    evidence: list[Evidence]
    failing: Cause | None
    """Why most of its tries failed, if any did."""
    failures: str
    """The tries that failed, in words."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The scenario's contention."""

    least: int
    most: int
    slot_ns: int
    access: str

    @property
    def turn(self) -> Cause:
        """What a packet waits for whose node may not send yet."""
        return "slot" if self.access in _IN_SLOTS else "contention"

    def most_ns(self, failures: int) -> int:
        """The longest backoff after so many failures in a row."""
        window: int = min((self.least + 1) * 2 ** min(failures, 16) - 1, self.most)
        return window * self.slot_ns


class Channel:
    """The tries of all MACs."""

    def __init__(self, record: Record, places: Places, backoff: Backoff) -> None:
        self._record = record
        self._places = places
        self._backoff = backoff
        self._failures: dict[int, Failure | None] = {}
        self._blamed: dict[int, int] = {}
        """By the frame that had no answer, the one that was in the way."""

    def services(self, node: int, interface: int, from_ns: int, to_ns: int) -> list[Service]:
        """What the MAC of an interface of `node` did in a time, packet by packet."""
        starts = self._record.serves(node, interface, from_ns + 1, to_ns).tolist()
        bounds = [from_ns, *starts, to_ns]
        return [
            self._service(node, interface, begin, end)
            for begin, end in pairwise(bounds)
            if begin < end
        ]

    def failure(self, place: int) -> Failure | None:
        """Why a frame to one node had no answer; None if it had."""
        if place not in self._failures:
            found = self._judge(place)
            is_request = self._record.word(place) == "RTS" and self._backoff.turn == "slot"
            if found and is_request and found.cause in ("contention", "hidden-terminal"):
                # All ask at the same time: what is lost is the slot, to those that were granted.
                found = replace(found, cause="slot")
            self._failures[place] = found
        return self._failures[place]

    def tries(self, node: int, interface: int, from_ns: int, to_ns: int) -> list[int]:
        """The RTS frames and data to one node that an interface of `node` sent in a time."""
        record = self._record
        return [
            int(place)
            for place in record.frames_of(node, from_ns, to_ns)
            if record.receiver[place] >= 0
            and record.interface[place] == interface
            and record.word(int(place)) in ("RTS", "data")
        ]

    def _judge(self, place: int) -> Failure | None:
        record = self._record
        if record.missed[place]:
            return self._lost(place, place)
        if not record.received[place]:
            # Its end is not recorded, or comes after the end of the run.
            return None
        is_late = record.word(place) == "data" and self._backoff.access in _ANSWERED_TOGETHER
        answer = record.answer(place, _BEFORE_NS if is_late else 0)
        if answer == NONE:
            return self._unanswered(place)
        return self._lost(answer, place) if record.missed[answer] else None

    def _lost(self, place: int, tried: int) -> Failure:
        """Why the addressee did not receive a frame: the one that was tried, or its answer."""
        record = self._record
        by = int(record.place_of(record.by_frame[place : place + 1])[0])
        if by != NONE:
            self._blamed[tried] = by
        receiver = int(record.receiver[place])
        to = f" to {self._places.told(receiver)}"
        return self._loss(place, receiver, record.loss_of(place), by, to)

    def broadcast_lost(self, frame: int, node: int, loss: str, by_frame: int) -> Failure:
        """Why `node` did not receive a broadcast: of a `miss`, its frames and its detail."""
        place, by = self._record.place_of(np.array([frame, by_frame]))
        if place == NONE:
            where = self._places.told(node)
            return Failure("unknown", f"a broadcast was lost at {where}", NONE)
        return self._loss(int(place), node, loss, int(by), "")

    def _loss(self, place: int, receiver: int, loss: str, by: int, to: str) -> Failure:
        """Why a node did not receive a frame; `by` is the place of the one it was lost to."""
        record, places, told = self._record, self._places, self._places.told
        now, sender = int(record.sent_ns[place]), int(record.sender[place])
        what = record.word(place) if to else "broadcast"
        if loss == "out-of-range":
            hears = places.carries if what == "data" else places.decodes
            if not places.by_distance and hears(sender, receiver, now):
                return Failure("weak-signal", f"{what}{to} was too weak", NONE)
            return Failure("out-of-range", places.absence(sender, receiver, now), NONE)
        if loss == "sending":
            return Failure("contention", f"{told(receiver)} was sending itself", receiver)
        if by == NONE:
            lost = f"{what} of {told(sender)} was lost at {told(receiver)}"
            return Failure("unknown", lost, NONE)
        other, peer = int(record.sender[by]), int(record.receiver[by])
        collided = f"{what}{to} collided with {self._link(other, peer)}"
        if places.senses(other, sender, now):
            return Failure("contention", f"{collided}, sensed by {told(sender)}", other, peer)
        hidden = f"{collided}, hidden from {told(sender)}"
        return Failure("hidden-terminal", hidden, other, peer)

    def _unanswered(self, place: int) -> Failure:
        """Why a node that has received a frame did not answer."""
        record, places = self._record, self._places
        sender, node = int(record.sender[place]), int(record.receiver[place])
        end = int(record.sent_ns[place] + record.airtime_ns[place])
        around = record.frames_between(end - _BEFORE_NS, end)
        others = np.arange(around.start, around.stop)
        heard = places.sensed_at(node, end)[record.sender[others]]
        heard &= record.channel[others] == record.channel[place]
        foreign = (record.sender[others] != sender) & (record.receiver[others] != node)
        still = record.sent_ns[others] + record.airtime_ns[others] > end - _PAUSE_NS
        reserved = places.decoded_at(node, end)[record.sender[others]] & (
            record.receiver[others] >= 0
        )
        keeping = others[heard & foreign & (still | reserved)]
        if not len(keeping):
            busy = f"{places.told(node)} was busy with an exchange of its own"
            return Failure("contention", busy, NONE)
        other = self._blamed[place] = int(keeping[-1])
        # Who holds the receiver: either end of the exchange that it heard last.
        ends = (int(record.sender[other]), int(record.receiver[other]))
        keeps = "deferred to" if self._backoff.turn == "contention" else "granted nothing beside"
        deferred = f"{places.told(node)} {keeps} {self._link(*ends)}"
        by = places.told(sender)
        if places.senses(ends[0], sender, end):
            return Failure("contention", f"{deferred}, sensed by {by}", *ends)
        return Failure("hidden-terminal", f"{deferred}, hidden from {by}", *ends)

    def _service(self, node: int, interface: int, from_ns: int, to_ns: int) -> Service:
        record = self._record
        tries = self.tries(node, interface, from_ns, to_ns)
        lengths: Counter[Cause] = Counter()
        reasons: Counter[tuple[str, int, Failure]] = Counter()
        evidence: list[Evidence] = []
        failed = 0
        turn = self._backoff.turn
        bounds = [from_ns, *(int(record.sent_ns[place]) for place in tries), to_ns]
        lengths[turn] += bounds[1] - bounds[0]
        for place, begin, end in zip(tries, bounds[1:], bounds[2:], strict=False):
            failure = self.failure(place)
            if failure is None:
                failed = failed if record.word(place) == "RTS" else 0
                lengths[turn] += end - begin
                continue
            failed += 1
            own = int(record.airtime_ns[place]) + _OVERHEAD_NS + self._backoff.most_ns(failed)
            lengths[failure.cause] += min(end - begin, own)
            lengths[turn] += max(end - begin - own, 0)
            reasons[record.word(place), int(record.receiver[place]), failure] += 1
            if len(evidence) < _EVIDENCE:
                evidence += self._shown(place, failure)
        cause = max(lengths, key=lambda name: lengths[name])
        why: Counter[Cause] = Counter()
        for (_, _, failure), count in reasons.items():
            why[failure.cause] += count
        failing = why.most_common(1)[0][0] if why else None
        told = self._failures_text(node, Counter(
            {key: count for key, count in reasons.items() if key[2].cause == cause}
        ))  # fmt: skip
        if cause == turn:
            waits, busy = self._others(node, interface, from_ns, to_ns)
            if idle := self._counting_down(node, interface, from_ns, to_ns, lengths[turn]):
                cause, waits = "backoff", idle
            if not waits:
                told = (
                    f"{self._places.told(node)} had a packet, and no frame was in the air around it"
                )
                return Service(node, from_ns, to_ns, "unknown", told, [], failing, "")
            told = f"{waits}{'; ' + told if told else ''}"
            evidence = evidence or busy
        return Service(node, from_ns, to_ns, cause, told, evidence, failing,
                       self._failures_text(node, reasons))  # fmt: skip

    def _shown(self, place: int, failure: Failure) -> list[Evidence]:
        """A frame that had no answer, and the one that was in the way."""
        word = self._record.word(place)
        shown = [self._frame(place, f"{word} without an answer: {failure.why}")]
        if place in self._blamed:
            by = self._blamed[place]
            shown.append(self._frame(by, f"{self._record.word(by)} in the way"))
        return shown

    def _frame(self, place: int, what: str) -> Evidence:
        record = self._record
        peer = int(record.receiver[place])
        return Evidence(
            int(record.sent_ns[place]), what, int(record.frame[place]),
            int(record.sender[place]), peer if peer >= 0 else None,
        )  # fmt: skip

    def _others(
        self, node: int, interface: int, from_ns: int, to_ns: int
    ) -> tuple[str, list[Evidence]]:
        """Whose frames kept the medium busy at an interface of a node."""
        record, told = self._record, self._places.told
        found = record.frames_between(from_ns, to_ns)
        senders, receivers = record.sender[found], record.receiver[found]
        sensed = self._places.sensed_at(node, from_ns)[senders] & (receivers != node)
        sensed &= record.channel[found] == record.channel_of(interface)
        heard = np.flatnonzero(sensed & (receivers >= 0))
        in_slots = self._backoff.turn == "slot"
        waited = f"{told(node)} waited for {'a slot' if in_slots else 'its turn'}"
        if not len(heard):
            if in_slots:
                return waited, []
            own = record.frames_of(node, from_ns, to_ns)
            is_idle = not (record.interface[own] == interface).any()
            if is_idle and to_ns - from_ns > _BEFORE_NS:
                return "", []
            return f"{told(node)} had other packets to send first", []
        links = Counter(
            (min(a, b), max(a, b))
            for a, b in zip(senders[heard].tolist(), receivers[heard].tolist(), strict=True)
        )
        (a, b), most = links.most_common(1)[0]
        first = int(heard[0]) + found.start
        shown = self._frame(first, f"{record.word(first)} of others in reach of {told(node)}")
        both = f"{told(a)} and {told(b)}"
        share = f", {most} of them between {both}" if len(links) > 1 else f" by {both}"
        return f"{waited} during {len(heard)} frames of others{share}", [shown]

    def _counting_down(
        self, node: int, interface: int, from_ns: int, to_ns: int, waited_ns: int
    ) -> str:
        """That most of a wait passed with a free medium, by a window that a rule made long."""
        if self._backoff.access not in _BY_A_RULE or waited_ns < _BEFORE_NS:
            return ""
        record, places = self._record, self._places
        found = record.frames_between(from_ns, to_ns)
        senders = record.sender[found]
        on_air = places.sensed_at(node, from_ns)[senders] | (senders == node)
        on_air &= record.channel[found] == record.channel_of(interface)
        begins = np.maximum(record.sent_ns[found][on_air], from_ns)
        ends = np.minimum(begins + record.airtime_ns[found][on_air], to_ns)
        # Frames overlap: each counts for what it lasts beyond those before it.
        last = np.concatenate(([from_ns], np.maximum.accumulate(ends)[:-1])) if len(ends) else ends
        busy_ns = int(np.maximum(ends - np.maximum(begins, last), 0).sum())
        free_ns = min(to_ns - from_ns - busy_ns, waited_ns)
        if 2 * free_ns < to_ns - from_ns:
            return ""
        return (
            f"{places.told(node)} counted down its backoff: the medium was free for "
            f"{free_ns / 1e9:.2f} of {(to_ns - from_ns) / 1e9:.2f} s"
        )

    def _failures_text(self, node: int, chosen: Counter[tuple[str, int, Failure]]) -> str:
        if not chosen:
            return ""
        (kind, peer, _), _ = chosen.most_common(1)[0]
        count = sum(chosen.values())
        why = "; ".join(
            f"{n} x {key[2].why}" if n > 1 else key[2].why for key, n in chosen.most_common(2)
        )
        ends = f"from {self._places.told(node)} to {self._places.told(peer)}"
        return f"{kind} {ends} unanswered {_times(count)} ({why})"

    def _link(self, sender: int, receiver: int) -> str:
        told = self._places.told
        if receiver < 0:
            return f"a broadcast of {told(sender)}"
        return f"{told(sender)} -> {told(receiver)}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
