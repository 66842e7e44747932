"""What the recorded series hold over `time_s`, and their units."""

from __future__ import annotations

SERIES = {
    "flows": {"sequence": "segments", "cwnd": "segments", "goodput_bps": "bit/s"},
    "queues": dict.fromkeys(("packets", "routing", "acks", "data"), "packets"),
}
"""Columns and units of the series of each `flow` and each `node`."""


def series_of(column: str) -> str:
    """The series that has `column`: `flows` or `queues`."""
    return "flows" if column in SERIES["flows"] else "queues"
