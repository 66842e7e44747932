"""BonnMotion's native format: a line a node, `t x y t x y ...`; in three dimensions `t x y z ...`.

A file `.params` beside it says what the times refer to; heights are left out, as networks are flat.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from multihop.sites.content import head, lines
from multihop.sites.form import SiteError, Survey, Track

_NUMBERS = re.compile(r"[-+.\deE \t]+")


def matches(begin: str) -> bool:
    """Whether its first lines are numbers alone, by threes or fours."""
    rows = [row for row in begin.split("\n")[:-1] or [begin] if row.strip()]
    rows = [row for row in rows if not row.startswith("#")][:5]
    return bool(rows) and all(_NUMBERS.fullmatch(row) for row in rows) and _size(rows) != 0


def _size(rows: list[str]) -> int:
    counts = [len(row.split()) for row in rows]
    return next((size for size in (3, 4) if all(count % size == 0 for count in counts)), 0)


def read(path: Path) -> Survey:
    """The ways of all nodes."""
    found = Survey("BonnMotion")
    rows = [(number, row) for number, row in lines(path) if not row.startswith("#")]
    size = 4 if _is_3d(path) else _size([row for _, row in rows])
    if not size:
        raise SiteError("each line must be t x y t x y ..., or t x y z ... (times in s, metres)")
    for line, row in rows:
        values = []
        for word in row.split():
            try:
                values.append(float(word))
            except ValueError:
                values.append(math.nan)
        if len(values) % size or not all(map(math.isfinite, values)):
            raise SiteError(f"line {line}: must be numbers, {size} for each point of the way")
        name, track = str(len(found.nodes)), Track()
        for k in range(0, len(values), size):
            if k and values[k] < values[k - size]:
                raise SiteError(f"line {line}: times must not go back (got {values[k]:g} s)")
            track.add(values[k], values[k + 1], values[k + 2])
        found.node(name)
        found.tracks[name] = track
    if size == 4:
        found.remarks.append("heights are left out")
    return found


def _is_3d(path: Path) -> bool:
    name = path.name.removesuffix(".gz").removesuffix(".movements")
    params = path.with_name(f"{name}.params")
    told = head(params).decode("latin-1") if params.is_file() else ""
    return bool(re.search(r"^J=3D", told, re.MULTILINE)) or head(path, 64).startswith(b"#3D")
