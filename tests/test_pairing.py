"""Comparisons where cells ran on different networks: only those of both sides count."""

from typing import Any

import numpy as np
import pytest

from multihop.reproduction.ownership import StudyOwner
from multihop.reproduction.quantities import Evidence
from multihop.study import StudyResults, estimates
from multihop.study.document import Ranking
from multihop.study.estimates import Sample
from multihop.study.figure import Figure
from multihop.study.figures import figure_frame
from multihop.study.ranking import ranking_frame
from tests.report_sample import by_hand, study
from tests.test_verdicts import Frames, claim, flows, verdict

SHARE = {"aodv": 1.0, "small window": 0.8, "static": 0.5}
"""What each scheme gets on every network, of the same."""
CONDITIONS = {"one": "study == few", "other": "study == many"}


def goodput(scheme: str, point: dict[str, Any], seed: int, _flow: int) -> float:
    """The networks after the third are ten times as good for every scheme."""
    return SHARE[scheme] * seed * (10e6 if seed > 3 else 1e6) / point["hops"]


def networks(scheme: str, point: dict[str, Any]) -> int:
    """One scheme ran further at each point, the baseline at one of them only."""
    return {"aodv": 6 if point["hops"] == 3 else 3, "small window": 3, "static": 6}[scheme]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> StudyResults:
    found = study(baseline="aodv", metrics=["goodput_bps", "over_baseline"], figures=[])
    return by_hand(tmp_path_factory.mktemp("hand"), found, goodput, networks)


def test_a_ratio_and_a_difference_leave_out_what_one_side_did_not_run(made: StudyResults) -> None:
    at = "hops == 2 and rts == on"
    ratio = made.ratio("goodput_bps", "static", "aodv", at)
    assert ratio.value == pytest.approx(0.5)
    assert (ratio.networks, ratio.flows) == (3, 6)
    difference = made.difference("goodput_bps", "static", "aodv", at)
    assert difference.value == pytest.approx(-0.5 * 1e6)
    # Where both ran further, all of it counts.
    assert made.ratio("goodput_bps", "static", "aodv", "hops == 3 and rts == on").networks == 6
    # And so it does for the scheme by itself.
    assert made.mean("goodput_bps", "static", at).networks == 6


def test_a_mean_over_several_points_weighs_them_alike(made: StudyResults) -> None:
    # Else the point with further networks, which here are the better ones, would weigh more.
    pooled = made.mean("goodput_bps", "aodv", "rts == on")
    assert pooled.value == pytest.approx(2e6 * (1 + 1 / 2 + 1 / 3) / 3)
    assert pooled.networks == 3
    assert made.ratio("goodput_bps", "static", "aodv", "rts == on").value == pytest.approx(0.5)


def test_the_summary_pairs(made: StudyResults) -> None:
    rows = made.summary().filter(metric="goodput_bps", scheme="static").to_dicts()
    assert [row["networks"] for row in rows] == [6, 6, 6]
    assert [row["ratio"] for row in rows] == pytest.approx([0.5] * 3)


def test_over_the_baseline_counts_where_the_baseline_ran(made: StudyResults) -> None:
    at = "hops == 2 and rts == on"
    found = made.mean("over_baseline", "static", at)
    assert found.value == pytest.approx(0.5)
    assert found.networks == 3


def test_a_figure_relative_to_a_scheme_pairs(made: StudyResults) -> None:
    figure = Figure(name="f", title="F", x="hops", y="goodput_bps", relative_to="aodv")
    frame = figure_frame(made, figure)
    assert frame["value"].to_list() == pytest.approx([0.8] * 3 + [0.5] * 3)
    # A scheme that ran at one value of an axis is compared at all of them.
    figure = Figure(name="f", title="F", x="rts", y="goodput_bps", relative_to="aodv")
    frame = figure_frame(made, figure).filter(scheme="static")
    assert frame["value"].to_list() == pytest.approx([0.5, 0.5])
    assert frame["networks"].to_list() == [3, 3]


