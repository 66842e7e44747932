"""A study as it is defined: its file read and checked, and the runs that it asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from multihop import catalogue, papers, reading
from multihop.engine import line_of
from multihop.errors import PaperError, ScenarioError, StudyError
from multihop.files import read_text
from multihop.metrics import METRICS, of_papers
from multihop.scenario import ScenarioSource, toml
from multihop.study import columns
from multihop.study.anchors import anchored
from multihop.study.document import StudyTable, error_of, resolve_path
from multihop.study.names import one_of
from multihop.study.plan import Cell, cells

SCALES = ("quick", "full")


class Planned(NamedTuple):
    """What a study runs at a scale, before any networks that precision adds."""

    cells: int
    """Schemes at points of the axes."""
    networks: int

    @property
    def runs(self) -> int:
        """Every cell on every network."""
        return self.cells * self.networks


class Definition:
    """What a study compares, over which networks and axes.

    Takes the tables of a study file as keyword arguments; `read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    def __init__(
        self, file: str | Path | None = None, /, *, folder: str | Path = ".", **tables: Any
    ) -> None:
        if file is not None:
            raise StudyError(
                f"a study is made of tables; to read a file: Study.read({str(file)!r})"
            )
        self.folder = Path(folder)
        self._file: tuple[Path, str] | None = None
        self._tables = tables
        self._own_words: tuple[object, ...] = ()
        """What a caller set, not a file."""
        try:
            self.table = StudyTable.model_validate(tables)
            columns.check(self.table)
        except ValidationError as error:
            raise error_of(error) from None

    @classmethod
    def read(cls, file: str | Path) -> Self:
        """Read a study, a file or the name of one that comes along; its paths are relative to it.

        Raises:
            StudyError: it is wrong; with the file, the line, the key and what is allowed.
            OSError: it can't be read; with what is near where there is no such file.
        """
        path = catalogue.located(file, "study")
        _with_its_paper(path)
        text = ""
        try:
            text = read_text(path)
            tables = toml(text)
            if "folder" in tables:
                raise StudyError.at("folder", "unknown key")
            found = cls(folder=path.parent, **anchored(tables, path.parent))
        except tomllib.TOMLDecodeError as error:
            raise StudyError(f"{path}: not TOML: {error}") from None
        except UnicodeDecodeError as error:
            raise StudyError(f"{path}: not UTF-8 text (byte {error.start})") from None
        except StudyError as error:
            raise _placed(error, path, text) from None
        except ScenarioError as error:
            raise StudyError(f"{path}: {error}", error.line, error.key, error.fault) from None
        found._file = (path, text)
        return found

    def under(self, *readings: str) -> Self:
        """The same study under these readings, by name or file, in place of its own."""
        asked = [reading.find(name) for name in readings]
        schemes = [
            {key: value for key, value in scheme.items() if key != "reading"}
            if isinstance(scheme, dict) and any(one.concerns(scheme.get("scheme")) for one in asked)
            else scheme
            for scheme in self._tables["schemes"]
        ]
        tables = {**self._tables, "schemes": schemes, "readings": [*readings]}
        found = type(self)(folder=self.folder, **tables)
        found._file, found._own_words = self._file, self._own_words
        return found

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """The same study with these keys of the scenario set for every scheme.

        Raises:
            StudyError: an axis varies one of them.
        """
        for key in settings:
            for name, axis in self.table.axes.items():
                varied = {key for label in axis.labels for key in axis.settings(label)}
                if any(f"{key}.".startswith(f"{path}.") for path in varied):
                    raise StudyError.at(key, f"is what the axis {name} varies")
        schemes = [
            {**scheme.model_dump(exclude_none=True), "set": {**scheme.set, **settings}}
            for scheme in self.table.scheme_tables
        ]
        found = type(self)(folder=self.folder, **{**self._tables, "schemes": schemes})
        found._file, found._own_words = self._file, (*self._own_words, *settings.values())
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
        except StudyError as error:
            fault = error
        except ScenarioError as error:
            fault = self._of_scenario(error)
        except OSError as error:
            fault = StudyError.at("scenario", f"{error.filename}: {error.strerror}")
        raise _placed(fault, *self._file) if self._file else fault

    def networks(self, scale: str | None = None) -> int:
        """How many networks to start with."""
        return self.table.scale.named[self.which_scale(scale)].networks

    def planned(self) -> dict[str, Planned]:
        """What it would run at each of its scales; all scenarios are checked."""
        return {
            name: Planned(len(self.cells(name)), scale.networks)
            for name, scale in self.table.scale.named.items()
        }

    def _of_scenario(self, error: ScenarioError) -> StudyError:
        """An error of the base scenario, as one of the study."""
        if isinstance(self.table.scenario, str):
            return StudyError.at("scenario", f"{self.table.scenario}: {error}")
        return StudyError.at(f"scenario.{error.key}" if error.key else "scenario", error.fault)


def _with_its_paper(path: Path) -> None:
    """Give names to the readings and metrics of the paper that the study is of, if it is of any."""
    if (paper := papers.around(path)) is not None:
        with suppress(PaperError):  # what the study needs of it and lacks, its own error says
            of_papers.add(METRICS, paper)


def _placed(error: StudyError, file: Path, text: str) -> StudyError:
    """The same error with the file, and the line of its key."""
    line = line_of(text, error.key) if error.key else None
    where = f"line {line}: " if line else ""
    return StudyError(f"{file}: {where}{error}", line, error.key, error.fault)
