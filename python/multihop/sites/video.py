"""A video that is sent as it is made, and a player's buffer.

The server writes it to a TCP connection at its rate. The player begins when three segments have
arrived (RFC 8216, section 6.3.3, for live streams), stalls when it has played all that arrived, and
goes on after one segment more. It never leaves anything out, nor takes a lower rate where the
network is slow. `film.py` is what is fetched ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

RATE_BPS = 3e6
SEGMENT_S = 2.0
BEGINS_AFTER = 3
"""So many segments."""
STEP_S = 0.1
"""At which what arrived is recorded."""
_MESSAGES_PER_S = 6


def flow(server: int, viewer: int, start_s: float) -> dict[str, Any]:
    """The video as a flow of a scenario, to the end of the run."""
    return {
        "kind": "on-off", "over": "tcp", "source": server, "destination": viewer,
        "packet_bytes": int(RATE_BPS / 8 / _MESSAGES_PER_S), "rate_bps": RATE_BPS,
        "on_s": 1e6, "off_s": 1.0, "start_s": start_s,
    }  # fmt: skip


def played(arrived: Sequence[tuple[float, float]], start_s: float, stop_s: float) -> float | None:
    """The share of the time from the earliest possible begin on in which it plays.

    Args:
        arrived: times [s], and what arrived on the mean since the one before [bit/s].
        start_s: when the server begins.
        stop_s: the end.

    Returns:
        One less the share of rebuffering, a late begin included; None if there is no time for it.
    """
    first_s = BEGINS_AFTER * SEGMENT_S
    span_s = stop_s - start_s - first_s
    if span_s <= 0:
        return None
    there_s = shown_s = 0.0  # of video
    wanted_s, before_s = first_s, start_s  # what has to be there to begin or to go on
    for time_s, rate_bps in arrived:
        step_s = time_s - before_s
        if step_s <= 0:
            continue
        before_s = time_s
        if there_s - shown_s >= wanted_s:
            wanted_s = 0.0
            shown_s = min(shown_s + step_s, there_s)
            if shown_s >= there_s:
                wanted_s = SEGMENT_S
        there_s += rate_bps * step_s / RATE_BPS
    return min(1.0, shown_s / span_s)
