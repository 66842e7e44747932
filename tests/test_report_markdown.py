"""Results put into a page of the documentation."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from multihop.files import PageError
from multihop.report.markdown import check_page, put_results
from multihop.report.pages import Section
from multihop.study import StudyResults
from multihop.study.figures import figure_data
from tests.report_sample import by_hand, claim_row, study

PAGE = "# Paper\n\nBefore.\n\n<!-- results: begin -->\nold\n<!-- results: end -->\n\nAfter.\n"


ROWS = [
    claim_row("x-1", "reproduced", measured=1.25, interval=(1.2, 1.3)),
    claim_row("x-2", "not run", study=None, reason="unknown pairs"),
    claim_row("x-3", "differs", measured=0.5, interval=(0.4, 0.6), reason="below 1"),
    claim_row("x-4", "reproduced", study=None, test="tests/a.py::b", reason="by the test suite"),
]


def goodput(scheme: str, point: dict[str, Any], seed: int, _flow: int) -> float:
    return {"aodv": 1e6, "small window": 2e6, "static": 3e6}[scheme] * (9 + seed) / point["hops"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    return by_hand(tmp_path_factory.mktemp("hand"), study(), goodput)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "papers" / "mine").mkdir(parents=True)
    file = tmp_path / "papers" / "mine" / "page.md"
    file.write_text(PAGE)
    return file


def test_results_stand_between_the_markers_and_nothing_else_changes(
    page: Path, made: StudyResults
) -> None:
    sections = [Section("chains", made, figure_data(made))]
    put_results(page, ROWS, sections, "multihop reproduce x")
    text = page.read_text()
    assert text.startswith("# Paper\n\nBefore.\n\n<!-- results: begin -->\n`multihop reproduce x`:")
    assert text.endswith("<!-- results: end -->\n\nAfter.\n")
    assert "old" not in text
    assert (
        "4 claims: 1 not run, 2 reproduced, 0 no difference that matters, "
        "0 inconclusive, 1 differs." in text
    )
    pictures = sorted(path.name for path in (page.parent / "pictures").rglob("*.svg"))
    assert pictures[:2] == ["chains-bar.svg", "chains-box.svg"]
    for name in pictures:
        assert f"](pictures/{name})" in text
    once = text
    put_results(page, ROWS, sections, "multihop reproduce x")
    assert page.read_text() == once


def test_a_verdict_by_another_metric_stands_beside(page: Path) -> None:
    numbers = {"measured": 0.25, "interval": (0.2, 0.3), "metric": "goodput_bps"}
    other = claim_row("x-1", "differs", **numbers, by="goodput_bps")
    put_results(page, [ROWS[0] | {"beside": other}, ROWS[2]], [], "multihop reproduce x")
    text = page.read_text()
    assert "1.250 (1.200 to 1.300); by `goodput_bps` **differs**, 0.250 (0.200 to 0.300) |" in text
    assert "1 of them are also judged by `goodput_bps`: 1 differs, against 1 reproduced." in text
    put_results(
        page, [ROWS[0] | {"beside": other | {"by": "semi-TCP"}}], [], "multihop reproduce x"
    )
    assert "; by semi-TCP **differs**, 0.250" in page.read_text()


@pytest.mark.parametrize(
    ("paper", "said"),
    [("Falls.", "falls."), ("TCP falls.", "TCP falls."), ("A gain.", "a gain."), (None, "")],
)
def test_what_the_paper_says_goes_on_in_small_letters_but_for_names(
    page: Path, made: StudyResults, paper: str | None, said: str
) -> None:
    first = figure_data(made)[0]
    data = [replace(first, figure=first.figure.model_copy(update={"paper": paper}))]
    put_results(page, [], [Section("chains", made, data)], "")
    assert (f"The paper: {said}" in page.read_text()) == bool(said)


def test_verdicts_that_differ_come_first_with_their_numbers(page: Path) -> None:
    put_results(page, ROWS, [], "multihop reproduce x")
    lines = [line for line in page.read_text().splitlines() if line.startswith("| `x-")]
    assert [line.split("`")[1] for line in lines] == ["x-3", "x-1", "x-4", "x-2"]
    assert lines[0] == (
        "| `x-3` | Fig. 1: A \\| B. | **differs** | 0.50 (0.40 to 0.60): below 1 | chains |"
    )
    assert lines[2].endswith("| reproduced |  | a test |")
    assert lines[3].endswith("| not run | unknown pairs | – |")


def test_a_figure_has_a_column_a_scheme_and_a_row_a_value(page: Path, made: StudyResults) -> None:
    put_results(page, [], [Section("chains", made, figure_data(made))], "")
    lines = page.read_text().splitlines()
    at = lines.index("### Goodput")
    table = [line for line in lines[at : at + 12] if line.startswith("|")]
    assert table[0] == "| Hops | aodv, Mbit/s | small window, Mbit/s | static, Mbit/s |"
    assert table[2].startswith("| 1 | 11")
    assert len(table) == 5


def table_under(page: Path, title: str) -> list[str]:
    lines = page.read_text().splitlines()
    after = lines[lines.index(f"### {title}") + 1 :]
    end = next((at for at, line in enumerate(after) if line.startswith("#")), len(after))
    return [line for line in after[:end] if line.startswith("|")]


def test_maps_and_distributions_have_tables_of_their_own(page: Path, made: StudyResults) -> None:
    put_results(page, [], [Section("chains", made, figure_data(made))], "")
    heat = table_under(page, "Map")
    assert heat[0] == "| Scheme | RTS | hops 1, Mbit/s | hops 2, Mbit/s | hops 3, Mbit/s |"
    assert heat[2].startswith("| aodv | on | 11.0 (")
    assert len(heat) == 2 + 3 * 2
    cdf = table_under(page, "Shares")
    assert cdf[0].startswith(
        r"| RTS | Scheme | Goodput [Mbit/s\]: 5 % | 25 % | 50 % | 75 % | 95 % |"
    )
    assert len(cdf) == 2 + 2 * 3
    box = table_under(page, "Networks")
    assert box[0] == "| RTS | Hops | aodv, Mbit/s | small window, Mbit/s | static, Mbit/s |"
    # Networks of 10, 11 and 12 Mbit/s.
    assert box[2].startswith("| on | 1 | 11.00 (10.50 to 11.50) |")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (None, "No such file"),
        ("# Paper\n", "needs a line"),
        ("<!-- results: end -->\n<!-- results: begin -->\n", "needs a line"),
    ],
)
def test_a_page_without_markers_is_refused(tmp_path: Path, text: str | None, wrong: str) -> None:
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text)
    with pytest.raises(PageError, match=wrong):
        check_page(page)
