"""The one folder whose files the page reads and writes, by their names alone."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(r"[\w][\w .-]{0,80}\.(toml|html)")
_MOST = 200


class Refused(ValueError):
    """Something that is not done; the message is one line."""


def own_files(folder: Path) -> list[str]:
    """The scenarios of the folder that can be opened."""
    found = folder.glob("*.toml")
    own = sorted(path.name for path in found if path.is_file() and _NAME.fullmatch(path.name))
    return own[:_MOST]


def file_of(folder: Path, name: object) -> Path:
    """A file of the folder, which need not be there.

    Raises:
        Refused: the name is a path, or that of something else than a file.
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise Refused("a name is letters, digits, blanks, - . _ and ends in .toml or .html")
    path = folder / name
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise Refused(f"{name}: no file of this folder")
    return path
