"""Names of nodes and flows: wherever people are told of one, they are told its name."""

import json
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import foreign
from multihop.explain import explain
from multihop.nodes import Nodes
from multihop.playback.page import page
from multihop.study import Study, figures
from tests.conftest import Called
from tests.test_replay import facts_of

ENDS = "Bäckerei (0) → town hall; b (2)"
MESH: dict[str, Any] = {
    "title": "mesh",
    "duration_s": 12,
    "topology": {"kind": "positions", "file": "mesh.csv"},
    "flows": [
        {"kind": "ftp", "name": "backup", "source": "Bäckerei", "destination": "town hall; b"},
        {"kind": "voice", "name": "call", "source": 1, "destination": "Bäckerei", "start_s": 1},
    ],
}
PLACES = "name;x_m;y_m\nBäckerei;0;0\n(school);200;0\ntown hall; b;400,0;0\n".replace(
    "town hall; b", '"town hall; b"'
)
KILLED = [
    {"kind": "node-kill", "node": "(school)", "at_s": 4},
    {"kind": "node-restore", "node": "(school)", "at_s": 7},
]


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    """A scenario of three named nodes, whose places a spreadsheet of Windows wrote."""
    (tmp_path / "mesh.csv").write_bytes(PLACES.encode("cp1252"))
    (tmp_path / "mesh.toml").write_text(multihop.scenario.to_toml(MESH))
    (tmp_path / "killed.toml").write_text(multihop.scenario.to_toml({**MESH, "events": KILLED}))
    return tmp_path / "mesh.toml"


def test_a_node_is_told_with_its_number_behind_its_name() -> None:
    nodes = Nodes(["church", "1", "a\x1b[31m\u202e\nb"])
    assert nodes.each([0, 1, 2, 3]) == ["church (0)", "1", "a\\x1b[31m\\u202e b (2)", "3"]
    assert [nodes.short(node) for node in (0, 1, 3)] == ["church", "1", "3"]
    assert nodes.told(f"{nodes.marked(0)} to {nodes.marked(1)}") == "church (0) to 1"
    assert Nodes()(7) == Nodes.of({}).marked(7) == "7"
    assert Nodes.of({"topology": {"names": 5}})(7) == "7"


def test_tables_name_nodes_and_flows(mesh: Path, called: Called) -> None:
    assert "was read as Windows-1252" in called("check", mesh).stderr
    for options in ([], ["--seeds", "2"], ["--bound"]):
        said = called("run", mesh, *options, "--set", "duration_s=3")
        assert "mesh.csv: is not UTF-8, and was read as Windows-1252" in said.stderr
        (backup,) = [line for line in said.stdout.splitlines() if "backup" in line]
        assert backup.startswith(" 0 backup ")
        assert ENDS in backup
    bound = called("bound", mesh).stdout
    assert " 0 backup  ftp" in bound
    assert ENDS in bound
    told = json.loads(called("bound", mesh, "--json", "-").stdout)
    assert [flow["name"] for flow in told["flows"]] == ["backup", "call"]
    assert told["node_names"] == ["Bäckerei", "(school)", "town hall; b"]
    queue = called("run", mesh, "--set", "duration_s=3", "--queue", "1").stdout
    assert "node (school) (1): mean " in queue


def test_a_result_has_names_and_one_without_is_as_it_was(mesh: Path) -> None:
    result = multihop.run(mesh, set={"duration_s": 2})
    names = ["Bäckerei", "(school)", "town hall; b"]
    assert result.scenario["topology"]["names"] == names
    again = multihop.run(result.scenario, seed=result.seed)
    assert again.scenario == result.scenario
    places = {"kind": "positions", "positions_m": [[0, 0], [200, 0], [400, 0]]}
    numbers = [{**MESH["flows"][0], "source": 0, "destination": 2}, MESH["flows"][1]]
    numbers[1] = {**numbers[1], "destination": 0}
    plain = multihop.run({**MESH, "duration_s": 2, "topology": places, "flows": numbers})
    assert plain.scenario["topology"] == places
    assert plain.json["engine"]["fingerprint"] == result.json["engine"]["fingerprint"]


