"""Finds schemes written in Python by their names in a scenario, such as `mine.py:Mine`."""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeGuard

from multihop import consent
from multihop.bases import (
    AodvPolicy,
    BabelMetric,
    BatmanMetric,
    CongestionControl,
    DsrPolicy,
    HwmpMetric,
    LinkMetric,
    OlsrMetric,
    RateControl,
)
from multihop.bases import Step as Step
from multihop.errors import ScenarioError
from multihop.files import read_bytes
from multihop.outline import Outline, outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_REFERENCE = re.compile(r"(?P<file>.*\.py):(?P<name>[^:/\\]+)", re.DOTALL)
_LOCK = threading.RLock()
_modules: dict[tuple[Path, str], ModuleType] = {}
"""Modules executed so far, by file and digest of what it held."""
_outlines: dict[tuple[str, str, tuple[Prototype, ...]], Prototype] = {}
"""What stands for classes whose files were only read, by name, digest and bases."""
_given: dict[str, _Given] = {}
"""Classes that were given as such, by reference. They go before the files of these names."""
_NOTEBOOK = Path("notebook.py")
"""Stands for the file of a class that is in none."""


Prototype = (
    type[CongestionControl]
    | type[AodvPolicy]
    | type[DsrPolicy]
    | type[LinkMetric]
    | type[RateControl]
)

KEYS: dict[Prototype, str] = {
    CongestionControl: "transport.scheme",
    AodvPolicy: "routing.scheme",
    DsrPolicy: "routing.scheme",
    BabelMetric: "routing.scheme",
    OlsrMetric: "routing.scheme",
    HwmpMetric: "routing.scheme",
    BatmanMetric: "routing.scheme",
    RateControl: "mac.rate",
}
"""The bases of classes, and the key of a scenario that may name one of each."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A class that was given as such."""

    of: Prototype
    source: bytes | None
    """Of its file, as that was then; None if there is none to be read."""


class PrototypeError(ScenarioError):
    """A class of a prototype failed while it ran; the one-line message has the file's line."""


def is_reference(name: object) -> TypeGuard[str]:
    """Whether `name` is the name of a class in a file, `FILE.py:CLASS`."""
    return isinstance(name, str) and _REFERENCE.fullmatch(name) is not None


def anchored(name: str, folder: Path) -> str:
    """The reference `name` with its file relative to `folder`."""
    file, _, of = name.rpartition(":")
    return f"{(folder / file).resolve()}:{of}"


def reference(given: type) -> str:
    """The name by which scenarios know the class `given`.

    Raises:
        ScenarioError: it is derived from no base of prototypes.
    """
    if fault := _fault(given, *KEYS):
        raise ScenarioError(f"{given.__name__} {fault}")
    file = _file_of(given)
    name = f"{file}:{given.__qualname__}"
    known = _given.get(name)
    if known is None or known.of is not given:
        _given[name] = _Given(given, None if file == _NOTEBOOK else _read(file))
    return name


def _file_of(given: type) -> Path:
    try:
        file = Path(inspect.getsourcefile(given) or _NOTEBOOK)
    except (OSError, TypeError):  # of a notebook, or of a command
        return _NOTEBOOK
    return file if file.suffix == ".py" and file.is_file() else _NOTEBOOK


def _fault(found: object, *bases: Prototype) -> str | None:
    """What keeps `found` from being derived from one of `bases`."""
    if not (isinstance(found, type) and issubclass(found, bases)):
        names = " or ".join(f"multihop.{base.__name__}" for base in bases)
        return f"is not derived from {names}"
    if len(of := [f"multihop.{base.__name__}" for base in KEYS if issubclass(found, base)]) > 1:
        return f"is derived from both {' and '.join(of)}"
    missing = sorted(getattr(found, "__abstractmethods__", ()))
    return f"has no {' and no '.join(missing)}" if missing else None


def key_of(name: str) -> str:
    """The key of a scenario that can have the class called `name`.

    Raises:
        ScenarioError: it can't be had; one line, with that of the file.
    """
    return KEYS[_base(_found(name, *KEYS))]


def find(name: str, key: str = "transport.scheme") -> Prototype:
    """The class that a scenario's `key` calls `name`.

    Unless a run needs it (`consent.running`), its file is only read, and what is given stands for
    the class: it has the base and the name.

    Raises:
        ScenarioError: it can't be had, or may not run; one line, with that of the file.
    """
    return _found(name, *(base for base, known in KEYS.items() if known == key))


def _base(of: Prototype) -> Prototype:
    return next(base for base in KEYS if issubclass(of, base))


def _found(name: str, *bases: Prototype) -> Prototype:
    if name in _given:
        given = _given[name].of
        if fault := _fault(given, *bases):
            raise ScenarioError(f"{given.__name__} {fault}")
        return given
    match = _REFERENCE.fullmatch(name)
    if match is None:
        raise ScenarioError(f"must be FILE.py:CLASS (got {name!r})")
    file, of = Path(match["file"]), match["name"]
    if not consent.is_running():
        return _outlined(name, file, of, bases)
    check_consent([name])
    known = consent.source(name)
    module = _module(file, _read(file) if known is None else known)
    found: Prototype | None = getattr(module, of, None)
    fault = "is not in it" if found is None else _fault(found, *bases)
    if found is not None and fault is None:
        return found
    classes = [
        known
        for known, value in vars(module).items()
        if value not in bases and _fault(value, *bases) is None
    ]
    raise _unfit(file, of, fault, classes)


def check_consent(names: Iterable[str]) -> None:
    """Refuse the first of these that may not run.

    Raises:
        ScenarioError: which one, and how to allow it.
    """
    for name in names:
        if name not in _given and not consent.is_given(name):
            raise ScenarioError(
                f"{name} is a program, which does not run because a file names it: read it, then "
                f"allow it ({consent.HOW})"
            )


