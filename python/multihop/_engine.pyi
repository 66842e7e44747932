from collections.abc import Callable
from pathlib import Path
from typing import Literal

version: str
build: str

class Record:
    def blocks(self) -> list[list[tuple[str, str, bytes]]]: ...
    def write_perfetto(self, path: Path) -> None: ...

class Window:
    def __init__(self, cwnd: float = 1, ssthresh: float = ..., limit: int = 1_000_000) -> None: ...
    cwnd: float
    """Congestion window [segments]."""
    ssthresh: float
    """Slow-start threshold [segments], whole; 2**32 - 1 if there is none."""
    @property
    def limit(self) -> int:
        """The receiver's window [segments]."""
    @property
    def is_in_slow_start(self) -> bool:
        """Whether the window is below the slow-start threshold."""
    def grow(self, segments: int) -> None:
        """Grow for an acknowledgment of `segments` (RFC 5681 section 3.1)."""
    def halve(self, in_flight: int) -> None:
        """Halve what is in use after a loss (RFC 5681 section 3.2)."""
    def collapse(self, in_flight: int) -> None:
        """One segment, half of what is in use as threshold (RFC 5681 section 3.1)."""

class Ack:
    def __init__(
        self,
        *,
        now_s: float = 0,
        rtt_s: float | None = None,
        smoothed_rtt_s: float | None = None,
        min_rtt_s: float | None = None,
        delivered: int = 1,
        delivered_total: int = 1,
        in_flight: int = 0,
        duplicates: int = 0,
    ) -> None: ...
    @property
    def now_s(self) -> float:
        """When it arrived."""
    @property
    def rtt_s(self) -> float | None:
        """Round trip of the segment that it answers, unless a retransmission makes it ambiguous."""
    @property
    def smoothed_rtt_s(self) -> float | None:
        """Smoothed round trip, this one included."""
    @property
    def min_rtt_s(self) -> float | None:
        """Shortest round trip so far."""
    @property
    def delivered(self) -> int:
        """Segments newly acknowledged."""
    @property
    def delivered_total(self) -> int:
        """Segments acknowledged so far, the SYN included."""
    @property
    def in_flight(self) -> int:
        """Segments still in flight."""
    @property
    def duplicates(self) -> int:
        """Duplicates counted, this one included."""
    @property
    def limited_by(self) -> Literal["window", "receiver", "application", "pacing"]:
        """What kept the sender from having more in flight."""

class Loss:
    def __init__(self, *, now_s: float = 0, in_flight: int = 1, duplicates: int = 0) -> None: ...
    @property
    def now_s(self) -> float:
        """When it was noticed."""
    @property
    def in_flight(self) -> int:
        """Segments sent and not acknowledged."""
    @property
    def duplicates(self) -> int:
        """Duplicates that showed it; 0 at a timeout or for a mark."""

class Sent:
    @property
    def now_s(self) -> float:
        """When it leaves."""
    @property
    def number(self) -> int:
        """Its number; 0 is the SYN."""
    @property
    def retransmission(self) -> bool:
        """Whether it was sent before."""
    @property
    def in_flight(self) -> int:
        """Segments in flight before it."""

def run(
    text: str,
    overrides: str,
    *,
    syntax: str,
    recording: str,
    events: str | None = None,
    rows: bool = True,
    pcap: str | None = None,
    seed: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[str, Record | None]: ...
def resolve(text: str, overrides: str, *, syntax: str) -> str: ...
def movement(text: str, overrides: str, *, syntax: str, seed: int | None = None) -> str: ...
def load(
    text: str, overrides: str, *, syntax: str, seed: int | None = None
) -> tuple[int, int, int, float] | None: ...
def schema() -> str: ...
def result_schema() -> str: ...
def recording_schema() -> str: ...
def event_columns() -> list[tuple[str, str, list[tuple[str, str]] | None]]: ...
def check_toml(text: str) -> None: ...
def line_of(text: str, key: str) -> int | None: ...
def schemes() -> list[tuple[str, str]]: ...
def scheme_overrides(name: str) -> list[tuple[str, str]] | None: ...
