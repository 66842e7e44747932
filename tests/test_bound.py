"""The bound: closed forms, what makes it one, and runs that stay below it."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import multihop
from multihop.bound import bound
from multihop.bound.conflicts import is_cleared, links
from multihop.bound.limits import Limits
from multihop.bound.network import read
from multihop.bound.objectives import Name, plain
from multihop.bound.region import Region
from multihop.bound.schedule import Schedules
from multihop.bound.share import carried_bps, share_of_bound
from multihop.cli import cli
from multihop.engine import Packing

# 1460 bytes and 74 of headers: 192 µs and 1534 bytes at 2 Mbit/s. RTS 352, CTS and ACK 304 µs.
DATA_S = 192e-6 + 8 * 1534 / 2e6
CORE_S = 352e-6 + 10e-6 + 304e-6 + 10e-6 + DATA_S
WHOLE_S = 50e-6 + CORE_S + 10e-6 + 304e-6
BITS = 8 * 1460
SLACK = 0.004
"""More than the gap that is asked for."""


def scenario(positions: Sequence[tuple[float, float]], *ends: tuple[int, int], **keys: Any) -> Any:
    flows = [{"kind": "ftp", "source": a, "destination": b} for a, b in ends]
    return {
        "duration_s": 10,
        "topology": {"kind": "positions", "positions_m": [list(place) for place in positions]},
        "routing": {"scheme": "static"},
        "flows": flows,
        **keys,
    }


def chain(hops: int, spacing_m: float = 200, y_m: float = 0) -> list[tuple[float, float]]:
    return [(spacing_m * k, y_m) for k in range(hops + 1)]


def total(*arguments: Any, **keys: Any) -> float:
    found = bound(scenario(*arguments, **keys), gap=0.003)
    assert -1e-9 <= found.gap <= 0.003 + 1e-9
    assert found.reached <= found.bound * (1 + 1e-9)
    return found.bound


@pytest.mark.parametrize("hops", range(1, 11))
def test_a_chain_uses_a_link_again_three_hops_on(hops: int) -> None:
    """Over one hop and two the nodes' own time counts, then three links in sensing range."""
    if hops == 1:
        expected = BITS / WHOLE_S
    elif hops == 2:
        expected = BITS / (2 * WHOLE_S - 50e-6)  # the relay waits for DIFS once
    else:
        expected = BITS / (3 * CORE_S)
    assert total(chain(hops), (0, hops)) == pytest.approx(expected, rel=SLACK)


def test_links_of_two_pairs_that_all_sense_exclude_each_other() -> None:
    square = [(0.0, 0.0), (200.0, 0.0), (0.0, 200.0), (200.0, 200.0)]
    assert total(square, (0, 1), (2, 3)) == pytest.approx(BITS / CORE_S, rel=SLACK)


def test_a_clique_has_the_time_of_one_link() -> None:
    """Five nodes on a circle: none is so near that it captures another's receiver."""
    angles = 2 * np.pi * np.arange(5) / 5
    circle = [(120 * float(np.cos(a)), 120 * float(np.sin(a))) for a in angles]
    flows = [(0, 2), (1, 3), (2, 4), (3, 0), (4, 1)]
    assert total(circle, *flows) == pytest.approx(BITS / CORE_S, rel=SLACK)
    fair = bound(scenario(circle, *flows), objective="max-min", gap=0.003)
    assert fair.bound == pytest.approx(BITS / (5 * CORE_S), rel=SLACK)


@pytest.mark.parametrize(("apart_m", "strings"), [(100, 1), (600, 2)])
def test_two_strings_share_the_medium_if_they_hear_each_other(apart_m: float, strings: int) -> None:
    both = chain(3) + chain(3, y_m=apart_m)
    expected = strings * BITS / (3 * CORE_S)
    fair = bound(scenario(both, (0, 3), (4, 7)), objective="max-min", gap=0.003)
    assert 2 * fair.bound == pytest.approx(expected, rel=SLACK)


def test_a_ring_has_two_ways() -> None:
    """A hexagon with nodes every 200 m: one way has reuse, both end at one node."""
    corners = [np.exp(2j * np.pi * k / 6) * 600 for k in range(7)]
    places = [a + (b - a) * k / 3 for a, b in itertools.pairwise(corners) for k in range(3)]
    ring = [(float(place.real), float(place.imag)) for place in places]
    one_way = total(chain(9), (0, 9))
    both = total(ring, (0, 9))
    # The source's links exclude each other, as do those that its own neighbours go on with.
    assert one_way < both <= 2 * one_way
    assert both == pytest.approx(BITS / (2 * CORE_S), rel=0.06)


