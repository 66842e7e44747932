"""How cost, building time and memory grow with the network: tables, and evidence/images/scale.png.

Networks of 200 to 100,000 nodes as dense as those of `peers.py`, and a TCP flow for every 20 nodes
between nodes 3 to 5 hops apart; then 1,000 moving nodes. Each runs in a process of its own, on one
core. Times are processor time, but other work on the machine takes its share of the cache: large
networks need a quiet one. Prints the tables; `--page` puts them between the markers of a page
and draws the picture. Reads `/proc`, so it needs Linux.
"""

import multiprocessing
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import click
import matplotlib as mpl
import numpy as np

import multihop
from multihop.files import put_between

MARKERS = "<!-- scale: begin -->", "<!-- scale: end -->"
IMAGE = Path(__file__).parents[1] / "evidence" / "images" / "scale.png"

NODES_PER_M2 = 200 / (2500 * 1000)
SENSE_RANGE_M = 550.0
STARTS_WITHIN_S = 0.5
"""All flows start within so long."""
ONE_HOP = {
    "duration_s": 1e-9,
    "topology": {"kind": "chain", "hops": 1},
    "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
}
"""Loads what any run needs, which is not the memory of a network."""

ROUNDS = 3
LONG_S = 20.0
"""A network is not run again once it has taken so long."""


class Case(NamedTuple):
    """A routing protocol, and how long each network runs with it."""

    routing: Mapping[str, Any]
    simulated_s: Mapping[int, float]
    """By the number of nodes."""


CASES = {
    "fixed routes": Case(
        {"scheme": "static"},
        {200: 100.0, 2_000: 20.0, 20_000: 5.0, 100_000: 2.0},
    ),
    # A search does not go much farther than the flows, however large the network.
    "AODV": Case(
        {"scheme": "aodv", "network_ttl": 8},
        {200: 100.0, 2_000: 100.0, 20_000: 10.0, 100_000: 1.0},
    ),
}


class Measured(NamedTuple):
    """What one network took."""

    simulated_s: float
    transmissions: int
    routing_packets: int
    neighbours: float
    build_s: float
    """Processor time of building, and of making the result."""
    run_s: float
    """Processor time of the rest."""
    memory_bytes: int
    waiting: float
    """Wall-clock over processor time."""

    @property
    def per_neighbour_ns(self) -> float:
        """Time for each transmission and node that senses it."""
        return self.run_s / (self.transmissions * self.neighbours) * 1e9


def scenario(nodes: int, duration_s: float, routing: Mapping[str, Any]) -> dict[str, Any]:
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
        "routing": dict(routing),
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
                "start_spacing_s": STARTS_WITHIN_S / (nodes // 20),
            }
        ],
    }


def moving(routing: Mapping[str, Any]) -> dict[str, Any]:
    """1,000 nodes on the way from point to point, and 20 flows for 100 s."""
    here = scenario(1000, 100.0, routing)
    here["mobility"] = {"kind": "random-waypoint", "speed_mps": [1, 20], "steady_state": True}
    here["flows"][0] |= {"count": 20, "min_hops": None, "max_hops": None}
    return here


def measure(here: dict[str, Any]) -> Measured:
    """Run one scenario, alone in this process."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    multihop.run(ONE_HOP, seed=1)
    before = _memory_bytes("VmRSS")
    begun_s = time.perf_counter()
    build_s, _ = timed(built_only(here))
    whole_s, result = timed(here)
    waiting = (time.perf_counter() - begun_s) / (build_s + whole_s)
    peak = _memory_bytes("VmHWM")
    wholes, builds = [whole_s], [build_s]
    while len(wholes) < ROUNDS and sum(wholes) < LONG_S:
        builds.append(timed(built_only(here))[0])
        wholes.append(timed(here)[0])
    return Measured(
        here["duration_s"],
        result.json["engine"]["transmissions"],
        result.json["routing"]["packets_sent"],
        mean_neighbours(np.array(result.json["positions_m"])),
        statistics.median(builds),
        statistics.median(wholes) - statistics.median(builds),
        peak - before,
        waiting,
    )


def built_only(here: dict[str, Any]) -> dict[str, Any]:
    """The same network for so short that nothing happens."""
    flows = [{**flow, "start_spacing_s": 0.0} for flow in here["flows"]]
    return {**here, "duration_s": 1e-9, "flows": flows}


def timed(here: dict[str, Any]) -> tuple[float, multihop.Result]:
    """Run a scenario; returns its processor time and its result."""
    begun_s = time.process_time()
    result = multihop.run(here, seed=1)
    return time.process_time() - begun_s, result


def apart(here: dict[str, Any]) -> Measured:
    """Run one scenario in a process that does nothing else."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as pool:
        return pool.submit(measure, here).result()


