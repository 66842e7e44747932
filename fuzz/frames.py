"""Ethernet frames that programs of an emulation send, whatever is in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fuzz.judge import Finding
from multihop import engine
from multihop.events import Watch
from multihop.pcap import Pcap

NODES = 4
ROUTINGS = ("static", "aodv", "none")
SCENARIO = """\
duration_s = 1
topology = {{ kind = "chain", hops = 3 }}
routing = {{ scheme = "{}" }}
"""
MOST_FRAMES = 64

# Below 128: others would come as UTF-8.
WORDS = [
    "\x02\x00\x00\x00\x00\x00", "\x02\x00\x00\x00\x00\x01", "33", "\x01\x00^",
    "\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01", "\x08\x00E\x00", "`\x00\x00\x00",
    "\n\x00\x00\x02", "\x0e\x09", "\x09\x0e", "\x11", "\x06", "\x00:", "\x3b", "\x02",
]  # fmt: skip


def frames(data: bytes, folder: Path) -> None:
    """Frames, each with a node and a length before it, over three kinds of routing.

    Raises:
        Finding: the engine failed, or a frame is not accounted for.
    """
    sent = [*split(data)]
    for routing in ROUTINGS:
        file = folder / f"{routing}.pcapng"
        emulation = engine.emulation(
            SCENARIO.format(routing), watch=Watch(), pcap=Pcap(file, Watch(), None)
        )
        try:
            counts, result = emulation.carry(sent, pcap=str(file))
        except RuntimeError as error:
            raise Finding(f"{routing}: {error}") from error
        taken = sum(count for kind, count in counts.items() if kind != "delivered")
        # An answer is sent back, and counted again.
        if taken != len(sent) + counts["answered"]:
            raise Finding(f"{routing}: {len(sent)} frames, {counts}")
        if sum(flow["sent_segments"] for flow in result["flows"]) != counts["sent"]:
            raise Finding(f"{routing}: {counts}, {result['flows']}")


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The frames in an input: a byte for the node, two for the length, and so many bytes."""
    at = 0
    for _ in range(MOST_FRAMES):
        if at + 3 > len(data):
            return
        length = int.from_bytes(data[at + 1 : at + 3])
        yield data[at] % NODES, data[at + 3 : at + 3 + length]
        at += 3 + length
