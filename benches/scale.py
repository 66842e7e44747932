"""How cost, building time and memory grow with the network: a table, and docs/images/scale.png.

Networks of 200 to 100,000 nodes as dense as those of `peers.py`, and a TCP flow for every 20 nodes between
nodes 3 to 5 hops apart. Each runs in a process of its own, on one core, for as long as makes it
measurable. Then 1,000 moving nodes. Reads `/proc`, so it needs Linux.
"""

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np

import multihop

FILE = Path(__file__).parents[1] / "docs" / "images" / "scale.png"

SIZES = {200: 100.0, 2_000: 20.0, 20_000: 5.0, 100_000: 2.0}
"""Simulated seconds for each number of nodes."""

NODES_PER_M2 = 200 / (2500 * 1000)
SENSE_RANGE_M = 550.0

ROUTING: dict[str, dict[str, Any]] = {
    "static": {"scheme": "static"},
    "AODV": {"scheme": "aodv", "network_ttl": 8},
}
"""A search of AODV does not go much farther than the flows, however large the network."""


class Measured(NamedTuple):
    """What one run took."""

    transmissions: int
    neighbours: float
    build_s: float
    wall_s: float
    memory_bytes: int
    goodput_bps: float

    @property
    def per_neighbour_ns(self) -> float:
        """Time for each transmission and node that senses it."""
        return self.wall_s / (self.transmissions * self.neighbours) * 1e9


def scenario(nodes: int, duration_s: float, routing: dict[str, Any]) -> dict[str, Any]:
    """`nodes` nodes in a rectangle 2.5 times as wide as high."""
    height_m = (nodes / NODES_PER_M2 / 2.5) ** 0.5
    return {
        "duration_s": duration_s,
        "topology": {
            "kind": "random",
            "nodes": nodes,
            "area_m": [2.5 * height_m, height_m],
            "connected": False,
        },
        "routing": routing,
        "transport": {"segment_bytes": 1460, "window_segments": 8},
        "flows": [
            {
                "kind": "ftp",
                "source": "random",
                "destination": "random",
                "count": nodes // 20,
                "min_hops": 3,
                "max_hops": 5,
                "distinct_ends": True,
                "start_spacing_s": 0.5 / (nodes // 20),
            }
        ],
    }


def moving(routing: dict[str, Any]) -> dict[str, Any]:
    """1,000 nodes on the way from point to point, and 20 flows for 100 s."""
    here = scenario(1000, 100.0, routing)
    here["mobility"] = {"kind": "random-waypoint", "speed_mps": [1, 20], "steady_state": True}
    here["flows"][0] |= {"count": 20, "min_hops": None, "max_hops": None}
    return here


def measure(here: dict[str, Any]) -> Measured:
    """Run one scenario, alone in this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    before = _memory_bytes("VmRSS")
    result = multihop.run(here, seed=1)
    engine = result.json["engine"]
    return Measured(
        engine["transmissions"],
        mean_neighbours(np.array(result.json["positions_m"])),
        engine["build_s"],
        engine["wall_s"],
        _memory_bytes("VmHWM") - before,
        sum(flow["goodput_bps"] for flow in result.json["flows"]),
    )


def apart(here: dict[str, Any]) -> Measured:
    """Run one scenario in a process that does nothing else."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as pool:
        return pool.submit(measure, here).result()


def _memory_bytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def mean_neighbours(places: np.ndarray) -> float:
    """Nodes within sensing range of a node, on average; fewer at the border than inside."""
    cells: dict[tuple[int, int], list[int]] = {}
    for node, (column, row) in enumerate((places // SENSE_RANGE_M).astype(int)):
        cells.setdefault((column, row), []).append(node)
    pairs = 0
    for (column, row), members in cells.items():
        around = [(column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        near = [node for cell in around for node in cells.get(cell, ())]
        apart_m = places[members][:, None] - places[near][None]
        pairs += int((np.hypot(*apart_m.T) <= SENSE_RANGE_M).sum()) - len(members)
    return pairs / len(places)


def main() -> None:
    """Measure everything, print it, draw it."""
    begun = time.perf_counter()
    found = {
        name: {nodes: apart(scenario(nodes, s, routing)) for nodes, s in SIZES.items()}
        for name, routing in ROUTING.items()
    }
    for name, sizes in found.items():
        print(f"{name}\n   nodes  transmissions  neighbours  build s   run s   ns  kB/node")
        for nodes, m in sizes.items():
            line = f"{nodes:>8,} {m.transmissions:>14,} {m.neighbours:>11.1f} {m.build_s:>8.2f}"
            per_node_kb = m.memory_bytes / nodes / 1000
            print(f"{line} {m.wall_s:>7.2f} {m.per_neighbour_ns:>4.1f} {per_node_kb:>8.1f}")
    print("1,000 moving nodes, 20 flows, 100 s")
    for name in ("aodv", "dsr"):
        m = apart(moving({"scheme": name}))
        print(f"{name:>8} {m.transmissions:>14,} transmissions, {m.wall_s:.2f} s, {m.memory_bytes / 1e6:.0f} MB")
    draw(found)
    print(f"{FILE}; {time.perf_counter() - begun:.0f} s")


def draw(found: dict[str, dict[int, Measured]]) -> None:
    """Time, building time and memory over nodes, both axes logarithmic."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    panels = [
        ("ns a transmission and neighbour", lambda m, _: m.per_neighbour_ns),
        ("building, s", lambda m, _: m.build_s),
        ("memory, kB a node", lambda m, nodes: m.memory_bytes / nodes / 1000),
    ]
    figure, all_axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    for axes, (label, value) in zip(all_axes, panels, strict=True):
        for name, sizes in found.items():
            points = [value(m, nodes) for nodes, m in sizes.items()]
            axes.loglog(list(sizes), points, "o-", label=name)
        axes.set(xlabel="nodes", ylabel=label)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].set_ylim(1, 100)
    all_axes[0].legend(frameon=False)
    figure.savefig(FILE, dpi=110)


if __name__ == "__main__":
    main()
