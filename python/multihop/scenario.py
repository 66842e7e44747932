"""Where a scenario comes from: a file, TOML text or a mapping; and what is laid over it."""

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine

ScenarioSource = str | Path | Mapping[str, Any]

Overrides = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Source:
    """Scenario text as the engine takes it, with the overrides that its origin implies."""

    text: str
    overrides: Overrides


def load(scenario: ScenarioSource) -> Source:
    """Read a scenario from a path, TOML text (anything with a line break or `=`) or a mapping.

    A relative `file` in a scenario file is relative to that file's folder.
    """
    if isinstance(scenario, Mapping):
        return Source(to_toml(scenario), [])
    if isinstance(scenario, str) and ("\n" in scenario or "=" in scenario):
        return Source(scenario, [])
    path = Path(scenario)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise engine.ScenarioError(f"not UTF-8 text (byte {error.start})") from None
    return Source(text, _anchored_files(text, path.parent))


def scheme_overrides(scheme: str | None) -> Overrides:
    """Overrides that a scheme stands for; the error for an unknown name suggests the nearest."""
    if scheme is None:
        return []
    overrides = engine.scheme_overrides(scheme)
    if overrides is None:
        names = [name for name, _ in engine.schemes()]
        near = difflib.get_close_matches(scheme, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "allowed: " + ", ".join(names)
        raise engine.ScenarioError(f"unknown scheme {scheme!r}; {hint}")
    return overrides


def set_overrides(values: Mapping[str, Any] | None) -> Overrides:
    """Overrides from `{"key.path": value}`; text is passed as it is, the rest as TOML."""
    pairs = (values or {}).items()
    return [(key, value if isinstance(value, str) else toml_value(value)) for key, value in pairs]


def to_toml(scenario: Mapping[str, Any]) -> str:
    """Write a mapping as TOML, one line a top-level key; keys that are None are left out."""
    lines = [
        f"{_quoted(key)} = {toml_value(value)}\n"
        for key, value in scenario.items()
        if value is not None
    ]
    return "".join(lines)


def toml_key(key: str) -> str:
    """Write a key, bare where TOML allows it."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def toml_value(value: object) -> str:
    """Write a value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        items = (f"{_quoted(k)} = {toml_value(v)}" for k, v in value.items() if v is not None)
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if hasattr(value, "item"):  # a NumPy number
        return toml_value(value.item())
    raise TypeError(f"a scenario can't hold a {type(value).__name__}: {value!r}")


def _quoted(text: str) -> str:
    """A TOML basic string: as in JSON, with DEL escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _anchored_files(text: str, folder: Path) -> Overrides:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return []  # the engine says what is wrong, with the line
    overrides = []
    for section in ("topology", "mobility"):
        table = tables.get(section)
        file = table.get("file") if isinstance(table, dict) else None
        if isinstance(file, str) and not Path(file).is_absolute():
            overrides.append((f"{section}.file", str((folder / file).resolve())))
    return overrides
