"""Records of events as files: Parquet, with the run's result in the file's metadata."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl

from multihop import engine, json_text, shapes
from multihop.errors import ScenarioError, TraceError
from multihop.events import Watch
from multihop.files import read_bytes
from multihop.result_types import RunResult
from multihop.results import Result
from multihop.scenario import MAX_SEED

_RESULT, _WATCH = "multihop", "multihop.watch"
"""The keys of the metadata that hold the result, and which events were recorded, as JSON."""


MOST_BYTES, MOST_EVENTS = 2 << 30, 50_000_000
"""Of a record; its events take some 150 bytes of memory each."""
MOST_METRES = 1e8
"""Of a coordinate."""
REALS = ("cwnd", "ssthresh", "rto_s", "srtt_s", "timer_s")
"""Columns of the record whose numbers are no whole ones."""


def to_parquet(result: Result) -> bytes:
    """The record of a result, which was run with `events`, as a Parquet file.

    Raises:
        ValueError: no events were recorded.
    """
    content = io.BytesIO()
    result.events.write_parquet(
        content,
        compression_level=1,
        statistics=False,
        metadata={
            _RESULT: json.dumps(result.json),
            _WATCH: json.dumps((result.watch or Watch()).asked()),
        },
    )
    return content.getvalue()


def read(file: Path) -> Result:
    """The result of the run that a file records, with its events.

    Raises:
        OSError: the file can't be read.
        TraceError: it is no Parquet file, holds no run, or what no run could have written.
    """
    content = read_bytes(file, MOST_BYTES)
    try:
        metadata = pl.read_parquet_metadata(io.BytesIO(content))
        if _RESULT not in metadata:
            fault = "does not say which run it records; write it with multihop run --trace"
            raise TraceError(fault)
        result = _told(metadata[_RESULT])
        watch = _watch(metadata.get(_WATCH, "{}"))
        events = _events(content, result)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise TraceError("no Parquet file, or a damaged one") from None
    return Result(result, events, watch)


def _told(text: str) -> RunResult:
    """The result in the metadata.

    Raises:
        TraceError: it has another form, or says what can't be.
    """
    try:
        found = json_text.bounded(text.encode())
    except ValueError as error:
        raise TraceError(f"its result is not to be read: {error}") from None
    wrong = shapes.RESULT.fault(found)
    if wrong is not None:
        raise TraceError(f"its result is none of this version: {wrong}")
    result: RunResult = found
    if not 0 <= result["seed"] <= MAX_SEED:
        raise TraceError(f"its result is none: seed must be 0 to {MAX_SEED}")
    nodes = len(result["positions_m"])
    if not nodes or any(not _is_place(place, 2) for place in result["positions_m"]):
        raise TraceError("its result is none: positions_m must be places of nodes")
    moves = result.get("movement", [])
    if moves and (len(moves) != nodes or any(not _is_way(way) for way in moves)):
        raise TraceError("its result is none: movement must be a way of each node")
    for number, flow in enumerate(result["flows"]):
        if flow["id"] != number or not all(
            0 <= flow[end] < nodes for end in ("source", "destination")
        ):
            raise TraceError(f"its result is none: flows.{number} has another id or other ends")
    result["scenario"] = _resolved(result)
    return result


def _resolved(result: RunResult) -> dict[str, Any]:
    """The scenario of a result, as the engine has it.

    Raises:
        TraceError: it can't be run, other than for want of a file that is not here.
    """
    scenario = result["scenario"]
    wrong = _SCENARIO.fault(scenario)
    if wrong is not None:
        raise TraceError(f"its scenario is none: {wrong}")
    if "emulation" in result and not scenario.get("flows"):
        return scenario  # programs need none
    try:
        found: dict[str, Any] = json.loads(engine.resolve(engine.to_json(scenario), syntax="json"))
    except ScenarioError as error:
        if error.key.endswith(_ELSEWHERE):
            return scenario
        raise TraceError(f"its scenario can't be run: {error}") from None
    return found


_SCHEME = shapes.table(scheme="string")
_KIND = shapes.table(kind="string")
_SCENARIO = shapes.Shape(
    lambda: shapes.table(
        duration_s="number",
        topology=_KIND,
        mobility=_KIND,
        radio=shapes.table(receive_range_m="number", sense_range_m="number"),
        mac=shapes.table(scheme="string", queue_packets="integer", data_rate_bps="number"),
        routing=_SCHEME,
        transport=_SCHEME,
        optional={"title": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
    )
)
"""What every resolved scenario has."""
_ELSEWHERE = ("file", "scheme", "rate")
"""Keys that may name a file, which a record does not bring along."""


def _is_place(place: list[float], size: int) -> bool:
    return len(place) == size and all(abs(number) <= MOST_METRES for number in place)


def _is_way(way: list[list[float]]) -> bool:
    times = [knot[0] for knot in way if _is_place(knot, 3)]
    return bool(way) and len(times) == len(way) and times == sorted(times)


def _watch(text: str) -> Watch:
    try:
        asked = json_text.bounded(text.encode())
        wrong = _ASKED.fault(asked)
    except ValueError:
        wrong = "not JSON"
    if wrong is not None:
        raise TraceError(f"does not say which events it records: {wrong}")
    return Watch.of(asked)


_LIST = {"type": "array", "items": {"type": "integer"}}
_UNTIL = {"oneOf": [{"type": "number"}, {"type": "null"}]}
_ASKED = shapes.Shape(
    lambda: shapes.table(
        optional={"from_s": "number", "to_s": _UNTIL, "nodes": _LIST, "flows": _LIST}
    )
)
"""A `Watch` as the metadata has it."""


def _events(content: bytes, result: RunResult) -> pl.DataFrame:
    """The events, each column of its type and within its bounds.

    Raises:
        TraceError: they are others than a run writes.
    """
    words = engine.event_words()
    found = pl.read_parquet_schema(io.BytesIO(content))
    names = [column.name for column in engine.event_columns()]
    if [*found] != names:
        other = next(iter({*names} ^ {*found}), names[0])
        raise TraceError(f"its columns are none of this version: {other}")
    rows = pl.scan_parquet(io.BytesIO(content)).select(pl.len()).collect().item()
    if rows > min(len(content), MOST_EVENTS):
        raise TraceError(f"says that it has {rows:,} events, more than fit into {len(content):,} B")
    for name, kind in found.items():
        right = kind in _TEXTS or isinstance(kind, pl.Enum) if name in words else kind in _NUMBERS
        if not right:
            raise TraceError(f"its column {name} holds {kind}, which no run writes")
    events = pl.read_parquet(io.BytesIO(content))
    kinds: dict[str, pl.DataType | type[pl.DataType]] = {
        name: pl.Enum([word for word in words[name] if word]) if name in words else _type(name)
        for name in names
    }
    try:
        events = events.with_columns(pl.col(name).cast(kind) for name, kind in kinds.items())
    except pl.exceptions.PolarsError:
        raise TraceError("has values in a column that no run writes there") from None
    _check_bounds(events, result)
    return events


_TEXTS = (pl.String, pl.Categorical)
_NUMBERS = (pl.Int64, pl.UInt32, pl.Float32)


def _type(name: str) -> type[pl.DataType]:
    return pl.Int64 if name == "time_ns" else pl.Float32 if name in REALS else pl.UInt32


_NEEDED = {
    ("send", "deliver"): ("packet", "content", "bytes", "flow", "number", "origin", "target"),
    ("transmit",): ("frame", "kind", "airtime_ns"),
    ("receive", "miss"): ("frame", "kind", "peer"),
    ("tcp",): ("flow", "detail", "state", "cwnd"),
    ("enqueue", "serve", "drop"): ("packet", "content"),
    ("give-up", "link-failure", "arp-wait", "next-hop"): ("packet", "content", "peer"),
    ("discovery", "route-error"): ("peer",),
}
"""What events of these kinds always have."""


def _check_bounds(events: pl.DataFrame, result: RunResult) -> None:
    nodes, flows = len(result["positions_m"]), len(result["flows"])
    end_ns = 1e9 * result["scenario"]["duration_s"]
    for name in ("time_ns", "event", "node"):
        if events[name].null_count():
            raise TraceError(f"has an event without {name}")
    if not events["time_ns"].is_sorted() or not events["time_ns"].is_between(0, end_ns).all():
        raise TraceError(f"has events out of order, or not within the run's {end_ns / 1e9:g} s")
    for kinds, needed in _NEEDED.items():
        rows = events.filter(pl.col("event").is_in(kinds))
        for name in needed:
            if rows[name].null_count():
                raise TraceError(f"has an event {' or '.join(kinds)} without {name}")
    of_nodes = ("node", "peer", "origin", "target")
    for name, count in [*((name, nodes) for name in of_nodes), ("flow", flows)]:
        most = events[name].max()
        if isinstance(most, int) and most >= count:
            raise TraceError(f"has an event with {name} {most}; there are {count}")
