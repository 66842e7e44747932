"""Studies: planned, run, resumed, shared between processes, and read again."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import multihop
from multihop import engine
from multihop.recording import Recording
from multihop.report.pages import write_report
from multihop.scenario import to_toml
from multihop.study import Study, StudyError
from multihop.study.execution import Task, perform
from multihop.study.store import Store, StoreError
from tests.conftest import Called

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


def test_an_axis_called_as_a_column_of_the_summary_stays_in_it(tmp_path: Path) -> None:
    windows = {"key": "transport.window_segments", "values": [1, 4]}
    losses = {"key": "transport.duplicate_ack_threshold", "values": [1, 4]}
    results = study(axes={"flows": windows, "routing": losses}).run(tmp_path, scale="quick")
    summary = results.summary()
    assert summary.select("axis_flows", "routing").unique().height == 4
    assert set(summary["flows"]) == {2}  # one on each of two networks
    one = summary.filter(scheme="aodv", axis_flows=4, routing=1)
    assert one["value"].to_list() == [
        results.mean("goodput_bps", "aodv", "flows == 4 and routing == 1").value
    ]
    write_report(results, tmp_path)
    assert "axis_flows" in (tmp_path / "data" / "summary.csv").read_text()


def test_summaries_and_panels_keep_the_order_of_an_axis(tmp_path: Path) -> None:
    labels = ["16k", "64k", "256k"]
    points = [
        {"label": label, "set": {"transport.window_segments": 2**place}}
        for place, label in enumerate(labels)
    ]
    figure = {"name": "windows", "title": "Windows", "kind": "series", "facet": "load"}
    asked = study(
        axes={"load": {"points": points}},
        record={"series_interval_s": 1.0},
        figures=[figure | {"x": "time_s", "y": "cwnd"}],
    )
    results = asked.run(tmp_path, scale="quick")
    assert results.summary()["load"].unique(maintain_order=True).to_list() == labels
    panels = results.figure_data("windows").frame["facet"]
    assert panels.unique(maintain_order=True).to_list() == labels


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


@pytest.mark.slow("runs a study twice, and kills it or writes its report")
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


@pytest.mark.slow("runs a study twice, and kills it or writes its report")
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


@pytest.mark.slow("runs a study twice, and kills it or writes its report")
def test_a_report_covers_the_networks_that_were_added(tmp_path: Path, called: Called) -> None:
    (tmp_path / "two.toml").write_text(to_toml(tables()))
    options = ["--out", "out", "--store", "elsewhere", "--scale", "quick"]
    added = called("study", "run", "two.toml", *options, "--networks", 7)
    assert "28 runs" in added.stdout, added.stderr
    again = called("study", "report", "out")
    assert "28 of 28 runs" in again.stdout, again.stderr
    assert study().open(tmp_path / "out").seeds == [1, 2, 3, 4, 5, 6, 7]
    # What another call, or another study of the store, has added counts as well; fewer are no loss.
    study().run(tmp_path / "fewer", scale="quick", store=tmp_path / "elsewhere", networks=1)
    assert study().open(tmp_path / "fewer").seeds == [1, 2, 3, 4, 5, 6, 7]
    study().run(tmp_path / "alone", scale="full", networks=1)
    assert study().open(tmp_path / "alone").planned == 4
    assert study().open(tmp_path / "alone", scale="quick").planned == 8


def test_series_are_kept_as_parquet(tmp_path: Path) -> None:
    recorded = study(record={"series_interval_s": 0.5, "queues": [1]}, axes=None)
    results = recorded.run(tmp_path, scale="quick")
    series = results.series()
    assert set(series["scheme"]) == {"aodv", "static"}
    last = series.filter(scheme="aodv", network=1)["sequence"].max()
    assert last == results.flows.filter(scheme="aodv", network=1)["delivered_segments"].item()
    assert set(results.series("queues", network=2)["node"]) == {1}


def test_transmissions_are_kept_with_the_run(tmp_path: Path) -> None:
    results = study(record={"frames": True}, axes=None).run(tmp_path, scale="quick")
    cell, seed, kept = next(iter(results.results()))
    alone = multihop.run(
        SCENARIO, seed=seed, scheme=cell.scheme, record=multihop.Recording(frames=True)
    )
    assert kept["frames"] == alone.json["frames"] != []


def test_an_unknown_thing_to_record_is_refused() -> None:
    with pytest.raises(StudyError, match=r"record\.lynks: unknown key; did you mean links"):
        study(record={"lynks": True})
    with pytest.raises(StudyError, match=r"record\.series_interval_s: input should be greater"):
        study(record={"series_interval_s": 0})


def test_a_fault_names_the_setting_that_makes_it() -> None:
    # Neither key is at fault alone, and the engine names the first.
    paced = {**SCENARIO, "link": {"pacing": "hop-by-hop"}}
    with pytest.raises(StudyError) as caught:
        study(scenario=paced, schemes=["aodv", "semi-tcp"], baseline=None).cells()
    assert caught.value.key == "schemes.1"
    assert "link.pacing: must be" in caught.value.fault


def test_a_store_that_can_not_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Store(tmp_path / "file" / "store")
    with pytest.raises(StoreError, match="is not a folder"):
        Store(tmp_path / "file")
    (tmp_path / "ledger.sqlite").write_text("not a ledger, but long enough to be looked at" * 9)
    with pytest.raises(StoreError, match="not a database"):
        Store(tmp_path)


def test_who_stops_a_study_loses_nothing(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    ran: list[str] = []

    def keep(outcome: object) -> None:
        ran.append(str(outcome))
        if len(ran) == 3:
            raise Enough

    with pytest.raises(Enough):
        study().run(tmp_path, scale="full", finished=keep)
    states = dict(count(tmp_path / "store"))
    assert states["done"] >= 3
    assert "claimed" not in states
    assert study().run(tmp_path, scale="full").finished == 20


def mounted(folder: Path, mount: str, command: str) -> subprocess.CompletedProcess[str]:
    """Run `multihop` with `mount` done below `folder`, in a mount namespace of its own."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", f"{mount} && {sys.executable} -m multihop {command}"],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.needs("mount")
