"""Records of events whose result or events were changed, as a stranger could."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

import multihop
from fuzz.judge import one_line
from multihop import engine, playback, traces

SCENARIO = {
    "title": "moving",
    "duration_s": 3,
    "topology": {"kind": "random", "nodes": 5, "area_m": [300, 300]},
    "mobility": {"kind": "random-waypoint", "speed_mps": [1, 2]},
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 2},
        {"kind": "cbr", "source": 3, "destination": 1, "rate_bps": 8000, "packet_bytes": 100},
    ],
}
VALUES: list[Any] = [
    None, 0, -1, 1, 3, 10**6, 2**32 - 1, 2**63, 1e308, -0.5, "", "x", "inf", "<b>", [], {}, [[]],
    [0, 0], True, float("nan"),
]  # fmt: skip


@cache
def _whole() -> tuple[bytes, str]:
    """A record as a run writes it, and its result."""
    content = traces.to_parquet(
        multihop.run(SCENARIO, events=True, record=multihop.Recording(routes_interval_s=1.0))
    )
    return content, pl.read_parquet_metadata(io.BytesIO(content))["multihop"]


def record(data: bytes, folder: Path) -> None:
    """Changes, eight bytes each: of the result (a place in it, a value), or of a column's rows.

    Whatever is read as a record can be played and explained.
    """
    content, told = _whole()
    result = json.loads(told)
    events = pl.read_parquet(io.BytesIO(content))
    for first in range(0, len(data) - 7, 8):
        orders = data[first : first + 8]
        if orders[0] % 2:
            _change(result, orders)
        else:
            events = _changed(events, orders)
    file = folder / "events.parquet"
    metadata = {"multihop": json.dumps(result), "multihop.watch": "{}"}
    events.write_parquet(file, metadata=metadata)
    with _refused():
        found = traces.read(file)
        with _refused():
            playback.replay(found, folder / "replay.html", causes=False)
        with _refused():
            str(multihop.explain(found))


@contextlib.contextmanager
def _refused() -> Iterator[None]:
    try:
        yield
    except (traces.TraceError, multihop.ScenarioError, playback.ReplayError) as error:
        one_line(str(error)[:4000])


def _change(result: dict[str, Any], orders: bytes) -> None:
    """Walk down from the result to a place that the orders choose, and put a value there."""
    place: Any = result
    for step in orders[1:6]:
        keys = [*place] if isinstance(place, dict) else [*range(len(place))]
        if not keys:
            return
        key = keys[step % len(keys)]
        inner = place[key]
        if not isinstance(inner, dict | list) or step >= 240:
            break
        place = inner
    else:
        return
    if orders[6] % 4 == 0:
        del place[key]
    else:
        place[key] = VALUES[orders[7] % len(VALUES)]


def _changed(events: pl.DataFrame, orders: bytes) -> pl.DataFrame:
    """The events with a value in some rows of a column, or without some rows."""
    names = [column.name for column in engine.event_columns()]
    name = names[orders[1] % len(names)]
    first, count = int.from_bytes(orders[2:4], "little") % (events.height or 1), 1 + orders[4] ** 2
    rows = pl.int_range(pl.len()).is_between(first, first + count)
    if orders[5] % 8 == 0 or name not in events.columns:
        return events.filter(~rows)
    if orders[5] % 8 == 1:
        return _without_a_kind(events, orders[7], alone=orders[4] % 2 == 1)
    kind = events[name].dtype
    if isinstance(kind, pl.Enum):
        value: Any = kind.categories[orders[7] % len(kind.categories)]
    else:
        value = [None, 0, 1, 2**31, 5, -1, 10**9, 3, 4][orders[7] % 9]
    with contextlib.suppress(pl.exceptions.PolarsError, OverflowError):
        new = pl.lit(value).cast(kind, strict=False)
        return events.with_columns(pl.when(rows).then(new).otherwise(pl.col(name)).alias(name))
    return events


def _without_a_kind(events: pl.DataFrame, which: int, *, alone: bool) -> pl.DataFrame:
    """The events without those of one kind, or those alone."""
    kinds = pl.Series(events["event"].dtype.categories)
    is_it = pl.col("event") == kinds[which % len(kinds)]
    return events.filter(is_it if alone else ~is_it)
