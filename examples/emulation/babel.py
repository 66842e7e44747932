"""Babel on thirty nodes: how long it takes to converge, and to go around a relay that is killed.

    sudo multihop emulate examples/emulation/grid-30.toml --script examples/emulation/babel.py

Takes the daemon from the environment: DAEMON=babeld (default) or DAEMON=bird.
"""

import itertools
import os
import tempfile
import time
from pathlib import Path

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


def start(node, folder):
    """Start the daemon on a node."""
    if os.environ.get("DAEMON", "babeld") == "bird":
        config = folder / f"{node.number}.conf"
        config.write_text(BIRD.format(address=node.address))
        return node.popen(["bird", "-f", "-c", config, "-s", folder / f"{node.number}.ctl"])
    return node.popen(
        [
            "babeld",
            "-I",
            folder / f"{node.number}.pid",
            "-S",
            folder / f"{node.number}.state",
            "mesh0",
        ],
        stderr=-3,
    )


def next_hops(alive):
    """Next hop by node and destination, of the host routes in the kernels."""
    found = {}
    for node in alive:
        for line in node.run(["ip", "-4", "route", "show"]).stdout.splitlines():
            words = line.split()
            if "via" in words and "/" not in words[0] and words[0] != "default":
                found[node.address, words[0]] = words[words.index("via") + 1]
    return found


def route(hops, source, destination):
    """The nodes from one to another as the routes have it; None if they end or go round."""
    at, seen = source, [source]
    while at != destination:
        # A neighbour without a route of its own is on the link.
        at = hops.get((at, destination))
        if at is None or at in seen:
            return None
        seen.append(at)
    return seen


def until_all_reach(alive, limit_s):
    """Wait until every node has a route to every other. Returns how long it took in seconds."""
    begun = time.monotonic()
    while time.monotonic() - begun < limit_s:
        hops = next_hops(alive)
        pairs = [(a.address, b.address) for a in alive for b in alive if a is not b]
        broken = sum(route(hops, *pair) is None for pair in pairs)
        if broken == 0:
            return time.monotonic() - begun
        time.sleep(0.5)
    raise SystemExit(f"{broken} of {len(pairs)} routes are missing after {limit_s} s")


nodes = [net[k] for k in range(len(net))]
folder = Path(tempfile.mkdtemp())
for node in nodes:
    start(node, folder)
print(f"converged after {until_all_reach(nodes, 200):.1f} s")

corner, opposite = nodes[0], nodes[-1]
hops = next_hops(nodes)
path = route(hops, corner.address, opposite.address)
relay = next(node for node in nodes if node.address == path[len(path) // 2])
print(f"from {corner.address} to {opposite.address}: {' '.join(path)}")
ping = corner.popen(
    ["ping", "-D", "-i", "0.2", "-w", "100", opposite.address], stdout=-1, text=True
)
time.sleep(5)
killed = time.time()
net.kill(relay.number)
print(f"killed the relay {relay.address}")
replies = []
for line in ping.stdout:
    if line.startswith("[") and "time=" in line:
        replies.append(float(line[1:].split("]")[0]))
        if replies[-1] > killed + 3 and len(replies) > 1 and replies[-1] - replies[-2] < 0.5:
            break
ping.kill()
gaps = [(b - a, b) for a, b in itertools.pairwise(replies) if b > killed]
if not gaps:
    raise SystemExit("no reply has come since")
gap, until = max(gaps)
print(f"replies stopped for {gap:.1f} s, until {until - killed:.1f} s after it was killed")
alive = [node for node in nodes if node is not relay]
after = route(next_hops(alive), corner.address, opposite.address)
print(f"now {' '.join(after) if after else 'no route yet'}")
