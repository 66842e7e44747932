"""Figures of every kind: what a study file may ask for, their numbers, how they are drawn."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from multihop import rendering
from multihop.metrics import METRICS
from multihop.report.charts import Look, Spec, chart, svg
from multihop.report.tables import figure_table
from multihop.study import StudyError, StudyResults
from multihop.study.figure import Figure
from multihop.study.figures import FigureData, figure_data, figure_frame
from tests.report_sample import by_hand, study

NETWORKS = 12
SCHEMES = ["aodv", "small window", "static"]


def goodput(scheme: str, point: dict[str, Any], seed: int, flow: int) -> float:
    """Very unequal networks; the last one starves the static scheme's second flow."""
    if scheme == "static" and seed == NETWORKS and flow == 1:
        return 0.0
    mine = {"aodv": 1e5, "small window": 2e5, "static": 3e5}[scheme]
    return mine * 1.6 ** (seed % 6) / point["hops"] * (1 + flow)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    found = study(scale={"quick": {"networks": NETWORKS}})
    return by_hand(tmp_path_factory.mktemp("hand"), found, goodput)


def data_of(results: StudyResults, **figure: Any) -> FigureData:
    asked = Figure(name="f", title="F", **figure)
    return FigureData(asked, figure_frame(results, asked))


def drawn(data: FigureData, baseline: str | None = "aodv") -> Spec:
    return chart(data, Look(SCHEMES, baseline))


def rows_of(spec: Spec) -> list[dict[str, Any]]:
    data = spec["data"]
    rows: list[dict[str, Any]] = data.get("values") or spec["datasets"][data["name"]]
    return rows


def by_line(**values: tuple[float, float, float]) -> FigureData:
    """A point for each scheme, with its interval, as kbit/s."""
    rows = [
        {"x": x, "scheme": scheme, "facet": None, "value": 1e3 * value, "low": 1e3 * low,
         "high": 1e3 * high, "networks": 3, "flows": 3}
        for scheme, (value, low, high) in values.items() for x in (1, 2)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides={"facet": pl.String})
    return FigureData(Figure(name="f", title="F", x="hops", y="goodput_bps"), frame)


