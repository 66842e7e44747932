"""OLSR, DSDV and HWMP beside ns-3.44: routes, control, time to settle and to heal, as a table.

    MULTIHOP_NS3=NS3 python -m evidence.proactive.beside_ns3 --scheme olsr

Chains, grids and random places, 20 seeds on each side; `multihop.validation.proactive` has the
scenarios. `--write` puts ns-3's figures of this scheme into the reference of `multihop validate`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.spatial.distance

import multihop
from multihop.peers import ns3
from multihop.statistics import difference_half_width, mean_interval, relative_difference
from multihop.validation.proactive import (
    KINDS,
    REFERENCE,
    ROUTING,
    TOPOLOGIES,
    Case,
    Figures,
    cases,
    figures,
    of_ours,
    scenario,
)

REACH_M = 250.0
PAIRS = 4


def graph(places: Sequence[Sequence[float]]) -> nx.Graph[int]:
    """Who reaches whom."""
    apart = scipy.spatial.distance.cdist(places, places)
    return nx.from_numpy_array((apart > 0) & (apart <= REACH_M))


def plan(places: Sequence[Sequence[float]], seed: int) -> tuple[list[tuple[int, int]], int | None]:
    """Pairs three hops apart or more, and the relay to kill.

    It is the most central one of those without whom all others still reach each other.
    """
    links, rng = graph(places), np.random.default_rng(seed)
    nodes = len(links)
    relays = [
        node for node in links if nx.is_connected(nx.subgraph_view(links, filter_node=node.__ne__))
    ]
    between = nx.betweenness_centrality(links)
    is_chain = max(degree for _, degree in links.degree()) == 2
    killed = None if is_chain else max(relays, key=between.__getitem__)
    lengths = dict(nx.all_pairs_shortest_path_length(links))
    far = [
        (a, b) for a in range(nodes) for b in range(nodes)
        if a != b and killed not in (a, b) and lengths[a][b] >= min(3, nodes - 1)
    ]  # fmt: skip
    chosen = rng.choice(len(far), size=min(PAIRS, len(far)), replace=False)
    return [far[int(place)] for place in chosen], killed


def of_theirs(run: ns3.Run, result: multihop.Result, killed: int | None) -> Figures:
    """The same of ns-3."""
    control = [run.routing_packets, run.routing_bytes]
    scheme = result.scenario["routing"]["scheme"]
    kinds = dict(zip(KINDS[scheme], map(float, run.messages), strict=True))
    return figures(run.arrivals, control, kinds, scheme, len(result.json["flows"]), killed)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheme", choices=list(ROUTING), required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default="", help="part of a topology's name")
    parser.add_argument("--build", type=Path, default=Path("out/ns3"), help="the driver's folder")
    parser.add_argument("--write", action="store_true", help="into the reference")
    told = parser.parse_args()
    package = ns3.package()
    if package is None:
        raise SystemExit(ns3.INSTALL_HINT)
    program = ns3.build(package, told.build)
    ran: list[Case] = []
    for network, topology in TOPOLOGIES.items():
        if told.only not in network:
            continue
        ours = []
        for seed in range(1, told.seeds + 1):
            bare = scenario(told.scheme, topology, [(0, 1)], None)
            places = multihop.run(bare, seed=seed, set={"duration_s": 2}).json["positions_m"]
            pairs, killed = plan(places, seed)
            made = scenario(told.scheme, topology, pairs, killed)
            result = multihop.run(made, seed=seed, events=True)
            ours.append(of_ours(result, killed))
            theirs = of_theirs(ns3.run(program, result, arrivals=True), result, killed)
            ran.append(Case(told.scheme, network, seed, pairs, killed, theirs))
        _print(network, ours, [case.figures for case in ran[-told.seeds :]])
    if told.write:
        kept = (
            [case for case in cases() if case.scheme != told.scheme] if REFERENCE.exists() else []
        )
        rows = [json.dumps(dataclasses.asdict(case)) for case in [*kept, *ran]]
        REFERENCE.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def _print(network: str, ours: Sequence[Figures], theirs: Sequence[Figures]) -> None:
    print(f"| {network} | ours / ns-3.44 |\n|---|---|")
    for name in theirs[0]:
        print(f"| {name} | {_cell([[run[name] for run in side] for side in (ours, theirs)])} |")
    print(flush=True)


def _cell(sides: Sequence[Sequence[float]]) -> str:
    means = [mean_interval(side) for side in sides]
    base = float(np.mean(sides[1]))
    if base == 0:
        return f"{means[0].value:.4g} / 0"
    share = relative_difference(sides[0], sides[1])
    wide = difference_half_width(sides[0], sides[1]) / base
    values = " / ".join(f"{one.value:.4g}" for one in means)
    return f"{values}, {share:+.1%} ± {wide:.1%}"


if __name__ == "__main__":
    main()
