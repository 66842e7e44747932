"""`multihop export`: what other tools get, and that it comes back the same."""

import json
import math
from pathlib import Path

import pytest

import multihop
from multihop import catalogue, sites
from tests.conftest import CHAIN, Called
from tests.test_sites import MAP

WAYPOINT = """
duration_s = 60
[topology]
kind = "random"
nodes = 6
area_m = [300, 200]
[mobility]
kind = "random-waypoint"
speed_mps = [1, 20]
pause_s = 2
[[flows]]
kind = "cbr"
source = 0
destination = 1
packet_bytes = 100
rate_bps = 1e4
"""


def positions(file: Path, time_s: float) -> list[tuple[float, float]]:
    """Where the nodes of a file of movement are."""
    mesh = sites.joined([sites.read(file)])
    found = []
    for node, place in enumerate(mesh.places_m):
        knots = mesh.tracks.get(node, [(0.0, *(place or (0.0, 0.0)))])
        later = next((k for k, knot in enumerate(knots) if knot[0] > time_s), None)
        if later is None or later == 0:
            found.append(knots[-1 if later is None else 0][1:])
            continue
        (from_s, *a), (to_s, *b) = knots[later - 1], knots[later]
        share = (time_s - from_s) / (to_s - from_s)
        found.append(tuple(p + share * (q - p) for p, q in zip(a, b, strict=True)))
    return found


@pytest.mark.parametrize(("target", "name"), [("ns2", "a.tcl"), ("bonnmotion", "a.movements")])
def test_movement_comes_back_where_it_was(
    target: str, name: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "waypoint.toml").write_text(WAYPOINT)
    said = called("export", "waypoint.toml", "--to", target, "--out", name, "--seed", 7)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
    assert called("import", name, "--out", "again").returncode == 0
    again = tmp_path / "again" / "movement.tcl"
    direct = tmp_path / "direct.tcl"
    direct.write_text(multihop.movement(WAYPOINT, seed=7))
    for time_s in (0.0, 3.3, 17.0, 42.1, 59.9):
        for here, there in zip(positions(direct, time_s), positions(again, time_s), strict=True):
            assert math.dist(here, there) < 0.05


def test_bonnmotion_has_its_parameters_and_no_negative_places(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "waypoint.toml").write_text(WAYPOINT)
    called("export", "waypoint.toml", "--to", "bonnmotion", "--out", "a.movements")
    params = dict(row.split("=") for row in (tmp_path / "a.params").read_text().splitlines())
    assert (params["nn"], params["duration"]) == ("6", "60")
    assert float(params["x"]) <= 300
    west = 'topology = { kind = "positions", positions_m = [[-5, 0], [9, 0]] }\nduration_s = 9\n'
    west += WAYPOINT[WAYPOINT.index("[[flows]]") :]
    (tmp_path / "west.toml").write_text(west)
    said = called("export", "west.toml", "--to", "bonnmotion", "--out", "b.movements")
    assert (said.returncode, not (tmp_path / "b.movements").exists()) == (2, True)
    assert "west.toml: node 0: BonnMotion has no negative coordinates" in said.stderr


@pytest.mark.parametrize("target", ["geojson", "netjson"])
def test_a_measured_mesh_comes_back_with_its_places_and_gains(
    target: str, tmp_path: Path, called: Called
) -> None:
    assert called("import", MAP, "--out", "town").returncode == 0
    said = called("export", "town/scenario.toml", "--to", target, "--out", "town.json")
    assert (said.returncode, said.stderr) == (0, "")
    first, again = (sites.joined([sites.read(file)]) for file in (MAP, tmp_path / "town.json"))
    assert again.names == first.names
    for here, there in zip(first.degrees, again.degrees, strict=True):
        assert there == pytest.approx(here, abs=1e-9)
    # What the engine carries data over is less than what the map has: the weakest are noise.
    gains = {(a, b): gain for a, b, gain, _ in first.gains}
    carried = {(a, b): gain for a, b, gain, _ in again.gains}
    assert 40 < len(carried) < len(gains)
    assert all(abs(carried[link] - gains[link]) < 0.15 for link in carried)


def test_geojson_needs_to_know_where_on_earth(tmp_path: Path, called: Called) -> None:
    (tmp_path / "chain.toml").write_text(CHAIN)
    call = ("export", "chain.toml", "--to", "geojson", "--out", "chain.geojson")
    said = called(*call)
    assert said.returncode == 2
    assert "chain.toml: GeoJSON needs latitudes and longitudes" in said.stderr
    assert "must be a latitude and a longitude" in called(*call, "--origin", "north").stderr
    assert called(*call, "--origin", "51.34,12.37").returncode == 0
    shapes = json.loads((tmp_path / "chain.geojson").read_text())["features"]
    points = [one for one in shapes if one["geometry"]["type"] == "Point"]
    lines = [one for one in shapes if one["geometry"]["type"] == "LineString"]
    assert points[0]["geometry"]["coordinates"] == pytest.approx([12.37, 51.34], abs=1e-6)
    assert {(one["properties"]["from"], one["properties"]["to"]) for one in lines} == {
        ("0", "1"), ("1", "0"), ("1", "2"), ("2", "1"),
    }  # fmt: skip
    mesh = sites.joined([sites.read(tmp_path / "chain.geojson")])
    assert math.dist(*mesh.places_m[:2]) == pytest.approx(200, abs=0.05)


def test_the_measured_mesh_that_is_shipped_has_its_places() -> None:
    run = multihop.run(catalogue.scenario_file("freifunk-leipzig"), set={"duration_s": 21}).json
    assert len(run["positions_m"]) == 24
    # 78.31 and 78.32 share a roof, 75.58 is 440 m from 84.13, of the map's degrees.
    assert math.dist(run["positions_m"][0], run["positions_m"][5]) == 0
    assert 300 < math.dist(run["positions_m"][0], run["positions_m"][13]) < 500
