"""TCP over a table of slots that somebody planned who knows the network: what turns in order bring.

    python -m evidence.gap.slots --first-seed 320001 --networks 50

Each node of a way in use has slots in which no other sends whom its receivers, or those of its
acknowledgments, would hear instead. Who sends in which slot is decided by backlogs, as in
back-pressure (L. Tassiulas and A. Ephremides, IEEE Transactions on Automatic Control 37, 1992): a
model without losses runs slot by slot, sources fill their queues as far as proportional fairness
has it, and those nodes take the slot, greedily, of whose links the backlog falls most. The table is
what the model did once it had settled.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import multihop
from evidence.gap.measure import SCENARIO
from multihop.bound.network import Network, read
from multihop.statistics import jain, mean_interval

SLOT_S = 7.5e-3
"""A data packet and a TCP acknowledgment, each with its answer."""
SLOTS = 400
SETTLING = 4000
"""Slots of the model before those of the table."""
ACKS = 2.0
"""Acknowledgments that count as one packet of data, as their queues decide who sends."""
LEAST = 0.05
"""A backlog that is not worth a slot."""
CAPTURE = 10.0

Route = list[int]
Case = Callable[[int], tuple[str | None, dict[str, Any]]]
"""A seed's scheme, and what is set over it."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One of a stream: a flow's data, or its acknowledgments."""

    stream: int
    sender: int
    receiver: int
    next: int | None
    """The place of the stream's next hop."""
    is_data: bool


def routes(network: Network, seed: int) -> list[Route]:
    """The shortest ways of each flow's data, then those of the acknowledgments."""
    ends = [(flow.source, flow.destination) for flow in network.flows]
    ends += [(flow.destination, flow.source) for flow in network.flows]
    sparse = [
        {
            "kind": "cbr", "source": source, "destination": destination, "rate_bps": 4000,
            "packet_bytes": 500, "start_s": place % len(network.flows), "stop_s": 30,
        }
        for place, (source, destination) in enumerate(ends)
    ]  # fmt: skip
    scenario = {**SCENARIO, "routing": {"scheme": "static"}, "flows": sparse, "duration_s": 35}
    events = multihop.run(scenario, seed=seed, events=True).events
    chosen = events.filter(
        (pl.col("event") == "route") & (pl.col("content").cast(pl.String) == "udp")
    ).select("flow", "node", "peer")
    after = {(flow, node): peer for flow, node, peer in chosen.unique().iter_rows()}
    found = []
    for place, (source, destination) in enumerate(ends):
        way = [source]
        while way[-1] != destination:
            way.append(after[place, way[-1]])
        found.append(way)
    return found


