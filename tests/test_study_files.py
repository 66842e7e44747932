"""Study files: what they name is beside them; a wrong one is told in one line, with its place."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from multihop.scenario import to_toml
from multihop.study import Study, StudyError
from multihop.study.anchors import anchored
from multihop.study.columns import columns
from multihop.study.selector import SelectorError, parse
from tests.conftest import Called
from tests.test_study import SCENARIO, tables

WRONG = {
    "no title": (tables(title=None), "title: missing"),
    "misspelt key": (tables(shcemes=["aodv"]), "shcemes: unknown key; did you mean schemes?"),
    "unknown scheme": (
        tables(schemes=["aodb"], baseline=None),
        "unknown scheme 'aodb'; did you mean 'aodv'?",
    ),
    "scheme twice": (tables(schemes=["aodv", "aodv"]), "schemes: 'aodv' appears twice"),
    "baseline not there": (tables(baseline="dsr"), "baseline: must be one of aodv, static"),
    "no networks": (
        tables(scale={"quick": {"networks": 0}, "full": {"networks": 5}}),
        r"scale.quick.networks: input should be greater than or equal to 1 \(got 0\)",
    ),
    "axis without values": (
        tables(axes={"w": {"key": "transport.window_segments"}}),
        "axes.w: values: must not be empty",
    ),
    "axis of an unknown key": (
        tables(axes={"w": {"key": "transport.widow_segments", "values": [1]}}),
        "transport.widow_segments: unknown key; did you mean",
    ),
    "two axes of one key": (
        tables(
            axes={
                "w": {"key": "transport.window_segments", "values": [1]},
                "wide": {"key": "transport.window_segments", "values": [2]},
            }
        ),
        "^axes.wide.key: is the key of axes.w, too",
    ),
    "axis of seeds": (
        tables(axes={"s": {"key": "seed", "values": [1, 2]}}),
        "^axes.s.key: is the networks'; say how many with networks",
    ),
    "value out of bounds": (
        tables(axes={"w": {"key": "radio.capture_db", "values": [-1]}}),
        "axes.w: aodv w=-1: radio.capture_db",
    ),
    "key that a kind of figure does not have": (
        tables(figures=[{"name": "f", "title": "F", "x": "jain", "kind": "cdf", "free_y": True}]),
        'figures.0.free_y: not with kind = "cdf", only with line, bar, series, box',
    ),
    "setting of a scheme": (
        tables(schemes=["aodv", {"name": "x", "set": {"mac.cw_mn": 3}}]),
        "schemes.1.set: x window=1: mac.cw_mn: unknown key; did you mean",
    ),
    "key of the scenario": (
        tables(scenario={**SCENARIO, "duration": 3}),
        "^scenario.duration: unknown key; did you mean",
    ),
    "no scenario": (tables(scenario=3), r"^scenario: must be a file's name or a table \(got 3\)"),
    "axis that is a column": (
        tables(axes={"scheme": {"key": "transport.window_segments", "values": [1]}}),
        "^axes.scheme: is the name of another column",
    ),
    "axis that a column of flows would hide": (
        tables(axes={"least_hops": {"key": "transport.window_segments", "values": [1]}}),
        "^axes.least_hops: is the name of another column",
    ),
    "axis that is a column of the series": (
        tables(
            axes={"routing": {"key": "routing.scheme", "values": ["dsr"]}},
            record={"series_interval_s": 1},
        ),
        "^axes.routing: is the name of a column of the recorded series",
    ),
    "metric of the precision": (
        tables(precision={"metric": "good", "relative_half_width": 0.1, "limit": 9}),
        "^precision.metric: unknown metric 'good'",
    ),
    "unknown metric": (tables(metrics=["speed"]), "metrics: unknown metric 'speed'; there are"),
    "misspelt metric": (
        tables(metrics=["good_bps"]),
        "metrics: unknown metric 'good_bps'; did you mean goodput_bps[?]$",
    ),
    "figure over nothing": (
        tables(figures=[{"name": "f", "title": "F", "x": "hop", "y": "jain"}]),
        "figures.0.x: must be one of window, scheme",
    ),
    "condition": (
        tables(figures=[{"name": "f", "title": "F", "x": "window", "y": "jain", "where": "hops"}]),
        "figures.0.where: 'hops': must be of the form column == value",
    ),
    "range of text": (
        tables(
            figures=[
                {"name": "f", "title": "F", "x": "window", "y": "jain", "where": "window in 1..3it"}
            ]
        ),
        "figures.0.where: 'window in 1..3it': a and b of column in a..b must be numbers$",
    ),
    "group": (tables(group=["colour"]), r"group: must be of .* \(got 'colour'\)"),
}


def test_text_fulfils_no_condition_about_numbers() -> None:
    rows = pl.DataFrame({"scheme": ["aodv", "3"], "hops": [1.0, 4.0]})
    found = {
        condition: rows.filter(parse(condition, rows.columns))["scheme"].to_list()
        for condition in ["scheme == 3", "scheme in 1..5", "scheme == aodv", "hops in 1..3"]
    }
    assert found == {
        "scheme == 3": ["3"],
        "scheme in 1..5": ["3"],
        "scheme == aodv": ["aodv"],
        "hops in 1..3": ["aodv"],
    }


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_study_names_the_key(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        Study(**wrong).cells()
    assert "\n" not in str(caught.value)


FILE = """\
title = "windows"
question = "Which?"
schemes = [
  "aodv",
  { name = "other", scheme = "aodv", set = { "mac.cw_min" = 15 } },
]
scenario = "two-hops.toml"
metrics = ["goodput_bps"]

