"""Starting from a template, checking files without running them, and JSON scenarios."""

import json
import tomllib
from pathlib import Path

import pytest

import multihop
from multihop import ScenarioError, json_text
from tests.conftest import CHAIN, Called

STUDY = """\
title = "two windows"
question = "Which window?"
scenario = "chain.toml"
schemes = ["aodv", "static"]
[axes.window]
key = "transport.window_segments"
values = [2, 4, 8]
[scale.quick]
networks = 1
only = { window = [2] }
[scale.full]
networks = 5
"""
READING = """\
title = "mine"
argument = "A choice that a test makes."
tried = "none"
[[choices]]
about = "local repair"
taken = "off"
source = "chosen"
reason = "because a test says so"
set = { "routing.local_repair" = false }
schemes = ["aodv"]
"""


@pytest.fixture
def files(chain: Path) -> Path:
    """A folder with a scenario, a study and a reading, and the scenario as JSON."""
    (chain.parent / "chain.json").write_text(json.dumps(tomllib.loads(CHAIN), indent=1))
    (chain.parent / "study.toml").write_text(STUDY)
    (chain.parent / "ours").mkdir()
    (chain.parent / "ours" / "late.toml").write_text(READING)
    return chain.parent


def test_what_is_new_is_right_and_runs(tmp_path: Path, called: Called) -> None:
    made = called("new", 'a "mesh')
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in (tmp_path / 'a "mesh').iterdir()) == [
        "scenario.toml",
        "study.toml",
    ]
    checked = called("check", 'a "mesh/scenario.toml', 'a "mesh/study.toml')
    assert checked.returncode == 0, checked.stdout
    ran = called("run", 'a "mesh/scenario.toml', "--set", "duration_s=5", "--json", "-")
    assert ran.stderr == ""
    assert json.loads(ran.stdout)["scenario"]["title"] == 'a "mesh'


def test_new_overwrites_nothing(tmp_path: Path, called: Called) -> None:
    assert called("new", "mesh", "--scenario").returncode == 0
    (tmp_path / "mesh" / "scenario.toml").write_text("mine")
    again = called("new", "mesh")
    assert again.returncode == 2
    assert again.stderr == "multihop: mesh/scenario.toml: is there already\n"
    assert (tmp_path / "mesh" / "scenario.toml").read_text() == "mine"
    assert not (tmp_path / "mesh" / "study.toml").exists()
    assert called("new", "mesh", "--study").returncode == 0


def test_a_new_mesh_is_a_folder(called: Called, tmp_path: Path) -> None:
    said = called("new", "mesh.toml")
    assert said.returncode != 0
    assert said.stderr == "multihop: mesh.toml: is to be a folder; try `multihop new mesh`\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "study.toml"], "a study, not a scenario; multihop study run study.toml"),
        (["draw", "study.toml"], "a study, not a scenario; multihop study run study.toml"),
        (["study", "run", "chain.toml"], "a scenario, not a study; multihop run chain.toml"),
        (["assumptions", "chain.toml"], "a scenario, not a study; multihop run chain.toml"),
    ],
)
def test_the_other_kind_of_file_is_called_by_its_name(
    arguments: list[str], says: str, called: Called
) -> None:
    done = called(*arguments)
    assert done.returncode == 2
    assert done.stderr == f"multihop: {arguments[-1]}: {says}\n"


def test_check_says_what_each_file_is_and_what_a_study_would_run(
    files: Path, called: Called
) -> None:
    names = ["chain.toml", "chain.json", "study.toml", "ours/late.toml", "six-hops", "ccar/ours"]
    done = called("check", *names)
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "chain.toml: ok, a scenario: less than a second a run",
        "chain.json: ok, a scenario: less than a second a run",
        "study.toml: ok, a study: quick 2 cells on 1 network, 2 runs, less than a second; "
        "full 6 cells on 5 networks, 30 runs, less than a second",
        "ours/late.toml: ok, a reading: mine",
    ]
    assert lines[4] == "six-hops: ok, a scenario: less than a second a run"
    assert lines[5].startswith("ccar/ours: ok, a reading: ")
    assert {path.name for path in files.iterdir()} == {
        "chain.json", "chain.toml", "ours", "study.toml",
    }  # fmt: skip


