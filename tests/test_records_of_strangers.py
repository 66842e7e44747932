"""Records of events and ledgers that no run wrote: refused in one line, and in little memory."""

import io
import json
import resource
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multihop
from multihop import Study, engine, playback, traces
from multihop.study.store import LEDGER, Store, StoreError
from tests.conftest import Called

SCENARIO = {
    "duration_s": 3,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}
Told = dict[str, Any]


@pytest.fixture(scope="module")
def record() -> bytes:
    """A record as a run writes it."""
    return traces.to_parquet(multihop.run(SCENARIO, events=True))


def changed(
    record: bytes,
    events: Callable[[pl.DataFrame], pl.DataFrame] = lambda events: events,
    told: Callable[[Told], object] = lambda told: told,
    **metadata: str,
) -> bytes:
    """The record with other events or another result."""
    known = pl.read_parquet_metadata(io.BytesIO(record))
    result = json.loads(known["multihop"])
    result = told(result) or result
    content = io.BytesIO()
    kept = {key: known[key] for key in ("multihop", "multihop.watch")}
    kept |= {"multihop": json.dumps(result)} | metadata
    events(pl.read_parquet(io.BytesIO(record))).write_parquet(content, metadata=kept)
    return content.getvalue()


def column(name: str, value: object, kind: Any = None) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda events: events.with_columns(pl.lit(value, dtype=kind).alias(name))


