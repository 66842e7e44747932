from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

version: str
build: str
crate: tuple[str, str, str] | None

class Record:
    def blocks(self) -> list[list[tuple[str, str, bytes]]]: ...
    def write_perfetto(self, path: Path) -> None: ...

class Window:
    def __init__(self, cwnd: float = 1, ssthresh: float = ..., limit: int = 1_000_000) -> None: ...
    cwnd: float
    """Congestion window [segments]."""
    ssthresh: float
    """Slow-start threshold [segments], whole; 2**32 - 1 if there is none."""
    @property
    def limit(self) -> int:
        """The receiver's window [segments]."""
    @property
    def is_in_slow_start(self) -> bool:
        """Whether the window is below the slow-start threshold."""
    def grow(self, segments: int) -> None:
        """Grow for an acknowledgment of `segments` (RFC 5681 section 3.1)."""
    def halve(self, in_flight: int) -> None:
        """Halve what is in use after a loss (RFC 5681 section 3.2)."""
    def collapse(self, in_flight: int) -> None:
        """One segment, half of what is in use as threshold (RFC 5681 section 3.1)."""

class Ack:
    def __init__(
        self,
        *,
        now_s: float = 0,
        rtt_s: float | None = None,
        smoothed_rtt_s: float | None = None,
        min_rtt_s: float | None = None,
        delivered: int = 1,
        delivered_total: int = 1,
        in_flight: int = 0,
        duplicates: int = 0,
    ) -> None: ...
    @property
    def now_s(self) -> float:
        """When it arrived."""
    @property
    def rtt_s(self) -> float | None:
        """Round trip of the segment that it answers, unless a retransmission makes it ambiguous."""
    @property
    def smoothed_rtt_s(self) -> float | None:
        """Smoothed round trip, this one included."""
    @property
    def min_rtt_s(self) -> float | None:
        """Shortest round trip so far."""
    @property
    def delivered(self) -> int:
        """Segments newly acknowledged."""
    @property
    def delivered_total(self) -> int:
        """Segments acknowledged so far, the SYN included."""
    @property
    def in_flight(self) -> int:
        """Segments still in flight."""
    @property
    def duplicates(self) -> int:
        """Duplicates counted, this one included."""
    @property
    def limited_by(self) -> Literal["window", "receiver", "application", "pacing"]:
        """What kept the sender from having more in flight."""

class Loss:
    def __init__(self, *, now_s: float = 0, in_flight: int = 1, duplicates: int = 0) -> None: ...
    @property
    def now_s(self) -> float:
        """When it was noticed."""
    @property
    def in_flight(self) -> int:
        """Segments sent and not acknowledged."""
    @property
    def duplicates(self) -> int:
        """Duplicates that showed it; 0 at a timeout or for a mark."""

class Sent:
    @property
    def now_s(self) -> float:
        """When it leaves."""
    @property
    def number(self) -> int:
        """Its number; 0 is the SYN."""
    @property
    def retransmission(self) -> bool:
        """Whether it was sent before."""
    @property
    def in_flight(self) -> int:
        """Segments in flight before it."""

class RoutingContext:
    def __init__(
        self, *, now_s: float = 0, node: int = 0, queue_packets: int = 0, backoffs: int = 0
    ) -> None: ...
    @property
    def now_s(self) -> float:
        """The present time."""
    @property
    def node(self) -> int:
        """The node that the policy is on."""
    @property
    def queue_packets(self) -> int:
        """Packets in its interface queue."""
    @property
    def backoffs(self) -> int:
        """Backoffs that its MAC has drawn so far."""
    @property
    def timers(self) -> list[tuple[float, int]]:
        """Timers asked for in this call: after so many seconds, with a number."""
    @property
    def messages(self) -> list[bytes]:
        """Messages broadcast in this call."""
    def set_timer(self, after_s: float, number: int = 0) -> None:
        """Call `on_timer` with `number` after so many seconds."""
    def broadcast(self, message: bytes) -> None:
        """Send a message of up to 1400 bytes, and 20 of IP, to the neighbours."""