def test_two_flows_that_cross_share_the_middle() -> None:
    across = [(-400.0, 0.0), (-200.0, 0.0), (0.0, 0.0), (200.0, 0.0), (400.0, 0.0)]
    down = [(0.0, 400.0), (0.0, 200.0), (0.0, -200.0), (0.0, -400.0)]
    cross = [*across, *down]
    fair = bound(scenario(cross, (0, 4), (5, 8)), objective="max-min", gap=0.003)
    # Of each flow's four links three need times of their own; none of the other's fits there.
    assert fair.bound == pytest.approx(BITS / (6 * CORE_S), rel=SLACK)
    assert fair.flows[0].rate_bps == pytest.approx(fair.flows[1].rate_bps, rel=SLACK)


def test_objectives_agree_with_hand_calculation_on_a_shared_link() -> None:
    """One flow over two hops, one over the first of them: the source's time is all there is."""
    line, flows = chain(2), [(0, 2), (0, 1)]
    long_s = 2 * WHOLE_S - 50e-6
    # The relay's time binds the long flow with the short one's reception.
    received_s = WHOLE_S - 50e-6
    assert total(line, *flows) == pytest.approx(BITS / WHOLE_S, rel=SLACK)
    fair = bound(scenario(line, *flows), objective="max-min", gap=0.003)
    assert fair.bound == pytest.approx(BITS / (long_s + received_s), rel=SLACK)
    even = bound(scenario(line, *flows), objective="proportional", gap=0.003)
    # Half of the relay's time for each.
    product = np.sqrt((BITS / 2 / long_s) * (BITS / 2 / received_s))
    assert even.bound == pytest.approx(product, rel=SLACK)


def test_max_min_fills_up_what_the_least_leaves() -> None:
    far = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0), (2000.0, 0.0), (2200.0, 0.0)]
    found = bound(scenario(far, (0, 2), (3, 4)), objective="max-min", gap=0.003)
    long_bps, short_bps = (flow.rate_bps for flow in found.flows)
    assert found.bound == pytest.approx(BITS / (2 * WHOLE_S - 50e-6), rel=SLACK)
    assert long_bps == pytest.approx(found.bound, rel=SLACK)
    assert short_bps == pytest.approx(BITS / WHOLE_S, rel=SLACK)


def test_a_curve_goes_from_the_total_to_the_fairest() -> None:
    found = bound(scenario(chain(3), (0, 3), (0, 1)), curve=True, gap=0.003, seconds=8)
    totals = [point.total_bps for point in found.curve]
    assert totals[0] == pytest.approx(found.bound, rel=SLACK)
    assert totals == sorted(totals, reverse=True)
    assert found.curve[-1].jain == pytest.approx(1.0, abs=0.01)
    assert found.curve[0].jain < 0.6


def test_what_is_offered_limits_a_flow() -> None:
    given = scenario(chain(1), (0, 1))
    given["flows"] = [
        {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1000, "rate_bps": 1e5}
    ]
    # 12.5 packets a second for ten seconds, the first of them at once.
    assert bound(given).bound == pytest.approx(126 * 800, rel=1e-6)
    assert multihop.run(given).json["flows"][0]["delivered_bytes"] <= 126 * 1000


def test_flows_without_a_path_get_nothing() -> None:
    found = bound(scenario([(0, 0), (200, 0), (5000, 0)], (0, 1), (0, 2)), objective="max-min")
    assert [flow.rate_bps > 0 for flow in found.flows] == [True, False]


def test_a_rule_that_leaves_more_open_bounds_less() -> None:
    """Without RTS, or by the standard's rules, fewer links exclude each other for certain."""
    places = [(0, 0), (150, 0), (260, 40), (420, 10), (500, 130), (610, 20), (90, 170), (330, 210)]
    given = scenario(places, (0, 5), (6, 7))
    period = read(given).periods[0]
    strict = links(read(given), period).compatible
    for keys in ({"mac": {"rts_threshold_bytes": "inf"}}, {"profile": "standard"}):
        network = read({**given, **keys})
        loose = links(network, period).compatible
        assert is_cleared(read(given))
        assert not is_cleared(network)
        assert (loose | ~strict).all()
        assert loose.sum() > strict.sum()


def test_heaviest_sets_of_an_engine_and_of_all_subsets_agree() -> None:
    draw = np.random.default_rng(3)
    together = np.triu(draw.random((12, 12)) < 0.6, 1)
    together = together | together.T
    weights = draw.random(12)
    links_, weight, most = Packing(12, together.astype(np.uint8).tobytes()).heaviest(
        weights.tolist(), 0.0, 10**6
    )
    subsets = (np.arange(2**12)[:, None] >> np.arange(12)) & 1
    fits = [not (~together[np.ix_(s, s)] & ~np.eye(len(s), dtype=bool)).any()
            for s in (np.flatnonzero(row) for row in subsets)]  # fmt: skip
    expected = (subsets @ weights)[fits].max()
    assert weight == most == pytest.approx(expected)
    assert weights[links_].sum() == pytest.approx(expected)


