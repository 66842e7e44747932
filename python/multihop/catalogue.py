"""What has a name: the package's scenarios and studies, and the studies and readings of papers.

The reference runs of ns-2.35 come with the package, too.
"""

from __future__ import annotations

import difflib
import errno
import re
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from multihop.papers import Paper

Kind = Literal["scenario", "study", "reading"]

_PACKAGE = Path(__file__).parent


def scenario_folder() -> Path:
    """Folder of the example scenarios."""
    return _PACKAGE / "scenarios"


def study_folder() -> Path:
    """Folder of the studies."""
    return _PACKAGE / "studies"


def reference_folder() -> Path:
    """Folder of the ns-2.35 reference cases."""
    return _PACKAGE / "validation" / "ns2"


def scenarios() -> list[tuple[str, str]]:
    """Example scenarios as (name, what it shows): the sentence that its file begins with."""
    return [(name, _first_sentence(path)) for name, path in _names(scenario_folder()).items()]


def studies() -> list[tuple[str, str]]:
    """The package's studies and those of papers as (name, title)."""
    return [
        (name, tomllib.loads(path.read_text("utf-8"))["title"]) for name, path in _studies().items()
    ]


def located(name: str | Path, kind: Kind) -> Path:
    """The file of that path or, where there is none, the one of that name that comes along.

    Raises:
        FileNotFoundError: there is neither; with what is near.
        IsADirectoryError: it is a folder; with what is in it.
    """
    path = Path(name)
    if path.exists() and not path.is_dir():
        return path
    if (found := named(str(name), kind)) is not None:
        return found
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, f"a folder{_inside(path, kind)}", str(name))
    if (other := kind_named(str(name))) is not None:
        raise FileNotFoundError(errno.ENOENT, f"a {other}, not a {kind}", str(name))
    raise missing(path, _NAMED[kind](), f", and no {kind} that comes along has that name")


def named(name: str, kind: Kind) -> Path | None:
    """The file of the scenario, study or reading of that name that comes along; none if none.

    `scenarios/six-hops.toml` is another name of six-hops, and so with studies: what a page of the
    repository calls it works in any folder. A study of a paper has the names that the paper gives.
    """
    begin, end = _PATHS[kind], ".toml"
    if name.startswith(begin) and name.endswith(end):
        name = name[len(begin) : -len(end)]
    if kind == "scenario":
        return _scenarios().get(name)
    if kind == "study":
        if (found := _names(study_folder()).get(name)) is not None:
            return found
        return next(filter(None, (paper.study(name) for paper in _papers())), None)
    return _readings().get(name)


def kind_named(name: str) -> Kind | None:
    """The kind of what has that name and comes along; none if nothing has."""
    return next((kind for kind in _NAMED if named(name, kind) is not None), None)


def missing(path: Path, names: Iterable[str] = (), said: str = "") -> FileNotFoundError:
    """The error of a file that is not there: with the nearest of `names`, and of files beside it.

    `said` is what else there is not, if the path could be a name.
    """
    folder = path.parent
    beside: list[str] = []
    with suppress(OSError):
        beside = [each.name for each in folder.iterdir()]
    files = [str(folder / each) for each in difflib.get_close_matches(path.name, beside, n=1)]
    if f"{path.name}.toml" in beside:
        files = [f"{path}.toml"]
    is_name = not path.suffix
    near = [*difflib.get_close_matches(str(path), names, n=1)] if is_name else []
    hint = f"; did you mean {' or '.join([*near, *files])}?" if near or files else ""
    fault = f"No such file or directory{said if is_name else ''}{hint}"
    return FileNotFoundError(errno.ENOENT, fault, str(path))


def scenario_file(name: str) -> Path:
    """The file of that path or, where there is none, the example scenario of that name."""
    return _file(name, "scenario")


def study_file(name: str) -> Path:
    """The file of that path or, where there is none, the study of that name."""
    return _file(name, "study")


def reading_file(name: str) -> Path:
    """The file of that path or, where there is none, the reading of that name."""
    return _file(name, "reading")


def template(kind: str) -> str:
    """The text of a `scenario` or `study` to start from; TITLE stands for its title."""
    return (_PACKAGE / "templates" / f"{kind}.toml").read_text(encoding="utf-8")


def scheme_template(kind: str, file: str) -> str:
    """The text of a file of a scheme of `kind` to start from; CLASS and MODULE stand for names."""
    return (_PACKAGE / "templates" / kind / file).read_text(encoding="utf-8")


def paper_template() -> dict[str, str]:
    """The texts of a paper's folder to start from, by file; TITLE and NAME stand for its name."""
    folder = _PACKAGE / "templates" / "paper"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    files.sort(key=lambda path: path.name != "paper.toml")
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}


def _scenarios() -> dict[str, Path]:
    return _names(scenario_folder())


def _papers() -> Iterable[Paper]:
    from multihop import papers  # takes 0.1 s to import

    return papers.known().values()


def _studies() -> dict[str, Path]:
    found = _names(study_folder())
    for paper in _papers():
        found |= {paper.full(name): path for name, path in paper.studies.items()}
    return found


def _readings() -> dict[str, Path]:
    return {
        f"{paper.name}/{path.stem}": path for paper in _papers() for path in paper.reading_files
    }


_PATHS: dict[Kind, str] = {
    "scenario": "scenarios/",
    "study": "studies/",
    "reading": "readings/",
}

_NAMED: dict[Kind, Callable[[], dict[str, Path]]] = {
    "scenario": _scenarios,
    "study": _studies,
    "reading": _readings,
}


def _inside(folder: Path, kind: Kind) -> str:
    """What in a folder may be meant."""
    files = sorted(folder.glob("*.toml"))
    named = [file for file in files if file.stem == kind] or files
    if not named:
        return f", in which is no {kind}"
    more = ", ..." if len(named) > 3 else ""
    return f"; did you mean {' or '.join(str(file) for file in named[:3])}{more}?"


def _file(name: str, kind: Kind) -> Path:
    path = Path(name)
    return path if path.exists() else named(name, kind) or path


def _names(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.glob("**/*.toml"))
    }


def _first_sentence(file: Path) -> str:
    """Of the comment that a file begins with."""
    lines = file.read_text("utf-8").splitlines()
    comment = " ".join(line[2:] for line in takewhile(lambda line: line.startswith("# "), lines))
    return re.split(r"(?<=\.) (?=[A-Z])", comment)[0]
