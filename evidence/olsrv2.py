"""OLSRv2 beside OLSR: goodput, control and time to heal on the same networks, as a table.

    python -m evidence.olsrv2 --network roofs --seeds 10

`grid`: nine nodes of the papers' radio, 200 m apart, two flows from corner to corner. `heal`: the
same with probes ten times a second between the sides, whose only short way is by the node in the
middle, which dies; healed is when the longest silence is over. `roofs`: 50 roofs with 802.11n as
the study mesh/routing has them, at rest. `random`: 200 nodes at 2 Mbit/s, 80 a square kilometre,
a flow for ten of them. `thousand`: 1,000 such nodes for 100 s.
"""

from __future__ import annotations

import argparse
import resource
import time
import tomllib
from typing import Any

import multihop
from multihop import catalogue
from multihop.statistics import mean_interval

SCHEMES: dict[str, tuple[str, dict[str, bool]]] = {
    "olsr": ("olsr", {}),
    "olsr, no hysteresis": ("olsr", {"routing.hysteresis": False}),
    "olsr-etx": ("olsr-etx", {}),
    "olsrv2": ("olsrv2", {}),
    "olsrv2, responsive HELLOs": ("olsrv2", {"routing.responsive_hellos": True}),
    "olsrv2-dat": ("olsrv2-dat", {}),
    "aodv": ("aodv", {}),
}
START_S = 40.0
SECONDS = 40.0
KILLED_S = 65.0


def random_network(nodes: int, duration_s: float) -> dict[str, Any]:
    """A connected random network, two and a half times as long as wide."""
    width = (nodes * 12_500 / 2.5) ** 0.5
    area_m = [2.5 * width, width]
    topology = {"kind": "random", "nodes": nodes, "area_m": area_m, "connected": True}
    flows = {
        "kind": "ftp", "source": "random", "destination": "random", "count": nodes // 10,
        "start_s": START_S, "start_spacing_s": 0.1, "distinct_ends": True,
    }  # fmt: skip
    transport = {"scheme": "newreno", "segment_bytes": 1460, "window_segments": 8}
    return {
        "duration_s": duration_s,
        "topology": topology,
        "flows": [flows],
        "transport": transport,
    }


def scenario(network: str) -> dict[str, Any]:
    """The network with its flows."""
    if network in ("random", "thousand"):
        return random_network(200, 80) if network == "random" else random_network(1000, 100)
    if network == "roofs":
        study: dict[str, Any] = tomllib.loads(catalogue.study_file("mesh/routing").read_text())
        return {**study["scenario"], "events": []}
    grid = {
        "duration_s": START_S + SECONDS,
        "topology": {"kind": "grid", "columns": 3, "rows": 3, "spacing_m": 200},
        "transport": {"scheme": "newreno", "segment_bytes": 1460, "window_segments": 8},
    }
    if network == "grid":
        one = {"kind": "ftp", "start_s": START_S}
        return grid | {
            "flows": [one | {"source": a, "destination": b} for a, b in [(0, 8), (6, 2)]]
        }
    probe = {"kind": "cbr", "start_s": KILLED_S - 5, "packet_bytes": 60, "rate_bps": 4800}
    return grid | {
        "duration_s": KILLED_S + 30,
        "flows": [probe | {"source": a, "destination": b} for a, b in [(1, 7), (3, 5)]],
        "events": [{"kind": "node-kill", "node": 4, "at_s": KILLED_S}],
    }


def measure(network: str, scheme: str, seed: int) -> dict[str, float]:
    """One run."""
    began = time.process_time()
    told = scenario(network)
    name, keys = SCHEMES[scheme]
    result = multihop.run(told, scheme=name, set=keys, seed=seed)
    taken_s = time.process_time() - began
    nodes, seconds = told["topology"].get("nodes", 9), told["duration_s"]
    routing = result.json["routing"]
    flows = result.flows
    lasting_s = (flows["stop_s"].fill_null(seconds) - flows["start_s"]).to_numpy()
    goodput = float((flows["delivered_bytes"].to_numpy() * 8 / lasting_s).sum()) / 1e3
    found = {
        "goodput of all, kbit/s": goodput,
        "flows without data": float((flows["delivered_bytes"] == 0).sum()),
        "control, B/s a node": routing["bytes_sent"] / nodes / seconds,
        "control, packets/s a node": routing["packets_sent"] / nodes / seconds,
        "processor, s": taken_s,
    }
    if network == "heal":
        return {"healed after, s": float(flows["longest_silence_s"].to_numpy().mean())} | found
    return found


def main() -> None:
    """Print means with their 95 % intervals, and those of the differences to the first scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    networks = ("grid", "heal", "roofs", "random", "thousand")
    parser.add_argument("--network", choices=networks, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--schemes", nargs="+", choices=SCHEMES, default=list(SCHEMES)[:6])
    told = parser.parse_args()
    first: list[dict[str, float]] = []
    for scheme in told.schemes:
        runs = [measure(told.network, scheme, seed) for seed in range(1, told.seeds + 1)]
        if not first:
            first = runs
            print(f"| {told.network} | " + " | ".join(runs[0]) + " | more goodput |")
            print("|---|" + "--:|" * (len(runs[0]) + 1))
        cells = [mean_interval([run[name] for run in runs]) for name in runs[0]]
        name = "goodput of all, kbit/s"
        more = mean_interval(
            [run[name] - base[name] for run, base in zip(runs, first, strict=True)]
        )
        told_cells = [f"{cell.value:.4g} ± {cell.half_width:.2g}" for cell in cells]
        print(
            f"| {scheme} | " + " | ".join(told_cells) + f" | {more.low:.0f} to {more.high:.0f} |",
            flush=True,
        )
    if told.network == "thousand":
        print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
