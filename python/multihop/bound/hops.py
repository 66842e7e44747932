"""Paths over the links: a hop goes from node to node by the cheapest link that joins them.

What arrives at a node by one station may leave by any of it. Clients of access points pass nothing
on: what arrives there is at a place that no hop leads on from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from multihop.bound.conflicts import Links
from multihop.bound.network import Network
from multihop.bound.objectives import Vector

Ends = tuple[int, int]


class Hops:
    """Those of a period."""

    def __init__(self, network: Network, links: Links) -> None:
        is_client = np.array([kind.is_client for kind in network.kinds])
        clients = network.node_of[is_client[network.kind_of]]
        self._arrivals = np.arange(network.nodes)
        self._arrivals[clients] = network.nodes + np.arange(len(clients))
        self._places = network.nodes + len(clients)
        joined = np.stack(
            [network.node_of[links.senders], self._arrivals[network.node_of[links.receivers]]],
            axis=1,
        )
        self._hops, self._hop_of = np.unique(joined, axis=0, return_inverse=True)
        self._hop_of = self._hop_of.ravel()
        self._first = np.searchsorted(np.sort(self._hop_of), np.arange(len(self._hops)))
        """Of the links by hop, the first of each."""
        self._hop_at = {(a, b): place for place, (a, b) in enumerate(self._hops.tolist())}

    def ends(self, source: int, destination: int) -> Ends:
        """The places of a flow's ends."""
        return source, int(self._arrivals[destination])

    def fewest(self, ends: Sequence[Ends]) -> Vector:
        """Hops between the two of each; infinite where there is no path."""
        graph = self._graph(np.ones(len(self._hops)))
        apart = dijkstra(graph, unweighted=True, indices=[source for source, _ in ends])
        return np.array([apart[place, to] for place, (_, to) in enumerate(ends)])

    def cheapest(self, cost: Vector, ends: Sequence[Ends]) -> list[tuple[float, tuple[int, ...]]]:
        """The cheapest path between the two of each, at these costs of the links, and its cost."""
        best = np.lexsort((cost, self._hop_of))[self._first]
        sources = [source for source, _ in ends]
        found, before = dijkstra(self._graph(cost[best]), indices=sources, return_predecessors=True)
        return [
            (float(found[row, to]), self._walk(best, before[row], source, to))
            for row, (source, to) in enumerate(ends)
        ]

    def _graph(self, cost: Vector) -> sparse.csr_matrix:
        ends = (self._hops[:, 0], self._hops[:, 1])
        return sparse.csr_matrix((cost, ends), shape=(self._places, self._places))

    def _walk(
        self, best: NDArray[np.intp], before: NDArray[np.int32], source: int, to: int
    ) -> tuple[int, ...]:
        links, place = [], to
        while place != source:
            links.append(int(best[self._hop_at[int(before[place]), place]]))
            place = int(before[place])
        return tuple(reversed(links))