def test_a_ranking_is_by_the_networks_of_all_candidates(made: StudyResults) -> None:
    ranking = Ranking(
        name="r", title="R", y="goodput_bps", per=["hops"], where="rts == on",
        baseline={"scheme": "aodv"},
    )  # fmt: skip
    frame = ranking_frame(made, ranking)
    assert frame.filter(hops=2)["scheme"].to_list() == ["aodv", "small window", "static"]
    assert frame["networks"].unique().to_list() == [3]
    assert frame.filter(scheme="static")["ratio"].to_list() == pytest.approx([0.5] * 3)


def test_claims_are_judged_by_the_networks_of_both() -> None:
    # The new scheme ran on ten better networks besides.
    better = [dict(row, goodput_bps=9.0) for row in flows({"new": 1.0}, networks=range(21, 31))]
    rows = flows({"new": 1.0, "old": 1.0}, spread=0.0) + better
    ratio = verdict({"kind": "ratio", "lo": 0.99, "hi": 1.01}, rows)
    assert (ratio.verdict, ratio.measured) == ("reproduced", pytest.approx(1.0))
    equal = verdict({"kind": "equal", "tol": 0.01}, rows)
    assert equal.verdict == "reproduced"
    # Of the mean of one scheme all its networks count.
    mean = verdict({"kind": "value", "of": "new", "lo": 3.0, "unit": "bps"}, rows, ["new"])
    assert mean.measured == pytest.approx((20 * 1.0 + 10 * 9.0) / 30, rel=0.05)


def test_shapes_are_judged_by_the_networks_of_every_point() -> None:
    rows = [
        row
        for k, mean in ((1, 1.0), (2, 1.1), (3, 1.2), (4, 1.3))
        for row in flows({"new": mean}, spread=0.0, k=k)
    ]
    # The first point ran on ten better networks besides.
    more = flows({"new": 1.0}, networks=range(21, 31), k=1)
    rows += [dict(row, goodput_bps=9.0) for row in more]
    expect = {"kind": "trend", "shape": "up", "x": "k", "over": [1, 4]}
    found = verdict(expect, rows, ["new"])
    assert (found.verdict, found.measured) == ("reproduced", pytest.approx(1.0))


def test_a_network_without_such_flows_still_counts_on_the_other_side() -> None:
    # It ran: that it has no such flow is chance, and no reason to leave the other's out.
    ours = Sample((1, 2), np.array([4.0, 6.0]), np.array([1.0, 1.0]))
    theirs = Sample((2, 3), np.array([2.0, 3.0]), np.array([1.0, 1.0]))
    assert estimates.ratio(ours, theirs).value == 5.0 / 2.5
    # Had it not run, only network 2 would be left.
    ours = Sample((1, 2), ours.sums, ours.counts, lacks=frozenset({3}))
    theirs = Sample((2, 3), theirs.sums, theirs.counts, lacks=frozenset({1}))
    assert estimates.ratio(ours, theirs).value == 6.0 / 2.0
    found = estimates.combination([ours, theirs], lambda means: means[0] - means[1])
    assert (found.value, found.networks) == (4.0, 1)


def test_networks_of_another_study_are_not_missing() -> None:
    # Two studies need not have the same networks: each has all of its own.
    few, many = flows({"new": 1.0}, networks=range(1, 11)), flows({"new": 2.0})
    owner = StudyOwner.model_validate(
        {"study": ["few", "many"], "metric": "goodput_bps", "conditions": CONDITIONS}
    )
    expect = {"kind": "equal", "tol": 0.01, "between": list(CONDITIONS)}
    results = {"few": Frames(few), "many": Frames(many)}
    found = Evidence(claim(expect, ["new"]), owner, results)
    samples = [found.quantity("new", found.where(words)).samples[0] for words in CONDITIONS]
    assert [len(sample.networks) for sample in samples] == [10, 20]
    assert [sample.lacks for sample in samples] == [frozenset(), frozenset()]
