"""How many nodes and how much traffic an emulation carries before frames come late.

    python -m tools.emulation.capacity --side 10 --kbps 100

A square of nodes with 802.11a; half of them send UDP to their neighbour on the right. Needs root
and iperf3.
"""

from __future__ import annotations

import argparse
import subprocess
import time

from multihop.emulation import Network


def measure(side: int, kbps: float, size: int, rate_mbps: float, seconds: float) -> None:
    """Print the load, what of it arrived, and how late."""
    scenario = {
        "duration_s": seconds + 30,
        "profile": "standard",
        "topology": {"kind": "grid", "columns": side, "rows": side, "spacing_m": 30},
        "radio": {"propagation": "log-distance", "path_loss_exponent": 3.0},
        "mac": {"phy": "802.11a", "data_rate_bps": rate_mbps * 1e6},
        "routing": {"scheme": "static"},
    }
    pairs = [
        (row * side + column, row * side + column + 1)
        for row in range(side)
        for column in range(0, side - 1, 2)
    ]
    with Network(scenario) as net:
        for _, server in pairs:
            net[server].popen(
                ["iperf3", "-s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        time.sleep(3)
        words = ["-u", "-b", f"{kbps}k", "-l", str(size), "-t", str(seconds)]
        clients = [
            net[source].popen(
                ["iperf3", "-c", net[server].address, *words], stdout=subprocess.DEVNULL
            )
            for source, server in pairs
        ]
        for client in clients:
            client.wait(timeout=seconds + 60)
    result = net.result
    said = result.emulation or {}
    late, frames = said["lateness"], said["frames"]
    delivered = sum(flow["delivered_bytes"] for flow in result.json["flows"])
    print(
        f"{side * side} nodes, {len(pairs) * kbps / 1e3:.1f} Mbit/s offered, "
        f"{8e-6 * delivered / seconds:.1f} Mbit/s and {frames['delivered'] / seconds:.0f} frames/s "
        f"delivered; late {1e3 * late['p50_s']:.3f} (median), {1e3 * late['p99_s']:.3f} (99 %), "
        f"{1e3 * late['worst_s']:.1f} ms (worst); busy {100 * said['busy_share']:.0f} %",
        flush=True,
    )


def main() -> None:
    """Measure one point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=10)
    parser.add_argument("--kbps", type=float, default=100)
    parser.add_argument("--bytes", type=int, default=1000, help="of each datagram")
    parser.add_argument("--rate", type=float, default=24, help="Mbit/s of the radio")
    parser.add_argument("--seconds", type=float, default=15)
    asked = parser.parse_args()
    measure(asked.side, asked.kbps, asked.bytes, asked.rate, asked.seconds)


if __name__ == "__main__":
    main()
