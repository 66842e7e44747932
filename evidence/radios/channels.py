"""Two radios a node on three channels: assignments, and Babel's metrics of diversity.

`python evidence/radios/channels.py` prints what three flows over a grid carry together, the mean of
five seeds and its standard deviation.
"""

import statistics
from typing import Any

import multihop
from multihop import channels

GRID: dict[str, Any] = {
    "duration_s": 70,
    "profile": "standard",
    "topology": {"kind": "grid", "rows": 4, "columns": 5, "spacing_m": 200},
    "routing": {"scheme": "babel"},
    "flows": [
        {
            "kind": "cbr",
            "source": source,
            "destination": destination,
            "start_s": 40,
            "packet_bytes": 1000,
            "rate_bps": 8e5,
        }
        for source, destination in ((0, 4), (15, 19), (2, 17))
    ],
}
SEEDS = range(1, 6)


def carried_mbps(**tables: Any) -> str:
    """Of all flows together, in 30 s."""
    sums = []
    for seed in SEEDS:
        flows = multihop.run({**GRID, **tables}, seed=seed).json["flows"]
        sums.append(sum(flow["received_packets"] for flow in flows) * 8000 / 30e6)
    return f"{statistics.mean(sums):.2f} ± {statistics.stdev(sums):.2f}"


def main() -> None:
    """Print the table."""
    print(f"one channel: {carried_mbps()}")
    for scheme in channels.SCHEMES:
        interfaces = channels.assign(GRID, [1, 6, 11], radios=2, scheme=scheme)
        for diversity in ("none", "channel", "path", "wcett"):
            routing = {"scheme": "babel", "diversity": diversity}
            print(f"{scheme}, {diversity}: {carried_mbps(interfaces=interfaces, routing=routing)}")


if __name__ == "__main__":
    main()
