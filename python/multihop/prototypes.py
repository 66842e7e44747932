"""Congestion controls written in Python.

A class with the hooks of `CongestionControl`, in a file that a scenario names:
`transport.scheme = "mine.py:Mine"`. The engine makes one object of it for each flow.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard

from multihop.errors import ScenarioError

if TYPE_CHECKING:
    from multihop.engine import Ack, Loss, Sent, Window

_REFERENCE = re.compile(r"(?P<file>.*\.py):(?P<name>[^:/\\]+)", re.DOTALL)
_LOCK = threading.RLock()
_modules: dict[Path, tuple[str, ModuleType]] = {}
"""Modules read so far, with the digests of their files."""
_given: dict[str, _Given] = {}
"""Classes that were given as such, by reference. They go before the files of these names."""
_NOTEBOOK = Path("notebook.py")
"""Stands for the file of a class that is in none."""


class CongestionControl(ABC):
    """Base of a congestion control: it has Reno's reactions to losses, and no growth.

    `window` has `cwnd` and `ssthresh`, which a hook changes, `limit`, the receiver's window, and
    `is_in_slow_start`, all in segments, and what RFC 5681 does: `grow(segments)`,
    `halve(in_flight)`, `collapse(in_flight)`. Times are in seconds.

    Each acknowledgment calls at most one of `on_ack`, `on_partial_ack` and `on_duplicate_ack`. The
    duplicate that counts as a loss calls `on_loss` instead. Each flow has an object of its own, and
    what these share makes runs depend on each other.
    """

    rules_recovery: bool = False
    """Whether it rules the window while losses are repaired, too; else that falls by RFC 6937."""

    @abstractmethod
    def on_ack(self, window: Window, ack: Ack) -> None:
        """New data were acknowledged outside recovery, or all that recovery waited for."""

    def on_partial_ack(self, window: Window, ack: Ack) -> None:
        """Recovery goes on: new data were acknowledged, not all outstanding at the loss."""

    def on_duplicate_ack(self, window: Window, ack: Ack) -> None:
        """Another duplicate in recovery: a segment has left the network."""

    def on_loss(self, window: Window, loss: Loss) -> None:
        """A loss was noticed, and fast retransmit follows."""
        window.halve(loss.in_flight)

    def on_congestion(self, window: Window, loss: Loss) -> None:
        """A node has marked a packet (ECN), and nothing was lost."""
        self.on_loss(window, loss)

    def on_timeout(self, window: Window, loss: Loss) -> None:
        """The retransmission timer has expired."""
        window.collapse(loss.in_flight)

    def on_resume(self, suspended_s: float) -> None:
        """The sender goes on after a broken route had suspended it."""

    def on_recovered(self, window: Window) -> None:
        """All that was outstanding when losses were noticed has been acknowledged."""

    def on_undo(self, window: Window) -> None:
        """The last reduction was needless; the window is as it was before."""

    def on_send(self, sent: Sent) -> None:
        """A segment leaves."""

    def pacing_interval_s(self, window: Window, smoothed_rtt_s: float | None) -> float | None:
        """Time between segments if `pacing.scheme` is `rate`; None: all that may leave at once."""
        segments = max(1.0, min(window.cwnd, window.limit))
        return None if smoothed_rtt_s is None else smoothed_rtt_s / segments


@dataclass(frozen=True, slots=True)
class _Given:
    """A class that was given as such."""

    of: type[CongestionControl]
    digest: str | None
    """Of its source, as that was then; None if there is none to be read."""


class PrototypeError(ScenarioError):
    """A class of a prototype failed while it ran; the one-line message has the file's line."""


def is_reference(name: object) -> TypeGuard[str]:
    """Whether `name` is the name of a class in a file, `FILE.py:CLASS`."""
    return isinstance(name, str) and _REFERENCE.fullmatch(name) is not None


def anchored(name: str, folder: Path) -> str:
    """The reference `name` with its file relative to `folder`."""
    file, _, of = name.rpartition(":")
    return f"{(folder / file).resolve()}:{of}"


