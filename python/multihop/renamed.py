"""Public names that have changed: version 0.3 takes former ones with a warning, 0.4 does not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


METRICS = {
    "all_transfers": "total_transfers",
    "all_unfinished": "total_unfinished_transfers",
    "timeouts_else_per_s": "timeouts_outside_bursts_per_s",
    "unfinished": "unfinished_transfers",
    "whole_hops": "rounded_hops",
}
LABELS = {"moving": "mobile", "standing": "static"}
"""Words in the values of axes in the package's own studies."""
COLUMNS = {"standing": "dominance", "told_apart": "distinguishable"}
"""Columns of figures and rankings; their frames and files have both."""

_NAMING = {
    "divide_by", "group", "higher_metric", "lower_metric", "metric", "metrics", "observe", "over",
    "per", "reduce", "x", "y",
}  # fmt: skip
"""Keys of the files of studies and papers that name metrics."""
_CONDITIONS = {
    "against", "at", "between", "conditions", "higher_at", "lower_at", "must", "of", "relative_at",
    "where", "within", "y_where",
}  # fmt: skip
"""Keys whose texts are conditions on metrics."""


class RenamedWarning(FutureWarning):
    """A public name has changed; the message has both."""


def warn(former: str, now: str, stacklevel: int = 2) -> None:
    """Tell the caller at `stacklevel`, 1 being who calls this, that a name has changed."""
    warnings.warn(f"{former} is now {now}", RenamedWarning, stacklevel=stacklevel + 1)


def metric(name: str) -> str:
    """The metric's name today."""
    if name not in METRICS:
        return name
    warn(name, METRICS[name], 3)
    return METRICS[name]


def condition(text: str, labels: Collection[Any] = ()) -> str:
    """A condition by today's names of metrics, and of those of an axis's `labels` that are new."""
    text = re.sub(r"\b\w+(?=\s*(?:[=!<>]|in\b))", lambda found: metric(found[0]), text)
    for (former, now), label in product(LABELS.items(), map(str, labels)):
        was = re.sub(rf"\b{now}\b", former, label)
        if was != label and was not in labels and was in text:
            warn(was, label, 3)
            text = re.sub(rf"\b{re.escape(was)}\b", label, text)
    return text


def in_tables(given: Any, key: str = "") -> Any:
    """The tables of a study's or paper's file by today's names of metrics."""
    if isinstance(given, Mapping):
        inside = key if key in ("conditions", "within") else ""
        return {name: in_tables(value, inside or name) for name, value in given.items()}
    if isinstance(given, list):
        return [in_tables(value, key) for value in given]
    if isinstance(given, str) and key in _CONDITIONS:
        return condition(given)
    return metric(given) if isinstance(given, str) and key in _NAMING else given


def with_former(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame with copies of columns under their former names; reading one warns of nothing."""
    import polars as pl  # whoever only lists names does not wait for it

    return frame.with_columns(
        pl.col(now).alias(former)
        for former, now in COLUMNS.items()
        if now in frame.columns and former not in frame.columns
    )
