"""What each house gets: good links give all, a link that hardly carries nothing."""

import json
from pathlib import Path

import pytest

from tests.conftest import Called

MESH = """
title = "three houses"
duration_s = 46
profile = "standard"
[topology]
kind = "positions"
positions_m = [[0, 0], [50, 0], [0, 50], [50, 50]]
names = ["tower", "near", "far", "cut off"]
[radio]
reception = "sinr"
propagation = "measured"
gains_db = [[0, 1, -80], [1, 2, -104.5]]
fading = "rayleigh"
coherence_s = 1e-3
[mac]
phy = "802.11n"
streams = 1
rate = "minstrel"
rts_threshold_bytes = "inf"
[routing]
scheme = "babel"
[[flows]]
kind = "web"
source = "near"
destination = "tower"
start_s = 16
"""


def test_a_house_gets_what_its_links_carry(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", "--seeds", 3, "--json", "-")
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert (told["gateway"], told["seeds"]) == (0, 3)
    near, far, cut = told["houses"]
    assert near["calls"]["mean"] == near["pages"]["mean"] == 1
    assert far["calls"]["mean"] < 0.4
    assert far["pages"]["mean"] < 0.9
    # Three seeds in which nothing came: 0 of 3, by Wilson's formula 1.96^2 / (3 + 1.96^2) at most.
    assert (
        cut["calls"]
        == cut["pages"]
        == {"mean": 0, "low": 0, "high": pytest.approx(0.5615, abs=1e-4)}
    )


def test_the_table_has_the_worst_house_first(tmp_path: Path, called: Called) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", "--seeds", 2)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    houses = [line.split("(")[0].strip() for line in lines if " to " in line and "(" in line]
    assert ({*houses[:2]}, houses[-1]) == ({"cut off", "far"}, "near")
    assert "3 calls of 10 s a seed" in " ".join(said.stdout.split())


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (("--gateway", "church"), "--gateway: no node is called 'church'"),
        (("--set", "duration_s=20"), "must leave 10 s after the first flow's start for a call"),
        (("--seeds", "1"), "1 is not in the range"),
        (("--set", "flows.0.source=random", "--set", "flows.0.destination=random"), "--gateway"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    option: tuple[str, ...], says: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mesh.toml").write_text(MESH)
    said = called("service", "mesh.toml", *option)
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert says in line
