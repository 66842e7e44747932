"""TCP over slots that neighbours share out among themselves: what turns in order bring.

    python -m evidence.gap.slots --first-seed 330001 --networks 200

Each node on a route in use has slots in which nobody sends whom its receivers would hear instead,
nor those of its acknowledgments: a colouring of nodes as DRAND finds it by messages (I. Rhee, A.
Warrier, J. Min, L. Xu, IEEE Transactions on Mobile Computing 8, 2009), but with as many slots a
node as its flows need. A flow asks of each of its nodes for slots in inverse proportion to its
hops, which is what it costs all others: proportional fairness, if all hops were alike. Slots that
are left go to whoever has the fewest for what it needs. Here the table is made before the run, from
who senses whom and the flows' routes; the messages that would agree on it are not simulated.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import multihop
from evidence.gap.measure import SCENARIO
from multihop.bound.network import Network, read
from multihop.statistics import jain, mean_interval
from multihop.study.estimates import Sample, ratio

SLOT_S = 7.5e-3
"""A data packet and a TCP acknowledgment, each with its answer."""
NEEDS = 8
"""Slots of a flow over one hop at each of its nodes."""
ACKS = 0.25
"""Of them for acknowledgments."""
STATIC = {"routing": {"scheme": "static"}}
"""Routes known from the start."""
WIDE = {"transport.window_segments": 16, "transport.acks": {"delayed": True}}
"""A wide window, and an acknowledgment for two segments or after 0.2 s."""
CLASSES = {"one hop": (1, 1), "two": (2, 2), "3 to 4": (3, 4), "5 to 6": (5, 6), "more": (7, 99)}
"""Flows by the hops of a shortest path."""

Route = list[int]
Cases = dict[str, tuple[str | None, dict[str, Any]]]
"""Schemes by name, and what is set over each."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One of a stream: a flow's data, or its acknowledgments."""

    stream: int
    sender: int
    receiver: int
    of: int
    """Hops of the stream."""
    is_data: bool


def routes(network: Network, seed: int) -> list[Route]:
    """The shortest routes of each flow's data, then those of the acknowledgments."""
    ends = [(flow.source, flow.destination) for flow in network.flows]
    ends += [(flow.destination, flow.source) for flow in network.flows]
    alone = [
        {
            "kind": "cbr", "source": source, "destination": destination, "rate_bps": 4000,
            "packet_bytes": 500, "start_s": 2 * place, "stop_s": 2 * place + 1.5,
        }
        for place, (source, destination) in enumerate(ends)
    ]  # fmt: skip
    scenario = {
        **SCENARIO,
        "routing": {"scheme": "static"},
        "flows": alone,
        "duration_s": 2 * len(ends),
    }
    events = multihop.run(scenario, seed=seed, events=True).events
    chosen = events.filter(
        (pl.col("event") == "route") & (pl.col("content").cast(pl.String) == "udp")
    ).select("flow", "node", "peer")
    after = {(flow, node): peer for flow, node, peer in chosen.unique().iter_rows()}
    found = []
    for place, (source, destination) in enumerate(ends):
        path = [source]
        while path[-1] != destination:
            path.append(after[place, path[-1]])
        found.append(path)
    return found


def hops(paths: Sequence[Route]) -> list[Hop]:
    """All hops of all streams."""
    found: list[Hop] = []
    for stream, path in enumerate(paths):
        is_data = stream < len(paths) // 2
        found += [Hop(stream, *ends, len(path) - 1, is_data) for ends in pairwise(path)]
    return found


def conflicts(network: Network, links: Sequence[Hop]) -> dict[int, set[int]]:
    """The nodes beside which each node may not send."""
    period = network.periods[0]

    def spoils(other: int, sender: int, receiver: int) -> bool:
        power_w = period.strongest_w
        return bool(
            period.senses[other, receiver]
            and power_w[sender, receiver] < network.capture_ratio * power_w[other, receiver]
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
    links: Sequence[Hop], beside: dict[int, set[int]], draw: np.random.Generator
) -> list[list[int]]:
    """Who sends in each slot, in an order drawn at random."""
    needs = dict.fromkeys(sorted(beside), 0.0)
    for hop in links:
        needs[hop.sender] += NEEDS / hop.of * (1.0 if hop.is_data else ACKS)
    left = {node: max(1, round(need)) for node, need in needs.items()}
    wanted = dict(left)
    slots: list[set[int]] = []
    while any(left.values()):
        for node in draw.permutation([node for node in left if left[node]]).tolist():
            free = (slot for slot in slots if _fits(node, slot, beside))
            chosen = next(free, None)
            if chosen is None:
                slots.append({node})
            else:
                chosen.add(node)
            left[node] -= 1
    given = {node: sum(node in slot for slot in slots) for node in beside}
    order = draw.permutation(len(slots)).tolist()
    for place in order:
        for node in sorted(wanted, key=lambda node: given[node] / wanted[node]):
            if _fits(node, slots[place], beside):
                slots[place].add(node)
                given[node] += 1
    return [sorted(slots[place]) for place in draw.permutation(len(slots))]


