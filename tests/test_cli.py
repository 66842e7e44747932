"""The command line as a user calls it."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from multihop import Study
from multihop.study.execution import Executor
from multihop.study.plan import Cell
from multihop.study.store import Outcome, Store
from tests.conftest import CHAIN, Called, Command
from tests.test_check import STUDY


def test_run_prints_a_table_of_flows_and_counters(chain: Path, multihop_command: Command) -> None:
    done = multihop_command("run", chain, "--verbose")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "two hops: aodv, newreno, dcf; seed 3" in done.stdout
    for word in ("0 → 2", "goodput kbit/s", "rts sent", "discoveries"):
        assert word in done.stdout


def test_the_title_names_what_takes_the_place_of_the_dcfs_access(
    chain: Path, multihop_command: Command
) -> None:
    done = multihop_command("run", chain, "--scheme", "diffq")
    assert "two hops: aodv, newreno, diffq; seed 3" in done.stdout


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


def test_several_seeds_give_means_with_intervals(chain: Path, called: Called) -> None:
    done = called("run", chain, "--seeds", 4, "--json", "-")
    assert [run["seed"] for run in json.loads(done.stdout)["runs"]] == [3, 4, 5, 6]
    table = called("run", chain, "--seeds", 4).stdout
    assert "4 seeds from 3" in table
    assert "±" in table


def test_an_end_that_hangs_on_the_seed_is_not_given_as_the_first_seeds(
    tmp_path: Path, called: Called
) -> None:
    file = tmp_path / "random.toml"
    file.write_text(
        "duration_s = 2\ntopology = { kind = 'chain', hops = 5, spacing_m = 200 }\n"
        "flows = [{ kind = 'ftp', source = 'random', destination = 'random', min_hops = 2 },"
        " { kind = 'ftp', source = 'random', destination = 0 },"
        " { kind = 'ftp', source = 3, destination = 0 }]\n"
    )
    shown = called("run", file, "--seeds", 8, "--workers", 1).stdout
    assert [line.split()[2:5] for line in shown.splitlines() if " ftp " in line] == [
        ["varies", "→", "varies"], ["varies", "→", "0"], ["3", "→", "0"],
    ]  # fmt: skip


def test_set_wins_over_the_file_and_reaches_the_engine(chain: Path, called: Called) -> None:
    done = called("run", chain, "--set", "topology.hops=3", "--json", "-")
    assert len(json.loads(done.stdout)["positions_m"]) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "missing.toml"], "missing.toml: No such file"),
        (["run", "."], ".: a folder"),
        (["run", "bad-key.toml"], "bad-key.toml: line 3"),
        (["run", "bad-syntax.toml"], "bad-syntax.toml: "),
        (["run", "binary.toml"], "binary.toml: not UTF-8"),
        (["run", "chain.toml", "--scheme", "no-such"], "unknown scheme 'no-such'"),
        (["run", "chain.toml", "--set", "no-equals-sign"], "key.path=value"),
        (["run", "chain.toml", "--set", "colour=1"], "colour"),
        (["run", "chain.toml", "--seed", "x"], "--seed"),
        (["run", "chain.toml", "--json", "no/such/folder.json"], "folder does not exist"),
        (["run"], "SCENARIO"),
        (["run", "six-hop"], "did you mean six-hops?"),
        (["study", "run", "multipath/chian"], "did you mean multipath/chain?"),
        (
            ["run", "chain.toml", "--routing", "dsx"],
            '(got "dsx"); did you mean "dsr"?',
        ),
        (["run", "chain.toml", "--scheme", "dsx"], "multihop: --scheme: unknown scheme 'dsx'"),
        (["run", "chain.toml", "--set", "mac.que=3"], "multihop: --set mac.que=3: unknown key"),
        (["run", "chain.toml", "--set", "mac=3"], "multihop: --set mac=3: must be a table"),
        (["run", "bad-positions.toml"], "bad-positions.toml: line 4: topology.positions: unknown"),
        (["compare", "chain.toml", "--with", "ns1"], "--with"),
        (["list", "verbs"], "verbs"),
        (["validate", "--cases", "no-such"], "no reference case matches"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str], says: str, chain: Path, called: Called
) -> None:
    folder = chain.parent
    (folder / "bad-key.toml").write_text(CHAIN.replace("seed = 3", "sede = 3"))
    (folder / "bad-syntax.toml").write_text(CHAIN.replace("seed = 3", "seed = = 3"))
    positions = 'duration_s = 1\n[topology]\nkind = "positions"\n'
    (folder / "bad-positions.toml").write_text(positions + "positions = [[0, 0], [9, 0]]\n")
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    done = called(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("multihop: ")
    assert says in line


def interrupted(call: str, folder: Path) -> tuple[int, str, float]:
    """How Python ended that was interrupted soon after it began `call`, and after how long [s]."""
    imports = "import sys, multihop.cli, multihop.report.precision, multihop.study.execution"
    program = f"{imports}\nprint('ready', flush=True)\n{call}"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        while "study" in call and not (folder / "out").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        try:
            _, errors = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, errors, time.monotonic() - begun


def command_line(*arguments: str) -> str:
    """The call of a command."""
    return f"sys.argv = {['multihop', *arguments]}; multihop.cli.main()"


@pytest.mark.parametrize("several", [[], ["--seeds", "4"]])
def test_interrupt_ends_with_130_and_leaves_no_file(several: list[str], tmp_path: Path) -> None:
    (tmp_path / "endless.toml").write_text(CHAIN.replace("11", "1000000"))
    call = command_line("run", "endless.toml", "--json", "r.json", *several)
    status, errors, _ = interrupted(call, tmp_path)
    assert (status, errors.strip()) == (130, "multihop: interrupted")
    assert sorted(os.listdir(tmp_path)) == ["endless.toml"]  # noqa: PTH208


ENDLESS_STUDY = """
title = "endless"
question = "Does it end?"
schemes = ["aodv"]
scenario = "endless.toml"
[scale.quick]
networks = 2
"""


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (command_line("study", "run", "study.toml"), "0 of 2 runs kept; go on with --resume"),
        ("multihop.run_many('endless.toml', seeds=[1, 2])", "KeyboardInterrupt"),
    ],
)
def test_an_interrupt_does_not_wait_for_the_runs_in_progress(
    call: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "endless.toml").write_text(CHAIN.replace("11", "1000000"))
    (tmp_path / "study.toml").write_text(ENDLESS_STUDY)
    _, errors, took_s = interrupted(call, tmp_path)
    assert says in errors
    assert took_s < 5.0


@pytest.mark.parametrize(
    ("command", "how_on"),
    [
        ("study run multipath/chain", "go on with --resume"),
        ("reproduce copas", "the same command goes on with the rest"),
        ("headlines copas", "the same command goes on with the rest"),
        ("assumptions copas/assumptions", "go on with --resume"),
    ],
)
def test_an_interrupt_says_what_is_kept(
    command: str, how_on: str, called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(
        work: Sequence[tuple[Cell, int]],
        _store: Store,
        _executor: Executor,
        finished: Callable[[Outcome], object],
    ) -> None:
        cell, seed = work[0]
        finished(Outcome(cell.key(seed), seed, 1.0))
        raise KeyboardInterrupt

    for module in ("study.study", "assumptions.settings"):
        monkeypatch.setattr(f"multihop.{module}.run_cells", interrupted)
    said = called(*command.split(), "--scale", "quick", "--networks", "3", "--out", "out")
    assert said.returncode == 130
    assert re.fullmatch(rf"multihop: interrupted; 1 of [\d,]+ runs kept; {how_on}\n", said.stderr)


def test_a_study_takes_settings_which_win_over_its_own(
    chain: Path, tmp_path: Path, called: Called
) -> None:
    (chain.parent / "study.toml").write_text(
        STUDY.replace("networks = 1", "networks = 1\nset = { duration_s = 4 }")
    )
    command = ["study", "run", "study.toml", "--scale", "quick", "--workers", 1]
    done = called(*command, "--set", "duration_s=3", "--out", "out")
    assert done.returncode == 0, done.stderr
    results = Study.read(tmp_path / "out" / "study.toml").open(tmp_path / "out")
    assert results.finished == 2
    assert {run["scenario"]["duration_s"] for _, _, run in results.results()} == {3}
    for setting, says in {
        "mac.que=1": "--set: aodv window=2: mac.que: unknown key",
        "transport.window_segments=1": "--set transport.window_segments: is what the axis window",
    }.items():
        said = called(*command, "--set", setting, "--out", "none")
        assert said.returncode == 2
        assert said.stderr.startswith(f"multihop: {says}")
    assert not (tmp_path / "none").exists()


def test_schema_is_json_and_lists_are_lists(called: Called) -> None:
    schema = json.loads(called("schema").stdout)
    assert "duration_s" in schema["properties"]
    assert "shortest-path" in called("list", "schemes").stdout


def test_a_name_that_is_listed_is_taken(called: Called) -> None:
    for what, command in (("scenarios", ["run"]), ("studies", ["study", "run"])):
        name = called("list", what).stdout.split()[0]
        said = called(*command, name, "--no-such-option").stderr
        assert "no-such-option" in said
    done = called("run", "six-hops", "--set", "duration_s=2", "--json", "-")
    assert json.loads(done.stdout)["scenario"]["title"] == "six hops"


def test_a_file_comes_before_an_example_of_its_name(chain: Path, called: Called) -> None:
    chain.rename(chain.parent / "six-hops")
    assert "two hops: " in called("run", "six-hops").stdout


def test_a_scheme_says_what_it_changes_of_the_file(chain: Path, called: Called) -> None:
    told = '[routing]\nscheme = "aodv"\n[transport]\nscheme = "newreno"\nwindow_segments = 32\n'
    chain.write_text(CHAIN.replace("[[flows]]", told + "[[flows]]"))
    done = called("run", chain, "--scheme", "dsr", "--set", "transport.scheme=cubic")
    (line,) = done.stderr.splitlines()
    assert line.startswith("multihop: warning: --scheme dsr sets ")
    assert 'routing.scheme = "dsr" (file: "aodv")' in line
    assert "transport.scheme" not in line, "--set had the last word"
    assert called("run", chain, "--scheme", "aodv").stderr.count("routing") == 0


def test_a_study_says_what_its_schemes_change_of_the_scenario(chain: Path, called: Called) -> None:
    told = '[transport]\nscheme = "newreno"\nsegment_bytes = 1460\nwindow_segments = 8\n'
    chain.write_text(CHAIN.replace("[[flows]]", told + "[[flows]]"))
    setting = '{ "transport.segment_bytes" = 1460 }'
    schemes = f'["aodv", {{ name = "dsr, 1460", scheme = "dsr", set = {setting} }}]'
    study = STUDY.replace('["aodv", "static"]', schemes)
    assert schemes in study
    (chain.parent / "study.toml").write_text(study)
    done = called("study", "run", "study.toml", "--scale", "quick", "--out", "out")
    (line,) = (line for line in done.stderr.splitlines() if "warning" in line)
    assert line.startswith("multihop: warning: scheme dsr sets transport.scheme")
    assert "segment_bytes" not in line, "the scheme's own settings have the last word"
    assert "window_segments" not in line, "the axis has"


def test_a_routing_is_chosen_without_another_transport(
    chain: Path, multihop_command: Command
) -> None:
    told = (
        '[routing]\nscheme = "aodv"\nlocal_repair = false\n'
        '[transport]\nscheme = "newreno"\nwindow_segments = 7\n'
    )
    chain.write_text(CHAIN.replace("[[flows]]", told + "[[flows]]"))
    done = multihop_command("run", chain, "--routing", "dsr", "--json", "-")
    assert done.stderr == ""
    scenario = json.loads(done.stdout)["scenario"]
    assert scenario["routing"]["scheme"] == "dsr"
    assert "local_repair" not in scenario["routing"]
    assert (scenario["transport"]["scheme"], scenario["transport"]["window_segments"]) == (
        "newreno", 7,
    )  # fmt: skip


CROWD = """\
duration_s = 1
[topology]
kind = "random"
nodes = 12000
area_m = [400, 400]
[[flows]]
kind = "ftp"
source = 0
destination = 1
"""


def test_a_crowd_is_announced_and_its_building_can_be_interrupted(tmp_path: Path) -> None:
    (tmp_path / "crowd.toml").write_text(CROWD)
    command = [sys.executable, "-m", "multihop", "run", "crowd.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, errors = process.communicate(timeout=60)
    assert "12,000 nodes with 11,999 others each in sensing range" in said
    assert (process.returncode, errors.strip()) == (130, "multihop: interrupted")
    assert time.monotonic() - begun < 3.0


def test_what_no_memory_holds_is_refused_at_once(tmp_path: Path, multihop_command: Command) -> None:
    (tmp_path / "crowd.toml").write_text(CROWD.replace("12000", "1000000"))
    done = multihop_command("run", "crowd.toml")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "crowd.toml: line 2: topology: 1000000 nodes" in line
    assert "GB of memory" in line


def test_a_study_of_crowds_announces_or_refuses_them(tmp_path: Path) -> None:
    (tmp_path / "endless.toml").write_text(CROWD)
    (tmp_path / "study.toml").write_text(ENDLESS_STUDY)
    status, errors, took_s = interrupted(command_line("study", "run", "study.toml"), tmp_path)
    announced, ended = errors.splitlines()
    assert "12,000 nodes with 11,999 others each in sensing range" in announced
    assert status == 130
    assert "0 of 2 runs kept" in ended
    assert took_s < 5.0


def test_a_study_that_no_memory_holds_is_refused_at_once(tmp_path: Path, called: Called) -> None:
    (tmp_path / "endless.toml").write_text(CROWD.replace("12000", "1000000"))
    (tmp_path / "study.toml").write_text(ENDLESS_STUDY)
    done = called("study", "run", "study.toml")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("multihop: aodv: topology: 1000000 nodes")
    assert "GB of memory" in line
    assert not (tmp_path / "out").exists()


def test_a_closed_pipe_is_no_error(chain: Path) -> None:
    command = f"{sys.executable} -m multihop run {chain} --json - | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "99999999999999999999"], "--seed"),
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


def test_an_option_that_sets_a_part_of_what_is_wrong_is_named(chain: Path, called: Called) -> None:
    said = called("run", chain, "--scheme", "quic", "--set", "transport.acks.delayed=true")
    assert said.returncode == 2
    fault = 'transport.acks: has no effect with scheme "quic": QUIC acknowledges by RFC 9000'
    assert f"multihop: --set transport.acks.delayed=true: {fault}" in said.stderr