GOODPUT = {"x": "hops", "y": "goodput_bps"}
HEAT = {"x": "hops", "over": "rts", "y": "goodput_bps", "kind": "heatmap"}
CDF = {"x": "goodput_bps", "kind": "cdf"}
FRONT = {"x": "total_goodput_bps", "y": "jain", "kind": "front"}


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ({"x": "hops_", "y": "goodput_bps"}, r"x: must be one of .*hops.* \(got"),
        ({"x": "kind", "y": "jain"}, r"x: must be one of"),
        ({"x": "hops", "y": "jain", "where": "kind == ftp"}, r"where: unknown column"),
        ({"x": "time_s", "y": "speed", "kind": "series"}, r"y: must be one of .*cwnd"),
        ({"x": "hops", "y": "cwnd", "kind": "series"}, r"x: must be one of time_s"),
        ({"name": "flows", "x": "hops", "y": "jain"}, r"name: 'flows' is the name"),
        ({"x": "hops"}, r'y: missing, with kind = "line"'),
        (GOODPUT | {"kind": "pie"}, r"kind: input should be"),
        (GOODPUT | {"kind": "heatmap"}, r'over: missing, with kind = "heatmap"'),
        (GOODPUT | {"over": "rts"}, r'over: not with kind = "line", only with heatmap, front'),
        (GOODPUT | {"y_where": "hops > 1"}, r'y_where: not with kind = "line", only with front'),
        (FRONT | {"x": "hops"}, r"x: unknown metric 'hops'"),
        (FRONT | {"over": "kind"}, r"over: must be one of hops, rts"),
        (FRONT | {"where": "hops_ >= 2"}, r"where: unknown column"),
        (FRONT | {"y_where": "flow == 1"}, r"y_where: unknown column"),
        (FRONT | {"x": "goodput_bps", "where": "flow == 1"}, r"where: unknown column"),
        (HEAT | {"over": "hops"}, r"over: 'hops' is x already"),
        (HEAT | {"over": "speed"}, r"over: must be one of hops, rts"),
        (HEAT | {"facet": "rts"}, r"facet: 'rts' is over already"),
        (HEAT | {"y_scale": "log"}, r'y_scale: not with kind = "heatmap", only with line'),
        (HEAT | {"facet": "hops"}, r"facet: 'hops' is x already"),
        (CDF | {"y": "goodput_bps"}, r'y: not with kind = "cdf", whose metric is x'),
        (CDF | {"x": "hops"}, r"x: unknown metric 'hops'"),
        (CDF | {"relative_to": "aodv"}, r"relative_to: not with kind = .cdf., only with line, bar"),
        (CDF | {"x": "queue_rtt_correlation", "x_scale": "log"}, r'x_scale: "log" needs values'),
        (GOODPUT | {"kind": "box", "relative_to": "aodv"}, r'relative_to: not with kind = "box"'),
        (GOODPUT | {"kind": "bar", "y_scale": "log"}, r'y_scale: not with kind = "bar"'),
        (GOODPUT | {"kind": "box", "x_scale": "log"}, r'x_scale: not with kind = "box"'),
        (GOODPUT | {"x_scale": "log", "x": "rts"}, r'x_scale: "log" needs .* rts has .on.'),
        (GOODPUT | {"x_scale": "log", "x": "scheme"}, r"x_scale: .log. needs numbers; scheme has"),
        (GOODPUT | {"y_scale": "cubic"}, r"y_scale: input should be 'linear' or 'log'"),
        ({"x": "hops", "y": "relay_growth_with_routing", "y_scale": "log"}, r"y_scale: .log."),
        (GOODPUT | {"free_y": True}, r"free_y: needs a facet"),
        (GOODPUT | {"network": 2}, r'network: not with kind = "line", only with series'),
        (GOODPUT | {"relative_to": "dsr"}, r"relative_to: must be one of aodv"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_line(figure: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError, match=rf"^figures\.0\.{message}") as caught:
        study(figures=[{"name": "f", "title": "F", **figure}])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "figure",
    [
        HEAT | {"x": "scheme"},
        HEAT | {"relative_to": "aodv", "schemes": ["static"]},
        CDF | {"x": "jain", "x_scale": "log", "facet": "hops"},
        GOODPUT | {"x_scale": "log", "y_scale": "log", "facet": "rts", "free_y": True},
        GOODPUT | {"kind": "box", "y_scale": "log", "x": "scheme"},
        {"x": "time_s", "y": "cwnd", "kind": "series", "y_scale": "log"},
    ],
)
def test_what_makes_sense_is_taken_and_drawn(made: StudyResults, figure: dict[str, Any]) -> None:
    study(figures=[{"name": "f", "title": "F", **figure}])
    data = data_of(made, **figure)
    if figure.get("kind") != "series":  # made by hand, so without any
        assert svg(drawn(data)).count("<path") > 5


def test_a_heatmap_has_the_mean_of_each_cell(made: StudyResults) -> None:
    data = data_of(made, **HEAT, schemes=["static", "aodv"])
    assert data.frame.columns[:4] == ["x", "over", "scheme", "facet"]
    expected = made.mean("goodput_bps", "aodv", "hops == 2 and rts == off")
    row = data.frame.row(
        by_predicate=(pl.col("x") == 2) & (pl.col("over") == "off") & (pl.col("scheme") == "aodv"),
        named=True,
    )
    assert (row["value"], row["low"]) == (expected.value, expected.low)
    spec = drawn(data)
    cell = next(
        each for each in rows_of(spec)
        if (each["x"], each["over"], each["facet"]) == (2, "off", "aodv")
    )  # fmt: skip
    half = expected.half_width / 1e3
    assert cell["label"] == [f"{expected.value / 1e3:.0f}", f"± {half:.0f}"]
    assert [each["facet"] for each in rows_of(spec)][::6] == ["aodv", "static"]


