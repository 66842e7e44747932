"""Our Babel, babeld, bird, and ours with one of them in one mesh: settling, healing, control.

    python -m evidence.emulation.mixed --shape grid-4 --kind mixed --daemon bird

`ours`, `theirs`, or `mixed`: every other node runs the daemon. A ping goes from the first node to
the last, some times a second: its first reply is when the way was there. In a grid each of the
first node's two links is cut in turn; the longest silence is what healing took. Control traffic is
counted by tshark from `--from` seconds on. Needs root, the daemon and tshark.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from evidence.emulation.babel import start
from multihop.emulation import Network
from multihop.pcap import Pcap

SHAPES: dict[str, dict[str, Any]] = {
    "grid": {"kind": "grid", "columns": 3, "rows": 3, "spacing_m": 200},
    "grid-4": {"kind": "grid", "columns": 4, "rows": 4, "spacing_m": 200},
    "chain": {"kind": "chain", "hops": 8, "spacing_m": 200},
}
SIDE = {"grid": 3, "grid-4": 4}
CUT_S = (60, 120)
"""When the first node's links are cut in a grid, for forty seconds each."""
SECONDS = {"grid": 180, "grid-4": 180, "chain": 100}


def next_hops(net: Network, nodes: int, routers: list[int]) -> dict[tuple[int, int], int]:
    """By router and destination, of the host routes in the kernels."""
    numbers = {net[node].address: node for node in range(nodes)}
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
    side = SIDE[shape]
    return abs(a % side - b % side) + abs(a // side - b // side)


def control(file: Path, begin_s: float, end_s: float) -> tuple[float, float, int]:
    """Packets and bytes a second, and malformed packets in all."""
    sent = "babel && frame.packet_flags_direction==2"
    within = f"{sent} && frame.time_relative>={begin_s} && frame.time_relative<{end_s}"
    lengths = [int(length) for (length,) in shark(file, within, "ipv6.plen")]
    span_s = end_s - begin_s
    malformed = len(shark(file, "babel && _ws.malformed", "frame.number"))
    return len(lengths) / span_s, sum(40 + length for length in lengths) / span_s, malformed


def shark(file: Path, keep: str, *fields: str) -> list[list[str]]:
    """The fields of the packets to keep."""
    words = [word for name in fields for word in ("-e", name)]
    command = ["tshark", "-r", str(file), "-Y", keep, "-T", "fields", *words]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in told.splitlines()]


def measure(shape: str, kind: str, daemon: str, begin_s: float, seed: int) -> None:
    """Print what one run shows."""
    nodes = SIDE[shape] ** 2 if shape in SIDE else 9
    routers = {"ours": [], "theirs": [*range(nodes)], "mixed": [*range(0, nodes, 2)]}[kind]
    cuts = [*zip(CUT_S, (1, SIDE[shape]), strict=True)] if shape in SIDE else []
    folder = Path(tempfile.mkdtemp(prefix="mixed"))
    capture = folder / "run.pcapng"
    seconds = SECONDS[shape]
    scheme = "none" if kind == "theirs" else "babel"
    scenario = {
        "duration_s": seconds + 10, "topology": SHAPES[shape], "routing": {"scheme": scheme},
    }  # fmt: skip
    options: dict[str, Any] = {"pcap": Pcap(capture), "seed": seed}
    with Network(scenario, routers=routers if kind == "mixed" else (), **options) as net:
        for node in routers:
            start(daemon, net[node], folder, "-C", "default type wireless")
        started = net.now_s
        # One after the other: a ping that began before there was a way may never find it.
        far = net[nodes - 1].address
        ping = f"while true; do ping -c 10 -i 0.2 -W 1 {far}; done"
        replies: list[float] = []
        net.start(0, ping, lambda _, line: replies.append(net.now_s) if "time=" in line else None)
        for at_s, neighbour in cuts:
            net.sleep(at_s - net.now_s)
            net.cut(0, neighbour)
            net.sleep(at_s + 40 - net.now_s)
            net.restore(0, neighbour)
        net.sleep(seconds - 2 - net.now_s)
        found = next_hops(net, nodes, routers)
    wrong = [
        (a, b, by)
        for (a, b), by in found.items()
        if hops(shape, a, by) != 1 or hops(shape, by, b) != hops(shape, a, b) - 1
    ]
    gaps = [after - before for before, after in itertools.pairwise(replies)]
    packets, size, malformed = control(capture, begin_s, 60 if cuts else seconds - 5)
    if not replies:
        raise SystemExit(f"{shape} {kind}: no reply has come")
    lateness = net.result.json["emulation"]["lateness"]
    late = lateness["late_share"] if lateness else 0.0
    print(
        f"{shape} {kind} {daemon}: first reply {replies[0] - started:.1f} s, longest silence "
        f"after {max(gaps, default=0):.1f} s, {len(replies)} replies; "
        f"control {packets:.2f} packets/s, {size:.0f} B/s, {malformed} malformed; "
        f"{len(found)} of {(nodes - 1) * len(routers)} kernel routes, "
        f"{len(wrong)} not on a shortest path {wrong[:4]}; {100 * late:.1f} % of frames late"
    )


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="grid")
    parser.add_argument("--kind", choices=["ours", "theirs", "mixed"], default="mixed")
    parser.add_argument("--daemon", choices=["babeld", "bird"], default="babeld")
    parser.add_argument("--from", dest="begin_s", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    measure(given.shape, given.kind, given.daemon, given.begin_s, given.seed)


if __name__ == "__main__":
    main()
