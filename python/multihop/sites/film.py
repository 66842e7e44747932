"""A film that is fetched ahead, in chunks, up to a player's buffer.

The server sends chunks of `SEGMENT_S` over one TCP connection: at once as much as the buffer holds,
then one each time that one has been played, as `film.csv` says. The player begins when so many are
there as `video.BEGINS_AFTER`, within `SOON_S` or it does not count as playing; it goes on after a
stall with the next chunk, and never changes the rate. As chunks follow the clock and not requests,
the buffer holds what it took to begin and what was stalled in addition, and no round trip is lost
between chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop.sites.video import BEGINS_AFTER, RATE_BPS, SEGMENT_S

BUFFER_S = 30.0
SOON_S = 10.0
"""A film that begins later does not play (assumed)."""
LONGEST_S = 900.0
CHUNKS = Path(__file__).with_name("film.csv")
"""When each chunk is sent, and its bytes."""


def chunks() -> str:
    """The table that `film.csv` is."""
    size, ahead = int(RATE_BPS * SEGMENT_S / 8), int(BUFFER_S / SEGMENT_S)
    later = int(LONGEST_S / SEGMENT_S)
    times_s = [0.0] * ahead + [k * SEGMENT_S for k in range(1, later + 1)]
    return "time_s,bytes\n" + "".join(f"{time_s:g},{size}\n" for time_s in times_s)


def flow(server: int, viewer: int, start_s: float) -> dict[str, Any]:
    """The film as a flow of a scenario, to the end of the run."""
    return {
        "kind": "trace", "over": "tcp", "file": str(CHUNKS),
        "source": server, "destination": viewer, "start_s": start_s,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Watched:
    """How a film went."""

    begins_after_s: float | None
    """None if it did not begin."""
    stalls: int
    stalled_s: float

    @property
    def plays(self) -> bool:
        """It begins soon and never stalls."""
        return self.begins_after_s is not None and self.begins_after_s <= SOON_S and not self.stalls


def watched(arrived_s: Sequence[float | None], start_s: float, stop_s: float) -> Watched | None:
    """Play what arrived.

    Args:
        arrived_s: when each chunk was complete [s], in their order; None if it never was.
        start_s: when the viewer asks.
        stop_s: the end.

    Returns:
        None if there is no time for a begin that is soon.
    """
    if stop_s - start_s < SOON_S:
        return None
    first_s = arrived_s[BEGINS_AFTER - 1] if len(arrived_s) >= BEGINS_AFTER else None
    if first_s is None:
        return Watched(None, 0, 0.0)
    shown_to_s, stalls, stalled_s = first_s, 0, 0.0
    for there_s in arrived_s:
        if shown_to_s >= stop_s:
            break
        if there_s is None or there_s > shown_to_s:
            goes_on_s = stop_s if there_s is None else min(there_s, stop_s)
            stalls += 1
            stalled_s += goes_on_s - shown_to_s
            shown_to_s = goes_on_s
        shown_to_s += SEGMENT_S
    return Watched(first_s - start_s, stalls, stalled_s)