def test_a_full_disk_stops_the_study_and_loses_nothing(tmp_path: Path) -> None:
    recorded = tables(record={"series_interval_s": 0.01})
    (tmp_path / "two.toml").write_text(to_toml(recorded))
    disk = tmp_path / "disk"
    disk.mkdir()
    # What is on the small disk is gone with its namespace: a copy is left.
    full = mounted(
        tmp_path, "mount -t tmpfs -o size=400k tmpfs disk",
        "study run two.toml --out disk/out; code=$?; cp -r disk/out kept; exit $code",
    )  # fmt: skip
    assert full.returncode == 2
    (line,) = full.stderr.splitlines()
    said = r"multihop: disk/out/store: the disk is full; \d+ of 20 runs kept; go on with --resume"
    assert re.fullmatch(said, line)
    before = done(tmp_path / "kept" / "store")
    assert 0 < before < 20
    ran: list[str] = []
    results = Study(**recorded).run(
        tmp_path / "kept", finished=lambda outcome: ran.append(outcome.key)
    )
    assert (results.finished, len(ran)) == (20, 20 - before)
    assert contents(results) == contents(Study(**recorded).run(tmp_path / "calm"))


@pytest.mark.needs("mount")
def test_a_store_that_can_not_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(to_toml(tables()))
    study().run(tmp_path / "whole", store=tmp_path / "kept", scale="quick")
    read_only = mounted(
        tmp_path, "mount --bind kept kept && mount -o remount,ro,bind kept",
        "study run two.toml --out out --store kept",
    )  # fmt: skip
    assert read_only.returncode == 2
    (line,) = read_only.stderr.splitlines()
    assert line.startswith("multihop: kept: can't be written; 8 of 20 runs kept")
    assert done(tmp_path / "kept") == 8


