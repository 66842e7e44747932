"""Positions from a CSV file: wherever a scenario is taken, and whatever is wrong with the file."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import multihop
from multihop import catalogue, engine
from multihop.study import Study, StudyError
from tests.conftest import Called

SCENARIO = """
duration_s = 3
[topology]
kind = "positions"
file = "roofs.csv"
[[flows]]
kind = "ftp"
source = "last"
destination = 0
"""
ROOFS = 'id,name,x_m,y_m\n0,gate,0,0\n1,mill,200,0\n2,"farm, east",400,0\n'
STUDY = """
title = "roofs"
question = "Which roofs?"
schemes = ["aodv"]
{scenario}
[axes.site]
key = "topology.file"
values = ["roofs.csv", "fewer.csv"]
[scale.quick]
networks = 1
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a scenario and its positions, which is not where commands are called."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "mesh.toml").write_text(SCENARIO)
    (folder / "roofs.csv").write_text(ROOFS)
    (folder / "fewer.csv").write_text("x_m,y_m\n0,0\n150,0\n")
    return folder


def test_a_file_gives_the_run_that_its_positions_give(site: Path) -> None:
    from_file = multihop.run(site / "mesh.toml")
    named = 'names = ["gate", "mill", "farm, east"]\npositions_m = [[0, 0], [200, 0], [400, 0]]'
    listed = SCENARIO.replace('file = "roofs.csv"', named)
    written = multihop.run(listed.replace('"last"', "2"))
    assert from_file.json["engine"]["fingerprint"] == written.json["engine"]["fingerprint"]
    # A result can be run again without the file, on another machine for instance.
    assert from_file.scenario == written.scenario


def test_spreadsheets_and_degrees_give_the_run_that_metres_give(site: Path) -> None:
    metres = multihop.run(site / "mesh.toml").json
    (site / "roofs.csv").write_text("x_m;y_m;name\r\n0,0;0;Tor\r\n200;0;Mühle\r\n4e2;0,0;Hof\r\n")
    spreadsheet = multihop.run(site / "mesh.toml").json
    assert spreadsheet["engine"]["fingerprint"] == metres["engine"]["fingerprint"]
    # A degree of the equator is 111 195 m.
    (site / "roofs.csv").write_text("lat,lon\n0,0\n0,0.0018\n0,0.0036\n")
    places = multihop.run(site / "mesh.toml").json["positions_m"]
    assert [x for x, _ in places] == pytest.approx([0, 200.15, 400.3], abs=0.01)


def test_two_routers_on_one_roof_are_said_and_run(site: Path) -> None:
    (site / "roofs.csv").write_text("id,x_m,y_m\n0,0,0\n1,0,0\n2,150,0\n")
    for reception in ({}, {"radio": {"reception": "sinr"}, "mac": {"phy": "802.11g"}}):
        result = multihop.run(site / "mesh.toml", set=reception)
        assert result.warnings == ["nodes stand in one place: 0 and 1"]
        assert result.json["flows"][0]["goodput_bps"] > 0


def test_degrees_that_stand_for_metres_are_asked_about(site: Path) -> None:
    (site / "roofs.csv").write_text("x_m,y_m\n12.37,51.34\n12.3715,51.341\n12.43,51.36\n")
    (warning,) = multihop.run(site / "mesh.toml").warnings
    assert "are these degrees?" in warning


def test_commands_find_the_file_beside_the_scenario(site: Path, called: Called) -> None:
    file = f"{site.name}/mesh.toml"
    done = called("run", file, "--json", "-")
    assert json.loads(done.stdout)["flows"][0]["source"] == 2
    assert called("check", file).stdout == f"{file}: ok, a scenario: less than a second a run\n"
    assert called("draw", file, "--out", "mesh.svg").returncode == 0


