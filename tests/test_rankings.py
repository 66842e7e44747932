"""Rankings: the best candidate, those not distinguishable from it, and how a report says so."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from multihop.report.markdown import put_study
from multihop.report.pages import write_report
from multihop.study import Study, StudyError, StudyResults
from multihop.study.document import Ranking
from multihop.study.figures import figure_data
from multihop.study.ranking import ranking_frame
from tests.conftest import Called
from tests.report_sample import FIGURES, by_hand, study
from tests.test_study import tables
from tests.test_study_files import FILE

NETWORK_BPS = {1: 0.0, 2: 5e6, 3: 20e6}
"""Networks differ far more than candidates do, so that only pairs tell these apart."""
TIED_BPS = {1: 3e4, 2: -3e4, 3: -1e4}

RANKINGS: list[dict[str, Any]] = [
    {"name": "best", "title": "Best <of> all", "y": "goodput_bps", "over": ["rts"], "per": ["hops"],
     "baseline": {"scheme": "aodv", "rts": "on"}, "shown": 2},
    {"name": "none", "title": "Nobody", "y": "goodput_bps", "where": "hops > 9"},
]  # fmt: skip


def goodput(scheme: str, point: dict[str, Any], seed: int, _flow: int) -> float:
    """One candidate is best, one has as much on the whole, the others less on every network."""
    candidate = (scheme, point["rts"])
    if candidate == ("small window", "off"):
        return 2e6 + NETWORK_BPS[seed]
    if candidate == ("aodv", "off"):
        return 2e6 + NETWORK_BPS[seed] + TIED_BPS[seed]
    return {"aodv": 1e6, "small window": 1.9e6, "static": 1.5e6}[scheme] + NETWORK_BPS[seed]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    found = study(rankings=RANKINGS, figures=FIGURES[:1])
    return by_hand(tmp_path_factory.mktemp("hand"), found, goodput)


def ranked(results: StudyResults, **ranking: Any) -> pl.DataFrame:
    return ranking_frame(results, Ranking(name="r", title="R", **{"y": "goodput_bps", **ranking}))


def order(frame: pl.DataFrame) -> list[tuple[str, str]]:
    return frame.sort("rank").select("scheme", "rts").rows()


def test_the_best_comes_first_and_ties_are_not_distinguishable(made: StudyResults) -> None:
    frame = made.ranking("best").filter(hops=2)
    assert order(frame) == [
        ("small window", "off"), ("aodv", "off"), ("small window", "on"), ("static", "on"),
        ("aodv", "on"),
    ]  # fmt: skip
    assert frame["distinguishable"].to_list() == [False, False, True, True, True]
    best, tied, third = frame.head(3).to_dicts()
    assert best["value"] == pytest.approx(2e6 + 25e6 / 3)
    assert best["low"] < best["value"] < best["high"]
    assert best["difference"] is None
    assert tied["difference"] == pytest.approx(-1e4 / 3)
    assert tied["difference_low"] < 0 < tied["difference_high"]
    assert third["difference"] == pytest.approx(-1e5)
    assert third["difference_high"] == pytest.approx(-1e5)
    assert (best["networks"], best["flows"]) == (3, 6)


def test_ratios_are_to_the_baseline_on_the_same_networks(made: StudyResults) -> None:
    frame = made.ranking("best").filter(hops=1)
    best, base = frame.row(0, named=True), frame.row(4, named=True)
    assert best["ratio"] == pytest.approx((2e6 + 25e6 / 3) / (1e6 + 25e6 / 3))
    assert best["ratio_low"] < best["ratio"] < best["ratio_high"]
    assert base["ratio"] is None


def test_the_lowest_can_be_the_best(made: StudyResults) -> None:
    frame = ranked(made, over=["rts"], where="hops == 1", best="lowest")
    assert order(frame)[:2] == [("aodv", "on"), ("static", "on")]
    assert frame["distinguishable"].to_list() == [False, True, True, True, True]


def test_a_candidate_is_ranked_only_where_it_ran(made: StudyResults) -> None:
    frame = ranked(made, per=["rts"])
    assert frame.filter(rts="on")["scheme"].sort().to_list() == ["aodv", "small window", "static"]
    assert frame.filter(rts="off")["scheme"].to_list() == ["small window", "aodv"]
    assert frame["rts"].unique(maintain_order=True).to_list() == ["on", "off"]
    chosen = ranked(made, over=["rts"], schemes=["static", "aodv"])
    assert order(chosen) == [("aodv", "off"), ("static", "on"), ("aodv", "on")]


def test_equal_candidates_stay_in_order_and_are_not_distinguishable(tmp_path: Path) -> None:
    results = by_hand(tmp_path, study(), lambda *_: 7e5)
    frame = ranked(results, over=["rts"])
    assert order(frame)[0] == ("aodv", "on")
    assert not any(frame["distinguishable"])


def test_on_one_network_nothing_is_distinguishable(tmp_path: Path) -> None:
    one = study(scale={"quick": {"networks": 1}, "full": {"networks": 1}})
    frame = ranked(by_hand(tmp_path, one, goodput), over=["rts"])
    assert frame["rank"].to_list() == [1, 2, 3, 4, 5]
    assert not any(frame["distinguishable"])


def test_an_unknown_ranking_is_named(made: StudyResults) -> None:
    with pytest.raises(KeyError, match="no ranking 'worst'; there are best, none"):
        made.ranking("worst")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "metric": ({"y": "speed"}, r"^rankings\.0\.y: unknown metric 'speed'; there are"),
    "axis": ({"over": ["hops"]}, r"^rankings\.0\.over: must be one of window \(got 'hops'\)"),
    "column": ({"per": ["colour"]}, r"^rankings\.0\.per: must be one of window, .*hops"),
    "column of flows": ({"y": "jain", "per": ["hops"]}, r"^rankings\.0\.per: must be one of"),
    "both": ({"per": ["window"]}, r"^rankings\.0\.per: 'window' is in over already"),
    "scheme": ({"per": ["scheme"]}, r"^rankings\.0\.per: 'scheme' is a column of every ranking"),
    "twice": ({"over": ["window"] * 2}, r"^rankings\.0\.over: 'window' appears twice"),
    "baseline": ({"baseline": {"scheme": "aodv"}},
                 r"^rankings\.0\.baseline: must have scheme, window \(got scheme\)"),
    "its scheme": ({"baseline": {"scheme": "dsr", "window": 4}},
                   r"^rankings\.0\.baseline\.scheme: must be one of aodv, static \(got 'dsr'\)"),
    "its value": ({"baseline": {"scheme": "aodv", "window": 5}},
                  r"^rankings\.0\.baseline\.window: must be one of 1, 4 \(got 5\)"),
    "schemes": ({"schemes": ["dsr"]}, r"^rankings\.0\.schemes: must be one of aodv, static"),
    "condition": (
        {"where": "hop > 3"},
        r"^rankings\.0\.where: unknown column 'hop'; did you mean hops",
    ),
    "order": ({"best": "last"}, r"^rankings\.0\.best: input should be 'highest' or 'lowest'"),
    "name": ({"name": "runs"}, r"^rankings\.0\.name: 'runs' is the name of other data"),
    "name of a figure": ({"name": "f"}, r"^rankings: 'f' appears twice"),
    "key": ({"ovre": []}, r"^rankings\.0\.ovre: unknown key; did you mean over\?"),
}  # fmt: skip


@pytest.mark.parametrize(("wrong", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_ranking_names_the_key(wrong: dict[str, Any], message: str) -> None:
    ranking = {"name": "r", "title": "R", "y": "goodput_bps", "over": ["window"], **wrong}
    figure = {"name": "f", "title": "F", "x": "window", "y": "jain"}
    with pytest.raises(StudyError, match=message) as caught:
        Study(**tables(rankings=[ranking], figures=[figure]))
    assert "\n" not in str(caught.value)


def test_the_report_and_a_page_tell_of_rankings(made: StudyResults, tmp_path: Path) -> None:
    write_report(made, tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Best &lt;of&gt; all</h2>" in page
    assert "1 of 4: aodv + off" in page
    assert "Nothing to rank" in page
    assert pl.read_csv(tmp_path / "data" / "best.csv").height == 15

    (tmp_path / "contest.md").write_text(
        "# Contest\n<!-- results: begin -->\nearlier\n<!-- results: end -->\nAfter.\n"
    )
    put_study(tmp_path / "contest.md", made, figure_data(made))
    text = (tmp_path / "contest.md").read_text()
    assert text.startswith("# Contest\n<!-- results: begin -->\nQuick scale: 45 runs, 3 networks.")
    assert text.endswith("<!-- results: end -->\nAfter.\n")
    assert "earlier" not in text
    assert "Nobody" not in text
    lines = text.splitlines()
    at = lines.index("### Best &lt;of> all")
    rows = [line for line in lines[at : at + 14] if line.startswith("|")]
    assert rows[0] == (
        "| Hops | Best | Goodput [Mbit/s] | Ratio to aodv + on | Networks | Flows "
        "| Not distinguishable |"
    )
    assert rows[2].startswith("| 1 | small window + off | 10")
    assert rows[2].endswith("| 3 | 6 | 1 of 4: aodv + off |")
    assert rows[5] == "| Hops | 1 | 2 |"
    assert rows[7].startswith("| 1 | small window + off 10 (0 to 36) | aodv + off 10 (")
    assert "](images/contest/line.svg)" in text
    assert (tmp_path / "images" / "contest" / "line.svg").is_file()


def test_many_that_are_not_distinguishable_are_listed_by_axis(tmp_path: Path) -> None:
    results = by_hand(tmp_path, study(rankings=RANKINGS, figures=[]), lambda *_: 7e5)
    write_report(results, tmp_path)
    listed = "4 of 4: (aodv, small window) + off; (small window, static) + on"
    assert listed in (tmp_path / "report.html").read_text()


RANKING = '\n[[rankings]]\nname = "r"\ntitle = "Ranked"\ny = "goodput_bps"\nover = ["window"]\n'
SMALL = """
title = "small"
duration_s = 2
topology = { kind = "chain", hops = 2, spacing_m = 200 }
flows = [{ kind = "ftp", source = 0, destination = 2, stop_s = 2 }]
"""


def test_commands_put_a_study_into_a_page(tmp_path: Path, called: Called) -> None:
    (tmp_path / "two-hops.toml").write_text(SMALL)
    (tmp_path / "study.toml").write_text(FILE + RANKING)
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    asked = ("study", "run", "study.toml", "--scale", "quick", "--out", "out", "--page", "page.md")
    refused = called(*asked)
    assert refused.returncode != 0
    assert "needs a line <!-- results: begin -->" in refused.stderr
    assert not (tmp_path / "out").exists()

    page.write_text("# Page\n<!-- results: begin -->\n<!-- results: end -->\n")
    assert called(*asked).returncode == 0
    first = page.read_text()
    assert "### Ranked" in first
    assert "](images/page/first.svg)" in first

    page.write_text("# Page\n<!-- results: begin -->\n<!-- results: end -->\n")
    assert called("study", "report", "out", "--page", "page.md").returncode == 0
    assert page.read_text() == first


def test_a_wrong_ranking_is_found_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "two-hops.toml").write_text(SMALL)
    file = tmp_path / "study.toml"
    file.write_text(FILE + RANKING.replace("window", "widow"))
    line = file.read_text().splitlines().index('over = ["widow"]') + 1
    with pytest.raises(StudyError, match=rf"line {line}: rankings\.0\.over: must be one of window"):
        Study.read(file)
