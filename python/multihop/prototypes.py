"""Schemes written in Python, in a file that a scenario names.

A class with the hooks of `CongestionControl` (`transport.scheme = "mine.py:Mine"`), of which the
engine makes one object for each flow; of `AodvPolicy` or `DsrPolicy` (`routing.scheme`), one for
each node; or of `RateControl` (`mac.rate`), one for each neighbour of each station.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import threading
import traceback
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from multihop import consent
from multihop.errors import ScenarioError
from multihop.files import read_bytes
from multihop.outline import Outline, outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from multihop.engine import (
        Ack,
        Answer,
        DataPacket,
        Discover,
        Loss,
        PathRequest,
        RequestCopy,
        Route,
        RouteOffer,
        RouteReply,
        RouteRequest,
        RoutingContext,
        Sent,
        Window,
    )

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

    def counters(self) -> dict[str, int]:
        """What it has counted: added up over all flows in `result.json["schemes"]`, by its name."""
        return {}


class AodvPolicy:
    """Base of a policy of AODV: AODV by hop count, whose choices a class makes differently.

    `context` has `now_s`, `node`, `queue_packets` (of the interface queue) and `backoffs` (of the
    MAC so far), and does `set_timer(after_s, number)` and `broadcast(message)`, to the neighbours.
    Nodes are numbers. Of requests and replies a hook may change the `metric`, which is 0 at first
    and a whole number. Where a hook gets `usual`, that is what AODV would say.

    Each node has an object of its own. `self.random` is its stream of random numbers, a
    `random.Random` that the seed of the run decides; it is there after `__init__`.
    """

    added_bytes: int = 0
    """What it adds to the size of requests and replies: 4 for a metric."""
    sees_deliveries: bool = False
    """Whether `on_data` is called for packets at their destination, too."""
    random: Random

    def on_start(self, context: RoutingContext) -> None:
        """The run starts."""

    def originate(self, context: RoutingContext, request: RouteRequest) -> None:
        """A request of this node's own is about to leave."""

    def gather(self, context: RoutingContext, request: RouteRequest, sender: int) -> None:
        """A copy of a request has arrived from neighbour `sender`: adds what it collects here."""

    def originate_reply(self, context: RoutingContext, reply: RouteReply) -> None:
        """A request is about to be answered; the metric is what it has gathered."""

    def gather_reply(self, context: RoutingContext, reply: RouteReply, sender: int) -> None:
        """A reply has arrived from neighbour `sender`."""

    def counts(self, request: RouteRequest, seen: bool) -> bool:
        """Whether this copy of a request is looked at; `seen`: an earlier one has arrived."""
        return not seen

    def collect(self, context: RoutingContext, copy: RequestCopy) -> RequestCopy | None:
        """The copy to answer or forward, now that this one has come; one kept can go at a timer."""
        return copy

    def on_timer(self, context: RoutingContext, number: int) -> RequestCopy | None:
        """The timer of this number has expired: the copy to answer or forward now, if any."""

    def may_answer(self, route: Route, request: RouteRequest, usual: bool) -> bool:
        """Whether this node may answer a request for another with the route that it has."""
        return usual

    def prefers(self, route: Route, offer: RouteOffer, usual: bool) -> bool:
        """Whether what a message offers replaces the route."""
        return usual

    def repairs(self, route: Route, packet: DataPacket, usual: bool) -> bool:
        """Whether a relay looks for a new route itself when the link to the next hop breaks."""
        return usual

    def may_send(self, context: RoutingContext, destination: int) -> bool:
        """Whether this node's own data may go over a route that is up."""
        return True

    def on_undelivered(self, context: RoutingContext, packet: DataPacket, route: Route) -> None:
        """The link could not deliver a packet. `context` takes neither timers nor messages."""

    def on_reply(self, context: RoutingContext, destination: int) -> None:
        """A reply to this node's own request has arrived."""

    def on_route_lost(self, context: RoutingContext, route: Route) -> None:
        """The link of a route has broken here, or a route error was believed."""

    def on_data(self, context: RoutingContext, packet: DataPacket) -> None:
        """A transport's packet has gone to the link."""

    def on_message(self, context: RoutingContext, sender: int, message: bytes) -> None:
        """A message of the policy's own has come, from a `broadcast` of neighbour `sender`."""

    def greet(self, context: RoutingContext) -> bytes | None:
        """A HELLO is due, if AODV has them: what it carries; None: no HELLO."""
        return b""

    def on_greeting(self, context: RoutingContext, sender: int, fields: bytes) -> None:
        """A HELLO of neighbour `sender` has come."""

    def counters(self) -> dict[str, int]:
        """What it has counted: added up over all nodes in `result.json["schemes"]`, by its name."""
        return {}


