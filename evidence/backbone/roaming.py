"""What is lost while others learn that a client has another access point.

Client 3 is cut off from its access point 0, which does not notice, and goes to access point 1.
Twenty packets a second come from node 2 beyond the new one, or from the old one itself.
`python -m evidence.backbone.roaming` prints the table of evidence/backbone.md.
"""

import statistics
from typing import Any

import multihop

SEEDS = range(1, 21)
CUT_S, STOP_S = 22, 59


def town(routing: str, source: int) -> dict[str, Any]:
    """Two access points on a backbone of three nodes, and three clients."""
    places = [[0, 0], [240, 0], [240, 200], [30, 0], [-30, 0], [270, 0]]
    flow = {"kind": "cbr", "packet_bytes": 1000, "rate_bps": 160e3, "source": source}
    return {
        "duration_s": STOP_S + 1,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": places},
        "interfaces": [
            {"name": "backbone", "channel": 36, "nodes": [0, 1, 2]},
            {"name": "cell", "channel": 1, "nodes": [0, 1], "role": "access-point"},
            {"name": "phone", "channel": 1, "nodes": [3, 4, 5], "role": "client"},
        ],
        "routing": {"scheme": routing},
        "flows": [{**flow, "destination": 3, "start_s": CUT_S - 2, "stop_s": STOP_S}],
        "events": [{"kind": "link-cut", "node": 0, "neighbour": 3, "at_s": CUT_S}],
    }


def lost(routing: str, source: int) -> str:
    """How many packets of one flow did not come: the median and all there were."""
    sent = (STOP_S - CUT_S + 2) * 20
    runs = [multihop.run(town(routing, source), seed=seed).json["flows"][0] for seed in SEEDS]
    found = [sent - flow["received_packets"] for flow in runs]
    return f"{statistics.median(found):.0f} ({min(found)} to {max(found)})"


if __name__ == "__main__":
    for routing in ("static", "babel", "aodv", "olsr"):
        print(f"| {routing} | {lost(routing, 2)} | {lost(routing, 0)} |")