@pytest.mark.parametrize("scenario", ['scenario = "mesh.toml"', None])
def test_a_study_varies_files_beside_it(scenario: str | None, site: Path, tmp_path: Path) -> None:
    given = scenario or SCENARIO.replace("[topology]", "[scenario.topology]").replace(
        "[[flows]]", "[[scenario.flows]]"
    ).replace("duration_s", "[scenario]\nduration_s")
    (site / "study.toml").write_text(STUDY.format(scenario=given))
    results = Study.read(site / "study.toml").run(tmp_path / "out", workers=1)
    assert results.flows.sort("site")["hops"].to_list() == [1, 2]
    again = Study.read(tmp_path / "out" / "study.toml").open(tmp_path / "out")
    assert again.finished == 2


@pytest.mark.parametrize(
    ("roofs", "says"),
    [
        (None, "roofs.csv does not exist"),
        (
            "x,y\n0,0\n",
            "roofs.csv: line 1: must name columns x_m and y_m, or lat and lon,",
        ),
        ("x_m,y_m\n0,0\n1,one\n", "roofs.csv: line 3: y_m must be a number of at most"),
        (
            "id,x_m,y_m\n7,0,0\n7,1,1\n",
            'roofs.csv: line 3: id must be another than that of line 2 (got "7")',
        ),
        ("x_m,y_m,z\n0,0,3\n\n9,0,4\n", "roofs.csv: line 4: z must be the same for all nodes"),
        ("x_m,y_m\n", "roofs.csv: has no nodes"),
    ],
)
def test_a_fault_names_the_line_of_the_file(
    roofs: str | None, says: str, site: Path, called: Called
) -> None:
    (site / "roofs.csv").unlink()
    if roofs is not None:
        (site / "roofs.csv").write_text(roofs)
    for command in (["run"], ["check"], ["draw", "--out", "mesh.svg"]):
        done = called(*command, "site/mesh.toml")
        (line,) = (done.stdout + done.stderr).splitlines()
        assert done.returncode == 2
        assert "topology.file: " in line
        assert says in line
    (site / "study.toml").write_text(STUDY.format(scenario='scenario = "mesh.toml"'))
    with pytest.raises(StudyError, match=r"topology\.file: ") as fault:
        Study.read(site / "study.toml").cells()
    assert says in str(fault.value)


def test_the_last_node_follows_a_sweep_and_is_a_number_in_the_result() -> None:
    scenario = {
        "duration_s": 1,
        "topology": {"kind": "chain", "hops": 2},
        "flows": [{"kind": "ftp", "source": 0, "destination": "last"}],
    }
    study = Study(
        title="hops",
        question="How far?",
        scenario=scenario,
        schemes=["aodv"],
        axes={"hops": {"key": "topology.hops", "values": [1, 3]}},
        scale={"quick": {"networks": 1}},
    )
    cells = study.cells()
    assert [json.loads(cell.text)["flows"][0]["destination"] for cell in cells] == [1, 3]
    by_number = {**scenario, "flows": [{"kind": "ftp", "source": 0, "destination": 2}]}
    resolved = [
        engine.resolve(json.dumps(tables), syntax="json") for tables in (scenario, by_number)
    ]
    assert resolved[0] == resolved[1]


def test_the_example_has_a_name_for_each_node() -> None:
    table = (catalogue.scenario_folder() / "rooftops.csv").read_text("utf-8").splitlines()
    result = multihop.run(catalogue.scenario_file("rooftops"), set={"duration_s": 2})
    assert len(result.json["positions_m"]) == len(table) - 1


def test_the_schema_has_either_positions_or_a_file() -> None:
    validator = Draft202012Validator(engine.schema())
    flow = {"kind": "ftp", "source": "last", "destination": 0}
    placed = {"positions_m": [[0, 0], [1, 0]]}
    for keys, valid in (
        (placed, True),
        ({"file": "roofs.csv"}, True),
        ({**placed, "file": "roofs.csv"}, False),
        ({}, False),
    ):
        topology = {"kind": "positions", **keys}
        scenario = {"duration_s": 1, "topology": topology, "flows": [flow]}
        assert validator.is_valid(scenario) == valid, keys
    topology = {"kind": "positions", **placed}
    for source, valid in (("last", True), ("a name", True), (["last"], False), (-1, False)):
        flows = [{**flow, "source": source}]
        assert validator.is_valid({"duration_s": 1, "topology": topology, "flows": flows}) == valid
