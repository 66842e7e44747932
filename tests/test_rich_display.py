"""What a notebook shows of results and studies, what they plot, and what it completes."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import altair as alt
import polars as pl
import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

import multihop
from multihop import Study, StudyResults, interactive, notebook
from multihop.draw import plan_figure
from multihop.palette import COLOURS
from multihop.results import Result
from multihop.study.store import Outcome

SVG = "{http://www.w3.org/2000/svg}"
SCENARIO: dict[str, Any] = {
    "title": "a <b> & c",
    "duration_s": 6,
    "topology": {"kind": "chain", "hops": 3},
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 3},
        {"kind": "cbr", "source": 3, "destination": 1, "rate_bps": 4000, "packet_bytes": 100},
    ],
}


def test_a_scenario_shows_its_map_its_flows_and_what_it_runs() -> None:
    scenario = multihop.Scenario(SCENARIO, scheme="dsr", set={"radio.receive_range_m": 300})
    assert (scenario["routing"]["scheme"], scenario["radio"]["receive_range_m"]) == ("dsr", 300)
    assert scenario.positions() == [(200.0 * node, 0.0) for node in range(4)]
    shown = scenario._repr_html_()
    for part in ("a &lt;b&gt; &amp; c", "routing dsr", "0 → 3", "3 → 1"):
        assert part in shown
    (svg,) = parsed(shown).iter(f"{SVG}svg")
    written = ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]
    assert {"0", "1", "2", "3"} < {*written}
    axes = plan_figure(scenario).axes[0]
    assert [len(each.get_segments()) for each in axes.collections if each.get_zorder() == 1] == [3]
    ends = [[round(float(x), 6) for x in line.get_xdata()] for line in axes.lines]
    assert ends == [[0, 600], [600, 200]]


@pytest.mark.parametrize("lacking", ["multihop.resolved.has", "multihop.results.has"])
def test_without_the_libraries_that_draw_there_are_tables(
    lacking: str, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lacking, lambda _extra: False)
    view = result if "results" in lacking else multihop.Scenario(SCENARIO)
    assert "<svg" not in view._repr_html_()
    assert len(cells(view._repr_html_())) == 3


def test_a_scenario_is_taken_wherever_one_is() -> None:
    scenario = multihop.Scenario(SCENARIO)
    assert multihop.run(scenario).flows.equals(multihop.run(SCENARIO).flows)
    with pytest.raises(multihop.ScenarioError, match=r"topology\.hops"):
        multihop.Scenario(SCENARIO, set={"topology.hops": -1})


def test_a_scenario_of_many_or_moving_nodes_or_random_ends_is_shown() -> None:
    moving = {
        "topology": {"kind": "random", "nodes": 30, "area_m": [600, 600]},
        "mobility": {"kind": "random-waypoint", "speed_mps": [1, 2]},
        "flows": [{"kind": "ftp", "source": "random", "destination": "last", "count": 3}],
    }
    shown = multihop.Scenario({**SCENARIO, **moving})._repr_html_()
    for part in ("random, random-waypoint", "random → 29", "<svg"):
        assert part in shown
    crowd = {**moving, "topology": {"kind": "random", "nodes": 900, "area_m": [3000, 3000]}}
    assert "900 nodes" in multihop.Scenario({**SCENARIO, **crowd})._repr_html_()


def study_of(**tables: Any) -> Study:
    return Study(
        title="two <schemes>",
        question="Which?",
        scenario={**SCENARIO, "flows": SCENARIO["flows"][:1]},
        schemes=["aodv", "static"],
        **{
            "axes": {"window": {"key": "transport.window_segments", "values": [2, 8]}},
            "scale": {"quick": {"networks": 2}, "full": {"networks": 5}},
            "figures": [
                {"name": "goodput", "title": "Goodput", "x": "window", "y": "goodput_bps"},
                {
                    "name": "over-time", "title": "Windows", "x": "time_s", "y": "cwnd",
                    "kind": "series", "facet": "window",
                },
            ],
            "record": {"series_interval_s": 0.5},
            **tables,
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def result() -> Result:
    return multihop.run(SCENARIO, record=multihop.Recording(series_interval_s=0.5))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    return study_of().run(tmp_path_factory.mktemp("study"), scale="quick", workers=1)


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def cells(html: str) -> list[list[str]]:
    rows = parsed(html).iter("tr")
    return [["".join(cell.itertext()).strip() for cell in row] for row in rows]


def drawn_by(spec: dict[str, Any]) -> pl.DataFrame:
    (rows,) = spec["datasets"].values()
    return pl.DataFrame(rows)


def test_a_result_shows_its_flows_and_their_goodput_over_time(result: Result) -> None:
    shown = result._repr_html_()
    heads, tcp, cbr = cells(shown)
    assert dict(zip(heads, tcp, strict=True))["path"] == "0\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}3"
    arrived = dict(zip(heads, cbr, strict=True))["delivered"]
    assert arrived == str(result.json["flows"][1]["received_packets"])
    drawn = [
        path.get("stroke") for path in parsed(shown).iter(f"{SVG}path")
        if path.get("aria-roledescription") == "line mark"
    ]  # fmt: skip
    assert drawn == [*COLOURS[:2]]
    assert [re.search(r"color:(#\w+)", shown[shown.index("<td") :])[1]] == [COLOURS[0]]  # type: ignore[index]


def test_a_result_without_a_series_shows_the_table_alone() -> None:
    shown = multihop.run({**SCENARIO, "duration_s": 2})._repr_html_()
    assert len(cells(shown)) == 3
    assert "svg" not in shown


def test_a_long_series_is_drawn_by_few_points() -> None:
    result = multihop.run(SCENARIO, record=multihop.Recording(series_interval_s=0.01))
    assert len(result._repr_html_()) < 20_000


@pytest.mark.parametrize("column", ["goodput_bps", "cwnd", "sequence"])
def test_a_result_plots_each_column_of_its_series(column: Any, result: Result) -> None:
    spec = result.plot(column).to_dict()
    drawn = drawn_by(spec)
    assert drawn[column].to_list() == result.series[column].to_list()
    assert spec["encoding"]["y"]["field"] == column


def test_a_plot_of_a_long_series_keeps_its_extremes() -> None:
    result = multihop.run(SCENARIO, record=multihop.Recording(series_interval_s=0.001))
    assert result.series.height > 10_000
    drawn = drawn_by(result.plot("cwnd").to_dict())
    assert drawn.height <= 4000
    for flow, rows in result.series.group_by("flow"):
        kept = drawn.filter(pl.col("flow") == flow[0])
        for least_or_most in (pl.Series.min, pl.Series.max):
            assert least_or_most(kept["cwnd"]) == least_or_most(rows["cwnd"])
        assert kept["time_s"].is_sorted()


def test_a_plotted_window_says_how_much_of_it_is_used() -> None:
    scenario = {
        "duration_s": 60,
        "topology": {"kind": "chain", "hops": 1},
        "transport": {"window_segments": 8},
        "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
    }
    result = multihop.run(scenario, record=multihop.Recording(series_interval_s=1.0))
    greatest = result.series["cwnd"].max()
    assert isinstance(greatest, float)
    assert greatest > 30
    told = result.plot("cwnd").to_dict()["title"]["subtitle"]
    assert told == "the sender uses no more than the window of 8 segments"
    assert "subtitle" not in result.plot("goodput_bps").to_dict()["title"]
    own = {**scenario["flows"][0], "transport": {"window_segments": 3}}  # type: ignore[index]
    result = multihop.run(
        {**scenario, "flows": [own]}, record=multihop.Recording(series_interval_s=1.0)
    )
    assert "window of 3 segments" in result.plot("cwnd").to_dict()["title"]["subtitle"]


def test_a_plot_says_what_it_lacks(result: Result) -> None:
    with pytest.raises(ValueError, match="there are goodput_bps, cwnd, sequence"):
        result.plot("window")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"series_interval_s=1\.0"):
        multihop.run({**SCENARIO, "duration_s": 1}).plot()


def test_a_study_shows_what_it_would_run() -> None:
    rows = dict(cells(study_of()._repr_html_())[1:])
    assert rows["axes"] == "window: 2, 8"
    assert rows["quick"] == "4 cells on 2 networks, 8 runs"
    assert rows["full"] == "4 cells on 5 networks, 20 runs"
    wrong = study_of(axes={"window": {"key": "transport.window", "values": [2]}})
    assert "transport.window: unknown key" in dict(cells(wrong._repr_html_())[1:])["error"]


def test_results_of_a_study_show_what_ran_and_its_summary(results: StudyResults) -> None:
    shown = results._repr_html_()
    assert "8 of 8 runs" in shown
    assert "figures: goodput, over-time" in shown
    heads, *rows = cells(shown)
    assert heads == ["metric", "window", "scheme", "mean", "95 % interval", "networks"]
    assert [row[1:3] for row in rows] == [
        ["2", "aodv"], ["2", "static"], ["8", "aodv"], ["8", "static"],
    ]  # fmt: skip
    (mean,) = results.summary().filter(scheme="static", window=8)["value"]
    assert float(rows[3][3].replace(",", "")) == pytest.approx(mean, rel=1e-3)


def test_a_summary_that_would_take_long_is_named_only(
    results: StudyResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interactive, "_MOST_ROWS", 3)
    shown = results._repr_html_()
    assert "<code>summary()</code> has the means of 4 cells" in shown
    assert "<table>" not in shown


def test_a_figure_of_a_study_is_an_altair_chart(results: StudyResults) -> None:
    chart: Any = results.plot("goodput")
    assert isinstance(chart, alt.LayerChart)
    assert isinstance(results.plot("over-time"), alt.FacetChart)
    assert chart.properties(height=99).to_dict()["height"] == 99
    with pytest.raises(KeyError, match="goodput, over-time"):
        results.plot("gain")


@pytest.mark.parametrize(
    ("begun", "wanted"),
    [
        ("result.plo", "plot"),
        ("results.plo", "plot"),
        ('result.flows["goodp', "goodput_bps"),
        ('result.series["cw', "cwnd"),
        ('result.json["posi', "positions_m"),
        ('results.flows["least_obs', "least_observed_hops"),
        ('result.json["mac"]["rts_s', "rts_sent"),
    ],
)
def test_a_notebook_completes(
    begun: str, wanted: str, result: Result, results: StudyResults
) -> None:
    completer = IPCompleter(
        shell=None, namespace={"result": result, "results": results}, use_jedi=False
    )
    with provisionalcompleter():
        found = [each.text for each in completer.completions(begun, len(begun))]
    assert any(wanted in text for text in found)


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], notebook.Bar]:
    """A bar of 10 runs, 4 of them kept, of which the others end a second apart from a time on."""
    now = [100.0]
    monkeypatch.setattr(notebook.time, "monotonic", lambda: now[0])
    shown: list[str] = []
    update = SimpleNamespace(update=lambda each: shown.append(repr(each)))
    monkeypatch.setattr(
        "IPython.display.display", lambda each, **_: shown.append(repr(each)) or update
    )
    made = notebook.Bar("a <study>")
    made.started(10, 6)

    def after(runs: float) -> notebook.Bar:
        for number in range(int(runs)):
            now[0] += 1.0
            made.finished(Outcome("key", number, 1.0, error="no" if number == 0 else None))
        assert shown
        assert shown[-1] == repr(made)
        return made

    return after


def test_the_bar_counts_what_is_kept_and_estimates_the_rest(
    bar: Callable[[float], notebook.Bar],
) -> None:
    assert repr(bar(0)) == "a <study>: 4 of 10 runs"
    assert repr(bar(2)) == "a <study>: 6 of 10 runs, 1.0 runs/s, 0:04 left, 1 failed"
    assert parsed(bar(0)._repr_html_()).find("progress") is not None


def test_the_bar_says_how_long_it_took(bar: Callable[[float], notebook.Bar]) -> None:
    assert repr(bar(6)) == "a <study>: 10 of 10 runs, 1.0 runs/s, took 0:06, 1 failed"


def test_there_is_no_bar_outside_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    assert study_of().watchers() == (None, None)
    monkeypatch.delitem(sys.modules, "IPython")
    assert not notebook.in_notebook()


def test_a_study_in_a_script_is_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    study_of().run(tmp_path, scale="quick", networks=1, workers=1)
    assert capfd.readouterr() == ("", "")
