"""OLSR and DSDV beside ns-3.44: routes, control, time to settle and to heal, as a table.

    MULTIHOP_NS3=NS3 python -m evidence.proactive.beside_ns3 --scheme olsr

Chains, grids and random places on the papers' radio, 20 seeds on each side. Probes of 60 bytes,
two a second, go between pairs of nodes. Routes have settled when the last pair's first probe has
arrived; once they have, the hops of all probes are counted. Then a relay is killed, and routes have
healed when the longest silence of a pair that is still connected is over.

ns-3's rules that its traces show, and that a key of ours can have, ours has here: see ROUTING.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import scipy.spatial.distance

import multihop
from multihop.peers import ns3
from multihop.statistics import difference_half_width, mean_interval, relative_difference

REACH_M = 250.0
PAIRS = 4
INTERVAL_S = 0.5
TIMES_S = {"olsr": (30.0, 40.0, 70.0), "dsdv": (80.0, 95.0, 165.0)}
"""Hops are counted from the first on; the relay is killed at the second; the third is the end."""
ROUTING: dict[str, dict[str, Any]] = {
    # No hysteresis; a HELLO every 2 s and a TC every 5 s in the mean, where the RFC's jitter makes
    # that 1.75 and 4.75 s; their validity as by the RFC.
    "olsr": {
        "scheme": "olsr",
        "hysteresis": False,
        "max_jitter_s": 0.5,
        "hello_interval_s": 2.25,
        "tc_interval_s": 5.25,
        "neighb_hold_time_s": 6,
        "top_hold_time_s": 15,
    },
    # Every new number is told at once, and full updates come every 15 s without jitter.
    "dsdv": {
        "scheme": "dsdv",
        "settling_time_s": 0,
        "triggers_on_sequence": True,
        "trigger_spacing_s": 0.001,
        "update_jitter": 0,
    },
}
KINDS = ("hellos_sent", "tcs_originated", "tcs_forwarded")
UDP_BYTES = {"olsr": 0, "dsdv": 8}
"""What ns-3's packets have more: our updates of DSDV are those of ns-2.35, in IP alone."""
TOPOLOGIES: dict[str, dict[str, Any]] = {
    "chain, 3 hops": {"kind": "chain", "hops": 3, "spacing_m": 200},
    "chain, 6 hops": {"kind": "chain", "hops": 6, "spacing_m": 200},
    "grid, 4 × 4": {"kind": "grid", "columns": 4, "rows": 4, "spacing_m": 200},
    "random, 30": {"kind": "random", "nodes": 30, "area_m": [900, 600], "connected": True},
}


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run showed."""

    settled_s: float
    """When the last pair's first probe arrived."""
    hops: float
    """Mean of the pairs' hops before the relay is killed."""
    healed_s: float
    """The longest silence of a pair afterwards; none in a chain, which cannot heal."""
    packets: float
    """Control packets of all nodes."""
    bytes: float
    """Their size, IP headers included."""
    hellos: float
    """OLSR's HELLOs, and DSDV's full updates."""
    told: float
    """TCs that nodes wrote."""
    passed_on: float
    """TCs that relays passed on."""


def scenario(
    scheme: str, topology: dict[str, Any], pairs: Sequence[tuple[int, int]], killed: int | None
) -> dict[str, Any]:
    """Probes between `pairs`, and the relay that is killed."""
    _, killed_s, end_s = TIMES_S[scheme]
    return {
        "duration_s": end_s,
        "topology": topology,
        "routing": ROUTING[scheme],
        "flows": [
            {
                "kind": "cbr", "source": a, "destination": b, "packet_bytes": 60,
                "rate_bps": 60 * 8 / INTERVAL_S, "start_s": 1 + INTERVAL_S * place / len(pairs),
            }
            for place, (a, b) in enumerate(pairs)
        ],
        "events": [] if killed is None else [
            {"kind": "node-kill", "node": killed, "at_s": killed_s}
        ],
    }  # fmt: skip


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


