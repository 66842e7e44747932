"""HWMP and B.A.T.M.A.N. IV beside AODV, OLSR and Babel: TCP flows in static random networks.

Prints a table of evidence/hwmp-and-batman.md:

    python -m evidence.hwmp_and_batman --nodes 50 --seeds 10
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import multihop
from multihop.statistics import standard_error

SCHEMES = ("aodv", "hwmp", "hwmp-root", "batman", "olsr", "babel")
WARM_UP_S = 40
"""Flows start after it, 0.1 s apart, when tables are full."""
SECONDS = 40
"""How long the flows last."""
NODES_A_FLOW = 10
AREA_A_NODE_M2 = 12_500
"""As in the scenario random-200: some 11 neighbours a node with 50 nodes, 13 with 200."""


def scenario(nodes: int) -> dict[str, Any]:
    """A connected random network, two and a half times as long as wide."""
    width = (nodes * AREA_A_NODE_M2 / 2.5) ** 0.5
    return {
        "duration_s": WARM_UP_S + SECONDS,
        "topology": {
            "kind": "random",
            "nodes": nodes,
            "area_m": [2.5 * width, width],
            "connected": True,
        },
        "flows": [
            {
                "kind": "ftp",
                "source": "random",
                "destination": "random",
                "count": nodes // NODES_A_FLOW,
                "start_s": WARM_UP_S,
                "start_spacing_s": 0.1,
                "distinct_ends": True,
            }
        ],
        "transport": {"scheme": "newreno", "segment_bytes": 1460, "window_segments": 8},
    }


def measure(nodes: int, scheme: str, seed: int) -> dict[str, float]:
    """One run: goodput of all flows, flows without any, control, processor time."""
    began = time.process_time()
    result = multihop.run(scenario(nodes), scheme=scheme, seed=seed)
    taken_s = time.process_time() - began
    goodputs = result.flows["delivered_bytes"] * 8 / SECONDS / 1e3
    control_bytes = result.json["routing"]["bytes_sent"]
    hops = result.flows["mean_hops"].fill_null(0)
    data_bytes = float((result.flows["delivered_bytes"] * hops).sum())
    return {
        "goodput of all, kbit/s": float(goodputs.sum()),
        "flows without data": float((goodputs == 0).sum()),
        "control, B/s a node": control_bytes / nodes / (WARM_UP_S + SECONDS),
        "control, % of bytes": 100 * control_bytes / (control_bytes + data_bytes),
        "processor, s": taken_s,
    }


def main() -> None:
    """Run every scheme on the same networks, and print means with their standard errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--schemes", nargs="+", default=SCHEMES)
    options = parser.parse_args()
    for place, scheme in enumerate(options.schemes):
        seeds = range(1, options.seeds + 1)
        runs = [measure(options.nodes, scheme, seed) for seed in seeds]
        if place == 0:
            print(f"| {options.nodes} nodes | " + " | ".join(runs[0]) + " |")
            print("|---|" + "--:|" * len(runs[0]))
        cells = []
        for name in runs[0]:
            values = [run[name] for run in runs]
            told = f"{statistics.fmean(values):.3g}"
            cells.append(told if len(values) < 2 else f"{told} ± {standard_error(values):.2g}")
        print(f"| {scheme} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