class RouteRequest:
    def __init__(
        self,
        *,
        destination: int = 1,
        originator: int = 0,
        id: int = 1,
        hop_count: int = 0,
        metric: int = 0,
    ) -> None: ...
    metric: int
    """What it has gathered; 0 to 2**32 - 1."""
    @property
    def hop_count(self) -> int:
        """Hops from its originator to the receiver of this copy."""
    @property
    def id(self) -> int:
        """With the originator, tells requests apart."""
    @property
    def destination(self) -> int:
        """The node sought."""
    @property
    def originator(self) -> int:
        """The node that looks for it."""

class RouteReply:
    def __init__(
        self, *, destination: int = 1, originator: int = 0, hop_count: int = 0, metric: int = 0
    ) -> None: ...
    metric: int
    """What the request had gathered, and the reply since; 0 to 2**32 - 1."""
    @property
    def hop_count(self) -> int:
        """Hops from the receiver of this copy to the destination."""
    @property
    def destination(self) -> int:
        """The node that was sought."""
    @property
    def originator(self) -> int:
        """The node that looks for it."""

class RequestCopy:
    def __init__(self, request: RouteRequest, *, sender: int = 0, ttl: int = 30) -> None: ...
    @property
    def request(self) -> RouteRequest:
        """The request as it arrived, with what it collected here."""
    @property
    def sender(self) -> int:
        """The neighbour that it came from."""
    @property
    def ttl(self) -> int:
        """Hops that it may still go."""

class Route:
    def __init__(
        self,
        *,
        destination: int = 1,
        next_hop: int = 1,
        hops: int = 1,
        metric: int = 0,
        is_up: bool = True,
    ) -> None: ...
    @property
    def destination(self) -> int:
        """Where it leads."""
    @property
    def next_hop(self) -> int:
        """The neighbour on the way."""
    @property
    def hops(self) -> int:
        """Its length; 255 if there is no route."""
    @property
    def metric(self) -> int:
        """That of the message that brought it; 2**32 - 1 if there is no route."""
    @property
    def is_up(self) -> bool:
        """Whether packets can go over it."""

class Link:
    def __init__(
        self,
        *,
        now_s: float = 0.0,
        sender: int = 0,
        receiver: int = 1,
        received: float = 1.0,
        delivered: float | None = None,
        airtime_s: float | None = None,
        usual: int = 1,
    ) -> None: ...
    @property
    def now_s(self) -> float: ...
    @property
    def sender(self) -> int:
        """The node that would send over it."""
    @property
    def receiver(self) -> int:
        """The node at its other end."""
    @property
    def received(self) -> float:
        """Share of the receiver's latest messages that came to the sender."""
    @property
    def delivered(self) -> float | None:
        """Share of the sender's that came to the receiver, where the protocol asks for it."""
    @property
    def airtime_s(self) -> float | None:
        """What a test frame takes on the medium, where the protocol knows."""
    @property
    def usual(self) -> int:
        """What the protocol's own metric says."""

class RouteOffer:
    def __init__(
        self, *, hops: int = 1, metric: int = 0, is_newer: bool = False, is_same_age: bool = True
    ) -> None: ...
    @property
    def hops(self) -> int:
        """Hops to the destination."""
    @property
    def metric(self) -> int:
        """What the message has gathered."""
    @property
    def is_newer(self) -> bool:
        """Whether its sequence number is newer than the route's."""
    @property
    def is_same_age(self) -> bool:
        """Whether they have the same."""

class DataPacket:
    def __init__(
        self, *, source: int = 0, destination: int = 1, size_bytes: int = 1000, hops: int = 0
    ) -> None: ...
    @property
    def source(self) -> int:
        """Where it comes from."""
    @property
    def destination(self) -> int:
        """Where it goes."""
    @property
    def size_bytes(self) -> int:
        """With IP's header."""
    @property
    def hops(self) -> int:
        """Links that it has crossed."""

