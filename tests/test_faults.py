"""Faults in the middle of a study: one clear line, nothing lost that was done, and it goes on."""

import contextlib
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from multihop import engine
from multihop.scenario import to_toml
from multihop.study import Study, memory
from multihop.study.store import LEASE_S, LEDGER, PAGE_BYTES, VERSION, Store, StoreError
from tests.conftest import Called
from tests.test_study import SCENARIO, contents, count, done, study, tables

RECORDED = {"record": {"series_interval_s": 0.1}}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that has done its 80 runs, with series."""
    folder = tmp_path_factory.mktemp("whole")
    many = tables(scale={"full": {"networks": 20}}, **RECORDED)
    (folder / "two.toml").write_text(to_toml(many))
    Study(**many).run(folder / "out")
    with contextlib.closing(sqlite3.connect(folder / "out" / "store" / LEDGER)) as ledger:
        ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


@pytest.fixture
def kept(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    return tmp_path / "out" / "store"


def evaluated(folder: Path) -> str:
    results = Study.read(folder / "two.toml").open(folder / "out")
    series = results.series().sort("scheme", "window", "network", "flow", "time_s")
    return contents(results) + str(series.hash_rows().to_list())


def gone_on(folder: Path) -> int:
    """Run the study again, and return how many runs that took."""
    ran: list[object] = []
    Study.read(folder / "two.toml").run(folder / "out", finished=ran.append)
    return len(ran)


@pytest.mark.parametrize("lost_bytes", [1, 4096, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1])
def test_a_ledger_that_lost_its_end_is_not_read(
    lost_bytes: int, kept: Path, called: Called
) -> None:
    ledger = kept / LEDGER
    with ledger.open("r+b") as file:
        file.truncate(ledger.stat().st_size - lost_bytes)
    for command in (["study", "report", "out"],
                    ["study", "run", "two.toml", "--out", "out", "--resume"]):  # fmt: skip
        said = called(*command)
        assert (said.returncode, said.stdout) == (2, "")
        assert "out/store: the ledger is damaged (" in said.stderr


def cut(share: float) -> Callable[[bytes], bytes]:
    return lambda whole: whole[: int(share * len(whole))]


def without_page(number: int) -> Callable[[bytes], bytes]:
    first = number * PAGE_BYTES
    return lambda whole: whole[:first] + bytes(PAGE_BYTES) + whole[first + PAGE_BYTES :]


@pytest.mark.parametrize(
    ("damage", "least"),
    [
        # A page has some six runs, and its absence costs those of its own.
        (cut(0.02), 0), (cut(0.3), 0), (cut(0.7), 20), (cut(0.95), 65),
        (without_page(0), 0), (without_page(3), 65), (without_page(10), 65),
    ],
)  # fmt: skip
def test_a_damaged_ledger_is_salvaged(
    damage: Callable[[bytes], bytes], least: int, kept: Path, whole: Path, called: Called
) -> None:
    ledger = kept / LEDGER
    ledger.write_bytes(damage(ledger.read_bytes()))
    for command in (["study", "run", "two.toml", "--out", "out", "--resume"],
                    ["study", "report", "out"]):  # fmt: skip
        said = called(*command)
        assert said.returncode == 2
        (line,) = said.stderr.splitlines()
        assert re.fullmatch(
            r"multihop: \S*out/store: the ledger is damaged \(.*\); "
            r"`multihop study salvage \S*out/store` keeps the runs that can be read",
            line,
        )
    damaged = ledger.read_bytes()
    salvaged = called("study", "salvage", "out")
    told = re.fullmatch(
        r"out/store: (\d+) runs kept; the damaged ledger is in (\S+)\n", salvaged.stdout
    )
    assert told, salvaged.stderr
    runs = int(told[1])
    assert runs == done(kept)
    assert (kept.parents[1] / told[2] / LEDGER).read_bytes() == damaged
    assert runs >= least
    assert gone_on(kept.parents[1]) == 80 - runs
    assert evaluated(kept.parents[1]) == evaluated(whole)


def test_salvaging_a_ledger_that_is_whole_loses_nothing(
    kept: Path, whole: Path, called: Called
) -> None:
    with Store(kept):  # what another process has done stands in the log beside the ledger
        pass
    assert "80 runs kept" in called("study", "salvage", "out").stdout
    assert gone_on(kept.parents[1]) == 0
    assert evaluated(kept.parents[1]) == evaluated(whole)


def test_there_is_nothing_to_salvage_without_a_ledger(tmp_path: Path, called: Called) -> None:
    said = called("study", "salvage", tmp_path / "no")
    assert (said.returncode, said.stderr) == (2, f"multihop: {tmp_path}/no: has no ledger\n")


def test_a_store_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    with contextlib.closing(
        sqlite3.connect(tmp_path / LEDGER, isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE another (key)")
        made = threading.Timer(0.3, lambda: other.execute("COMMIT"))
        made.start()
        with Store(tmp_path) as store:
            assert store.claim("run")
        made.join()


def damage_result(store: Path) -> None:
    with sqlite3.connect(store / LEDGER) as ledger:
        key, blob = ledger.execute("SELECT key, result FROM runs").fetchone()
        blob = blob[:50] + bytes([blob[50] ^ 4]) + blob[51:]
        ledger.execute("UPDATE runs SET result = ? WHERE key = ?", (blob, key))


def a_series(store: Path) -> Path:
    return min(store.rglob("*.parquet"))


def cut_series(store: Path) -> None:
    file = a_series(store)
    file.write_bytes(file.read_bytes()[:-100])


def flip_series(store: Path) -> None:
    file = a_series(store)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def remove_series(store: Path) -> None:
    a_series(store).unlink()


@pytest.mark.parametrize("damage", [damage_result, cut_series, flip_series, remove_series])
def test_a_damaged_run_is_named_and_run_again(
    damage: Callable[[Path], None], kept: Path, whole: Path
) -> None:
    damage(kept)
    folder = kept.parents[1]
    results = Study.read(folder / "two.toml").open(folder / "out")
    assert results.series().height < Study.read(whole / "two.toml").open(
        whole / "out"
    ).series().height or results.finished < 80  # fmt: skip
    (error,) = results.failures.values()
    assert error == "was damaged where it is stored; --resume runs it again"
    assert gone_on(folder) == 1
    assert evaluated(folder) == evaluated(whole)


@pytest.mark.parametrize("damage", [damage_result, remove_series])
def test_damage_is_found_by_who_goes_on(
    damage: Callable[[Path], None], kept: Path, whole: Path
) -> None:
    damage(kept)
    assert gone_on(kept.parents[1]) == 1
    assert evaluated(kept.parents[1]) == evaluated(whole)


def test_a_report_names_what_is_damaged(kept: Path, called: Called) -> None:
    damage_result(kept)
    said = called("study", "report", "out")
    assert said.returncode == 0
    assert "79 of 80 runs" in said.stdout
    (line,) = said.stderr.splitlines()
    assert re.fullmatch(r"multihop: failed: \w+ window=\d, network \d+: was damaged .*", line)


def test_a_store_of_a_newer_multihop_is_left_alone(kept: Path, called: Called) -> None:
    with sqlite3.connect(kept / LEDGER) as ledger:
        ledger.execute(f"PRAGMA user_version = {VERSION + 1}")
    ledger.close()
    before = (kept / LEDGER).read_bytes()
    said = called("study", "run", "two.toml", "--out", "out", "--resume")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert f"out/store: was written by a newer multihop (ledger {VERSION + 1}, this one" in line
    assert "update multihop" in line
    assert (kept / LEDGER).read_bytes() == before


def test_a_store_of_an_older_multihop_goes_on(kept: Path, whole: Path) -> None:
    with sqlite3.connect(kept / LEDGER) as ledger:
        ledger.execute("DROP TABLE series")
        ledger.execute("PRAGMA user_version = 0")
    assert evaluated(kept.parents[1]) == evaluated(whole)
    assert gone_on(kept.parents[1]) == 0
    cut_series(kept)  # has no checksum, but can't be read either
    assert len(Study.read(whole / "two.toml").open(kept.parent).failures) == 0
    evaluated(kept.parents[1])
    assert gone_on(kept.parents[1]) == 1
    assert evaluated(kept.parents[1]) == evaluated(whole)


def test_two_engines_share_a_store_and_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = study().run(tmp_path, scale="quick")
    with monkeypatch.context() as other:
        other.setattr(engine, "build_name", lambda: "0.0.1+other")
        assert study().open(tmp_path, scale="quick").finished == 0
        study().run(tmp_path, scale="quick")
    assert count(tmp_path / "store") == [("done", 16)]
    assert contents(study().open(tmp_path, scale="quick")) == contents(ours)


def test_a_claim_from_before_the_clock_was_set_back_has_lapsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    with Store(tmp_path) as store, Store(tmp_path) as other:
        other.owner = "another-machine:1:1"
        assert other.claim("a" * 64)
        assert not store.claim("a" * 64)
        monkeypatch.setattr(time, "time", lambda: now - 3600)
        assert store.states(["a" * 64]) == {}
        assert store.claim("a" * 64)
        assert not other.claim("a" * 64)
        monkeypatch.setattr(time, "time", lambda: now - 3600 + LEASE_S + 1)
        assert other.claim("a" * 64)


def test_the_results_do_not_depend_on_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.time

    def backwards(_outcome: object) -> None:
        shift = 3600 * len(ran)
        ran.append(shift)
        monkeypatch.setattr(time, "time", lambda: clock() - shift)

    ran: list[int] = []
    back = study().run(tmp_path / "back", scale="quick", workers=1, finished=backwards)
    assert len(ran) == back.finished == 8
    monkeypatch.setattr(time, "time", clock)
    assert contents(back) == contents(study().run(tmp_path / "calm", scale="quick"))


def endless(duration_s: float) -> dict[str, object]:
    """Two hops, used to the end."""
    flow = {"kind": "ftp", "source": 0, "destination": 2}
    return {**SCENARIO, "duration_s": duration_s, "flows": [flow]}


def test_a_run_ends_before_the_memory_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = study(scenario=endless(300), axes=None)
    monkeypatch.setattr(memory, "free_bytes", lambda: 99 << 20)
    monkeypatch.setattr(memory, "BETWEEN_S", 0.0)
    starved = long.run(tmp_path, scale="quick", workers=1)
    assert set(starved.failures.values()) == {
        "ended because only 99 MB of memory are free; record less, or use fewer --workers"
    }
    monkeypatch.undo()
    assert long.run(tmp_path, scale="quick").finished == 4


@pytest.mark.slow("fills the memory that it may have")
def test_a_study_under_a_limit_of_memory_keeps_what_fits(tmp_path: Path) -> None:
    growing = tables(
        scenario=endless(1),
        schemes=["static"], baseline=None, record={"frames": True}, scale={"full": {"networks": 1}},
        axes={"time": {"key": "duration_s", "values": [1, 2, 100_000]}},
    )  # fmt: skip
    (tmp_path / "growing.toml").write_text(to_toml(growing))
    most = 1_600_000_000
    alone = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RUST_BACKTRACE": "0"}
    command = [sys.executable, "-m", "multihop", "study", "run", "growing.toml", "--workers", "1"]
    said = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **alone},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )  # fmt: skip
    (line,) = said.stderr.splitlines()
    assert re.fullmatch(
        r"multihop: failed: static time=100000, network 1: ended because only \d+ MB .*", line
    )
    assert said.stdout.startswith("2 runs; ")
    assert done(tmp_path / "out" / "growing" / "store") == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"scale": "full", "net', "invalid JSON: EOF while parsing a string"),
        ('{"scale": 3}', "scale: Input should be a valid string"),
        ('{"networks": 1e12}', "networks: Input should be"),
        ('{"scale": "half"}', "scale: must be one of quick, full"),
    ],
)
def test_a_damaged_description_says_so(text: str, says: str, kept: Path, called: Called) -> None:
    (kept.parent / "run.json").write_text(text)
    said = called("study", "report", "out")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert says.lower() in line.lower()


def test_a_full_disk_leaves_no_half_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = study(axes=None, **RECORDED)
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        written = write(path, content[: len(content) // 2])
        if len(list(tmp_path.rglob("*.parquet"))) == 2:
            raise OSError(28, "No space left on device", str(path))
        return write(path, content) if written else 0

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StoreError, match="No space left"):
        recorded.run(tmp_path, scale="quick", workers=1)
    monkeypatch.undo()
    assert not list(tmp_path.rglob("*.part"))
    (before,) = [number for state, number in count(tmp_path / "store") if state == "done"]
    assert len(list(tmp_path.rglob("*.parquet"))) == 2
    ran: list[object] = []
    assert recorded.run(tmp_path, scale="quick", finished=ran.append).failures == {}
    assert len(ran) == 4 - before
