"""Runs of schemes over random networks, each broken down against the fairest schedule's rates.

    python -m evidence.gap.measure gap.csv --networks 20

goes on where the file ends; `python -m evidence.gap.tables gap.csv` makes the page's
table and figure.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np

import multihop
from multihop.bound.losses import Fairest, fairest, losses
from multihop.bound.network import Network, read
from multihop.statistics import jain

FIRST_SEED = 310_001
GAP = 0.02
SECONDS = 40.0

SCENARIO: dict[str, Any] = {
    "duration_s": 105,
    "topology": {"kind": "random", "nodes": 100, "area_m": [1500, 800], "connected": True},
    "routing": {"scheme": "aodv", "expanding_ring": False, "local_repair": False},
    "transport": {
        "scheme": "newreno", "link_failure": "ignore", "segment_bytes": 1460, "window_segments": 8,
    },
    "flows": [
        {
            "kind": "ftp", "source": "random", "destination": "random", "count": 10,
            "start_s": 0, "start_spread_s": 5, "lifetime_s": 100,
        }
    ],
}  # fmt: skip

_AODV = {"routing": SCENARIO["routing"]}

SCHEMES: dict[str, tuple[str | None, dict[str, Any]]] = {
    "newreno": (None, {}),
    "newreno-w2": (None, {"transport.window_segments": 2}),
    "cubic": (
        None,
        {
            "transport.scheme": "cubic",
            "transport.profile": "linux",
            "transport.window_segments": 256,
        },
    ),
    "static": (None, {"routing": {"scheme": "static"}}),
    "dsr": (
        None,
        {
            "routing": {
                "scheme": "dsr",
                "cached_replies": "none",
                "ring_zero_search": False,
                "flow_state": False,
            }
        },
    ),
    "elfn": (None, {"transport.link_failure": "elfn"}),
    "hop-by-hop-rate": (
        None,
        {"transport.link_failure": "elfn", "link.pacing": "hop-by-hop"},
    ),
    "copas": (None, {"routing": {"scheme": "copas"}}),
    "semi-tcp": (None, {"mac.scheme": "semi-tcp", "transport.scheme": "semi-tcp"}),
    "tcp-ap": (None, {"transport.scheme": "tcp-ap"}),
    "considerate": ("considerate", {}),
    "learned-pace": ("learned-pace", _AODV),
    "adaptive-csma": ("adaptive-csma", {}),
    "ez-flow": ("ez-flow", {}),
    "diffq": ("diffq", {}),
    "slot-reservation": ("slot-reservation", {}),
    "slots-by-dcf": ("slot-reservation", {"mac.access": "dcf"}),
}
"""Name, scheme that comes along, what is set over it."""


def main() -> None:
    """Adds a row for each network and scheme that the file lacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--networks", type=int, default=20)
    asked = parser.parse_args()
    done = set()
    if asked.file.exists():
        with asked.file.open(newline="") as rows:
            done = {(row["seed"], row["scheme"]) for row in csv.DictReader(rows)}
    for seed in range(FIRST_SEED, FIRST_SEED + asked.networks):
        most: list[tuple[Network, Fairest]] = []
        for name, (scheme, changed) in SCHEMES.items():
            if (str(seed), name) not in done:
                _add(asked.file, _row(seed, name, scheme, changed, most))


def _row(
    seed: int,
    name: str,
    scheme: str | None,
    changed: dict[str, Any],
    most: list[tuple[Network, Fairest]],
) -> dict[str, Any]:
    network = read(SCENARIO, seed=seed, scheme=scheme, set=changed)
    known = next((found for other, found in most if _same(other, network)), None)
    if known is None:
        known = fairest(network, gap=GAP, seconds=SECONDS)
        most.append((network, known))
    run = multihop.run(SCENARIO, seed=seed, scheme=scheme, set=changed, events=True)
    goodputs = np.array([flow["goodput_bps"] for flow in run.json["flows"]])
    row = {
        "seed": seed,
        "scheme": name,
        "gap": known.gap,
        "fairest_total_bps": float(known.rates_bps.sum()),
        "total_bps": float(goodputs.sum()),
        "jain": jain(goodputs),
        **losses(known, run).parts,
    }
    return {name: f"{it:.4g}" if isinstance(it, float) else it for name, it in row.items()}


def _same(one: Network, other: Network) -> bool:
    """Exchanges take as long; of one seed all else is the same."""
    return one.flows == other.flows and one.kinds == other.kinds


def _add(file: Path, row: dict[str, Any]) -> None:
    is_new = not file.exists()
    with file.open("a", newline="") as rows:
        writer = csv.DictWriter(rows, row, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
