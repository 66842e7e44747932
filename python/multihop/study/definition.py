"""A study as it is defined: its file read and checked, and the runs that it asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from multihop.engine import ScenarioError
from multihop.scenario import ScenarioSource
from multihop.study import columns
from multihop.study.document import StudyTable, fault_of, one_of, resolve_path
from multihop.study.lines import line_of, syntax_fault
from multihop.study.plan import Cell, SettingError, cells

SCALES = ("quick", "full")


class StudyError(ScenarioError):
    """A study that can't be run; the message is one line and begins with the key at fault."""


class Definition:
    """What a study compares, over which networks and axes.

    Takes the tables of a study file as keyword arguments; `read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    def __init__(self, *, folder: str | Path = ".", **tables: Any) -> None:
        self.folder = Path(folder)
        self._file: tuple[Path, str] | None = None
        self._tables = tables
        try:
            self.table = StudyTable.model_validate(tables)
            columns.check(self.table)
        except ValidationError as error:
            raise StudyError(fault_of(error)) from None
        except ValueError as error:
            raise StudyError(str(error)) from None

    @classmethod
    def read(cls, file: str | Path) -> Self:
        """Read a study file; paths in it are relative to it."""
        path = Path(file)
        text = ""
        try:
            text = path.read_text(encoding="utf-8")
            tables = tomllib.loads(text)
            if "folder" in tables:
                raise StudyError("folder: unknown key")
            found = cls(folder=path.parent, **tables)
        except tomllib.TOMLDecodeError as error:
            raise StudyError(f"{path}: {syntax_fault(error)}") from None
        except UnicodeDecodeError as error:
            raise StudyError(f"{path}: not UTF-8 text (byte {error.start})") from None
        except StudyError as error:
            raise _placed(error, path, text) from None
        found._file = (path, text)
        return found

    @property
    def title(self) -> str:
        """What the study is called."""
        return self.table.title

    @property
    def tables(self) -> dict[str, Any]:
        """The tables as they were given."""
        return dict(self._tables)

    @property
    def source(self) -> ScenarioSource:
        """The base scenario."""
        if isinstance(self.table.scenario, str):
            return resolve_path(self.table.scenario, self.folder)
        return self.table.scenario

    def which_scale(self, scale: str | None = None) -> str:
        """The scale of that name; `full`, or the only one, for none."""
        named = self.table.scale.named
        chosen = scale or ("full" if "full" in named else next(iter(named)))
        try:
            one_of("scale", chosen, SCALES)
        except ValueError as error:
            raise StudyError(str(error)) from None
        if chosen not in named:
            raise StudyError(f"scale: the study has no [scale.{chosen}]; it has {', '.join(named)}")
        return chosen

    def cells(self, scale: str | None = None) -> list[Cell]:
        """Every scheme at every point of the axes; all scenarios are checked."""
        which = self.which_scale(scale)
        try:
            return cells(self.table, self.source, which)
        except SettingError as error:
            fault = StudyError(f"{error.key}: {error}")
        except ScenarioError as error:
            fault = StudyError(self._scenario_fault(str(error)))
        except OSError as error:
            fault = StudyError(f"scenario: {error.filename}: {error.strerror}")
        raise _placed(fault, *self._file) if self._file else fault

    def networks(self, scale: str | None = None) -> int:
        """How many networks to start with."""
        return self.table.scale.named[self.which_scale(scale)].networks

    def _scenario_fault(self, message: str) -> str:
        """The engine's message about the base scenario, as an error of the study."""
        if isinstance(self.table.scenario, str):
            return f"scenario: {self.table.scenario}: {message}"
        # Its line numbers refer to generated text.
        bare = re.sub(r"^line \d+: ", "", message)
        return f"scenario.{bare}" if re.match(r"[\w.]+: ", bare) else f"scenario: {bare}"


def _placed(error: StudyError, file: Path, text: str) -> StudyError:
    """The same error with the file, and the line of the key that the message begins with."""
    key = str(error).partition(": ")[0]
    line = line_of(text, key.split("."))
    return StudyError(f"{file}: {f'line {line}: ' if line else ''}{error}")
