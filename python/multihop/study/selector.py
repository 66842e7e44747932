"""Conditions on rows, such as `hops >= 4 and n_flows == 5`: comparisons joined by "and"."""

import re
from collections.abc import Iterable

import polars as pl

_COMPARISON = re.compile(r"^\s*(\w+)\s*(==|!=|<=|>=|<|>)(.+)$", re.DOTALL)
_RANGE = re.compile(r"^\s*(\w+)\s+in\s+(\S+)\s*$")


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
        raise SelectorError(f"unknown column {name!r}; there are {', '.join(sorted(known))}")
    return pl.col(name)


def _number(column: pl.Expr) -> pl.Expr:
    """The column as numbers; text that is none fulfils no condition."""
    return column.cast(pl.Float64, strict=False)


def _value(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip("\"'")
