"""Puts the table of what studies cost at full scale into docs/use/reproducibility.md.

`make schema` writes it; a test fails when its counts are out of date.
"""

from __future__ import annotations

import math
import os
from itertools import groupby

from multihop import Study, catalogue
from multihop.cli import effort
from multihop.files import put_between
from tools.result_schema import REPOSITORY, row

PAGE = REPOSITORY / "docs" / "use" / "reproducibility.md"
MARKERS = ("<!-- costs: begin -->", "<!-- costs: end -->")
LEFT_OUT = "demo"
"""Studies that only shorten others."""


def rows() -> list[tuple[str, int, int, float]]:
    """Of each folder: its name, how many studies, their runs and processor time [s]."""
    names = sorted(name for name, _ in catalogue.studies())
    found = []
    for folder, inside in groupby(names, lambda name: name.partition("/")[0]):
        if folder != LEFT_OUT:
            costs = [_cost(name) for name in inside]
            runs, seconds = (sum(one) for one in zip(*costs, strict=True))
            found.append((folder, len(costs), round(runs), seconds))
    return found


def _cost(name: str) -> tuple[float, float]:
    """The runs of a study at full scale, and roughly their processor time [s]."""
    study = Study.read(catalogue.study_file(name))
    scale = study.which_scale()
    cells, networks = study.cells(scale), study.table.scale.named[scale].networks
    seconds = effort.study_seconds(cells, networks) * (os.cpu_count() or 1)
    return len(cells) * networks, seconds


def table() -> str:
    """A row a folder."""
    head = ["| studies | how many | runs | processor time, roughly |", "|---|--:|--:|--:|"]
    lines = [row(f"`{name}`", str(n), f"{runs:,}", _said(s)) for name, n, runs, s in rows()]
    return "\n".join([*head, *lines])


def _said(seconds: float) -> str:
    """A rough time in one unit, to two digits."""
    unit, size = ("h", 3600) if seconds >= 7200 else ("min", 60) if seconds >= 120 else ("s", 1)
    count = seconds / size
    digits = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return f"{round(count / digits) * digits} {unit}"


def main() -> None:
    """Write the table."""
    put_between(PAGE, MARKERS, table())


if __name__ == "__main__":
    main()