def test_precision_makes_it_a_least_number_of_runs(files: Path, called: Called) -> None:
    precision = '[precision]\nmetric = "goodput_bps"\nrelative_half_width = 0.1\nlimit = 9\n'
    (files / "study.toml").write_text(STUDY + precision)
    said = called("check", "study.toml").stdout.rstrip()
    assert said.endswith(
        "2 runs, less than a second; full 6 cells on 5 networks, 30 runs or more, "
        "less than a second"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("chain.toml", "hops = 2", "hopz = 2", "chain.toml: line 7: topology.hopz: unknown key"),
        ("chain.toml", "seed = 3", "title = 'x'", "line 3: not TOML: duplicate key title"),
        ("chain.toml", "[topology]", "[topology]\n[topology]", "duplicate key topology"),
        ("chain.json", '"hops": 2', '"hopz": 2', "chain.json: line 7: topology.hopz: unknown key"),
        ("chain.json", '"source": 0', '"source": 99', "chain.json: line 13: flows.0.source: "),
        ("chain.json", '"hops": 2', '"hops": ', "chain.json: line 7: not JSON: "),
        ("chain.json", '"hops": 2', '"kind": 2', "chain.json: line 7: duplicate key kind"),
        ("study.toml", "4, 8]", "4, -8]", "study.toml: line 5: axes.window: aodv "),
        ("study.toml", "networks = 5", "netwrks = 5", "study.toml: line 12: scale.full.netwrks: "),
        ("study.toml", "chain.toml", "no.toml", "study.toml: line 3: scenario: no.toml: No such"),
        ("ours/late.toml", '"chosen"', '"guess"', "ours/late.toml: line 7: choices.0.source: "),
        (
            "ours/late.toml",
            '"aodv"',
            '"aodw"',
            "ours/late.toml: line 10: choices.0.schemes: no scheme",
        ),
        (
            "ours/late.toml",
            "local_repair",
            "repair",
            "ours/late.toml: line 9: choices.0.set: aodv: ",
        ),
    ],
)
def test_check_names_file_line_and_key_and_goes_on(
    file: str, old: str, new: str, says: str, files: Path, called: Called
) -> None:
    text = (files / file).read_text()
    assert old in text
    (files / file).write_text(text.replace(old, new, 1))
    done = called("check", file, "six-hops")
    assert done.returncode == 2
    assert done.stderr == ""
    wrong, right = done.stdout.splitlines()
    assert wrong.startswith(f"{file}: ")
    assert says in wrong
    assert right == "six-hops: ok, a scenario: less than a second a run"


def test_a_scenario_may_be_json(files: Path, called: Called) -> None:
    ours, theirs = multihop.run(files / "chain.json"), multihop.run(files / "chain.toml")
    assert ours.json["flows"] == theirs.json["flows"]
    warned = called("run", "chain.json", "--scheme", "dsr", "--set", "duration_s=2")
    assert warned.returncode == 0
    blamed = called("run", "chain.json", "--set", "mac.que=3")
    assert blamed.stderr.startswith("multihop: --set mac.que=3: unknown key")


def test_a_file_in_a_json_scenario_is_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "nodes.tcl").write_text(
        "".join(
            f"$node_({node}) set X_ {150.0 * node}\n$node_({node}) set Y_ 0.0\n"
            f"$node_({node}) set Z_ 0.0\n"
            for node in range(2)
        )
    )
    scenario = {
        "duration_s": 2,
        "topology": {"kind": "setdest", "nodes": 2, "area_m": [200, 100], "file": "nodes.tcl"},
        "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
    }
    (tmp_path / "deep" / "two.json").write_text(json.dumps(scenario))
    assert multihop.run(tmp_path / "deep" / "two.json").flows["delivered_segments"][0] > 0


def test_lines_of_json_are_found_in_any_layout() -> None:
    text = '{"a": [1,\n {"b":\n 2, "c": "}\\"", \n"d": [[], {}, 3]}],\n "e" : null}'
    places = {"a": 1, "a.0": 1, "a.1": 2, "a.1.b": 2, "a.1.c": 3, "a.1.d": 4, "a.1.d.2": 4, "e": 5}
    assert {path: json_text.line_of(text, path) for path in places} == places
    assert json_text.line_of(text, "a.1.no") == 2
    assert json_text.line_of(text, "no") is None


def test_what_is_no_json_object_is_refused() -> None:
    for text in ("[]", "3", "", "[" * 100_000, '{"a": ' * 600 + "1" + "}" * 600 + ","):
        with pytest.raises(ScenarioError):
            json_text.parse(text)
