"""babeld or bird and our Babel in one mesh: needs root and /dev/net/tun, or says so and skips."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from multihop.emulation import EmulationError, Network, Node

pytestmark = pytest.mark.needs("emulation")

PING = [sys.executable, str(Path(__file__).with_name("pinger.py"))]
HELLO_S = 1
BIRD = """
router id {address};
protocol device {{ }}
protocol static {{ ipv4; route {address}/32 via "lo"; }}
protocol kernel {{ ipv4 {{ export where source = RTS_BABEL; }}; }}
protocol babel {{
    ipv4 {{ import all; export all; }};
    interface "mesh0" {{ type wireless; hello interval 1 s; update interval 4 s; }};
}}
"""
MESHES = [
    *(pytest.param("babeld", real, marks=pytest.mark.needs("babeld"), id=f"babeld {real}")
      for real in ([1, 3], [0, 1], [2, 3, 4])),
    *(pytest.param(
        "bird", real, id=f"bird {real}",
        marks=[pytest.mark.needs("bird"), pytest.mark.slow("half a minute of real time")],
      ) for real in ([1, 3], [0, 1])),
]  # fmt: skip


def chain(hops: int) -> dict[str, Any]:
    return {
        "duration_s": 60,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "routing": {"scheme": "babel", "hello_interval_s": HELLO_S},
    }


def command(daemon: str, node: Node, folder: Path) -> list[str]:
    """What starts the daemon on a node, with files of its own."""
    files = [str(folder / f"{node.number}.{kind}") for kind in ("pid", "state")]
    if daemon == "babeld":
        kind = ["-h", str(HELLO_S), "-C", "default type wireless"]
        return ["babeld", *kind, "-I", files[0], "-S", files[1], "mesh0"]
    config = folder / f"{node.number}.conf"
    config.write_text(BIRD.format(address=node.address), encoding="ascii")
    return ["bird", "-f", "-c", str(config), "-s", files[0]]


def next_hops(net: Network, node: int, daemon: str) -> dict[str, str]:
    """Those of the host routes that the daemon has given its kernel."""
    proto = {"babeld": "babel", "bird": "bird"}[daemon]
    routes = net[node].run(["ip", "-4", "route", "show", "proto", proto]).stdout
    words = [line.split() for line in routes.splitlines()]
    return {line[0]: line[line.index("via") + 1] for line in words if "via" in line}


@pytest.mark.parametrize(("daemon", "real"), MESHES)
def test_a_daemon_and_ours_are_neighbours_and_route_through_each_other(
    daemon: str, real: list[int], tmp_path: Path
) -> None:
    hops = max(3, *real)
    said: list[str] = []
    with Network(chain(hops), routers=real) as net:
        for node in real:
            net.start(node, command(daemon, net[node], tmp_path), lambda _, line: said.append(line))
        # In a chain the next hop is the next node.
        nodes = range(hops + 1)
        expected = {
            node: {
                net[to].address: net[node + (1 if to > node else -1)].address
                for to in nodes
                if to != node
            }
            for node in real
        }
        until = time.monotonic() + 40
        while time.monotonic() < until:
            found = {node: next_hops(net, node, daemon) for node in real}
            if found == expected:
                break
            net.sleep(0.5)
        assert found == expected
        net.sleep(5)  # an Update interval: what was lost comes again
        there = net[0].run([*PING, net[hops].address, "--count", "5"])
        back = net[hops].run([*PING, net[0].address, "--count", "5"])
    assert there.stdout.count("time=") >= 4, there.stdout
    assert back.stdout.count("time=") >= 4, back.stdout
    report = net.result.json["schemes"]["babel"]
    assert report["malformed"] == 0
    # Every node of ours has a route to every other, and in IPv6, which bird is not told of, to
    # those that no bird is between.
    ours = [node for node in nodes if node not in real]
    near = sum(abs(a - b) == 1 for a in ours for b in ours)
    ipv6 = len(ours) * hops if daemon == "babeld" else near
    assert report["routes_selected"] == len(ours) * hops + ipv6


def test_a_router_is_a_node_with_a_device_in_a_mesh_that_routes() -> None:
    with pytest.raises(EmulationError, match="a router needs a device, and node 2 has none"):
        Network(chain(3), nodes=[0, 1], routers=[2])
    none = chain(3) | {"routing": {"scheme": "none"}}
    with pytest.raises(EmulationError, match="every node is a router"):
        Network(none, routers=[1])
