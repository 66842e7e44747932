"""The engine: the one module that imports the compiled bindings, and gives them their types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from multihop import consent, installed
from multihop._engine import (
    Ack as Ack,
)
from multihop._engine import (
    Answer as Answer,
)
from multihop._engine import (
    DataPacket as DataPacket,
)
from multihop._engine import (
    Discover as Discover,
)
from multihop._engine import (
    Hearing as Hearing,
)
from multihop._engine import (
    Link as Link,
)
from multihop._engine import (
    Loss as Loss,
)
from multihop._engine import (
    Networks as Networks,
)
from multihop._engine import (
    Packing as Packing,
)
from multihop._engine import (
    PathRequest as PathRequest,
)
from multihop._engine import (
    Record as Record,
)
from multihop._engine import (
    RequestCopy as RequestCopy,
)
from multihop._engine import (
    Route as Route,
)
from multihop._engine import (
    RouteOffer as RouteOffer,
)
from multihop._engine import (
    RouteReply as RouteReply,
)
from multihop._engine import (
    RouteRequest as RouteRequest,
)
from multihop._engine import (
    RoutingContext as RoutingContext,
)
from multihop._engine import (
    Sent as Sent,
)
from multihop._engine import (
    Window as Window,
)
from multihop._engine import (
    build as build,
)
from multihop._engine import check_toml as _check_toml
from multihop._engine import choices as _choices
from multihop._engine import event_columns as _event_columns
from multihop._engine import (
    line_of as line_of,
)
from multihop._engine import quantities as _quantities
from multihop._engine import recording_schema as _recording_schema
from multihop._engine import result_schema as _result_schema
from multihop._engine import schema as _schema
from multihop._engine import scheme_overrides as _scheme_overrides
from multihop._engine import schemes as _schemes
from multihop._engine import (
    share as share,
)
from multihop._engine import (
    value as value,
)
from multihop._engine import (
    version as version,
)
from multihop.errors import ScenarioError as ScenarioError
from multihop.events import Block, Watch
from multihop.installed import Bindings, Engine, Installed
from multihop.pcap import Pcap

if TYPE_CHECKING:
    from multihop.recording import Recording
    from multihop.result_types import RunResult

Syntax = Literal["toml", "json"]
"""How a scenario is written: as a file, or as a mapping whose infinities are text."""

Overrides = Sequence[tuple[str, Any]]
"""Key paths of a scenario and their values; text is read as TOML if it is that, as by `--set`."""

Schema = dict[str, Any]
"""A JSON Schema."""

Said = TypeVar("Said")

_STANDARD = Engine(cast("Bindings", import_module("multihop._engine")))
_KEYS = ("routing.scheme", "transport.scheme", "transport.link_failure")
"""Where schemes of another crate can stand."""


def quantities() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """What agents of flows and of nodes observe and set."""
    told: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(_quantities())
    return told


@cache
def _others() -> Installed:
    """The engines with schemes of other crates."""
    return installed.find(_STANDARD)


def _ask(text: str, overrides: Overrides, syntax: Syntax, ask: Callable[[Engine], Said]) -> Said:
    """What the engine says that has the schemes which the scenario names.

    That is the package's own unless it refuses the scenario, and another has what it names.
    """
    try:
        return ask(_STANDARD)
    except ScenarioError as error:
        other = _other(text, overrides, syntax, error)
        if other is None:
            raise
    return ask(other)


def _call(what: str, text: str, overrides: Overrides, syntax: Syntax, **arguments: Any) -> Any:
    """The same of what the engine returns for a scenario."""
    laid = to_json(overrides)
    return _ask(
        text,
        overrides,
        syntax,
        lambda engine: getattr(engine.module, what)(text, laid, syntax=syntax, **arguments),
    )


def _other(text: str, overrides: Overrides, syntax: Syntax, error: ScenarioError) -> Engine | None:
    """The engine that has what a scenario names and the package's own, at `error`, does not."""
    try:
        chosen = _choices(text, to_json(overrides), syntax=syntax)
    except ScenarioError:
        return None
    owners = {choice: owner for choice in chosen if (owner := _owner(*choice)) is not None}
    engines = {*owners.values()}
    if len(engines) > 1:
        said = [f"{name!r} is of {owner.name}" for (_, name), owner in owners.items()]
        raise ScenarioError.at([*owners][-1][0], f"{', '.join(said)}; no engine has both")
    if not engines and type(error) is ScenarioError and error.key.endswith(_KEYS):
        _refer(error)
    return next(iter(engines), None)


