"""The summary table of a study: each metric by scheme, axes and group, beside the baseline."""

from __future__ import annotations

from typing import Any

import polars as pl

from multihop.study import estimates
from multihop.study.estimates import Sample
from multihop.study.runs import StudyRuns
from multihop.study.samples import equals, estimate_columns

MEASURED = ("low", "high", "networks", "flows", *(
    f"{compared}{part}" for compared in ("ratio", "difference") for part in ("", "_low", "_high")
))  # fmt: skip
"""Columns of the summary that an axis or a column of the group may be named after."""


def point_column(name: str) -> str:
    """The summary's column of an axis or of the group: `axis_flows` for an axis `flows`.

    Other columns keep their names; so does what the summary measures, such as `flows`.
    """
    return f"axis_{name}" if name in MEASURED else name


def summary_frame(results: StudyRuns) -> pl.DataFrame:
    """One row a metric, scheme and point; see `StudyResults.summary`."""
    table = results.study.table
    columns = [*table.axes, *table.group]
    rows = []
    for metric in table.metrics if results.finished else []:
        frame = results.frame(metric)
        split = [column for column in columns if column in frame.columns]
        for part in _points(results, frame, split):
            for scheme in (scheme.name for scheme in table.scheme_tables):
                sample = results.sample(metric, scheme, equals(part))
                if sample.flows:
                    row = _row(results, metric, scheme, sample, part)
                    point = {point_column(name): part.get(name) for name in columns}
                    rows.append(point | row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _points(results: StudyRuns, frame: pl.DataFrame, split: list[str]) -> list[dict[str, Any]]:
    """The points that `frame` has, in the order of each axis's values."""
    if not split:
        return [{}]
    places = {
        column: {value: place for place, value in enumerate(results.values(frame, column))}
        for column in split
    }
    found = frame.select(split).unique().to_dicts()
    return sorted(found, key=lambda at: [places[name].get(at[name], -1) for name in split])


def _row(
    results: StudyRuns, metric: str, scheme: str, sample: Sample, part: dict[str, Any]
) -> dict[str, Any]:
    row = {"scheme": scheme, "metric": metric, **estimate_columns("", estimates.mean(sample))}
    row |= {"networks": len(sample.networks), "flows": sample.flows}
    baseline = results.study.table.baseline
    if baseline is not None:
        theirs = results.sample(metric, baseline, equals(results.ran_at(baseline, part)))
        compared = scheme != baseline and theirs.flows > 0
        ratio = estimates.ratio(sample, theirs) if compared else None
        difference = estimates.difference(sample, theirs) if compared else None
        row |= estimate_columns("ratio", ratio) | estimate_columns("difference", difference)
    return row
