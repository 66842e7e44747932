"""The rates that a network can give its flows in a period, from inside and from outside.

Inside: paths of the flows, and sets of links that share the time (columns). Outside: weighted sums
of the rates with a limit each (cuts), which follow from prices of the links and of the nodes' time
by weak duality. Both grow until what is sought is known well enough.

The prices come from the master programme, whose own jump about, so that what is tried lies between
them and the best so far (in-out separation: Ben-Ameur and Neto, Networks 49, 2007). Large networks
begin with prices that learn by multiplicative weights (Garg and Koenemann, SIAM J. Computing 37,
2007), which costs no programme at all.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from multihop.bound.conflicts import links as links_of
from multihop.bound.network import Exchange, Network, Period
from multihop.bound.objectives import Objective, Vector, maximise
from multihop.engine import Packing

_SLACK = 0.003
"""Sets heavier by less than this share are not looked for."""
_STEPS = 3000
"""Branches of a search for the heaviest set, at most."""
_MIXTURES = (0.97, 0.9, 0.75, 0.5, 0.0)
"""Shares of the best prices so far in those that are tried."""
_STARTS = 100
"""Things from which heavy sets are grown."""
_QUICK_S = 0.02
"""An exact search that takes less is made at every step."""
_EXACT_EACH = 4
"""Otherwise at each such step."""
_LARGE = 250
"""From so many links on prices learn first, for so many steps."""
_LEARNING = 5000
_RATE = 0.05
_WINDOW = 500
"""Steps of learning whose prices are put together."""
_EVEN = 0.005
"""Share of even prices while they learn."""
_TINY = 1e-12
"""Added to a link's price, so that the search for paths sees it."""