def test_of_a_ring_of_five_conflicts_two_links_are_in_use_at_once() -> None:
    """Every two neighbours leave half of the time to each, but a schedule has two fifths."""
    apart = (np.arange(5)[:, None] - np.arange(5)) % 5
    compatible = (apart == 2) | (apart == 3)
    packing = Packing(5, np.ascontiguousarray(compatible, dtype=np.uint8).tobytes())
    schedules, limits, halves = Schedules(packing, 5), Limits(compatible), np.full(5, 0.5)
    until = time.monotonic() + 10
    schedules.surround(halves)
    for link in range(5):
        limits.add_group([link])
    assert limits.separate(halves, is_last=True) == 0
    assert (limits.matrix() @ halves).max() == pytest.approx(1.0)
    excess = schedules.excess(halves, until)
    assert excess is not None
    limits.add_weighted(packing, excess.weights, excess.full, np.ones(5))
    assert (limits.matrix() @ halves).max() == pytest.approx(1.25, abs=1e-4)
    assert schedules.excess(np.full(5, 0.4), until) is None


@pytest.mark.slow("solves networks of a hundred nodes")
@pytest.mark.parametrize("objective", ["total", "max-min", "proportional"])
def test_a_hundred_nodes_are_known_within_a_hundredth(objective: Name) -> None:
    flows = 10 if objective == "total" else 3
    given = {
        "duration_s": 105,
        "topology": {"kind": "random", "nodes": 100, "area_m": [1500, 800], "connected": True},
        "routing": {"scheme": "aodv"},
        "flows": [{"kind": "ftp", "source": "random", "destination": "random", "count": flows}],
    }
    found = bound(given, objective=objective, seed=1)
    assert 0 <= found.gap <= 0.01


def test_where_flows_hinder_nobody_their_own_limits_are_all_there_is() -> None:
    given = scenario(chain(1), (0, 1))
    flow = {"kind": "cbr", "source": 0, "destination": 1, "rate_bps": 1e5, "packet_bytes": 1000}
    given["flows"] = [flow]
    network = read(given)
    region = Region(network, network.periods[0])
    found = region.best(plain("total", 1), gap=0.01, seconds=1.0)
    assert found.bound == pytest.approx(126 * 800)
    assert region.highest_share(np.array([1.2 * 126 * 800])) == pytest.approx(1.2)


WORLDS = [
    {},
    {"mac": {"rts_threshold_bytes": "inf"}},
    {"profile": "standard"},
    {"mac": {"phy": "802.11n", "mcs": 4, "aggregate": 16}, "profile": "standard"},
    {"radio": {"capture_db": "inf"}},
    {"radio": {"capture_db": 0}, "transport": {"segment_bytes": 1}},
    {"mac": {"rts_threshold_bytes": 1540}, "transport": {"segment_bytes": 1450}},
]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("seed", range(3))
def test_no_run_is_above_any_limit(world: dict[str, Any], seed: int) -> None:
    draw = np.random.default_rng(seed)
    places = [(float(x), float(y)) for x, y in draw.uniform(0, 700, (12, 2))]
    ends = [tuple(map(int, draw.choice(12, 2, replace=False))) for _ in range(3)]
    given = scenario(places, *ends, **world) | {"duration_s": 4}  # type: ignore[arg-type]
    network = read(given)
    region = Region(network, network.periods[0])
    region.best(plain("total", len(region.served)), gap=0.01, seconds=1.0)
    for routing in ("static", "aodv", "dsr"):
        for transport in ("newreno", "cubic", "tcp-ap"):
            keys = {"routing.scheme": routing, "transport.scheme": transport}
            run = multihop.run(given, set=keys).json
            delivered = [run["flows"][place]["delivered_bytes"] for place in region.served]
            share = region.highest_share(8 * np.array(delivered) / network.span_s)
            assert share < 1.0, (routing, transport, share)


def test_a_saturated_link_comes_near_the_bound() -> None:
    """Backoff and TCP's acknowledgments are what a run lacks."""
    given = scenario(chain(1), (0, 1))
    given["flows"] = [
        {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1460, "rate_bps": 1e7}
    ]
    found = bound(given)
    run = multihop.run(given).json
    backoff_s = 15 * 20e-6
    expected = WHOLE_S / (WHOLE_S + backoff_s)
    assert carried_bps(run, found.span_s) / found.bound == pytest.approx(expected, rel=0.02)


