"""How long flows that have a route go without a delivery."""

from __future__ import annotations

import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

_LOST = ("discovery", "route-error")


def _turns(events: pl.DataFrame, here: int, there: int, flow: int) -> pl.DataFrame:
    """When `here` loses its way to `there`, and when it next sends a packet of the flow on one.

    A node has lost it once it looks for a route or learns that its route is broken.
    """
    lost = pl.col("event").is_in(_LOST) & (pl.col("peer") == there)
    sent = (pl.col("event") == "route") & (pl.col("flow") == flow) & (pl.col("origin") == here)
    return events.filter(pl.col("node") == here, lost | sent).select(
        "time_ns", has=pl.col("event") == "route", here=pl.lit(here)
    )


def longest_s(events: pl.DataFrame, run: RunResult, flow: int) -> float | None:
    """The longest time without a delivery in which both ends of a flow had a route throughout.

    None for a flow whose source never had one. The destination has one until it has to look for it.
    """
    ends = run["flows"][flow]
    source, target = ends["source"], ends["destination"]
    delivered = events.filter(
        pl.col("event") == "deliver", pl.col("flow") == flow, pl.col("node") == target
    ).select("time_ns", has=pl.lit(None, pl.Boolean), here=pl.lit(target))
    turns = pl.concat(
        [_turns(events, source, target, flow), _turns(events, target, source, flow), delivered]
    ).sort("time_ns", maintain_order=True)
    last = round(ends["stop_s"] * 1e9)
    without = {source}
    since, longest = 0, None
    for time_ns, has, here in [*turns.iter_rows(), (last, None, target)]:
        if time_ns > last:
            break
        if not without:
            longest = max(longest or 0, time_ns - since)
        if has is None or without:
            since = time_ns
        if has:
            without.discard(here)
        elif has is False:
            without.add(here)
    return None if longest is None else longest / 1e9


def _mean(events: pl.DataFrame, run: RunResult) -> tuple[float | None]:
    found = [longest_s(events, run, flow) for flow in range(len(run["flows"]))]
    known = [each for each in found if each is not None]
    return (sum(known) / len(known) if known else None,)


OBSERVER = Observer(
    (
        Observation("starved_with_route_s", "s",
                    "Longest time without a delivery in which both ends of a flow have a route, "
                    "mean over the flows that ever had one."),
    ),
    _mean,
)  # fmt: skip
