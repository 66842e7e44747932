"""babeld and our Babel in one mesh: needs root and /dev/net/tun, and says so where skipped."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from multihop.emulation import EmulationError, Network

pytestmark = pytest.mark.needs("emulation", "babeld")

PING = [sys.executable, str(Path(__file__).with_name("pinger.py"))]
HELLO_S = 1


def chain(hops: int) -> dict[str, Any]:
    return {
        "duration_s": 60,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "routing": {"scheme": "babel", "hello_interval_s": HELLO_S},
    }


def next_hops(net: Network, node: int) -> dict[str, str]:
    """Those of the host routes that babeld has given its kernel."""
    routes = net[node].run(["ip", "-4", "route", "show", "proto", "babel"]).stdout
    words = [line.split() for line in routes.splitlines()]
    return {line[0]: line[line.index("via") + 1] for line in words if "via" in line}


@pytest.mark.parametrize("real", [[1, 3], [0, 1], [2, 3, 4]], ids=str)
def test_babeld_and_ours_are_neighbours_and_route_through_each_other(
    real: list[int], tmp_path: Path
) -> None:
    hops = max(3, *real)
    said: list[str] = []
    with Network(chain(hops), routers=real) as net:
        for node in real:
            files = [str(tmp_path / f"{node}.{kind}") for kind in ("pid", "state")]
            kind = ["-h", str(HELLO_S), "-C", "default type wireless"]
            command = ["babeld", *kind, "-I", files[0], "-S", files[1], "mesh0"]
            net.start(node, command, lambda _, line: said.append(line))
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
            found = {node: next_hops(net, node) for node in real}
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
    # Every node of ours has a way to every other, in IPv4 and in IPv6.
    assert report["routes_selected"] == 2 * (hops + 1 - len(real)) * hops


def test_a_router_is_a_node_with_a_device_in_a_mesh_that_routes() -> None:
    with pytest.raises(EmulationError, match="a router needs a device, and node 2 has none"):
        Network(chain(3), nodes=[0, 1], routers=[2])
    none = chain(3) | {"routing": {"scheme": "none"}}
    with pytest.raises(EmulationError, match="every node is a router"):
        Network(none, routers=[1])
