"""What may be read and run for others: files of a folder, no code, networks of bounded size."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop import engine
from multihop.errors import ScenarioError
from multihop.foreign import line
from multihop.scenario import classes, toml

MOST_CHARACTERS = 1_000_000
"""Of a scenario's text."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a scenario, and where."""

    message: str
    key: str = ""
    line: int | None = None

    @classmethod
    def of(cls, error: ScenarioError) -> Fault:
        """The fault that an error tells of."""
        return cls(line(error.fault, 2000), error.key, error.line)

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"message": self.message, "key": self.key, "line": self.line}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be asked for."""

    nodes: int = 1000
    flows: int = 500
    run_s: float = 30.0
    """Processor time of a run [s]."""
    simulated_s: float = 3600.0
    asker: str = "this page"
    program: str = "multihop lab"


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario that may be run."""

    text: str
    tables: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)
    """Key paths of the files that it names, with their paths on the disk."""

    @property
    def overrides(self) -> list[tuple[str, Any]]:
        """The same as the engine takes it."""
        return [*self.files.items()]

    def resolved(self) -> dict[str, Any]:
        """All keys with what holds for them.

        Raises:
            ScenarioError: it can't be run.
        """
        found: dict[str, Any] = json.loads(engine.resolve(self.text, self.overrides))
        return found


def read(text: str, folders: tuple[Path, ...], *, allow_code: bool) -> Source:
    """The scenario of a text, whose files are in one of the folders.

    Raises:
        ScenarioError: it is no TOML, names a file of elsewhere, or code that may not run.
    """
    if len(text) > MOST_CHARACTERS:
        raise ScenarioError(f"the text has more than {MOST_CHARACTERS:,} characters")
    try:
        tables = toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError(f"only TOML 1.0 can be changed here: {error}") from None
    if not allow_code and (named := classes(tables)):
        raise ScenarioError(
            f"the scenario names code, {named[0]!r}, which doesn't run here; "
            "multihop lab and multihop run take --allow-code"
        )
    files = {key: _inside(key, name, folders) for key, name in _files(tables, "")}
    return Source(text, tables, files)


def _files(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            here = f"{path}.{key}" if path else key
            if key == "file" and isinstance(inner, str):
                yield here, inner
            else:
                yield from _files(inner, here)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _files(inner, f"{path}.{place}")


def _inside(key: str, name: str, folders: tuple[Path, ...]) -> str:
    """The file's path on the disk, links followed."""
    if "\0" in name:
        raise ScenarioError.at(key, "no file's name")
    for folder in folders:
        root = folder.resolve()
        found = (root / name).resolve()
        if found.is_relative_to(root) and found.is_file():
            return str(found)
    raise ScenarioError.at(key, f"no such file in {folders[0].resolve()} (got {name!r})")


def check(resolved: Mapping[str, Any], limits: Limits) -> None:
    """Refuse what is too large, before anything of it is built.

    Raises:
        ScenarioError: it is; with the key and the limit.
    """
    nodes = _nodes(resolved["topology"])
    if nodes > limits.nodes:
        raise ScenarioError.at(
            "topology",
            f"{nodes:,} nodes are more than the {limits.nodes:,} that {limits.asker} takes; "
            f"{limits.program} --nodes raises that, multihop run has no limit",
        )
    duration_s = float(resolved["duration_s"])
    flows = sum(_flows(table, duration_s) for table in resolved["flows"])
    if flows > limits.flows:
        raise ScenarioError.at(
            "flows", f"about {flows:,.0f} flows are more than the {limits.flows:,} that "
            f"{limits.asker} takes; multihop run has no limit",
        )  # fmt: skip
    if duration_s > limits.simulated_s:
        raise ScenarioError.at(
            "duration_s",
            f"must be at most {limits.simulated_s:g} s here (got {duration_s:g}); "
            "multihop run has no limit",
        )


def _nodes(topology: Mapping[str, Any]) -> int:
    """How many there are, at least, without building any."""
    if "positions_m" in topology:
        return len(topology["positions_m"])
    counts = [
        topology[key]
        for key in ("nodes", "hops", "horizontal_hops", "arms")
        if isinstance(topology.get(key), int)
    ]
    if {"columns", "rows"} <= topology.keys():
        counts.append(int(topology["columns"]) * int(topology["rows"]))
    if {"strings", "hops"} <= topology.keys():
        counts.append(int(topology["strings"]) * (int(topology["hops"]) + 1))
    return max(map(int, counts), default=0)


def _flows(flow: Mapping[str, Any], duration_s: float) -> float:
    """How many a table stands for; of those that arrive at random the expected number."""
    if rate := flow.get("arrivals_per_s"):
        stop_s = min(flow.get("stop_s") or duration_s, duration_s)
        return float(rate * max(0.0, stop_s - flow.get("start_s", 0.0)))
    return float(flow.get("count", 1))
