"""The fields of an IPv4 packet that carries TCP."""

from __future__ import annotations

import struct
from dataclasses import dataclass

FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16

_TCP = struct.Struct("!HHIIBBHHH")
_PAIR = struct.Struct("!II")
_END, _PAD, _MSS, _SCALE, _SACK_ALLOWED, _SACK, _TIMESTAMPS = 0, 1, 2, 3, 4, 5, 8


@dataclass(frozen=True)
class Segment:
    """A TCP segment as its header has it: nothing is scaled or made relative."""

    sequence: int
    acknowledgment: int
    flags: int
    window: int
    payload: int
    """Bytes of data."""
    size: int
    """Bytes of the IP packet."""
    sack: tuple[tuple[int, int], ...] = ()
    timestamp: tuple[int, int] | None = None
    """Value and echo reply."""
    mss: int | None = None
    scale: int | None = None
    sack_allowed: bool = False


def parse(packet: bytes, size: int | None = None) -> Segment:
    """The segment of a packet, of which only the headers need be there if `size` is given."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        raise ValueError("not an IPv4 packet that carries TCP")
    start = (packet[0] & 15) * 4
    _, _, sequence, acknowledgment, offset, flags, window, _, _ = _TCP.unpack_from(packet, start)
    data = start + (offset >> 4) * 4
    if len(packet) < data:
        raise ValueError("the packet ends within its headers")
    size = len(packet) if size is None else size
    sack: tuple[tuple[int, int], ...] = ()
    timestamp = mss = scale = None
    sack_allowed = False
    place = start + _TCP.size
    while place < data:
        kind = packet[place]
        if kind == _END:
            break
        if kind == _PAD:
            place += 1
            continue
        length = packet[place + 1] if place + 1 < data else 0
        if length < 2 or place + length > data:
            raise ValueError(f"option {kind} has no proper length")
        value = packet[place + 2 : place + length]
        if kind == _MSS:
            mss = int.from_bytes(value)
        elif kind == _SCALE:
            scale = value[0]
        elif kind == _SACK_ALLOWED:
            sack_allowed = True
        elif kind == _SACK:
            sack = tuple(_PAIR.iter_unpack(value))
        elif kind == _TIMESTAMPS:
            timestamp = _PAIR.unpack(value)
        place += length
    return Segment(
        sequence, acknowledgment, flags, window, size - data, size,
        sack, timestamp, mss, scale, sack_allowed,
    )  # fmt: skip


def payload_and_sequence(packet: bytes) -> tuple[int, int]:
    """Bytes of data, and the sequence number: all that the wire wants to know at once."""
    start = (packet[0] & 15) * 4
    payload = len(packet) - start - (packet[start + 12] >> 4) * 4
    return payload, int.from_bytes(packet[start + 4 : start + 8])
