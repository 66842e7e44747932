"""A run's series as Altair charts; needs the extra `report`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import polars as pl

from multihop.extras import need
from multihop.palette import COLOURS

if TYPE_CHECKING:
    import altair as alt

Column = Literal["goodput_bps", "cwnd", "sequence"]
"""What a run records of a flow over time."""

_TITLES: dict[Column, str] = {
    "goodput_bps": "goodput [bit/s]",
    "cwnd": "congestion window [segments]",
    "sequence": "sequence number [segments]",
}
MOST_POINTS = 4000
"""Of longer series the least and the greatest value of each interval are drawn."""


def window_note(scenarios: Iterable[Mapping[str, Any]]) -> str:
    """How much of a congestion window is used: it may grow beyond what the receiver allows."""
    windows = {
        flow.get("transport", scenario["transport"])["window_segments"]
        for scenario in scenarios
        for flow in scenario["flows"]
        if flow["kind"] == "ftp"
    }
    which = f"the window of {windows.pop()} segments" if len(windows) == 1 else "the set window"
    return f"the sender uses no more than {which}"


def flows_over_time(
    series: pl.DataFrame,
    column: Column,
    title: str,
    scenario: Mapping[str, Any],
    told: Mapping[int, str],
    most_points: int,
) -> alt.Chart:
    """A line for each flow of a run of the resolved `scenario`.

    `told` is what flows are called; it is empty if they have numbers alone. Of more than
    `most_points` each flow's extremes are drawn.

    Raises:
        ValueError: no series was recorded, or it has no such column.
        MissingExtraError: the extra is not installed.
    """
    if column not in get_args(Column):
        raise ValueError(f"no column {column!r}; there are {', '.join(get_args(Column))}")
    if series.is_empty():
        raise ValueError("no series was recorded; run with record=Recording(series_interval_s=1.0)")
    need("report", "a plot")
    import altair as alt  # takes 0.25 s to import

    flows = series["flow"].unique().sort().to_list()
    drawn = _thinned(series, column, most_points)
    named = pl.col("flow").replace_strict(told, return_dtype=pl.String) if told else "flow"
    rows = drawn.select(named, "time_s", column).to_dicts()
    scale = alt.Scale(
        domain=[told.get(flow, flow) for flow in flows],
        range=[COLOURS[n % len(COLOURS)] for n in range(len(flows))],
    )
    note = window_note([scenario]) if column == "cwnd" else ""
    heading = alt.TitleParams(title, subtitle=note) if note else alt.TitleParams(title)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=rows), title=heading, width=640, height=280)
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X("time_s:Q", title="time [s]"),
            y=alt.Y(f"{column}:Q", title=_TITLES[column]),
            color=alt.Color("flow:N", title="flow", scale=scale),
            tooltip=["flow:N", "time_s:Q", f"{column}:Q"],
        )
    )
    return chart


def _thinned(series: pl.DataFrame, column: str, most: int) -> pl.DataFrame:
    """At most so many rows, with each flow's least and greatest value in intervals of time."""
    first, last = series["time_s"].min(), series["time_s"].max()
    assert isinstance(first, float)
    assert isinstance(last, float)
    if series.height <= most:
        return series
    intervals = max(1, most // (2 * series["flow"].n_unique()))
    width = math.nextafter((last - first) / intervals, math.inf)
    by = ["flow", ((pl.col("time_s") - first) / width).cast(pl.Int64).alias("interval")]
    numbered = series.with_row_index("row")
    kept = numbered.group_by(by).agg(
        pl.col("row").sort_by(column).first().alias("least"),
        pl.col("row").sort_by(column).last().alias("greatest"),
    )
    rows = pl.concat([kept["least"], kept["greatest"]])
    return numbered.filter(pl.col("row").is_in(rows.unique().implode())).drop("row")
