"""What HWMP's metric costs where its noise moves it: beside a constant one, and AODV.

    python -m evidence.proactive.metric_noise

Static random networks of 200 nodes and 80 a square kilometre, the papers' radio; one NewReno flow
for ten nodes from 40 to 80 s. At a fixed rate HWMP's metric is an attempt's airtime over the share
of a peer's last ten beacons that came: `constant` leaves the share out.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import multihop
from multihop import HwmpMetric
from multihop.engine import Link

UNIT_S = 10.24e-6
WARM_UP_S, SECONDS = 40, 40
NODES = 200
AREA_M = [2500, 1000]


class Constant(HwmpMetric):
    """An attempt's airtime alone."""

    def cost(self, link: Link) -> int | None:
        """In hundredths of a time unit."""
        return max(1, round((link.airtime_s or 0) / UNIT_S))


ROUTINGS: dict[str, dict[str, Any]] = {
    "AODV": {"scheme": "aodv"},
    "HWMP": {"scheme": "hwmp"},
    "HWMP, constant metric": {"scheme": Constant},
}
SCENARIO: dict[str, Any] = {
    "duration_s": WARM_UP_S + SECONDS,
    "topology": {"kind": "random", "nodes": NODES, "area_m": AREA_M, "connected": True},
    "flows": [
        {
            "kind": "ftp", "source": "random", "destination": "random", "count": NODES // 10,
            "start_s": WARM_UP_S, "start_spacing_s": 0.1, "distinct_ends": True,
        }
    ],
    "transport": {"scheme": "newreno", "segment_bytes": 1460, "window_segments": 8},
}  # fmt: skip


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(1, parser.parse_args().seeds + 1)
    print("| | goodput of all, kbit/s | requests sent | a search and node |\n|---|--:|--:|--:|")
    for name, routing in ROUTINGS.items():
        runs = [multihop.run(SCENARIO, seed=seed, set={"routing": routing}) for seed in seeds]
        goodputs = [run.flows["delivered_bytes"].sum() * 8 / SECONDS / 1e3 for run in runs]
        told = ", ".join(f"{goodput:.0f}" for goodput in goodputs)
        sent = statistics.fmean(run.json["routing"]["requests_sent"] for run in runs)
        searches = statistics.fmean(run.json["routing"]["discoveries"] for run in runs)
        mean = statistics.fmean(goodputs)
        print(f"| {name} | {mean:.0f} ({told}) | {sent:.0f} | {sent / searches / NODES:.1f} |")


if __name__ == "__main__":
    main()
