"""Papers: folders of readings, studies, claims and headlines, judged by the same machinery.

A paper is a folder; papers/README.md says what is in it. Its name is the folder's. It is found by
its path or, once installed, by its name: a Python package names a module by an entry point in the
group `multihop.papers`, and every folder beside that module's file that has a `paper.toml` is one.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from multihop import engine, renamed
from multihop.errors import PaperError, ScenarioError
from multihop.files import read_text
from multihop.foreign import line

GROUP = "multihop.papers"
ABOUT = "paper.toml"
HOW = "pip install 'multihop[papers]' adds the papers that multihop is checked against"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAMES_ARE = "small letters and digits, in words joined by single hyphens"
_STUDY = re.compile(r"[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)*")


class Table(BaseModel):
    """A table of a paper's file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Shown(Table):
    """What `multihop demo` shows of the paper."""

    study: str
    """A small study, by its name in the folder `studies`."""
    headline: str
    """Identifier of the headline that it judges."""


class About(Table):
    """The paper's entry in a bibliography, and what it is called here."""

    title: str = Field(min_length=1)
    authors: list[str] = Field(min_length=1)
    year: int | None = Field(default=None, ge=1900, le=2200)
    venue: str | None = None
    doi: str | None = None
    url: str | None = None
    names: list[str] = []
    """Other names that are taken for the folder's."""
    former: dict[str, str] = {}
    """Names that its studies had outside the folder, and what they are called in it."""
    demo: Shown | None = None


@dataclass(frozen=True)
class Paper:
    """A paper's folder."""

    folder: Path
    about: About
    is_installed: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.folder.name

    def file(self, name: str) -> Path:
        """A file of the folder, there or not."""
        return self.folder / name

    @cached_property
    def studies(self) -> Mapping[str, Path]:
        """The files of its studies by their names in the folder `studies`."""
        folder = self.folder / "studies"
        return {
            path.relative_to(folder).with_suffix("").as_posix(): path
            for path in sorted(folder.glob("**/*.toml"))
        }

    @property
    def reading_files(self) -> list[Path]:
        """The files of its readings."""
        return sorted((self.folder / "readings").glob("*.toml"))

    def study(self, name: str) -> Path | None:
        """The file of a study: by its name here, or by one with the paper's name before it."""
        if name in self.about.former:
            return self.studies.get(self.about.former[name])
        family, slash, own = name.partition("/")
        is_ours = bool(slash) and family in (self.name, *self.about.names)
        return self.studies.get(own) if is_ours else None

    def full(self, study: str) -> str:
        """The name of one of its studies outside the folder."""
        return f"{self.name}/{study}"


_opened: dict[str, Paper] = {}


def installed() -> Mapping[str, Paper]:
    """The papers of packages that are installed beside this one, in the order of their names."""
    return _find()[0]


def faults() -> list[str]:
    """Why others that are installed can't be used, one line each."""
    return _find()[1]


def known() -> Mapping[str, Paper]:
    """The papers that are installed, and those whose folders were opened since the start."""
    return {**installed(), **_opened}


def find(name: str) -> Paper:
    """The paper of that name, or in the folder of that path.

    Raises:
        PaperError: there is none, or its paper.toml is wrong.
    """
    for paper in installed().values():
        if name in (paper.name, *paper.about.names):
            return paper
    folder = Path(name)
    if folder.is_dir():
        return opened(folder)
    if folder.name == ABOUT and folder.is_file():
        return opened(folder.parent)
    for paper in _opened.values():
        if name in (paper.name, *paper.about.names):
            return paper
    raise PaperError(f"{line(name)}: {_nothing(name)}")


def papers(name: str = "all") -> list[Paper]:
    """The papers that are installed for `all`, else the one of that name or path.

    Raises:
        PaperError: there is none; the message says how to get some.
    """
    if name != "all":
        return [find(name)]
    if not installed():
        raise PaperError(f"no paper is installed; {HOW}, or name the folder of one")
    return [*installed().values()]


def opened(folder: Path) -> Paper:
    """The paper in a folder; its studies and readings have names from then on.

    Raises:
        PaperError: it is no paper's, or its paper.toml is wrong.
    """
    paper = read(folder)
    if installed().get(paper.name) == paper:
        return installed()[paper.name]
    _opened[paper.name] = paper
    return paper


def around(file: Path) -> Paper | None:
    """The paper in whose folder `studies` or `readings` a file is; none for another file."""
    for parent in file.resolve().parents:
        if parent.name in ("studies", "readings") and (parent.parent / ABOUT).is_file():
            return opened(parent.parent)
    return None


