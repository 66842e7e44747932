"""Conditions on rows, such as `hops >= 4 and n_flows == 5`: comparisons joined by "and"."""

import difflib
import re
from collections.abc import Iterable

import polars as pl

from multihop.metrics import METRICS
from multihop.metrics.registry import Level

_COMPARISON = re.compile(r"^\s*(\w+)\s*(==|!=|<=|>=|<|>)(.+)$", re.DOTALL)
_RANGE = re.compile(r"^\s*(\w+)\s+in\s+(\S+)\s*$")


OF_FLOWS = ("flow", "kind", "source", "destination", "hops", "least_hops")
"""Columns that only flows have."""


class SelectorError(ValueError):
    """A condition that can't be read or names an unknown column."""


def parse(condition: str | None, columns: Iterable[str]) -> pl.Expr:
    """The condition as an expression over `columns`; always true for None."""
    if condition is None:
        return pl.lit(True)
    known = list(columns)
    expression = pl.lit(True)
    for part in condition.split(" and "):
        expression = expression & _comparison(part, known)
    return expression


def about(condition: str | None, columns: Iterable[str]) -> str | None:
    """The comparisons of a condition that are with these columns; None if there are none."""
    known = set(columns)
    first = ((part, re.match(r"\s*(\w+)", part)) for part in (condition or "").split(" and "))
    return " and ".join(part for part, name in first if name and name[1] in known) or None


def _comparison(part: str, known: list[str]) -> pl.Expr:
    if match := _RANGE.match(part):
        low, _, high = match[2].partition("..")
        if low and high:
            ends = (_value(low), _value(high))
            if any(isinstance(end, str) for end in ends):
                raise SelectorError(f"{part.strip()!r}: a and b of column in a..b must be numbers")
            return _number(_column(match[1], known)).is_between(*ends)
    match = _COMPARISON.match(part)
    if match is None or not match[3].strip():
        raise SelectorError(
            f"{part.strip()!r}: must be of the form column == value or column in a..b"
        )
    name, operator, text = match.groups()
    column, value = _column(name, known), _value(text.strip())
    if isinstance(value, str) and operator not in ("==", "!="):
        raise SelectorError(f"{part.strip()!r}: only == and != apply to text")
    column = column.cast(pl.String) if isinstance(value, str) else _number(column)
    return {
        "==": column == value,
        "!=": column != value,
        "<=": column <= value,
        ">=": column >= value,
        "<": column < value,
        ">": column > value,
    }[operator]


def _column(name: str, known: list[str]) -> pl.Expr:
    if name not in known:
        raise SelectorError(_unknown(name, known))
    return pl.col(name)


def _unknown(name: str, known: list[str]) -> str:
    """What to say of a column that rows of this kind do not have, in a line that can be read."""
    here: Level = "flow" if "flow" in known else "run"
    level = METRICS[name].level if name in METRICS else "flow" if name in OF_FLOWS else here
    if level != here:
        return f"unknown column {name!r}: it is of a {level}, and what is counted is of a {here}"
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    plain = [column for column in known if column not in METRICS]
    listed = f"there are {', '.join(plain)} and the metrics of a {here}"
    return f"unknown column {name!r}; {f'did you mean {near[0]}?' if near else listed}"


def _number(column: pl.Expr) -> pl.Expr:
    """The column as numbers; text that is none fulfils no condition."""
    return column.cast(pl.Float64, strict=False)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip("\"'")