[axes.window]
key = "transport.window_segments"
values = [
  1,
  4,
]

[scale]
quick = { networks = 1 }
full = { networks = 2 }

[[figures]]
name = "first"
title = "First"
x = "window"
y = "goodput_bps"

[[figures]]
name = "second"
title = "Second"
x = "window"
y = "goodput_bps"
"""

IN_THE_FILE = {
    "syntax": ("quick = {", "quick = = {", "line 18: not TOML: extra `=`, expected nothing"),
    "key": ("metrics =", "metrisc =", "line 8: metrisc: unknown key; did you mean metrics?"),
    "scheme": ('"aodv",\n', '"aodb",\n', "line 4: schemes.0: unknown scheme 'aodb'"),
    "setting": ("mac.cw_min", "mac.cw_mn", "line 5: schemes.1.set: other window=1: mac.cw_mn"),
    "axis": ("  4,", "  -4,", "line 10: axes.window: aodv window=-4: transport.window_segments"),
    "scale": ("networks = 2", "networks = 0", "line 19: scale.full.networks: input should be"),
    "figure": ('"Second"\nx = "w', '"Second"\nx = "v', "line 30: figures.1.x: must be one of"),
    "metric": ('["goodput_bps"]', '["speed"]', "line 8: metrics: unknown metric 'speed'"),
    "scenario": ("two-hops.toml", "none.toml", "line 7: scenario: none.toml: No such file"),
    "its scenario": ("two-hops.toml", "bad.toml", "line 7: scenario: bad.toml: line 1: durat: "),
    "missing": ('question = "Which?"\n', "", "question: missing"),
}


@pytest.mark.parametrize(("good", "bad", "says"), IN_THE_FILE.values(), ids=IN_THE_FILE)
def test_a_wrong_file_is_one_line_that_names_the_line(
    good: str, bad: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two-hops.toml").write_text(to_toml(SCENARIO))
    Path("bad.toml").write_text("durat = 1\n" + to_toml(SCENARIO))
    assert FILE.count(good) >= 1
    Path("study.toml").write_text(FILE.replace(good, bad, 1))
    with pytest.raises(StudyError) as caught:
        Study.read("study.toml").cells("full")
    assert str(caught.value).startswith(f"study.toml: {says}")
    assert "\n" not in str(caught.value)


def test_a_right_file_plans_its_runs(tmp_path: Path) -> None:
    (tmp_path / "two-hops.toml").write_text(to_toml(SCENARIO))
    (tmp_path / "study.toml").write_text(FILE)
    assert len(Study.read(tmp_path / "study.toml").cells("full")) == 4


def test_a_wrong_study_ends_the_command_with_2(tmp_path: Path, called: Called) -> None:
    (tmp_path / "two-hops.toml").write_text(to_toml(SCENARIO))
    (tmp_path / "study.toml").write_text(FILE.replace('title = "First"', 'titel = "First"'))
    ended = called("study", "run", "study.toml")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "multihop: study.toml: line 23: figures.0.titel: unknown key; did you mean title?"
    ]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "setting",
    [
        {"schemes": [{"name": "mine", "set": {"routing.scheme": "mine.py:Mine"}}]},
        {"schemes": [{"name": "mine", "set": {"routing": {"scheme": "mine.py:Mine"}}}]},
        {"axes": {"of": {"key": "routing.scheme", "values": ["mine.py:Mine"]}}},
        {"axes": {"of": {"key": "routing", "values": [{"scheme": "mine.py:Mine"}]}}},
        {"scale": {"full": {"set": {"flows.0": {"transport": {"scheme": "mine.py:Mine"}}}}}},
    ],
)  # fmt: skip
def test_a_study_has_its_classes_beside_it(setting: dict[str, Any], tmp_path: Path) -> None:
    found = anchored({**setting, "title": "mine.py:Mine"}, tmp_path)
    there = str(tmp_path / "mine.py:Mine")
    expected = json.loads(json.dumps(setting).replace("mine.py:Mine", there))
    assert found == {**expected, "title": "mine.py:Mine"}


def test_a_file_in_place_of_tables_is_told_how_to_be_read() -> None:
    with pytest.raises(StudyError, match=r"Study\.read\('study\.toml'\)"):
        Study("study.toml")


def test_a_column_of_flows_is_told_apart_from_those_of_runs() -> None:
    known = columns("jain", [], metrics=True)
    with pytest.raises(SelectorError) as found:
        parse("hops >= 4", known)
    assert str(found.value) == (
        "unknown column 'hops': it is of a flow, and what is counted is of a run"
    )
    with pytest.raises(
        SelectorError, match="'jain': it is of a run, and what is counted is of a f"
    ):
        parse("jain > 0.5", columns("goodput_bps", [], metrics=True))
    with pytest.raises(SelectorError) as unknown:
        parse("speed == 3", known)
    assert len(str(unknown.value)) < 120