def read(folder: Path, *, is_installed: bool = False) -> Paper:
    """A paper from its folder.

    Raises:
        PaperError: with the file, the key, what is wrong and what is allowed.
    """
    folder = folder.resolve()
    file = folder / ABOUT
    if not file.is_file():
        raise PaperError(
            f"{folder}: has no {ABOUT}, so it is no paper's; multihop new-paper writes one"
        )
    if not NAME.fullmatch(folder.name):
        raise PaperError(f"{folder}: the folder's name is the paper's: {NAMES_ARE}")
    about = table(file, About)
    paper = Paper(folder, about, is_installed)
    if wrong := next((name for name in about.names if not NAME.fullmatch(name)), None):
        raise placed(file, "names", f"{line(wrong)!r} is not {NAMES_ARE}")
    for key, study in _named(about):
        check_study(paper, study, file, key)
    return paper


def _named(about: About) -> Iterable[tuple[str, str]]:
    yield from ((f"former.{name}", study) for name, study in about.former.items())
    if about.demo is not None:
        yield "demo.study", about.demo.study


def check_study(paper: Paper, study: str, file: Path, key: str) -> Path:
    """The file of one of the paper's own studies, named at `key` of `file`.

    Raises:
        PaperError: it is not in the paper's folder.
    """
    path = paper.studies.get(study)
    if path is not None and _STUDY.fullmatch(study):
        if path.resolve().is_relative_to(paper.folder):
            return path
        raise placed(file, key, f"{line(study)!r} leads out of the paper's folder")
    inside = "the name of a file in the paper's folder studies, without .toml"
    if not _STUDY.fullmatch(study):
        raise placed(file, key, f"{line(study)!r} is not {inside}")
    raise placed(file, key, f"no study {line(study)!r}; {nearest(study, paper.studies)}")


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint at one of the names, or else all of them."""
    names = [*names]
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]}?"
    return f"there are {', '.join(names)}" if names else "there are none"


Model = TypeVar("Model", bound=BaseModel)


def tables(file: Path) -> dict[str, Any]:
    """The tables of one of a paper's files.

    Raises:
        PaperError: it can't be read, or is no TOML.
    """
    try:
        text = read_text(file)
        engine.check_toml(text)  # says where, and has limits where Python takes minutes
        found: dict[str, Any] = renamed.in_tables(tomllib.loads(text))
        return found
    except ScenarioError as error:
        raise PaperError(f"{file}: {error}", error.line, error.key, error.fault) from None
    except ValueError as error:
        where = "not UTF-8" if isinstance(error, UnicodeDecodeError) else f"not TOML: {error}"
        raise PaperError(f"{file}: {where}") from None
    except FileNotFoundError:
        raise PaperError(f"{file}: missing; a paper's folder has this file") from None
    except OSError as error:
        raise PaperError(f"{file}: {error.strerror}") from None


def table(file: Path, model: type[Model]) -> Model:
    """One of a paper's files as a model.

    Raises:
        PaperError: with the file, the key, what is wrong and what is allowed.
    """
    found = tables(file)
    try:
        return model.model_validate(found)
    except ValidationError as error:
        raise fault_of(file, error) from None


def fault_of(file: Path, error: ValidationError, before: str = "") -> PaperError:
    """The first fault of a table as one line; `before` is the key of the table in the file."""
    faults = error.errors()
    # A misspelt key is missing as well, but its wrong spelling tells more.
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    key = ".".join(map(str, filter(lambda part: part != "", (before, *fault["loc"]))))
    if fault["type"] == "extra_forbidden":
        return placed(file, key, "unknown key; papers/README.md lists those that there are")
    if fault["type"] == "missing":
        return placed(file, key, "missing")
    message = fault["msg"].removeprefix("Value error, ")
    given = fault["input"]
    shown = f" (got {line(repr(given))})" if isinstance(given, str | int | float) else ""
    return placed(file, key, f"{message[:1].lower()}{message[1:]}{shown}")


def placed(file: Path, key: str, fault: str) -> PaperError:
    """A fault of a key, with the file and the key's line."""
    number = engine.line_of(read_text(file), key) if key and file.is_file() else None
    where = f"line {number}: " if number else ""
    told = f"{line(key)}: " if key else ""
    return PaperError(f"{file}: {where}{told}{fault}", number, key, fault)


def _nothing(name: str) -> str:
    names = [*known()]
    if not names:
        return f"no paper is installed, and no folder is there; {HOW}"
    return f"no paper has that name, and no folder is there; {nearest(name, names)}"


@cache
def _find() -> tuple[Mapping[str, Paper], list[str]]:
    from importlib import metadata

    found: dict[str, Paper] = {}
    wrong = []
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name):
        of = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
        try:
            folder = Path(str(point.load().FOLDER))
            folders = sorted(about.parent for about in folder.glob(f"*/{ABOUT}"))
        except Exception as error:  # noqa: BLE001, of whatever kind: it is of another package
            told = line(str(error)) or type(error).__name__
            wrong.append(f"papers {point.name}{of} can't be loaded: {told}")
            continue
        for each in folders:
            try:
                paper = read(each, is_installed=True)
            except PaperError as error:
                wrong.append(f"papers {point.name}{of}: {error}")
                continue
            if found.setdefault(paper.name, paper) is not paper:
                wrong.append(f"papers {point.name}{of}: another package has a paper {paper.name}")
    return found, wrong