def test_a_dead_process_leaves_its_runs_to_others_at_once(tmp_path: Path) -> None:
    cell = study().cells()[0]
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    with Store(tmp_path) as store, Store(tmp_path) as other:
        other.owner = other.owner.replace(f":{os.getpid()}:", f":{dead.stdout.strip()}:")
        assert other.claim(cell.key(1))
        part = store.series_file(cell.key(1), "flows").with_suffix(".parquet.7.part")
        part.parent.mkdir(parents=True)
        part.write_text("half")
        assert not store.claim(cell.key(1))
        store.drop_dead_claims()
        assert store.claim(cell.key(1))
        assert not part.exists()


def test_a_worker_with_another_engine_is_refused() -> None:
    cell = study().cells()[0]
    outcome = perform(Task(cell.key(1), 1, cell.text, Recording(), engine.build_name() + "x", {}))
    assert outcome.result is None
    assert "engine" in (outcome.error or "")


def test_goodput_over_the_baseline_is_that_of_the_same_flow_network_and_axes(
    tmp_path: Path,
) -> None:
    axes = {
        "window": {"key": "transport.window_segments", "values": [1, 4]},
        "rate": {
            "key": "mac.data_rate_bps",
            "values": [1e6, 2e6],
            "schemes": ["static"],
            "default": 2e6,
        },
    }
    flows = study(axes=axes).run(tmp_path).flows
    assert (flows.filter(scheme="aodv")["over_baseline"] == 1.0).all()
    for row in flows.filter(scheme="static").iter_rows(named=True):
        theirs = flows.filter(scheme="aodv", network=row["network"], window=row["window"])
        assert row["over_baseline"] == row["goodput_bps"] / theirs["goodput_bps"].item()
    assert study(baseline=None).run(tmp_path).flows["over_baseline"].is_null().all()


def test_a_wrong_name_is_an_error_that_names_the_nearest_and_all(tmp_path: Path) -> None:
    results = study().run(tmp_path, scale="quick")
    scheme = results.cells[0].scheme
    with pytest.raises(
        KeyError,
        match=r"no metric 'goodput'; did you mean 'goodput_bps'\? there are goodput_bps, .*jain",
    ):
        results.mean("goodput", scheme)  # type: ignore[arg-type]
    with pytest.raises(
        KeyError, match=rf"no scheme '{scheme}x'; did you mean '{scheme}'\? there are aodv, static"
    ):
        results.mean("goodput_bps", f"{scheme}x")
    with pytest.raises(KeyError, match="no scheme '§'; there are "):
        results.ratio("goodput_bps", scheme, "§")


@pytest.mark.parametrize("only", ["quick", "full"])
def test_one_scale_is_enough(only: str, tmp_path: Path) -> None:
    found = study(scale={only: {"networks": 2}})
    results = found.run(tmp_path)
    assert (results.which, len(results.seeds)) == (only, 2)
    assert found.open(tmp_path).which == only
    other = {"quick": "full", "full": "quick"}[only]
    with pytest.raises(StudyError, match=rf"has no \[scale.{other}\]; it has {only}"):
        found.run(tmp_path, scale=other)
    with pytest.raises(StudyError, match=r"scale: needs \[scale.quick\] or \[scale.full\]"):
        study(scale={})


def test_an_interrupted_study_says_what_it_kept(tmp_path: Path) -> None:
    many = tables(scale={"full": {"networks": 3000}})
    (tmp_path / "study.toml").write_text(to_toml(many))
    command = [sys.executable, "-m", "multihop", "study", "run", "study.toml", "--out", "out"]
    ledger = tmp_path / "out" / "store" / "ledger.sqlite"
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while not ledger.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)  # until it has its tables
        while time.monotonic() < deadline:
            if Study.read(tmp_path / "study.toml").open(tmp_path / "out").finished:
                break
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    last = errors.strip().splitlines()[-1]
    said = re.fullmatch(
        r"multihop: interrupted; ([\d,]+) of ([\d,]+) runs kept; go on with --resume", last
    )
    assert said, errors
    kept, planned = (int(number.replace(",", "")) for number in said.groups())
    results = Study.read(tmp_path / "study.toml").open(tmp_path / "out")
    assert results.planned == planned
    assert 0 < kept <= results.finished <= kept + 2 * (os.cpu_count() or 1)
