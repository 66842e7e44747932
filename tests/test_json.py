"""`multihop --json`: results and errors for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from multihop import Study
from multihop.cli import listing
from multihop.cli.commands import SECTIONS
from multihop.errors import ScenarioError
from multihop.faults import fault
from tests.conftest import Called

SCENARIO = """duration_s = 2
[topology]
kind = "chain"
hops = 2
[[flows]]
kind = "ftp"
source = 0
destination = 2
"""


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    (tmp_path / "mesh.toml").write_text(SCENARIO)
    (tmp_path / "bad.toml").write_text(SCENARIO.replace("hops = 2", "hops = 0"))
    return tmp_path


def error(called: Called, code: int, *arguments: str) -> dict[str, Any]:
    done = called("--json", *arguments)
    assert done.returncode == code
    told: dict[str, Any] = json.loads(done.stdout)["error"]
    assert told["exit_code"] == code
    assert done.stderr == f"multihop: {told['message']}\n"
    return told


def test_results_are_json_wherever_a_command_has_them(mesh: Path, called: Called) -> None:
    assert mesh.is_dir()
    assert json.loads(called("--json", "run", "mesh.toml").stdout)["flows"]
    assert json.loads(called("--json", "list", "schemes").stdout)[0]
    assert json.loads(called("--json", "bound", "mesh.toml").stdout)["total_bps"] > 0
    checked = called("--json", "check", "mesh.toml", "bad.toml", "none.toml")
    right, wrong, missing = json.loads(checked.stdout)
    assert checked.returncode == 2
    assert right["is_right"]
    assert not missing["is_right"]
    assert missing["error"]["message"].startswith("none.toml: No such file")
    assert (wrong["error"]["key"], wrong["error"]["line"]) == ("topology.hops", 4)


def test_an_error_has_its_place_and_what_is_allowed(mesh: Path, called: Called) -> None:
    assert mesh.is_dir()
    told = error(called, 2, "run", "bad.toml")
    assert (told["file"], told["key"], told["line"]) == ("bad.toml", "topology.hops", 4)
    told = error(called, 2, "run", "mesh.toml", "--set", "radio.propagation=two-ray")
    assert told["near"] == "two-ray-ground"
    assert "free-space" in told["allowed"]
    told = error(called, 2, "run", "mesh.toml", "--set", "transport.pacing.spread_factor=-1")
    assert (told["low"], told["high"]) == (0, 1000)
    assert error(called, 2, "run", "mesh.toml", "--set", "mac.retri=1")["key"] == "mac.retri"
    assert "no such command" in error(called, 2, "rum")["message"].lower()
    assert error(called, 2, "schema", "transport.scheem")["near"] == "transport.scheme"
    assert "schemes" in error(called, 2, "list", "shemes")["allowed"]
    assert error(called, 2, "run", "none.toml")["kind"] == "Failure"


STUDY = """title = "windows"
question = "Does a wider window help?"
schemes = ["aodv"]
baseline = "aodv"
metrics = ["goodput_bps"]
scenario = "mesh.toml"
[axes.window]
key = "transport.window_segments"
values = [1, 8]
[scale.quick]
networks = 1
"""
HOPS = {"file": "bad.toml", "key": "topology.hops", "line": 4, "low": 1}
METRIC = {"key": "metrics", "line": 5, "near": "goodput_bps"}
WRONG: dict[str, dict[str, Any]] = {
    "run bad.toml": HOPS,
    "service bad.toml": HOPS,
    "emulate bad.toml": HOPS,
    "explain bad.toml": HOPS,
    "replay bad.toml --out a.html": HOPS,
    "draw bad.toml --out a.png": HOPS,
    "bound bad.toml": HOPS,
    "export bad.toml --to geojson --out a.json": HOPS,
    "movement bad.toml --out a.tcl": HOPS,
    "study run bad-study.toml": METRIC,
    "assumptions bad-study.toml": METRIC,
    "study report none": {"key": "folder"},
    "plan mesh.toml --grid 0": {"key": "--grid"},
    "list shemes": {"key": "what", "allowed": [*listing.WHAT]},
    "schema transport.scheem": {"near": "transport.scheme"},
    "headlines ccra": {"near": "ccar"},
    "reproduce ccra": {"near": "ccar"},
    "demo --workers 0": {"key": "--workers", "low": 1},
    "lab mesh.toml --port 70000": {"key": "--port"},
    "validate --workers 0": {"key": "--workers", "low": 1},
    "compare mesh.toml --with ns3": {"key": "--with", "allowed": ["ns2"]},
    "compare mesh.toml --with ns2 --seeds 1": {"key": "--seeds", "low": 2},
    "new --kind a": {"key": "--kind"},
    "import none.json": {"message": "none.json: No such file or directory"},
    "new-scheme a --kind rooting": {"key": "--kind"},
    "new-paper a --kind b": {"key": "--kind"},
    "mcp --nodes 0": {"key": "--nodes", "low": 2},
    "completion zish": {"key": "shell", "allowed": ["bash", "zsh", "fish"]},
}


@pytest.mark.parametrize("line", WRONG)
def test_every_command_tells_where_input_is_wrong(line: str, mesh: Path, called: Called) -> None:
    (mesh / "bad-study.toml").write_text(STUDY.replace("goodput_bps", "goodput_bpz"))
    told = error(called, 2, *line.split())
    assert {key: told.get(key) for key in WRONG[line]} == WRONG[line]


def test_every_command_is_tried_with_wrong_input() -> None:
    tried = {line.split()[0] for line in WRONG} | {"check"}  # whose errors are its result
    assert tried == {name for section in SECTIONS.values() for name in section}


def test_a_study_s_summary_is_json(mesh: Path, called: Called) -> None:
    (mesh / "study.toml").write_text(STUDY)
    command = ["--json", "study", "run", "study.toml", "--out", "out", "--workers", 1]
    done = called(*command)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout, parse_constant=pytest.fail)
    assert (told["runs"], told["planned"], told["failures"]) == (2, 2, [])
    assert [row["window"] for row in told["summary"]] == [1, 8]
    one, eight = (row["value"] for row in told["summary"])
    assert told["summary"][0]["low"] is None, "one network has no interval"
    results = Study.read(mesh / "out" / "study.toml").open(mesh / "out")
    assert [one, eight] == results.summary()["value"].to_list()
    assert told["answers"]
    part = called(*command, "--shard", "1/2", "--json", "part.json")
    assert part.stdout.startswith("part 1 of 2 done; ")
    assert "summary" not in json.loads((mesh / "part.json").read_text())


@pytest.mark.needs("ns")
def test_a_comparison_is_json(mesh: Path, called: Called) -> None:
    assert mesh.is_dir()
    done = called("--json", "compare", "mesh.toml", "--with", "ns2", "--seeds", 2)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout, parse_constant=pytest.fail)
    assert (told["seeds"], told["peer"], told["tolerance"]) == ([1, 2], "ns2", 0.1)
    assert told["scenario"]["topology"]["hops"] == 2
    figures = {figure["figure"]: figure for figure in told["figures"]}
    assert {"RTS sent", "collisions"} <= {*figures}
    for found in figures.values():
        ours, theirs = found["ours"]["value"], found["theirs"]["value"]
        if theirs:
            assert found["difference"] == pytest.approx(ours / theirs - 1)
        assert found["verdict"] in ("agrees", "differs", "cannot tell")


@pytest.mark.parametrize(
    ("said", "allowed"),
    [
        ("unknown key; did you mean `hops`?", {"near": "hops"}),
        ("unknown key; allowed: hops, spacing_m", {"allowed": ["hops", "spacing_m"]}),
        ('must be one of "a-b", "c" (got "a-c")', {"allowed": ["a-b", "c"], "near": "a-b"}),
        ("must be 0.5 to 1e6 (got 0)", {"low": 0.5, "high": 1e6}),
        ("must be 1 or more (got 0)", {"low": 1}),
        ("must be at most 8 here (got 9)", {"high": 8}),
        ("none: no paper; there are ccar, a/b", {"allowed": ["ccar", "a/b"]}),
        ("unknown; did you mean 'dcar'?", {"near": "dcar"}),
        ("is missing", {}),
    ],
)
def test_what_is_allowed_is_read_from_the_fault(said: str, allowed: dict[str, Any]) -> None:
    told = fault(ScenarioError.at("topology.hops", said))
    assert {key: told[key] for key in told if key not in ("kind", "message", "key", "fault")} == (
        allowed
    )
