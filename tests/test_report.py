"""Reports: the figures' data, the files, the page."""

import copy
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.report.charts import Look, chart, svg
from multihop.report.environment import sort_key
from multihop.report.pages import Section, write_report, write_reproduction_page
from multihop.report.parameters import parameters
from multihop.report.wording import number, with_interval
from multihop.scenario import to_toml
from multihop.study import Study, StudyResults
from multihop.study.figure import Figure
from multihop.study.figures import FigureData, figure_data, figure_frame
from tests.report_sample import FIGURES, by_hand, claim_row, study

NETWORK_SHARE = {1: 0.9, 2: 1.0, 3: 1.1}
VERDICT = claim_row(
    "paper-01", "reproduced", grade="near", statement="A <b> & C.", measured=0.2134,
    interval=(0.19, 0.24), runs=12,
)  # fmt: skip


def goodput(scheme: str, point: dict[str, Any], seed: int, flow: int) -> float:
    """Halves with each hop; one scheme has twice as much, the static one nothing without RTS."""
    mine = {"aodv": 1e6, "small window": 2e6, "static": 3e6}[scheme] * NETWORK_SHARE[seed]
    return mine / 2 ** point["hops"] * (1 if flow == 0 else 3) * (1 if point["rts"] == "on" else 2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    return by_hand(tmp_path_factory.mktemp("hand"), study(), goodput)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(study().run(folder, scale="quick"), folder)
    return folder


def drawn(results: StudyResults, **figure: Any) -> pl.DataFrame:
    return figure_frame(results, Figure(name="f", title="F", **figure))


def test_means_are_over_flows_of_all_networks(made: StudyResults) -> None:
    frame = drawn(made, x="hops", y="goodput_bps", where="rts == on")
    assert frame.columns == [
        "x", "scheme", "facet", "value", "low", "high", "networks", "flows"
    ]  # fmt: skip
    row = frame.row(by_predicate=(pl.col("scheme") == "aodv") & (pl.col("x") == 2), named=True)
    assert row["value"] == pytest.approx(1e6 / 4 * (1 + 3) / 2)
    assert row["low"] < row["value"] < row["high"]
    assert (row["networks"], row["flows"], row["facet"]) == (3, 6, None)
    assert frame["x"].to_list() == [1, 2, 3] * 3
    assert frame["scheme"].unique(maintain_order=True).to_list() == [
        "aodv", "small window", "static"
    ]  # fmt: skip


def test_ratios_are_paired_by_network_and_leave_out_what_they_refer_to(made: StudyResults) -> None:
    frame = drawn(made, x="hops", y="goodput_bps", relative_to="aodv", where="rts == on")
    assert frame["scheme"].unique(maintain_order=True).to_list() == ["small window", "static"]
    # Networks differ by 20 %, but equally for all schemes: paired, nothing is uncertain.
    for column in ("value", "low", "high"):
        assert frame[column].to_list() == pytest.approx([2.0] * 3 + [3.0] * 3)


def test_who_is_not_varied_along_an_axis_is_shown_at_all_its_values(made: StudyResults) -> None:
    frame = drawn(made, x="rts", y="goodput_bps", where="hops == 1", relative_to="static")
    # The one that others refer to ran with RTS only, and stands for both.
    of_aodv = frame.filter(pl.col("scheme") == "aodv")
    assert of_aodv["x"].to_list() == ["on", "off"]
    assert of_aodv["value"].to_list() == pytest.approx([1 / 3, 2 / 3])
    summary = made.summary().filter(
        (pl.col("scheme") == "static") & (pl.col("metric") == "goodput_bps")
    )
    assert summary["rts"].unique().to_list() == ["on"]


def test_claims_find_who_is_not_varied_at_all_values_of_an_axis(made: StudyResults) -> None:
    def means(rts: str) -> list[float]:
        rows = made.everywhere("goodput_bps").filter(scheme="static", rts=rts)
        return rows.sort("hops", "network", "flow")["goodput_bps"].to_list()

    assert made.frame("goodput_bps").filter(scheme="static", rts="off").is_empty()
    assert len(means("on")) == 18
    assert means("on") == means("off")


def test_the_summary_has_paired_ratios_and_differences(made: StudyResults) -> None:
    rows = made.summary().filter((pl.col("metric") == "goodput_bps") & (pl.col("hops") == 1))
    of = {(row["scheme"], row["rts"]): row for row in rows.to_dicts()}
    assert of["aodv", "on"]["ratio"] is None
    assert of["small window", "off"]["ratio"] == pytest.approx(2.0)
    assert of["small window", "off"]["ratio_low"] == pytest.approx(2.0)
    assert of["small window", "on"]["difference"] == pytest.approx(1e6)
    assert of["small window", "on"]["difference_low"] < 1e6


def test_points_of_too_few_flows_and_other_schemes_are_left_out(made: StudyResults) -> None:
    assert drawn(made, x="hops", y="goodput_bps", least_flows=7, where="rts == on").is_empty()
    one = drawn(made, x="hops", y="goodput_bps", schemes=["static"], facet="rts")
    assert one["scheme"].unique().to_list() == ["static"]
    assert one["facet"].to_list() == ["on"] * 3 + ["off"] * 3


def test_series_are_of_one_network_and_tell_flows_apart(report: Path) -> None:
    results = study().open(report, scale="quick")
    frame = drawn(results, x="time_s", y="cwnd", kind="series", network=2,
                  where="hops == 2 and rts == on and time_s <= 1")  # fmt: skip
    assert frame["part"].unique(maintain_order=True).to_list() == ["flow 0", "flow 1"]
    assert frame["x"].max() == 1.0
    expected = results.series("flows", 2).filter(
        (pl.col("scheme") == "static") & (pl.col("hops") == 2) & (pl.col("flow") == 1)
    )
    last = frame.filter((pl.col("scheme") == "static") & (pl.col("part") == "flow 1"))
    assert last["value"].to_list() == expected.filter(pl.col("time_s") <= 1)["cwnd"].to_list()


def test_a_chart_keeps_colours_and_its_baseline_over_figures(made: StudyResults) -> None:
    look = Look(["aodv", "small window", "static"], "aodv")
    data = figure_data(made)
    assert look.colours(["static"]) == look.colours(["small window", "static"])[1:]
    assert look.colours(["aodv"]) != look.colours(["small window"])
    spec = chart(data[1], look)
    assert {row["facet"] for rows in spec["datasets"].values() for row in rows} == {
        "RTS on",
        "RTS off",
    }
    assert "width" not in chart(data[1], look)
    assert chart(data[0], look)["width"] > 0


@pytest.mark.parametrize(("schemes", "columns"), [(5, 2), (11, 1)])
def test_panels_of_many_bars_stand_one_below_the_other(schemes: int, columns: int) -> None:
    row = {"value": 1.0, "low": 0.9, "high": 1.1, "networks": 3, "flows": 3}
    names = [f"s{number}" for number in range(schemes)]
    rows = [
        row | {"x": x, "scheme": name, "facet": facet}
        for x in ("a", "b", "c") for name in names for facet in ("on", "off")
    ]  # fmt: skip
    figure = Figure(name="f", title="F", x="rts", y="goodput_bps", facet="hops", kind="bar")
    spec = chart(FigureData(figure, pl.DataFrame(rows)), Look(names))
    assert spec["columns"] == columns


def test_ten_and_a_thousand_are_written_out_on_an_axis() -> None:
    row = {"scheme": "aodv", "facet": None, "value": 1.0, "low": 0.9, "high": 1.1}
    rows = [row | {"x": x, "networks": 3, "flows": 3} for x in (0.25, 1.0, 10.0, 1000.0)]
    figure = Figure(name="f", title="F", x="hops", y="goodput_bps")
    data = FigureData(figure, pl.DataFrame(rows, schema_overrides={"facet": pl.String}))
    drawn = svg(chart(data, Look(["aodv"], "aodv")))
    assert re.search(r">10<", drawn)
    assert re.search(r">1000<", drawn)
    assert "e+" not in re.sub("<[^>]*>", "", drawn)


def test_a_title_names_the_unit_that_is_shown() -> None:
    row = {"scheme": "aodv", "facet": None, "low": 3e5, "value": 3.5e5, "high": 4e5}
    rows = [row | {"x": x, "networks": 3, "flows": 3} for x in (1.0, 2.0)]
    figure = Figure(name="f", title="F", x="hops", y="goodput_bps", y_title="bit/s a flow")
    data = FigureData(figure, pl.DataFrame(rows, schema_overrides={"facet": pl.String}))
    drawn = re.sub("<[^>]*>", "\n", svg(chart(data, Look(["aodv"], "aodv"))))
    assert "kbit/s a flow" in drawn
    assert "\n350\n" in drawn


@pytest.mark.parametrize("points", [5, 20])
def test_points_beside_their_place_have_room_at_the_ends(points: int) -> None:
    row = {"facet": None, "value": 1.0, "low": 0.9, "high": 1.1, "networks": 3, "flows": 3}
    rows = [
        row | {"x": float(x), "scheme": name} for x in range(points) for name in ("a", "b", "c")
    ]
    figure = Figure(name="f", title="F", x="hops", y="jain")
    data = FigureData(figure, pl.DataFrame(rows, schema_overrides={"facet": pl.String}))
    text = str(chart(data, Look(["a", "b", "c"])))
    assert "'padding': 14" in text


def test_all_files_are_there_and_hold_the_data(report: Path) -> None:
    names = [data.figure.name for data in figure_data(study().open(report, scale="quick"))]
    names.remove("nothing")
    for name in names:
        svg = (report / "figures" / f"{name}.svg").read_text()
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert "<path" in svg
        assert (report / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        table = pl.read_csv(report / "data" / f"{name}.csv")
        assert table.height == pl.read_parquet(report / "data" / f"{name}.parquet").height > 0
    results = study().open(report, scale="quick")
    assert pl.read_parquet(report / "data" / "flows.parquet").equals(results.flows)
    assert pl.read_parquet(report / "data" / "runs.parquet").equals(results.runs)
    summary = pl.read_csv(report / "data" / "summary.csv")
    assert summary.columns[:3] == ["hops", "rts", "scheme"]
    assert summary.height == results.summary().height


def files_of(folder: Path) -> list[Path]:
    """The files of a report, the runs' store apart."""
    found = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path for path in found if path.parts[0] != "store"]


def test_two_reports_of_the_same_runs_differ_in_times_alone(tmp_path: Path, report: Path) -> None:
    other = tmp_path / "other"
    write_report(study().run(other, scale="quick"), other)
    written = [files_of(folder) for folder in (report, other)]
    assert written[0] == written[1]
    for path in written[0]:
        if path.parts[0] in ("figures", "data"):
            assert (report / path).read_bytes() == (other / path).read_bytes(), path
    pages = [
        re.sub(r'<p id="times">.*?</p>', "", (folder / "report.html").read_text(), flags=re.S)
        for folder in (report, other)
    ]
    assert pages[0] == pages[1]


class _Page(HTMLParser):
    """What a page loads, links to and has as ids; its text outside of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self._skipped = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "src" or (name == "href" and tag == "link"):
                self.loads.append(value or "")
            elif name == "href":
                self.links.append(value or "")
            elif name == "id":
                self.ids.append(value or "")
        self._skipped = tag if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._skipped = ""
        self.text += "" if tag in ("a", "code", "strong") else " "

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.text += data


def test_the_page_stands_alone_and_links_to_what_is_there(report: Path) -> None:
    text = (report / "report.html").read_text()
    page = _Page(text)
    assert page.loads == []
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    for link in page.links:
        assert (report / link).is_file() or link.removeprefix("#") in page.ids, link
    assert "@import" not in text
    assert "url(" not in re.sub(r"<script>.*?</script>", "", text, flags=re.S)


def test_the_page_says_what_was_asked_and_run(report: Path) -> None:
    text = " ".join(_Page((report / "report.html").read_text()).text.split())
    for words in (
        "Chains </script> & more",
        "How fast does goodput fall?",
        "It falls <steeply> & then settles.",
        "static: run at RTS on only, shown at every value",
        "Nothing to draw",
        "multihop study run study.toml --scale quick --out again",
        "transport.window_segments = 1",
        "cw_min",
        "Python 3.",
        "Runs 45",
    ):
        assert words in text


def test_the_study_file_of_the_page_plans_the_same_runs(report: Path) -> None:
    page = _Page((report / "report.html").read_text())
    text = page.text[page.text.index('title = "Chains') :]
    again = Study(**tomllib.loads(text[: text.index("All data:")]))
    keys = [[cell.key(1) for cell in each.cells("quick")] for each in (again, study())]
    assert keys[0] == keys[1]


def test_parameters_are_those_of_the_resolved_scenarios(made: StudyResults) -> None:
    found = parameters(made)
    assert ("cw_min", "31") in found.common["mac"]
    assert "hops" not in dict(found.common["topology"])
    small = found.schemes[1]
    assert ("transport.window_segments", "1") in small.sets
    assert ("transport.window_segments", "1") in small.values
    assert found.axes["rts"][1] == ("off", [("mac.rts_threshold_bytes", "3000")])


def test_the_contents_lead_to_every_part_of_the_page(report: Path) -> None:
    text = (report / "report.html").read_text()
    contents = _Page(text[text.index('<nav aria-label="Contents">') : text.index("</nav>")])
    assert "#figure-heat" in contents.links
    assert {"#summary", "#summary-collisions", "#schemes", "#again"} <= {*contents.links}
    assert {link.removeprefix("#") for link in contents.links} <= {*_Page(text).ids}


@pytest.mark.parametrize(
    ("cell", "key"),
    [("1,234.5", "1234.5"), ("−3.2", "-3.2"), ("–", ""), ("26 %", "26"), ("dcar", "dcar"),
     ("0.5 (0.4 to 0.6)", "0.5"), ("802.11b", "802.11b"), ("2 rays", "2")],
)  # fmt: skip
def test_cells_are_sorted_by_their_number_or_their_text(cell: str, key: str) -> None:
    assert sort_key(cell) == key


def test_values_that_a_logarithm_cannot_have_are_told(tmp_path: Path) -> None:
    asked = {"name": "log", "title": "Log", "x": "hops", "y": "goodput_bps", "y_scale": "log"}
    results = by_hand(
        tmp_path, study(figures=[asked]), lambda scheme, *_: 1e6 if scheme == "aodv" else 0.0
    )
    write_report(results, tmp_path)
    text = " ".join(_Page((tmp_path / "report.html").read_text()).text.split())
    assert "6 values of 0 cannot be on a logarithmic axis" in text


def test_failed_runs_are_told_and_the_rest_is_shown(tmp_path: Path) -> None:
    found = study(figures=FIGURES[:1])
    results = found.run(tmp_path, scale="quick")
    cell = results.cells[0]
    results._store._ledger.execute(
        "UPDATE runs SET state = 'failed', result = NULL, error = 'ran <out> of memory' "
        "WHERE key = ?", (cell.key(2),)
    )  # fmt: skip
    write_report(found.open(tmp_path, scale="quick"), tmp_path)
    text = " ".join(_Page((tmp_path / "report.html").read_text()).text.split())
    assert "1 of 45 runs are missing, 1 of them failed" in text
    assert f"{cell.name}, network 2: ran <out> of memory" in text
    assert "2 to 3 networks" in text


def test_without_any_run_there_is_still_a_page(tmp_path: Path) -> None:
    found = study()
    found.run(tmp_path, scale="quick", shard=(100, 100))
    write_report(found.open(tmp_path, scale="quick"), tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert "45 of 45 runs are missing" in text
    assert text.count("Nothing to draw") == len(found.table.figures)


def test_a_reproduction_has_verdicts_beside_figures(tmp_path: Path, made: StudyResults) -> None:
    figures = [data for data in figure_data(made) if data.figure.name in ("line", "lying")]
    other = claim_row("paper-02", "not run", statement="D.", study="test")
    path = tmp_path / "report.html"
    write_reproduction_page([Section("chains", made, figures)], [VERDICT, other], path)
    page = _Page(path.read_text())
    text = " ".join(page.text.split())
    assert text.count("A <b> & C.") == 2  # beside its study, and among all
    assert text.count("reproduced (near)") == 2
    assert "0.213 0.190 to 0.240 12 runs" in text
    assert text.count("D.") == 1
    assert {"chains", "figure-chains-line", "claim-paper-02"} <= {*page.ids}
    assert (tmp_path / "figures" / "chains-lying.svg").is_file()
    assert (tmp_path / "data" / "chains-line.csv").is_file()
    assert len(page.ids) == len(set(page.ids))


def test_numbers_have_the_digits_that_their_interval_allows() -> None:
    assert with_interval(0.21341, 0.19, 0.24) == ("0.213", "0.190 to 0.240")
    assert with_interval(1234.56, 1200.0, 1300.0) == ("1,235", "1,200 to 1,300")
    assert with_interval(-3.21, -5.0, -1.0) == ("−3.2", "−5.0 to −1.0")
    assert with_interval(2.0, None, None) == ("2.00", "")
    assert with_interval(3.21, -1.0, 7.4, least=0.0) == ("3.2", "0.0 to 7.4")
    assert [number(x) for x in (0.0, 1e-12, 12345.6, None)] == ["0", "0.000000", "12,346", "–"]


_scalars = st.one_of(
    st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False), st.text(max_size=8)
)
_keys = st.text(min_size=1, max_size=6)
_documents = st.dictionaries(
    _keys,
    st.recursive(
        st.one_of(_scalars, st.lists(_scalars, max_size=3)),
        lambda inner: st.one_of(
            st.dictionaries(_keys, inner, max_size=3),
            st.lists(st.dictionaries(_keys, inner, max_size=3), max_size=3),
        ),
        max_leaves=8,
    ),
    max_size=5,
)


@given(_documents)
def test_a_document_written_as_toml_reads_the_same(document: dict[str, Any]) -> None:
    kept = copy.deepcopy(document)
    assert tomllib.loads(to_toml(document)) == kept


def test_a_long_series_keeps_the_extremes_of_each_interval() -> None:
    """A sawtooth of 4,000 steps with one spike each way: every n-th point would miss both."""
    values = [10.0 + step % 7 for step in range(20_000)]
    values[12_345], values[6_789] = 99.0, 1.0
    frame = pl.DataFrame({"x": [0.1 * i for i in range(20_000)], "value": values}).with_columns(
        scheme=pl.lit("aodv"), facet=pl.lit(None, pl.String), part=pl.lit(None, pl.String),
        low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64),
        networks=pl.lit(1), flows=pl.lit(1),
    )  # fmt: skip
    figure = Figure(name="saw", title="Saw", x="time_s", y="cwnd", kind="series")
    drawn = chart(FigureData(figure, frame, "of which 32 are used"), Look(["aodv"]))
    rows = (
        drawn["datasets"][drawn["data"]["name"]]
        if "name" in drawn["data"]
        else drawn["data"]["values"]
    )
    shown = [row["value"] for row in rows]
    assert len(shown) <= 3000
    assert {99.0, 1.0} <= set(shown)
    times = [row["x"] for row in rows]
    assert times == sorted(times)
    assert {10.0, 16.0} <= set(shown[:10])
    assert drawn["title"]["subtitle"].endswith("; of which 32 are used")
