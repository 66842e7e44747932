"""Builds the distribution of the papers: a wheel with their folders, nothing to compile.

The build needs Python alone (PEP 517), so that it works without a network. An editable install
(PEP 660) has only the place of this folder in it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = "multihop_papers"
TAKEN = {".csv", ".md", ".py", ".svg", ".toml"}
TIME = (2020, 1, 1, 0, 0, 0)
"""Of every file, so that the same papers make the same wheel."""
MODULE = '''"""The papers that multihop is checked against, each a folder."""

from pathlib import Path

FOLDER = {folder}
"""Where they are."""
'''


def get_requires_for_build_wheel(_settings: object = None) -> list[str]:
    """Nothing."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(folder: str, _settings: object = None, _metadata: object = None) -> str:
    """The wheel, with the papers in it."""
    files = {f"{PACKAGE}/{name}": path.read_bytes() for name, path in _files()}
    files[f"{PACKAGE}/__init__.py"] = MODULE.format(folder="Path(__file__).parent").encode()
    return _wheel(Path(folder), files)


def build_editable(folder: str, _settings: object = None, _metadata: object = None) -> str:
    """A wheel that says where the papers are."""
    text = MODULE.format(folder=f"Path({str(HERE)!r})")
    return _wheel(Path(folder), {f"{PACKAGE}.py": text.encode()})


def build_sdist(folder: str, _settings: object = None) -> str:
    """What a wheel is built from."""
    about = _project()
    base = f"{PACKAGE}-{about['version']}"
    files = {f"{base}/{name}": path.read_bytes() for name, path in _files()}
    for name in ("pyproject.toml", "backend.py", "README.md"):
        files[f"{base}/{name}"] = (HERE / name).read_bytes()
    files[f"{base}/PKG-INFO"] = _core(about).encode()
    with tarfile.open(Path(folder) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as made:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    return f"{base}.tar.gz"


def _files() -> Iterator[tuple[str, Path]]:
    """The papers' files, by their names below this folder."""
    for about in sorted(HERE.glob("*/paper.toml")):
        for path in sorted(about.parent.rglob("*")):
            if path.suffix in TAKEN and path.is_file():
                yield path.relative_to(HERE).as_posix(), path


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def _core(about: Mapping[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.3",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        f"License: {about['license']}",
        f"Requires-Python: {about['requires-python']}",
        *(f"Requires-Dist: {one}" for one in about["dependencies"]),
    ]
    return "\n".join(lines) + "\n"


def _wheel(folder: Path, files: dict[str, bytes]) -> str:
    about = _project()
    info = f"{PACKAGE}-{about['version']}.dist-info"
    files[f"{info}/METADATA"] = _core(about).encode()
    tags = "Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/WHEEL"] = tags.encode()
    points = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in about["entry-points"].items()
    ]
    files[f"{info}/entry_points.txt"] = "\n".join(points).encode()
    record = "".join(f"{name},{_digest(held)},{len(held)}\n" for name, held in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{PACKAGE}-{about['version']}-py3-none-any.whl"
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as made:
        for file, held in files.items():
            entry = zipfile.ZipInfo(file, TIME)
            entry.external_attr = 0o644 << 16
            made.writestr(entry, held, zipfile.ZIP_DEFLATED)
    return name


def _digest(held: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(held).digest()).decode().rstrip("=")
