"""Pictures."""

import itertools
import math
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import multihop
from multihop import catalogue
from multihop.draw import network_map, rendered, run_figure
from multihop.draw.groups import by_ends
from multihop.draw.movement import Movement
from multihop.draw.paths import fitting_window_s, history, link_shares, widest_path
from multihop.draw.style import flow_colour
from tests.conftest import CHAIN, Called
from tests.papers_here import program

FLOW = {"id": 0, "source": 0, "destination": 3}


def rows(*entries: tuple[float, int, int, int]) -> list[dict[str, Any]]:
    """Rows of flow 0 from (time_s, from, to, packets)."""
    keys = ("time_s", "from", "to", "packets")
    return [{"flow": 0, **dict(zip(keys, entry, strict=True))} for entry in entries]


def along(time_s: float, path: tuple[int, ...], packets: int = 5) -> list[dict[str, Any]]:
    return rows(*((time_s, a, b, packets) for a, b in itertools.pairwise(path)))


def texts(svg: bytes) -> list[str]:
    """What is written in a picture."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(element.itertext()) for element in found]


def drawn_texts(scenario: dict[str, Any]) -> list[str]:
    """What is written in the picture of a scenario's run."""
    return texts(rendered(run_figure(multihop.run(scenario, routes=0.5).json), "svg"))


def test_link_shares_add_both_directions_and_refer_to_the_busiest() -> None:
    links = [
        {"from": 0, "to": 1, "packets": 60},
        {"from": 1, "to": 0, "packets": 40},
        {"from": 1, "to": 2, "packets": 25},
        {"from": 2, "to": 3, "packets": 0.9},
    ]
    assert link_shares(links) == {(0, 1): 1.0, (1, 2): 0.25}
    assert link_shares([]) == {}


def test_the_widest_path_goes_round_loops_dead_ends_and_narrow_links() -> None:
    assert widest_path({(0, 1): 9, (1, 0): 9, (1, 3): 2}, 0, 3) == (0, 1, 3)
    assert widest_path({(0, 9): 50, (0, 1): 4, (1, 3): 4}, 0, 3) == (0, 1, 3)
    assert widest_path({(0, 1): 9, (1, 3): 1, (0, 2): 3, (2, 3): 3}, 0, 3) == (0, 2, 3)
    assert widest_path({(0, 3): 4, (0, 1): 4, (1, 3): 4}, 0, 3) == (0, 3)
    assert widest_path({(3, 0): 5}, 0, 3) is None


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(1, 20), max_size=25
    )
)
def test_a_widest_path_uses_given_links_and_no_node_twice(
    packets: dict[tuple[int, int], int],
) -> None:
    path = widest_path(packets, 0, 3)
    if path is not None:
        assert (path[0], path[-1]) == (0, 3)
        assert len(set(path)) == len(path)
        assert all(link in packets for link in itertools.pairwise(path))


def test_a_history_tells_changes_shares_gaps_and_bands() -> None:
    upper, lower = (0, 1, 3), (0, 2, 3)
    entries = [
        *along(0.0, upper),
        *along(1.0, upper),
        *along(2.0, lower, 20),
        *rows((3.0, 0, 1, 7)),  # left the source, never arrived
        *along(5.0, upper),
    ]
    found = history(entries, FLOW, 1.0)
    assert [step.path for step in found.steps] == [upper, upper, lower, upper]
    assert found.changes == 2
    assert found.shares == [(lower, 20 / 35), (upper, 15 / 35)]
    assert found.bands([upper]) == [(0, 2), (5, 1)]
    assert found.bands([lower]) == [(2, 1)]
    assert history(entries, {**FLOW, "id": 1}, 1.0).steps == []


def test_packets_that_left_in_the_window_before_still_have_a_path() -> None:
    found = history(rows((0.9, 0, 1, 1), (1.0, 1, 3, 1)), FLOW, 1.0)
    assert [(step.window, step.path) for step in found.steps] == [(1, (0, 1, 3))]
    late = history([*along(0.0, (0, 1, 3)), *rows((4.0, 1, 3, 1))], FLOW, 1.0)
    assert [step.path for step in late.steps] == [(0, 1, 3)] * 2
    alone = history(rows((1.0, 1, 3, 1)), FLOW, 1.0)
    assert [step.path for step in alone.steps] == [None]