class DsrPolicy:
    """Base of a policy of DSR: DSR by fewest hops, whose choices a class makes differently.

    `context` is as that of `AodvPolicy`. Paths are tuples of nodes, from a source to a destination;
    numbers that nodes gather are of 32 bits. `on_timer`, `on_broken_link` and `on_delivered` may
    return `Answer(request)` or `Discover(node)`, which the node's DSR then does; the first two a
    list of these, too.

    Each node has an object of its own, with a `self.random` as that of `AodvPolicy`.
    """

    random: Random

    def on_start(self, context: RoutingContext) -> None:
        """The run starts."""

    def passes_on(self, context: RoutingContext, request: PathRequest, is_first: bool) -> bool:
        """Whether a copy of a request for another node is passed on."""
        return is_first

    def gather(self, context: RoutingContext, request: PathRequest) -> float | None:
        """What this node, the last on the path, adds to what the request has gathered."""

    def answers(
        self, context: RoutingContext, request: PathRequest, is_first: bool, usual: bool
    ) -> bool:
        """Whether a copy of a request for this node is answered now; one kept can be at a timer."""
        return usual

    def gathered(self, context: RoutingContext, request: PathRequest) -> Sequence[float]:
        """What the answer tells of each node of its path but the first."""
        return ()

    def pick(
        self,
        context: RoutingContext,
        packet: DataPacket,
        paths: tuple[tuple[int, ...], ...],
        usual: int | None,
    ) -> int | None:
        """The place in `paths`, those known, of the one to send a packet on; None: look for one."""
        return usual

    def on_reply(self, now_s: float, path: tuple[int, ...], gathered: tuple[float, ...]) -> None:
        """A reply to this node has told a path, and what was gathered on it."""

    def piggyback(self, context: RoutingContext, previous: int) -> float | None:
        """What this node writes into a packet that it forwards, and has from node `previous`."""

    def on_delivered(
        self,
        context: RoutingContext,
        packet: DataPacket,
        path: tuple[int, ...] | None,
        gathered: tuple[float, ...],
    ) -> Answer | Discover | None:
        """A transport's packet has arrived here, with what nodes wrote into it on its path."""

    def on_broken_link(
        self, now_s: float, sender: int, receiver: int
    ) -> Answer | Discover | Sequence[Answer | Discover] | None:
        """The link from `sender` to `receiver` is broken."""

    def tells_transport(self, destination: int) -> bool:
        """Whether the transport is told that its route to `destination` has broken."""
        return True

    def on_timer(
        self, context: RoutingContext, number: int
    ) -> Answer | Discover | Sequence[Answer | Discover] | None:
        """The timer of this number has expired."""

    def on_message(self, context: RoutingContext, sender: int, message: bytes) -> None:
        """A message of the policy's own has come, from a `broadcast` of neighbour `sender`."""

    def counters(self) -> dict[str, int]:
        """What it has counted: added up over all nodes in `result.json["schemes"]`, by its name."""
        return {}


class Step(NamedTuple):
    """A rate that a rate control can choose."""

    rate_mbps: float
    exchange_s: float
    """How long a packet of 1200 bytes and its ACK take, with RTS and CTS if those are used."""


class RateControl(ABC):
    """Base of a rate control: it chooses the rates of data frames to one neighbour.

    `ladder` has the rates, slowest first, up to that of `mac.data_rate_bps`. Hooks name a rate by
    its index there. Each station has an object of its own for each neighbour.
    """

    def __init__(self, ladder: tuple[Step, ...]) -> None:
        self.ladder = ladder

    @abstractmethod
    def first(self, now_s: float) -> int:
        """The rate of the first attempt at a packet."""

    @abstractmethod
    def again(self) -> int:
        """The rate of the next attempt at the same packet."""

    def on_result(self, index: int, is_good: bool) -> None:
        """Whether a frame at this rate was acknowledged; of an A-MPDU, whether half of it was."""

    def on_aggregate(self, index: int, sent: int, delivered: int) -> None:
        """An A-MPDU at this rate carried `sent` data frames; `delivered` were acknowledged.

        A class that has this hook counts frames: its `on_result` hears of no A-MPDU.
        """

    def on_heard(self, power_w: float) -> None:
        """A frame came from the neighbour with this power."""

    def counters(self) -> dict[str, int]:
        """What it has counted: added up over all links in `result.json["schemes"]`, by its name."""
        return {}


Prototype = type[CongestionControl] | type[AodvPolicy] | type[DsrPolicy] | type[RateControl]

KEYS: dict[Prototype, str] = {
    CongestionControl: "transport.scheme",
    AodvPolicy: "routing.scheme",
    DsrPolicy: "routing.scheme",
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
        for name, value in vars(_base(of)).items()
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
