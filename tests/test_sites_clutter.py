"""What clutter takes, against the table of examples that NTIA publishes with P.2108-1."""

import csv
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from multihop.cli import cli
from multihop.sites.clutter import KINDS, Clutter
from tests.conftest import Called
from tests.test_sites_terrain import a_tile

PUBLISHED = [
    # GHz, antenna, street and clutter [m], edges, dB: HeightGainTerminalCorrectionModelTestData.csv
    (1.5, 2, 27, 10, False, 16), (1.5, 2, 27, 6, False, 10.9), (1.5, 2, 27, 10, True, 20.5),
    (1.5, 2, 27, 6, True, 14.6), (1.5, 2, 27, 15, True, 24.5), (1.5, 2, 27, 20, True, 27.1),
    (3, 3, 15, 15, True, 29), (0.9, 2.3, 30, 10, False, 13.7), (1.5, 2.5, 25, 10, True, 20.2),
    (0.03, 2.1, 24.5, 9.8, True, 5.7), (1.7, 30, 24.5, 9.8, True, 0), (1.7, 30, 24.5, 30, True, 0),
]  # fmt: skip


@pytest.mark.parametrize(("giga", "mast", "street", "height", "edges", "published"), PUBLISHED)
def test_clutter_takes_what_ntia_publishes(
    giga: float, mast: float, street: float, height: float, edges: bool, published: float
) -> None:
    found = Clutter(height, edges=edges).loss_db(mast, giga * 1e9, street)
    assert found == pytest.approx(published, abs=0.0501)


def test_the_choices_are_those_of_the_table() -> None:
    said = CliRunner().invoke(cli, ["import", "--help"]).output
    assert f"[{'|'.join(KINDS)}]" in said


def test_a_mesh_among_houses_loses_it_at_both_ends(tmp_path: Path, called: Called) -> None:
    a_tile(tmp_path)
    (tmp_path / "sites.csv").write_text(
        "name,lat,lon,height_m\nlow,51.5,12.500,6\nmast,51.5,12.505,12\nlow too,51.5,12.51,4\n"
    )
    gains = {}
    for options in ((), ("--clutter", "suburban", "--profile", "low", "mast")):
        out = f"town{len(options)}"
        said = called("import", "sites.csv", "--terrain", "N51E012.hgt", "--out", out, *options)
        assert said.returncode == 0, said.stderr
        with (tmp_path / out / "links.csv").open(encoding="utf-8") as file:
            rows = csv.DictReader(file)
            gains[out] = {(row["from"], row["to"]): float(row["gain_db"]) for row in rows}
    told = " ".join(said.stdout.split())
    assert "Around antennas suburban clutter of 10 m (ITU-R P.2108-1" in told
    assert "it takes 0.0 to 20.1 dB at an antenna" in told
    assert (tmp_path / "town5" / "profile.png").stat().st_size > 1000

    def by_hand(mast_m: float) -> float:
        below = 10 - mast_m
        nu = 0.342 * math.sqrt(2.437 * below * math.degrees(math.atan(below / 27)))
        return 6.9 + 20 * math.log10(math.hypot(nu - 0.1, 1) + nu - 0.1) - 6.03

    # Above the plain all are in free space, at 12 m and from 10 m as well.
    way = ("low", "mast")
    assert gains["town0"][way] - gains["town5"][way] == pytest.approx(by_hand(6), abs=0.11)
    assert (by_hand(6), by_hand(4)) == pytest.approx((16.7, 20.1), abs=0.1)
    assert KINDS["suburban"].loss_db(12, 2.437e9) == 0
    # By hand: (21.8 + 6.2 lg 2.437) lg (10 / 6); an antenna in the ground counts as at 0.5 m.
    rural = KINDS["rural"]
    assert rural.loss_db(6, 2.437e9) == pytest.approx(5.37, abs=0.01)
    assert rural.loss_db(-3, 2.437e9) == rural.loss_db(0.5, 2.437e9)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--clutter", "urban"), "--clutter needs --terrain FILE"),
        (
            ("--terrain", "N51E012.hgt", "--clutter", "urban", "--buildings", "houses.geojson"),
            "--buildings and --clutter: take one, or houses count twice",
        ),
    ],
)
def test_clutter_without_ground_or_twice_is_refused(
    options: tuple[str, ...], says: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "sites.csv").write_text("name,lat,lon\na,51.5,12.5\nb,51.5,12.501\n")
    said = called("import", "sites.csv", *options)
    assert said.returncode == 2
    assert says in said.stderr