def _refer(error: ScenarioError) -> None:
    """Raise an unknown name's error with what other crates have, or might have, in its place."""
    others = _others()
    own = sorted(
        {name for engine in others.engines for key, name in engine.own if key in error.key}
    )
    notes = [f"schemes of other crates: {', '.join(own)}"] if own else []
    if notes or others.faults:
        fault = "; ".join([error.fault, *notes, *others.faults])
        message = str(error).removesuffix(error.fault) + fault
        raise ScenarioError(message, error.line, error.key, fault) from None


def _owner(key: str, name: str) -> Engine | None:
    """The engine of another crate that has this scheme.

    Raises:
        ScenarioError: two have it.
    """
    owners = [engine for engine in _others().engines if (key, name) in engine.own]
    if len(owners) > 1:
        names = " and ".join(owner.name for owner in owners)
        raise ScenarioError.at(key, f"{name!r} is a scheme of both {names}; uninstall one of them")
    return owners[0] if owners else None


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
    run = {
        "recording": to_json({} if recording is None else recording.engine_part()),
        "events": _asked(watch, pcap),
        "rows": watch is not None,
        "pcap": None if pcap is None else str(pcap.path),
        "seed": seed,
        "progress": progress,
    }
    with consent.running():
        written, events = _call("run", text, overrides, syntax, **run)
    result: RunResult = json.loads(written)
    return result, events


FlowSoFar = tuple[int, str, int, int, int, int]
"""Number, kind, source, destination, packets that have arrived, and bytes in them."""


class Emulation:
    """A scenario in real time, with devices: built, started once and finished once."""

    def __init__(self, of: Any) -> None:
        self._of = of
        self.nodes: int = of.nodes
        self.is_one_link: bool = of.is_one_link
        """Routing makes the mesh one link; without, nodes see their radio neighbours."""
        self.switched: list[tuple[float, int, bool]] = of.switched
        """When [s] the scenario switches which node off (True) or on."""
        self.start: Callable[[list[tuple[int, int]]], int] = of.start
        """Start now, with (device, descriptor) for each; the kernel's number of its thread."""
        self.devices: Callable[[int], list[tuple[int, str, str, str, str]]] = of.devices
        """Of a node: number, interface, MAC, IPv4 and IPv6 address of each device."""
        self.is_over: Callable[[], bool] = of.is_over
        self.set_link: Callable[[int, int, bool], None] = of.set_link
        """Cut a link (True), or restore it."""
        self.set_node: Callable[[int, bool], None] = of.set_node
        """Switch the radio of a node off (True), or on."""
        self.look: Callable[[], tuple[float, list[Block], list[FlowSoFar]] | None] = of.look
        """What was recorded since the last look: until when [s], rows, and all flows; none once it
        is over."""
        self.take_recent: Callable[[], tuple[int, int, float]] = of.take_recent
        """Frames since the last call, those later than 1 ms, and the greatest lateness [s]."""

    def carry(
        self, frames: Sequence[tuple[int, bytes]], *, pcap: str | None = None
    ) -> tuple[dict[str, int], dict[str, Any]]:
        """Have frames of programs, (node, frame), carried without devices and real time.

        Returns what became of them and the result. An emulation is carried or started, once.
        """
        counts, result = self._of.carry([(node, list(frame)) for node, frame in frames], pcap=pcap)
        return json.loads(counts), json.loads(result)

    def plan(self) -> dict[str, Any]:
        """The result of the run before it has begun."""
        return _object(self._of.plan())

    def finish(self, *, rows: bool, pcap: str | None) -> tuple[dict[str, Any], Record | None]:
        """End it; the result, with `emulation`, and the record of events if `rows`.

        Raises:
            OSError: a device was gone, or the capture can't be written.
        """
        result, report, record = self._of.finish(rows=rows, pcap=pcap)
        return json.loads(result) | {"emulation": json.loads(report)}, record


