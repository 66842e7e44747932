"""A source that always has packets, over chains: the DCF beside EZ-Flow and DiffQ, as a table.

    python -m evidence.access.chains --sense 250 --seeds 10

`--sense 250`: a node senses one hop, as EZ-Flow's analysis has it; 550: two, as ns-2 has it.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import multihop
from multihop.statistics import mean_interval

SECONDS = 600.0
ACCESSES = ("dcf", "ez-flow", "adaptive-csma", "diffq")


def chain(hops: int, access: str, sense_m: float, uses_rts: bool) -> dict[str, Any]:
    """Packets of 1000 bytes at 1 Mbit/s."""
    return {
        "duration_s": SECONDS,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "radio": {"sense_range_m": sense_m},
        "mac": {
            "access": access,
            "data_rate_bps": 1e6,
            "rts_threshold_bytes": 0 if uses_rts else math.inf,
            "report_failures": False,
        },
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "flows": [
            {
                "kind": "cbr", "source": 0, "destination": "last", "start_s": 0, "stop_s": SECONDS,
                "packet_bytes": 1000, "rate_bps": 5e5,
            }
        ],
    }  # fmt: skip


def main() -> None:
    """Prints a row for each chain and access."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sense", type=float, default=250.0)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rts", action="store_true")
    asked = parser.parse_args()
    print("| hops | access | kbit/s | at the first relay | at the second | delay, s |")
    print("|--:|---|---|---|---|---|")
    for hops in (3, 4, 8):
        for access in ACCESSES:
            case = chain(hops, access, asked.sense, asked.rts)
            rows = []
            for seed in range(1, asked.seeds + 1):
                recording = multihop.Recording(queue_classes=True)
                run = multihop.run(case, seed=seed, record=recording).json
                flow, queues = run["flows"][0], run["queues"]
                held = [queues[node]["mean_packets"] for node in (1, 2)]
                rows.append([flow["goodput_bps"] / 1e3, *held, flow["mean_delay_s"]])
            cells = []
            for values, form in zip(zip(*rows, strict=True), ("0f", "1f", "1f", "2f"), strict=True):
                found = mean_interval(list(values))
                cells.append(f"{found.value:.{form}} ({found.low:.{form}} to {found.high:.{form}})")
            print(f"| {hops} | `{access}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
