"""The files in a study's folder that let a report do without the study file and its options."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from multihop.errors import StudyError
from multihop.files import read_bytes, write_within
from multihop.scenario import to_toml

_FILE = "run.json"
MOST_NETWORKS = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """How the study was last run."""

    scale: str = "full"
    networks: Annotated[int, Field(ge=1, le=MOST_NETWORKS)] | None = None
    """In place of the scale's."""
    store: str | None = None
    """Folder of the runs, if it is not `store` in the study's."""


def write_folder(folder: Path, tables: dict[str, Any], asked: Asked) -> None:
    """Write the study and how it is run."""
    write_within(folder / "study.toml", to_toml(tables))
    write_within(folder / _FILE, json.dumps(asdict(asked)) + "\n")


def read_tables(folder: Path) -> dict[str, Any] | None:
    """The tables of the study in `folder`; none where none can be read."""
    try:
        return tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def read_asked(folder: Path) -> Asked:
    """How the study in `folder` was run; the defaults where nothing is recorded.

    Raises:
        StudyError: what is recorded is damaged.
    """
    file = folder / _FILE
    try:
        return TypeAdapter(Asked).validate_json(read_bytes(file), strict=True)
    except FileNotFoundError:
        return Asked()
    except ValidationError as error:
        fault = error.errors()[0]
        where = "".join(f"{part}: " for part in fault["loc"])
        message = " ".join(fault["msg"].split())
        raise StudyError(
            f"{file}: {where}{message}; run the study again with --resume to write it anew"
        ) from None
