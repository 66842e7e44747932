"""The command line as a user calls it."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import CHAIN, Command


def test_run_prints_a_table_of_flows_and_counters(chain: Path, multihop_command: Command) -> None:
    done = multihop_command("run", chain)
    assert done.returncode == 0
    assert "two hops: aodv, newreno, dcf; seed 3" in done.stdout
    for word in ("0 → 2", "goodput kbit/s", "rts sent", "discoveries"):
        assert word in done.stdout


def test_json_on_standard_output_is_one_object_and_nothing_else(
    chain: Path, multihop_command: Command
) -> None:
    done = multihop_command(
        "run", chain, "--seed", 9, "--set", "routing.scheme=aodv", "--json", "-"
    )
    result = json.loads(done.stdout)
    assert result["seed"] == 9
    assert {"scenario", "version", "engine", "flows", "mac", "routing", "queue"} <= result.keys()


def test_files_are_written(chain: Path, tmp_path: Path, multihop_command: Command) -> None:
    done = multihop_command("run", chain, "--json", "r.json", "--series", "s.csv", "--queue", 0)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "r.json").read_text())
    assert result["seed"] == 3
    assert set(result["series"]["queues"]["node"]) == {0}
    header = next(csv.reader((tmp_path / "s.csv").read_text().splitlines()))
    assert header == ["flow", "time_s", "sequence", "cwnd", "goodput_bps"]
    assert "node 0: mean" in done.stdout


def test_several_seeds_give_means_with_intervals(chain: Path, multihop_command: Command) -> None:
    done = multihop_command("run", chain, "--seeds", 4, "--json", "-")
    assert [run["seed"] for run in json.loads(done.stdout)["runs"]] == [3, 4, 5, 6]
    table = multihop_command("run", chain, "--seeds", 4).stdout
    assert "4 seeds from 3" in table
    assert "±" in table


def test_set_wins_over_the_file_and_reaches_the_engine(
    chain: Path, multihop_command: Command
) -> None:
    done = multihop_command("run", chain, "--set", "topology.hops=3", "--json", "-")
    assert len(json.loads(done.stdout)["positions_m"]) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "missing.toml"], "missing.toml: No such file"),
        (["run", "."], "directory"),
        (["run", "bad-key.toml"], "bad-key.toml: line 3"),
        (["run", "bad-syntax.toml"], "bad-syntax.toml: "),
        (["run", "binary.toml"], "binary.toml: not UTF-8"),
        (["run", "chain.toml", "--scheme", "no-such"], "unknown scheme 'no-such'"),
        (["run", "chain.toml", "--set", "no-equals-sign"], "key.path=value"),
        (["run", "chain.toml", "--set", "colour=1"], "colour"),
        (["run", "chain.toml", "--seed", "x"], "--seed"),
        (["run", "chain.toml", "--json", "no/such/folder.json"], "folder does not exist"),
        (["run"], "SCENARIO.toml"),
        (["compare", "chain.toml", "--with", "ns1"], "--with"),
        (["list", "verbs"], "verbs"),
        (["validate", "--cases", "no-such"], "no reference case matches"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], says: str, chain: Path, multihop_command: Command
) -> None:
    folder = chain.parent
    (folder / "bad-key.toml").write_text(CHAIN.replace("seed = 3", "sede = 3"))
    (folder / "bad-syntax.toml").write_text(CHAIN.replace("seed = 3", "seed = = 3"))
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    done = multihop_command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("multihop: ")
    assert says in line


@pytest.mark.parametrize("several", [[], ["--seeds", "4"]])
def test_interrupt_ends_with_130_and_leaves_no_file(several: list[str], tmp_path: Path) -> None:
    endless = CHAIN.replace("11", "1000000")
    (tmp_path / "endless.toml").write_text(endless)
    command = [sys.executable, "-m", "multihop", "run", "endless.toml", "--json", "r.json"]
    with subprocess.Popen(
        command + several, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors.strip() == "multihop: interrupted"
    assert sorted(os.listdir(tmp_path)) == ["endless.toml"]  # noqa: PTH208


def test_schema_is_json_and_lists_are_lists(multihop_command: Command) -> None:
    schema = json.loads(multihop_command("schema").stdout)
    assert "duration_s" in schema["properties"]
    assert "shortest-path" in multihop_command("list", "schemes").stdout
    assert "two-strings.toml" in multihop_command("list", "scenarios").stdout


def test_a_closed_pipe_is_no_error(chain: Path) -> None:
    command = f"{sys.executable} -m multihop run {chain} --json - | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "99999999999999999999"], "seed: must be 0 to"),
        (["--queue", "7", "--json", "-"], "queue: must be a node, 0 to 2 (got 7)"),
    ],
)
def test_what_the_scenario_cannot_do_is_one_line(
    chain: Path, multihop_command: Command, arguments: list[str], says: str
) -> None:
    done = multihop_command("run", chain, *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
