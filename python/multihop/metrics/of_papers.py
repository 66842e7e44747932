"""The metrics that a paper brings: the list METRICS of the file metrics.py in its folder.

The file is code. That of an installed paper runs, as its package does; that of a folder which is
only named runs if somebody allows it.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from multihop import consent, papers
from multihop.errors import PaperError
from multihop.foreign import line
from multihop.metrics.registry import Metric, Registry
from multihop.papers import Paper

FILE = "metrics.py"

_faults: list[str] = []
_loaded: dict[Path, float] = {}
"""When the files were written that were loaded."""


def faults() -> list[str]:
    """Why metrics of installed papers can't be used, one line each."""
    return list(_faults)


def add_installed(registry: Registry) -> None:
    """Add the metrics of all installed papers; a fault of one keeps no other away."""
    for paper in papers.installed().values():
        try:
            _add(registry, paper)
        except PaperError as error:
            _faults.append(str(error))


def add(registry: Registry, paper: Paper) -> None:
    """Add the metrics of a paper, if it has any.

    Raises:
        PaperError: its file may not run, fails, or has no such list; or a name is taken.
    """
    file = paper.file(FILE)
    if paper.is_installed or not file.is_file():
        return
    if not consent.is_given(f"{file}:METRICS"):
        raise PaperError(
            f"{file} is a program, which does not run because a folder has it: read it, then allow "
            f"it ({consent.HOW})"
        )
    if _loaded.get(file) != file.stat().st_mtime:
        _add(registry, paper)
        _loaded[file] = file.stat().st_mtime


def unread() -> str:
    """What to add to the error of an unknown metric: files that may not run and could have it."""
    files = [paper.file(FILE) for paper in papers.known().values() if not paper.is_installed]
    held = [str(file) for file in files if file.is_file() and file not in _loaded]
    return f"; {', '.join(held)} did not run: allow it ({consent.HOW})" if held else ""


def _add(registry: Registry, paper: Paper) -> None:
    file = paper.file(FILE)
    if not file.is_file():
        return
    found = getattr(_module(paper, file), "METRICS", None)
    if not isinstance(found, list) or not all(isinstance(one, Metric) for one in found):
        raise PaperError(f"{file}: METRICS: has to be a list of metrics; multihop.metrics has them")
    try:
        registry.add(paper.name, found)
    except ValueError as error:
        raise PaperError(f"{file}: METRICS: {line(str(error))}") from None


def _module(paper: Paper, file: Path) -> ModuleType:
    name = f"multihop_paper_{paper.name.replace('-', '_')}_metrics"
    spec = spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001, of whatever kind: it is of a paper
        told = line(str(error))
        raise PaperError(f"{file}: {type(error).__name__}{': ' if told else ''}{told}") from None
    return module
