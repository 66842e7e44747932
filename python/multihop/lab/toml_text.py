"""Changing TOML text in place: a value, a key or a table, and all comments that stand elsewhere.

Every change is checked against Python's own reader. Where the text is written in a way that can't
be changed in place, the whole of it is written anew, without its comments.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tomli_w

from multihop.lab.toml_parts import BARE, Key, Part, Path, elements, parts_of

REMOVED = None
"""The value that takes a key away."""
_WIDEST = 100
_SHORT_FORMS = ("mac", "routing", "transport")
"""Tables for which the text of their `scheme` may stand."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value for a key, or none to take it away."""

    path: Path
    value: Any = REMOVED


@dataclass(frozen=True, slots=True)
class Changed:
    """Text after changes."""

    text: str
    kept: bool
    """Whether what was not changed stands as it stood, comments included."""


def changed(text: str, changes: Sequence[Change]) -> Changed:
    """The text with the changes, one after the other.

    Raises:
        tomllib.TOMLDecodeError: the text is not TOML.
        KeyError: a path leads nowhere.
    """
    kept = True
    for change in changes:
        wanted = applied(tomllib.loads(text), change)
        try:
            made = _in_place(text, change)
            is_right = tomllib.loads(made) == wanted
        except (LookupError, ValueError, TypeError):
            is_right = False
        if not is_right:
            made, kept = tomli_w.dumps(wanted), False
        text = made
    return Changed(text, kept)


def applied(tables: dict[str, Any], change: Change) -> dict[str, Any]:
    """The tables with a change.

    Raises:
        KeyError: the path leads through something that is no table or list.
    """
    found = copy.deepcopy(tables)
    if not change.path:
        raise KeyError("no path")
    at: Any = found
    for place, key in enumerate(change.path[:-1]):
        if isinstance(key, int):
            if not (isinstance(at, list) and 0 <= key < len(at)):
                raise KeyError(change.path)
        elif not isinstance(at, dict):
            raise KeyError(change.path)
        elif key not in at:
            at[key] = [] if isinstance(change.path[place + 1], int) else {}
        elif isinstance(at[key], str) and key in _SHORT_FORMS:
            at[key] = {"scheme": at[key]}
        at = at[key]
    _put(at, change.path[-1], change)
    if at == [] and isinstance(change.path[0], str) and len(change.path) == 2:
        del found[change.path[0]]  # a list of tables that has none is not written
    return found


def _put(at: Any, last: Key, change: Change) -> None:
    if isinstance(last, int):
        if not isinstance(at, list) or not 0 <= last <= len(at):
            raise KeyError(change.path)
        if change.value is REMOVED:
            del at[last : last + 1]
        elif last == len(at):
            at.append(change.value)
        else:
            at[last] = change.value
    elif not isinstance(at, dict):
        raise KeyError(change.path)
    elif change.value is REMOVED:
        at.pop(last, None)
    else:
        at[last] = change.value