def emulation(
    text: str,
    overrides: Overrides = (),
    *,
    syntax: Syntax = "toml",
    recording: Recording | None = None,
    watch: Watch | None = None,
    pcap: Pcap | None = None,
    seed: int | None = None,
    keeps_flows: bool = False,
    routers: Sequence[int] = (),
) -> Emulation:
    """Build the scenario in `text` for real time, with its flows if `keeps_flows`.

    At `routers` programs route.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    run = {
        "recording": to_json({} if recording is None else recording.engine_part()),
        "events": _asked(watch, pcap),
        "seed": seed,
        "keeps_flows": keeps_flows,
        "routers": [*routers],
    }
    with consent.running():
        return Emulation(_call("Emulation", text, overrides, syntax, **run))


def _asked(watch: Watch | None, pcap: Pcap | None) -> str | None:
    """What events are recorded, as the bindings take it."""
    asked = None if watch is None else watch.asked()
    if pcap is not None:
        asked = {**pcap.asked(), "frames_only": watch is None}
    return None if asked is None else to_json(asked)


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


def event_words() -> dict[str, list[str]]:
    """Return what the values of each column of words stand for; a first empty one is null."""
    return {column.name: list(column.words) for column in event_columns() if column.words}


def _tidy(text: str) -> str:
    return " ".join(text.replace("\\[", "[").replace("\\]", "]").split())


def resolve(text: str, overrides: Overrides = (), *, syntax: Syntax = "toml") -> str:
    """Return the scenario in `text` with every default and override filled in, as JSON.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    return resolve_with(text, overrides, syntax=syntax)[0]


def resolve_with(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml"
) -> tuple[str, str]:
    """Return the same, and the build of the engine that runs it.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    return _ask(
        text,
        overrides,
        syntax,
        lambda engine: (
            engine.module.resolve(text, to_json(overrides), syntax=syntax),
            build_name() if engine is _STANDARD else engine.build,
        ),
    )


def movement(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml", seed: int | None = None
) -> str:
    """Return the nodes' positions and movement with `seed`, in the format of ns-2's setdest.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    found: str = _call("movement", text, overrides, syntax, seed=seed)
    return found


def load(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml", seed: int | None = None
) -> tuple[int, int, int, float] | None:
    """Return what a large network takes to build: nodes, neighbours in all, bytes, seconds.

    None for any other network.

    Raises:
        ScenarioError: the scenario can't be run, or the network can't fit into memory.
    """
    found: tuple[int, int, int, float] | None = _call("load", text, overrides, syntax, seed=seed)
    return found


def capacity(
    text: str,
    overrides: Overrides = (),
    *,
    syntax: Syntax = "toml",
    seed: int | None = None,
    step_s: float = 1.0,
) -> dict[str, Any]:
    """Return what bounds the rates of the flows: who hears whom, and what a packet takes.

    Raises:
        ScenarioError: the scenario can't be run, or receivers go by signal and noise.
    """
    return _object(_call("capacity", text, overrides, syntax, seed=seed, step_s=step_s))