def test_a_window_without_a_known_path_is_no_change() -> None:
    entries = [*along(0.0, (0, 1, 3)), *rows((4.0, 2, 3, 1)), *along(6.0, (0, 1, 3))]
    found = history(entries, FLOW, 1.0)
    assert [step.path for step in found.steps] == [(0, 1, 3), None, (0, 1, 3)]
    assert found.changes == 0


def test_short_intervals_fall_into_the_right_windows() -> None:
    entries = [row for i in range(30) for row in along(i * 0.1, (0, 3), 1)]
    packets = [step.packets for step in history(entries, FLOW, 0.5).steps]
    assert packets == [5] * 6


@pytest.mark.parametrize(
    ("duration_s", "window_s"), [(2, 0.1), (20, 0.2), (101.5, 1.0), (900, 10.0), (1e6, 1e4)]
)
def test_the_window_fits_the_length_of_the_run(duration_s: float, window_s: float) -> None:
    assert math.isclose(fitting_window_s(duration_s), window_s)


def test_a_moving_node_goes_straight_between_knots_and_stays_at_the_last() -> None:
    movement = Movement([[[0, 0, 0], [10, 100, 0], [20, 100, 50]], [[0, 7, 7]]], 40)
    assert movement.at(0, 5) == (50, 0)
    assert movement.at(0, 15) == (100, 25)
    assert movement.last() == [(100, 50), (7, 7)]
    times, places = movement.trail(0)
    assert {(0, 0), (100, 0), (100, 50)} <= set(map(tuple, places.tolist()))
    assert len(times) == len(places) > 20
    assert len(movement.trail(1)[0]) == 1


def test_a_run_is_drawn_with_its_paths_and_rates() -> None:
    result = multihop.run(CHAIN.replace("two hops", "two $ hops\\n for 5 $"), routes=0.5)
    svg = rendered(run_figure(result.json, 0.5), "svg")
    written = texts(svg)
    assert {"two $ hops for 5 $", "0 → 2", "2 hops:  0–1–2", "100 %", "time (s)"} <= set(written)
    goodput = f"{result.flows['goodput_bps'][0] / 1e3:.1f} kbit/s"
    assert f"{goodput}   1 path, 0 changes" in written
    assert svg == rendered(run_figure(result.json, 0.5), "svg")


def test_movement_and_many_flows_are_drawn() -> None:
    result = multihop.run(CHAIN, routes=1.0).json
    still = rendered(run_figure(result), "svg")
    ways = [[[0, 0, 0], [6, 0, 90]], [[0, 200, 0]], [[0, 400, 0], [9, 300, 300]]]
    moved = rendered(run_figure({**result, "movement": ways}), "svg")
    assert "can exchange data" in texts(still)
    assert "can exchange data" not in texts(moved)
    flows = [{**result["flows"][0], "id": number} for number in range(9)]
    written = texts(rendered(run_figure({**result, "flows": flows}), "svg"))
    assert "0 → 2 (9 flows)" in written
    assert any("1 path, 0 changes" in text for text in written)


def test_flows_between_the_same_ends_are_one_in_the_picture() -> None:
    flow = {"start_s": 1, "stop_s": 5, "goodput_bps": 10.0, "delivered_bytes": 45}
    flows = [
        {**flow, "id": 4, "source": 0, "destination": 3},
        {**flow, "id": 5, "source": 3, "destination": 0},
        {**flow, "id": 6, "source": 0, "destination": 3, "start_s": 0, "stop_s": 9},
    ]
    links = [{"flow": number, "from": 0, "to": 1, "packets": 2} for number in (4, 5, 6)]
    merged, rows = by_ends(flows, links)
    assert [(f["source"], f["destination"], f["flows"]) for f in merged] == [(0, 3, 2), (3, 0, 1)]
    assert (merged[0]["start_s"], merged[0]["stop_s"], merged[0]["goodput_bps"]) == (
        0,
        9,
        8 * 90 / 9,
    )
    assert merged[1]["goodput_bps"] == 10.0
    assert [row["flow"] for row in rows] == [0, 1, 0]


