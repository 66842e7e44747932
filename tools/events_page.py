"""Puts the tables of the record of events into docs/use/events.md."""

from __future__ import annotations

from pathlib import Path

from multihop import engine
from multihop.files import put_between

PAGE = Path(__file__).resolve().parents[1] / "docs" / "use" / "events.md"
MARKERS = ("<!-- columns: begin -->", "<!-- columns: end -->")


def tables() -> str:
    """The columns, then the words of each that has words."""
    columns = engine.event_columns()
    parts = [_table("column", [(column.name, column.about) for column in columns])]
    for column in columns:
        if column.words is not None:
            rows = [(word, about) for word, about in column.words.items() if word]
            parts += [f"### `{column.name}`", _table(column.name, rows)]
    return "\n\n".join(parts)


def _table(name: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {name} | what |", "|---|---|", *(f"| `{word}` | {text} |" for word, text in rows)]
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    put_between(PAGE, MARKERS, tables())


if __name__ == "__main__":
    main()
