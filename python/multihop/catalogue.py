"""What comes with the package: scenarios, studies, readings, reference runs of ns-2.35."""

import tomllib
from pathlib import Path

PAPERS = {
    "ccar": "ccar",
    "multipath": "multipath",
    "elfn": "elfn",
    "copas": "copas",
    "semi-tcp": "semitcp",
}
"""Name of each paper on the command line, and what the identifiers of its claims begin with."""

_PACKAGE = Path(__file__).parent


def scenario_folder() -> Path:
    """Folder of the example scenarios."""
    return _PACKAGE / "scenarios"


def study_folder() -> Path:
    """Folder of the studies."""
    return _PACKAGE / "studies"


def reading_folder() -> Path:
    """Folder of the readings: a folder a paper, a file a reading."""
    return _PACKAGE / "readings"


def reference_folder() -> Path:
    """Folder of the ns-2.35 reference cases."""
    return _PACKAGE / "validation" / "ns2"


def scenarios() -> list[tuple[str, str]]:
    """Example scenarios as (name, title)."""
    return _listed(scenario_folder())


def studies() -> list[tuple[str, str]]:
    """Studies as (name, title)."""
    return _listed(study_folder())


def scenario_file(name: str) -> Path:
    """The file of that path or, where there is none, the example scenario of that name."""
    return _file(name, scenario_folder())


def study_file(name: str) -> Path:
    """The file of that path or, where there is none, the study of that name."""
    return _file(name, study_folder())


def reading_file(name: str) -> Path:
    """The file of that path or, where there is none, the reading of that name."""
    return _file(name, reading_folder())


def template(kind: str) -> str:
    """The text of a `scenario` or `study` to start from; TITLE stands for its title."""
    return (_PACKAGE / "templates" / f"{kind}.toml").read_text(encoding="utf-8")


def scheme_template(kind: str, file: str) -> str:
    """The text of a file of a scheme of `kind` to start from; CLASS and MODULE stand for names."""
    return (_PACKAGE / "templates" / kind / file).read_text(encoding="utf-8")


def _file(name: str, folder: Path) -> Path:
    path = Path(name)
    return path if path.exists() or name not in _names(folder) else _names(folder)[name]


def _names(folder: Path) -> dict[str, Path]:
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.glob("**/*.toml"))
    }


def _listed(folder: Path) -> list[tuple[str, str]]:
    return [
        (name, tomllib.loads(path.read_text("utf-8"))["title"])
        for name, path in _names(folder).items()
    ]
