"""The engine: the one module that imports the compiled bindings, and gives them their types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from multihop._engine import (
    Ack,
    Loss,
    Record,
    Sent,
    Window,
    build,
    line_of,
    scheme_overrides,
    schemes,
    version,
)
from multihop._engine import check_toml as _check_toml
from multihop._engine import event_columns as _event_columns
from multihop._engine import load as _load
from multihop._engine import movement as _movement
from multihop._engine import recording_schema as _recording_schema
from multihop._engine import resolve as _resolve
from multihop._engine import result_schema as _result_schema
from multihop._engine import run as _run
from multihop._engine import schema as _schema
from multihop.errors import ScenarioError
from multihop.events import Watch
from multihop.pcap import Pcap
from multihop.recording import Recording
from multihop.result_types import RunResult

__all__ = [
    "Ack",
    "EventColumn",
    "Loss",
    "Overrides",
    "Record",
    "ScenarioError",
    "Sent",
    "Syntax",
    "Window",
    "build",
    "build_name",
    "check_toml",
    "event_columns",
    "line_of",
    "load",
    "movement",
    "recording_schema",
    "resolve",
    "result_schema",
    "run",
    "run_recorded",
    "schema",
    "scheme_overrides",
    "schemes",
    "version",
]

Syntax = Literal["toml", "json"]
"""How a scenario is written: as a file, or as a mapping whose infinities are text."""

Overrides = Sequence[tuple[str, Any]]
"""Key paths of a scenario and their values; text is read as TOML if it is that, as by `--set`."""

Schema = dict[str, Any]
"""A JSON Schema."""


def run(
    text: str,
    overrides: Overrides = (),
    *,
    syntax: Syntax = "toml",
    recording: Recording | None = None,
    seed: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> RunResult:
    """Simulate the scenario in `text` to its end.

    Raises:
        ScenarioError: the scenario can't be run.
        RuntimeError: the engine failed, which is a defect.
    """
    return run_recorded(
        text, overrides, syntax=syntax, recording=recording, seed=seed, progress=progress
    )[0]


def run_recorded(
    text: str,
    overrides: Overrides = (),
    *,
    syntax: Syntax = "toml",
    recording: Recording | None = None,
    watch: Watch | None = None,
    pcap: Pcap | None = None,
    seed: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[RunResult, Record | None]:
    """Simulate the scenario in `text` to its end, and return the record of `watch` as well.

    Those of `pcap`, which is written, are the same if both are given.

    Raises:
        ScenarioError: the scenario can't be run.
        OSError: the file of `pcap` can't be written.
        RuntimeError: the engine failed, which is a defect.
    """
    asked = None if watch is None else watch.asked()
    if pcap is not None:
        asked = {**pcap.asked(), "frames_only": watch is None}
    written, events = _run(
        text,
        to_json(overrides),
        syntax=syntax,
        recording=to_json((recording or Recording()).engine_part()),
        events=None if asked is None else to_json(asked),
        rows=watch is not None,
        pcap=None if pcap is None else str(pcap.path),
        seed=seed,
        progress=progress,
    )
    result: RunResult = json.loads(written)
    return result, events


@dataclass(frozen=True, slots=True)
class EventColumn:
    """A column of the record of events."""

    name: str
    about: str
    words: dict[str, str] | None
    """What each of its values stands for, if they are words; a first empty one is null."""


def event_columns() -> list[EventColumn]:
    """Return the columns of the record of events, in order."""
    return [
        EventColumn(
            name,
            _tidy(about),
            None if words is None else {word: _tidy(text) for word, text in words},
        )
        for name, about, words in _event_columns()
    ]


def _tidy(text: str) -> str:
    return " ".join(text.replace("\\[", "[").replace("\\]", "]").split())


def resolve(text: str, overrides: Overrides = (), *, syntax: Syntax = "toml") -> str:
    """Return the scenario in `text` with every default and override filled in, as JSON.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    return _resolve(text, to_json(overrides), syntax=syntax)


def movement(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml", seed: int | None = None
) -> str:
    """Return the nodes' positions and movement with `seed`, in the format of ns-2's setdest.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    return _movement(text, to_json(overrides), syntax=syntax, seed=seed)


def load(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml", seed: int | None = None
) -> tuple[int, int, int, float] | None:
    """Return what a large network takes to build: nodes, neighbours in all, bytes, seconds.

    None for any other network.

    Raises:
        ScenarioError: the scenario can't be run, or the network can't fit into memory.
    """
    return _load(text, to_json(overrides), syntax=syntax, seed=seed)


def check_toml(text: str) -> None:
    """Refuse text that is not TOML.

    Raises:
        ScenarioError: with the line, and the name of a key that is there twice.
    """
    try:
        _check_toml(text)
    except ScenarioError as error:
        name = _named_on(text, error.line)
        if not error.fault.endswith("duplicate key") or name is None:
            raise
        fault = f"{error.fault} {name}"
        raise ScenarioError(f"line {error.line}: {fault}", error.line, "", fault) from None


def _named_on(text: str, line: int | None) -> str | None:
    """The table or key that a line begins; none where an inline table may begin several."""
    written = "" if line is None else text.split("\n")[line - 1]
    found = re.match(r"\s*(?:\[+([^]]+)\]|([^={]+)=(?!.*\{))", written)
    return (found[1] or found[2]).strip() if found else None


def schema() -> Schema:
    """Return the JSON Schema of the scenario file."""
    return _object(_schema())


def result_schema() -> Schema:
    """Return the JSON Schema of a result."""
    return _object(_result_schema())


def recording_schema() -> Schema:
    """Return the JSON Schema of what to record."""
    return _object(_recording_schema())


def build_name() -> str:
    """Version of the engine with a digest of its sources: results of another are not reused."""
    return f"{version}+{build}"


def to_json(value: object) -> str:
    """Write plain data as the engine reads it: JSON whose infinities are text."""
    return json.dumps(_finite(value), allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return value


def _object(text: str) -> Schema:
    found: Schema = json.loads(text)
    return found