def figures(
    arrivals: Iterable[tuple[int, float, int]], control: Sequence[float], scheme: str,
    flows: int, killed: int | None,
) -> Figures:  # fmt: skip
    """The same of arrivals (flow, time, hops) on both sides."""
    settled_s, killed_s, end_s = TIMES_S[scheme]
    times: dict[int, list[float]] = defaultdict(list)
    hops: dict[int, list[int]] = defaultdict(list)
    for flow, time_s, count in arrivals:
        times[flow].append(time_s)
        if settled_s <= time_s < killed_s:
            hops[flow].append(count)
    silences = []
    for flow in range(flows):
        after = [time_s for time_s in times[flow] if time_s >= killed_s]
        silences.append(float(np.diff([killed_s, *after, end_s]).max()))
    return Figures(
        max(times[flow][0] if times[flow] else end_s for flow in range(flows)),
        float(np.mean([np.mean(hops[flow]) for flow in hops])) if hops else np.nan,
        max(silences) if killed is not None else np.nan,
        *control,
    )


def of_ours(result: multihop.Result, killed: int | None) -> Figures:
    """Hops are the times that a probe was sent by a node, retries left out."""
    kept = result.events.filter(pl.col("flow").is_not_null())
    hops = (
        kept.filter(pl.col("event") == "serve")
        .group_by("flow", "number").agg(pl.col("node").n_unique().alias("hops"))
    )  # fmt: skip
    came = kept.filter(pl.col("event") == "deliver").join(hops, on=["flow", "number"], how="left")
    rows = came.select("flow", pl.col("time_ns") / 1e9, "hops").rows()
    scheme = result.scenario["routing"]["scheme"]
    sent = result.json["routing"]["messages"][scheme]
    own: Any = dict(result.json["schemes"])[scheme]
    kinds = [own[name] for name in KINDS] if scheme == "olsr" else [np.nan] * 3
    control = [sent["packets"], sent["bytes"] + UDP_BYTES[scheme] * sent["packets"], *kinds]
    return figures(rows, control, scheme, len(result.json["flows"]), killed)


def of_theirs(run: ns3.Run, result: multihop.Result, killed: int | None) -> Figures:
    """The same of ns-3."""
    control = [run.routing_packets, run.routing_bytes, *(run.messages or [np.nan] * 3)]
    scheme = result.scenario["routing"]["scheme"]
    return figures(run.arrivals, control, scheme, len(result.json["flows"]), killed)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scheme", choices=list(ROUTING), required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", help="part of a topology's name")
    parser.add_argument("--build", type=Path, default=Path("out/ns3"), help="the driver's folder")
    told = parser.parse_args()
    package = ns3.package()
    if package is None:
        raise SystemExit(ns3.INSTALL_HINT)
    names = [field.name for field in fields(Figures)]
    print("| network | " + " | ".join(names) + " |")
    program = ns3.build(package, told.build)
    for name, topology in TOPOLOGIES.items():
        if told.only and told.only not in name:
            continue
        ours, theirs = [], []
        for seed in range(1, told.seeds + 1):
            bare = scenario(told.scheme, topology, [(0, 1)], None)
            places = multihop.run(bare, seed=seed, set={"duration_s": 2}).json["positions_m"]
            pairs, killed = plan(places, seed)
            made = scenario(told.scheme, topology, pairs, killed)
            result = multihop.run(made, seed=seed, events=True)
            ours.append(of_ours(result, killed))
            run = ns3.run(program, result, arrivals=True)
            theirs.append(of_theirs(run, result, killed))
        cells = (_cell(ours, theirs, one) for one in names)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def _cell(ours: Sequence[Figures], theirs: Sequence[Figures], name: str) -> str:
    sides = [[getattr(one, name) for one in side] for side in (ours, theirs)]
    sides = [[value for value in side if np.isfinite(value)] for side in sides]
    if min(map(len, sides)) < 2:
        return ""
    means = [mean_interval(side) for side in sides]
    base = float(np.mean(sides[1]))
    share = relative_difference(sides[0], sides[1])
    wide = difference_half_width(sides[0], sides[1]) / base
    values = " / ".join(f"{one.value:.4g}" for one in means)
    return f"{values}, {share:+.1%} ± {wide:.1%}"


if __name__ == "__main__":
    main()
