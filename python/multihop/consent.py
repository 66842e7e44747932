"""Whether code that a scenario names may run: only if somebody has said so.

What a caller names himself, such as `scheme="mine.py:Mine"`, he means; what a file names, a
stranger may have put there. Without consent scenarios are read, checked and hashed all the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

VARIABLE = "MULTIHOP_ALLOW_CODE"
HOW = f"--allow-code, {VARIABLE}=1, or in Python allow_code=True"

Sources = Mapping[str, bytes]
"""What files hold, by the names of their classes: that, and nothing newer, runs."""

_process = 0
"""How many have consented for the whole process."""
_files: ContextVar[frozenset[Path]] = ContextVar("_files", default=frozenset())
_all: ContextVar[bool] = ContextVar("_all", default=False)
_running: ContextVar[Sources | None] = ContextVar("_running", default=None)


@contextmanager
def for_process(is_given: bool) -> Iterator[None]:
    """Let whatever this process runs meanwhile run code, in all its threads."""
    global _process  # threads do not share a context
    _process += is_given
    try:
        yield
    finally:
        _process -= is_given


@contextmanager
def giving(*names: object, to_all: bool = False) -> Iterator[None]:
    """Let the classes of these names run meanwhile, in this thread; what is no name is left out."""
    files = {_file(name) for name in names if isinstance(name, str) and names_code(name)}
    marks = _files.set(_files.get() | files), _all.set(_all.get() or to_all)
    try:
        yield
    finally:
        _files.reset(marks[0])
        _all.reset(marks[1])


@contextmanager
def running(sources: Sources | None = None) -> Iterator[None]:
    """Code that is allowed to is executed meanwhile: outside, files are only read."""
    mark = _running.set(sources or _running.get() or {})
    try:
        yield
    finally:
        _running.reset(mark)


def names_code(text: str) -> bool:
    """Whether text could name a class in a file, by the engine's own sign of one."""
    return ".py:" in text


def is_running() -> bool:
    """Whether code that is allowed to is executed now."""
    return _running.get() is not None


def source(name: str) -> bytes | None:
    """What the file of this class held when it was hashed, where that is known."""
    return (_running.get() or {}).get(name)


def is_given(name: str) -> bool:
    """Whether the class of this name may run."""
    asked = os.environ.get(VARIABLE, "").lower() in ("1", "true", "yes")
    return bool(_process) or asked or _all.get() or _file(name) in _files.get()


def _file(name: str) -> Path:
    return Path(name.rpartition(":")[0]).resolve()
