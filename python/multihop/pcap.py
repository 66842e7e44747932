"""Packet captures of runs, for Wireshark and tshark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop.events import Watch

SNAP_BYTES = 256
"""What is kept of a frame unless asked otherwise [bytes]: all headers, as a rule."""

DISSECTOR = Path(__file__).parent / "dissectors" / "multihop.lua"
"""Wireshark's plug-in for the fields that routing schemes add."""


@dataclass(frozen=True, slots=True)
class Pcap:
    """A packet capture of a run, in the pcapng format."""

    path: str | Path
    """The file to be written."""
    watch: Watch = field(default_factory=Watch)
    """Which frames."""
    snap_bytes: int | None = SNAP_BYTES
    """What is kept of each frame [bytes]; all of it where none."""

    def asked(self) -> dict[str, Any]:
        """What is to be recorded, as the engine takes it."""
        return {**self.watch.asked(), "snap_bytes": self.snap_bytes or 0}
