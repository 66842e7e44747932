"""What is laid over a scenario, and what a named scheme changes of what it sets itself."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from multihop.engine import Overrides
from multihop.errors import ReadingError
from multihop.scenario import Source, Tables, plain, scheme_overrides, set_overrides

if TYPE_CHECKING:
    from multihop.reading import Reading


def reading_for(scheme: str | None, reading: str | Reading | None) -> Reading | None:
    """The reading that a scheme runs under: the one asked for, else the default of its paper.

    Raises:
        ReadingError: there is no such reading, or it says nothing about the scheme, so that it
            would only seem to hold.
    """
    if reading is None and scheme is None:
        return None
    from multihop.reading import find, of_scheme  # takes 0.1 s to import

    if reading is None:
        return of_scheme(scheme)
    found = find(reading) if isinstance(reading, str) else reading
    if found.overrides(scheme) or found.concerns(scheme):
        return found
    concerned = [name for choice in found.choices for name in choice.schemes or []]
    if not concerned:  # a setting that takes every choice as the schemes do
        return found
    fault = f"says nothing about {scheme}" if scheme else "needs a scheme"
    listed = ", ".join(dict.fromkeys(concerned))
    raise ReadingError(f"reading {found.name}: {fault}; it concerns {listed}")


def settings_of(
    scheme: str | None, reading: Reading | None, set: Mapping[str, Any] | None
) -> list[tuple[str, Any]]:
    """What wins over a scheme: a reading's choices for it, then `set`."""
    return [*(reading.overrides(scheme) if reading else []), *set_overrides(set)]


def overrides_of(source: Source, scheme: str | None, settings: Overrides) -> Overrides:
    """All that is laid over a scenario; the last wins."""
    return [*source.overrides, *scheme_overrides(scheme), *settings]


def overridden(
    scheme: str | None, tables: Tables, told: Collection[str], reading: Reading | None = None
) -> str | None:
    """What `scheme` changes of what the scenario in `tables` sets, in words; none if nothing.

    Keys at or below the paths in `told` do not count, as they have another value in the end.
    """
    changes = []
    read = reading.overrides(scheme) if reading else []
    preset = [(path, _value(value)) for path, value in scheme_overrides(scheme)]
    for layer, later in ((preset, [*told, *(key for key, _ in read)]), (read, told)):
        for path, value in layer:
            for key, new, old in _changes(path, value, _at(tables, path)):
                if not any(within(key, other) for other in later):
                    said = "its default" if new is None else _shown(new)
                    changes.append(f"{key} = {said} (file: {_shown(old)})")
    return f"{scheme} sets {', '.join(changes)}" if changes else None


def within(key: str, path: str) -> bool:
    """Whether `key` is at or below `path`."""
    return key == path or key.startswith(f"{path}.")


def _shown(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def _at(tables: object, path: str) -> Any:
    """The value at a key path; none where the file has none."""
    for part in path.split("."):
        if isinstance(tables, str) and part == "scheme":
            continue  # its name stands for its table
        tables = tables.get(part) if isinstance(tables, dict) else None
    return tables


def _changes(path: str, new: Any, told: Any) -> Iterator[tuple[str, Any, Any]]:
    """Keys below `path` that the file sets and that get another value; none for its default."""
    if isinstance(new, dict) and isinstance(told, str):
        told = {"scheme": told}  # a scheme's name stands for its table
    if isinstance(new, dict) and isinstance(told, dict):
        for key, value in told.items():
            yield from _changes(f"{path}.{key}", new.get(key), value)
    elif told is not None and new != told:
        yield path, new, told


def _value(text: str) -> object:
    """An override's value: TOML if it is that, else text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text
