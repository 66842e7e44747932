"""What a run's stations do at many instants, and why the links of a limit are idle at each.

Shares of time are those of instants, evenly spread: an exchange takes milliseconds, so 20,000 in a
hundred seconds miss a share by some thousandths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from multihop.bound.network import Mask, Network
from multihop.bound.on_air import Numbers, OnAir, Spans
from multihop.bound.region import Region


class Instants:
    """What stations do at some instants."""

    reasons = (
        "failed_attempts", "routing", "reservation", "deferral", "partly_filled", "mac_acks",
        "backoff", "queueing", "packets_elsewhere", "no_packets",
    )  # fmt: skip
    """Why links may be idle."""

    def __init__(
        self, air: OnAir, network: Network, region: Region, times_ns: Numbers, place: Numbers
    ) -> None:
        self._times_ns = times_ns
        links = region.links
        nodes, spaces = network.nodes, network.kinds[0]
        self._links = links
        exchanges = air.exchanges
        whole = network.flows[0].exchanges[0]
        link = place[exchanges.senders, exchanges.receivers]
        begun = exchanges.from_ns if links.cleared[0] else exchanges.data_ns
        self.core = self._by_link(link, begun, exchanges.to_ns)
        """Links whose exchanges a limit counts, where there is one."""
        answered = exchanges.to_ns + round(1e9 * (whole.answered_s - whole.core_s))
        both = np.r_[exchanges.senders, exchanges.receivers]
        core = Spans(both, np.tile(begun, 2), np.tile(exchanges.to_ns, 2))
        difs_ns = round(1e9 * spaces.difs_s)
        taken = core
        if not spaces.is_slotted:
            froms = np.r_[exchanges.from_ns - difs_ns, exchanges.from_ns]
            taken = Spans(both, froms, np.r_[answered, answered])
        self.taken = taken.at(times_ns, nodes)
        """Stations with an exchange."""
        senses = (network.periods[0].senses | np.eye(nodes, dtype=np.bool_)).astype(np.float32)

        def heard(spans: Spans) -> Mask:
            on_air = spans.at(times_ns, nodes).astype(np.float32)
            found: Mask = senses @ on_air > 0
            return found

        routes = np.tile(~exchanges.is_transported, 2)
        entire = Spans(both, np.tile(exchanges.from_ns, 2), np.tile(answered, 2))
        common = {
            "failed_attempts": heard(air.failures),
            "routing": heard(air.broadcasts) | heard(core.those(routes)),
            "deferral": heard(core),
            "mac_acks": heard(entire),
        }
        self._near = air.hindrances(common, heard, times_ns)
        """What keeps each station from sending, in the order in which one precedes another."""
        peers, spans = air.services
        self._served = self._of_packets(peers, spans, place)
        peers, spans = air.waits
        self._queued = self._of_packets(peers, spans, place)
        self._under_way = air.under_way.at(times_ns, len(network.flows))

    def _by_link(self, link: Numbers, from_ns: Numbers, to_ns: Numbers) -> dict[int, Mask]:
        used, place = np.unique(link, return_inverse=True)
        rows = Spans(place, from_ns, to_ns).at(self._times_ns, len(used))
        return dict(zip(used.tolist(), rows, strict=True))

    def _of_packets(self, peers: Numbers, spans: Spans, place: Numbers) -> dict[int, Mask]:
        known = peers >= 0
        link = np.where(known, place[spans.places, np.maximum(peers, 0)], -1)
        known = link >= 0
        return self._by_link(link[known], spans.from_ns[known], spans.to_ns[known])

    def why(self, links: Numbers, flows: Numbers) -> Iterator[tuple[str, Mask]]:
        """Why none of these links is in use, at which instants: the first reason that holds."""
        nothing = np.zeros(len(self._times_ns), dtype=np.bool_)
        near = {name: nothing.copy() for name in self._near}
        has_packet = nothing.copy()
        for link in links.tolist():
            if link not in self._served:
                continue
            served = self._served[link]
            has_packet |= served
            ends = self._links.senders[link], self._links.receivers[link]
            for name, heard in self._near.items():
                near[name] |= served & (heard[ends[0]] | heard[ends[1]])
        waits = nothing.copy()
        for link in links.tolist():
            if link in self._queued:
                waits |= self._queued[link]
        left = np.ones(len(self._times_ns), dtype=np.bool_)
        reasons = [
            *near.items(),
            ("backoff", has_packet),
            ("queueing", waits),
            ("packets_elsewhere", self._under_way[flows].any(axis=0)),
            ("no_packets", left.copy()),
        ]
        for name, holds in reasons:
            yield name, left & holds
            left &= ~holds