def test_files_one_after_another_carry_no_more_than_the_mesh() -> None:
    """Ten files of 2 s each over one hop at 1 Mbit/s: the run's goodput is no sum of theirs."""
    ends = {"kind": "file", "source": 0, "destination": 1, "bytes": 100_000}
    flows = [ends | {"start_s": 1.0 + 2 * number} for number in range(10)]
    scenario = {
        "duration_s": 30,
        "topology": {"kind": "chain", "hops": 1},
        "mac": {"data_rate_bps": 1e6},
        "flows": flows,
    }
    head = next(text for text in drawn_texts(scenario) if "goodput" in text)
    value, unit = head.split("goodput ")[1].split()
    assert float(value) * {"kbit/s": 1e3, "Mbit/s": 1e6}[unit] < 1e6


@pytest.mark.parametrize(
    ("changed", "has_scale"),
    [
        ({}, True),
        ({"topology": {"kind": "links", "nodes": 3, "links": [[0, 1], [1, 2]]}}, False),
    ],
)
def test_only_what_is_in_metres_has_a_scale(changed: dict[str, Any], has_scale: bool) -> None:
    scenario = {
        "duration_s": 5,
        "topology": {"kind": "chain", "hops": 2},
        "flows": [{"kind": "ftp", "source": 0, "destination": 2, "start_s": 1}],
    }
    written = drawn_texts(scenario | changed)
    assert any(re.fullmatch(r"[\d,]+ m", text) for text in written) == has_scale


