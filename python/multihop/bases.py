"""The bases of schemes written in Python: their hooks, and what each is told and may answer.

The engine makes one object of a `CongestionControl` for each flow, of an `AodvPolicy`, `DsrPolicy`
or `LinkMetric` for each node, and of a `RateControl` for each neighbour of each station.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from multihop.engine import (
        Ack,
        Answer,
        DataPacket,
        Discover,
        Link,
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


class LinkMetric:
    """What links cost, for the protocol whose base is derived from this one.

    `link` has `sender` and `receiver`, the share `received` of the receiver's latest messages that
    came to the sender, `delivered`, the share of the sender's that came to the receiver, and
    `airtime_s` of a test frame (both None where the protocol does not know), `now_s`, and `usual`,
    what the protocol's own metric says. Each node has an object of its own, with a `self.random` as
    that of `AodvPolicy`.
    """

    random: Random

    def cost(self, link: Link) -> int | None:
        """What the link costs, a whole number in the protocol's units; None: it is not used."""
        return link.usual

    def counters(self) -> dict[str, int]:
        """What it has counted: added up over all nodes in `result.json["schemes"]`, by its name."""
        return {}


class BabelMetric(LinkMetric):
    """Base of a metric of Babel: 1 to 65534, 256 for a perfect link; paths add up.

    It is asked whenever what is known of a link to a neighbour changes.
    """


class OlsrMetric(LinkMetric):
    """Base of a metric of OLSR with the link quality extension: 1000 for a perfect link.

    It is asked for each link of the network that the node knows when its table is worked out.
    """


class HwmpMetric(LinkMetric):
    """Base of a metric of HWMP: hundredths of 1024 µs on the medium; paths add up.

    It is asked for the link by which a path request or reply has come.
    """


class BatmanMetric(LinkMetric):
    """Base of a metric of B.A.T.M.A.N. IV: a quality, 255 for a perfect link; paths multiply.

    It is asked for the link by which an originator message has come.
    """


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
