"""JSON files as people write them: every fault has its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from multihop.errors import ScenarioError

_DEEPEST = 80
_TOO_DEEP = "not a scenario: nested too deeply"
_BLANKS = re.compile(r"[ \t\r\n]*")


MOST_BYTES, MOST_TABLES, MOST_VALUES = 256 << 20, 3_000_000, 30_000_000
"""Of JSON that a program wrote; more takes gigabytes of memory to read, however small it was."""


def bounded(text: bytes) -> Any:
    """What JSON that a program wrote holds, if that fits into memory.

    Raises:
        ValueError: it is not JSON, or holds too much.
    """
    is_large = (
        len(text) > MOST_BYTES
        or text.count(b"{") + text.count(b"[") > MOST_TABLES
        or text.count(b",") > MOST_VALUES
    )
    if is_large:
        raise ValueError("holds too much")
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def parse(text: str) -> dict[str, Any]:
    """The object that `text` is.

    Raises:
        ScenarioError: it is not JSON, not an object, or an object has a key twice; with the line.
    """
    try:
        found = json.loads(text)
        repeated = next(_repeated(text, _skip(text, 0)), None)
    except json.JSONDecodeError as error:
        fault = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise ScenarioError(f"line {error.lineno}: {fault}", error.lineno, "", fault) from None
    except RecursionError:
        raise ScenarioError(_TOO_DEEP) from None
    except ValueError:
        raise ScenarioError("not a scenario: has a number of thousands of digits") from None
    if not isinstance(found, dict):
        raise ScenarioError("must be a JSON object, in braces")
    if _depth(found) > _DEEPEST:
        raise ScenarioError(_TOO_DEEP)
    if repeated is not None:
        key, place = repeated
        line, fault = _line(text, place), f"duplicate key {key}"
        raise ScenarioError(f"line {line}: {fault}", line, "", fault)
    return found


def _depth(value: object) -> int:
    """How deep objects and lists are nested."""
    depth, level = 0, [value]
    while level := [
        inner
        for outer in level
        if isinstance(outer, (dict, list))
        for inner in (outer.values() if isinstance(outer, dict) else outer)
    ]:
        depth += 1
    return depth


def line_of(text: str, path: str) -> int | None:
    """Line of the key at `path`, as `flows.0.source`, or of the innermost part that is there."""
    line, place = None, _skip(text, 0)
    for part in path.split("."):
        found = {name: (named, value) for name, named, value in _members(text, place)}
        if part not in found:
            return line
        named, place = found[part]
        line = _line(text, named)
    return line


def _repeated(text: str, place: int) -> Iterator[tuple[str, int]]:
    """Keys that an object has already, with their places."""
    seen: set[str] = set()
    for name, named, value in _members(text, place):
        if name in seen:
            yield name, named
        seen.add(name)
        yield from _repeated(text, value)


def _members(text: str, place: int) -> Iterator[tuple[str, int, int]]:
    """Members of the object or list at `place`: name or number, its place, its value's place."""
    if text[place] not in "{[":
        return
    named, number = _skip(text, place + 1), 0
    while text[named] not in "]}":
        name, value = str(number), named
        if text[place] == "{":
            name, end = json.JSONDecoder().raw_decode(text, named)
            value = _skip(text, _skip(text, end) + 1)
        yield name, named, value
        _, end = json.JSONDecoder().raw_decode(text, value)
        named = _skip(text, end)
        if text[named] == ",":
            named = _skip(text, named + 1)
        number += 1


def _skip(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
