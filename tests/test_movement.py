"""Movement: as a file of ns-2's setdest, from the command line and from Python."""

from pathlib import Path

import pytest

import multihop
from multihop import catalogue
from multihop.validation import reference
from tests.conftest import CHAIN, Called

WAYPOINT = (
    CHAIN.replace("hops = 2", "nodes = 5").replace("spacing_m = 200", "area_m = [300, 200]")
).replace('"chain"', '"random"') + '[mobility]\nkind = "random-waypoint"\npause_s = 2\n'


def test_movement_is_written_to_a_file_that_a_scenario_takes(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "waypoint.toml").write_text(WAYPOINT)
    done = called("movement", "waypoint.toml", "--seed", 7, "--out", "move.tcl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = (tmp_path / "move.tcl").read_text()
    assert text == multihop.movement(WAYPOINT, seed=7) != multihop.movement(WAYPOINT, seed=8)
    assert text.count(" setdest ") >= 5
    (tmp_path / "replay.toml").write_text(
        WAYPOINT.split("[mobility]")[0]
        .replace('"random"', '"setdest"\nfile = "move.tcl"')
        .replace("seed = 3", "")
    )
    again = called("movement", "replay.toml", "--out", "again.tcl")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again.tcl").read_text().splitlines()[4:] == text.splitlines()[4:]


def test_settings_reach_the_movement() -> None:
    standing = multihop.movement(WAYPOINT, set={"mobility": {"kind": "static"}})
    assert "setdest" not in standing
    assert standing.count("set X_") == 5


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "move.tcl does not exist"),
        ("$node_(9) set X_ 1\n", "move.tcl: line 1: must name a node, 0 to 4 (got 9)"),
        ('# cut\n$ns_ at 1.0 "$node_(1) setd', "line 2: is no line of a setdest file, or is cut"),
    ],
)
def test_a_bad_movement_file_is_one_line_and_exit_2(
    content: str | None, says: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "bad.toml").write_text(
        WAYPOINT.split("[mobility]")[0].replace('"random"', '"setdest"\nfile = "move.tcl"')
    )
    if content is not None:
        (tmp_path / "move.tcl").write_text(content)
    for command in (["run", "bad.toml"], ["movement", "bad.toml", "--out", "out.tcl"]):
        done = called(*command)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "topology.file: " in done.stderr
        assert says in done.stderr
    assert not (tmp_path / "out.tcl").exists()


def test_a_folder_that_is_missing_is_said_first(tmp_path: Path, called: Called) -> None:
    (tmp_path / "waypoint.toml").write_text(WAYPOINT)
    done = called("movement", "waypoint.toml", "--out", "no/move.tcl")
    assert (done.returncode, done.stderr) == (
        2,
        "multihop: no/move.tcl: its folder does not exist\n",
    )


def test_mobile_reference_cases_move_as_their_file_says() -> None:
    case = reference.load(catalogue.reference_folder() / "mobile50-20mps-1flow-aodv-01.json")
    file = catalogue.reference_folder() / "move-50n-20mps-001.setdest.tcl"
    assert case.scenario["topology"] == {
        "kind": "setdest",
        "file": str(file),
        "nodes": 50,
        "area_m": [1500, 300],
    }
    ours, theirs = (
        [line.split() for line in text.splitlines() if "setdest" in line]
        for text in (multihop.movement(case.scenario), file.read_text())
    )
    # The file goes on a little after the end of the run; our times are whole nanoseconds.
    assert 200 < len(ours) <= len(theirs)
    for our, their in zip(ours, theirs, strict=False):
        assert our[3:] == their[3:]
        assert float(our[2]) == pytest.approx(float(their[2]), abs=1e-9)
