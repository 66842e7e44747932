"""Movement: as a file of ns-2's setdest, from the command line and from Python."""

import json
import tomllib
from pathlib import Path

import pytest

import multihop
from multihop import catalogue, hearing
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


HAND_WRITTEN = """\
# numbered from 6, in another order than that of time; the first sample is at 1000 s
$n(6) set X_ -120.5;  $n(6) set Y_ -3.2
$n(9) set X_ 0.0; $n(9) set Y_ 0.0   ;# the gate
$ns at 1020.0 {$n(6) set X_ 30}
$ns at 1002.0 "$n(6) setdest -20.0 -3.2 10.0"
"""
CARS = """
duration_s = 30
[topology]
kind = "setdest"
file = "cars.tcl"
nodes = 2
area_m = [500, 500]
[mobility]
start_s = 1000
[[flows]]
kind = "cbr"
source = 0
destination = 1
start_s = 1
packet_bytes = 500
rate_bps = 4e4
"""


def test_a_file_as_people_have_it_is_read_said_and_written_again(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "cars.tcl").write_text("\ufeff" + HAND_WRITTEN.replace("\n", "\r\n"))
    (tmp_path / "cars.toml").write_text(CARS)
    result = multihop.run(tmp_path / "cars.toml", record=multihop.Recording(routes_interval_s=1.0))
    assert result.json["node_numbers"] == [6, 9]
    numbers, area = result.warnings
    assert "6 is node 0, 9 is node 1" in numbers
    assert "its area of 500 m by 500 m begins at (-120.5, -3.2)" in area
    (way, gate) = hearing.of(result).ways
    expected = [(0, -120.5), (2, -120.5), (12.05, -20), (20 - 1e-9, -20), (20, 30), (30, 30)]
    assert [(time_s, x) for time_s, x, _ in way] == [pytest.approx(knot) for knot in expected]
    assert {(x, y) for _, x, y in gate} == {(0.0, 0.0)}
    # What is written begins at 0, and a topology reads it, with an area or without.
    assert called("movement", "cars.toml", "--out", "again.tcl").returncode == 0
    written = (tmp_path / "again.tcl").read_text()
    for area_m in ("area_m = [500, 500]", ""):
        again = CARS.replace("cars.tcl", "again.tcl").replace("start_s = 1000", "")
        (tmp_path / "again.toml").write_text(again.replace("area_m = [500, 500]", area_m))
        run = multihop.run(tmp_path / "again.toml")
        assert run.json["engine"]["fingerprint"] == result.json["engine"]["fingerprint"]
        assert multihop.movement(tmp_path / "again.toml") == written


def test_a_run_that_ends_before_the_file_moves_anybody_is_told_where_it_does(
    tmp_path: Path,
) -> None:
    (tmp_path / "cars.tcl").write_text(HAND_WRITTEN)
    (tmp_path / "cars.toml").write_text(CARS)
    early = multihop.run(tmp_path / "cars.toml", set={"mobility": {"start_s": 0}})
    assert early.warnings[-1].endswith(
        "moves no node before 1002 s, and the run ends at 30 s of it: mobility.start_s = 1002 "
        "begins there"
    )
    late = multihop.run(tmp_path / "cars.toml", set={"mobility": {"start_s": 2000}})
    assert late.warnings[-1].endswith("moves no node after 2000 s, where mobility.start_s begins")
    assert late.json["positions_m"][0] == [30, -3.2]


def test_a_scenario_in_json_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "waypoint.json").write_text("\ufeff" + json.dumps(tomllib.loads(WAYPOINT)))
    assert multihop.movement(tmp_path / "waypoint.json") == multihop.movement(WAYPOINT)


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
