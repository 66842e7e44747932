"""Our Babel, babeld, bird and halves of each in one grid for ten minutes, with links cut in turn.

    python -m evidence.emulation.ten_minutes ours+babeld

Nodes run the routers named, in turn. Each node pings all others, one a second, so that every pair
is tried each quarter of a minute. Each minute a link is cut for half of it. tshark reads the
capture: malformed packets, control traffic, and pings that passed a node twice. Needs root, the
daemons and tshark.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from evidence.emulation.babel import start
from evidence.emulation.mixed import SHAPES, SIDE, control, hops, next_hops
from multihop.emulation import Network
from multihop.pcap import Pcap

SHAPE = "grid-4"
NODES = SIDE[SHAPE] ** 2
SECONDS = 600
SETTLED_S = 60.0
"""Links are cut and traffic is counted from here on."""


def link(choice: random.Random) -> tuple[int, int]:
    """Two neighbours of the grid."""
    pairs = [(a, b) for a in range(NODES) for b in range(a) if hops(SHAPE, a, b) == 1]
    return choice.choice(pairs)


def twice(capture: Path) -> dict[int, list[float]]:
    """When a ping's packet was sent by a node for the second time, by destination."""
    fields = ["frame.time_relative", "frame.interface_id", "ip.src", "ip.dst", "icmp.ident",
              "icmp.seq", "icmp.type"]  # fmt: skip
    keep = "(icmp.type==8 || icmp.type==0) && frame.packet_flags_direction==2 && wlan.fc.retry==0"
    words = [word for name in fields for word in ("-e", name)]
    command = ["tshark", "-r", str(capture), "-Y", keep, "-T", "fields", *words]
    passed: Counter[tuple[str, ...]] = Counter()
    found = defaultdict(list)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in told.splitlines():
        at_s, *packet = line.split("\t")
        passed[tuple(packet)] += 1
        if passed[tuple(packet)] == 2:
            found[int(packet[2].rsplit(".", 1)[1]) - 1].append(float(at_s))
    return found


def measure(kinds: list[str], seed: int) -> None:
    """Print what one run shows."""
    runs = {node: kinds[node % len(kinds)] for node in range(NODES)}
    if len(kinds) == 2:
        # A chequered grid: all neighbours of a node run the other one.
        runs = {k: kinds[(k + k // SIDE[SHAPE]) % 2] for k in range(NODES)}
    routers = [node for node, kind in runs.items() if kind != "ours"]
    folder = Path(tempfile.mkdtemp(prefix="minutes"))
    capture = folder / "run.pcapng"
    scheme = "babel" if "ours" in kinds else "none"
    scenario = {
        "duration_s": SECONDS + 10, "topology": SHAPES[SHAPE], "routing": {"scheme": scheme},
    }  # fmt: skip
    options: dict[str, Any] = {"pcap": Pcap(capture), "seed": seed}
    answers: Counter[str] = Counter()
    choice = random.Random(seed)
    with Network(scenario, routers=routers if scheme == "babel" else (), **options) as net:
        for node in routers:
            start(runs[node], net[node], folder, "-C", "default type wireless")
        for node in range(NODES):
            others = " ".join(net[(node + k) % NODES].address for k in range(1, NODES))
            each = "ping -c 1 -W 1 $to | grep -q time= && echo yes || echo no; sleep 1"
            command = f"sleep 0.0{node}; while true; do for to in {others}; do {each}; done; done"

            def tell(_: int, line: str) -> None:
                if net.now_s > SETTLED_S:
                    answers[line] += 1

            net.start(node, command, tell)
        for minute in range(int(SETTLED_S), SECONDS - 30, 60):
            net.sleep(minute - net.now_s)
            cut = link(choice)
            net.cut(*cut)
            net.sleep(minute + 30 - net.now_s)
            net.restore(*cut)
        net.sleep(SECONDS - 2 - net.now_s)
        found = next_hops(net, NODES, routers)
    wrong = [(a, b) for (a, b), by in found.items() if hops(SHAPE, by, b) != hops(SHAPE, a, b) - 1]
    packets, size, malformed = control(capture, SETTLED_S, SECONDS)
    loops = {to: [round(at_s) for at_s in times] for to, times in twice(capture).items()}
    report = net.result.json["schemes"].get("babel", {})
    print(
        f"{'+'.join(kinds)}: {malformed} malformed by tshark, {report.get('malformed')} by ours; "
        f"control {packets:.2f} packets/s, {size:.0f} B/s; "
        f"pings answered {answers['yes']} of {answers.total()}; "
        f"{len(found)} of {(NODES - 1) * len(routers)} kernel routes, "
        f"{len(wrong)} not on a shortest path {wrong[:4]}; passed a node twice, by destination: "
        f"{loops}; lateness {net.result.json['emulation']['lateness']}; {capture}"
    )


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", help="ours, babeld, bird, or some of them: ours+babeld")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    measure(given.kinds.split("+"), given.seed)


if __name__ == "__main__":
    main()