def _fits(node: int, slot: set[int], beside: dict[int, set[int]]) -> bool:
    return node not in slot and not beside[node] & slot


def settings(seed: int) -> dict[str, Any]:
    """What puts a network's TCP over its table; nodes on no route in use share a slot."""
    network = read(SCENARIO, seed=seed)
    links = hops(routes(network, seed))
    slots = table(links, conflicts(network, links), np.random.default_rng(seed))
    busy = {node for slot in slots for node in slot}
    rest = [node for node in range(network.nodes) if node not in busy]
    # The slot of the rest, who send nothing, comes once in some hundreds.
    rounds = max(1, 400 // len(slots))
    return {
        **STATIC,
        "link.arp": False,
        "mac.access": "tdma",
        "mac.tdma": {"slot_s": SLOT_S, "slots": slots * rounds + [rest]},
        "mac.rts_threshold_bytes": "inf",
    }


def cases(seed: int) -> Cases:
    """Schemes, and what is set over them."""
    slots = settings(seed)
    return {
        "AODV, NewReno": (None, {}),
        "AODV, NewReno, wide": (None, WIDE),
        "static routes, NewReno": (None, STATIC),
        "static routes, NewReno, wide": (None, STATIC | WIDE),
        "`considerate`": ("considerate", {}),
        "TCP-AP": (None, {"transport.scheme": "tcp-ap"}),
        "slots, NewReno": (None, slots),
        "slots, NewReno, wide": (None, slots | WIDE),
    }


def main() -> None:
    """Prints a row for NewReno over AODV and the DCF, static routes, and tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=330_001)
    parser.add_argument("--networks", type=int, default=200)
    asked = parser.parse_args()
    show(range(asked.first_seed, asked.first_seed + asked.networks), SCENARIO, cases)


def show(seeds: Iterable[int], scenario: dict[str, Any], cases: Callable[[int], Cases]) -> None:
    """Prints a row for each case; totals are over those of the first one."""
    rates: dict[str, list[NDArray[np.float64]]] = {}
    distances = []
    for seed in seeds:
        for name, (scheme, changed) in cases(seed).items():
            run = multihop.run(scenario, seed=seed, scheme=scheme, set=changed).json
            goodputs = np.array([flow["goodput_bps"] for flow in run["flows"]])
            rates.setdefault(name, []).append(goodputs)
        distances.append([flow["shortest_hops"] or 0 for flow in run["flows"]])
    base = _totals(next(iter(rates.values())))
    far = np.array(distances)
    print(f"| | total, kbit/s | over the first's | Jain | {' | '.join(CLASSES)} |")
    print("|---|--:|---|---|" + "--:|" * len(CLASSES))
    for name, each in rates.items():
        totals = _totals(each)
        over = ratio(totals, base)
        index = mean_interval([jain(one) for one in each])
        shown = f"{over.value:.2f} ({over.low:.2f} to {over.high:.2f})"
        fair = f"{index.value:.3f} ({index.low:.3f} to {index.high:.3f})"
        by_hops = [
            f"{np.array(each)[(far >= least) & (far <= most)].mean() / 1e3:.1f}"
            for least, most in CLASSES.values()
        ]
        print(f"| {name} | {totals.mean / 1e3:.0f} | {shown} | {fair} | {' | '.join(by_hops)} |")


def _totals(rates: list[NDArray[np.float64]]) -> Sample:
    totals = np.array([each.sum() for each in rates])
    return Sample(tuple(range(len(totals))), totals, np.ones(len(totals)))


if __name__ == "__main__":
    main()
