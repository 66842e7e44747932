"""The files in a study's folder that let a report do without the study file and its options."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from multihop.files import write_atomically
from multihop.scenario import to_toml

_FILE = "run.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """How the study was last run."""

    scale: str = "full"
    networks: int | None = None
    """In place of the scale's."""
    store: str | None = None
    """Folder of the runs, if it is not `store` in the study's."""


def write_folder(folder: Path, tables: dict[str, Any], asked: Asked) -> None:
    """Write the study and how it is run."""
    write_atomically(folder / "study.toml", to_toml(tables))
    write_atomically(folder / _FILE, json.dumps(asdict(asked)) + "\n")


def read_asked(folder: Path) -> Asked:
    """How the study in `folder` was run; the defaults where nothing is recorded."""
    try:
        found = json.loads((folder / _FILE).read_text("utf-8"))
        return Asked(**found)
    except (OSError, ValueError, TypeError):
        return Asked()
