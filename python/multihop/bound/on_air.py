"""What a run's stations sent, held and waited for, as spans of time: read from its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from multihop.bound.network import Mask, Network

Numbers = NDArray[np.int64]

_TRANSPORTED = ("tcp-data", "tcp-ack", "udp")
_JOURNEYS_S = 50e-6
"""What the answers before a data frame may take besides SIFS and their air time."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of time, each of one station, link or flow, by its place."""

    places: Numbers
    from_ns: Numbers
    to_ns: Numbers

    def those(self, which: Mask) -> Spans:
        """Some of them."""
        return Spans(self.places[which], self.from_ns[which], self.to_ns[which])

    def at(self, instants: Numbers, places: int) -> Mask:
        """Which places have one at each instant, a row for each place."""
        begun = np.zeros((places, len(instants) + 1), dtype=np.int16)
        np.add.at(begun, (self.places, np.searchsorted(instants, self.from_ns)), 1)
        np.add.at(begun, (self.places, np.searchsorted(instants, self.to_ns)), -1)
        found: Mask = begun.cumsum(axis=1, dtype=np.int16)[:, :-1] > 0
        return found


@dataclass(frozen=True, slots=True)
class Exchanges:
    """Those whose data frame arrived, one in each row."""

    senders: Numbers
    receivers: Numbers
    from_ns: Numbers
    """Start of the RTS, or of the data frame where none was sent."""
    data_ns: Numbers
    """Start of the data frame."""
    to_ns: Numbers
    """End of the data frame."""
    packets: Numbers
    contents: NDArray[np.str_]

    @property
    def is_transported(self) -> Mask:
        """The packet is a flow's."""
        found: Mask = np.isin(self.contents, _TRANSPORTED)
        return found


