"""How long packets wait at relays for the medium, by what they carry."""

from __future__ import annotations

import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

_TURN = ["node", "packet", "turn"]


def access_delays(events: pl.DataFrame) -> pl.DataFrame:
    """Each time that a relay's MAC took a packet of TCP.

    Columns: `node`, `packet`, `turn` (how many times this node has taken it), `content`, `delay_s`
    from then until the last frame with it begins, or until the MAC gives up.
    """
    carries = (pl.col("event") == "transmit") & (pl.col("kind") == "data")
    ends = carries | (pl.col("event") == "give-up")
    takes = pl.col("event") == "serve"
    return (
        events.filter(
            takes | ends,
            pl.col("content").is_in(["tcp-data", "tcp-ack"]),
            pl.col("node") != pl.col("origin"),
        )
        .with_columns(takes.cum_sum().over("node", "packet").alias("turn"))
        .group_by(_TURN, maintain_order=True)
        .agg(
            pl.col("content").first(),
            delay_s=(pl.col("time_ns").filter(ends).max() - pl.col("time_ns").filter(takes).min())
            / 1e9,
        )
        .drop_nulls("delay_s")
    )


def _means(events: pl.DataFrame, _run: RunResult) -> list[float | None]:
    delays = access_delays(events)
    found = (
        delays.filter(pl.col("content") == content)["delay_s"].mean()
        for content in ("tcp-data", "tcp-ack")
    )
    return [mean if isinstance(mean, float) else None for mean in found]


_FROM_TO = "From when a relay's MAC takes {} until it last sends it or gives up, mean."

OBSERVER = Observer(
    (
        Observation("data_access_delay_s", "s", _FROM_TO.format("a data segment")),
        Observation("ack_access_delay_s", "s", _FROM_TO.format("an acknowledgment of TCP")),
    ),
    _means,
)
