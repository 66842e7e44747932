"""What stations do in slots that they reserve: who asks in vain, whose a slot is, what is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import polars as pl

from multihop.bound.network import Mask, Network, Slot
from multihop.bound.on_air import Numbers, OnAir, Spans, to_peers


class InSlots(OnAir):
    """The stations of a run whose slots are reserved anew each time."""

    def __init__(self, events: pl.DataFrame, network: Network, slot: Slot) -> None:
        super().__init__(events, network)
        self._called_ns = round(1e9 * slot.called_s)
        self._data_ns = round(1e9 * slot.data_s)
        """From a slot's begin to its data."""
        self._acks_ns = round(1e9 * slot.acks_s)
        """To the acknowledgments."""
        self._end_ns = round(1e9 * slot.end_s)

    def _within(self, frames: pl.DataFrame, from_ns: int, to_ns: int) -> pl.DataFrame:
        """Frames that begin in such a part of a slot, and the begin of that slot."""
        into_ns = pl.col("time_ns") % self._end_ns
        begun = frames.with_columns(slot_ns=pl.col("time_ns") - into_ns)
        return begun.filter((into_ns >= from_ns) & (into_ns < to_ns))

    @cached_property
    def _data(self) -> pl.DataFrame:
        """Frames of those whose slot it is."""
        _, data = self.tries
        return self._within(data, self._data_ns, self._acks_ns)

    def _data_parts(self, stations: pl.DataFrame) -> Spans:
        """The part for data of the slots of these stations."""
        slot_ns = stations["slot_ns"].to_numpy()
        return Spans(stations["node"].to_numpy(), slot_ns + self._data_ns, slot_ns + self._acks_ns)

    def hindrances(
        self, common: dict[str, Mask], heard: Callable[[Spans], Mask], times_ns: Numbers
    ) -> dict[str, Mask]:
        """As of any access, with those of slots: whole parts of a slot are the same for all."""
        failed = common["failed_attempts"]
        into_ns = times_ns % self._end_ns
        return {
            "routing": common["routing"] | heard(self._calls),
            "reservation": np.broadcast_to(into_ns < self._data_ns, failed.shape),
            "mac_acks": np.broadcast_to(into_ns >= self._acks_ns, failed.shape),
            "deferral": common["deferral"],
            "failed_attempts": failed | self._in_vain.at(times_ns, len(failed)),
            "partly_filled": heard(self._owned),
        }

    @property
    def _owned(self) -> Spans:
        """The part for data of slots that are a station's to send or to receive in."""
        ends = [self._data.select("slot_ns", node=end) for end in ("node", "peer")]
        return self._data_parts(pl.concat(ends).unique())

    @property
    def _in_vain(self) -> Spans:
        """The same of slots that stations asked for, and did not get."""
        asked = self.rows("transmit", "node", "kind").filter(pl.col("kind") == "rts")
        asked = self._within(asked, 0, self._data_ns).unique(["node", "slot_ns"])
        return self._data_parts(asked.join(self._data, on=["node", "slot_ns"], how="anti"))

    @property
    def _calls(self) -> Spans:
        """Slots that a station calls open, or passes on the call for."""
        tones = self.rows("transmit", "node", "kind").filter(pl.col("kind") == "tone")
        calls = self._within(tones, 0, self._called_ns)
        slot_ns = calls["slot_ns"].to_numpy()
        return Spans(calls["node"].to_numpy(), slot_ns, slot_ns + self._end_ns)

    @cached_property
    def services(self) -> tuple[Numbers, Spans]:
        """Packets that a MAC has: their next hops, -1 if for all; when, by station.

        A MAC has many at once: each until the end of the slot in which it was sent last, or until
        it is given up.
        """
        taken = self.rows("serve", "node", "peer", "packet")
        sent, _ = self.tries
        whole_slots = (pl.col("time_ns") // self._end_ns + 1) * self._end_ns
        ends = pl.concat(
            [
                sent.select("node", "packet", end_ns=whole_slots),
                self.rows("give-up", "node", "packet").rename({"time_ns": "end_ns"}),
            ],
            how="diagonal",
        )
        last = ends.group_by("node", "packet").agg(pl.col("end_ns").max())
        return to_peers(taken.join(last, on=["node", "packet"], how="left"))
