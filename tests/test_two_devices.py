"""Nodes with two radios each run babeld on both: needs root and /dev/net/tun, or skips."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop.emulation import Network

PING = [sys.executable, str(Path(__file__).with_name("pinger.py"))]
pytestmark = pytest.mark.needs("emulation")


def street() -> dict[str, Any]:
    """Two pairs of nodes 100 m apart on channel 1, which reaches 150 m, and the hop between them.

    That is of 200 m on channel 6, between nodes that have both channels.
    """
    return {
        "duration_s": 60,
        "topology": {
            "kind": "positions", "positions_m": [[0, 0], [100, 0], [300, 0], [400, 0]]
        },
        "routing": {"scheme": "none"},
        "interfaces": [
            {"name": "near", "channel": 1, "radio": {"receive_range_m": 150}},
            {"name": "far", "channel": 6, "nodes": [1, 2]},
        ],
    }  # fmt: skip


def test_a_node_has_a_device_and_an_address_for_each_interface() -> None:
    with Network(street()) as net:
        assert [device.interface for device in net[1].devices] == ["near", "far"]
        assert [device.name for device in net[1].devices] == ["mesh0", "mesh1"]
        assert [device.ipv4 for device in net[1].devices] == ["10.0.0.2", "10.1.0.2"]
        assert [len(net[node].devices) for node in range(4)] == [1, 2, 2, 1]
        shown = net[2].run(["ip", "-br", "addr", "show", "dev", "mesh1"]).stdout
        assert "10.1.0.3/16" in shown
        assert "fd00:1::3/64" in shown
        # A neighbour on each channel, and nobody who has it not.
        assert net[1].run([*PING, "10.0.0.1", "--count", "3"]).returncode == 0
        assert net[1].run([*PING, "10.1.0.3", "--count", "3"]).returncode == 0
        assert net[1].run([*PING, "10.0.0.3", "--count", "1"]).returncode != 0


@pytest.mark.needs("babeld")
def test_babeld_on_both_devices_joins_the_channels(tmp_path: Path) -> None:
    with Network(street(), events=True) as net:
        for number in range(4):
            files = [str(tmp_path / f"{number}.{kind}") for kind in ("pid", "state")]
            names = [device.name for device in net[number].devices]
            command = ["babeld", "-h", "1", "-C", "default type wireless", "-I", files[0]]
            net.start(number, [*command, "-S", files[1], *names], lambda *_: None)
        until = time.monotonic() + 40
        while time.monotonic() < until:
            done = net[0].run([*PING, "10.0.0.4", "--count", "3"])
            if done.returncode == 0:
                break
            net.sleep(1)
        assert done.returncode == 0, done.stdout
        routes = net[1].run(["ip", "-4", "route", "show", "proto", "babel"]).stdout
        assert "10.0.0.4 via 10.1.0.3 dev mesh1" in routes
    hops = data_hops(net)
    assert hops >= {(0, 1, 0), (1, 2, 1), (2, 3, 0), (3, 2, 0), (2, 1, 1), (1, 0, 0)}
    assert not {hop for hop in hops if hop[2] != int({hop[0], hop[1]} == {1, 2})}


def data_hops(net: Network) -> set[tuple[int, int, int]]:
    """From, to and interface of each hop of a unicast data frame."""
    sent = net.result.events.to_dicts()
    return {
        (row["node"], row["peer"], row["interface"])
        for row in sent
        if row["event"] == "transmit" and row["kind"] == "data" and row["peer"] is not None
    }


def test_with_routing_below_a_node_has_one_radio() -> None:
    given = {**street(), "routing": {"scheme": "babel"}}
    with pytest.raises(multihop.ScenarioError, match=r'run only with routing\.scheme "none"'):
        Network(given)
