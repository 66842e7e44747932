"""What the links of a run carried and lost."""

from __future__ import annotations

from typing import Any

import polars as pl

from multihop.results import Result

_ASKING = ("rts", "data", "ethernet")
"""Frames that go from one node to another with something to send."""


def links(result: Result) -> list[dict[str, Any]]:
    """By pair of nodes the data frames a second, the share of time, and the share lost.

    A data frame, or the RTS before one, is lost if its receiver does not get it: of what was
    asked for on the air `loss` is the share that was not heard.
    """
    events, duration_s = result.events, float(result.scenario["duration_s"])
    sent = events.filter(
        (pl.col("event") == "transmit") & pl.col("peer").is_not_null()
        & pl.col("kind").cast(pl.String).is_in(_ASKING)
    ).select("frame", "node", "peer", "kind", "airtime_ns")  # fmt: skip
    got = events.filter(pl.col("event") == "receive").select("frame", hearer="node")
    heard = sent.join(got, left_on=["frame", "peer"], right_on=["frame", "hearer"], how="semi")
    counted = sent.with_columns(got=pl.col("frame").is_in(heard["frame"].implode()))
    found = counted.group_by("node", "peer").agg(
        frames=pl.len(),
        data=pl.col("kind").cast(pl.String).is_in(["data", "ethernet"]).sum(),
        lost=(~pl.col("got")).mean(),
        share=pl.col("airtime_ns").sum() / (duration_s * 1e9),
    )
    return [
        {
            "from": row["node"], "to": row["peer"], "frames_per_s": row["frames"] / duration_s,
            "data_per_s": row["data"] / duration_s, "share": row["share"], "loss": row["lost"],
        }
        for row in found.sort("node", "peer").iter_rows(named=True)
    ]  # fmt: skip
