"""When a flow was silent: nothing new was delivered in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from multihop.result_types import FlowReport
from multihop.results import is_udp

SHORTEST_S = 0.25
"""No shorter gap is a silence: the shortest timeout that schemes here use is 0.2 s."""
LONGEST_S = 1.0
"""A longer gap always is: the shortest timeout of RFC 6298, 2.4."""
GAPS = 10
"""In between, so many of the flow's median gaps are."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A silence, and the number of the segment that ended it or, at the end, would have.

    Of a flow of datagrams, any of which ends it, the number is that of the one that did, or -1.
    """

    from_ns: int
    to_ns: int
    awaited: int


def in_order(events: pl.DataFrame, *, ordered: bool, first_number: int = 0) -> pl.DataFrame:
    """When each new segment was delivered in order: `number`, `at_ns`, by time.

    A segment is delivered in order once it and all before it have arrived. The order of datagrams
    does not matter. `events` are `deliver` rows of one flow's data, and `first_number` is that of
    the first segment that they could tell of.
    """
    first = events.group_by("number").agg(at_ns=pl.col("time_ns").min()).sort("number")
    if not ordered:
        return first.sort("at_ns")
    first = first.filter(pl.col("number") >= first_number)
    wanted = np.arange(first_number, first_number + first.height)
    whole = pl.Series("number", wanted, dtype=first.schema["number"])
    complete = first.filter(first["number"] == whole)
    return complete.with_columns(pl.col("at_ns").cum_max())


def find(
    flow: FlowReport, deliveries: pl.DataFrame, end_ns: int, first_number: int = 0
) -> list[Gap]:
    """The silences of a flow from its start to its stop.

    Args:
        flow: the flow's report.
        deliveries: as `in_order` gives them.
        end_ns: the end of the run.
        first_number: of the first segment that they could tell of.
    """
    start, stop = round(flow["start_s"] * 1e9), min(end_ns, round(flow["stop_s"] * 1e9))
    at = deliveries["at_ns"].to_numpy()
    numbers = deliveries["number"].cast(pl.Int64).to_numpy()
    inside = (at >= start) & (at <= stop)
    times = np.concatenate([[start], at[inside], [stop]])
    if is_udp(flow):
        following = [*numbers[at > stop][:1], -1][:1]
    else:
        following = [first_number + int(inside.sum())]
    awaited = np.concatenate([numbers[inside], following])
    gaps = np.diff(times)
    shortest = threshold_s(gaps[1:-1] / 1e9) * 1e9
    return [
        Gap(int(times[place]), int(times[place + 1]), int(awaited[place]))
        for place in np.flatnonzero(gaps > shortest)
    ]


def threshold_s(gaps_s: np.ndarray[Any, Any]) -> float:
    """How long a gap between deliveries has to be to be a silence of a flow with these [s]."""
    between = gaps_s[gaps_s > 0]
    typical = float(np.median(between)) if len(between) else LONGEST_S
    return min(max(GAPS * typical, SHORTEST_S), LONGEST_S)
