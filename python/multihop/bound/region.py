"""The rates that a network can give its flows in a period, from inside and from outside.

Outside: what a programme over paths allows whose links' use keeps to the limits found so far
(`limits.py`). By weak duality its prices give a weighted sum of the rates with a limit (a cut), for
any routes. Inside: what the same paths carry by schedules of the sets found so far (`schedule.py`).
Between the two uses of the links lies one for which sets are missing, or which no schedule gives
and a limit cuts off, and the outside with it (in-out separation: Ben-Ameur and Neto, Networks 49,
2007).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from multihop.bound.channels import Channels
from multihop.bound.conflicts import links as links_of
from multihop.bound.hops import Hops
from multihop.bound.network import Exchange, Indices, Network, Period
from multihop.bound.objectives import Objective, Vector, maximise

_SHARES = (0.1, 0.3, 0.6, 0.9, 1.0)
"""Of the way from use of links inside to that outside, in turn: near the inside they cut deep."""
_SETTLED = 1e-4
"""What the limits allow is known within this share."""
_LAST = 20
"""Cuts looked at for the tightest; later ones are tighter."""
_TINY = 1e-12
"""Added to a link's price, so that the search for paths sees it."""

Path = tuple[int, tuple[int, ...]]
"""A flow's place, and links."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Of the time of each link, and of each clock."""

    links: Vector
    clocks: Vector


@dataclass(frozen=True, slots=True)
class Cut:
    """A weighted sum of the flows' rates that no run exceeds, and the limits that it comes from."""

    costs: Vector
    """What a bit/s of each served flow costs at the least, by the cheapest path."""
    limit: float
    """What all of them cost at most."""
    rows: sparse.csr_matrix
    """The limits with a price: weights of the links, whose use weighs no more than 1."""
    worth: Vector
    """Their prices; with those of the clocks they add up to `limit`."""
    clocks: Vector
    """Prices of each station's time."""
    paths: tuple[Path, ...]
    """The cheapest path of each served flow."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What has been reached, and what can't be exceeded."""

    value: float
    bound: float
    gap: float
    rates_bps: Vector
    """Of the flows that can get anything."""
    steps: int