FORGED: dict[str, Callable[[bytes], bytes]] = {
    "not Parquet": lambda record: b"PAR1" + record[10:-9] + b"PAR1",
    "cut short": lambda record: record[: len(record) // 2],
    "a column is missing": lambda record: changed(record, lambda events: events.drop("flow")),
    "a column is new": lambda record: changed(record, column("more", 1)),
    "columns of text": lambda record: changed(record, column("node", "zero")),
    "a column of lists": lambda record: changed(record, column("peer", [1, 2])),
    "unknown words": lambda record: changed(record, column("event", "explode")),
    "nodes that are not there": lambda record: changed(record, column("node", 7, pl.UInt32)),
    "flows that are not there": lambda record: changed(record, column("flow", 9, pl.UInt32)),
    "ends that are not there": lambda record: changed(record, column("target", 9, pl.UInt32)),
    "negative times": lambda record: changed(record, column("time_ns", -5)),
    "times after the end": lambda record: changed(record, column("time_ns", 2**62)),
    "times that go back": lambda record: changed(record, lambda events: events.reverse()),
    "no times": lambda record: changed(record, column("time_ns", None, pl.Int64)),
    "no result": lambda record: changed(record, multihop="[]"),
    "a result that is no JSON": lambda record: changed(record, multihop="{"),
    "a result that is deep": lambda record: changed(record, multihop="[" * 100_000),
    "no positions": lambda record: changed(record, told=lambda told: {**told, "positions_m": []}),
    "positions of text": lambda record: changed(
        record, told=lambda told: {**told, "positions_m": ["here"] * 3}
    ),
    "a flow without a source": lambda record: changed(
        record, told=lambda told: told["flows"][0].pop("source") and None
    ),
    "a flow from elsewhere": lambda record: changed(
        record, told=lambda told: told["flows"][0].update(source=99)
    ),
    "no routing": lambda record: changed(
        record, told=lambda told: told["scenario"].pop("routing") and None
    ),
    "a scenario that is none": lambda record: changed(
        record, told=lambda told: {**told, "scenario": {"duration_s": "long"}}
    ),
    "an endless scenario": lambda record: changed(
        record, told=lambda told: told["scenario"].update(duration_s=-1)
    ),
    "a seed that can't be": lambda record: changed(record, told=lambda told: told.update(seed=-1)),
    "no watch": lambda record: changed(record, **{"multihop.watch": '{"nodes": "all"}'}),
}


@pytest.mark.parametrize("kept", [True, False], ids=["alone", "taken out"])
@pytest.mark.parametrize("kind", engine.event_words()["event"])
def test_a_record_of_some_kinds_of_event_is_played_and_explained(
    record: bytes, tmp_path: Path, kind: str, kept: bool
) -> None:
    """As `--trace` with `--kind`, or a program of somebody, would leave it."""
    file = tmp_path / "events.parquet"
    file.write_bytes(
        changed(record, lambda events: events.filter((pl.col("event") == kind) == kept))
    )
    found = traces.read(file)
    assert str(multihop.explain(found))
    nothing = pytest.raises(playback.ReplayError) if found.events.is_empty() else nullcontext()
    with nothing:
        playback.replay(found, tmp_path / "replay.html", causes=False)


@pytest.mark.parametrize("kind", FORGED)
@pytest.mark.parametrize("command", ["replay", "explain"])
def test_a_record_that_no_run_wrote_is_refused_in_one_line(
    kind: str, command: str, record: bytes, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "events.parquet").write_bytes(FORGED[kind](record))
    done = called(command, "events.parquet")
    assert done.returncode == 2, done
    (line,) = done.stderr.splitlines()
    assert line.startswith("multihop: events.parquet: ")
    assert not (tmp_path / "replay.html").exists()


def test_frames_that_take_no_time_are_explained(record: bytes, tmp_path: Path) -> None:
    file = tmp_path / "events.parquet"
    file.write_bytes(changed(record, column("airtime_ns", 0, pl.UInt32)))
    assert str(multihop.explain(traces.read(file)))


def test_a_record_as_a_run_writes_it_is_taken(record: bytes, tmp_path: Path) -> None:
    file = tmp_path / "events.parquet"
    file.write_bytes(changed(record))
    assert traces.read(file).events.equals(traces.read(file).events)
    assert traces.read(file).events.height > 1000


def test_a_small_record_of_very_many_events_takes_no_memory(record: bytes, tmp_path: Path) -> None:
    many = 40_000_000
    first = pl.read_parquet(io.BytesIO(record)).head(1)
    known = pl.read_parquet_metadata(io.BytesIO(record))
    kept = {key: known[key] for key in ("multihop", "multihop.watch")}
    part = pl.concat([first] * 1000).lazy()
    file = tmp_path / "events.parquet"
    (
        pl.concat([pl.concat([part] * 200)] * 200)
        .sink_parquet(file, metadata=kept, compression="zstd")
    )  # fmt: skip
    assert pl.scan_parquet(file).select(pl.len()).collect().item() == many
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(traces.TraceError, match=r"40,000,000 events, more than fit"):
        traces.read(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


STUDY: dict[str, Any] = {
    "title": "two hops",
    "question": "Does it run?",
    "scenario": SCENARIO,
    "schemes": ["aodv"],
    "metrics": ["goodput_bps"],
    "scale": {"full": {"networks": 2}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Study(**STUDY).run(tmp_path, workers=1)._store.close()
    return tmp_path


def ledger(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "store" / LEDGER, isolation_level=None)


def test_a_ledger_with_a_view_or_a_trigger_is_none(folder: Path) -> None:
    connection = ledger(folder)
    connection.execute("ALTER TABLE runs RENAME TO kept")
    connection.execute(
        "CREATE VIEW runs AS WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up) "
        "SELECT n AS key, 'done' AS state, '' AS owner, 0 AS lease, 1 AS seed, 0 AS finished, "
        "0 AS wall_s, '' AS error, x'' AS result FROM up"
    )
    connection.close()
    with pytest.raises(StoreError, match="is no ledger of multihop"):
        Study.read(folder / "study.toml").open(folder)
    connection = ledger(folder)
    connection.execute("DROP VIEW runs")
    connection.execute("ALTER TABLE kept RENAME TO runs")
    connection.execute("CREATE TRIGGER t AFTER DELETE ON runs BEGIN SELECT 1; END")
    connection.close()
    with pytest.raises(StoreError, match="it has a trigger 't'"):
        Study.read(folder / "study.toml").open(folder)


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "3", '{"flows": 3}', "[" * 100_000, "{", "[" + "[]," * 4_000_000 + "[]]"],
    ids=["empty", "list", "number", "flows", "deep", "cut", "many"],
)
def test_a_result_of_another_form_counts_as_damaged(text: str, folder: Path) -> None:
    connection = ledger(folder)
    connection.execute("UPDATE runs SET result = ?", (zlib.compress(text.encode()),))
    connection.close()
    results = Study.read(folder / "study.toml").open(folder)
    assert results.flows.is_empty()
    assert set(results.failures.values()) == {
        "was damaged where it is stored; --resume runs it again"
    }
    assert Study(**STUDY).run(folder, workers=1).flows.height == 2


def test_a_result_that_swells_is_not_unpacked(folder: Path) -> None:
    swelling = zlib.compress(b" " * (1 << 29), 9)
    assert len(swelling) < 1_000_000
    connection = ledger(folder)
    connection.execute("UPDATE runs SET result = ?", (swelling,))
    connection.close()
    code = (
        "import resource, sys; from multihop import Study; "
        "r = Study.read(sys.argv[1] + '/study.toml').open(sys.argv[1]); "
        "b = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; n = r.flows.height; "
        "print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - b)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
    )
    rows, grown = map(int, done.stdout.split())
    assert rows == 0
    assert grown < 600_000


def test_an_axis_of_very_many_values_is_refused_at_once(tmp_path: Path, called: Called) -> None:
    (tmp_path / "study.toml").write_text(
        multihop.scenario.to_toml(
            {**STUDY, "axes": {"of": {"key": "flows.0.start_s", "values": [*range(100_000)]}}}
        )
    )
    done = called("check", "study.toml")
    assert done.returncode == 2
    assert "axes.of: values: at most 10,000 (got 100,000)" in done.stdout


def test_a_store_that_can_not_be_written_says_how_many_runs_it_has(
    folder: Path, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(_: Store) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(Store, "_prepare", read_only)
    done = called("study", "run", folder / "study.toml", "--out", folder, "--resume")
    assert done.returncode == 2
    assert "2 runs are kept" in done.stderr
    assert "0 of 0" not in done.stderr
