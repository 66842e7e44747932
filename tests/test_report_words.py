"""What reports say: the paper's numbers beside bars, values in words, what ran, readings."""

from pathlib import Path
from typing import Any

import pytest

from multihop import StudyError
from multihop.labels import plain
from multihop.report.charts import Look, chart
from multihop.report.pages import write_report
from multihop.report.parameters import parameters
from multihop.report.tables import figure_table
from multihop.report.wording import titled
from multihop.study import Study, StudyResults
from multihop.study.figures import figure_data

BARS = {
    "name": "table",
    "title": "Table I",
    "kind": "bar",
    "x": "flow",
    "y": "delivered_segments",
    "x_labels": {"0": "connection I", "1": "connection II"},
    "printed": [{"x": 0, "scheme": "dcar", "value": 9000}, {"x": 1, "value": 7}],
}


def study(**tables: Any) -> Study:
    asked: dict[str, Any] = {
        "title": "t",
        "question": "Which?",
        "scenario": {
            "duration_s": 4,
            "topology": {"kind": "chain", "hops": 2},
            "flows": [
                {"kind": "ftp", "source": 0, "destination": 2},
                {"kind": "ftp", "source": 2, "destination": 0},
            ],
        },
        "schemes": ["aodv", "dcar"],
        "scale": {"full": {"networks": 2}},
        "metrics": ["delivered_segments", "jain"],
    }
    return Study(**{**asked, **tables})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    return study(figures=[BARS]).run(tmp_path_factory.mktemp("made"))


def test_what_the_paper_prints_stands_in_the_table_and_in_the_bars(made: StudyResults) -> None:
    (data,) = figure_data(made)
    table = figure_table(data)
    place = table.headings.index("The paper")
    told = {(row[0], row[1]): row[place] for row in table.rows}
    assert told == {
        ("connection I", "aodv"): "",
        ("connection I", "dcar"): "9000",
        ("connection II", "aodv"): "7",
        ("connection II", "dcar"): "7",
    }
    spec = chart(data, Look(["aodv", "dcar"], None))
    (rows,) = spec["datasets"].values()
    assert {row["x"] for row in rows} == {"connection I", "connection II"}
    assert {row.get("printed") for row in rows} == {None, 9000, 7}
    (bars, *_) = spec["layer"]
    assert bars["encoding"]["y"]["scale"]["domain"][1] > 9000, "the paper's number has room"
    assert "diamonds: the paper" in spec["title"]["subtitle"]


def test_a_number_of_a_scheme_that_is_not_there_is_refused() -> None:
    wrong = {**BARS, "printed": [{"scheme": "dcra", "value": 1}]}
    with pytest.raises(StudyError, match=r"figures\.0\.printed\.0\.scheme: .*'dcra'"):
        study(figures=[wrong])
    with pytest.raises(StudyError, match=r'figures\.0\.x_labels: not with kind = "line"'):
        study(figures=[{**BARS, "kind": "line", "printed": []}])


def test_a_figure_is_written_as_pdf_where_that_is_asked(made: StudyResults, tmp_path: Path) -> None:
    write_report(made, tmp_path, pdf=True)
    assert (tmp_path / "figures" / "table.pdf").read_bytes().startswith(b"%PDF")
    page = (tmp_path / "report.html").read_text()
    assert 'href="figures/table.pdf"' in page
    assert "ccar/ns2-stock" in page


def test_tables_of_settings_are_written_as_toml_has_them() -> None:
    assert plain({"scheme": "aodv", "local_repair": False}) == (
        "{ scheme = aodv, local_repair = false }"
    )
    assert titled("mos", "") == "MOS"


def test_a_scheme_of_a_paper_is_shown_with_its_reading_and_what_that_sets(
    made: StudyResults,
) -> None:
    aodv, dcar = parameters(made).schemes
    assert (aodv.reading, dcar.reading) == (None, "ccar/ns2-stock")
    assert ("routing.relay_collection_s", "0.005") in dcar.sets
    assert made.runs["reading"].unique().sort().to_list() == [None, "ccar/ns2-stock"]


def test_files_of_this_machine_are_shown_by_their_names(tmp_path: Path) -> None:
    policy = "from multihop import AodvPolicy\nclass Mine(AodvPolicy):\n    pass\n"
    (tmp_path / "mine.py").write_text(policy)
    named = {"name": "mine", "set": {"routing.scheme": f"{tmp_path}/mine.py:Mine"}}
    results = study(schemes=["aodv", named], scale={"full": {"networks": 1}}).run(
        tmp_path / "out", allow_code=True
    )
    (_, mine) = parameters(results).schemes
    assert ("routing.scheme", "mine.py:Mine") in mine.sets
    assert str(tmp_path) not in str(parameters(results))


def test_the_facts_name_the_values_that_ran(tmp_path: Path) -> None:
    asked = study(
        axes={"window": {"key": "transport.window_segments", "values": [1, 5, 10]}},
        scale={"quick": {"networks": 1, "only": {"window": [1, 10]}}},
    )
    write_report(asked.run(tmp_path), tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<dt>Window</dt><dd>1, 10 segments</dd>" in page