def test_numbers_on_dark_cells_are_white(made: StudyResults) -> None:
    by_value = sorted(rows_of(drawn(data_of(made, **HEAT))), key=lambda row: row["value"])
    assert [by_value[0]["dark"], by_value[-1]["dark"]] == [False, True]
    ratios = data_of(made, **HEAT, relative_to="aodv", schemes=["static"])
    assert all(row["dark"] for row in rows_of(drawn(ratios)))  # all far above 1
    low = ratios.frame.with_columns(pl.Series("value", [1.0, 1.1, 0.9, 0.2, 1.9, 1.0]))
    dark = [row["dark"] for row in rows_of(drawn(FigureData(ratios.figure, low)))]
    assert dark == [False, False, False, True, True, False]


def test_a_heatmap_of_schemes_is_one_panel(made: StudyResults) -> None:
    data = data_of(made, **HEAT | {"x": "scheme", "over": "hops"})
    assert "facet" not in drawn(data)
    assert data.frame["x"].unique(maintain_order=True).to_list() == SCHEMES
    assert figure_table(data).headings[:2] == ["Scheme", "Hops"]


SHARES = {("aodv", "on"): (8, 2), ("aodv", "off"): (3, 3), ("small window", "on"): (2, 2)}
"""What two flows get in kbit/s; by turns a little more and less."""


def shared_out(scheme: str, point: dict[str, Any], seed: int, flow: int) -> float:
    near = {("small window", "off"): (7.9, 2.0) if seed % 2 else (8.0, 1.9)}
    shares = near | SHARES | {("static", "on"): (1, 5) if seed % 3 else (5, 1)}
    return 1e3 * shares[scheme, point["rts"]][flow] * (1 + 0.1 * (seed % 4))


def test_a_front_is_of_those_that_none_beats_in_both(tmp_path: Path) -> None:
    found = study(scale={"quick": {"networks": NETWORKS}})
    results = by_hand(tmp_path, found, shared_out)
    data = data_of(results, **FRONT, over="rts", where="hops == 2")
    dominance = {(row["scheme"], row["over"]): row["dominance"] for row in data.frame.to_dicts()}
    assert dominance == {
        ("aodv", "on"): "front",  # the most in total
        ("aodv", "off"): "front",  # both flows alike
        ("small window", "on"): "near",  # as fair as the last, if less
        ("small window", "off"): "near",  # less than the first, but fairer on every other network
        ("static", "on"): "dominated",  # by aodv + off; it did not run with "off"
    }
    row = data.frame.row(by_predicate=pl.col("scheme") == "static", named=True)
    expected = results.mean("total_goodput_bps", "static", "hops == 2 and rts == on")
    assert (row["x"], row["x_low"], row["x_high"]) == (
        expected.value, expected.low, expected.high,
    )  # fmt: skip
    assert row["value"] == results.mean("jain", "static", "hops == 2 and rts == on").value
    names = [each["name"] for each in rows_of(drawn(data)) if each["dominance"] == "front"]
    assert names == ["aodv + on", "aodv + off"]
    assert [row[:2] for row in figure_table(data).rows] == [["on", "aodv"], ["off", "aodv"]]


def test_a_condition_on_the_upper_metric_leaves_the_other_whole(made: StudyResults) -> None:
    asked = {"x": "total_goodput_bps", "y": "goodput_bps", "kind": "front"}
    data = data_of(made, **asked, where="rts == on", y_where="hops == 3", schemes=["aodv"])
    row = data.frame.row(0, named=True)
    assert row["x"] == made.mean("total_goodput_bps", "aodv", "rts == on").value
    assert row["value"] == made.mean("goodput_bps", "aodv", "rts == on and hops == 3").value


def test_a_front_is_of_the_networks_on_which_all_ran(tmp_path: Path) -> None:
    found = study(scale={"quick": {"networks": NETWORKS}})
    networks = {"static": 6}
    made = by_hand(tmp_path, found, goodput, lambda scheme, _: networks.get(scheme, NETWORKS))
    frame = data_of(made, **FRONT, over="rts", where="hops == 1").frame
    assert set(frame["networks"]) == {6}


