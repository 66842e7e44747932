"""`multihop mcp`, driven by the SDK's own client over standard input; and hostile arguments."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from multihop import extras

if not extras.has("mcp"):
    pytest.skip(extras.missing("mcp"), allow_module_level=True)

from mcp import Client, StdioServerParameters

CHAIN = """
duration_s = 5
[topology]
kind = "chain"
hops = 3
[[flows]]
kind = "ftp"
source = 0
destination = 3
"""
STUDY = """
title = "windows"
question = "Does a wider window help?"
schemes = ["aodv"]
baseline = "aodv"
metrics = ["goodput_bps"]
[scenario]
duration_s = 4
[scenario.topology]
kind = "chain"
hops = 2
[[scenario.flows]]
kind = "ftp"
source = 0
destination = 2
[axes.window]
key = "transport.window_segments"
values = [1, 8]
[scale.quick]
networks = 2
"""
CODE = "print('code')\nopen('ran', 'w')\nclass Mine:\n    pass\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("meshes")
    (folder / "mine.toml").write_text(CHAIN)
    (folder / "mine.py").write_text(CODE)
    (folder.parent / "secret.toml").write_text(CHAIN + "# secret\n")
    return folder


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, Any]:
    """What every call of `CALLS` gets, of one server."""

    async def ask() -> dict[str, Any]:
        program = StdioServerParameters(
            command=sys.executable,
            args=["-m", "multihop", "mcp", "--folder", str(folder), "--seconds", "4"],
            env=dict(os.environ),
            cwd=folder,
        )
        got: dict[str, Any] = {}
        async with Client(program) as client:
            got["tools"] = (await client.list_tools()).tools
            for name, (tool, arguments) in {
                **CALLS,
                **{k: v[:2] for k, v in HOSTILE.items()},
            }.items():
                begun = time.monotonic()
                got[name] = await client.call_tool(tool, arguments)
                got[f"{name} took"] = time.monotonic() - begun
        return got

    return asyncio.run(asyncio.wait_for(ask(), 120))


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "check": ("check", {"scenario": CHAIN}),
    "run a file": ("run", {"scenario": "mine.toml", "seeds": 3}),
    "a title": ("run", {"scenario": CHAIN, "set": {"title": "see a.pyc"}}),
    "run an example": ("run", {"scenario": "six-hops", "set": {"duration_s": 5}}),
    "compare": ("compare", {"scenario": CHAIN, "schemes": ["aodv", "dsr"], "seeds": 3}),
    "explain": ("explain", {"scenario": CHAIN}),
    "study": ("study", {"study": STUDY}),
    "list": ("list", {"what": "schemes"}),
    "schema": ("schema", {"key": "transport.window_segments"}),
    "wrong": ("check", {"scenario": CHAIN.replace("hops = 3", "hops = -3")}),
    "unknown": ("run", {"scenario": CHAIN, "set": {"transport.window_segmnts": 3}}),
    "misspelt": ("run", {"scenario": CHAIN, "set": {"radio.propagation": "two-ray"}}),
}

HOSTILE: dict[str, tuple[str, dict[str, Any], str]] = {
    "a file of elsewhere": ("run", {"scenario": "../secret.toml"}, "no example and no file"),
    "an absolute file": ("run", {"scenario": "/etc/passwd"}, "no example and no file"),
    "a device": ("check", {"scenario": "/dev/zero"}, "no example and no file"),
    "a zero byte": ("check", {"scenario": "a\0b"}, "no file's name"),
    "code in a scenario": (
        "run", {"scenario": CHAIN + '[transport]\nscheme = "mine.py:Mine"\n'}, "names code"),
    "code in set": ("run", {"scenario": CHAIN, "set": {"transport.scheme": "mine.py:Mine"}},
                    "names code"),
    "code in a table": (
        "run", {"scenario": CHAIN, "set": {"transport": '{scheme = "a.py:A"}'}}, "names code"),
    "code as a scheme": ("run", {"scenario": CHAIN, "scheme": "mine.py:Mine"}, "names code"),
    "code in a study": (
        "study", {"study": STUDY.replace('["aodv"]', '["aodv", "mine.py:Mine"]')}, "names code"),
    "a file in set": ("run", {"scenario": CHAIN, "set": {"topology.file": "/etc/passwd"}},
                      "can't be named here"),
    "a file in a table": (
        "run", {"scenario": CHAIN, "set": {"agents": '[{file = "/etc/passwd"}]'}},
        "can't be named here"),
    "a file in a table of TOML 1.1": (
        "run", {"scenario": CHAIN, "set": {"agents": '[{file = "/etc/passwd",\n}]'}},
        "only TOML 1.0"),
    "a file in a study's scheme": (
        "study", {"study": STUDY.replace(
            '["aodv"]', """["aodv", {name = "b", set = {agents = '[{file="/etc/passwd"}]'}}]""")},
        "can't be named here"),
    "a file in a study's point": (
        "study", {"study": STUDY.replace(
            'key = "transport.window_segments"\nvalues = [1, 8]',
            'points = [{label = "a", set = {"topology.file" = "/etc/passwd"}}]')},
        "can't be named here"),
    "a file as a study's axis": (
        "study", {"study": STUDY.replace("transport.window_segments", "topology.file")},
        "can't be named here"),
    "a policy's file as a scheme": (
        "run", {"scenario": CHAIN, "scheme": "/etc/policy.json"}, "can't be named here"),
    "a policy's file among schemes": (
        "compare", {"scenario": CHAIN, "schemes": ["aodv", "/etc/policy.json"]},
        "can't be named here"),
    "a policy's file among a study's schemes": (
        "study", {"study": STUDY.replace('["aodv"]', '["aodv", "/etc/policy.json"]')},
        "can't be named here"),
    "a reading of a study's scheme": (
        "study", {"study": STUDY.replace(
            '["aodv"]', '["aodv", {name = "b", scheme = "aodv", reading = "../secret.toml"}]')},
        "can't be given here"),
    "schemes that are none": (
        "study", {"study": STUDY.replace('["aodv"]', "5")}, "schemes: "),
    "a paper of elsewhere": ("list", {"what": "claims", "paper": "/etc"}, "must be one of"),
    "a file in a scenario": (
        "run", {"scenario": CHAIN + '[[agents]]\nfile = "../secret.toml"\n'}, "no such file"),
    "a scenario of a study": (
        "study", {"study": 'scenario = "/etc/passwd"\n' + STUDY.split("[scenario]")[0]},
        "example's name"),
    "many nodes": ("check", {"scenario": CHAIN.replace("= 3", "= 5000", 1)}, "than the 1,000"),
    "millions of nodes": ("check", {"scenario": CHAIN.replace("= 3", "= 99999999", 1)}, "possible"),
    "many nodes by set": (
        "run", {"scenario": CHAIN, "set": {"topology.hops": 5000}}, "than the 1,000"),
    "a long run": ("run", {"scenario": CHAIN, "set": {"duration_s": 1e6}}, "must be at most"),
    "a slow run": ("run", {"scenario": "random-200", "seeds": 100, "set": {"duration_s": 3000}},
                   "took more than 4 s"),
    "many seeds": ("run", {"scenario": CHAIN, "seeds": 10**9}, "must be 1 to 100"),
    "a negative seed": ("run", {"scenario": CHAIN, "seed": -1}, "seed: must be 0 to"),
    "many schemes": (
        "compare", {"scenario": CHAIN, "schemes": [f"s{n}" for n in range(9)]}, "must be 2 to 8"),
    "the same scheme": (
        "compare", {"scenario": CHAIN, "schemes": ["aodv"] * 9}, "must be 2 to 8"),
    "a large study": (
        "study", {"study": STUDY.replace("duration_s = 4", "duration_s = 3000"), "networks": 100},
        "more than the 4 s"),
    "a deep text": ("check", {"scenario": "a = " + "[" * 100_000}, "TOML"),
    "a huge text": ("check", {"scenario": "#" + "=" * 2_000_000}, "more than 1,000,000"),
    "a wrong type": ("run", {"scenario": 7}, "string"),
    "no scenario": ("run", {}, "required"),
    "an unknown list": ("list", {"what": "passwords"}, "must be one of"),
    "an unknown key": ("schema", {"key": "transport.scheem"}, "did you mean `transport.scheme`"),
    "an unknown flow": ("explain", {"scenario": CHAIN, "flow": 9}, "flow"),
}  # fmt: skip


def test_the_tools_have_schemas_and_say_what_they_do(answers: dict[str, Any]) -> None:
    tools = {tool.name: tool for tool in answers["tools"]}
    assert {*tools} == {"check", "run", "compare", "explain", "study", "list", "schema"}
    for tool in tools.values():
        assert tool.description
        assert tool.input_schema["properties"]


def test_each_tool_answers_with_data(answers: dict[str, Any]) -> None:
    def data(name: str) -> dict[str, Any]:
        answer = answers[name]
        assert not answer.is_error, answer.content[0].text
        found: dict[str, Any] = json.loads(answer.content[0].text)
        return found

    assert data("check")["is_right"]
    of_file = data("run a file")
    assert of_file["runs"] == 3
    assert of_file["flows"][0]["goodput_bps"]["mean"] > 1e5
    assert data("a title")["runs"] == 1
    assert data("run an example")["total_bps"]["mean"] > 1e4
    compared = data("compare")["schemes"]
    assert compared["dsr"]["total_bps"]["change"]["share"] != 0
    assert "silen" in data("explain")["text"]
    rows = data("study")["summary"]
    assert {row["networks"] for row in rows} == {2}
    assert ["dsr"] in [row[:1] for row in data("list")["schemes"]]
    assert data("schema")["forms"][0]["takes"] == "whole number [segments]"


def test_errors_are_objects_with_place_and_what_is_allowed(answers: dict[str, Any]) -> None:
    def error(name: str) -> dict[str, Any]:
        answer = answers[name]
        assert answer.is_error
        text = answer.content[0].text
        found: dict[str, Any] = json.loads(text[text.index("{") :])["error"]
        return found

    wrong = error("wrong")
    assert (wrong["key"], wrong["line"]) == ("topology.hops", 5)
    assert error("unknown")["near"] == "window_segments"
    assert "two-ray-ground" in error("misspelt")["allowed"]
    assert error("misspelt")["near"] == "two-ray-ground"
    assert error("many seeds")["high"] == 100


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_call_is_refused_in_words_and_in_time(
    name: str, answers: dict[str, Any], folder: Path
) -> None:
    answer = answers[name]
    said = answer.content[0].text
    assert answer.is_error, said[:300]
    assert HOSTILE[name][2] in said
    assert "Traceback" not in said
    assert "secret" not in said.replace("secret.toml", "")
    assert len(said) < 5000
    assert answers[f"{name} took"] < 20
    assert not (folder / "ran").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["mine.py", "mine.toml"]