def hops(ways: Sequence[Route]) -> list[Hop]:
    """All hops of all streams."""
    found: list[Hop] = []
    for stream, way in enumerate(ways):
        last = len(way) - 2
        for place, (sender, receiver) in enumerate(pairwise(way)):
            after = len(found) + 1 if place < last else None
            found.append(Hop(stream, sender, receiver, after, stream < len(ways) // 2))
    return found


def conflicts(network: Network, links: Sequence[Hop]) -> dict[int, set[int]]:
    """The nodes beside which each node may not send."""
    period = network.periods[0]

    def spoils(other: int, sender: int, receiver: int) -> bool:
        power_w = period.strongest_w
        return bool(
            period.senses[other, receiver]
            and power_w[sender, receiver] < CAPTURE * power_w[other, receiver]
        )

    def clash(a: Hop, b: Hop) -> bool:
        if {a.sender, a.receiver} & {b.sender, b.receiver}:
            return True
        both = ((a.sender, a.receiver), (a.receiver, a.sender))
        others = (b.sender, b.receiver)
        mirrored = ((b.sender, b.receiver), (b.receiver, b.sender))
        return any(spoils(other, *ends) for ends in both for other in others) or any(
            spoils(other, *ends) for ends in mirrored for other in (a.sender, a.receiver)
        )

    found: dict[int, set[int]] = {hop.sender: set() for hop in links}
    for place, a in enumerate(links):
        for b in links[:place]:
            if a.sender != b.sender and b.sender not in found[a.sender] and clash(a, b):
                found[a.sender].add(b.sender)
                found[b.sender].add(a.sender)
    return found


def table(
    links: Sequence[Hop], beside: dict[int, set[int]], flows: int, greed: float
) -> list[list[int]]:
    """Who sends in each slot. The higher `greed`, the more it takes to keep a source back."""
    backlog = np.zeros(len(links))
    first = {hop.stream: place for place, hop in reversed(list(enumerate(links)))}
    own = {node: [k for k, hop in enumerate(links) if hop.sender == node] for node in beside}
    slots = []
    for _ in range(SETTLING + SLOTS):
        worth = _worth(links, backlog)
        of_node = {node: max(worth[place] for place in places) for node, places in own.items()}
        sending: list[int] = []
        for node in sorted(of_node, key=lambda node: -of_node[node]):
            if of_node[node] <= LEAST:
                break
            if not beside[node].intersection(sending):
                sending.append(node)
        for node in sending:
            _serve(links, own[node], worth, backlog, first, flows)
        for flow in range(flows):
            place = first[flow]
            backlog[place] += min(1.0, greed / max(backlog[place], 1e-3))
        slots.append(sorted(sending))
    return slots[SETTLING:]


def _worth(links: Sequence[Hop], backlog: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.zeros(len(links))
    for place, hop in enumerate(links):
        if hop.is_data:
            beyond = 0.0 if hop.next is None else backlog[hop.next]
            found[place] = (backlog[place] - beyond) * min(backlog[place], 1.0)
        else:
            found[place] = min(4 * backlog[place] / ACKS, 50.0)
    return found


def _serve(
    links: Sequence[Hop],
    own: Sequence[int],
    worth: NDArray[np.float64],
    backlog: NDArray[np.float64],
    first: dict[int, int],
    flows: int,
) -> None:
    """A packet of data, and acknowledgments, each of the link of the highest worth."""
    for is_data in (True, False):
        places = [k for k in own if links[k].is_data == is_data and backlog[k] > 0]
        if not places:
            continue
        place = max(places, key=lambda place: worth[place])
        hop = links[place]
        sent = min(1.0 if is_data else ACKS, backlog[place])
        backlog[place] -= sent
        if hop.next is not None:
            backlog[hop.next] += sent
        elif is_data:
            backlog[first[flows + hop.stream]] += sent


def settings(seed: int, greed: float) -> dict[str, Any]:
    """What puts a network's TCP over its table; nodes without a way in use share a slot."""
    network = read(SCENARIO, seed=seed)
    links = hops(routes(network, seed))
    slots = table(links, conflicts(network, links), len(network.flows), greed)
    busy = {node for slot in slots for node in slot}
    rest = [node for node in range(network.nodes) if node not in busy]
    given = [slot or rest for slot in slots] + [rest]
    return {
        "routing": {"scheme": "static"},
        "link.arp": False,
        "mac.access": "tdma",
        "mac.tdma": {"slot_s": SLOT_S, "slots": given},
        "mac.rts_threshold_bytes": "inf",
    }


def main() -> None:
    """Prints a row for NewReno over AODV and the DCF, static routes, and tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=320_001)
    parser.add_argument("--networks", type=int, default=50)
    parser.add_argument("--greed", type=float, nargs="*", default=[2.0, 8.0])
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.networks)
    cases: dict[str, Case] = {
        "AODV, NewReno": lambda _seed: (None, {}),
        "static routes, NewReno": lambda _seed: (None, {"routing": {"scheme": "static"}}),
        "`considerate`": lambda _seed: ("considerate", {}),
    }
    for greed in asked.greed:
        cases[f"tables, greed {greed:g}"] = partial(_with_table, greed)
    rates: dict[str, list[NDArray[np.float64]]] = {name: [] for name in cases}
    for seed in seeds:
        for name, case in cases.items():
            scheme, changed = case(seed)
            run = multihop.run(SCENARIO, seed=seed, scheme=scheme, set=changed).json
            rates[name].append(np.array([flow["goodput_bps"] for flow in run["flows"]]))
    base = np.array([each.sum() for each in rates["AODV, NewReno"]])
    print("| | total, kbit/s | over NewReno's | Jain |\n|---|--:|---|---|")
    for name, each in rates.items():
        totals = np.array([one.sum() for one in each])
        low, high = _ratio_interval(totals, base)
        index = mean_interval([jain(one) for one in each])
        shown = f"{totals.sum() / base.sum():.2f} ({low:.2f} to {high:.2f})"
        fair = f"{index.value:.3f} ({index.low:.3f} to {index.high:.3f})"
        print(f"| {name} | {totals.mean() / 1e3:.0f} | {shown} | {fair} |")


def _with_table(greed: float, seed: int) -> tuple[str | None, dict[str, Any]]:
    return None, settings(seed, greed)


def _ratio_interval(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> tuple[float, float]:
    """95 %, by the bootstrap over networks."""
    picks = np.random.default_rng(1).integers(len(ours), size=(10_000, len(ours)))
    ratios = ours[picks].sum(axis=1) / theirs[picks].sum(axis=1)
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


if __name__ == "__main__":
    main()
