"""What keeps a run below the fairest rates that its network could give: where the time goes.

The limits with a price at the fairest rates, and those prices, give a sum of the flows' rates that
no run exceeds (`region.py`). Of a run each such limit is in use, by packets over its links, or it
is not: what it is worth is paid by the packets that crossed it and by the time in which it was
idle. So the parts of `Losses` add up to the bound, but for the instants that stand for the time.

What is sent in slots is measured by the same rates, those of exchanges of the DCF. It may use a
limit by more than 1, and takes less for a packet: two parts, below 0, say by how much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from multihop.bound.in_slots import InSlots
from multihop.bound.instants import Instants
from multihop.bound.network import Network
from multihop.bound.objectives import Vector, plain
from multihop.bound.on_air import Numbers, OnAir
from multihop.bound.region import Cut, Region
from multihop.errors import ScenarioError
from multihop.results import Result

INSTANTS = 20_000
"""At so many, evenly spread, it is looked what the stations do."""
_GOLDEN = (5**0.5 - 1) / 2
"""The fractions of its multiples lie evenly between 0 and 1, and never in step with anything."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Shares of what the fairest rates are worth; together 1."""

    within_fair_rates: float
    """Data that arrived, of each flow up to its fair rate."""
    beyond_fair_rates: float
    """Data that arrived beyond the flow's fair rate, which the others lack."""
    uncleared: float
    """Less than 0: data in slots have no RTS and CTS of their own, nor all the spaces."""
    together: float
    """Less than 0: links in use in slots together that the DCF keeps apart."""
    tcp_acks: float
    """TCP's acknowledgments."""
    retransmissions: float
    """Data that did not arrive, or twice."""
    detours: float
    """What data that arrived took more than on the cheapest route, in the largest packets."""
    routing: float
    """Routing's and ARP's frames; slots that are open for broadcasts."""
    failed_attempts: float
    """Frames of attempts that failed: collisions, and answers that a station may not give; slots
    that were asked for in vain."""
    reservation: float
    """The calls and rounds of slots that are reserved."""
    deferral: float
    """Deferring to exchanges nearby, beside which a schedule would have placed others."""
    partly_filled: float
    """A slot is somebody's nearby, who has nothing more to send in it."""
    mac_acks: float
    """The MAC's acknowledgments, and the RTS and CTS that the bound does not count; the places of
    slots for acknowledgments and what is returned."""
    backoff: float
    """A packet is there, and nobody near sends."""
    queueing: float
    """Packets for the limit's links are there, but only in queues."""
    packets_elsewhere: float
    """No packet for the limit's links, as those of its flows are elsewhere."""
    no_packets: float
    """No packet of the limit's flows is anywhere."""
    unaccounted: float
    """What is left: instants for time, the ends of the run."""

    @property
    def parts(self) -> dict[str, float]:
        """By name, in this order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


WORDS = {
    "within_fair_rates": "carried, up to fair rates",
    "beyond_fair_rates": "carried, beyond fair rates",
    "uncleared": "no RTS and CTS in slots",
    "together": "together in slots alone",
    "tcp_acks": "TCP's acknowledgments",
    "retransmissions": "retransmissions and losses",
    "detours": "longer routes, small packets",
    "routing": "routing and ARP",
    "failed_attempts": "failed attempts",
    "reservation": "calls and rounds of slots",
    "deferral": "deferring to others nearby",
    "partly_filled": "partly filled slots",
    "mac_acks": "MAC acknowledgments",
    "backoff": "backoff and interframe spaces",
    "queueing": "waiting in queues",
    "packets_elsewhere": "packets elsewhere",
    "no_packets": "no packets",
    "unaccounted": "not accounted for",
}
"""What each part is, in few words."""


@dataclass(frozen=True, slots=True)
class Fairest:
    """The proportionally fair rates of a network, and the cut that proves them."""

    network: Network
    region: Region
    cut: Cut
    rates_bps: Vector
    """Of the flows that can get anything."""
    gap: float

    @property
    def each_bps(self) -> list[float]:
        """The rate of each flow."""
        found = np.zeros(len(self.network.flows))
        found[self.region.served] = self.rates_bps
        return found.tolist()


def fairest(network: Network, *, gap: float, seconds: float) -> Fairest:
    """Find them, to a share `gap`, in about so many seconds at most.

    Raises:
        ScenarioError: nodes move or have several radios, or no flow can get anything.
    """
    if len(network.periods) > 1:
        raise ScenarioError("topology: nodes must not move for losses to be broken down")
    if len(network.kinds) > 1:
        raise ScenarioError("interfaces: must be one, without wires, for losses to be broken down")
    if any(flow.exchanges[0].packets > 1 for flow in network.flows):
        raise ScenarioError("mac.aggregate: must be 1 for losses to be broken down")
    region = Region(network, network.periods[0])
    if not len(region.served):
        raise ScenarioError("flows: none of them can get anything")
    objective = plain("proportional", len(region.served))
    reached = region.best(objective, gap=gap, seconds=seconds)
    cut = region.tightest(objective)
    if cut is None:
        raise ScenarioError("flows: what they offer is all that limits them, so nothing is lost")
    return Fairest(network, region, cut, reached.rates_bps, reached.gap)


def losses(most: Fairest, run: Result, instants: int = INSTANTS) -> Losses:
    """Where a run of that network, with its events, lost what the fairest rates are worth."""
    return _Account(most, run, instants).losses()


class _Account:
    """A run against the priced limits of its network."""

    def __init__(self, most: Fairest, run: Result, instants: int) -> None:
        self._most = most
        self._run = run
        network = most.network
        self._links = most.region.links
        self._place = np.full((network.nodes, network.nodes), -1)
        self._place[self._links.senders, self._links.receivers] = np.arange(len(self._links))
        start_s = min(flow.start_s for flow in network.flows)
        self._span_s = network.span_s
        step_ns = 1e9 * network.span_s / instants
        places = np.arange(instants)
        self._is_slotted = network.kinds[0].is_slotted
        # With slots an even pace could meet the same part of a slot again and again.
        into = (places * _GOLDEN) % 1.0 if self._is_slotted else 0.5
        self._times_ns: Numbers = (1e9 * start_s + step_ns * (places + into)).astype(np.int64)
        slot = network.kinds[0].slot
        self._air = InSlots(run.events, network, slot) if slot else OnAir(run.events, network)
        cut = most.cut
        self._worth = cut.worth / cut.limit
        self._node_worth = cut.clocks / cut.limit
        self._link_worth = cut.rows.T @ self._worth
        # DIFS and the ACK after SIFS are the same for all packets; a frame in a slot has neither,
        # nor an RTS and a CTS, and saves their time.
        exchange = network.flows[0].exchanges[0]
        self._sender_more_s = exchange.whole_s - exchange.core_s
        self._receiver_more_s = exchange.answered_s - exchange.core_s
        self._saved_s = 0.0, 0.0, 0.0
        if self._is_slotted:
            data_s = exchange.data_s
            core_s = exchange.core_s if self._links.cleared[0] else data_s
            self._saved_s = (
                core_s - data_s, exchange.whole_s - data_s, exchange.answered_s - data_s,
            )  # fmt: skip
            self._sender_more_s = self._receiver_more_s = 0.0

    def losses(self) -> Losses:
        costs = self._costs()
        exchanges = self._air.exchanges
        is_data = np.isin(exchanges.contents, ("tcp-data", "udp"))
        packets = self._air.first_arrivals
        hop = np.stack([exchanges.packets, exchanges.senders, exchanges.receivers], axis=1)
        _, firsts = np.unique(hop, axis=0, return_index=True)
        is_first = np.zeros(len(costs), dtype=np.bool_)
        is_first[firsts] = True
        is_used = is_data & is_first & np.isin(exchanges.packets, packets)
        carried, beyond = self._carried()
        saved = self._priced(*self._saved_s)[is_used].sum()
        unused = self._unused()
        parts = {
            "within_fair_rates": carried,
            "beyond_fair_rates": beyond,
            "uncleared": 0.0 - saved,
            "together": 0.0 - unused.pop("together"),
            "tcp_acks": costs[exchanges.contents == "tcp-ack"].sum(),
            "retransmissions": costs[is_data & ~is_used].sum(),
            "detours": costs[is_used].sum() + saved - carried - beyond,
            "routing": costs[~exchanges.is_transported].sum() + unused.pop("routing"),
            **unused,
        }
        return Losses(
            **{name: float(part) for name, part in parts.items()},
            unaccounted=1 - float(sum(parts.values())),
        )

    def _costs(self) -> Vector:
        """What each exchange paid for the limits that it used."""
        exchanges = self._air.exchanges
        begun = exchanges.from_ns if self._links.cleared[0] else exchanges.data_ns
        core_s = (exchanges.to_ns - begun) / 1e9
        whole_s = (exchanges.to_ns - exchanges.from_ns) / 1e9
        return self._priced(core_s, whole_s + self._sender_more_s, whole_s + self._receiver_more_s)

    def _priced(
        self, core_s: Vector | float, sender_s: Vector | float, receiver_s: Vector | float
    ) -> Vector:
        """What so much of the time of each exchange's link, sender and receiver is worth."""
        exchanges = self._air.exchanges
        link = self._place[exchanges.senders, exchanges.receivers]
        found: Vector = (
            self._link_worth[link] * core_s
            + self._node_worth[exchanges.senders] * sender_s
            + self._node_worth[exchanges.receivers] * receiver_s
        ) / self._span_s
        return found

    def _carried(self) -> tuple[float, float]:
        """What data that arrived are worth: up to the fair rates, and beyond."""
        region, cut = self._most.region, self._most.cut
        delivered = np.array([flow["delivered_bytes"] for flow in self._run.json["flows"]])
        rates = 8 * delivered[region.served] / self._span_s
        within = np.minimum(rates, self._most.rates_bps)
        price = cut.costs / cut.limit
        return float(price @ within), float(price @ (rates - within))

    def _unused(self) -> dict[str, float]:
        """What the time was worth in which limits were not in use, by why.

        `together` is what limits were used beyond what the DCF lets them.
        """
        most = self._most
        seen = Instants(self._air, most.network, most.region, self._times_ns, self._place)
        total = dict.fromkeys(("together", *Instants.reasons), 0.0)
        for worth, links, use, flows in self._limits(seen):
            spare = 1.0 - use
            if self._is_slotted:
                total["together"] += worth * float(np.maximum(-spare, 0.0).mean())
                spare = np.maximum(spare, 0.0)
            for reason, when in seen.why(links, flows):
                total[reason] += worth * float((spare * when).mean())
        return total

    def _limits(self, seen: Instants) -> Iterator[tuple[float, Numbers, Vector, Numbers]]:
        """Each priced limit: its worth, links, use at each instant, flows."""
        cut, links = self._most.cut, self._links
        crossing = [np.array(path, dtype=np.intp) for _, path in cut.paths]
        served = self._most.region.served

        def flows(members: Numbers) -> Numbers:
            crosses = [bool(np.isin(path, members).any()) for path in crossing]
            return served[np.array(crosses, dtype=np.bool_)]

        for row, worth in enumerate(self._worth):
            weights = cut.rows[[row]].toarray().ravel()
            members = np.flatnonzero(weights > 0)
            use = sum(
                (weights[link] * seen.core[link] for link in members.tolist() if link in seen.core),
                np.zeros(len(self._times_ns)),
            )
            yield worth, members, use, flows(members)
        for node in np.flatnonzero(self._node_worth > 0):
            members = np.flatnonzero((links.senders == node) | (links.receivers == node))
            yield self._node_worth[node], members, seen.taken[node], flows(members)
