"""Finds the line of a key in TOML text, which `tomllib` does not report."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

Path = tuple[str, ...]

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_KEY})\s*\]")
_ASSIGNMENT = re.compile(rf"\s*({_KEY})\s*=")
_SYNTAX = re.compile(r"(.*?) \(at line (\d+), column \d+\)$", re.DOTALL)


def line_of(text: str, path: Sequence[str]) -> int | None:
    """Line of the key at `path`, or of the nearest table or key around it; from 1."""
    lines = _lines(text)
    for length in range(len(path), 0, -1):
        if (line := lines.get(tuple(path[:length]))) is not None:
            return line
    return None


def syntax_fault(error: tomllib.TOMLDecodeError) -> str:
    """The syntax error of text that is not TOML, as one line that begins with its position."""
    match = _SYNTAX.match(str(error))
    return f"line {match[2]}: not TOML: {match[1]}" if match else f"not TOML: {error}"


def _lines(text: str) -> dict[Path, int]:
    """Line of each table and of each key that begins a line. `text` must be valid TOML."""
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        begun = number
        if match := _TABLE.match(lines[number]):
            table = _parts(match[2])
            if match[1] == "[[":
                place = counts.get(table, -1) + 1
                counts[table] = place
                table = (*table, str(place))
            else:
                table = _within(table, counts)
            found.setdefault(table, number + 1)
            found.setdefault(table[:1], number + 1)
        elif match := _ASSIGNMENT.match(lines[number]):
            found.setdefault(table + _parts(match[1]), number + 1)
            while not _is_whole(lines[begun : number + 1]) and number + 1 < len(lines):
                number += 1
        number += 1
    return found


def _within(table: Path, counts: dict[Path, int]) -> Path:
    """`[a.b]` below `[[a]]` is in its latest entry."""
    for length in range(len(table) - 1, 0, -1):
        if table[:length] in counts:
            return (*table[:length], str(counts[table[:length]]), *table[length:])
    return table


def _is_whole(lines: list[str]) -> bool:
    """Whether an assignment ends with these lines."""
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _parts(key: str) -> Path:
    return tuple(part.strip("\"'") for part in re.findall(_PART, key))
