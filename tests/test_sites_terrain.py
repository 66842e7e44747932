"""Gains over hills: knife edges against the Recommendation's formulas worked out by hand."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from multihop.sites import SiteError, buildings, elevation, longley_rice, terrain
from multihop.sites.elevation import Tile
from multihop.sites.terrain import Profile
from tests.conftest import Called

HZ = 2.437e9
WAVE_M = 299_792_458 / HZ


def a_tile(folder: Path, ridge_m: int = 0) -> Path:
    """A plain at 100 m, with a ridge from north to south at 12.5 degrees east."""
    heights = np.full((1201, 1201), 100, dtype=">i2")
    heights[:, 600] += ridge_m
    file = folder / "N51E012.hgt"
    file.write_bytes(heights.tobytes())
    return file


def flat(far_km: float, mast_m: float, edges: dict[float, float]) -> Profile:
    """A plain as even as the curved Earth leaves it, with edges at some distances."""
    d = np.linspace(0, far_km, 1001)
    ground = -500 * d * (far_km - d) / terrain.EARTH_KM
    for at_km, height in edges.items():
        ground[round(at_km / far_km * 1000)] += height
    return Profile(d, ground, (mast_m, mast_m))


def test_an_edge_takes_what_the_recommendation_says() -> None:
    assert terrain.knife_edge_db(0) == pytest.approx(6.03, abs=0.01)
    assert terrain.knife_edge_db(-0.78) == 0
    # Figure 9 of P.526: 13.9 dB at 1, 19.0 at 2 by equation 31; for large nu 13 + 20 lg nu.
    assert terrain.knife_edge_db(1) == pytest.approx(13.9, abs=0.1)
    assert terrain.knife_edge_db(10) == pytest.approx(13 + 20, abs=0.2)


def test_free_space_is_that_of_the_handbook() -> None:
    # 32.45 + 20 lg MHz + 20 lg km.
    by_hand = 32.45 + 20 * math.log10(2437) + 20 * math.log10(5)
    assert terrain.free_space_db(5, HZ) == pytest.approx(by_hand, abs=0.01)


def test_a_single_edge_takes_its_loss_and_the_correction() -> None:
    ground = flat(10, 20, {4: 50})
    # 30 m above the line, 4 and 6 km from the ends.
    nu = 30 * math.sqrt(2 / WAVE_M * (1 / 4000 + 1 / 6000))
    edge = terrain.knife_edge_db(nu)
    filled = 1 - math.exp(-edge / 6)
    assert terrain.diffraction_db(ground, HZ) == pytest.approx(edge + filled * 10.2, abs=0.05)


def test_a_second_edge_takes_more_and_a_clear_line_nothing() -> None:
    one, two = flat(10, 20, {5: 60}), flat(10, 20, {3: 50, 5: 60})
    assert terrain.diffraction_db(two, HZ) > terrain.diffraction_db(one, HZ)
    assert terrain.diffraction_db(flat(2, 30, {}), HZ) == 0
    # Bullington's edge is where the lines over both tops meet.
    rise, fall = 30 / 3, 40 / 5
    at = fall * 10 / (rise + fall)
    nu = rise * at * math.sqrt(0.002 * 10 / (WAVE_M * at * (10 - at)))
    edge = terrain.knife_edge_db(nu)
    expected = edge + (1 - math.exp(-edge / 6)) * 10.2
    assert terrain.diffraction_db(two, HZ) == pytest.approx(expected, abs=0.05)


# Crystal Palace to Mursley, 77.8 km in 156 steps, and the quantiles of the basic transmission loss
# by reliability (1, 10, 50, 90, 99 %) and confidence (50, 90, 10 %): QKPFL TEST 1 and 2, which NTIA
# publishes with ITM 1.2.2.
MURSLEY_M = """
96 84 65 46 46 46 61 41 33 27 23 19 15 15 15 15 15 15 15 15 15 15 15 15 17 19 21 23 25 27 29 35 46
41 35 30 33 35 37 40 35 30 51 62 76 46 46 46 46 46 46 50 56 67 106 83 95 112 137 137 76 103 122 122
83 71 61 64 67 71 74 77 79 86 91 83 76 68 63 76 107 107 107 119 127 133 135 137 142 148 152 152 107
137 104 91 99 120 152 152 137 168 168 122 137 137 170 183 183 187 194 201 192 152 152 166 177 198
156 127 116 107 104 101 98 95 103 91 97 102 107 107 107 103 98 94 91 105 122 122 122 122 122 137 137
137 137 137 137 137 137 140 144 147 150 152 159
"""
QKPFL = {
    (41.5e6, 143.9, 8.5): (
        (128.6, 137.6, 119.6), (132.2, 140.8, 123.5), (135.8, 144.3, 127.2), (138.0, 146.5, 129.4),
        (139.7, 148.4, 131.0),
    ),
    (573.3e6, 194.0, 9.1): (
        (144.3, 154.1, 134.4), (150.9, 159.5, 142.3), (157.6, 165.7, 149.4), (161.6, 169.9, 153.3),
        (164.9, 173.6, 156.2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", QKPFL)
def test_longley_rice_is_what_ntia_publishes(case: tuple[float, float, float]) -> None:
    frequency_hz, first_m, last_m = case
    heights = np.array([float(height) for height in MURSLEY_M.split()])
    distance = np.linspace(0, 77.8, len(heights))
    path = Profile(distance, heights, (heights[0] + first_m, heights[-1] + last_m))
    ground = longley_rice.Ground(refractivity=314, vertical=False)
    for reliability, row in zip((0.01, 0.1, 0.5, 0.9, 0.99), QKPFL[case], strict=True):
        for confidence, published_db in zip((0.5, 0.9, 0.1), row, strict=True):
            loss = longley_rice.loss_db(
                path, frequency_hz, ground=ground, reliability=reliability, confidence=confidence
            )
            assert loss == pytest.approx(published_db, abs=0.051)


def test_longley_rice_in_sight_is_free_space_and_short_links_are_by_knife_edges() -> None:
    clear = flat(3.6, 15, {})
    free = terrain.free_space_db(3.6, HZ)
    # NTIA's example of the command line over even ground: 114.5 dB, which is free space.
    assert -longley_rice.gain_db(clear, HZ) == pytest.approx(free, abs=3)
    near = flat(0.5, 4, {0.2: 30})
    assert longley_rice.gain_db(near, HZ) == terrain.gain_db(near, HZ)


def test_heights_of_a_tile_are_where_they_belong(tmp_path: Path) -> None:
    heights = np.arange(1201 * 1201, dtype=np.int64).reshape(1201, 1201) % 30_000
    heights[3, 3] = -32768
    file = tmp_path / "s01w010.hgt"
    file.write_bytes(heights.astype(">i2").tobytes())
    tile = elevation.read(file)
    assert isinstance(tile, Tile)
    assert (tile.south, tile.west) == (-1, -10)
    lat, lon = np.array([0.0, -1.0, -0.5 / 1200, 1.0]), np.array([-10.0, -9.0, -10.0, -9.5])
    found = tile.at(lat, lon)
    assert found[:2].tolist() == [heights[0, 0], heights[-1, -1]]
    assert found[2] == (heights[0, 0] + heights[1, 0]) / 2
    assert math.isnan(found[3])
    assert math.isnan(tile.at(np.array([-2.5 / 1200]), np.array([-10 + 2.5 / 1200]))[0])
    for name, size in (("N51E012.hgt", 100), ("heights.hgt", 1201 * 1201 * 2)):
        (tmp_path / name).write_bytes(bytes(size))
        with pytest.raises(SiteError, match="must be a GeoTIFF, or a tile of heights"):
            elevation.read(tmp_path / name)


def test_a_ridge_cuts_two_villages_from_each_other(tmp_path: Path, called: Called) -> None:
    sites = "name,lat,lon,height_m\nwest,51.5,12.48,8\nwest mill,51.5,12.485,8\n"
    (tmp_path / "sites.csv").write_text(f"{sites}east,51.5,12.52,8\n")
    gains = {}
    for ridge_m in (0, 300):
        a_tile(tmp_path, ridge_m)
        out = f"over-{ridge_m}"
        said = called(
            "import", "sites.csv", "--terrain", "N51E012.hgt", "--out", out,
            "--profile", "west", "east",
        )  # fmt: skip
        assert said.returncode == 0, said.stderr
        assert (tmp_path / out / "profile.png").stat().st_size > 1000
        with (tmp_path / out / "links.csv").open(encoding="utf-8") as file:
            gains[ridge_m] = {
                (row["from"], row["to"]): float(row["gain_db"]) for row in csv.DictReader(file)
            }
    near = ("west", "west mill")
    # 347 m apart, above the plain: free space, in sight of each other.
    assert gains[0][near] == gains[300][near] == pytest.approx(-91.0, abs=0.3)
    assert gains[0]["west", "east"] > -115
    assert ("west", "east") not in gains[300]
    said = called("import", "sites.csv", "--terrain", "sites.csv", "--out", "x")
    assert said.returncode == 2
    assert "sites.csv: must be a GeoTIFF, or a tile of heights" in said.stderr
    for option, value in (("--loss", "itm"), ("--buildings", "sites.csv")):
        said = called("import", "sites.csv", option, value, "--out", "x")
        assert said.returncode == 2
        assert f"{option} needs --terrain FILE" in said.stderr
    said = called("import", "sites.csv", "--fit", "--out", "x")
    assert said.returncode == 2
    assert "--fit: no link has a share of frames" in said.stderr
    a_tile(tmp_path, 300)
    said = called(
        "import", "sites.csv", "--terrain", "N51E012.hgt", "--loss", "itm", "--out", "itm"
    )
    assert "Longley and Rice" in said.stdout


def test_walls_below_their_roofs_take_what_p2109_says(tmp_path: Path, called: Called) -> None:
    # By hand at 2.437 GHz: 12.64 + 3.72 x 0.3869 + 0.96 x 0.3869^2.
    assert buildings.wall_db(HZ) == pytest.approx(14.22, abs=0.01)
    a_tile(tmp_path)
    # 6 m and 12 m high, across the way from west to east; the third is beside it.
    boxes = [(12.501, 51.4999, {"height": 6}), (12.503, 51.4999, {"building:levels": 4}),
             (12.502, 51.5005, {"height": 50}), (12.5, 51.4999, {})]  # fmt: skip
    features = []
    for lon, lat, properties in boxes:
        ring = [[lon, lat], [lon + 2e-4, lat], [lon + 2e-4, lat + 2e-4], [lon, lat + 2e-4]]
        features.append({"type": "Feature", "properties": properties,
                         "geometry": {"type": "Polygon", "coordinates": [ring]}})  # fmt: skip
    outlines = tmp_path / "houses.geojson"
    outlines.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    houses = buildings.Buildings.read(outlines)
    assert houses.lacking == 1
    ends = ((51.5, 12.5005), (51.5, 12.505))
    tile = elevation.read(tmp_path / "N51E012.hgt")
    for mast_m, walls in ((5, 4), (8, 2), (15, 0)):
        ground = terrain.profile([tile], ends, (mast_m, mast_m))
        assert houses.crossed(ends, ground) == walls
    (tmp_path / "sites.csv").write_text(
        "name,lat,lon,height_m\nwest,51.5,12.5005,8\neast,51.5,12.505,8\n"
    )
    gains = {}
    for options in ((), ("--buildings", "houses.geojson")):
        out = f"town{len(options)}"
        said = called("import", "sites.csv", "--terrain", "N51E012.hgt", "--out", out, *options)
        assert said.returncode == 0, said.stderr
        with (tmp_path / out / "links.csv").open(encoding="utf-8") as file:
            gains[out] = float(next(csv.DictReader(file))["gain_db"])
    assert gains["town0"] - gains["town2"] == pytest.approx(2 * 14.22, abs=0.11)
    outlines.write_text('{"features": []}')
    said = called(
        "import",
        "sites.csv",
        "--terrain",
        "N51E012.hgt",
        "--buildings",
        outlines.name,
        "--out",
        "x",
    )
    assert said.returncode == 2
    assert "has no polygon with a height or building:levels" in said.stderr
