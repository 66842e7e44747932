"""The record of events of a run, indexed by frame, node and packet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from multihop import engine
from multihop.events import Watch
from multihop.foreign import line
from multihop.results import Result

Numbers = npt.NDArray[np.int64]

NONE = -1
"""Stands for a missing number."""

QUEUE_DROPS = ("queue-full", "codel", "queue-rule")
"""Details of drops at an interface queue."""

_COLUMNS = (
    "time_ns", "node", "peer", "frame", "packet", "number", "origin", "target", "airtime_ns",
    "by_frame", "flow", "interface",
)  # fmt: skip
_WORDS = ("event", "detail", "kind", "content", "state")
_ANSWERS = ("CTS", "ACK", "BLOCK-ACK")
_RESPONSE_NS = 60_000
"""An answer begins a SIFS and two journeys of the first bit after the frame that it answers."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows, in the order of time: a column each, `NONE` and "" where there is none."""

    columns: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.columns[name]

    def row(self, place: int) -> dict[str, Any]:
        """One row by name."""
        return {name: values[place] for name, values in self.columns.items()}


def rows_of(events: pl.DataFrame, extra: tuple[str, ...] = ()) -> Rows:
    """These events as columns."""
    numbers = {name: events[name].cast(pl.Int64).fill_null(NONE).to_numpy() for name in _COLUMNS}
    words = {name: events[name].cast(pl.String).fill_null("").to_numpy() for name in _WORDS}
    floats = {name: events[name].to_numpy() for name in extra}
    return Rows({**numbers, **words, **floats})


@dataclass(frozen=True, slots=True)
class _Times:
    """When something happened at each node."""

    times: Numbers
    interfaces: Numbers
    """By which interface."""
    begins: Numbers
    """Where each node's times begin; there is one more."""

    @staticmethod
    def of(events: pl.DataFrame) -> _Times:
        rows = events.sort("node", maintain_order=True)
        nodes = _numbers(rows, "node")
        begins = np.searchsorted(nodes, np.arange(int(nodes.max(initial=0)) + 2))
        return _Times(_numbers(rows, "time_ns"), _numbers(rows, "interface"), begins)

    def at(self, node: int, from_ns: int, to_ns: int, interface: int | None = None) -> Numbers:
        """Those at a node in a time: by one interface, or by all."""
        if node + 1 >= len(self.begins):
            return self.times[:0]
        first = self.begins[node]
        own = self.times[first : self.begins[node + 1]]
        begin, end = np.searchsorted(own, [from_ns, to_ns])
        found: Numbers = own[begin:end]
        if interface is not None:
            found = found[self.interfaces[first + begin : first + end] == interface]
        return found


