"""One figure by itself, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from multihop.files import write_atomically
from multihop.markup import narrowing
from multihop.report import charts
from multihop.study.results import StudyResults


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of a study with its numbers."""

    frame: pl.DataFrame
    """Its points, with intervals; see `FigureData`."""
    spec: dict[str, Any] = field(repr=False)
    """The chart, for Vega-Lite."""

    def save(self, file: str | Path) -> None:
        """Write it as SVG, PNG or PDF, by the suffix."""
        path = Path(file)
        kinds: dict[str, Callable[[charts.Spec], str | bytes]]
        kinds = {".svg": charts.svg, ".png": charts.png, ".pdf": charts.pdf}
        if path.suffix not in kinds:
            raise ValueError(f"{path}: must end in {', '.join(kinds)}")
        write_atomically(path, kinds[path.suffix](self.spec))

    def _repr_svg_(self) -> str:
        return narrowing(charts.svg(self.spec))


def drawing(results: StudyResults, name: str) -> Drawing:
    """The study's figure of that name.

    Raises:
        KeyError: there is none.
    """
    table = results.study.table
    data = results.figure_data(name)
    look = charts.Look([scheme.name for scheme in table.scheme_tables], table.baseline)
    return Drawing(data.frame, charts.chart(data, look))
