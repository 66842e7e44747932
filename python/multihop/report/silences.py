"""Why flows were silent, as a section of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multihop.explain import CAUSES
from multihop.labels import plain
from multihop.report.tables import Table
from multihop.report.wording import capital, counted, name_of
from multihop.study.results import StudyResults
from multihop.study.silences import ExplainedCell


@dataclass(frozen=True, slots=True)
class ShownSilences:
    """Shares of causes by cell, and the longest silence of each."""

    note: str
    table: Table
    longest: list[tuple[str, str]]
    """Cells and their longest silences in words."""


def shown_silences(
    results: StudyResults, cells: Sequence[ExplainedCell], networks: int
) -> ShownSilences:
    """The section on cells as `study.silences.explained_cells` gives them."""
    causes = [cause for cause in CAUSES if any(one.shares.lengths_s[cause] for one in cells)]
    axes = list(results.study.table.axes)
    headings = [*(capital(name_of(axis)) for axis in axes), "Scheme", "Silent"]
    headings += [capital(cause.replace("-", " ")) for cause in causes]
    rows = [
        [
            *(plain(label) for _, label in one.cell.point),
            one.cell.scheme,
            _percent(one.shares.silent_share),
            *(_percent(one.shares.share(cause)) for cause in causes),
        ]
        for one in cells
    ]
    used = min(networks, len(results.seeds))
    note = (
        "Silent: the share of the flows' time without a delivery in order; "
        "then each cause's share of that. "
        f"{counted(used, 'network')}, run again with all events recorded."
    )
    longest = [(one.cell.name, one.shares.longest.brief) for one in cells if one.shares.longest]
    return ShownSilences(note, Table(headings, rows, len(axes) + 1, len(headings)), longest)


def _percent(share: float) -> str:
    return f"{share:.1%}"
