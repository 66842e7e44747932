"""Gains over hills: knife edges against the Recommendation's formulas worked out by hand."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from multihop.sites import SiteError, terrain
from multihop.sites.terrain import Profile, Tile
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


def test_heights_of_a_tile_are_where_they_belong(tmp_path: Path) -> None:
    heights = np.arange(1201 * 1201, dtype=np.int64).reshape(1201, 1201) % 30_000
    heights[3, 3] = -32768
    file = tmp_path / "s01w010.hgt"
    file.write_bytes(heights.astype(">i2").tobytes())
    tile = Tile.read(file)
    assert (tile.south, tile.west) == (-1, -10)
    lat, lon = np.array([0.0, -1.0, -0.5 / 1200, 1.0]), np.array([-10.0, -9.0, -10.0, -9.5])
    found = tile.at(lat, lon)
    assert found[:2].tolist() == [heights[0, 0], heights[-1, -1]]
    assert found[2] == (heights[0, 0] + heights[1, 0]) / 2
    assert math.isnan(found[3])
    assert math.isnan(tile.at(np.array([-2.5 / 1200]), np.array([-10 + 2.5 / 1200]))[0])
    for name, size in (("N51E012.hgt", 100), ("heights.hgt", 1201 * 1201 * 2)):
        (tmp_path / name).write_bytes(bytes(size))
        with pytest.raises(SiteError, match="must be a tile of heights"):
            Tile.read(tmp_path / name)


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
    assert "sites.csv: must be a tile of heights" in said.stderr