def gains_db(
    text: str, overrides: Overrides = (), *, syntax: Syntax = "toml", seed: int | None = None
) -> list[tuple[int, int, float]]:
    """Return the mean gain of each link with `seed`, shadowing included: from, to, decibels.

    Pairs whose signals do not count have none.

    Raises:
        ScenarioError: the scenario can't be run, nodes move, or receivers go by threshold.
    """
    found: list[tuple[int, int, float]] = _call("gains_db", text, overrides, syntax, seed=seed)
    return found


def hearing(
    text: str,
    overrides: Overrides = (),
    *,
    syntax: Syntax = "toml",
    seed: int | None = None,
    ways: list[list[tuple[float, float, float]]] | None = None,
) -> Hearing:
    """Return who hears whom with `seed`, as `multihop.hearing` gives it meaning.

    With `ways`, by node points (time_s, x_m, y_m), nodes go along these, and flows don't matter.

    Raises:
        ScenarioError: the scenario can't be run, or the ways are not those of its nodes.
    """
    found: Hearing = _call("Hearing", text, overrides, syntax, seed=seed, ways=ways)
    return found


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


def schemes() -> list[tuple[str, str]]:
    """Return every named scheme as (name, description), those of other crates last."""
    own = [
        (name, about)
        for engine in _others().engines
        for name, about in engine.module.schemes()
        if ("scheme", name) in engine.own
    ]
    return _schemes() + own


def scheme_names() -> Iterator[str]:
    """Yield the names of all schemes; those of other crates last, which are looked for then."""
    yield from (name for name, _ in _schemes())
    for engine in _others().engines:
        yield from (name for key, name in engine.own if key == "scheme")


def scheme_overrides(name: str) -> list[tuple[str, str]] | None:
    """Return what a named scheme lays over a scenario, or None for an unknown name.

    Raises:
        ScenarioError: schemes of two crates are called so.
    """
    overrides = _scheme_overrides(name)
    if overrides is None and (owner := _owner("scheme", name)) is not None:
        return owner.module.scheme_overrides(name)
    return overrides


def keeps_routes(scheme: str) -> bool:
    """Whether nodes keep routes to all others by what `routing.scheme` calls `scheme`."""
    engine = _owner("routing.scheme", scheme) or _STANDARD
    return bool(engine.module.keeps_routes(scheme))


def engines() -> list[tuple[str, str]]:
    """Return every engine that can be used as (name and version, what only it has)."""
    return [
        (engine.name, ", ".join(f"{key} {name}" for key, name in sorted(engine.own)))
        for engine in (_STANDARD, *_others().engines)
    ]


def faults() -> list[str]:
    """Why engines that are installed can't be used, one line each."""
    return _others().faults


def schema() -> Schema:
    """Return the JSON Schema of the scenario file, with the schemes of other crates."""
    merged = _object(_schema())
    for other in _others().engines:
        _add(merged, _object(other.module.schema()))
    return merged


def result_schema() -> Schema:
    """Return the JSON Schema of a result of the package's engine, as `run` gives it."""
    schema = _object(_result_schema())
    told = "The reading that its named scheme ran under, PAPER/NAME."
    schema["properties"]["reading"] = {"type": "string", "description": told}
    return schema


def recording_schema() -> Schema:
    """Return the JSON Schema of what to record."""
    return _object(_recording_schema())


def _add(own: Any, other: Any) -> None:
    """Add what `other` has more, member by member."""
    if isinstance(own, dict) and isinstance(other, dict):
        for key, value in other.items():
            if key in own:
                _add(own[key], value)
            else:
                own[key] = value
    elif isinstance(own, list) and isinstance(other, list):
        own += [value for value in other if value not in own]


def build_name() -> str:
    """Version and digest of the package's engine: results of another are not reused."""
    return _STANDARD.build


def has_build(build: str) -> bool:
    """Whether an engine of this build is installed."""
    return build == build_name() or any(engine.build == build for engine in _others().engines)


def to_json(value: object) -> str:
    """Write plain data as the engine reads it: JSON whose infinities are text."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):  # a mapping of another type, an infinity
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