def written(value: Any, indent: str = "") -> str:
    """A value as TOML; lists that are too long for a line in several."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            inner = [written(each) for each in value]
            line = f"[{', '.join(inner)}]"
            return line if len(line) <= _WIDEST else _wrapped(inner, indent)
        case dict():
            pairs = [f"{_key(key)} = {written(each)}" for key, each in value.items()]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise TypeError(type(value).__name__)


def _wrapped(inner: Sequence[str], indent: str) -> str:
    lines, line = [], indent + "  "
    for each in inner:
        if len(line) + len(each) > _WIDEST and line.strip():
            lines.append(line.rstrip())
            line = indent + "  "
        line += f"{each}, "
    return "[\n" + "\n".join([*lines, line.rstrip()]) + f"\n{indent}]"


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _in_place(text: str, change: Change) -> str:
    parts = [*parts_of(text)]
    path, value = change.path, change.value
    for part in parts:
        if not part.is_header and part.path == path[: len(part.path)]:
            return _within(text, part, change)
    headers = [part for part in parts if part.is_header and part.path[: len(path)] == path]
    below = [part for part in parts if not part.is_header and part.path[: len(path)] == path]
    if headers or below:
        bare = _without(text, parts, [*headers, *below])
        if value is REMOVED:
            return bare
        start = min(part.start for part in [*headers, *below])
        return bare[:start].rstrip("\n") + "\n\n" + _new(change) + _spaced(bare[start:])
    if value is REMOVED:
        return text
    if isinstance(value, dict) or isinstance(path[-1], int):
        return _placed(text, parts, change)
    return _added(text, parts, change)


def _within(text: str, part: Part, change: Change) -> str:
    """Change what stands behind one key."""
    if part.path == change.path:
        if change.value is REMOVED:
            return text[: part.start] + text[part.end :]
        return text[: part.value] + written(change.value) + text[part.stop :]
    rest = change.path[len(part.path) :]
    spans = elements(text, part.value) if len(rest) == 1 and isinstance(rest[0], int) else []
    if spans and int(rest[0]) < len(spans) and change.value is not REMOVED:
        start, stop = spans[int(rest[0])]
        return text[:start] + written(change.value) + text[stop:]
    old = tomllib.loads(f"x = {text[part.value : part.stop]}")
    if isinstance(old["x"], str) and part.path[-1] in _SHORT_FORMS:
        old["x"] = {"scheme": old["x"]}
    new = applied(old, Change(("x", *rest), change.value))["x"]
    return text[: part.value] + written(new) + text[part.stop :]


def _without(text: str, parts: Sequence[Part], gone: Sequence[Part]) -> str:
    """The text without these headers and keys, and the comments right above the headers."""
    starts = [part.start for part in parts]
    for part in sorted(gone, key=lambda each: -each.start):
        start, end = part.start, part.end
        if part.is_header:
            start = _above(text, start)
        after = next((other for other in starts if other >= end), len(text))
        if not text[end:after].strip():
            end = after if part.is_header else end
        text = text[:start] + text[end:]
    return text


def _above(text: str, start: int) -> int:
    """Where the comments begin that stand right above a line."""
    while start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        if not text[before:start].lstrip().startswith("#"):
            break
        start = before
    return start


def _placed(text: str, parts: Sequence[Part], change: Change) -> str:
    """The text with a new table behind the last of its kind, or at the end."""
    alike = [p for p in parts if p.path[:1] == change.path[:1]]
    end = max((part.end for part in alike), default=len(text))
    return text[:end].rstrip("\n") + "\n\n" + _new(change) + _spaced(text[end:])


def _spaced(rest: str) -> str:
    return "\n" + rest.lstrip("\n") if rest.strip() else ""


def _new(change: Change) -> str:
    """A table with its header, or a key at the top."""
    names = [key for key in change.path if isinstance(key, str)]
    header = ".".join(map(_key, names))
    if not isinstance(change.value, dict):
        return f"{header} = {written(change.value)}\n"
    opened = f"[[{header}]]" if isinstance(change.path[-1], int) else f"[{header}]"
    lines = [f"{_key(key)} = {written(value)}" for key, value in change.value.items()]
    return "\n".join([opened, *lines]) + "\n"


def _added(text: str, parts: Sequence[Part], change: Change) -> str:
    """The text with a new key in the nearest table that has a header, or in one of its own."""
    path = change.path
    if len(path) == 1:
        first = next((part for part in parts if part.is_header), None)
        mine = [part for part in parts if not part.is_header and len(part.path) == 1]
        end = mine[-1].end if mine else _above(text, first.start) if first else len(text)
        return _ended(text[:end]) + _new(change) + text[end:]
    for length in range(len(path) - 1, 0, -1):
        header = next((p for p in parts if p.is_header and p.path == path[:length]), None)
        if header is None:
            continue
        at = parts.index(header)
        own = [header]
        for part in parts[at + 1 :]:
            if part.is_header:
                break
            own.append(part)
        name = ".".join(_key(str(key)) for key in path[length:])
        end = own[-1].end
        return _ended(text[:end]) + f"{name} = {written(change.value)}\n" + text[end:]
    name = ".".join(_key(str(key)) for key in path[1:])
    head = f"\n[{_key(str(path[0]))}]\n"
    first_list = next((p for p in parts if p.is_header and isinstance(p.path[-1], int)), None)
    start = _above(text, first_list.start) if first_list else len(text)
    made = f"{head}{name} = {written(change.value)}\n"
    return _ended(text[:start]).rstrip("\n") + "\n" + made + _spaced(text[start:])


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
