"""Who hears whom, as Python gets it from the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multihop
from multihop import engine, hearing

GAINS = [[0, 1, -90], [1, 0, -101.9], [0, 2, -102.1], [2, 0, -119.9], [0, 3, -120.5]]
"""dB. With 20 dBm, signals from -82 dBm on are noticed, and from -100 dBm on count."""


def chain(hops: int, spacing_m: float = 200, **keys: Any) -> dict[str, Any]:
    return {
        "duration_s": 10,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": spacing_m},
        "flows": [{"kind": "ftp", "source": 0, "destination": hops}],
        **keys,
    }


def pairs(matrix: np.ndarray) -> set[tuple[int, int]]:
    return {(int(a), int(b)) for a, b in np.argwhere(matrix)}


def test_by_threshold_reach_is_a_matter_of_distance() -> None:
    heard = hearing.of(multihop.run(chain(3)))
    assert (heard.nodes, heard.moves, heard.by_distance, heard.has_power) == (4, False, True, True)
    assert heard.ways == [[(0.0, 200.0 * k, 0.0)] for k in range(4)]
    links = heard.at(0)
    near = {(a, b) for a in range(4) for b in range(4) if abs(a - b) == 1}
    assert pairs(links.matrix("decodes")) == pairs(links.matrix("carries")) == near
    far = {(a, b) for a in range(4) for b in range(4) if abs(a - b) == 2}
    assert pairs(links.matrix("senses")) == pairs(links.matrix("counts")) == near | far
    # Two-ray ground beyond 86 m: 1.5 m squared over d squared, of 281.8 mW.
    assert links.power_dbm()[0, 1] == pytest.approx(24.5 + 20 * np.log10(1.5**2 / 200**2), abs=0.01)
    assert links.power_dbm()[0, 3] == -np.inf


def test_measured_links_differ_each_way_and_need_not_be_sensed() -> None:
    scenario = chain(
        3,
        radio={
            "reception": "sinr",
            "propagation": "measured",
            "transmit_power_dbm": 20,
            "gains_db": GAINS,
        },
        mac={"phy": "802.11a", "data_rate_bps": 54e6},
    )
    heard = hearing.of_scenario(scenario)
    links = heard.at(0)
    assert not heard.by_distance
    assert pairs(links.matrix("counts")) == {(0, 1), (1, 0), (0, 2), (2, 0)}
    assert pairs(links.matrix("senses")) == pairs(links.matrix("decodes")) == {(0, 1), (1, 0)}
    assert pairs(links.matrix("carries")) == {(0, 1)}, "-81.9 dBm are too little for 54 Mbit/s"
    assert links.power_dbm()[1, 0] == pytest.approx(-81.9, abs=1e-4)


def test_links_that_are_named_have_no_power() -> None:
    topology = {"kind": "links", "nodes": 3, "links": [[0, 1]], "sensed": [[1, 2]]}
    heard = hearing.of(multihop.run(chain(2, topology=topology)))
    links = heard.at(0)
    assert not heard.has_power
    assert not heard.by_distance
    assert np.isnan(links.mean_power_dbm).all()
    assert pairs(links.matrix("decodes")) == {(0, 1), (1, 0)}
    assert pairs(links.matrix("senses")) == {(0, 1), (1, 0), (1, 2), (2, 1)}


def test_events_change_it_from_their_instant_on() -> None:
    events = [
        {"kind": "node-restore", "node": 1, "at_s": 5},
        {"kind": "node-kill", "node": 1, "at_s": 2},
        {"kind": "link-cut", "node": 2, "neighbour": 1, "at_s": 7},
    ]
    heard = hearing.of(multihop.run(chain(2, events=events)))
    assert heard.changes_ns == [2_000_000_000, 5_000_000_000, 7_000_000_000]
    whole = {(0, 1), (1, 0), (1, 2), (2, 1)}
    states = [(7.5, {(0, 1), (1, 0)}), (2, set()), (1.9, whole), (4.9, set()), (5, whole)]
    for time_s, expected in states:
        assert pairs(heard.at(round(time_s * 1e9)).matrix("decodes")) == expected, time_s


def moving(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "ways.tcl"
    file.write_text('$ns_ at 1.0 "$node_(1) setdest 400.0 1.0 100.0"\n')
    topology = {"kind": "positions", "positions_m": [[0, 1], [200, 1]]}
    mobility = {"kind": "setdest", "file": str(file)}
    return chain(1, topology=topology, mobility=mobility)


def test_a_node_with_an_empty_battery_is_heard_no_more() -> None:
    events = [{"kind": "node-restore", "node": 2, "at_s": 8}]
    run = multihop.run(
        chain(2, radio={"energy": {"idle_w": 1, "battery_j": [99, 99, 5]}}, events=events)
    )
    (empty_s,) = [node["empty_at_s"] for node in run.json["energy"] if "empty_at_s" in node]
    assert 3 < empty_s < 8, "before it is restored"
    heard = hearing.of(run)
    near = {(0, 1), (1, 0)}
    assert pairs(heard.at(round((empty_s - 0.01) * 1e9)).matrix("decodes")) == near | {
        (1, 2),
        (2, 1),
    }
    for at_s in (empty_s + 0.01, 9.0):  # a node that is restored has no new battery
        assert pairs(heard.at(round(at_s * 1e9)).matrix("decodes")) == near


def test_nodes_that_move_come_out_of_reach(tmp_path: Path) -> None:
    heard = hearing.of(multihop.run(moving(tmp_path)))
    assert heard.moves
    assert heard.ways[0] == [(0.0, 0.0, 1.0)]
    assert heard.positions_m(2_000_000_000).tolist() == [[0, 1], [300, 1]]
    reached = [len(heard.at(round(at_s * 1e9)).decodes.nonzero()[0]) for at_s in (1.4, 1.6, 1.4)]
    assert reached == [2, 0, 2]


def test_recorded_ways_do_without_the_file(tmp_path: Path) -> None:
    scenario = moving(tmp_path)
    plain, recorded = (
        multihop.run(scenario),
        multihop.run(scenario, record=multihop.Recording(routes_interval_s=1.0)),
    )
    before = hearing.of(recorded).at(1_400_000_000)
    (tmp_path / "ways.tcl").unlink()
    after = hearing.of(recorded).at(1_400_000_000)
    assert after.decodes.tolist() == before.decodes.tolist() == [True, True]
    with pytest.raises(multihop.ScenarioError, match=r"mobility\.file"):
        hearing.of(plain)


@pytest.mark.parametrize(
    "ways",
    [
        [],
        [[(0.0, 0.0, 0.0)]],
        [[], []],
        [[(0.0, float("nan"), 0.0)]] * 2,
        [[(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]] * 2,
    ],
)
def test_ways_that_are_none_are_refused(ways: Any) -> None:
    text = engine.to_json(chain(1))
    with pytest.raises(multihop.ScenarioError, match=r"^movement"):
        engine.hearing(text, syntax="json", ways=ways)
