"""Crates of users: where the engine's sources are, and a crate with a scheme to start from."""

from __future__ import annotations

import keyword
import re
import sys
import tomllib
from pathlib import Path

from multihop.engine import version

_PACKAGE = Path(__file__).parent
_TEMPLATES = _PACKAGE / "templates" / "crate"
_COMMON = {
    "Cargo.toml": "Cargo.toml.txt",
    "build.rs": "build.rs.txt",
    "pyproject.toml": "pyproject.toml.txt",
    "python/{{module}}/__init__.py": "init.py.txt",
    ".cargo/config.toml": "cargo-config.toml",
    ".gitignore": "gitignore.txt",
    "README.md": "README.md",
    "scenario.toml": "scenario.toml",
    "study.toml": "study.toml",
}
_OF_KIND = {"src/lib.rs": "lib.rs.txt", "src/tests.rs": "tests.rs.txt"}
KINDS = (
    "routing",
    "dsr",
    "protocol",
    "congestion-control",
    "loss-recovery",
    "link-failure",
    "queue",
    "rate-control",
)
"""What a scheme in a crate can decide."""
_OVER = "six-hops"
"""The scenario over which the file of a crate says to run it, unless its kind names another."""


def engine_source() -> Path:
    """Folder of the engine's sources, with its Cargo.toml and Cargo.lock.

    Raises:
        FileNotFoundError: they are not installed.
    """
    for folder in (_PACKAGE.parents[1], _PACKAGE / "source"):
        if (folder / "crates" / "multihop-python" / "Cargo.toml").is_file():
            return folder
    raise FileNotFoundError(f"{_PACKAGE / 'source'}: the engine's sources are not there")


def new_crate(name: str, kind: str) -> dict[str, str]:
    """The files of a crate with a scheme of `kind`, by their paths in its folder.

    `name` is in words of letters and digits, joined by `-` or `_`.

    Raises:
        ValueError: the name means something else in the crate or to Python; says what.
        FileNotFoundError: the engine's sources are not installed.
    """
    words = re.split("[-_]", name)
    source = engine_source()
    about = tomllib.loads((_TEMPLATES / kind / "kind.toml").read_text("utf-8"))
    values = {
        "over": _OVER,
        **about,
        "name": "-".join(words).lower(),
        "module": "_".join(words).lower(),
        "class": "".join(word[0].upper() + word[1:] for word in words),
        "source": source.as_posix(),
        "version": version,
    }
    _check_name(values["class"], values["module"], kind)
    templates = {file: _TEMPLATES / of for file, of in _COMMON.items()}
    templates |= {file: _TEMPLATES / kind / of for file, of in _OF_KIND.items()}
    templates |= {
        file: _TEMPLATES / kind / file
        for file in ("scenario.toml", "study.toml")
        if (_TEMPLATES / kind / file).is_file()
    }
    files = {
        _filled(file, values): _filled(template.read_text("utf-8"), values)
        for file, template in templates.items()
    }
    # Cargo adds the crate and takes out what it does not need; all versions stay.
    files["Cargo.lock"] = (source / "Cargo.lock").read_text("utf-8")
    return files


def check_module(name: str) -> None:
    """Refuse the name of a module that would hide another.

    Raises:
        ValueError: it means something else to Python.
    """
    if name in sys.stdlib_module_names or keyword.iskeyword(name) or name == "multihop":
        raise ValueError("means something else to Python; another name, please")


def _check_name(of: str, module: str, kind: str) -> None:
    """Refuse a name that would hide another."""
    check_module(module)
    lines = (_TEMPLATES / kind / "lib.rs.txt").read_text("utf-8").splitlines()
    code = [line for line in lines if not line.lstrip().startswith("//")]
    if of == "Self" or re.search(rf"\b{of}\b", "\n".join(code)):
        raise ValueError(f"{of} means something else in the crate; another name, please")


def _filled(text: str, values: dict[str, str]) -> str:
    """The text with `{{name}}` and the like replaced, in what earlier ones brought as well."""
    for key, value in values.items():
        text = text.replace(f"{{{{{key}}}}}", value)
    return text