def _memory_bytes(key: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
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


@click.command()
@click.option("--most-nodes", default=max(CASES["AODV"].simulated_s), help="No larger networks.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Page to put full tables into.",
)
def main(most_nodes: int, page: Path | None) -> None:
    """Measure how cost, building time and memory grow with the network."""
    found: dict[str, dict[int, Measured]] = {}
    for name, case in CASES.items():
        found[name] = {}
        for nodes, simulated_s in case.simulated_s.items():
            if nodes <= most_nodes:
                measured = apart(scenario(nodes, simulated_s, case.routing))
                found[name][nodes] = measured
                print(f"{name}, {nodes:,} nodes: {measured}", flush=True)
    moved = {name: apart(moving({"scheme": name.lower()})) for name in ("AODV", "DSR")}
    report = "\n\n".join(
        [
            "![Time, building time and memory over the number of nodes](images/scale.png)",
            table(found),
            moving_table(moved),
            notes([m for sizes in found.values() for m in sizes.values()]),
        ]
    )
    print(f"\n{report}")
    if page is None:
        return
    if most_nodes < max(CASES["AODV"].simulated_s):
        print(f"\n{page} is left as it is: not everything was measured")
        return
    draw(found)
    put_between(page, MARKERS, report)


def table(found: Mapping[str, Mapping[int, Measured]]) -> str:
    """Render the static networks as a Markdown table, a row each."""
    rows = [
        [
            "routing", "nodes", "simulated, s", "transmissions", "of routing", "neighbours",
            "build, s", "run, s", "ns a transmission and neighbour", "to 200 nodes", "kB a node",
        ],
        ["---", *["--:"] * 10],
    ]  # fmt: skip
    for name, sizes in found.items():
        least = sizes[min(sizes)].per_neighbour_ns
        for nodes, m in sizes.items():
            rows.append(
                [
                    name,
                    f"{nodes:,}",
                    f"{m.simulated_s:g}",
                    f"{m.transmissions:,}",
                    f"{m.routing_packets / m.transmissions:.0%}",
                    f"{m.neighbours:.1f}",
                    f"{m.build_s:.3f}" if m.build_s < 0.1 else f"{m.build_s:.2f}",
                    f"{m.run_s:.2f}",
                    f"**{m.per_neighbour_ns:.0f}**",
                    f"{m.per_neighbour_ns / least:.1f}",
                    f"{m.memory_bytes / nodes / 1000:.1f}",
                ]
            )
    return markdown(rows)


def moving_table(found: Mapping[str, Measured]) -> str:
    """Render the mobile networks as a Markdown table, a row each."""
    rows = [
        ["1,000 moving nodes, 20 flows, 100 s", "transmissions", "processor time, s", "memory, MB"],
        ["---", *["--:"] * 3],
    ]
    for name, m in found.items():
        whole_s = m.build_s + m.run_s
        rows.append([name, f"{m.transmissions:,}", f"{whole_s:.2f}", f"{m.memory_bytes / 1e6:.0f}"])
    return markdown(rows)


def notes(found: Sequence[Measured]) -> str:
    """Return how busy the machine was."""
    waits = [m.waiting for m in found]
    return (
        "Wall-clock over processor time, which is 1 on an idle machine: "
        f"{statistics.median(waits):.2f} ({min(waits):.2f} to {max(waits):.2f})."
    )


def markdown(rows: list[list[str]]) -> str:
    """Rows of a Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def draw(found: Mapping[str, Mapping[int, Measured]]) -> None:
    """Time, building time and memory over nodes, both axes logarithmic."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    panels = [
        ("ns a transmission and neighbour", (5, 1000), lambda m, _: m.per_neighbour_ns),
        ("building, s", (1e-3, 20), lambda m, _: m.build_s),
        ("memory, kB a node", (1, 100), lambda m, nodes: m.memory_bytes / nodes / 1000),
    ]
    figure, all_axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    for axes, (label, limits, value) in zip(all_axes, panels, strict=True):
        for name, sizes in found.items():
            points = [value(m, nodes) for nodes, m in sizes.items()]
            axes.loglog(list(sizes), points, "o-", label=name)
        axes.set(xlabel="nodes", ylabel=label, ylim=limits)
        axes.grid(color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].legend(frameon=False, loc="upper left")
    figure.savefig(IMAGE, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
