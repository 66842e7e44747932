"""What a file describes, told by its keys."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from multihop import ScenarioError
from multihop.files import read_text
from multihop.scenario import toml

Kind = Literal["scenario", "study", "reading"]

_KEYS: dict[Kind, set[str]] = {
    "reading": {"choices", "argument", "tried"},
    "study": {"question", "scale", "schemes"},
    "scenario": {"topology", "flows"},
}


def kind_of(file: Path) -> Kind | None:
    """What a file is told by its keys; none if by none, or if it can't be read as TOML."""
    try:
        tables = toml(read_text(file))
    except (OSError, ScenarioError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return next((kind for kind, keys in _KEYS.items() if tables.keys() & keys), None)