def test_explanations_name_them_whatever_a_name_holds(mesh: Path, called: Called) -> None:
    result = multihop.run(mesh.with_name("killed.toml"), events=True)
    found = explain(result)
    backup, call = str(found).split("\nflow 1 ")
    assert backup.startswith("flow 0 (backup), Bäckerei (0) -> town hall; b (2): silent for ")
    # A semicolon of a name ends no reason, in short as in full.
    assert "no path led from Bäckerei (0) to town hall; b (2) [out-of-range" in backup
    assert call.startswith("(call), (school) (1) -> Bäckerei (0): ")
    assert "(school) (1) had been killed" in found.detail
    assert "\0" not in json.dumps(found.json) + found.detail
    assert [flow["name"] for flow in found.json["flows"]] == ["backup", "call"]
    # Numbers alone tell the same, node by node.
    scenario = {**result.scenario, "topology": {**result.scenario["topology"]}}
    names = scenario["topology"].pop("names")
    bare = explain(multihop.run(scenario, seed=result.seed, events=True)).detail
    told = found.detail
    for node, name in enumerate(names):
        told = told.replace(f"{name} ({node})", str(node))
    assert told == bare
    said = called("explain", "killed.toml", "--flow", "0").stdout
    assert said.splitlines()[0] == backup.splitlines()[0]


def test_pictures_and_pages_name_them(mesh: Path, called: Called) -> None:
    called("draw", mesh, "--out", "mesh.svg", "--set", "duration_s=3")
    drawn = (mesh.parent / "mesh.svg").read_text("utf-8")
    for told in (f"{ENDS} (backup)", ">Bäckerei<", ">(school)<", "Bäckerei–(school)–town hall; b"):
        assert told in drawn
    result = multihop.run(
        mesh, set={"duration_s": 3}, events=True, record=multihop.Recording(series_interval_s=0.5)
    )
    facts = facts_of(page(result))
    assert facts["names"] == ["Bäckerei", "(school)", "town hall; b"]
    assert [flow["name"] for flow in facts["flows"]] == ["backup", "call"]
    html = result._repr_html_()
    assert ENDS.replace(" → ", "\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}") in html
    assert "backup (ftp)" in html
    legend = result.plot().to_dict()["encoding"]["color"]["scale"]["domain"]
    assert legend == ["0 backup", "1 call"]
    shown = multihop.Scenario(mesh)._repr_html_()
    assert f"<td>{ENDS}" in shown or ENDS in shown
    assert ">(school)</text>" in shown


def test_names_that_look_like_mathematics_are_drawn_as_text() -> None:
    scenario = {
        "title": r"$\frac{$",
        "duration_s": 2,
        "topology": {"kind": "chain", "hops": 1, "names": [r"$\frac{$", "$a$"]},
        "flows": [{"kind": "ftp", "name": r"$\nothing$", "source": "$a$", "destination": 0}],
    }
    from multihop.draw.run import run_figure
    from multihop.draw.style import rendered

    figure = run_figure(
        multihop.run(scenario, record=multihop.Recording(routes_interval_s=1.0)).json
    )
    drawn = rendered(figure, "svg").decode()
    assert r"$\frac{$" in drawn
    assert "$a$ (1) →" in drawn


def test_captures_and_timelines_name_them(mesh: Path, called: Called) -> None:
    files = ["--pcap", "run.pcapng", "--perfetto", "run.pftrace", "--set", "duration_s=2"]
    assert called("run", mesh, *files).returncode == 0
    capture = (mesh.parent / "run.pcapng").read_bytes()
    # The name of an interface, and that of an address of a name resolution block.
    assert capture.count("Bäckerei (0)".encode()) >= 2
    timeline = (mesh.parent / "run.pftrace").read_bytes()
    assert f"flow 0 (backup): {ENDS}".encode() in timeline
    assert b"node (school) (1)" in timeline


def test_the_series_of_a_study_name_their_flows(mesh: Path) -> None:
    study = {
        "title": "series",
        "question": "How do they fare?",
        "scenario": str(mesh),
        "schemes": ["aodv"],
        "record": {"series_interval_s": 0.5},
        "scale": {"quick": {"networks": 1}},
        "figures": [
            {
                "name": "one",
                "title": "Sequence",
                "x": "time_s",
                "y": "goodput_bps",
                "kind": "series",
            }
        ],
        "axes": {"duration": {"key": "duration_s", "values": [2]}},
    }
    results = Study(**study).run(mesh.parent / "out", workers=1)
    (figure,) = figures.figure_data(results)
    parts = figure.frame["part"].unique().sort().to_list()
    assert parts == ["flow 0 (backup)", "flow 1 (call)"]


def test_names_are_text_of_others() -> None:
    long = Nodes(["x" * 500])
    assert len(long(0)) <= foreign.MOST_CHARACTERS + len(" (0)") + 1
