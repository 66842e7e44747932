"""Puts the table of what each study costs at full scale into docs/use/reproducibility.md.

`make schema` writes it; a test fails when its counts of runs are out of date.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

from multihop import Study, catalogue
from multihop.cli import effort
from multihop.files import put_between
from tools.result_schema import REPOSITORY, row

PAGE = REPOSITORY / "docs" / "use" / "reproducibility.md"
MARKERS = ("<!-- costs: begin -->", "<!-- costs: end -->")
LEFT_OUT = ("demo/",)
"""Studies that only shorten others."""


def table() -> str:
    """A row a study: its cells, networks and runs, and roughly what they take."""
    head = [
        "| study | cells | networks | runs | processor time, roughly |",
        "|---|--:|--:|--:|--:|",
    ]
    rows = [_row(name) for name, _ in catalogue.studies() if not name.startswith(LEFT_OUT)]
    return "\n".join([*head, *rows])


def counted(name: str) -> tuple[int, int, str]:
    """Cells and networks of a study at full scale, and whether precision or selection adds some."""
    study = Study.read(catalogue.study_file(name))
    adds = study.table.precisions or any(one.select for one in study.table.rankings)
    scale = study.which_scale()
    return len(study.cells(scale)), study.table.scale.named[scale].networks, "+" if adds else ""


def _row(name: str) -> str:
    study = Study.read(catalogue.study_file(name))
    cells, networks, more = counted(name)
    seconds = effort.study_seconds(study.cells(), networks) * (os.cpu_count() or 1)
    return row(
        f"`{name}`", str(cells), str(networks), f"{cells * networks:,}{more}", _said(seconds)
    )


def _said(seconds: float) -> str:
    """A rough time in one unit, to two digits."""
    unit, size = ("h", 3600) if seconds >= 7200 else ("min", 60) if seconds >= 120 else ("s", 1)
    count = seconds / size
    digits = 10 ** max(0, math.floor(math.log10(max(count, 1))) - 1)
    return f"{round(count / digits) * digits} {unit}"


def main() -> None:
    """Write the table."""
    put_between(Path(PAGE), MARKERS, table())


if __name__ == "__main__":
    main()
