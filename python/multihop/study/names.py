"""Values and names of the study file, and whether a name is among those allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multihop.errors import StudyError

Value = bool | int | float | str

NAME = r"^[a-z0-9][a-z0-9-]*$"
"""What figures and rankings may be called: their files are named after them."""


def one_of(where: str, name: Value, allowed: Sequence[Any]) -> None:
    """Refuse a value of the key `where` that is not among those allowed.

    Raises:
        StudyError: naming the key and what is allowed.
    """
    if name not in allowed:
        listed = ", ".join(str(item) for item in allowed) or "none"
        raise StudyError.at(where, f"must be one of {listed} (got {name!r})")
