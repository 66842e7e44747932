"""Where a scenario comes from: a file, TOML text or a mapping; and what is laid over it."""

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import tomli_w

from multihop import catalogue, engine, json_text, prototypes
from multihop.engine import Overrides, Syntax
from multihop.files import read_text

Tables = Mapping[str, Any]
"""A resolved scenario, or a table of one."""

ScenarioSource = str | Path | Tables

MAX_SEED = 2**53 - 1
"""The largest seed that every reader of JSON and TOML keeps exactly."""


@dataclass(frozen=True, slots=True)
class Source:
    """Scenario text as the engine takes it, with the overrides that its origin implies."""

    text: str
    overrides: Overrides
    syntax: Syntax = "toml"

    def tables(self) -> dict[str, Any]:
        """The scenario as a mapping, without the overrides."""
        if self.syntax == "toml":
            return _toml(self.text)
        tables: dict[str, Any] = json.loads(self.text)
        return tables


def load(scenario: ScenarioSource) -> Source:
    """Read a scenario from a path, the name of an example, TOML text or a mapping.

    Text is TOML if it has a line break or `=`.

    A file is TOML or, if it ends in `.json`, JSON.

    A relative `file` in a scenario file is relative to that file's folder, as is that of a
    congestion control or a rate control in Python.
    """
    if isinstance(scenario, Mapping):
        return Source(engine.to_json(plain(scenario)), [], "json")
    if isinstance(scenario, str) and _is_text(scenario):
        _toml(scenario)
        return Source(scenario, [])
    path = catalogue.located(scenario, "scenario")
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        raise engine.ScenarioError(f"not UTF-8 text (byte {error.start})") from None
    if path.suffix.lower() == ".json":
        tables = json_text.parse(text.removeprefix("\ufeff"))  # as Windows' editors begin a file
        return Source(engine.to_json(tables), _anchored_files(tables, path.parent), "json")
    return Source(text, _anchored_files(_toml(text), path.parent))


def _is_text(scenario: str) -> bool:
    """Whether a scenario is given as TOML text; a file may have such a name, too."""
    return ("\n" in scenario or "=" in scenario) and not os.path.lexists(scenario)


def is_policy(scheme: object) -> TypeGuard[str]:
    """Whether a scheme's name is that of a file of a learned policy, `FILE.json`."""
    return isinstance(scheme, str) and scheme.endswith(".json")


def scheme_overrides(scheme: str | None) -> list[tuple[str, str]]:
    """Overrides that a scheme stands for; the error for an unknown name suggests the nearest."""
    if scheme is None:
        return []
    if is_policy(scheme):
        file = to_toml({"file": scheme}).strip()
        return [("agents", f"[{{{file}}}]")]
    if prototypes.is_reference(scheme):
        return [(prototypes.key_of(scheme), scheme)]
    overrides = engine.scheme_overrides(scheme)
    if overrides is None:
        names = [*engine.scheme_names()]
        near = difflib.get_close_matches(scheme, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "allowed: " + ", ".join(names)
        raise engine.ScenarioError(
            "; ".join([f"unknown scheme {scheme!r}", hint, *engine.faults()])
        )
    return overrides


def set_overrides(values: Mapping[str, Any] | None) -> Overrides:
    """Overrides from `{"key.path": value}`; text is read as TOML if it is that."""
    return [(key, plain(value, key)) for key, value in (values or {}).items()]


def to_toml(tables: Mapping[str, Any]) -> str:
    """Write a mapping as TOML; keys that are None are left out."""
    return tomli_w.dumps(plain(tables))


def plain(value: Any, key: str = "") -> Any:
    """The same as plain data that TOML can hold; keys that are None are left out.

    Raises:
        ScenarioError: it holds something else; with its key, below `key`.
    """
    if isinstance(value, (bool, int, float, str)) and not hasattr(value, "dtype"):
        return value
    if isinstance(value, Mapping):
        return {
            name: plain(inner, _below(key, name))
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, (list, tuple)):
        return [plain(inner, _below(key, number)) for number, inner in enumerate(value)]
    if isinstance(value, type):
        try:
            return prototypes.reference(value)
        except engine.ScenarioError as error:
            raise engine.ScenarioError.at(key, error.fault) from None
    if hasattr(value, "item"):  # a NumPy number
        return plain(value.item(), key)
    raise engine.ScenarioError.at(key, f"can't be a {type(value).__name__} (got {value})")


def _below(key: str, name: object) -> str:
    return f"{key}.{name}" if key else str(name)


def toml(text: str) -> dict[str, Any]:
    """The tables of TOML text.

    Raises:
        ScenarioError: it is not TOML; with the line.
        tomllib.TOMLDecodeError: it is TOML 1.1, which only the engine reads.
    """
    engine.check_toml(text)  # says where, and has limits where Python takes minutes
    return tomllib.loads(text)


def _toml(text: str) -> dict[str, Any]:
    """The tables of a scenario; none of text that only the engine can read."""
    try:
        return toml(text)
    except tomllib.TOMLDecodeError:
        return {}


def _anchored_files(tables: Tables, folder: Path) -> list[tuple[str, str]]:
    overrides = []
    sections = {section: tables.get(section) for section in ("topology", "mobility", "radio")}
    for key in ("flows", "agents"):
        listed = tables.get(key)
        if isinstance(listed, list):
            sections |= {f"{key}.{place}": table for place, table in enumerate(listed)}
    for section, table in sections.items():
        file = table.get("file") if isinstance(table, dict) else None
        if isinstance(file, str) and "\0" in file:
            raise engine.ScenarioError.at(f"{section}.file", f"no file's name (got {file!r})")
        if isinstance(file, str) and not Path(file).is_absolute():
            overrides.append((f"{section}.file", str((folder / file).resolve())))
    named = _classes(tables)
    return overrides + [(key, prototypes.anchored(name, folder)) for key, name in named]


def classes(tables: Tables) -> list[str]:
    """The classes of Python files that a scenario names."""
    return [name for _, name in _classes(tables)]


def _classes(tables: Tables) -> Iterator[tuple[str, str]]:
    """The classes that a scenario names, each with the key that names it."""
    flows = tables.get("flows")
    of_flows = enumerate(flows) if isinstance(flows, list) else ()
    found = [(key, tables.get(key), "scheme") for key in ("routing", "transport")]
    found.append(("mac", tables.get("mac"), "rate"))
    found += [
        (f"flows.{place}.transport", flow.get("transport"), "scheme")
        for place, flow in of_flows
        if isinstance(flow, dict)
    ]
    for path, table, key in found:
        # A scheme's name can stand for its table.
        name = table.get(key) if isinstance(table, dict) else table if key == "scheme" else None
        if prototypes.is_reference(name):
            yield f"{path}.{key}", name
