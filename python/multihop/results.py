"""The result of a run: the engine's JSON, and the same as Polars frames."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl

JsonObject = Mapping[str, Any]
"""A part of the engine's JSON."""
RunJson = JsonObject
"""The result of one run, as the engine writes it."""
FlowJson = JsonObject
"""One flow: a row of a result's `flows`."""
LinkJson = JsonObject
"""Packets of a flow over a link: a row of a result's `links` or `routes`."""
FrameJson = JsonObject
"""One transmission: a row of a result's `frames`."""
ScenarioJson = JsonObject
"""A resolved scenario."""


class Result:
    """One finished run: `json` holds all of it, the other attributes are views.

    It holds the resolved scenario, the seed and the version, so `multihop.run(result.scenario,
    seed=result.seed)` repeats it.
    """

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as resolved: defaults, scheme and overrides filled in."""
        scenario: dict[str, Any] = self.json["scenario"]
        return scenario

    @property
    def seed(self) -> int:
        """The seed used."""
        return int(self.json["seed"])

    @property
    def version(self) -> str:
        """The version of the engine that ran."""
        return str(self.json["version"])

    @property
    def warnings(self) -> list[str]:
        """What to check before trusting the result."""
        return list(self.json.get("warnings", []))

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row a flow, in the scenario's order."""
        return pl.DataFrame(self.json["flows"], infer_schema_length=None)

    @property
    def mac(self) -> dict[str, Any]:
        """Counters of all MACs together."""
        return dict(self.json["mac"])

    @property
    def routing(self) -> dict[str, Any]:
        """Counters of all routing agents together."""
        return dict(self.json["routing"])

    @property
    def queue(self) -> dict[str, Any]:
        """Counters of all interface queues together."""
        return dict(self.json["queue"])

    @cached_property
    def series(self) -> pl.DataFrame:
        """Each flow over time. Empty unless recorded."""
        return self._recorded("flows", _SERIES)

    @cached_property
    def queues(self) -> pl.DataFrame:
        """The recorded queues over time: packets, and of them routing, acks and data.

        Empty unless recorded.
        """
        return self._recorded("queues", _QUEUES)

    @cached_property
    def links(self) -> pl.DataFrame:
        """Packets of each flow over each link. Empty unless recorded."""
        return _frame(self.json.get("links") or [], _LINKS)

    @cached_property
    def routes(self) -> pl.DataFrame:
        """The same per interval, which begins at time_s. Empty unless recorded."""
        return _frame(self.json.get("routes") or [], {"time_s": float, **_LINKS})

    @cached_property
    def paths(self) -> pl.DataFrame:
        """Every path found, in order of time; `nodes` includes both ends. Empty unless recorded."""
        report = self.json["schemes"].get("multipath-aodv") or {}
        return _frame(report.get("paths") or [], _PATHS)

    @cached_property
    def frames(self) -> pl.DataFrame:
        """Every transmission in order of time. Empty unless recorded."""
        return _frame(self.json.get("frames") or [], _FRAMES)

    def _recorded(self, key: str, columns: Columns) -> pl.DataFrame:
        return _frame((self.json.get("series") or {}).get(key) or {}, columns)

    def __repr__(self) -> str:
        title = self.scenario.get("title") or "untitled"
        return f"<multihop.Result {title!r} seed={self.seed} flows={len(self.json['flows'])}>"


def delivered(flow: FlowJson) -> int:
    """Segments or packets that a flow delivered: acknowledged at the sender; for CBR, received."""
    return int(flow["received_packets"] if flow["kind"] == "cbr" else flow["acked_segments"])


Columns = dict[str, Any]
"""Names and types of a frame's columns, in order."""

_SERIES: Columns = {
    "flow": int, "time_s": float, "sequence": int, "cwnd": float, "goodput_bps": float,
}  # fmt: skip
_QUEUES: Columns = {
    "node": int, "time_s": float, "packets": int, "routing": int, "acks": int, "data": int,
}  # fmt: skip
_LINKS: Columns = {"flow": int, "from": int, "to": int, "packets": int}
_PATHS: Columns = {
    "source": int, "destination": int, "request": int, "path": int, "hops": int,
    "nodes": list[int], "found_s": float, "lost_s": float, "packets": int, "mean_rtt_s": float,
}  # fmt: skip
_FRAMES: Columns = {
    "time_ns": int, "airtime_ns": int, "transmitter": int, "receiver": int, "kind": str,
    "duration_us": int, "notice": str, "packet": str,
}  # fmt: skip


def _frame(data: list[dict[str, Any]] | dict[str, list[Any]], columns: Columns) -> pl.DataFrame:
    chosen = data if isinstance(data, list) else {name: data.get(name, []) for name in columns}
    return pl.DataFrame(chosen, schema=columns)
