"""Babel on thirty nodes, ten of which move: reachability over time, and loops among the routes.

    python -m evidence.emulation.babel --daemon babeld --seconds 240
    python -m evidence.emulation.babel --daemon bird --still

Once a second the kernels' routes of all nodes are read, and followed from each node to each other:
a route ends at its destination, ends nowhere, or goes round. Nodes are read one after the other,
within tens of milliseconds, so that a loop that is seen may be of two moments: such that are still
there at a second look, which follows at once, are told apart. Without movement (`--still`) a relay
in the middle is killed instead. Needs root, and babeld or bird.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from multihop.emulation import Network, Node

COLUMNS, ROWS, SPACING_M = 6, 5, 150
MOVING = 10
SPEED_MPS = 1.5
SETTLED_S = 60.0
"""Movement and routes are judged from here on."""

BIRD = """
log stderr {{ error, bug }};
router id {address};
protocol device {{ }}
protocol static own {{ ipv4; route {address}/32 via "lo"; }}
protocol kernel {{ ipv4 {{ export where source = RTS_BABEL; }}; }}
protocol babel {{
    ipv4 {{ import all; export all; }};
    interface "mesh0" {{ type wireless; }};
}}
"""

Hops = dict[tuple[int, int], int]
"""Next hop by node and destination."""


def scenario(seconds: float, *, still: bool) -> dict[str, Any]:
    """Thirty nodes in a grid; without `still`, every third of them moves."""
    width, height = (COLUMNS - 1) * SPACING_M, (ROWS - 1) * SPACING_M
    made: dict[str, Any] = {
        "duration_s": seconds + 10,
        "topology": {
            "kind": "grid", "columns": COLUMNS, "rows": ROWS, "spacing_m": SPACING_M,
        },
        "routing": {"scheme": "none"},
    }  # fmt: skip
    if not still:
        movers = range(1, 3 * MOVING, 3)
        made["mobility"] = {
            "kind": "random-waypoint",
            "speed_mps": [SPEED_MPS, SPEED_MPS + 0.1],
            "pause_s": 0,
            "area_m": [width, height],
            "fixed_nodes": [node for node in range(COLUMNS * ROWS) if node not in movers],
        }
    return made


def start(daemon: str, node: Node, folder: Path, *options: str) -> None:
    """Start the daemon on a node, with files of its own; babeld with these options."""
    if daemon == "bird":
        config = folder / f"{node.number}.conf"
        config.write_text(BIRD.format(address=node.address), encoding="ascii")
        words = ["bird", "-f", "-c", str(config), "-s", str(folder / f"{node.number}.ctl")]
    else:
        pid, state = (folder / f"{node.number}.{kind}" for kind in ("pid", "state"))
        words = ["babeld", *options, "-I", str(pid), "-S", str(state), "mesh0"]
    node.popen(words, stderr=subprocess.DEVNULL)


@dataclass
class Look:
    """What the routes were at a moment, from every living node to every other."""

    at_s: float
    whole: int = 0
    absent: int = 0
    loops: set[frozenset[int]] = field(default_factory=set)
    """The nodes of each loop, by destination: (destination, *nodes)."""


def next_hops(alive: list[Node], pool: ThreadPoolExecutor) -> Hops:
    """The host routes in the kernels."""
    numbers = {node.address: node.number for node in alive}

    def of(node: Node) -> Hops:
        found: Hops = {}
        for line in node.run(["ip", "-4", "route", "show"]).stdout.splitlines():
            words = line.split()
            if "via" in words and words[0] in numbers:
                by = numbers.get(words[words.index("via") + 1])
                if by is not None:
                    found[node.number, numbers[words[0]]] = by
            elif "dev" in words and words[0] in numbers and "scope" in words:
                found[node.number, numbers[words[0]]] = numbers[words[0]]
        return found

    return {key: value for hops in pool.map(of, alive) for key, value in hops.items()}


def look(at_s: float, alive: list[Node], hops: Hops) -> Look:
    """Follow the routes from each node to each other."""
    seen = Look(at_s)
    numbers = [node.number for node in alive]
    for destination in numbers:
        for source in numbers:
            if source == destination:
                continue
            at, path = source, [source]
            while at != destination:
                by = hops.get((at, destination))
                if by is None:
                    seen.absent += 1
                    break
                if by in path:
                    seen.loops.add(frozenset([-destination - 1, *path[path.index(by) :]]))
                    break
                path.append(by)
                at = by
            else:
                seen.whole += 1
    return seen


def measure(daemon: str, seconds: float, seed: int, *, still: bool) -> None:
    """Print reachability, pings and loops."""
    looks: list[Look] = []
    lasting: Counter[frozenset[int]] = Counter()
    killed: float | None = None
    folder = Path(tempfile.mkdtemp(prefix="babel"))
    with Network(scenario(seconds, still=still), seed=seed) as net, ThreadPoolExecutor(4) as pool:
        alive = [net[node] for node in range(len(net))]
        for node in alive:
            start(daemon, node, folder)
        pairs = [(0, len(net) - 1), (COLUMNS - 1, len(net) - COLUMNS)]
        pings = [
            net[a].popen(
                ["ping", "-n", "-i", "0.2", "-W", "1", net[b].address],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )
            for a, b in pairs
        ]  # fmt: skip
        while net.now_s < seconds and not net.is_over:
            begun = net.now_s
            if still and killed is None and begun > seconds / 2:
                relay = alive[(ROWS // 2) * COLUMNS + COLUMNS // 2]
                net.kill(relay.number)
                alive.remove(relay)
                killed = begun
            seen = look(begun, alive, next_hops(alive, pool))
            if seen.loops:
                again = look(net.now_s, alive, next_hops(alive, pool))
                for loop in seen.loops & again.loops:
                    lasting[loop] += 1
            looks.append(seen)
            net.sleep(max(0.0, 1.0 - (net.now_s - begun)))
        for ping in pings:
            ping.send_signal(2)
        answers = [ping.communicate(timeout=10)[0].splitlines() for ping in pings]
    late = (net.result.emulation or {})["lateness"]
    say(daemon, looks, lasting, killed)
    for (a, b), lines in zip(pairs, answers, strict=True):
        told = next((line for line in lines if "packets transmitted" in line), "no summary")
        print(f"  ping {a} to {b}: {told}")
    print(
        f"  late {1e3 * late['p50_s']:.3f} (median), {1e3 * late['p99_s']:.3f} ms (99 %); "
        f"load {os.getloadavg()[0]:.1f}"
    )


def say(
    daemon: str, looks: list[Look], lasting: Counter[frozenset[int]], killed: float | None
) -> None:
    """Print what the looks have found."""
    all_of = [look.whole + look.absent + len(look.loops) for look in looks]
    converged = next((look.at_s for look in looks if not look.absent and not look.loops), None)
    after = [look for look in looks if look.at_s >= SETTLED_S]
    shares = [look.whole / most for look, most in zip(looks, all_of, strict=True)
              if look.at_s >= SETTLED_S and most]  # fmt: skip
    loops = Counter(loop for look in looks for loop in look.loops)
    with_loops = sum(bool(look.loops) for look in looks)
    settled = converged and round(converged, 1)
    print(f"{daemon}: all routes first at {settled} s; {len(looks)} looks")
    print(
        f"  routes from {SETTLED_S:.0f} s on: {100 * statistics.mean(shares):.2f} % in the mean, "
        f"{100 * min(shares):.1f} % at worst, all in {sum(s == 1 for s in shares)} of {len(after)}"
    )
    longest = max((run for loop in loops for run in runs(loop, looks)), default=0)
    print(
        f"  looks with a loop: {with_loops}; loops {len(loops)}, of them there at the second look "
        f"{len(lasting)}; the longest in {longest} looks in a row"
    )
    for loop in loops:
        (destination,) = (-node - 1 for node in loop if node < 0)
        times = [f"{look.at_s:.0f}" for look in looks if loop in look.loops]
        nodes = sorted(node for node in loop if node >= 0)
        print(f"    loop of {nodes} for {destination} at {' '.join(times)} s")
    if killed is not None:
        back = next(
            (look.at_s for look in looks if look.at_s > killed + 1 and not look.absent), None
        )
        print(f"  relay killed at {killed:.1f} s; no route missing again at {back}")
    step = max(1, len(looks) // 24)
    for look in looks[::step]:
        print(
            f"    {look.at_s:6.1f} s  {look.whole} routes, {look.absent} absent, "
            f"{len(look.loops)} loops"
        )


def runs(loop: frozenset[int], looks: list[Look]) -> list[int]:
    """In how many looks in a row a loop was there, each time."""
    found, length = [], 0
    for look in looks:
        length = length + 1 if loop in look.loops else 0
        found.append(length)
    return found


def main() -> None:
    """Measure one run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", choices=["babeld", "bird"], default="babeld")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--still", action="store_true", help="kill a relay instead of moving nodes")
    asked = parser.parse_args()
    measure(asked.daemon, asked.seconds, asked.seed, still=asked.still)


if __name__ == "__main__":
    main()
