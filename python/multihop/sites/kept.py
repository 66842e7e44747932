"""The values that a plan has found so far, in a file, so that it can go on after an end."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from multihop.errors import ScenarioError
from multihop.files import read_text, write_atomically


class Kept:
    """Values by seed and candidate; in a file as well, if there is one.

    A line says what was asked, then there is one for each seed, written when its runs are done.
    """

    def __init__(self, path: Path | None, asked: str) -> None:
        self.values: dict[int, dict[str, float]] = {}
        self._path, self._asked = path, asked
        if path is None:
            return
        if path.exists():
            self._read(path)
        else:
            write_atomically(path, json.dumps({"asked": asked}) + "\n")

    def add(self, seed: int, values: Mapping[str, float]) -> None:
        """Keep more values of a seed."""
        self.values.setdefault(seed, {}).update(values)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"seed": seed, "values": dict(values)}) + "\n")

    def _read(self, path: Path) -> None:
        head, *rows = read_text(path).splitlines() or [""]
        try:
            asked = json.loads(head)["asked"]
        except (ValueError, TypeError, KeyError):
            raise ScenarioError(f"--keep {path}: is no file of a plan's values") from None
        if asked != self._asked:
            raise ScenarioError(
                f"--keep {path}: is of another plan: scenario, candidates, objective, houses and "
                "build of the engine must be the same"
            )
        for number, row in enumerate(rows, 2):
            try:
                told = json.loads(row)
                seed, values = (
                    int(told["seed"]),
                    {str(k): float(v) for k, v in told["values"].items()},
                )
                if not all(math.isfinite(value) for value in values.values()):
                    raise ValueError
            except (ValueError, TypeError, KeyError, AttributeError):
                if number == len(rows) + 1:  # an end came while it was written
                    write_atomically(path, "\n".join([head, *rows[:-1]]) + "\n")
                    return
                raise ScenarioError(f"--keep {path}: line {number}: holds no values") from None
            self.values.setdefault(seed, {}).update(values)
