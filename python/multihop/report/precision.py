"""How precise a study's results are, in words: which cells are wider than the study wants."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from multihop.labels import plain
from multihop.report.tables import Table
from multihop.report.wording import capital, counted, name_of
from multihop.study.document import Precision
from multihop.study.precision import Attained
from multihop.study.results import StudyResults

MOST_ROWS = 10
"""Cells that a report lists."""


@dataclass(frozen=True, slots=True)
class ShownPrecision:
    """What was attained of a precision: a sentence, and the widest cells if any are too wide."""

    wanted: str
    """What the precision is of."""
    said: str
    table: Table | None = None
    more: str = ""
    """How many cells the table leaves out."""


def shown_precisions(results: StudyResults) -> list[ShownPrecision]:
    """What was attained of each precision that the results are held to."""
    return [_shown(results, attained) for attained in results.attained()]


def networks_in_words(results: StudyResults) -> str:
    """`20 networks`, or `10 to 20 networks` where cells have different numbers."""
    return _range(len(seeds) for seeds in results.cell_seeds)


def _shown(results: StudyResults, attained: Attained) -> ShownPrecision:
    wanted, said, short = _wanted(attained.wanted), _said(attained), attained.short
    if not short:
        return ShownPrecision(wanted, said)
    axes = list(results.study.table.axes)
    rows = [
        [
            found.cell.scheme,
            *(plain(label) for _, label in found.cell.point),
            _percent(found.width),
            f"{found.networks:,}",
        ]
        for found in short[:MOST_ROWS]
    ]
    heads = ["Scheme", *(capital(name_of(axis)) for axis in axes), "Half-width", "Networks"]
    more = len(short) - len(rows)
    return ShownPrecision(
        wanted,
        said,
        Table(heads, rows, names=1 + len(axes), numbers=len(heads)),
        f"and {more:,} more" if more else "",
    )


def _said(attained: Attained) -> str:
    narrow, cells = _percent(attained.wanted.relative_half_width), attained.cells
    short = attained.short
    if not cells:
        return "no cell has such values"
    if not short:
        after = _range(found.networks for found in cells)
        whole = f"all {len(cells):,} cells" if len(cells) > 1 else "the only cell"
        return f"{whole} within {narrow} after {after}"
    after, widest = _range(found.networks for found in short), short[0]
    return (
        f"{len(short):,} of {counted(len(cells), 'cell')} wider than {narrow} after {after}; "
        f"the widest: {widest.cell.name} ({_percent(widest.width)})"
    )


def _wanted(wanted: Precision) -> str:
    parts = [wanted.metric]
    parts += [] if wanted.relative_to is None else [f"relative to {wanted.relative_to}"]
    parts += [] if wanted.schemes is None else [f"of {', '.join(wanted.schemes)}"]
    parts += [] if wanted.where is None else [f"where {wanted.where}"]
    return " ".join(parts)


def _range(counts: Iterable[int]) -> str:
    found = sorted(counts)
    least, most = (found[0], found[-1]) if found else (0, 0)
    return counted(most, "network") if least == most else f"{least:,} to {most:,} networks"


def _percent(width: float) -> str:
    if not math.isfinite(width):
        return "no interval"
    return f"{100 * width:.0f} %" if width >= 0.1 else f"{100 * width:.2g} %"