def test_moving_nodes_have_a_bound_each_second(tmp_path: Path) -> None:
    """A destination that drives out of reach."""
    given = scenario(chain(1), (0, 1))
    moves = "\n".join(
        [f"$node_({k}) set {axis}_ {value}" for k, place in enumerate([(1, 1), (201, 1)])
         for axis, value in zip("XYZ", (*place, 0), strict=True)]
        + ['$ns_ at 0.0 "$node_(1) setdest 1201.0 1.0 100.0"']
    )  # fmt: skip
    (tmp_path / "moves.tcl").write_text(moves + "\n")
    given["topology"] = {
        "kind": "setdest", "file": str(tmp_path / "moves.tcl"), "nodes": 2, "area_m": [1500, 10]
    }  # fmt: skip
    found = bound(given)
    # It leaves the range of 250 m after half a second.
    assert found.bound == pytest.approx(BITS / WHOLE_S / 10, rel=SLACK)
    assert found.json["moves"]
    shown = CliRunner().invoke(cli, ["bound", str(write_toml(tmp_path, given))]).stdout
    assert "Nodes move: a packet that waits in a relay meanwhile" in " ".join(shown.split())
    assert bound(scenario(chain(1), (0, 1))).exception == ""


def write_toml(folder: Path, given: dict[str, Any]) -> Path:
    file = folder / "scenario.json"
    file.write_text(json.dumps(given))
    return file


def test_where_nothing_is_captured_more_links_exclude_each_other() -> None:
    """Four hops: of links three apart one spoils the other, if 400 m are not 12 dB weaker."""
    captured, not_captured = (
        total(chain(6), (0, 6), radio={"capture_db": capture_db}) for capture_db in (10, "inf")
    )
    assert captured == pytest.approx(BITS / (3 * CORE_S), rel=SLACK)
    assert not_captured == pytest.approx(BITS / (4 * CORE_S), rel=SLACK)


def test_studies_and_runs_show_the_share(tmp_path: Path) -> None:
    run = multihop.run(scenario(chain(2), (0, 2)))
    file = tmp_path / "bounds.json"
    share = share_of_bound(run.json, file)
    assert share is not None
    assert share == pytest.approx(
        8 * run.json["flows"][0]["delivered_bytes"] / 10 / (BITS / (2 * WHOLE_S - 50e-6)), rel=0.01
    )
    assert len(json.loads(file.read_text())) == 1
    assert share_of_bound(run.json, file) == share
    study = {
        "title": "share", "question": "How much of it?", "metrics": ["share_of_bound"],
        "schemes": ["static"], "scenario": scenario(chain(2), (0, 2)),
        "scale": {"quick": {"networks": 1}, "full": {"networks": 1}},
    }  # fmt: skip
    results = multihop.Study(**study).run(tmp_path / "study", scale="quick")
    assert results.runs["share_of_bound"][0] == pytest.approx(share, rel=0.05)


def test_the_command_prints_what_scripts_need() -> None:
    ran = CliRunner().invoke(cli, ["bound", "six-hops", "--json", "-"])
    found = json.loads(ran.stdout)
    assert found["total_bps"] == pytest.approx(BITS / (3 * CORE_S), rel=0.011)
    assert found["gap"] <= 0.01
    assert [flow["id"] for flow in found["flows"]] == [0]
    text = CliRunner().invoke(cli, ["run", "six-hops", "--bound"]).stdout
    assert "bound kbit/s" in text


def test_a_network_whose_links_are_cut_has_no_bound() -> None:
    """Two strings disturb each other until a relay between them is dead."""
    cut = scenario(chain(2), (0, 2)) | {"events": [{"kind": "node-kill", "node": 1, "at_s": 1}]}
    with pytest.raises(multihop.ScenarioError, match=r"events\.0\.kind: must be .*link-failure"):
        bound(cut)


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        ("radio.reception", {"radio": {"reception": "sinr"}, "mac": {"phy": "802.11a"}}),
        # A turn has many frames, SIFS apart: 37.6 Mbit/s where waits before each leave 34.8.
        ("mac.edca", {"profile": "standard", "mac": {"phy": "802.11ac", "edca": True}}),
        ("mac.access", {"mac": {"access": "tdma", "tdma": {"slot_s": 0.01, "slots": [0, 1]}}}),
        ("mac.access", {"mac": {"access": "slot-reservation"}}),
        ("radio.energy.battery_j", {"radio": {"energy": {"battery_j": 5}}}),
    ],
)
def test_what_a_schedule_does_not_know_has_no_bound(key: str, keys: dict[str, Any]) -> None:
    with pytest.raises(multihop.ScenarioError, match=rf"{re.escape(key)}: .*for a bound"):
        bound(scenario(chain(1), (0, 1), **keys))
