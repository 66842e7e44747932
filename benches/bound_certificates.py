"""How closely the bound is known within a minute on the tournament's networks of 100 nodes.

python benches/bound_certificates.py --networks 50 --flows 10 --seconds 60
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from multihop.bound import bound


def main() -> None:
    """Bound one network after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=50)
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--objective", default="total")
    arguments = parser.parse_args()
    gaps = []
    for seed in range(1, arguments.networks + 1):
        begun = time.process_time()
        found = bound(
            scenario(arguments.flows), objective=arguments.objective, seed=seed,
            seconds=arguments.seconds,
        )  # fmt: skip
        gaps.append(found.gap)
        print(
            f"{seed:3d} {found.reached / 1e3:9.1f} to {found.bound / 1e3:9.1f} kbit/s, gap "
            f"{found.gap:6.2%}, {found.seconds:5.1f} s, "
            f"{time.process_time() - begun:5.1f} s of CPU",
            flush=True,
        )
    within = sum(gap <= 0.01 for gap in gaps)
    print(f"{within} of {len(gaps)} within 1 %, median {np.median(gaps):.2%}, most {max(gaps):.2%}")


def scenario(flows: int) -> dict[str, Any]:
    """The tournament's networks."""
    return {
        "duration_s": 105,
        "topology": {"kind": "random", "nodes": 100, "area_m": [1500, 800], "connected": True},
        "routing": {"scheme": "aodv"},
        "flows": [
            {
                "kind": "ftp", "source": "random", "destination": "random", "count": flows,
                "start_s": 0, "start_spread_s": 5, "lifetime_s": 100,
            }
        ],
    }  # fmt: skip


if __name__ == "__main__":
    main()
