"""Reads Perfetto's traces by protobuf's wire format; shares nothing with what writes them.

Field numbers are those of Perfetto's `trace_packet.proto`, `track_event.proto`,
`track_descriptor.proto`, `interned_data.proto` and `debug_annotation.proto`.
"""

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Fields = dict[int, list[Any]]
"""Values of a message by field: numbers, or bytes."""


def fields(data: bytes) -> Fields:
    """A message's fields (protobuf.dev, Encoding)."""
    found: Fields = defaultdict(list)
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
            case 1:
                value, at = data[at : at + 8], at + 8
            case 2:
                length, at = _varint(data, at)
                value, at = data[at : at + length], at + length
            case kind:
                raise ValueError(f"wire type {kind}")
        found[key >> 3].append(value)
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


@dataclass
class Track:
    """A track with its events in the order of the file."""

    path: tuple[str, ...]
    """Names of the groups that it is in, and its own."""
    rank: int | None
    unit: str | None
    slices: list["Event"] = field(default_factory=list)
    instants: list["Event"] = field(default_factory=list)
    values: list[tuple[int, float]] = field(default_factory=list)


@dataclass
class Event:
    """A slice or an instant."""

    begin: int
    name: str
    notes: dict[str, int | str]
    leaving: list[int]
    """Arrows that begin here."""
    arriving: list[int]
    end: int | None = None


def read(file: Path) -> list[Track]:
    """The tracks of a trace, in the order in which they are described.

    Raises:
        AssertionError: it breaks a rule of the format.
    """
    tracks: dict[int, Track] = {}
    texts: dict[int, dict[int, str]] = {2: {}, 3: {}, 29: {}}
    open_slices: dict[int, Event] = {}
    last = 0
    for number, packet in enumerate(_packets(file)):
        assert packet[10] == [1], "one sequence"
        assert packet[13] == [2 if number else 1], "interned from the first on"
        for interned in packet[12]:
            for place, entries in fields(interned).items():
                for entry in map(fields, entries):
                    (iid,), (text,) = entry[1], entry[2]
                    assert iid not in texts[place]
                    texts[place][iid] = text.decode()
        for descriptor in map(fields, packet[60]):
            (uuid,) = descriptor[1]
            assert uuid not in tracks
            parents = tracks[descriptor[5][0]].path if descriptor[5] else ()
            unit = [fields(counter)[6][0].decode() for counter in descriptor[8]]
            tracks[uuid] = Track(
                (*parents, descriptor[2][0].decode()),
                next(iter(descriptor[12]), None),
                next(iter(unit), None),
            )
        for event in map(fields, packet[11]):
            (time,), (uuid,), (kind,) = packet[8], event[11], event[9]
            assert time >= last, "in the order of time"
            last = time
            track = tracks[uuid]
            if kind == 1:
                assert uuid not in open_slices, f"overlap on {track.path}"
                open_slices[uuid] = _event(time, event, texts)
                track.slices.append(open_slices[uuid])
            elif kind == 2:
                open_slices.pop(uuid).end = time
            elif kind == 3:
                track.instants.append(_event(time, event, texts))
            else:
                assert kind == 4
                assert track.unit is not None, "a counter"
                (value,) = event[30] or [struct.unpack("<d", real)[0] for real in event[44]]
                track.values.append((time, value))
    assert not open_slices
    return list(tracks.values())


def _packets(file: Path) -> Iterator[Fields]:
    trace = fields(file.read_bytes())
    assert set(trace) == {1}
    return map(fields, trace[1])


def _event(time: int, event: Fields, texts: dict[int, dict[int, str]]) -> Event:
    notes = {}
    for note in map(fields, event[4]):
        (key,) = note[1]
        notes[texts[3][key]] = note[3][0] if note[3] else texts[29][note[17][0]]
    leaving, arriving = ([int.from_bytes(n, "little") for n in event[key]] for key in (47, 48))
    return Event(time, texts[2][event[10][0]], notes, leaving, arriving)
