"""Former public names: taken where today's are, with a warning that has both."""

from pathlib import Path
from typing import Any

import pytest

from multihop import papers, renamed
from multihop.metrics import METRICS
from multihop.renamed import RenamedWarning
from multihop.study import Study
from tests.report_sample import by_hand, study
from tests.test_study import tables


def goodput(scheme: str, _point: dict[str, Any], seed: int, flow: int) -> float:
    return 1e6 * (1 + len(scheme)) + seed + flow


def test_each_former_name_leads_to_one_that_there_is() -> None:
    assert set(renamed.METRICS.values()) <= set(METRICS)
    assert set(renamed.METRICS).isdisjoint(METRICS)


def test_a_study_names_metrics_as_before_in_lists_figures_and_conditions() -> None:
    figure = {"name": "f", "title": "F", "x": "hops", "y": "unfinished", "where": "whole_hops > 1"}
    given = tables(metrics=["all_unfinished", "goodput_bps"], figures=[figure])
    with pytest.warns(RenamedWarning) as warned:
        found = Study(**given).table
    assert found.metrics == ["total_unfinished_transfers", "goodput_bps"]
    assert found.figures[0].y == "unfinished_transfers"
    assert found.figures[0].where == "rounded_hops > 1"
    assert "whole_hops is now rounded_hops" in {str(each.message) for each in warned}


def test_a_file_of_a_paper_names_them_as_before(tmp_path: Path) -> None:
    file = tmp_path / "owners.toml"
    file.write_text('[a]\nmetric = "jain"\nx = "whole_hops"\n[a.conditions]\nx = "whole_hops == 1"')
    with pytest.warns(RenamedWarning, match="whole_hops is now rounded_hops"):
        found = papers.tables(file)["a"]
    assert found["x"] == "rounded_hops"
    assert found["conditions"] == {"x": "rounded_hops == 1"}


def test_results_are_asked_by_former_names_of_metrics_and_values(tmp_path: Path) -> None:
    points = [{"label": "static", "set": {}}, {"label": "mobile", "set": {"duration_s": 6}}]
    ranking = {"name": "best", "title": "Best", "y": "goodput_bps"}
    made = by_hand(tmp_path, study(axes={"nodes": {"points": points}}, rankings=[ranking],
                                   figures=[]), goodput)  # fmt: skip
    now = made.mean("goodput_bps", "aodv", "nodes == mobile")
    with pytest.warns(RenamedWarning, match="moving is now mobile"):
        assert made.mean("goodput_bps", "aodv", "nodes == moving") == now
    with pytest.warns(RenamedWarning, match="whole_hops is now rounded_hops"):
        assert made.frame("whole_hops").equals(made.flows)
    frame = made.ranking("best")
    assert frame["told_apart"].to_list() == frame["distinguishable"].to_list()


def test_a_value_that_an_axis_still_has_keeps_its_name() -> None:
    assert renamed.condition("nodes == moving", ["moving", "mobile"]) == "nodes == moving"


def test_the_movement_in_a_label_of_the_worlds_has_its_new_name() -> None:
    labels = ["802.11n, A-MPDUs, static", "802.11n, A-MPDUs, mobile"]
    with pytest.warns(RenamedWarning, match="802.11n, A-MPDUs, standing is now"):
        said = renamed.condition("world == '802.11n, A-MPDUs, standing'", labels)
    assert said == "world == '802.11n, A-MPDUs, static'"
