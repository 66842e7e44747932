"""Engines with schemes of other crates: Python packages that are installed beside this one.

Each names its compiled module by an entry point in the group `multihop.engines`. Looking for them
takes some milliseconds, so nobody does until a scheme is asked for that the package does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

GROUP = "multihop.engines"
Choice = tuple[str, str]
"""Key and name: `routing.scheme` or another such key, `scheme` for named schemes."""


class Bindings(Protocol):
    """A compiled module, as far as one can stand for another."""

    version: str
    build: str
    run: Callable[..., tuple[str, Any]]
    resolve: Callable[..., str]
    movement: Callable[..., str]
    load: Callable[..., tuple[int, int, int, float] | None]
    capacity: Callable[..., str]
    gains_db: Callable[..., list[tuple[int, int, float]]]
    schema: Callable[[], str]
    result_schema: Callable[[], str]
    schemes: Callable[[], list[tuple[str, str]]]
    keeps_routes: Callable[[str], bool]
    scheme_overrides: Callable[..., list[tuple[str, str]] | None]
    own_schemes: Callable[[], list[Choice]]
    Emulation: Callable[..., Any]
    Hearing: Callable[..., Any]


@dataclass(frozen=True)
class Engine:
    """A compiled module, and the crate that its own schemes are of."""

    module: Bindings
    crate: tuple[str, str, str] | None = None
    """Name, version and digest; none for the package's own."""

    @property
    def name(self) -> str:
        """The crate's name and version, for messages."""
        return " ".join(self.crate[:2]) if self.crate else f"multihop {self.module.version}"

    @property
    def build(self) -> str:
        """Versions and digests of the sources: results of another build are not reused."""
        build = f"{self.module.version}+{self.module.build}"
        return build if self.crate is None else f"{build} {'{} {}+{}'.format(*self.crate)}"

    @cached_property
    def own(self) -> frozenset[Choice]:
        """The schemes that the package does not have."""
        return frozenset(self.module.own_schemes())


@dataclass(frozen=True, slots=True)
class Installed:
    """The engines that were found."""

    engines: list[Engine]
    faults: list[str]
    """Why others can't be used, one line each."""


def find(standard: Engine) -> Installed:
    """Load every engine that is installed beside `standard`, in the order of their names."""
    from importlib import metadata

    found = Installed([], [])
    for point in sorted(metadata.entry_points(group=GROUP), key=lambda point: point.name):
        try:
            module = point.load()
            engine = Engine(module, module.crate)
            fault = _fault(engine, standard)
        except Exception as error:  # noqa: BLE001, of whatever kind: it is of another package
            fault = f"can't be loaded: {' '.join(str(error).split()) or type(error).__name__}"
        if fault is None:
            found.engines.append(engine)
        else:
            of = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
            found.faults.append(f"engine {point.name}{of} {fault}")
    return found


def _fault(engine: Engine, standard: Engine) -> str | None:
    """Why the engine can't be used beside the package's own."""
    theirs, ours = engine.module, standard.module
    if engine.crate is None:
        return "has no schemes of its own: its build script has to call multihop_build::stamp()"
    if theirs.version != ours.version:
        return f"was built with multihop {theirs.version}, this is {ours.version}; build it again"
    if theirs.build != ours.build:
        return f"was built with other sources of multihop {ours.version}; build it again"
    return None