def test_a_cdf_is_the_share_of_flows_at_or_below(made: StudyResults) -> None:
    data = data_of(made, **CDF, where="hops == 2 and rts == on", schemes=["static"])
    flows = made.flows.filter(scheme="static", hops=2, rts="on")["goodput_bps"].to_numpy()
    assert data.frame["x"].to_list() == sorted(set(flows))
    for x, share in data.frame.select("x", "value").iter_rows():
        assert share == pytest.approx(np.mean(flows <= x))
    assert data.frame["value"][-1] == 1.0
    assert set(data.frame["flows"]) == {2 * NETWORKS}
    assert data.shown["high"].max() <= 1.0
    assert data.shown["low"].min() >= 0.0
    middle = data.frame.filter(pl.col("value").is_between(0.3, 0.7))
    assert (middle["low"] < middle["value"]).all()
    assert (middle["high"] > middle["value"]).all()
    table = figure_table(data)
    assert table.headings[:3] == ["Scheme", "Goodput [kbit/s]: 5 %", "25 %"]
    assert float(table.rows[0][3]) == pytest.approx(np.quantile(flows, 0.5, method="inverted_cdf")
                                                    / 1e3, rel=0.01)  # fmt: skip


def test_a_cdf_of_runs_counts_runs_and_many_values_become_quantiles(tmp_path: Path) -> None:
    found = study(scale={"quick": {"networks": 120}}, axes={}, schemes=["aodv"], figures=[])
    results = by_hand(tmp_path, found, lambda _s, _p, seed, flow: 1000.0 * seed + flow)
    assert set(data_of(results, x="jain", kind="cdf").frame["flows"]) == {120}
    frame = data_of(results, **CDF).frame  # of 240 flows
    assert frame.height == 200
    assert frame["low"].is_not_null().sum() <= 40
    assert frame.filter(value=0.5)["low"].is_not_null().all()
    values = results.flows["goodput_bps"].to_numpy()
    for x, share in frame.select("x", "value").iter_rows():
        assert share == pytest.approx(np.mean(values <= x))


def test_a_box_is_over_the_networks(made: StudyResults) -> None:
    data = data_of(made, **GOODPUT, kind="box", where="rts == on", schemes=["aodv"])
    of_one = data.frame.filter(x=1)
    assert of_one["network"].to_list() == list(range(1, NETWORKS + 1))
    flows = made.flows.filter(scheme="aodv", hops=1, rts="on")
    means = flows.group_by("network", maintain_order=True).agg(pl.col("goodput_bps").mean())
    assert of_one["value"].to_list() == pytest.approx(means["goodput_bps"].to_list())
    boxes = [row for row in rows_of(drawn(data)) if "least" in row and row["x"] == 1]
    assert len(boxes) == 1
    quartiles = np.quantile(means["goodput_bps"], [0, 0.25, 0.5, 0.75, 1]) / 1e3
    ends = [boxes[0][key] for key in ("least", "low", "value", "high", "greatest")]
    assert ends == pytest.approx(list(quartiles), rel=1e-5)
    table = figure_table(data)
    assert "Middle half" in table.headings
    assert len(table.rows) == 3


def test_no_interval_is_shown_below_what_can_be() -> None:
    data = by_line(aodv=(10.0, -5.0, 25.0))
    assert min(row["low"] for row in rows_of(drawn(data))) == 0.0
    assert figure_table(data).rows[0][3] == "0 to 25"
    assert rows_of(drawn(data))[0]["between"] == "0 to 25"
    assert data.frame["low"].min() == -5e3  # what the CSV has
    free = data.figure.model_copy(update={"y": "queue_rtt_correlation"})
    assert "−" in figure_table(FigureData(free, data.frame)).rows[0][3]


def test_metrics_that_are_below_zero_say_so(made: StudyResults) -> None:
    assert METRICS["queue_rtt_correlation"].least is None
    frames = [made.flows, made.runs]
    for metric in METRICS.values():
        frame = next(frame for frame in frames if metric.name in frame.columns)
        values = frame[metric.name].cast(pl.Float64).drop_nulls()
        assert metric.least is None or values.is_empty() or values.min() >= metric.least


def test_bands_for_two_lines_and_bars_side_by_side_for_three() -> None:
    three = by_line(aodv=(9, 8, 10), static=(8, 7, 9), **{"small window": (7, 6, 8)})
    marks = [layer["mark"]["type"] for layer in drawn(three)["layer"]]
    assert "area" not in marks
    assert "rule" in marks
    aside = {row["line"]: row["aside"] for row in rows_of(drawn(three))}
    assert sorted(aside, key=lambda line: aside[line]) == SCHEMES
    assert sum(aside.values()) == 0
    two = by_line(aodv=(9, 8, 10), static=(8, 7, 9))
    assert "area" in [layer["mark"]["type"] for layer in drawn(two)["layer"]]