def reference(given: type[CongestionControl]) -> str:
    """The name by which scenarios know the class `given`.

    Raises:
        ScenarioError: it is no congestion control.
    """
    if fault := _fault(given):
        raise ScenarioError(f"{given.__name__} {fault}")
    file = _file_of(given)
    name = f"{file}:{given.__qualname__}"
    known = _given.get(name)
    if known is None or known.of is not given:
        source = None if file == _NOTEBOOK else hashlib.sha256(_read(file)).hexdigest()
        _given[name] = _Given(given, source)
    return name


def _file_of(given: type) -> Path:
    try:
        file = Path(inspect.getsourcefile(given) or _NOTEBOOK)
    except (OSError, TypeError):  # of a notebook, or of a command
        return _NOTEBOOK
    return file if file.suffix == ".py" and file.is_file() else _NOTEBOOK


def _fault(found: object) -> str | None:
    """What keeps `found` from being a congestion control."""
    if not (isinstance(found, type) and issubclass(found, CongestionControl)):
        return "is not derived from multihop.CongestionControl"
    return "has no on_ack" if inspect.isabstract(found) else None


def find(name: str) -> type[CongestionControl]:
    """The class that a scenario calls `name`.

    Raises:
        ScenarioError: it can't be had; one line, with that of the file.
    """
    if name in _given:
        return _given[name].of
    match = _REFERENCE.fullmatch(name)
    if match is None:
        raise ScenarioError(f"must be FILE.py:CLASS (got {name!r})")
    module = _module(Path(match["file"]))
    found: type[CongestionControl] | None = getattr(module, match["name"], None)
    fault = "is not in it" if found is None else _fault(found)
    if found is not None and fault is None:
        return found
    classes = [known for known, value in vars(module).items() if _fault(value) is None]
    there = f"; there are: {', '.join(classes)}" if classes else ""
    raise ScenarioError(f"{match['file']}: {match['name']} {fault}{there}")


def digest(name: str) -> str:
    """SHA-256 of the file that decides what the class called `name` does.

    Raises:
        ScenarioError: there is none.
    """
    file, _, of = name.rpartition(":")
    if name not in _given:
        return hashlib.sha256(_read(Path(file))).hexdigest()
    if (source := _given[name].digest) is None:
        raise ScenarioError(f"{of} can't be told from others of its name: put it into a file")
    return source


def hooks(of: type[CongestionControl]) -> list[str]:
    """The hooks that the class has of its own."""
    return [
        name
        for name, value in vars(CongestionControl).items()
        if callable(value) and getattr(of, name) is not value
    ]


def told(error: BaseException, name: str) -> BaseException:
    """`error`, raised by a class called `name`, in one line; what is no fault as it is."""
    if not isinstance(error, Exception):
        return error
    file, _, of = name.rpartition(":")
    place = _place(error, Path(file))
    fault = f"{Path(file).name}: {place}{of}: {_in_words(error)}"
    said = PrototypeError.at("transport.scheme", fault)
    said.__cause__ = error
    return said


def _place(error: Exception, file: Path) -> str:
    """The last line of `file` on the way to the error."""
    frames = traceback.extract_tb(error.__traceback__)
    file = file.resolve()
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == file]
    if not file.is_file():  # a notebook's: the first frame is the hook's
        lines = [frame.lineno for frame in frames[:1]]
    return f"line {lines[-1]}: " if lines else ""


def _in_words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ScenarioError(f"{file} can't be read: {error.strerror}") from None


def _module(file: Path) -> ModuleType:
    """The module in `file`, read again if that has changed."""
    with _LOCK:
        content = _read(file)
        sha = hashlib.sha256(content).hexdigest()
        known = _modules.get(file)
        if known is not None and known[0] == sha:
            return known[1]
        try:
            ast.parse(content, file)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            place = f"line {line}: " if line else ""
            raise ScenarioError(
                f"{file}: {place}not Python: {getattr(error, 'msg', error)}"
            ) from None
        spec = importlib.util.spec_from_file_location(f"multihop_prototype_{sha[:16]}", file)
        if spec is None or spec.loader is None:
            raise ScenarioError(f"{file} can't be read as Python")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look there
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            del sys.modules[spec.name]
            raise ScenarioError(f"{file}: {_place(error, file)}{_in_words(error)}") from error
        _modules[file] = (sha, module)
        return module
