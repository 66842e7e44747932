"""The record of events of a run: which to record, and their data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

Block = list[tuple[str, str, bytes]]
"""Rows as the engine gives them, by column: name, numpy's type, values."""

NONE = 2**32 - 1
"""What the engine puts where a whole number is missing."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Which events to record: all of them by default."""

    from_s: float = 0.0
    """First instant [s]."""
    to_s: float | None = None
    """The instant before which events are recorded [s]; the end where absent."""
    nodes: tuple[int, ...] = ()
    """Only events at these nodes, and transmissions to them; all where empty."""
    flows: tuple[int, ...] = ()
    """Only events of these flows, and those of no flow, as routing's; all where empty."""

    @staticmethod
    def of(asked: Mapping[str, Any]) -> Watch:
        """The one that asks for this."""
        lists = {name: tuple(asked.get(name, ())) for name in ("nodes", "flows")}
        return Watch(asked.get("from_s", 0.0), asked.get("to_s"), **lists)

    def asked(self) -> dict[str, Any]:
        """The same as the engine takes it."""
        return asdict(self)

    def kept(self, events: pl.DataFrame) -> pl.DataFrame:
        """Those of recorded events that it would have recorded."""
        import polars as pl

        time_s = pl.col("time_ns") / 1e9
        wanted = time_s >= self.from_s
        if self.to_s is not None:
            wanted &= time_s < self.to_s
        if self.nodes:
            to_them = (pl.col("event") == "transmit") & pl.col("peer").is_in(self.nodes)
            wanted &= pl.col("node").is_in(self.nodes) | to_them
        if self.flows:
            wanted &= pl.col("flow").is_null() | pl.col("flow").is_in(self.flows)
        return events.filter(wanted)


@dataclass(frozen=True, slots=True)
class Passage:
    """What has happened in a part of a run that goes on."""

    until_s: float
    """Until when the network has come [s]; events of the last milliseconds may be in the next."""
    events: pl.DataFrame
    """As `Result.events`."""
    flows: list[dict[str, Any]]
    """All flows so far, as those of a result, of what they are and have delivered."""


def frame(blocks: Iterable[Block], words: dict[str, list[str]]) -> pl.DataFrame:
    """The data frame of a record; what is missing is null.

    Args:
        blocks: as the engine gives them.
        words: of each column of words, what its values stand for; a first empty one is null.
    """
    import polars as pl

    return pl.concat(
        pl.DataFrame([_series(*column, words.get(column[0])) for column in block])
        for block in blocks
    )


def _series(name: str, kind: str, data: bytes, words: list[str] | None) -> pl.Series:
    import numpy as np
    import polars as pl

    values = pl.Series(name, np.frombuffer(data, dtype=kind))
    if words is not None:
        # The first word is empty where it stands for none.
        known = pl.Enum([word for word in words if word])
        return pl.Series(name, [word or None for word in words], dtype=known).gather(values)
    if kind == "<u4":
        return values.set(values == NONE, None)
    if kind == "<f4":
        return values.fill_nan(None)
    return values.cast(pl.Int64)
