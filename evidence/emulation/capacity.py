"""How many nodes and how much traffic an emulation carries before frames come late.

    python -m evidence.emulation.capacity --side 10 --kbps 100
    python -m evidence.emulation.capacity --draw capacity.svg

A square of nodes with 802.11a; half of them send UDP to their neighbour on the right. Needs root
and iperf3.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl

from multihop.emulation import Network
from multihop.palette import COLOURS

TABLE = Path("out/capacity.csv")


@dataclass
class Point:
    """A load, and how late frames came."""

    nodes: int
    offered_mbps: float
    delivered_mbps: float
    frames_per_s: float
    median_ms: float
    p99_ms: float
    worst_ms: float
    busy: float
    """Share of the time in which the engine worked, the start included."""


def measure(side: int, kbps: float, size: int, rate_mbps: float, seconds: float) -> Point:
    """The load, what of it arrived, and how late."""
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
    said = net.result.emulation or {}
    late = said["lateness"]
    delivered = sum(flow["delivered_bytes"] for flow in net.result.json["flows"])
    return Point(
        nodes=side * side,
        offered_mbps=len(pairs) * kbps / 1e3,
        delivered_mbps=8e-6 * delivered / seconds,
        frames_per_s=said["frames"]["delivered"] / seconds,
        median_ms=1e3 * late["p50_s"],
        p99_ms=1e3 * late["p99_s"],
        worst_ms=1e3 * late["worst_s"],
        busy=said["busy_share"],
    )


def note(point: Point, file: Path) -> None:
    """Write a point behind those that the file has."""
    file.parent.mkdir(parents=True, exist_ok=True)
    is_new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as table:
        writer = csv.DictWriter(table, list(asdict(point)), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow({name: f"{value:.4g}" for name, value in asdict(point).items()})


def draw(table: Path, picture: Path) -> None:
    """Draw how late frames come over how many there are, a line for each number of nodes."""
    points = pl.read_csv(table).sort("frames_per_s")
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    parts = points.partition_by("nodes", maintain_order=False)
    for colour, part in zip(
        COLOURS, sorted(parts, key=lambda part: part["nodes"][0]), strict=False
    ):
        axes.plot(
            part["frames_per_s"],
            part["p99_ms"],
            "o-",
            color=colour,
            label=f"{part['nodes'][0]} nodes",
        )
    axes.axhline(1, color="0.6", linestyle=":", linewidth=1)
    axes.set(yscale="log", xlabel="frames delivered a second", ylabel="lateness, 99 % [ms]", xlim=0)
    axes.legend(frameon=False)
    figure.savefig(picture)


def main() -> None:
    """Measure one point, or draw those that were measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=10)
    parser.add_argument("--kbps", type=float, default=100, help="offered by each sender")
    parser.add_argument("--bytes", type=int, default=1000, help="of each datagram")
    parser.add_argument("--rate", type=float, default=24, help="Mbit/s of the radio")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--table", type=Path, default=TABLE, help="where points are written")
    parser.add_argument("--draw", type=Path, metavar="FILE.svg", help="draw the table instead")
    asked = parser.parse_args()
    if asked.draw:
        return draw(asked.table, asked.draw)
    point = measure(asked.side, asked.kbps, asked.bytes, asked.rate, asked.seconds)
    note(point, asked.table)
    print(", ".join(f"{name} {value:.4g}" for name, value in asdict(point).items()), flush=True)
    return None


if __name__ == "__main__":
    main()
