"""The wire's arithmetic: when a packet that enters comes out, and which are lost.

Nothing here waits or knows of the kernel; times are integers in ns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import Enum

NS = 1_000_000_000


class Fate(Enum):
    """What becomes of a packet that enters the wire; the values are the words of a recording."""

    ARRIVES = ""
    LOST = "lost"
    """It was one of those that were to be lost."""
    FULL = "full"
    """The buffer had no room."""
    DARK = "dark"
    """It entered during a blackout."""


class Line:
    """One direction of a wire: a buffer that drops the newest, a transmitter and a delay.

    A packet waits in the buffer until its transmission begins, so the buffer holds `buffer`
    packets besides the one that is being sent.
    """

    def __init__(self, rate_bps: int | None, delay_ns: int, buffer: int | None = None) -> None:
        self._rate = rate_bps
        """None sends a packet in no time."""
        self._delay = delay_ns
        self._buffer = buffer
        self._free_at = 0
        self._starts: deque[int] = deque()
        """When the transmissions of waiting packets begin."""

    def enter(self, now: int, size: int) -> int | None:
        """When a packet of `size` bytes that enters now comes out; None if the buffer is full."""
        if self._rate is None:
            return now + self._delay
        while self._starts and self._starts[0] <= now:
            self._starts.popleft()
        start = now
        if self._free_at > now:
            if self._buffer is not None and len(self._starts) >= self._buffer:
                return None
            start = self._free_at
            self._starts.append(start)
        self._free_at = start + size * 8 * NS // self._rate
        return self._free_at + self._delay


class Losses:
    """Which packets of one direction are lost, by their number from 1.

    `again[n]` loses the packet that the n-th carried that many more times: its retransmissions.
    """

    def __init__(self, numbers: Sequence[int], again: dict[int, int] | None = None) -> None:
        self._numbers = set(numbers)
        self._again = again or {}
        self._left: dict[int, int] = {}
        self.count = 0
        self.lost: list[int] = []
        """The numbers of those that were lost."""

    def next_is_lost(self, sequence: int) -> bool:
        """Count a packet of this sequence number; whether it is lost."""
        self.count += 1
        lost = self.count in self._numbers
        if self.count in self._again:
            lost = True
            self._left[sequence] = self._again[self.count]
        elif self._left.get(sequence, 0) > 0:
            lost = True
            self._left[sequence] -= 1
        if lost:
            self.lost.append(self.count)
        return lost


def dark(now: int, blackouts: Sequence[tuple[int, int]]) -> bool:
    """Whether `now` is in one of the blackouts, each from its first time until before its last."""
    return any(begin <= now < end for begin, end in blackouts)


def drawn(seed: int, share: float, packets: int) -> tuple[int, ...]:
    """Which of so many packets are lost at random: a rule that any program can follow.

    Packet n is lost if SplitMix64's output for the state `(seed << 32 | n)` is below `share` of
    2**64.
    """
    limit = int(share * 2**64)
    return tuple(n for n in range(1, packets + 1) if split_mix(seed << 32 | n) < limit)


def split_mix(state: int) -> int:
    """The output of SplitMix64 (Steele, Lea and Flood, 2014) that follows a state."""
    mask = 2**64 - 1
    mixed = (state + 0x9E3779B97F4A7C15) & mask
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & mask
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & mask
    return mixed ^ mixed >> 31
