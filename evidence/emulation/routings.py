"""The tournament's first routings and considerate pacing under the kernel's CUBIC.

    python -m evidence.emulation.routings --networks 20 --out out/kernel-cubic
    python -m evidence.emulation.routings --networks 0 --out out/kernel-cubic    # the tables again

Ten flows among 100 nodes, static and mobile: each is run with our CUBIC, as Linux has it, and
then in real time with the kernel's between the same places, with the same starts. Rows are kept in
a file, and what is there is not run again. Needs root.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benches.bound_certificates import scenario

import multihop
from evidence.emulation.chains import TCP
from multihop.emulation import Network
from multihop.statistics import Estimate, jain, mean_interval
from multihop.study.estimates import Sample, ratio

FIRST_SEED = 60_001
AODV = {"scheme": "aodv", "expanding_ring": False, "local_repair": False}
PACING = {"rest": 0.0, "keep_s": 2.0, "lead": 4.0, "memory_s": 0.5}
SCHEMES: Mapping[str, Mapping[str, Any]] = {
    "aodv": {"routing": AODV},
    "ap": {"routing": {"scheme": "multipath-aodv", "policy": "ap"}},
    "edm": {"routing": {"scheme": "multipath-aodv", "policy": "edm"}},
    "ndm": {"routing": {"scheme": "multipath-aodv", "policy": "ndm"}},
    "dcar": {"routing": {"scheme": "dcar"}},
    "dsr": {
        "routing": {
            "scheme": "dsr", "cached_replies": "none", "ring_zero_search": False,
            "flow_state": False,
        }
    },
    "considerate": {"routing": AODV, "link": {"pacing": "hop-by-hop", "hop_by_hop": PACING}},
}  # fmt: skip
MOVEMENTS: Mapping[str, Mapping[str, Any]] = {
    "static": {},
    "mobile": {
        "mobility": {
            "kind": "random-waypoint", "speed_mps": [0.1, 10], "pause_s": 0, "connected": True,
        }
    },
}  # fmt: skip
TCPS = ("kernel", "simulated")
FLOWS = 10
FLOW_S = 100.0
FIRST_PORT = 5201
READY_S = 2.0
"""From the start of the emulation to the earliest flow: the sinks listen by then."""
BULK = [sys.executable, "-I", "-S", str(Path(__file__).with_name("bulk.py"))]


def main() -> None:
    """Run what is missing, then print a table for each movement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("out/kernel-cubic"))
    parser.add_argument("--at-a-time", type=int, default=6)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    rows = asked.out / "runs.jsonl"
    rows.touch()
    seeds = range(FIRST_SEED, FIRST_SEED + asked.networks)
    done = {(row["movement"], row["scheme"], row["seed"]) for row in kept(rows)}
    missing = [each for each in product(MOVEMENTS, SCHEMES, seeds) if each not in done]
    # A network's schemes run at about the same time, and so under the same load.
    missing.sort(key=lambda each: ([*MOVEMENTS].index(each[0]), each[2]))
    with ThreadPoolExecutor(asked.at_a_time) as pool, rows.open("a", encoding="utf-8") as file:
        for row in pool.map(lambda each: both(*each), missing):
            print(json.dumps(row), file=file, flush=True)
    found = kept(rows)
    for movement in MOVEMENTS:
        print(f"\n{movement}:\n")
        for line in table([row for row in found if row["movement"] == movement]):
            print(line)
    late_ms, share = (max(row[key] for row in found) for key in ("late_p99_s", "late_share"))
    print(f"\n99 % of a run's frames late by {1e3 * late_ms:.2f} ms at most, "
          f"{share:.2%} of them by more than 1 ms")  # fmt: skip


def kept(rows: Path) -> list[dict[str, Any]]:
    """The runs of the file."""
    return [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]


def both(movement: str, scheme: str, seed: int) -> dict[str, Any]:
    """Goodput [bit/s] of each flow, simulated and in real time, in one network."""
    plain = scenario(FLOWS)
    asked = {
        **plain, **MOVEMENTS[movement], **SCHEMES[scheme], "seed": seed,
        "duration_s": READY_S + plain["duration_s"] + 1,
        "flows": [{**flow, "start_s": READY_S} for flow in plain["flows"]],
    }  # fmt: skip
    simulated = multihop.run({**asked, "transport": {**TCP, "scheme": "cubic"}})
    flows = simulated.json["flows"]
    received, network = emulated(asked, flows)
    late = (network.result.emulation or {})["lateness"]
    return {
        "movement": movement,
        "scheme": scheme,
        "seed": seed,
        "simulated": [flow["goodput_bps"] for flow in flows],
        "kernel": [8 * count / FLOW_S for count in received],
        "late_p99_s": late["p99_s"],
        "late_share": late["late_share"],
    }


def emulated(asked: Mapping[str, Any], flows: list[Any]) -> tuple[list[int], Network]:
    """Bytes that the kernel's TCP brings to each flow's destination in `FLOW_S`."""
    ends = {flow[end] for flow in flows for end in ("source", "destination")}
    with Network(asked, nodes=ends) as net:
        begun = time.monotonic()
        sinks = []
        for port, flow in enumerate(flows, FIRST_PORT):
            words = [*BULK, "sink", str(port), str(begun + flow["start_s"] + FLOW_S)]
            sinks.append(net[flow["destination"]].popen(words, stdout=subprocess.PIPE, text=True))
        for port, flow in sorted(enumerate(flows, FIRST_PORT), key=lambda each: each[1]["start_s"]):
            start = begun + flow["start_s"]
            net.wait(start)
            there = net[flow["destination"]].address
            words = [*BULK, "source", there, str(port), "cubic", str(start + FLOW_S)]
            net[flow["source"]].popen(words)
        received = [int(sink.communicate()[0]) for sink in sinks]
    return received, net


def table(found: list[dict[str, Any]]) -> Iterator[str]:
    """A row for each scheme, in Markdown: total, over AODV's, and Jain's index, of both TCPs."""
    of_tcp = "total, kbit/s | over AODV's | Jain"
    yield f"| | kernel's CUBIC: {of_tcp} | ours: {of_tcp} | kernel's over ours |"
    yield "|---|--:|---|---|--:|---|---|---|"
    runs = {scheme: [row for row in found if row["scheme"] == scheme] for scheme in SCHEMES}
    totals = {(scheme, tcp): total(runs[scheme], tcp) for scheme in SCHEMES for tcp in TCPS}
    for scheme in SCHEMES:
        if not runs[scheme]:
            continue
        cells = [scheme]
        for tcp in TCPS:
            ours, base = totals[scheme, tcp], totals["aodv", tcp]
            cells += [
                f"{ours.mean / 1e3:.0f}",
                shown(ratio(ours, base)),
                shown(mean_interval([jain(row[tcp]) for row in runs[scheme]])),
            ]
        cells.append(shown(ratio(*(totals[scheme, tcp] for tcp in TCPS))))
        yield f"| {' | '.join(cells)} |"


def total(runs: list[dict[str, Any]], tcp: str) -> Sample:
    """The sum over flows, by network; networks that are missing are so for all that is compared."""
    ordered = sorted(runs, key=lambda row: row["seed"])
    seeds = tuple(row["seed"] for row in ordered)
    lacks = frozenset(range(FIRST_SEED, FIRST_SEED + 1000)).difference(seeds)
    sums = np.array([sum(row[tcp]) for row in ordered])
    return Sample(seeds, sums, np.ones(len(sums)), lacks)


def shown(estimate: Estimate) -> str:
    """A value and its 95 % interval."""
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"


if __name__ == "__main__":
    main()
