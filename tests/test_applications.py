"""Applications as users meet them: in results, metrics, tables and the page on them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import catalogue
from multihop.metrics import METRICS, FlowMetric, RunMetric, applications
from multihop.results import Result

PAGE = Path(__file__).parents[1] / "docs" / "model" / "applications.md"

CHAIN = "duration_s = 30\ntopology = { kind = 'chain', hops = 2 }\n"
FILES = (
    CHAIN + "[[flows]]\nkind = 'file'\nname = 'short'\nsource = 'random'\ndestination = 'random'\n"
    "arrivals_per_s = 2\nstop_s = 25\nbytes = { kind = 'pareto', shape = 1.2, least = 1000, "
    "most = 300000 }\n"
)


def _example(name: str) -> str:
    return catalogue.scenario_file(name).read_text("utf-8")


def _flow_value(result: Result, name: str, flow: int) -> float | None:
    metric = METRICS[name]
    assert isinstance(metric, FlowMetric)
    return metric.of(result.json, result.json["flows"][flow])


def _run_value(result: Result, name: str) -> float | None:
    metric = METRICS[name]
    assert isinstance(metric, RunMetric)
    return metric.of(result.json)


def test_every_scenario_of_the_page_runs(tmp_path: Path) -> None:
    blocks = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', PAGE.read_text("utf-8"), re.M | re.S)
    assert len(blocks) == 5
    assert _example("office").endswith(dict(blocks)["office.toml"])
    for name, text in blocks:
        (tmp_path / name).write_text(text, "utf-8")
    for name, _ in blocks:
        if name.endswith(".toml"):
            ran = subprocess.run(
                [sys.executable, "-m", "multihop", "run", str(tmp_path / name)],
                capture_output=True, text=True,
            )  # fmt: skip
            assert ran.returncode == 0, f"{name}: {ran.stderr}"
            expected = {"bursts.toml": "on-off", "replayed.toml": "3 of 3 complete"}
            assert expected.get(name, "complete") in ran.stdout
            if name == "office.toml":
                assert re.search(r"× short +file", ran.stdout)
                assert re.search(r" reader +web, answers", ran.stdout)
                assert re.search(r"voice .*MOS [1-4]\.\d\d, R ", ran.stdout)


def test_quantiles_are_over_all_transfers_and_by_size() -> None:
    result = multihop.run(FILES)
    table = result.transfers
    assert table.columns == ["flow", "name", "bytes", "start_s", "time_s"]
    assert set(table["name"]) == {"short"}
    done = table.drop_nulls("time_s")
    assert _run_value(result, "total_transfers") == done.height
    assert _run_value(result, "total_unfinished_transfers") == table.height - done.height
    times = sorted(done["time_s"])
    assert _run_value(result, "completion_p50_s") == times[-(-len(times) // 2) - 1]
    assert _run_value(result, "completion_mean_s") == pytest.approx(sum(times) / len(times))
    small = sorted(done.filter(done["bytes"] < 10_000)["time_s"])
    large = sorted(done.filter(done["bytes"] >= 100_000)["time_s"])
    assert small
    assert _run_value(result, "small_completion_p50_s") == small[-(-len(small) // 2) - 1]
    expected = large[-(-len(large) // 2) - 1] if large else None
    assert _run_value(result, "large_completion_p50_s") == expected
    assert _flow_value(result, "transfers", 0) in (0.0, 1.0)


def test_a_run_without_applications_has_no_completion_times() -> None:
    result = multihop.run(CHAIN + "[[flows]]\nkind = 'ftp'\nsource = 0\ndestination = 2\n")
    assert _run_value(result, "completion_p50_s") is None
    assert _run_value(result, "total_transfers") is None
    assert _flow_value(result, "mos", 0) is None
    assert result.transfers.is_empty()
    assert "name" not in result.json["flows"][0]


def test_pages_and_responses_have_their_metrics() -> None:
    flows = "".join(
        f"[[flows]]\nkind = '{kind}'\nsource = 0\ndestination = 2\n{keys}\n"
        for kind, keys in [
            ("web", "reading_s = 1"),
            ("request-response", "request_bytes = 100\nresponse_bytes = 2000\nthink_s = 1"),
        ]
    )
    result = multihop.run(CHAIN + flows)
    kinds = [(flow["kind"], flow.get("answers")) for flow in result.json["flows"]]
    assert kinds == [("web", None), ("web", 0), ("request-response", None), ("request-response", 2)]
    for name, flow in (("page_load", 0), ("response", 2)):
        assert _run_value(result, f"{name}_mean_s") == _flow_value(result, "transfer_mean_s", flow)
        assert _flow_value(result, "transfer_mean_s", flow + 1) is None


def test_a_call_has_a_score() -> None:
    result = multihop.run(CHAIN + "[[flows]]\nkind = 'voice'\nsource = 0\ndestination = 2\n")
    mos, rating = (_flow_value(result, name, 0) for name in ("mos", "r_factor"))
    assert mos is not None
    assert 4.0 < mos < 4.5
    assert rating is not None
    assert 80 < rating < 93.2
    assert _flow_value(result, "voice_loss", 0) == 0
    assert _run_value(result, "udp_goodput_bps") == result.json["flows"][0]["goodput_bps"]
    assert _run_value(result, "tcp_goodput_bps") == 0


def test_a_name_finds_the_table() -> None:
    named = multihop.run(FILES, set={"flows.short.bytes": 5000})
    assert set(named.transfers["bytes"]) == {5000}
    assert named.json["scenario"]["flows"][0]["bytes"] == 5000
    with pytest.raises(multihop.ScenarioError, match="there is no `long`"):
        multihop.run(FILES, set={"flows.long.bytes": 5000})


def test_the_table_of_several_seeds_takes_arrivals_together(tmp_path: Path) -> None:
    file = tmp_path / "files.toml"
    file.write_text(FILES, "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "multihop", "run", str(file), "--seeds", "3", "--workers", "1"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("many × short") == 1


def test_a_trace_is_found_beside_its_scenario(tmp_path: Path) -> None:
    flow = "[[flows]]\nkind = 'trace'\nsource = 0\ndestination = 2\nfile = 'm.csv'\nover = 'tcp'\n"
    (tmp_path / "scenario.toml").write_text(CHAIN + flow, "utf-8")
    (tmp_path / "m.csv").write_text("time_s,bytes\n1,500\n2,x\n", "utf-8")
    with pytest.raises(multihop.ScenarioError, match=r"m\.csv: line 3: bytes must be"):
        multihop.run(tmp_path / "scenario.toml")
    (tmp_path / "m.csv").write_text("time_s,bytes\n1,500\n2,700\n", "utf-8")
    assert list(multihop.run(tmp_path / "scenario.toml").transfers["bytes"]) == [500, 700]


def test_what_an_application_keeps_silent_is_not_explained() -> None:
    web = "[[flows]]\nkind = 'web'\nsource = 0\ndestination = 2\n"
    with pytest.raises(ValueError, match="is of kind web"):
        multihop.explain(CHAIN + web, flow=0)
    assert multihop.explain(CHAIN + web).flows == []


def test_every_metric_of_applications_is_defined_by_hand() -> None:
    file: Any = {
        "kind": "file", "delivered_bytes": 0,
        "transfers": {
            "bytes": [9_999, 10_000, 99_999, 100_000, 500],
            "start_s": [0.0] * 5, "time_s": [1.0, 2.0, 4.0, 8.0, None],
        },
    }  # fmt: skip
    web = file | {"kind": "web", "transfers": {"bytes": [5], "start_s": [0.0], "time_s": [16.0]}}
    ask = web | {
        "kind": "request-response",
        "transfers": {"bytes": [7], "start_s": [0.0], "time_s": [0.5]},
    }
    voice = {"mos": 4.1, "r_factor": 83.0, "loss": 0.01, "jitter_s": 0.003}
    call: Any = {"kind": "voice", "voice": voice}
    run: Any = {"flows": [file, web, ask, call]}
    of_the_run = {
        "completion_mean_s": 31.5 / 6, "completion_p50_s": 2.0, "completion_p95_s": 16.0,
        "completion_p99_s": 16.0, "small_completion_p50_s": 1.0, "small_completion_p95_s": 16.0,
        "medium_completion_p50_s": 2.0, "medium_completion_p95_s": 4.0,
        "large_completion_p50_s": 8.0, "large_completion_p95_s": 8.0,
        "page_load_mean_s": 16.0, "page_load_p50_s": 16.0, "page_load_p95_s": 16.0,
        "response_mean_s": 0.5, "response_p50_s": 0.5, "response_p95_s": 0.5,
        "total_transfers": 6.0, "total_unfinished_transfers": 1.0,
    }  # fmt: skip
    of_flows = {
        "transfer_mean_s": 3.75, "transfer_p50_s": 2.0, "transfer_p95_s": 8.0,
        "transfer_p99_s": 8.0, "transfers": 4.0, "unfinished_transfers": 1.0,
    }  # fmt: skip
    of_calls = {"mos": 4.1, "r_factor": 83.0, "voice_loss": 0.01, "voice_jitter_s": 0.003}
    assert {metric.name for metric in applications.METRICS} == {*of_the_run, *of_flows, *of_calls}
    for metric in applications.METRICS:
        if isinstance(metric, RunMetric):
            assert metric.of(run) == pytest.approx(of_the_run[metric.name]), metric.name
        elif isinstance(metric, FlowMetric):
            flow, value = (
                (file, of_flows[metric.name])
                if metric.name in of_flows
                else (call, of_calls[metric.name])
            )
            assert metric.of(run, flow) == pytest.approx(value), metric.name
            other = call if flow is file else file
            assert metric.of(run, other) is None


def test_a_study_finds_a_trace_beside_it_and_knows_its_contents(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        'title = "t"\nquestion = "q"\nschemes = ["aodv"]\nmetrics = ["completion_mean_s"]\n'
        "[scale.quick]\nnetworks = 1\n[scale.full]\nnetworks = 1\n"
        "[scenario]\nduration_s = 5\ntopology = { kind = 'chain', hops = 2 }\n"
        "[[scenario.flows]]\nkind = 'trace'\nfile = 'm.csv'\nsource = 0\ndestination = 2\n",
        "utf-8",
    )
    keys = []
    for size in (500, 700):
        (tmp_path / "m.csv").write_text(f"time_s,bytes\n1,{size}\n", "utf-8")
        study = multihop.Study.read(file)
        (cell,) = study.cells("quick")
        keys.append(cell.key(1))
    assert keys[0] != keys[1]
