"""Where headers, keys and values stand in TOML text that Python's own reader takes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Key = str | int
Path = tuple[Key, ...]
"""Keys from the top; a number is a place in a list."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A header or a key with its value, and where they stand in the text."""

    path: Path
    start: int
    value: int
    """Where the value begins; of a header as `end`."""
    stop: int
    """Where the value ends."""
    end: int
    """Where the next line begins."""
    is_header: bool = False


def parts_of(text: str) -> Iterator[Part]:
    """All headers and keys in their order."""
    table: Path = ()
    counts: dict[Path, int] = {}
    at = 0
    while at < len(text):
        line_end = _line_end(text, at)
        start = at + len(text[at:line_end]) - len(text[at:line_end].lstrip(" \t"))
        here = text[start : start + 1]
        if here in ("", "\n", "\r", "#"):
            at = line_end
            continue
        if here == "[":
            is_list = text.startswith("[[", start)
            names, stop = _names(text, start + (2 if is_list else 1))
            table = _resolved(names, counts)
            if is_list:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield Part(table, at, line_end, line_end, line_end, is_header=True)
            at = line_end
            continue
        names, stop = _names(text, start)
        value = _skipped(text, text.index("=", stop) + 1)
        stop = _value_end(text, value)
        end = _line_end(text, stop)
        yield Part((*table, *names), at, value, stop, end)
        at = end


def _resolved(names: Sequence[str], counts: dict[Path, int]) -> Path:
    """A header's path, with the place of the last table of each list on its way."""
    found: Path = ()
    for place, name in enumerate(names):
        found = (*found, name)
        if found in counts and place < len(names) - 1:
            found = (*found, counts[found])
    return found


def _names(text: str, at: int) -> tuple[list[str], int]:
    """The names of a dotted key, and where it ends."""
    found = []
    while True:
        at = _skipped(text, at)
        if text[at] in "\"'":
            end = _text_end(text, at)
            found.append(str(tomllib.loads(f"x = {text[at:end]}")["x"]))
            at = end
        else:
            bare = BARE.match(text, at)
            if bare is None:
                raise ValueError("no key")
            found.append(bare[0])
            at = bare.end()
        at = _skipped(text, at)
        if text[at : at + 1] != ".":
            return found, at
        at += 1


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _text_end(text: str, at: int) -> int:
    """Where a string ends that begins at `at`."""
    quote = text[at]
    if text.startswith(quote * 3, at):
        at += 3
        while not text.startswith(quote * 3, at):
            at += 2 if quote == '"' and text[at] == "\\" else 1
        at += 3
        while text[at : at + 1] == quote:  # one or two more may stand before the end
            at += 1
        return at
    at += 1
    while text[at] != quote:
        at += 2 if quote == '"' and text[at] == "\\" else 1
    return at + 1


def _value_end(text: str, at: int) -> int:
    """Where a value ends that begins at `at`."""
    depth = 0
    while at < len(text):
        here = text[at]
        if here in "\"'":
            at = _text_end(text, at)
            if depth == 0:
                return at
            continue
        if here == "#":
            if depth == 0:
                break
            at = _line_end(text, at)
            continue
        if here in "[{":
            depth += 1
        elif here in "]}":
            depth -= 1
            if depth == 0:
                return at + 1
        elif here in "\r\n" and depth == 0:
            break
        at += 1
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    return at


def elements(text: str, at: int) -> list[tuple[int, int]]:
    """Where each element of the list stands that begins at `at`; none if it is no list."""
    if text[at] != "[":
        return []
    found = []
    at += 1
    while text[at] != "]":
        if text[at] == "#":
            at = _line_end(text, at)
        elif text[at] in " \t\r\n,":
            at += 1
        else:
            end = at
            if text[at] in "[{\"'":
                end = _value_end(text, at)
            else:
                while text[end] not in ",]#\n \t":
                    end += 1
            found.append((at, end))
            at = end
    return found
