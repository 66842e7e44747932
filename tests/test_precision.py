"""Precision by cell: who gets more networks, when it ends, and what is said of it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multihop
from multihop.report.markdown import put_study
from multihop.report.pages import write_report
from multihop.report.precision import MOST_ROWS
from multihop.scenario import to_toml
from multihop.statistics import mean_interval
from multihop.study import Study, StudyError, StudyResults
from multihop.study import study as running
from multihop.study.document import Precision
from multihop.study.execution import LocalExecutor, Task
from multihop.study.precision import LEAST_NETWORKS, next_networks
from multihop.study.store import Outcome
from tests.conftest import Called
from tests.report_sample import SCENARIO
from tests.test_study import contents, tables

GOODPUT = {"metric": "goodput_bps", "relative_half_width": 0.05, "limit": 200}
NOISE = {1: 0.01, 4: 0.2}
"""Standard deviation of a network's goodput over its mean, by window."""


class MadeUp(LocalExecutor):
    """Gives results whose goodputs are made up: networks differ, by the window more or less."""

    def outcomes(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """One for each task, made up."""
        for task in tasks:
            yield Outcome(task.key, task.seed, 1.0, result=self.result(task))

    def result(self, task: Task) -> Any:
        """The same run each time, with a goodput that its scheme, window and seed give."""
        made = json.loads(json.dumps(RESULT))
        scenario = json.loads(task.text)
        window = scenario["transport"]["window_segments"]
        common, own = (
            np.random.default_rng([task.seed, number]).normal()
            for number in (0, 1 + (scenario["routing"]["scheme"] == "static"))
        )
        # The noise of a network is common to the schemes but for a tenth.
        level = 1 + NOISE[window] * (0.995 * common + 0.1 * own)
        made["flows"][0]["goodput_bps"] = 1e6 * level
        made["flows"][0]["timeouts"] = 0
        return made


RESULT: Any = multihop.run(SCENARIO).json
RESULT["flows"] = RESULT["flows"][:1]


@pytest.fixture(autouse=True)
def _made_up(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "called" not in request.fixturenames:
        monkeypatch.setattr(running, "LocalExecutor", MadeUp)


def study(*precision: dict[str, Any], **changes: Any) -> Study:
    wanted = {**GOODPUT, **precision[0]} if len(precision) == 1 else [*precision]
    changes = {"scale": {"full": {"networks": 3}}, **changes}
    return Study(**tables(precision=wanted, **changes))


def networks(results: StudyResults) -> dict[str, int]:
    return {
        cell.name: len(seeds) for cell, seeds in zip(results.cells, results.cell_seeds, strict=True)
    }


def test_a_cell_stops_when_it_is_narrow_and_the_others_go_on(tmp_path: Path) -> None:
    results = study({}).run(tmp_path)
    ran = networks(results)
    assert ran["aodv window=1"] == ran["static window=1"] == LEAST_NETWORKS
    # 5 % of noise of 20 % take some 64 networks.
    assert 40 < ran["aodv window=4"] < 120
    assert results.planned == results.finished == sum(ran.values())
    assert results.failures == {}
    assert results.simulation_s == results.planned
    assert len(list(results.results())) == results.planned
    for scheme in ("aodv", "static"):
        for window in NOISE:
            found = results.mean("goodput_bps", scheme, f"window == {window}")
            assert found.half_width <= 0.05 * found.value
    (reached,) = results.attained()
    assert (reached.short, len(reached.cells)) == ([], 4)


def test_opening_finds_the_further_networks_of_each_cell(tmp_path: Path) -> None:
    ran = study({}).run(tmp_path)
    opened = study({}).open(tmp_path)
    assert networks(opened) == networks(ran)
    assert contents(opened) == contents(ran)
    assert opened.attained() == ran.attained()
    # A second run asks for nothing more.
    to_do: list[tuple[int, int]] = []
    again = study({}).run(tmp_path, started=lambda planned, left: to_do.append((planned, left)))
    assert networks(again) == networks(ran)
    assert to_do[-1] == (ran.planned, 0)
    assert sum(left for _, left in to_do) == 0


def test_a_ratio_needs_few_networks_and_both_cells_get_them(tmp_path: Path) -> None:
    tight = {"relative_half_width": 0.02, "relative_to": "aodv"}
    results = study(tight).run(tmp_path)
    # What the schemes have in common cancels: 2.8 % of noise in place of 20 %.
    ran = networks(results)
    assert LEAST_NETWORKS <= ran["static window=4"] < 30
    assert ran["static window=4"] == ran["aodv window=4"]
    assert [found.cell.scheme for found in results.attained()[0].cells] == ["static"] * 2
    ratio = results.ratio("goodput_bps", "static", "aodv", "window == 4")
    assert ratio.half_width <= 0.02 * ratio.value
    assert ratio.networks == ran["static window=4"]


def test_a_baseline_that_an_axis_does_not_vary_goes_on_at_its_default(tmp_path: Path) -> None:
    window = {"key": "transport.window_segments", "values": [1, 4], "schemes": ["static"]}
    axes = {"window": {**window, "default": 1}}
    results = study({"relative_to": "aodv"}, axes=axes).run(tmp_path)
    ran = networks(results)
    assert set(ran) == {"aodv window=1", "static window=1", "static window=4"}
    assert ran["aodv window=1"] == ran["static window=4"] > ran["static window=1"]


def test_a_condition_leaves_out_the_cells_that_it_excludes(tmp_path: Path) -> None:
    results = study({"where": "window == 4 and hops >= 2"}).run(tmp_path)
    ran = networks(results)
    # These keep what the scale asks for.
    assert ran["aodv window=1"] == 3
    assert ran["aodv window=4"] > 40
    assert len(results.attained()[0].cells) == 2


def test_flows_that_do_not_turn_up_keep_a_cell_going_and_are_said(tmp_path: Path) -> None:
    results = study({"where": "hops >= 6", "limit": 25}).run(tmp_path)
    assert set(networks(results).values()) == {25}
    (reached,) = results.attained()
    assert len(reached.short) == 4
    assert {found.width for found in reached.short} == {float("inf")}


def test_a_metric_without_values_or_spread_asks_for_nothing(tmp_path: Path) -> None:
    # Only some schemes have it; and a count that is always 0 is known well enough.
    for metric in ("path_failures", "timeouts"):
        results = study({"metric": metric}).run(tmp_path / metric)
        assert max(networks(results).values()) <= LEAST_NETWORKS


def test_several_tables_each_with_its_schemes(tmp_path: Path) -> None:
    tight = {**GOODPUT, "schemes": ["static"]}
    loose = {**GOODPUT, "relative_half_width": 0.3}
    results = study(tight, loose).run(tmp_path)
    ran = networks(results)
    assert ran["aodv window=4"] == LEAST_NETWORKS
    assert ran["static window=4"] > 40
    assert [len(reached.cells) for reached in results.attained()] == [2, 4]


def test_the_limit_ends_it_and_the_widest_is_named_first(tmp_path: Path) -> None:
    results = study({"limit": 20}).run(tmp_path)
    assert networks(results)["aodv window=4"] == 20
    (reached,) = results.attained()
    assert {found.cell.name for found in reached.short} == {"aodv window=4", "static window=4"}
    first, second = reached.short
    assert first.width >= second.width > 0.05
    assert {found.networks for found in reached.short} == {20}


def test_it_holds_at_full_scale_and_where_networks_are_not_given(tmp_path: Path) -> None:
    both = study({}, scale={"quick": {"networks": 2}, "full": {"networks": 3}})
    quick = both.run(tmp_path / "quick", scale="quick")
    assert (set(networks(quick).values()), quick.attained()) == ({2}, [])
    assert both.open(tmp_path / "quick").attained() == []
    only = study({}, scale={"quick": {"networks": 2}}).run(tmp_path / "only")
    assert networks(only)["aodv window=4"] > 40
    given = study({}).run(tmp_path / "given", networks=5)
    assert (set(networks(given).values()), given.attained()) == ({5}, [])
    assert study({}).open(tmp_path / "given").attained() == []
    part = study({}).run(tmp_path / "part", shard=(1, 2))
    assert (set(networks(part).values()), part.attained()) == ({3}, [])


def test_no_precision_holds_nothing(tmp_path: Path) -> None:
    results = Study(**tables()).run(tmp_path)
    assert (set(networks(results).values()), results.attained()) == ({5}, [])


def test_the_reports_say_which_cells_are_too_wide(tmp_path: Path) -> None:
    points = [{"label": n, "set": {"mac.rts_threshold_bytes": n}} for n in range(1, 8)]
    axes = {
        "window": {"key": "transport.window_segments", "values": [4]},
        "rts": {"points": points},
    }
    results = study({"limit": 12, "where": "hops >= 1"}, axes=axes).run(tmp_path)
    said = r"goodput_bps where hops &gt;= 1: 14 of 14 cells wider than 5 % after 12 networks; "
    said += r"the widest: (aodv|static) window=4 rts=\d \(\d+ %\)\."
    write_report(results, tmp_path)
    html = (tmp_path / "report.html").read_text()
    assert re.search(said, html)
    assert html.count("<td>4</td>\n<td>") >= MOST_ROWS
    assert "and 4 more" in html
    page = tmp_path / "page.md"
    page.write_text("<!-- results: begin -->\n<!-- results: end -->\n")
    put_study(page, results, [])
    text = page.read_text()
    assert re.search(said.replace("&gt;", ">"), text)
    assert "| Scheme | Window | RTS | Half-width | Networks |" in text
    assert text.count("| 12 |") == MOST_ROWS
    assert "\n\nand 4 more.\n" in text


def test_the_reports_say_that_all_cells_are_narrow(tmp_path: Path) -> None:
    results = study({"relative_half_width": 0.1}).run(tmp_path)
    write_report(results, tmp_path)
    html = (tmp_path / "report.html").read_text()
    most = len(results.seeds)
    assert f"all 4 cells within 10 % after 10 to {most} networks." in html
    assert f"<dd>10 to {most}</dd>" in html
    # The command that repeats it leaves the networks to the precision.
    assert "--networks" not in html


@pytest.mark.slow("runs studies and writes their reports")
def test_the_command_says_what_was_not_reached(tmp_path: Path, called: Called) -> None:
    wanted = {**GOODPUT, "relative_half_width": 1e-9, "limit": 11}
    random = {
        **SCENARIO,
        "topology": {"kind": "random", "nodes": 8, "area_m": [300, 300]},
        "flows": [{"kind": "ftp", "source": "random", "destination": "random", "stop_s": 3}],
    }
    made = tables(scenario=random, axes=None, scale={"full": {"networks": 2}}, precision=wanted)
    (tmp_path / "wide.toml").write_text(to_toml(made))
    said = "precision: 2 of 2 cells wider than 1e-07 % after 11 networks; the widest: "
    for command in (["run", "wide.toml", "--out", "out"], ["report", "out"]):
        done = called("study", *command)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout.splitlines()[-1]
    again = called("study", "run", "wide.toml", "--out", "given", "--networks", 2)
    assert "precision" not in again.stdout
    assert "4 runs" in again.stdout


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"limits": 3}, r"^precision.limits: unknown key; did you mean limit\?"),
        ({"limit": 1}, "^precision.limit: .* greater than or equal to 2"),
        ({"relative_to": "dsr"}, r"^precision.relative_to: must be one of aodv, static \(got"),
        ({"schemes": ["dsr"]}, "^precision.schemes: must be one of aodv, static"),
        ({"where": "speed == 3"}, "^precision.where: unknown column 'speed'; there are"),
    ],
)
def test_a_wrong_precision_names_the_key(wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study(wanted)
    within = message.replace("precision.", "precision.1.")
    with pytest.raises(StudyError, match=within):
        study(GOODPUT, {**GOODPUT, **wanted})


@pytest.mark.parametrize("skewed", [False, True], ids=["normal", "skewed"])
def test_stopping_by_width_keeps_the_coverage(skewed: bool) -> None:
    wanted = Precision.model_validate({**GOODPUT, "relative_half_width": 0.1, "limit": 2000})
    rng = np.random.default_rng(7)
    trials, covered, ended = 1500, 0, []
    for _ in range(trials):
        drawn = rng.gamma(6.25, 0.16, 400) if skewed else rng.normal(1.0, 0.4, 400)
        count = LEAST_NETWORKS
        while True:
            found = mean_interval(drawn[:count].tolist())
            further = next_networks(count, found.half_width / found.value, wanted)
            if further == count:
                break
            count = further
        covered += found.low <= 1.0 <= found.high
        ended.append(count)
    # 61 networks would do if the spread were known.
    assert 55 < np.mean(ended) < 75
    assert 0.92 <= covered / trials <= 0.97