def legend(spec: Spec) -> list[str]:
    layer = next(each for each in spec.get("layer") or spec["spec"]["layer"]
                 if "color" in each["encoding"])  # fmt: skip
    domain: list[str] = layer["encoding"]["color"]["scale"]["domain"]
    return domain


def test_legends_have_the_study_s_order_whatever_the_first_panel_lacks() -> None:
    data = by_line(static=(8, 7, 9), aodv=(9, 8, 10))
    assert legend(drawn(data)) == ["aodv", "static"]


def test_numbers_in_a_legend_and_on_an_axis_are_in_order() -> None:
    flows = [f"flow {number}" for number in (0, 10, 2, 1)]
    rows = [
        {"x": float(time), "scheme": "aodv", "facet": None, "value": 1.0, "low": None,
         "high": None, "networks": 1, "flows": 1, "part": flow}
        for flow in flows for time in range(3)
    ]  # fmt: skip
    numbers = dict.fromkeys(("low", "high"), pl.Float64)
    figure = Figure(name="f", title="F", x="time_s", y="cwnd", kind="series")
    data = FigureData(figure, pl.DataFrame(rows, schema_overrides=numbers))
    assert legend(drawn(data)) == ["flow 0", "flow 1", "flow 2", "flow 10"]


def test_logarithmic_axes_leave_out_zeros_and_label_round_numbers() -> None:
    data = by_line(aodv=(100, -50, 400), static=(0, 0, 0))
    asked = data.figure.model_copy(update={"y_scale": "log", "x_scale": "log"})
    spec = drawn(FigureData(asked, data.frame))
    assert {row["value"] for row in rows_of(spec)} == {100.0, None}
    y = spec["layer"][0]["encoding"]["y"]
    assert y["scale"]["type"] == "log"
    assert 0 < y["scale"]["domain"][0] < 100 < y["scale"]["domain"][1]
    assert set(y["axis"]["values"]) <= {10, 20, 50, 100, 200, 500}
    assert "NaN" not in svg(spec)


def test_every_panel_has_an_axis_and_no_empty_place_does(made: StudyResults) -> None:
    asked = {"x": "rts", "y": "goodput_bps", "facet": "hops"}  # three panels, two a row
    drawn_panels = svg(drawn(data_of(made, **asked)))
    assert drawn_panels.count(">off</text>") == 3


def test_free_axes_have_a_domain_for_each_panel(made: StudyResults) -> None:
    asked = {**GOODPUT, "facet": "rts"}
    own, shared = (drawn(data_of(made, **asked, free_y=free)) for free in (True, False))
    assert own["resolve"]["scale"] == {"y": "independent"}
    assert "resolve" not in shared
    assert "domain" not in own["spec"]["layer"][0]["encoding"]["y"]["scale"]


def test_all_kinds_are_in_the_sample_that_reports_are_tested_with() -> None:
    kinds = {figure.kind for figure in study().table.figures}
    assert kinds == {"line", "bar", "series", "heatmap", "cdf", "box", "front"}


def test_two_drawings_of_a_figure_are_the_same_text(made: StudyResults) -> None:
    for data in figure_data(made):
        if not data.frame.is_empty():
            assert svg(drawn(data)) == svg(drawn(data))


def test_scripts_are_kept_for_the_next_process_where_that_is_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = iter(["first", "second", "third", "fourth"])
    maker = SimpleNamespace(javascript_bundle=lambda *_: next(made))
    monkeypatch.setattr(rendering, "vl_convert", maker)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bundle = rendering.bundle.__wrapped__
    assert [bundle(), bundle()] == ["first", "first"]
    (kept,) = tmp_path.glob("multihop/*")
    kept.write_bytes(b"\xff")
    assert [bundle(), bundle()] == ["second", "second"]
    kept.write_bytes(b"")
    assert [bundle(), bundle()] == ["third", "third"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    assert bundle() == "fourth"
