"""BonnMotion's native format: a line a node, `t x y t x y ...`; in three dimensions `t x y z ...`.

A file `.params` beside it says what the times refer to; heights are left out, as networks are flat.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from multihop.sites.content import head, lines
from multihop.sites.form import SiteError, Survey

_WORD = re.compile(r"\S+")
_NUMBERS = re.compile(r"[-+.\deE \t]+")


def matches(begin: str) -> bool:
    """Whether its first lines are numbers alone, by threes or fours."""
    *whole, last = begin.split("\n")
    rows = [row for row in whole if row.strip() and not row.startswith("#")][:5]
    if not rows:  # the first line is longer than what was read, or the only one
        return bool(last.strip()) and _NUMBERS.fullmatch(last) is not None
    return all(_NUMBERS.fullmatch(row) for row in rows) and _size(rows) != 0


def _size(rows: Iterable[str]) -> int:
    """Of how many numbers each point is; 0 if it can't be known."""
    counts = {sum(1 for _ in _WORD.finditer(row)) for row in rows}
    return next((size for size in (3, 4) if all(count % size == 0 for count in counts)), 0)


def _rows(path: Path) -> Iterator[tuple[int, str]]:
    """A line a node."""
    return ((n, row) for n, row in lines(path) if row.strip() and not row.startswith("#"))


def read(path: Path) -> Survey:
    """The ways of all nodes."""
    found = Survey("BonnMotion")
    size = 4 if _is_3d(path) else _size(row for _, row in _rows(path))
    if not size:
        raise SiteError("each line must be t x y t x y ..., or t x y z ... (times in s, metres)")
    for line, row in _rows(path):
        try:
            values = np.array(array("d", (float(word[0]) for word in _WORD.finditer(row))))
        except ValueError:
            values = np.array([np.nan])
        if len(values) % size or not np.isfinite(values).all():
            raise SiteError(f"line {line}: must be numbers, {size} for each point of the way")
        points = values.reshape(-1, size)[:, :3]
        back = np.flatnonzero(np.diff(points[:, 0]) < 0)
        if len(back):
            time_s = points[back[0] + 1, 0]
            raise SiteError(f"line {line}: times must not go back (got {time_s:g} s)")
        name = str(len(found.nodes))
        found.node(name)
        found.way(name, points)
    if size == 4:
        found.remarks.append("heights are left out")
    return found


def _is_3d(path: Path) -> bool:
    name = path.name.removesuffix(".gz").removesuffix(".movements")
    params = path.with_name(f"{name}.params")
    told = head(params).decode("latin-1") if params.is_file() else ""
    return bool(re.search(r"^J=3D", told, re.MULTILINE)) or head(path, 64).startswith(b"#3D")