class Region:
    """The rates that a network can give in one period to those flows that can get anything."""

    def __init__(self, network: Network, period: Period) -> None:
        self.links = links_of(network, period)
        self._channels = Channels(self.links)
        self._hops = Hops(network, self.links)
        ends = [self._hops.ends(flow.source, flow.destination) for flow in network.flows]
        apart = self._hops.fewest(ends)
        self.served: Indices = np.flatnonzero(np.isfinite(apart) & (apart > 0))
        """Places of the flows that can get anything."""
        flows = [network.flows[place] for place in self.served]
        self._ends = [ends[place] for place in self.served]
        self.unit_s = max(
            (exchange.whole_s for flow in flows for exchange in flow.exchanges), default=1.0
        )
        """Rates are packets in this time, within."""
        self._kinds = network.kind_of[self.links.senders]
        """Of the links' stations."""
        shares = [
            [
                self._shares(network, place, exchange)
                for place, exchange in enumerate(flow.exchanges)
            ]
            for flow in flows
        ]
        self._times = np.array(shares).reshape(len(flows), len(network.kinds), 3)
        """What a packet of each flow takes over each kind of link of its time, and of the clocks of
        sender and receiver."""
        self.packet_bps = np.array([8 * flow.payload_bytes / self.unit_s for flow in flows])
        """Of a packet in the unit of time."""
        # The first packet leaves at once, so there may be one more than the rate says.
        offered = [
            np.inf
            if flow.offered_bps is None
            else flow.offered_bps + 8 * flow.payload_bytes / network.span_s
            for flow in flows
        ]
        sent = [
            sum(self.packet_bps[place] / self._times[place, kind, 1] for kind in kinds)
            for place, kinds in enumerate(
                network.kind_of[network.node_of == flow.source] for flow in flows
            )
        ]
        self._caps_bps = np.minimum(np.array(offered), np.array(sent))
        self._paths: dict[Path, None] = {}
        self._cuts: list[Cut] = []
        self.slopes = np.ones(len(self.served))
        """What a bit/s of each flow was worth to the last objective."""
        if len(self.served):
            self._begin()

    def _shares(
        self, network: Network, place: int, exchange: Exchange
    ) -> tuple[float, float, float]:
        """What a packet takes of a link's, its sender's and its receiver's time, in units."""
        unit_s = self.unit_s
        if network.kinds[place].channel is None:
            # The last frame may be over without the gap after it.
            gap_s = exchange.whole_s - exchange.data_s
            frame_s = exchange.whole_s * network.span_s / (network.span_s + gap_s)
            return (frame_s / unit_s,) * 3
        link_s = exchange.core_s if self.links.cleared[place] else exchange.data_s
        return link_s / unit_s, exchange.whole_s / unit_s, exchange.answered_s / unit_s

    def _begin(self) -> None:
        """Have the paths of fewest hops, and a limit around each of their links."""
        even = Prices(np.ones(len(self.links)), np.zeros(self.links.clocks))
        _, paths = self._paths_at(even)
        self._paths.update(dict.fromkeys(paths))
        for link in sorted({link for _, path in paths for link in path}):
            self._channels.add_group(link)

    def best(self, objective: Objective, *, gap: float, seconds: float) -> Reached:
        """Close in from both sides until an objective is known within a share `gap`.

        Rates are those of `served` in bit/s. It ends after about so many `seconds` in any case:
        the bound holds all the same.
        """
        until = time.monotonic() + seconds
        step = 0
        while True:
            outside, prices = self._outside(objective, until)
            bound = self._bound(objective)
            self._channels.surround(outside)
            rates_bps, inside = self._inside(objective)
            value = objective.value(rates_bps)
            step += 1
            is_known = objective.gap(value, bound) <= gap
            if is_known or time.monotonic() > until:
                break
            if not self._close_in(inside, outside, prices, until):
                break
        return Reached(value, bound, objective.gap(value, bound), rates_bps, step)

    def _close_in(self, inside: Vector, outside: Vector, prices: Vector, until: float) -> bool:
        """Add sets, or a limit that lies between two uses of the links; whether there was any."""
        known = self._channels.known_sets
        for share in _SHARES:
            if self._channels.cut_off(inside + share * (outside - inside), prices, until):
                return True
        return self._channels.known_sets > known

    def highest_share(self, rates_bps: Vector) -> float:
        """The highest share of a limit that rates reach; above 1 no run can get them."""
        shares = np.array([cut.costs @ rates_bps / cut.limit for cut in self._cuts])
        return float(np.concatenate([shares, rates_bps / self._caps_bps]).max())

    def _outside(self, objective: Objective, until: float) -> tuple[Vector, Vector]:
        """Cut off what the limits do not allow; the use of links at its best, and their prices."""
        links = len(self.links)
        while True:
            paths = list(self._paths)
            load = self._load(paths)
            limits = self._channels.limits()
            limits_of = sparse.vstack([limits @ load[:links], load[links:]], format="csr")
            most = np.ones(limits_of.shape[0])
            found = maximise(objective, self._rates(paths), limits_of, most, self._caps_bps)
            objective.note(found.rates)
            worth, clocks = np.split(found.worth, [limits.shape[0]])
            prices = Prices(limits.T @ worth, clocks)
            costs, cheapest = self._paths_at(prices)
            self._keep(costs, limits, found.worth, cheapest)
            usage: Vector = load[:links] @ found.solution
            missing = objective.gap(objective.value(found.rates), self._bound(objective))
            added = sum(self._note(path) for path in cheapest)
            added += self._channels.separate(usage, is_last=missing < _SETTLED or not added)
            if not added or time.monotonic() > until:
                return usage, prices.links

    def _load(self, paths: list[Path]) -> sparse.csr_matrix:
        """What a packet in the unit of time over each path takes of links' and clocks' time."""
        sizes = [len(links) for _, links in paths]
        columns = np.repeat(np.arange(len(paths)), sizes)
        links = np.concatenate([np.array(links, dtype=np.intp) for _, links in paths])
        flows = np.repeat([flow for flow, _ in paths], sizes)
        first = len(self.links)
        rows = [links, first + self.links.sending[links], first + self.links.receiving[links]]
        times = self._times[flows, self._kinds[links]].T.ravel()
        places = (np.concatenate(rows), np.tile(columns, 3))
        shape = (first + self.links.clocks, len(paths))
        return sparse.csr_matrix((times, places), shape=shape)

    def _rates(self, paths: list[Path]) -> sparse.csr_matrix:
        """Each flow's rate, of packets in the unit of time over each path [bit/s]."""
        flows = np.array([flow for flow, _ in paths])
        places = (flows, np.arange(len(paths)))
        return sparse.csr_matrix(
            (self.packet_bps[flows], places), shape=(len(self.served), len(paths))
        )

    def _note(self, path: Path) -> int:
        """Add a path; how many more there are."""
        before = len(self._paths)
        self._paths[path] = None
        return len(self._paths) - before

    def _keep(
        self, costs: Vector, limits: sparse.csr_matrix, worth: Vector, paths: list[Path]
    ) -> None:
        """Keep a cut: packets cost so much, and all together no more than the limits are worth."""
        if costs.max() > 0:
            of_limits, clocks = np.split(worth, [limits.shape[0]])
            priced = np.flatnonzero(of_limits)
            self._cuts.append(
                Cut(
                    costs / self.packet_bps,
                    float(worth.sum()),
                    limits[priced],
                    of_limits[priced],
                    clocks,
                    tuple(paths),
                )
            )

    def tightest(self, objective: Objective) -> Cut | None:
        """The cut that alone leaves the least of an objective possible, of the last ones."""
        last = self._cuts[-_LAST:]
        return min(last, key=lambda cut: self._most(objective, [cut]), default=None)

    def _paths_at(self, prices: Prices) -> tuple[Vector, list[Path]]:
        """The cheapest path of each flow."""
        costs = np.zeros(len(self.served))
        paths = []
        alike, alike_of = np.unique(
            self._times.reshape(len(self.served), -1), axis=0, return_inverse=True
        )
        for number, times in enumerate(alike):
            link, sender, receiver = times.reshape(-1, 3)[self._kinds].T
            cost = (
                prices.links * link
                + prices.clocks[self.links.sending] * sender
                + prices.clocks[self.links.receiving] * receiver
                + _TINY
            )
            flows = np.flatnonzero(alike_of.ravel() == number).tolist()
            found = self._hops.cheapest(cost, [self._ends[place] for place in flows])
            for place, (total, path) in zip(flows, found, strict=True):
                costs[place] = total - _TINY * len(path)
                paths.append((place, path))
        return costs, paths

    def _inside(self, objective: Objective) -> tuple[Vector, Vector]:
        """The best with the paths and sets so far: rates, and the use of links."""
        paths, first = list(self._paths), len(self.links)
        load = self._load(paths)
        used = sorted({link for _, path in paths for link in path})
        sets, times = self._channels.sets(), self._channels.times()
        nothing = sparse.csr_matrix((self.links.clocks, sets.shape[0]))
        whole = sparse.hstack([sparse.csr_matrix((times.shape[0], len(paths))), times])
        limits_of = sparse.vstack(
            [
                sparse.hstack([load[used], -sets.T.tocsr()[used]]),
                sparse.hstack([load[first:], nothing]),
                whole,
            ],
            format="csr",
        )
        limits = np.r_[np.zeros(len(used)), np.ones(self.links.clocks + times.shape[0])]
        idle = sparse.csr_matrix((len(self.served), sets.shape[0]))
        rates = sparse.hstack([self._rates(paths), idle], format="csr")
        found = maximise(objective, rates, limits_of, limits, self._caps_bps)
        objective.note(found.rates)
        self.slopes = found.slopes
        return found.rates, load[:first] @ found.solution[: len(paths)]

    def _bound(self, objective: Objective) -> float:
        """The most that the cuts leave possible."""
        return self._most(objective, self._cuts)

    def _most(self, objective: Objective, cuts: Sequence[Cut]) -> float:
        """The most that some cuts leave possible."""
        costs = np.array([cut.costs for cut in cuts]).reshape(-1, len(self.served))
        shares = costs * self._caps_bps
        size = shares.max(axis=1)
        return maximise(
            objective,
            sparse.diags(self._caps_bps, format="csr"),
            sparse.csr_matrix(shares / size[:, None]),
            np.array([cut.limit for cut in cuts]) / size,
            self._caps_bps,
        ).value
