"""Rankings as tables: the best of each group, those not distinguishable from it, the first few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from multihop.labels import plain
from multihop.metrics import METRICS
from multihop.report.selection import guarantee
from multihop.report.tables import Table
from multihop.report.wording import capital, name_of, scale_of, titled, with_interval
from multihop.study.document import Ranking
from multihop.study.ranking import RankingData

READING = (
    "The best is chosen by the same runs that give its value, which is therefore biased in its "
    "favour. A candidate is not distinguishable from it where the 95 % interval of their "
    "difference on the same networks includes 0."
)
"""What a reader of any ranking needs to know."""

Row = Mapping[str, Any]
"""A row of a ranking's frame."""


@dataclass(frozen=True, slots=True)
class RankingTables:
    """A ranking as it is shown."""

    ranking: Ranking
    notes: list[str]
    best: Table
    """A row for each group: the best, and which others are not distinguishable from it."""
    first: Table
    """A row for each group: the first few with their values."""


def ranking_tables(data: RankingData) -> RankingTables | None:
    """The tables of a ranking; none where nothing is ranked."""
    ranking, frame = data.ranking, data.frame
    if frame.is_empty():
        return None
    factor, unit = scale_of(data.unit, frame["value"])
    places = frame.partition_by(ranking.per, maintain_order=True) if ranking.per else [frame]
    heads = [capital(name_of(column)) for column in ranking.per]
    notes = [f"Only where {ranking.where}."] if ranking.where else []
    if ranking.best == "lowest":
        notes.append("Lowest is best.")
    if data.races:
        notes += guarantee(data)
    numbers = [titled(ranking.y, unit), *_baseline(ranking), *_counted(ranking)]
    others = "Eliminated after" if data.races else "Not distinguishable"
    best = Table(
        [*heads, "Best", *numbers, others],
        [[*_place(ranking, place), *_best(ranking, place, factor)] for place in places],
        names=len(heads) + 1,
        numbers=len(heads) + 1 + len(numbers),
    )
    ranks = min(ranking.shown, max(place.height for place in places))
    first = Table(
        [*heads, *map(str, range(1, ranks + 1))],
        [[*_place(ranking, place), *_first(ranking, place, factor, ranks)] for place in places],
        names=len(heads) + ranks,
        numbers=len(heads) + ranks,
    )
    return RankingTables(ranking, notes, best, first)


def _baseline(ranking: Ranking) -> list[str]:
    """The heading of the ratios, if there are any."""
    return [f"Ratio to {_name(ranking, ranking.baseline)}"] if ranking.baseline else []


def _counted(ranking: Ranking) -> list[str]:
    return ["Networks", "Flows"] if METRICS[ranking.y].level == "flow" else ["Networks"]


def _place(ranking: Ranking, place: pl.DataFrame) -> list[str]:
    return [plain(place[column][0]) for column in ranking.per]


def _best(ranking: Ranking, place: pl.DataFrame, factor: float) -> list[str]:
    rows = place.to_dicts()
    best, others, least = rows[0], rows[1:], METRICS[ranking.y].least
    ratio = [_measured(best, "ratio", 1.0, least)] if ranking.baseline else []
    counts = [f"{best[name.lower()]:,}" for name in _counted(ranking)]
    measured = [_measured(best, "", factor, least), *ratio, *counts]
    if "eliminated" in best:
        left = [row for row in rows if row["eliminated"] is None]
        name = _name(ranking, best) if len(left) == 1 else f"undecided: {_grouped(ranking, left)}"
        return [name, *measured, _eliminated(ranking, rows)]
    tied = [row for row in others if not row["distinguishable"]]
    share = f"{len(tied) or 'none'} of {len(others)}"
    listed = f"{share}: {_grouped(ranking, tied)}" if tied else share
    return [_name(ranking, best), *measured, listed]


def _eliminated(ranking: Ranking, rows: Sequence[Row]) -> str:
    """The eliminated by the networks after which they were, the last first."""
    groups: dict[int, list[Row]] = {}
    for row in rows:
        if row["eliminated"] is not None:
            groups.setdefault(row["eliminated"], []).append(row)
    return " / ".join(f"{after}: {_grouped(ranking, out)}" for after, out in groups.items())


def _first(ranking: Ranking, place: pl.DataFrame, factor: float, ranks: int) -> list[str]:
    rows, least = place.head(ranks).to_dicts(), METRICS[ranking.y].least
    shown = [f"{_name(ranking, row)} {_shown(row, factor, least)}" for row in rows]
    return [*shown, *("–" for _ in range(ranks - len(shown)))]


def _shown(row: Row, factor: float, least: float | None) -> str:
    """Its value; of one in a race, which has networks of its own, how far it is from the best."""
    if row.get("difference") is None or "eliminated" not in row:
        return _measured(row, "", factor, least)
    return f"{_measured(row, 'difference', factor, None)} to the best"


def _name(ranking: Ranking, row: Row) -> str:
    """A candidate: its scheme and its values of the axes."""
    return " + ".join(plain(row[part]) for part in ("scheme", *ranking.over))


def _grouped(ranking: Ranking, rows: Sequence[Row]) -> str:
    """Many candidates in few words: schemes grouped by their values of the axes, best first."""
    if not ranking.over:
        return ", ".join(_name(ranking, row) for row in rows)
    schemes: dict[str, list[str]] = {}
    for row in rows:
        values = " + ".join(plain(row[axis]) for axis in ranking.over)
        schemes.setdefault(values, []).append(row["scheme"])
    return "; ".join(
        f"({', '.join(names)}) + {values}" if len(names) > 1 else f"{names[0]} + {values}"
        for values, names in schemes.items()
    )


def _measured(row: Row, name: str, factor: float, least: float | None) -> str:
    keys: Sequence[str] = ("value", "low", "high")
    if name:
        keys = (name, f"{name}_low", f"{name}_high")
    value, low, high = (None if row[key] is None else row[key] * factor for key in keys)
    text, between = with_interval(value, low, high, least)
    return f"{text} ({between})" if between else text
