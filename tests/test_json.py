"""`multihop --json`: results and errors for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