class OnAir:
    """The stations of one run of a network whose nodes do not move."""

    def __init__(self, events: pl.DataFrame, network: Network) -> None:
        self._events = events
        self._spaces = network.kinds[0]

    def rows(self, event: str, *columns: str) -> pl.DataFrame:
        """The time and these columns of each such event."""
        chosen = self._events.filter(pl.col("event") == event)
        return chosen.select(
            pl.col("time_ns"),
            *(
                pl.col(name).cast(pl.String).fill_null("")
                if name in ("kind", "content", "state")
                else pl.col(name).cast(pl.Int64)
                for name in columns
            ),
        )

    @cached_property
    def tries(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """All frames but the MAC's acknowledgments; whether what they were sent for arrived."""
        sent = self.rows(
            "transmit", "node", "peer", "kind", "frame", "packet", "content", "airtime_ns"
        )
        arrived = self.rows("receive", "kind", "frame").filter(pl.col("kind") == "data")
        # Of slots only data frames are of one try; what settles whose a slot is serves all.
        of_tries = ~pl.col("kind").is_in(["ack", "block-ack"])
        if self._spaces.is_slotted:
            of_tries = pl.col("kind") == "data"
        sent = sent.filter(of_tries).join(
            arrived.select("frame", arrived=pl.lit(value=True)), on="frame", how="left"
        )
        data = sent.filter((pl.col("kind") == "data") & pl.col("peer").is_not_null())
        spaces = self._spaces
        answered_ns = round(1e9 * (2 * spaces.sifs_s + spaces.cts_s + _JOURNEYS_S))
        asked = (
            sent.filter(pl.col("kind") == "rts")
            .select("node", "peer", rts_ns="time_ns", rts_frame="frame", of_ns="airtime_ns")
            .sort("rts_ns")
        )
        data = data.sort("time_ns").join_asof(
            asked,
            left_on="time_ns",
            right_on="rts_ns",
            by=["node", "peer"],
            strategy="backward",
            check_sortedness=False,
        )
        is_after = pl.col("time_ns") - pl.col("rts_ns") - pl.col("of_ns") <= answered_ns
        return sent, data.with_columns(
            rts_ns=pl.when(is_after).then("rts_ns"), rts_frame=pl.when(is_after).then("rts_frame")
        )

    @cached_property
    def exchanges(self) -> Exchanges:
        """Those whose data frame arrived."""
        _, data = self.tries
        done = data.filter(pl.col("arrived"))
        start_ns = done["time_ns"].to_numpy()
        return Exchanges(
            done["node"].to_numpy(),
            done["peer"].to_numpy(),
            done["rts_ns"].fill_null(done["time_ns"]).to_numpy(),
            start_ns,
            start_ns + done["airtime_ns"].to_numpy(),
            done["packet"].fill_null(-1).to_numpy(),
            done["content"].to_numpy().astype(str),
        )

    @cached_property
    def broadcasts(self) -> Spans:
        """Frames to all, of each station."""
        sent, _ = self.tries
        return _spans(sent.filter((pl.col("kind") == "data") & pl.col("peer").is_null()))

    @cached_property
    def failures(self) -> Spans:
        """Frames of tries whose data did not arrive, of each station."""
        sent, data = self.tries
        done = data.filter(pl.col("arrived"))
        used = pl.concat([done["frame"], done["rts_frame"].drop_nulls()])
        asked = sent.filter(pl.col("kind") == "rts").select(
            "node", "peer", asked_ns="time_ns", asked="frame"
        )
        rest = sent.filter(~pl.col("frame").is_in(used.implode()), pl.col("peer").is_not_null())
        # A CTS was in vain if the RTS that it answers was.
        answers = (
            rest.filter(pl.col("kind") == "cts")
            .sort("time_ns")
            .join_asof(
                asked.sort("asked_ns"),
                left_on="time_ns",
                right_on="asked_ns",
                by_left=["peer", "node"],
                by_right=["node", "peer"],
                strategy="backward",
                check_sortedness=False,
            )
            .filter(~pl.col("asked").is_in(used.implode()))
        )
        own = rest.filter(pl.col("kind") != "cts")
        return _spans(pl.concat([own, answers.select(own.columns)]))

    @cached_property
    def services(self) -> tuple[Numbers, Spans]:
        """Packets that a MAC has: their next hops, -1 if for all; when, by station."""
        taken = self.rows("serve", "node", "peer")
        ends = pl.concat(
            [
                self.rows("mac", "node", "state").filter(pl.col("state") == "idle").drop("state"),
                self.rows("give-up", "node"),
                taken.select("time_ns", "node"),
            ]
        )
        found = (
            taken.sort("time_ns")
            .with_columns(after_ns=pl.col("time_ns") + 1)
            .join_asof(
                ends.select("node", end_ns="time_ns").sort("end_ns"),
                left_on="after_ns",
                right_on="end_ns",
                by="node",
                strategy="forward",
                check_sortedness=False,
            )
        )
        return to_peers(found)

    @cached_property
    def waits(self) -> tuple[Numbers, Spans]:
        """Packets in an interface queue: their next hops; when, by station."""
        joined = self.rows("enqueue", "node", "peer", "packet").sort("time_ns")
        left = pl.concat(
            [self.rows(event, "node", "packet") for event in ("serve", "queue", "drop")]
        ).sort("time_ns")
        found = joined.join_asof(
            left.select("node", "packet", end_ns="time_ns"),
            left_on="time_ns",
            right_on="end_ns",
            by=["node", "packet"],
            strategy="forward",
            check_sortedness=False,
        )
        return to_peers(found)

    def hindrances(
        self, common: dict[str, Mask], heard: Callable[[Spans], Mask], times_ns: Numbers
    ) -> dict[str, Mask]:
        """What keeps stations from sending, in the order in which one precedes another.

        Args:
            common: what there is under any access, a row for each station.
            heard: at which instants each station senses one of some stations that are in a span.
            times_ns: the instants.
        """
        return common

    @cached_property
    def under_way(self) -> Spans:
        """Packets of each flow from when they are sent until they arrive or are dropped."""
        seen = self._events.filter(
            pl.col("packet").is_not_null()
            & pl.col("flow").is_not_null()
            & pl.col("content").cast(pl.String).is_in(_TRANSPORTED)
        )
        lives = seen.group_by("packet", "flow").agg(
            first=pl.col("time_ns").min(), last=pl.col("time_ns").max()
        )
        return Spans(
            lives["flow"].cast(pl.Int64).to_numpy(),
            lives["first"].to_numpy(),
            lives["last"].to_numpy(),
        )

    @cached_property
    def first_arrivals(self) -> Numbers:
        """Packets with data of a flow that had not arrived before."""
        arrived = self._events.filter(
            (pl.col("event") == "deliver")
            & pl.col("content").cast(pl.String).is_in(["tcp-data", "udp"])
        )
        first = arrived.unique(["flow", "number"], keep="first", maintain_order=True)
        return first["packet"].cast(pl.Int64).to_numpy()


def _spans(frames: pl.DataFrame) -> Spans:
    """When frames are on the air, of each station."""
    start_ns = frames["time_ns"].to_numpy()
    airtime_ns = frames["airtime_ns"].fill_null(0).to_numpy()
    return Spans(frames["node"].to_numpy(), start_ns, start_ns + airtime_ns)


def to_peers(packets: pl.DataFrame) -> tuple[Numbers, Spans]:
    """Next hops of packets, -1 if for all, and the spans from `time_ns` to `end_ns`, if any."""
    end_ns = packets["end_ns"].fill_null(np.iinfo(np.int64).max).to_numpy()
    spans = Spans(packets["node"].to_numpy(), packets["time_ns"].to_numpy(), end_ns)
    return packets["peer"].fill_null(-1).to_numpy(), spans
