"""Studies: planned, run, resumed, shared between processes, and read again."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import multihop
from multihop.study import Study, StudyError
from multihop.study.execution import Task, perform
from multihop.study.plan import engine_build
from multihop.study.store import Store, StoreError

SCENARIO = {
    "duration_s": 3,
    "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2, "stop_s": 3}],
}


def tables(**changes: object) -> dict[str, object]:
    """A small study; None takes a key away."""
    study: dict[str, object] = {
        "title": "two hops",
        "question": "Does the window matter?",
        "scenario": SCENARIO,
        "schemes": ["aodv", "static"],
        "baseline": "aodv",
        "axes": {"window": {"key": "transport.window_segments", "values": [1, 4]}},
        "scale": {"quick": {"networks": 2}, "full": {"networks": 5}},
    }
    study.update(changes)
    return {key: value for key, value in study.items() if value is not None}


def study(**changes: object) -> Study:
    return Study(**tables(**changes))


def contents(results: multihop.StudyResults) -> str:
    """Everything that does not depend on when and where it ran."""
    return json.dumps([results.flows.to_dicts(), results.runs.to_dicts()])


def count(folder: Path) -> list[tuple[str, int]]:
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        return ledger.execute("SELECT state, count(*) FROM runs GROUP BY state").fetchall()


def done(folder: Path) -> int:
    try:
        return dict(count(folder)).get("done", 0)
    except sqlite3.OperationalError:  # not made yet
        return 0


def test_every_scheme_meets_the_same_networks(tmp_path: Path) -> None:
    area = {"kind": "random", "nodes": 20, "area_m": [600, 400]}
    flows = [{"kind": "ftp", "source": "random", "destination": "random", "stop_s": 3}]
    scenario = {**SCENARIO, "topology": area, "flows": flows}
    results = study(scenario=scenario, axes=None).run(tmp_path, scale="full")
    ends = results.flows.group_by("network").agg(
        pl.struct("source", "destination").n_unique().alias("pairs"), pl.len().alias("runs")
    )
    assert set(ends["pairs"]) == {1}
    assert set(ends["runs"]) == {2}
    assert results.flows.select("source", "destination").n_unique() > 1


def test_a_result_is_that_of_the_run_it_names(tmp_path: Path) -> None:
    results = study().run(tmp_path, scale="quick")
    row = results.flows.filter(scheme="static", network=2, window=4).row(0, named=True)
    alone = multihop.run(SCENARIO, seed=2, scheme="static", set={"transport.window_segments": 4})
    assert row["goodput_bps"] == alone.json["flows"][0]["goodput_bps"]
    assert row["hops"] == 2


def test_what_is_stored_is_not_run_again(tmp_path: Path) -> None:
    ran: list[str] = []
    first = study().run(tmp_path, scale="quick", finished=lambda outcome: ran.append(outcome.key))
    assert len(ran) == len(set(ran)) == 8
    again = study().run(tmp_path, scale="quick", finished=lambda outcome: ran.append(outcome.key))
    assert len(ran) == 8
    assert contents(first) == contents(again)
    study().run(tmp_path, scale="full", finished=lambda outcome: ran.append(outcome.key))
    assert len(ran) == 20
    one_more = {"window": {"key": "transport.window_segments", "values": [1, 4, 8]}}
    study(axes=one_more, title="other words", baseline=None).run(
        tmp_path, scale="full", finished=lambda outcome: ran.append(outcome.key)
    )
    assert len(ran) == 30


def test_the_address_of_a_run_is_its_content() -> None:
    cells = study().cells()
    same = study(title="other", question="other").cells()
    longer = study(
        scale={"quick": {"networks": 2}, "full": {"networks": 5, "set": {"duration_s": 4}}}
    )
    recorded = study(record={"series_interval_s": 0.5})
    keys = [cell.key(1) for cell in cells]
    assert keys == [cell.key(1) for cell in same]
    assert len({*keys}) == len(keys)
    assert not {*keys} & {cell.key(2) for cell in cells}
    assert not {*keys} & {cell.key(1) for cell in longer.cells()}
    assert not {*keys} & {cell.key(1) for cell in recorded.cells()}


def test_shards_make_the_whole(tmp_path: Path) -> None:
    whole = study().run(tmp_path / "whole", scale="full")
    parts: list[int] = []
    for part in (1, 2, 3):
        ran: list[str] = []
        results = study().run(
            tmp_path / f"part-{part}", scale="full", store=tmp_path / "store", shard=(part, 3),
            finished=lambda outcome, ran=ran: ran.append(outcome.key),
        )  # fmt: skip
        parts.append(len(ran))
    assert sorted(parts) == [6, 7, 7]
    assert contents(results) == contents(whole)


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    whole = study().run(tmp_path / "whole", scale="full")
    (tmp_path / "study.json").write_text(json.dumps(tables()))
    code = (
        "import json, sys; from multihop.study import Study; ran = []; "
        "study = Study(**json.load(open('study.json'))); "
        "study.run('both', scale='full', workers=1, finished=ran.append); print(len(ran))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    ran = [int(process.communicate(timeout=60)[0]) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(ran) == 20
    assert contents(study().open(tmp_path / "both")) == contents(whole)


def test_a_killed_study_goes_on_where_it_was(tmp_path: Path) -> None:
    many = tables(scale={"quick": {"networks": 1}, "full": {"networks": 30}})
    many["scenario"] = {**SCENARIO, "duration_s": 30}
    (tmp_path / "study.json").write_text(json.dumps(many))
    code = (
        "import json; from multihop.study import Study; "
        "Study(**json.load(open('study.json'))).run('out', scale='full')"
    )
    store = tmp_path / "out" / "store"
    before = 0
    for enough in (5, 20, 21):
        process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
        while process.poll() is None and before < enough:
            time.sleep(0.02)
            before = done(store)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    ran: list[str] = []
    before = done(store)
    results = Study(**many).run(
        tmp_path / "out", scale="full", finished=lambda outcome: ran.append(outcome.key)
    )
    assert count(store) == [("done", 120)]
    assert len(ran) == 120 - before < 100
    assert contents(results) == contents(Study(**many).run(tmp_path / "calm", scale="full"))


def test_a_failed_run_does_not_stop_the_others(tmp_path: Path) -> None:
    area = {"kind": "random", "nodes": 12, "area_m": [1000, 300], "connected": False}
    flows = [
        {"kind": "ftp", "source": "random", "destination": "random", "min_hops": 5, "stop_s": 3}
    ]
    scenario = {**SCENARIO, "topology": area, "flows": flows}
    results = study(scenario=scenario, axes=None).run(tmp_path, scale="full")
    assert 0 < len(results.failures) < results.planned
    assert all("hops" in error for error in results.failures.values())
    assert results.finished + len(results.failures) == results.planned == 10


def test_networks_are_added_until_the_interval_is_narrow(tmp_path: Path) -> None:
    area = {"kind": "random", "nodes": 15, "area_m": [500, 500]}
    flows = [{"kind": "ftp", "source": "random", "destination": "random", "stop_s": 3}]
    precise = study(
        scenario={**SCENARIO, "topology": area, "flows": flows}, axes=None,
        precision={"metric": "goodput_bps", "relative_half_width": 0.25, "limit": 200},
    )  # fmt: skip
    results = precise.run(tmp_path, scale="quick")
    assert 2 < len(results.seeds) < 200
    for scheme in ("aodv", "static"):
        found = results.mean("goodput_bps", scheme)
        assert found.half_width <= 0.25 * found.value
    assert contents(precise.open(tmp_path, scale="quick")) == contents(results)


def test_series_are_kept_as_parquet(tmp_path: Path) -> None:
    recorded = study(record={"series_interval_s": 0.5, "queues": [1]}, axes=None)
    results = recorded.run(tmp_path, scale="quick")
    series = results.series()
    assert set(series["scheme"]) == {"aodv", "static"}
    last = series.filter(scheme="aodv", network=1)["sequence"].max()
    assert last == results.flows.filter(scheme="aodv", network=1)["delivered_segments"].item()
    assert set(results.series("queues", network=2)["node"]) == {1}


def test_a_store_that_can_not_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Store(tmp_path / "file" / "store")
    (tmp_path / "ledger.sqlite").write_text("not a ledger, but long enough to be looked at" * 9)
    with pytest.raises(StoreError, match="not a database"):
        Store(tmp_path)


def test_a_full_disk_stops_the_study_and_loses_nothing(tmp_path: Path) -> None:
    ran: list[str] = []

    class Full(Exception):
        pass

    def keep(outcome: object) -> None:
        ran.append(str(outcome))
        if len(ran) == 3:
            raise Full

    with pytest.raises(Full):
        study().run(tmp_path, scale="full", finished=keep)
    states = dict(count(tmp_path / "store"))
    assert states["done"] >= 3
    assert "claimed" not in states
    assert study().run(tmp_path, scale="full").finished == 20


def test_a_worker_with_another_engine_is_refused() -> None:
    cell = study().cells()[0]
    outcome = perform(Task(cell.key(1), 1, cell.text, {}, engine_build() + "x"))
    assert outcome.text is None
    assert "engine" in (outcome.error or "")


WRONG = {
    "no title": (tables(title=None), "title: missing"),
    "misspelt key": (tables(shcemes=["aodv"]), "shcemes: unknown key; did you mean schemes?"),
    "unknown scheme": (
        tables(schemes=["aodb"], baseline=None),
        "unknown scheme 'aodb'; did you mean 'aodv'?",
    ),
    "scheme twice": (tables(schemes=["aodv", "aodv"]), "schemes: 'aodv' is there twice"),
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
    "value out of bounds": (
        tables(axes={"w": {"key": "radio.capture_db", "values": [-1]}}),
        "scenario: aodv w=-1: radio.capture_db",
    ),
    "unknown metric": (tables(metrics=["speed"]), "metrics: unknown metric 'speed'; there are"),
    "figure over nothing": (
        tables(figures=[{"name": "f", "title": "F", "x": "hop", "y": "jain"}]),
        "figures.0.x: must be one of window, scheme",
    ),
    "condition": (
        tables(figures=[{"name": "f", "title": "F", "x": "window", "y": "jain", "where": "hops"}]),
        "figures.0.where: 'hops': must be of the form column == value",
    ),
    "group": (tables(group=["colour"]), r"group: must be of .* \(got 'colour'\)"),
}


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_study_names_the_key(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(StudyError, match=message) as caught:
        Study(**wrong).cells()
    assert "\n" not in str(caught.value)