def drawn_pairs(scenario: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The pairs of nodes that a picture joins by a faint line."""
    seen: list[Any] = []
    draw = network_map.draw_hearing

    def spy(axes: Any, places: Any, pairs: Any) -> bool:
        seen.extend(pairs)
        return draw(axes, places, pairs)

    monkeypatch.setattr(network_map, "draw_hearing", spy)
    run_figure(multihop.run(scenario, routes=0.5).json)
    return seen


def test_faint_lines_join_those_that_hear_each_other_wherever_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named links on a circle, and gains of nodes that stand side by side."""
    flow = {"kind": "ftp", "source": 0, "destination": 2, "start_s": 1}
    named = {
        "duration_s": 3,
        "topology": {"kind": "links", "nodes": 4, "links": [[0, 1], [1, 2], [1, 3]]},
        "flows": [flow],
    }
    assert drawn_pairs(named, monkeypatch) == [(0, 1), (1, 2), (1, 3)]
    (tmp_path / "gains.csv").write_text("from,to,gain_db\n0,1,-80\n1,2,-80\n0,2,-135\n")
    measured = {
        "duration_s": 3,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": [[0, 0], [5, 5], [9, 0]]},
        "radio": {
            "reception": "sinr", "propagation": "measured", "file": str(tmp_path / "gains.csv"),
        },
        "mac": {"phy": "802.11g", "data_rate_bps": 6e6},
        "flows": [flow],
    }  # fmt: skip
    assert drawn_pairs(measured, monkeypatch) == [(0, 1), (1, 2)]


def test_many_flows_of_a_link_are_drawn_between_its_nodes() -> None:
    figure = Figure(figsize=(11, 5))
    extent = network_map.Extent.around([(0, 0), (1000, 0)], 10, 4)
    axes = extent.axes(figure, 0.5)
    network_map.draw_links(axes, extent, [(0, 0), (1000, 0)], [{(0, 1): 1.0}] * 30)
    points = [y / extent.metres(1) for line in axes.lines for y in line.get_ydata()]
    assert len(axes.lines) == 30
    assert max(map(abs, points)) <= 7.5, "within the mark of a node, 15 points wide"


def test_thirty_flows_have_colours_of_their_own() -> None:
    assert len({flow_colour(index) for index in range(30)}) == 30
    result = multihop.run(CHAIN, routes=1.0).json
    flow = result["flows"][0]
    ends = itertools.product(range(12), range(12, 15))
    flows = [{**flow, "id": i, "source": a, "destination": b} for i, (a, b) in enumerate(ends)]
    places = [[200.0 * node, 0.0] for node in range(15)]
    drawn = {**result, "flows": flows, "positions_m": places}
    written = texts(rendered(run_figure(drawn), "svg"))
    assert any("colours repeat after 30" in text for text in written)
    assert written.count("0 paths, 0 changes") == 36


def test_rings_leave_the_neighbours_uncovered() -> None:
    """A hub of twelve flows, whose neighbour stands close: one mark and a number instead."""
    result = multihop.run(CHAIN, routes=1.0).json
    flow = result["flows"][0]
    spokes = [[1000.0 * (node % 4), 1000.0 * (node // 4)] for node in range(12)]
    flows = [{**flow, "id": i, "source": i, "destination": 12} for i in range(12)]
    drawn = {**result, "flows": flows, "positions_m": [*spokes, [1000.0, 1150.0], [1000.0, 1250.0]]}
    written = texts(rendered(run_figure(drawn), "svg"))
    assert "+11" in written
    assert "+2: end of 2 more" in written


def test_routes_are_a_data_frame_that_adds_up_to_the_links() -> None:
    result = multihop.run(CHAIN, links=True, routes=2.0)
    link = ["flow", "from", "to"]
    summed = result.routes.group_by(link).agg(pl.col("packets").sum()).sort(link)
    assert summed.equals(result.links.sort(link))
    assert set(result.routes["time_s"]) <= {0.0, 2.0, 4.0, 6.0, 8.0, 10.0}
    empty = multihop.run(CHAIN).routes
    assert empty.columns == ["time_s", "flow", "from", "to", "packets"]
    assert empty.is_empty()


def test_draw_writes_what_the_suffix_says(chain: Path, tmp_path: Path, called: Called) -> None:
    done = called("draw", chain)
    assert (done.returncode, done.stdout) == (0, "chain.png\n")
    assert (tmp_path / "chain.png").read_bytes().startswith(b"\x89PNG")
    options = ("--seed", 7, "--set", "topology.hops=3", "--time-window", 0.5)
    done = called("draw", chain, "--out", "picture.SVG", *options)
    assert done.returncode == 0, done.stderr
    written = " ".join(texts((tmp_path / "picture.SVG").read_bytes()))
    assert "seed 7" in written
    assert "4 nodes" in written
    assert "per 0.5 s" in written


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chain.toml", "--out", "picture.jpeg"], "picture.jpeg: must end in .png or .svg"),
        (["chain.toml", "--out", "no/such/picture.png"], "folder does not exist"),
        (["missing.toml"], "missing.toml: No such file"),
        (["chain.toml", "--time-window", "0"], "--time-window"),
        (["chain.toml", "--time-window", "1e-9"], "routes: must be"),
    ],
)
def test_what_cannot_be_drawn_is_one_line_and_leaves_no_file(
    arguments: list[str], says: str, chain: Path, called: Called
) -> None:
    done = called("draw", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert says in line
    assert [entry.name for entry in chain.parent.iterdir()] == ["chain.toml"]


def test_the_choice_of_copas_is_drawn_as_the_run_made_it() -> None:
    scenario = catalogue.scenario_folder() / "contended-middle.toml"
    result = multihop.run(scenario, seed=4, paths=True, set={"duration_s": 12})
    choice = program("copas", "choice")
    made = choice.first_choice(result)
    sums = [sum(candidate["contention"]) for candidate in made["candidates"]]
    assert len(sums) == 3
    assert sorted([made["forward"], made["reverse"]]) == sorted(range(3), key=sums.__getitem__)[:2]
    written = texts(rendered(choice.draw(result), "svg"))
    for place, use in (("forward", "data"), ("reverse", "acknowledgments")):
        assert f"{use}: {sums[made[place]]:.2f}" in written
    assert f"not taken: {max(sums):.2f}" in written
