"""Our Babel, babeld, and both in one mesh of nine nodes: settling, healing, control traffic.

    python -m evidence.emulation.mixed --shape grid --kind mixed

`ours`, `babeld`, or `mixed`: every other node runs babeld. A ping goes from the first node to the
last, some times a second: its first reply is when the way was there. In a grid each of the first
node's two links is cut in turn; the longest silence is what healing took. Control traffic is
counted by tshark from `--from` seconds on. Needs root, babeld and tshark.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from multihop.emulation import Network
from multihop.pcap import Pcap

SHAPES: dict[str, dict[str, Any]] = {
    "grid": {"kind": "grid", "columns": 3, "rows": 3, "spacing_m": 200},
    "chain": {"kind": "chain", "hops": 8, "spacing_m": 200},
}
NODES = 9
CUTS = {"grid": [(60, 0, 1), (120, 0, 3)], "chain": []}
"""When [s] which link is cut, for forty seconds."""
SECONDS = {"grid": 180, "chain": 100}


def next_hops(net: Network, routers: list[int]) -> dict[tuple[int, int], int]:
    """By router and destination, of the host routes in the kernels."""
    numbers = {net[node].address: node for node in range(NODES)}
    found = {}
    for node in routers:
        for line in net[node].run(["ip", "-4", "route", "show"]).stdout.splitlines():
            words = line.split()
            if "via" in words and words[0] in numbers:
                found[node, numbers[words[0]]] = numbers[words[words.index("via") + 1]]
    return found


def hops(shape: str, a: int, b: int) -> int:
    """Hops of a shortest path."""
    if shape == "chain":
        return abs(a - b)
    return abs(a % 3 - b % 3) + abs(a // 3 - b // 3)


def control(file: Path, begin_s: float, end_s: float) -> tuple[float, float, int]:
    """Packets and bytes a second, and malformed packets in all."""
    sent = "babel && frame.packet_flags_direction==2"
    lines = shark(file, f"{sent} && frame.time_relative>={begin_s} && frame.time_relative<{end_s}")
    span = end_s - begin_s
    size = sum(40 + int(line) for line in lines)
    return len(lines) / span, size / span, len(shark(file, "babel && _ws.malformed"))


def shark(file: Path, keep: str) -> list[str]:
    """The payload lengths of the packets to keep."""
    command = ["tshark", "-r", str(file), "-Y", keep, "-T", "fields", "-e", "ipv6.plen"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def measure(shape: str, kind: str, begin_s: float, seed: int) -> None:
    """Print what one run shows."""
    routers = {"ours": [], "babeld": [*range(NODES)], "mixed": [*range(0, NODES, 2)]}[kind]
    folder = Path(tempfile.mkdtemp(prefix="mixed"))
    capture = folder / "run.pcapng"
    seconds = SECONDS[shape]
    scheme = "none" if kind == "babeld" else "babel"
    scenario = {
        "duration_s": seconds + 10, "topology": SHAPES[shape], "routing": {"scheme": scheme},
    }  # fmt: skip
    options: dict[str, Any] = {"pcap": Pcap(capture), "seed": seed}
    with Network(scenario, routers=routers if kind == "mixed" else (), **options) as net:
        for node in routers:
            pid, state = (str(folder / f"{node}.{name}") for name in ("pid", "state"))
            daemon = ["babeld", "-C", "default type wireless", "-I", pid, "-S", state, "mesh0"]
            net.start(node, daemon, lambda *_: None)
        started = net.now_s
        # One after the other: a ping that began before there was a way may never find it.
        far = net[NODES - 1].address
        ping = f"while true; do ping -c 10 -i 0.2 -W 1 {far}; done"
        replies: list[float] = []
        net.start(0, ping, lambda _, line: replies.append(net.now_s) if "time=" in line else None)
        for at_s, a, b in CUTS[shape]:
            net.sleep(at_s - net.now_s)
            net.cut(a, b)
            net.sleep(at_s + 40 - net.now_s)
            net.restore(a, b)
        net.sleep(seconds - 2 - net.now_s)
        found = next_hops(net, routers)
    wrong = [
        (a, b, by)
        for (a, b), by in found.items()
        if hops(shape, a, by) != 1 or hops(shape, by, b) != hops(shape, a, b) - 1
    ]
    gaps = [after - before for before, after in itertools.pairwise(replies)]
    packets, size, malformed = control(capture, begin_s, 60 if CUTS[shape] else seconds - 5)
    if not replies:
        raise SystemExit(f"{shape} {kind}: no reply has come")
    lateness = net.result.json["emulation"]["lateness"]
    late = lateness["late_share"] if lateness else 0.0
    print(
        f"{shape} {kind}: first reply {replies[0] - started:.1f} s, longest silence after "
        f"{max(gaps, default=0):.1f} s, {len(replies)} replies; control {packets:.2f} packets/s, "
        f"{size:.0f} B/s, {malformed} malformed; {len(found)} of {8 * len(routers)} kernel routes, "
        f"{len(wrong)} not on a shortest path {wrong[:4]}; {100 * late:.1f} % of frames late"
    )


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="grid")
    parser.add_argument("--kind", choices=["ours", "babeld", "mixed"], default="mixed")
    parser.add_argument("--from", dest="begin_s", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    measure(given.shape, given.kind, given.begin_s, given.seed)


if __name__ == "__main__":
    main()
