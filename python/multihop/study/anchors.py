"""Files that a study names in its settings: they are beside the study, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

KEYS = ("topology.file", "mobility.file")
"""Keys of a scenario that name a file."""


def anchored(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The tables of a study file with the files of its scenarios relative to its `folder`."""
    found: dict[str, Any] = _settings(tables, folder)
    scenario = found.get("scenario")
    if isinstance(scenario, dict):
        found["scenario"] = {
            name: _table(name, table, folder) if isinstance(table, dict) else table
            for name, table in scenario.items()
        }
    return found


def _table(name: str, table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A table of a scenario."""
    return {
        key: _file(value, folder) if f"{name}.{key}" in KEYS else value
        for key, value in table.items()
    }


def _settings(value: Any, folder: Path) -> Any:
    """Settings by key path, and the values of axes, wherever they are."""
    if isinstance(value, list):
        return [_settings(inner, folder) for inner in value]
    if not isinstance(value, dict):
        return value
    names = [*KEYS, *(["values"] if value.get("key") in KEYS else [])]
    return {
        key: _file(inner, folder) if key in names else _settings(inner, folder)
        for key, inner in value.items()
    }


def _file(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_file(inner, folder) for inner in value]
    return str((folder / value).resolve()) if isinstance(value, str) else value
