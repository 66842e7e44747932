"""Readings: named sets of choices for what a paper leaves open, each choice with its reason.

A reading is a file `readings/NAME.toml` in a paper's folder, called PAPER/NAME. It lies between a
scheme's preset and what a study or an option sets, so that a scheme means the same in every study
under one reading. A scheme of a paper that is named alone is under the paper's default reading.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from multihop import engine, papers
from multihop.engine import Overrides
from multihop.errors import ReadingError, ScenarioError
from multihop.files import read_text
from multihop.scenario import set_overrides, toml


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Choice(_Table):
    """One thing that the paper leaves open, and how it is taken here."""

    about: str = Field(min_length=3)
    """What is chosen, such as `local repair`."""
    taken: str = Field(min_length=2)
    """How, in words."""
    source: Literal["paper", "simulator", "chosen"]
    """A sentence of the paper, the simulator of its day, or neither."""
    reason: str = Field(min_length=10)
    """The sentence, what the simulator does, or why it was chosen."""
    set: dict[str, Any] = {}
    """Key paths of the scenario and their values; empty where today's defaults say it."""
    schemes: list[str] | None = None
    """Names of schemes, or patterns such as `dcar*`; all schemes where absent."""

    def concerns(self, scheme: str | None) -> bool:
        """Whether it is made for the scheme of that name; for None, if it is made for all."""
        if self.schemes is None:
            return True
        return scheme is not None and _is_any_of(scheme, self.schemes)


class Reading(_Table):
    """A named set of choices for one paper."""

    name: str = Field(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")
    """PAPER/NAME."""
    title: str = Field(min_length=3)
    argument: str = Field(min_length=20)
    """What speaks for it, and what against it."""
    default: bool = False
    """Whether it is the best supported of its paper, which verdicts are given under."""
    tried: str = Field(min_length=4)
    """How many settings were tried to find it, and on which networks."""
    choices: list[Choice] = Field(min_length=1)
    schemes: list[str] = []
    """Schemes of the paper, or patterns, that no choice is about."""
    baselines: list[str] = []
    """What else the paper's schemes are compared with, as names or patterns: no choice is about
    it, and named alone it is not the paper's."""

    @property
    def paper(self) -> str:
        """Name of the paper on the command line."""
        return self.name.partition("/")[0]

    def overrides(self, scheme: str | None) -> Overrides:
        """What it lays over a scenario for the scheme of that name."""
        return [
            override
            for choice in self.choices
            if choice.concerns(scheme)
            for override in set_overrides(choice.set)
        ]

    def owns(self, scheme: str | None) -> bool:
        """Whether the scheme of that name is one of the paper's, as far as this reading says."""
        named = [*self.schemes, *(name for choice in self.choices for name in choice.schemes or [])]
        return scheme is not None and _is_any_of(scheme, named)

    def concerns(self, scheme: str | None) -> bool:
        """Whether the scheme of that name means something under it.

        It does if the scheme is the paper's or a baseline of it, or if a choice is for all schemes.
        """
        for each in (self, *readings(self.paper)):
            if each.owns(scheme) or (scheme is not None and _is_any_of(scheme, each.baselines)):
                return True
        return any(choice.set and choice.concerns(scheme) for choice in self.choices)


def readings(paper: str | None = None) -> list[Reading]:
    """The readings of all known papers, or of one, in the order of their names."""
    return [found for found in _all().values() if paper in (None, found.paper)]


def find(name: str) -> Reading:
    """The reading of that name, or in the file of that path.

    Raises:
        ReadingError: there is none, or the file is wrong.
    """
    if name.endswith(".toml"):
        return read(Path(name))
    known = _all()
    if name not in known:
        hint = papers.nearest(name, known) if known else f"no paper is installed; {papers.HOW}"
        raise ReadingError(f"no reading {name!r}; {hint}")
    return known[name]


def default(paper: str) -> Reading:
    """The reading that verdicts on the paper are given under.

    Raises:
        ReadingError: not exactly one of its readings is that.
    """
    found = [one.name for one in readings(paper) if one.default]
    if len(found) != 1:
        told = f"{', '.join(found)} are" if found else "none is"
        raise ReadingError(f"paper {paper}: of its readings one has default = true; {told}")
    return _all()[found[0]]


def of_scheme(scheme: str | None) -> Reading | None:
    """The reading of a scheme that is named alone: the default one of its paper.

    None for a protocol that is no paper's, or that several papers have as their own. Papers that
    are installed count alone: no folder that is opened changes what a scheme is.
    """
    owners = {found.paper for found in readings() if found.owns(scheme)} & papers.installed().keys()
    return default(owners.pop()) if len(owners) == 1 else None


def read(file: Path) -> Reading:
    """A reading from its file: its name is that of its paper's folder, and of the file.

    Of a file by itself, outside a paper's folder `readings`, it is that of the file's folder.

    Raises:
        ReadingError: naming the file, the key, what is wrong and what is allowed.
    """
    paper = papers.around(file)
    name = f"{paper.name if paper else file.parent.name}/{file.stem}"
    try:
        tables = toml(read_text(file))
        found = Reading.model_validate({**tables, "name": name})
    except ScenarioError as error:
        raise ReadingError(f"{file}: {error}", error.line, error.key, error.fault) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReadingError(f"{file}: not TOML: {error}") from None
    except ValidationError as error:
        fault = error.errors()[0]
        key = ".".join(map(str, fault["loc"]))
        message = fault["msg"].removeprefix("Value error, ")
        raise placed(file, key, f"{message[:1].lower()}{message[1:]}") from None
    except OSError as error:
        raise ReadingError(f"{file}: {error.strerror}") from None
    _check_schemes(file, found)
    return found


def placed(file: Path, key: str, fault: str) -> ReadingError:
    """A fault of a reading's key, with the file and the key's line."""
    text = read_text(file)
    line = engine.line_of(text, key) if key else None
    where = f"line {line}: " if line else ""
    return ReadingError(f"{file}: {where}{key}: {fault}", line, key, fault)


def _check_schemes(file: Path, reading: Reading) -> None:
    listed = {"schemes": reading.schemes, "baselines": reading.baselines}
    for number, choice in enumerate(reading.choices):
        listed[f"choices.{number}.schemes"] = choice.schemes or []
    for key, patterns in listed.items():
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in engine.scheme_names()):
                near = difflib.get_close_matches(pattern, [*engine.scheme_names()], n=1)
                hint = f"did you mean {near[0]}?" if near else "see multihop list schemes"
                raise placed(file, key, f"no scheme is called {pattern!r}; {hint}")


def _is_any_of(scheme: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(scheme, pattern) for pattern in patterns)


_read: dict[Path, Reading] = {}
"""The readings of papers' folders that were read."""


def _all() -> Mapping[str, Reading]:
    for paper in papers.known().values():
        for file in paper.reading_files:
            if file not in _read:
                _read[file] = read(file)
    found = [_read[file] for one in papers.known().values() for file in one.reading_files]
    return {reading.name: reading for reading in found}