def _unfit(file: Path, of: str, fault: str | None, classes: Sequence[str]) -> ScenarioError:
    there = f"; there are: {', '.join(classes)}" if classes else ""
    return ScenarioError(f"{file}: {of} {fault}{there}")


def _outlined(name: str, file: Path, of: str, bases: tuple[Prototype, ...]) -> Prototype:
    """What stands for a class whose file is only read.

    Raises:
        ScenarioError: the text alone says that it can't be had.
    """
    content = _read(file)
    place = name, hashlib.sha256(content).hexdigest(), bases
    if place not in _outlines:
        there = outline(content, file)
        found = _judged(there, of, bases)
        if isinstance(found, str):
            fit = (
                each for each in there.classes if not isinstance(_judged(there, each, bases), str)
            )
            raise _unfit(file, of, found, [*fit])
        hidden = dict.fromkeys(getattr(found, "__abstractmethods__", ()), _never)
        _outlines[place] = type(of, (found,), hidden)
    return _outlines[place]


def _judged(there: Outline, of: str, bases: tuple[Prototype, ...]) -> Prototype | str:
    """The base of a class, or what keeps it from having one of `bases`, by its text."""
    if of not in there.names:
        return "is not in it"
    kinds, is_open = there.kinds(of, {base.__name__ for base in KEYS})
    fitting = [base for base in bases if base.__name__ in kinds]
    if len(kinds) > 1:
        named = [f"multihop.{base.__name__}" for base in KEYS if base.__name__ in kinds]
        return f"is derived from both {' and '.join(named)}"
    if fitting and not is_open:
        missing = sorted(getattr(fitting[0], "__abstractmethods__", frozenset()) - there.has(of))
        return f"has no {' and no '.join(missing)}" if missing else fitting[0]
    if fitting or (is_open and not kinds and len(bases) == 1):
        return (fitting or bases)[0]
    names = " or ".join(f"multihop.{base.__name__}" for base in bases)
    return f"is not derived from {names}{' in this file' if is_open else ''}"


def _never(*_: object) -> None:
    raise PrototypeError("a class whose file was only read does nothing")


def source(name: str) -> bytes:
    """What the file holds that decides what the class called `name` does.

    Raises:
        ScenarioError: there is none.
    """
    file, _, of = name.rpartition(":")
    if name not in _given:
        return _read(Path(file))
    if (known := _given[name].source) is None:
        raise ScenarioError(f"{of} can't be told from others of its name: put it into a file")
    return known


def hooks(of: Prototype) -> list[str]:
    """The hooks that the class has of its own."""
    return [
        name
        for base in _base(of).__mro__[:-1]
        for name, value in vars(base).items()
        if callable(value) and getattr(of, name) is not value
    ]


def ladder(steps: Iterable[tuple[float, float]]) -> tuple[Step, ...]:
    """What a rate control gets of its rates."""
    return tuple(Step(*step) for step in steps)


def misplaced(
    name: str, hook: Callable[..., object], returned: object, rates: int
) -> PrototypeError:
    """The error for what a hook of the rate control `name` returned, with the hook's line."""
    file, _, of = name.rpartition(":")
    code = getattr(hook, "__code__", None)
    line = f"line {code.co_firstlineno}: " if code else ""
    must = f"must return an index of its ladder, 0 to {rates - 1} (got {returned!r})"
    fault = f"{Path(file).name}: {line}{of}.{getattr(hook, '__name__', hook)} {must}"
    return PrototypeError.at("mac.rate", fault)


def told(error: BaseException, name: str, key: str = "transport.scheme") -> BaseException:
    """`error`, raised by what `key` calls `name`, in one line; what is no fault as it is."""
    if not isinstance(error, Exception) or isinstance(error, PrototypeError):
        return error
    file, _, of = name.rpartition(":")
    place = _place(error, Path(file)) or _place_of_hook(error, name)
    fault = f"{Path(file).name}: {place}{of}: {_in_words(error)}"
    said = PrototypeError.at(key, fault)
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


def _place_of_hook(error: Exception, name: str) -> str:
    """The first line of the hook that an error of its call or answer names."""
    named = re.match(r"(?:\w+\.)?(\w+)(?:\(\)|:)", str(error))
    code = getattr(getattr(_executed(name), named[1], None), "__code__", None) if named else None
    return f"line {code.co_firstlineno}: " if code else ""


def _executed(name: str) -> object:
    """The class called `name` that was executed last."""
    if name in _given:
        return _given[name].of
    file, _, of = name.rpartition(":")
    ran = [module for (place, _), module in _modules.items() if place == Path(file).resolve()]
    return getattr(ran[-1], of, None) if ran else None


def _in_words(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _read(file: Path) -> bytes:
    try:
        return read_bytes(file)
    except OSError as error:
        raise ScenarioError(f"{file} can't be read: {error.strerror}") from None


def _module(file: Path, content: bytes) -> ModuleType:
    """The module that `file` is while it holds `content`: that runs, and no cached code."""
    with _LOCK:
        sha = hashlib.sha256(content).hexdigest()
        place = file.resolve(), sha
        if place in _modules:
            return _modules[place]
        outline(content, file)
        module = ModuleType(f"multihop_prototype_{sha[:16]}")
        module.__file__ = str(file)
        sys.modules[module.__name__] = module  # dataclasses look there
        try:
            exec(compile(content, file, "exec", dont_inherit=True), vars(module))
        except Exception as error:
            del sys.modules[module.__name__]
            raise ScenarioError(f"{file}: {_place(error, file)}{_in_words(error)}") from error
        _modules[place] = module
        return module
