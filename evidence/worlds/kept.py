"""The map of worlds as a table: a screening of one paper alone is put beside those before it.

A row a cell of evidence/worlds.csv: its word, ratio, interval and p-values, and what held-out
networks said of it. A cell is replaced by one of as many networks or more.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from pydantic import TypeAdapter

from evidence.worlds.worlds import RATIOS, Cell, Ratio, Word, World
from multihop.files import write_atomically
from multihop.reproduction.headline_verdicts import Tested

TABLE = Path(__file__).resolve().parents[1] / "worlds.csv"
Again = dict[tuple[Ratio, World], Tested]
"""What held-out networks say of the cells that turned round."""
_PLACE = ("result", *(field.name for field in fields(World)))
_MEASURED = tuple(field.name for field in fields(Tested))
_SCREENED, _FRESH = "screened_", "fresh_"
_TESTED = TypeAdapter(Tested)
_WORD: TypeAdapter[Word] = TypeAdapter(Word)
_COLUMNS = (
    *_PLACE,
    "word",
    "near",
    *(prefix + name for prefix in (_SCREENED, _FRESH) for name in _MEASURED),
)


def read(table: Path) -> tuple[list[Cell], Again]:
    """The cells and confirmations kept in `table`; none if there is no such file.

    Raises:
        ValueError: the table lacks a column.
    """
    if not table.is_file():
        return [], {}
    rows = csv.DictReader(io.StringIO(table.read_text()))
    missing = [name for name in _COLUMNS if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"{table} has no column {', '.join(missing)}")
    ratios = {ratio.name: ratio for ratio in RATIOS}
    cells, again = [], {}
    for row in rows:
        ratio = ratios[row["result"]]
        world = World(*(row[name] for name in _PLACE[1:]))
        word = _WORD.validate_python(row["word"])
        cells.append(Cell(ratio, world, word, _measured(row, _SCREENED), float(row["near"] or 1)))
        fresh = _measured(row, _FRESH)
        if fresh is not None:
            again[ratio, world] = fresh
    return cells, again


def _measured(row: Mapping[str, str], prefix: str) -> Tested | None:
    if not row[f"{prefix}value"]:
        return None
    return _TESTED.validate_python({name: row[prefix + name] for name in _MEASURED})


def write(table: Path, cells: Iterable[Cell], again: Again) -> None:
    """Keep these cells, and what held-out networks say of them.

    Raises:
        OSError: the table can't be written.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for cell in cells:
        row: dict[str, object] = {"result": cell.ratio.name, "word": cell.word}
        row |= {name: getattr(cell.world, name) for name in _PLACE[1:]}
        row |= _columns(cell.result, _SCREENED) | _columns(
            again.get((cell.ratio, cell.world)), _FRESH
        )
        writer.writerow(row | ({"near": cell.near} if cell.result else {}))
    write_atomically(table, text.getvalue())


def _columns(result: Tested | None, prefix: str) -> dict[str, object]:
    if result is None:
        return {}
    return {prefix + name: getattr(result, name) for name in _MEASURED}


def merged(found: Sequence[Cell], kept: Iterable[Cell]) -> Iterator[Cell]:
    """Each cell as found, or as kept where that has more networks."""
    known = {(cell.ratio, cell.world): cell for cell in kept}
    for cell in found:
        other = known.get((cell.ratio, cell.world), cell)
        yield max(cell, other, key=lambda one: one.result.networks if one.result else 0)


def joined(found: Again, kept: Again) -> Again:
    """Confirmations as found, or as kept where those have more networks."""
    more = {
        key: result
        for key, result in found.items()
        if key not in kept or result.networks >= kept[key].networks
    }
    return kept | more