Set = tuple[int, ...]
"""Links."""
Path = tuple[int, tuple[int, ...]]
"""A flow's place, and links."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Of the time of each link, and of each node."""

    links: Vector
    nodes: Vector

    def towards(self, other: Prices, share: float) -> Prices:
        """A mixture, with this share of `other`."""
        return Prices(
            (1 - share) * self.links + share * other.links,
            (1 - share) * self.nodes + share * other.nodes,
        )

    def scaled(self) -> Prices:
        """The same with a sum of 1."""
        total = max(self.links.sum() + self.nodes.sum(), 1e-300)
        return Prices(self.links / total, self.nodes / total)


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
        self._links = links_of(network, period)
        self._nodes = network.nodes
        compatible = np.ascontiguousarray(self._links.compatible, dtype=np.uint8)
        self._packing = Packing(len(self._links), compatible.tobytes())
        graph = sparse.csr_matrix(period.decodes)
        apart = dijkstra(graph, unweighted=True, indices=[f.source for f in network.flows])
        self.hops = np.array(
            [apart[place, flow.destination] for place, flow in enumerate(network.flows)]
        )
        """Of a shortest path; infinite where there is none."""
        self.served: NDArray[np.intp] = np.flatnonzero(np.isfinite(self.hops) & (self.hops > 0))
        """Places of the flows that can get anything."""
        flows = [network.flows[place] for place in self.served]
        self._ends = [(flow.source, flow.destination) for flow in flows]
        exchanges = [flow.exchange for flow in flows]
        self._unit_s = max((exchange.whole_s for exchange in exchanges), default=1.0)
        """Rates are packets in this time, within."""
        share = [self._shares(exchange) for exchange in exchanges]
        self._link_time, self._sender_time, self._receiver_time = np.array(share).reshape(-1, 3).T
        self._bps = np.array([8 * flow.payload_bytes / self._unit_s for flow in flows])
        """Of a packet in the unit of time."""
        offered = [np.inf if flow.offered_bps is None else flow.offered_bps for flow in flows]
        self._caps_bps = np.minimum(np.array(offered), self._bps / self._sender_time)
        self._link_at = {
            ends: place
            for place, ends in enumerate(
                zip(self._links.senders.tolist(), self._links.receivers.tolist(), strict=True)
            )
        }
        self._paths: dict[Path, None] = {}
        self._sets: dict[Set, None] = {}
        self._cuts: list[Vector] = []
        self._limits: list[float] = []
        self._center = Prices(np.ones(len(self._links)), np.zeros(self._nodes)).scaled()
        self._last_exact_s = 0.0
        self._learned: set[str] = set()
        self.slopes = np.ones(len(self.served))
        """What a bit/s of each flow was worth to the last objective."""
        if len(self.served):
            self._begin()

    def _shares(self, exchange: Exchange) -> tuple[float, float, float]:
        """What a packet takes of a link's, its sender's and its receiver's time, in units."""
        link_s = exchange.core_s if self._links.is_cleared else exchange.data_s
        unit_s = self._unit_s
        return link_s / unit_s, exchange.whole_s / unit_s, exchange.answered_s / unit_s

    def _begin(self) -> None:
        _, paths = self._paths_at(self._center)
        self._paths.update(dict.fromkeys(paths))
        used = sorted({link for _, path in paths for link in path})
        weights = np.zeros(len(self._links))
        weights[used] = 1.0
        for link in used:
            self._sets[self._completed(weights, [link])] = None
        self._cut(self._center)

    def best(self, objective: Objective, *, gap: float, seconds: float) -> Reached:
        """Generate columns and cuts until an objective is known within a share `gap`.

        Rates are those of `served` in bit/s. It ends after about so many `seconds` in any case:
        the bound holds all the same.
        """
        until = time.monotonic() + seconds
        is_large = len(self._links) > _LARGE
        least, missing, step = np.inf, 1.0, 0
        bound = self._outer(objective)
        while True:
            rates_bps, prices, time_price = self._master(objective)
            value = objective.value(rates_bps)
            objective.note(rates_bps)
            if step == 1 and is_large and objective.name not in self._learned:
                self._learn(objective, until)
                least = objective.under(*self._cut(self._center))
            tried, estimate, added = self._try(objective, prices, time_price)
            missing = objective.gap(value, min(least, estimate))
            is_due = not added or missing <= gap or step % _EXACT_EACH == 0
            if is_due or self._last_exact_s < _QUICK_S:
                sets = len(self._sets)
                cut, limit = self._cut(tried, min(max(missing / 8, gap / 3), 0.03))
                added += len(self._sets) - sets
                estimate = objective.under(cut, limit)
                bound = self._outer(objective)
                if objective.gap(value, bound) <= gap:
                    break
                if not added:
                    self._cut(prices, gap / 3)
            if estimate < least:
                least, self._center = estimate, tried
            step += 1
            if time.monotonic() > until:
                break
        return Reached(value, bound, objective.gap(value, bound), rates_bps, step)

    def highest_share(self, rates_bps: Vector) -> float:
        """The highest share of a limit that rates reach; above 1 no run can get them."""
        return float((np.array(self._cuts) @ rates_bps / np.array(self._limits)).max())

    def _try(
        self, objective: Objective, prices: Prices, time_price: float
    ) -> tuple[Prices, float, int]:
        """Add the columns that prices between the master's and the best ones ask for.

        Returns the best prices found, what they bound the objective by as far as known, and how
        many columns there are more.
        """
        best, least, added = prices, np.inf, 0
        incidence = _matrix_of_sets(self._sets, len(self._links))
        for mixture in _MIXTURES:
            tried = prices.towards(self._center, mixture)
            grown = self._packing.grown(tried.links.tolist(), _STARTS)
            known = float((incidence @ tried.links).max())
            for _, links in grown[:12]:
                if prices.links[links].sum() > time_price * (1 + 1e-9):
                    added += self._note(self._sets, tuple(links))
            costs, paths = self._paths_at(tried)
            for path in paths:
                added += self._note(self._paths, path)
            heaviest = max(known, grown[0][0] if grown else 0.0)
            value = objective.under(costs / self._bps, heaviest + tried.nodes.sum())
            if value < least:
                best, least = tried, value
        return best, least, added

    def _learn(self, objective: Objective, until: float) -> None:
        """Let prices rise where the flows' best answers to them need more time than sets give."""
        links, nodes = len(self._links), self._nodes
        deficit, last, window = np.zeros((3, links + nodes))
        least = np.inf
        incidence = _matrix_of_sets(self._sets, links)
        sets = list(self._sets)
        for step in range(_LEARNING):
            level = _RATE * (deficit + last)
            weights = np.exp(level - level.max())
            weights = (1 - _EVEN) * weights / weights.sum() + _EVEN / len(weights)
            prices = Prices(weights[:links], weights[links:])
            heaviest, chosen = self._packing.grown(prices.links.tolist(), 16)[0]
            stored = incidence @ prices.links
            if stored.max() > heaviest:
                heaviest, chosen = float(stored.max()), list(sets[int(stored.argmax())])
            self._sets[tuple(chosen)] = None
            costs, paths = self._paths_at(prices)
            cut = np.maximum(costs, _TINY) / self._bps
            rates_bps = np.minimum(
                objective.answer(cut, heaviest + prices.nodes.sum()), self._caps_bps
            )
            last = self._load(rates_bps, paths)
            last[chosen] -= 1.0
            last[links:] -= 1.0
            deficit += last
            window += weights
            if step % 100 == 99:
                sets = list(self._sets)
                incidence = _matrix_of_sets(self._sets, links)
            if step % _WINDOW == _WINDOW - 1:
                mean = Prices(window[:links], window[links:]).scaled()
                window[:] = 0.0
                grown, _, _ = self._packing.heaviest(mean.links.tolist(), _SLACK, _STEPS // 10)
                self._sets[tuple(grown)] = None
                known = max(float((incidence @ mean.links).max()), mean.links[grown].sum())
                costs, _ = self._paths_at(mean)
                value = objective.under(costs / self._bps, known + mean.nodes.sum())
                if value < least:
                    least, self._center = value, mean
                if time.monotonic() > until:
                    break
        self._learned.add(objective.name)

    def _load(self, rates_bps: Vector, paths: Iterable[Path]) -> Vector:
        """What rates over paths take of the links' and the nodes' time."""
        load = np.zeros(len(self._links) + self._nodes)
        nodes = load[len(self._links) :]
        for flow, path in paths:
            packets = rates_bps[flow] / self._bps[flow]
            if packets > 0:
                self._paths[flow, path] = None
                links = list(path)
                load[links] += packets * self._link_time[flow]
                nodes[self._links.senders[links]] += packets * self._sender_time[flow]
                nodes[self._links.receivers[links]] += packets * self._receiver_time[flow]
        return load

    @staticmethod
    def _note(columns: dict[Any, None], column: Any) -> int:
        """Add a column; how many more there are."""
        if column in columns:
            return 0
        columns[column] = None
        return 1

    def _completed(self, weights: Vector, links: list[int]) -> Set:
        return tuple(self._packing.completed(weights.tolist(), links))

    def _cut(self, prices: Prices, slack: float = _SLACK) -> tuple[Vector, float]:
        """Search the heaviest set at some prices, and keep the cut that follows."""
        costs, paths = self._paths_at(prices)
        self._paths.update(dict.fromkeys(paths))
        begun = time.monotonic()
        links, _, bound = self._packing.heaviest(prices.links.tolist(), slack, _STEPS)
        self._last_exact_s = time.monotonic() - begun
        self._sets[self._completed(prices.links, links)] = None
        cut, limit = costs / self._bps, bound + prices.nodes.sum()
        if cut.max() > 0:
            self._cuts.append(cut)
            self._limits.append(limit)
        return cut, limit

    def _paths_at(self, prices: Prices) -> tuple[Vector, list[Path]]:
        """The cheapest path of each flow."""
        costs = np.zeros(len(self.served))
        paths = []
        shares = np.stack([self._link_time, self._sender_time, self._receiver_time], axis=1)
        kinds, kind_of = np.unique(shares, axis=0, return_inverse=True)
        for kind, (link, sender, receiver) in enumerate(kinds):
            cost = (
                prices.links * link
                + prices.nodes[self._links.senders] * sender
                + prices.nodes[self._links.receivers] * receiver
                + _TINY
            )
            ends = (self._links.senders, self._links.receivers)
            graph = sparse.csr_matrix((cost, ends), shape=(self._nodes, self._nodes))
            places = np.flatnonzero(kind_of.ravel() == kind)
            sources = [self._ends[place][0] for place in places]
            found, before = dijkstra(graph, indices=sources, return_predecessors=True)
            for row, place in enumerate(places):
                destination = self._ends[place][1]
                path = self._walk(before[row], *self._ends[place])
                costs[place] = found[row, destination] - _TINY * len(path)
                paths.append((int(place), path))
        return costs, paths

    def _walk(self, before: NDArray[np.int32], source: int, destination: int) -> tuple[int, ...]:
        links, node = [], destination
        while node != source:
            links.append(self._link_at[int(before[node]), node])
            node = int(before[node])
        return tuple(reversed(links))

    def _master(self, objective: Objective) -> tuple[Vector, Prices, float]:
        """The best with the columns so far: rates, and the prices that make it so, and time's."""
        paths, sets = list(self._paths), list(self._sets)
        used = sorted({link for _, path in paths for link in path})
        row_of = {link: row for row, link in enumerate(used)}
        link_rows: list[tuple[int, int, float]] = []
        node_rows: list[tuple[int, int, float]] = []
        for column, (flow, path) in enumerate(paths):
            for link in path:
                link_rows.append((row_of[link], column, self._link_time[flow]))
                sender, receiver = self._links.senders[link], self._links.receivers[link]
                node_rows.append((sender, column, self._sender_time[flow]))
                node_rows.append((receiver, column, self._receiver_time[flow]))
        link_rows += [
            (row_of[link], len(paths) + column, -1.0)
            for column, links in enumerate(sets)
            for link in links
            if link in row_of
        ]
        columns = len(paths) + len(sets)
        time = sparse.csr_matrix(
            (np.ones(len(sets)), (np.zeros(len(sets), int), np.arange(len(paths), columns))),
            shape=(1, columns),
        )
        limits_of = sparse.vstack(
            [
                _matrix(link_rows, len(used), columns),
                _matrix(node_rows, self._nodes, columns),
                time,
            ],
            format="csr",
        )
        limits = np.r_[np.zeros(len(used)), np.ones(self._nodes + 1)]
        flow_of = np.array([flow for flow, _ in paths])
        rates = sparse.csr_matrix(
            (self._bps[flow_of], (flow_of, np.arange(len(paths)))),
            shape=(len(self.served), columns),
        )
        found = maximise(objective, rates, limits_of, limits, self._caps_bps)
        self.slopes, worth = found.slopes, found.worth
        prices = np.zeros(len(self._links))
        prices[used] = worth[: len(used)]
        nodes = worth[len(used) : len(used) + self._nodes]
        scale = max(prices.sum() + nodes.sum(), 1e-300)
        return found.rates, Prices(prices / scale, nodes / scale), float(worth[-1]) / scale

    def _outer(self, objective: Objective) -> float:
        """The most that the cuts leave possible."""
        cuts = np.array(self._cuts)
        size = np.abs(cuts).max(axis=1)
        flows = len(self.served)
        return maximise(
            objective,
            sparse.csr_matrix(np.eye(flows)),
            sparse.csr_matrix(cuts / size[:, None]),
            np.array(self._limits) / size,
            self._caps_bps,
        ).value


def _matrix(entries: list[tuple[int, int, float]], rows: int, columns: int) -> sparse.csr_matrix:
    data = np.array(entries, dtype=np.float64).reshape(-1, 3)
    places = (data[:, 0].astype(np.intp), data[:, 1].astype(np.intp))
    return sparse.csr_matrix((data[:, 2], places), shape=(rows, columns))


def _matrix_of_sets(sets: Iterable[Set], links: int) -> sparse.csr_matrix:
    """A row a set, 1 at its links."""
    listed = list(sets)
    sizes = [len(members) for members in listed]
    rows = np.repeat(np.arange(len(listed)), sizes)
    columns = np.fromiter((link for members in listed for link in members), dtype=np.intp)
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(listed), links))
