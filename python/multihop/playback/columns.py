"""The record of events as the page gets it: compressed columns of whole numbers.

A value is written where it can't be had from another row: what a reception has of its frame, and a
row of its packet, is left out. Numbers that grow are differences. A column's lowest bytes come
first, then the next: the high ones, nearly all 0, are compressed to almost nothing.
`viewer/src/record.ts` reads it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

Array = np.ndarray[Any, np.dtype[Any]]

OUTCOMES = ("receive", "miss")
"""Events that tell what became of a frame."""
OF_FRAME = ("peer", "kind", "packet", "bytes")
"""What an outcome has of its frame's `transmit`."""
OF_PACKET = ("content", "flow", "number", "origin", "target")
"""What is the same in all rows of a packet."""
REALS = ("cwnd", "ssthresh", "rto_s", "srtt_s", "timer_s")
_PLAIN = ("detail", "kind", "state", "airtime_ns", "queue", "former", "cw_slots", "backoff_slots")
_NONE = -1


@dataclass(slots=True)
class Columns:
    """The columns as bytes, and what they are."""

    layout: list[dict[str, Any]] = field(default_factory=list)
    """Of each its name, count, bytes a value and, where only some events have it, which."""
    parts: list[bytes] = field(default_factory=list)

    def add(self, name: str, values: Array, events: Array | None = None) -> None:
        """Add whole numbers that are not negative, or reals."""
        count = len(values)
        if values.dtype.kind == "f":
            width, planes = 4, values.astype("<f4").view(np.uint8).reshape(count, 4)
        else:
            most = int(values.max(initial=0))
            width = max(1, (most.bit_length() + 7) // 8)
            planes = values.astype("<u8").view(np.uint8).reshape(count, 8)[:, :width]
        entry = {"name": name, "count": count, "width": width}
        if events is not None:
            entry["events"] = events.tolist()
        self.layout.append(entry)
        self.parts.append(np.ascontiguousarray(planes.T).tobytes())

    def compressed(self) -> bytes:
        """All columns, one after the other, in zlib's format."""
        return zlib.compress(b"".join(self.parts), 9 if self.size < _SMALL else 6)

    @property
    def size(self) -> int:
        """Bytes before compression."""
        return sum(map(len, self.parts))


_SMALL = 4_000_000


def encode(events: pl.DataFrame) -> Columns:
    """Write the columns of a record of events, of which there is at least one."""
    found = Columns()
    kinds = _words(events["event"])
    event, frame, packet = (_whole(events[name]) for name in ("event", "frame", "packet"))
    sent = event == kinds.index("transmit")
    outcome = np.isin(event, [kinds.index(name) for name in OUTCOMES])
    derived = outcome & np.isin(frame, frame[sent])

    def having(name: str) -> tuple[Array, Array]:
        """The events that have a column, and the rows in which it is written."""
        own = np.ones(len(event), dtype=bool)
        if name in OF_FRAME or name in OF_PACKET:
            own &= ~derived
        if name in OF_PACKET:
            own &= packet == _NONE
        present = np.zeros(len(kinds), dtype=bool)
        present[event[own & events[name].is_not_null().to_numpy()]] = True
        return np.flatnonzero(present), own & present[event]

    found.add("event", event)
    found.add("time_ns", np.diff(_whole(events["time_ns"]), prepend=0))
    found.add("node", _whole(events["node"]))
    owners, rows = having("frame")
    found.add("frame", _zigzag(_frame_steps(frame[rows], sent[rows])), owners)
    owners, rows = having("packet")
    found.add("packet", _behind(packet[rows]), owners)
    owners, rows = having("by_frame")
    lost_to = _whole(events["by_frame"])[rows]
    found.add("by_frame", np.where(lost_to == _NONE, 0, 1 + _zigzag(frame[rows] - lost_to)), owners)
    for name in ("peer", *_PLAIN, *OF_PACKET):
        owners, rows = having(name)
        found.add(name, _whole(events[name])[rows] + 1, owners)
    numbers, first = _first_rows(packet)
    found.add("packets", np.diff(numbers, prepend=0))
    for name in (*OF_PACKET, "bytes"):
        found.add(f"packet_{name}", _whole(events[name])[first] + 1)
    owners, rows = having("bytes")
    rows &= packet != _NONE
    sizes = _whole(events["bytes"])
    base = sizes[first][np.searchsorted(numbers, packet[rows])]
    found.add("bytes", _zigzag(sizes[rows] - base), owners)
    for name in REALS:
        owners, rows = having(name)
        values = events[name].fill_null(np.nan).to_numpy()
        found.add(name, values[rows], owners)
    return found


def _first_rows(packet: Array) -> tuple[Array, Array]:
    """The packets' numbers, and the first row of each."""
    rows = np.flatnonzero(packet != _NONE)
    numbers, first = np.unique(packet[rows], return_index=True)
    return numbers, rows[first]


def words(events: pl.DataFrame) -> dict[str, list[str]]:
    """What the numbers of each column of words stand for, from 0."""
    return {name: _words(events[name]) for name in ("event", "detail", "kind", "content", "state")}


def _words(column: pl.Series) -> list[str]:
    assert isinstance(column.dtype, pl.Enum)
    return column.dtype.categories.to_list()


def _whole(column: pl.Series) -> Array:
    """A column as signed numbers, -1 where there is none."""
    numbers = column.to_physical() if isinstance(column.dtype, pl.Enum) else column
    return numbers.cast(pl.Int64).fill_null(_NONE).to_numpy()


def _zigzag(values: Array) -> Array:
    """Signed numbers as unsigned ones, small ones small."""
    return (values << 1) ^ (values >> 63)


def _frame_steps(frames: Array, sent: Array) -> Array:
    """Of a transmission its distance from the one after the last; of others that from the last."""
    latest = np.maximum.accumulate(np.where(sent, frames, -1))
    before = np.concatenate([[-1], latest[:-1]])
    return np.where(sent, frames - before - 1, before - frames)


def _behind(packets: Array) -> Array:
    """How far each is behind the highest so far, zigzag, after 1; 0 where there is none."""
    highest = np.concatenate([[0], np.maximum.accumulate(packets)[:-1]])
    highest = np.maximum(highest, 0)
    return np.where(packets == _NONE, 0, 1 + _zigzag(highest - packets))
