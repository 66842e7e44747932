"""Files that a study names in its settings: they are beside the study, wherever it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from multihop import prototypes
from multihop.scenario import is_policy

_KEY = re.compile(
    r"(topology|mobility|radio|flows\.[^.]+|agents(\.[^.]+)?)\.file"
    r"|routing\.scheme|(flows\.[^.]+\.)?transport\.scheme|mac\.rate"
)
"""Keys of a scenario that name a file, or may."""
_TABLE = re.compile(
    r"topology|mobility|radio|routing|mac|flows\.[^.]+|(flows\.[^.]+\.)?transport|agents(\.[^.]+)?"
)
"""Tables of a scenario that have such keys."""


def anchored(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The tables of a study file with the files of its scenarios relative to its `folder`."""
    found: dict[str, Any] = _settings(tables, folder)
    if isinstance(schemes := found.get("schemes"), list):
        found["schemes"] = [_scheme(scheme, folder) for scheme in schemes]
    scenario = found.get("scenario")
    if isinstance(scenario, dict):
        found["scenario"] = {
            name: [_table(f"{name}.{place}", inner, folder) for place, inner in enumerate(table)]
            if isinstance(table, list)
            else _table(name, table, folder)
            for name, table in scenario.items()
        }
    return found


def _scheme(scheme: Any, folder: Path) -> Any:
    """A scheme of the study; one that is a policy's file has the file's name without its ending."""
    if is_policy(scheme):
        return {"name": Path(scheme).stem, "scheme": str((folder / scheme).resolve())}
    if isinstance(scheme, dict) and is_policy(file := scheme.get("scheme")):
        return {**scheme, "scheme": str((folder / file).resolve())}
    return scheme


def _table(name: str, table: Any, folder: Path) -> Any:
    """A table of a scenario; what is none stays as it is."""
    if not isinstance(table, dict):
        return table
    return {
        key: _file(inner, value, folder)
        if _names_file(inner := f"{name}.{key}")
        else _table(inner, value, folder)
        for key, value in table.items()
    }


def _names_file(key: str) -> bool:
    return _KEY.fullmatch(key) is not None


def _settings(value: Any, folder: Path) -> Any:
    """Settings by key path, and the values of axes, wherever they are."""
    if isinstance(value, list):
        return [_settings(inner, folder) for inner in value]
    if not isinstance(value, dict):
        return value
    axis = value.get("key")
    of_axis: dict[str, str] = {"values": axis} if isinstance(axis, str) else {}
    return {key: _set(of_axis.get(key) or key, inner, folder) for key, inner in value.items()}


def _set(key: str, value: Any, folder: Path) -> Any:
    """What a study sets `key` to, or the values that it gives it."""
    if _names_file(key):
        return _file(key, value, folder)
    if _TABLE.fullmatch(key) is None:
        return _settings(value, folder)
    if isinstance(value, list):
        return [_table(key, inner, folder) for inner in value]
    return _table(key, value, folder)


def _file(key: Any, value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_file(key, inner, folder) for inner in value]
    if prototypes.is_reference(value):
        return prototypes.anchored(value, folder)
    if isinstance(value, str) and key.endswith(".file"):
        return str((folder / value).resolve())
    return value