class Record:
    """What happened in one run.

    Raises:
        ValueError: no events were recorded, or only those of some nodes.
    """

    def __init__(self, result: Result) -> None:
        events, watch = result.events, result.watch or Watch()
        if watch.nodes:
            raise ValueError("only events of some nodes were recorded: leave nodes of Watch empty")
        self.events = events
        self.keeps_routes = engine.keeps_routes(result.scenario["routing"]["scheme"])
        end_s = result.scenario["duration_s"]
        self.span_ns = (round(watch.from_s * 1e9), round(min(watch.to_s or end_s, end_s) * 1e9))
        """From when to when events were recorded."""
        frames = self.events.filter(event="transmit")
        self.sent_ns = _numbers(frames, "time_ns")
        self.sender = _numbers(frames, "node")
        self.receiver = _numbers(frames, "peer")
        self.interface = _numbers(frames, "interface")
        channels = [table["channel"] for table in result.scenario.get("interfaces") or ()]
        self._radios = len(channels)
        self._wires = [line(wire["name"]) for wire in result.scenario.get("wires") or ()]
        # Each wire is a channel of its own, which no radio is on.
        of_wires = [NONE - 1 - place for place in range(len(self._wires))]
        self._channels = np.array([*channels, *of_wires, NONE])
        self.channel = self._channels[self.interface]
        self.airtime_ns = _numbers(frames, "airtime_ns")
        self.frame = _numbers(frames, "frame")
        self.kind = _codes(frames, "kind")
        self.kinds = _words(frames, "kind")
        self._note_fates()

    def _note_fates(self) -> None:
        """What became of each frame at its addressee."""
        fates = self.events.filter(pl.col("event").is_in(["receive", "miss"]))
        place = self.place_of(_numbers(fates, "frame"))
        known = place >= 0
        known[known] = self.receiver[place[known]] == _numbers(fates, "node")[known]
        place = place[known]
        self.received = np.zeros(len(self.frame), dtype=bool)
        self.missed = np.zeros(len(self.frame), dtype=bool)
        self.by_frame = np.full(len(self.frame), NONE, dtype=np.int64)
        self.loss = np.full(len(self.frame), NONE, dtype=np.int64)
        got = (fates["event"] == "receive").to_numpy()[known]
        self.received[place[got]] = True
        self.missed[place[~got]] = True
        self.by_frame[place] = _numbers(fates, "by_frame")[known]
        self.loss[place] = _codes(fates, "detail")[known]
        self.losses = _words(fates, "detail")

    def channel_of(self, interface: int) -> int:
        """The channel of an interface; `NONE` where nodes have one each."""
        return int(self._channels[interface])

    def wire(self, interface: int) -> str | None:
        """The name of the wire that an interface is a port of; None of radios."""
        place = interface - self._radios
        return self._wires[place] if 0 <= place < len(self._wires) else None

    def of_flow(self, flow: int) -> pl.DataFrame:
        """The events of one flow."""
        return self._flows.get((flow,), self.events.clear())

    @cached_property
    def _flows(self) -> dict[tuple[object, ...], pl.DataFrame]:
        own = self.events.filter(pl.col("flow").is_not_null())
        return own.partition_by("flow", as_dict=True, maintain_order=True)

    def place_of(self, frames: Numbers) -> Numbers:
        """Places of frames by their numbers; `NONE` of those not recorded."""
        if not len(self.frame):
            return np.full(len(frames), NONE, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.frame, frames), len(self.frame) - 1)
        return np.where(self.frame[place] == frames, place, NONE)

    @cached_property
    def _by_sender(self) -> tuple[Numbers, Numbers]:
        """Places of frames by sender, in the order of time, and where each sender's begin."""
        order = np.argsort(self.sender, kind="stable")
        nodes = int(self.sender.max(initial=0)) + 2
        return order, np.searchsorted(self.sender[order], np.arange(nodes))

    def frames_of(self, node: int, from_ns: int, to_ns: int) -> Numbers:
        """Places of the frames that `node` begins to send in a time."""
        order, begins = self._by_sender
        if node + 1 >= len(begins):
            return order[:0]
        own = order[begins[node] : begins[node + 1]]
        times = self.sent_ns[own]
        found: Numbers = own[np.searchsorted(times, from_ns) : np.searchsorted(times, to_ns)]
        return found

    def frames_between(self, from_ns: int, to_ns: int) -> slice:
        """Places of all frames whose transmission begins in a time."""
        begin, end = np.searchsorted(self.sent_ns, [from_ns, to_ns])
        return slice(int(begin), int(end))

    def answer(self, place: int, later_ns: int = 0) -> int:
        """The place of the CTS, ACK or BlockAck that answers a frame; `NONE` if none was sent.

        An answer may come so much later than usual.
        """
        end = int(self._burst_end_ns[place])
        until = end + _RESPONSE_NS + later_ns
        for other in self.frames_of(int(self.receiver[place]), end, until):
            is_back = self.receiver[other] == self.sender[place]
            is_back &= self.channel[other] == self.channel[place]
            if is_back and self.word(other) in _ANSWERS:
                # A CTS answers what came after data.
                is_other = self.word(place) == "data" and self.word(other) == "CTS"
                return NONE if is_other else int(other)
        return NONE

    @cached_property
    def _burst_end_ns(self) -> Numbers:
        """When each frame ends; of an A-MPDU, whose frames have no gaps, when the last does."""
        order = np.lexsort((self.interface, self.sender))
        sent = self.sent_ns[order]
        end = sent + self.airtime_ns[order]
        is_last = np.ones(len(order), dtype=bool)
        is_last[:-1] = sent[1:] != end[:-1]
        for name in (self.sender, self.interface):
            of = name[order]
            is_last[:-1] |= of[1:] != of[:-1]
        last = np.flatnonzero(is_last)
        ends = np.empty_like(end)
        ends[order] = end[last][np.searchsorted(last, np.arange(len(order)))]
        return ends

    def word(self, place: int) -> str:
        """The kind of a frame, as one writes it."""
        kind = self.kinds[int(self.kind[place])]
        return kind if kind == "data" else kind.upper()

    def loss_of(self, place: int) -> str:
        """Why a frame was lost at its addressee."""
        return self.losses[int(self.loss[place])] if self.loss[place] >= 0 else ""

    def serves(self, node: int, interface: int, from_ns: int, to_ns: int) -> Numbers:
        """When the MAC of an interface of `node` took a packet."""
        return self._serves.at(node, from_ns, to_ns, interface)

    def queue_changes(self, node: int, interface: int, from_ns: int, to_ns: int) -> Numbers:
        """When routing at `node` took packets out of an interface queue, or put some back."""
        return self._queue_changes.at(node, from_ns, to_ns, interface)

    def queue_drops(self, node: int, from_ns: int, to_ns: int) -> Numbers:
        """When the interface queue of `node` dropped a packet, being full or by age."""
        return self._queue_drops.at(node, from_ns, to_ns)

    @cached_property
    def _queue_drops(self) -> _Times:
        return _Times.of(self.events.filter(pl.col("detail").is_in(QUEUE_DROPS), event="drop"))

    @cached_property
    def _serves(self) -> _Times:
        return _Times.of(self.events.filter(event="serve"))

    @cached_property
    def _queue_changes(self) -> _Times:
        return _Times.of(self.events.filter(event="queue"))

    @cached_property
    def failures(self) -> Rows:
        """Links taken for broken."""
        return rows_of(self.events.filter(event="link-failure"))

    @cached_property
    def errors(self) -> Rows:
        """Sources that learned of a broken route."""
        return rows_of(self.events.filter(event="route-error"))

    @cached_property
    def searches(self) -> Rows:
        """When a node began to look for a route."""
        return rows_of(self.events.filter(event="discovery"))

    @cached_property
    def requests(self) -> Rows:
        """What became of route requests: each transmission, reception and loss."""
        return rows_of(
            self.events.filter(
                pl.col("content") == "rreq", pl.col("event").is_in(["transmit", "receive", "miss"])
            )
        )

    @cached_property
    def address_requests(self) -> Rows:
        """What became of requests for an address."""
        kept = pl.col("event").is_in(["receive", "miss"])
        return rows_of(self.events.filter(pl.col("content") == "arp-request", kept))

    @cached_property
    def replies(self) -> Rows:
        """What became of route replies at each node."""
        kept = ["route", "receive", "drop", "give-up", "link-failure", "arp-wait"]
        return rows_of(self.events.filter(pl.col("content") == "rrep", pl.col("event").is_in(kept)))


def _numbers(events: pl.DataFrame, name: str) -> Numbers:
    return events[name].cast(pl.Int64).fill_null(NONE).to_numpy()


def _codes(events: pl.DataFrame, name: str) -> Numbers:
    return events[name].to_physical().cast(pl.Int64).fill_null(NONE).to_numpy()


def _words(events: pl.DataFrame, name: str) -> list[str]:
    found = events.schema[name]
    return list(found.categories) if isinstance(found, pl.Enum) else []