class PathRequest:
    def __init__(
        self,
        *,
        target: int = 1,
        path: Sequence[int] = ...,
        id: int = 1,
        gathered: Sequence[float] = (),
    ) -> None: ...
    @property
    def target(self) -> int:
        """The node sought."""
    @property
    def originator(self) -> int:
        """The node that looks for it."""
    @property
    def id(self) -> int:
        """With the originator, tells requests apart."""
    @property
    def path(self) -> tuple[int, ...]:
        """From the originator to the node that the copy came from; in `gather` to this one."""
    @property
    def gathered(self) -> tuple[float, ...]:
        """What nodes have added."""

class Answer:
    """Answer a request, and tell the originator these numbers of each node of the path but it."""

    def __init__(self, request: PathRequest, gathered: Sequence[float] = ()) -> None: ...

class Discover:
    """Search for routes to a node, unless a search is under way."""

    def __init__(self, target: int) -> None: ...

def run(
    text: str,
    overrides: str,
    *,
    syntax: str,
    recording: str,
    events: str | None = None,
    rows: bool = True,
    pcap: str | None = None,
    seed: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[str, Record | None]: ...
def resolve(text: str, overrides: str, *, syntax: str) -> str: ...
def movement(text: str, overrides: str, *, syntax: str, seed: int | None = None) -> str: ...
def load(
    text: str, overrides: str, *, syntax: str, seed: int | None = None
) -> tuple[int, int, int, float] | None: ...

class Hearing:
    """Who hears whom over the time of a run."""

    ways: list[list[tuple[float, float, float]]]
    changes_ns: list[int]
    has_power: bool
    by_distance: bool
    def __init__(
        self,
        text: str,
        overrides: str,
        *,
        syntax: str,
        seed: int | None = None,
        ways: list[list[tuple[float, float, float]]] | None = None,
    ) -> None: ...
    def at(self, time_ns: int) -> tuple[bytes, bytes, bytes, bytes]: ...

class Networks:
    """Networks that Python steers step by step."""

    def __init__(
        self, scenarios: list[tuple[str, str, str]], plan: str, count: int, workers: int
    ) -> None: ...
    @property
    def numbers(self) -> list[int]:
        """The flows or nodes of the agents."""
    def step(
        self,
        fresh: list[tuple[int, int, int]],
        actions: NDArray[np.float32] | None,
        observed: NDArray[np.float32],
        rewards: NDArray[np.float64],
        ended: NDArray[np.uint8],
    ) -> None: ...
    def now_s(self, index: int) -> float | None: ...
    def result(self, index: int) -> str | None: ...

def quantities() -> str: ...
def share(of: str, name: str, set: bool, value: float) -> float: ...
def value(of: str, name: str, set: bool, share: float) -> float: ...

class Packing:
    """Things, and which of them go together."""

    def __init__(self, things: int, compatible: bytes) -> None: ...
    def grown(self, weights: list[float], starts: int) -> list[tuple[float, list[int]]]: ...
    def completed(self, weights: list[float], set: list[int]) -> list[int]: ...
    def heaviest(
        self, weights: list[float], slack: float, most_steps: int
    ) -> tuple[list[int], float, float]: ...
    def lifted(
        self, weights: list[float], order: list[int], full: list[list[int]], most_steps: int
    ) -> list[float]: ...

def capacity(
    text: str, overrides: str, *, syntax: str, seed: int | None = None, step_s: float = 1.0
) -> str: ...
def gains_db(
    text: str, overrides: str, *, syntax: str, seed: int | None = None
) -> list[tuple[int, int, float]]: ...
def schema() -> str: ...
def result_schema() -> str: ...
def recording_schema() -> str: ...
def event_columns() -> list[tuple[str, str, list[tuple[str, str]] | None]]: ...
def check_toml(text: str) -> None: ...
def line_of(text: str, key: str) -> int | None: ...
def schemes() -> list[tuple[str, str]]: ...
def scheme_overrides(name: str) -> list[tuple[str, str]] | None: ...
def keeps_routes(name: str) -> bool: ...
def own_schemes() -> list[tuple[str, str]]: ...
def choices(text: str, overrides: str, *, syntax: str) -> list[tuple[str, str]]: ...
