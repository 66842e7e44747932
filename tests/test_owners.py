"""Owners of claims: their keys, the second judgement, and what each key does to a verdict."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from multihop import papers
from multihop.errors import PaperError
from multihop.reproduction import Verdict, judge
from multihop.reproduction.ledger import Claim
from multihop.reproduction.ownership import StudyOwner, faults
from multihop.reproduction.ownership import owners as read
from tests.made_results import OneLevel, rows
from tests.papers_here import all_claims


def made(expect: Mapping[str, Any], found: Sequence[Any], **keys: Any) -> Verdict:
    """The verdict on a claim made by hand."""
    chosen = StudyOwner.model_validate({"study": "a", "metric": "goodput_bps", **keys})
    return judge(claim(expect), chosen, {"a": OneLevel(found)})


def claim(expect: Mapping[str, Any]) -> Claim:
    about = {"id": "made", "where": "nowhere", "statement": "Made.", "metric": "goodput"}
    return Claim.model_validate({**about, "compare": ["new", "old"], "expect": dict(expect)})


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"times": 1.2}, "times is for a direction"),
        ({"exceeds": 1.0}, "exceeds is for a direction"),
        ({"within": {"b": "network == 1"}}, "b is none of its studies"),
        ({"within": {"a": "hopps == 1"}}, "hopps"),
        ({"about": 0.1}, None),
    ],
)
def test_keys_of_an_owner_fit_the_expectation(keys: dict[str, Any], fault: str | None) -> None:
    chosen = StudyOwner.model_validate({"study": "a", "metric": "goodput_bps", **keys})
    found = faults(all_claims()["copas-fig3a-mean-90"], chosen, ["n_flows", "nodes"])
    assert (found == []) if fault is None else (len(found) == 1 and fault in found[0]), found


def test_about_needs_a_number_of_the_paper() -> None:
    chosen = StudyOwner(study="a", metric="goodput_bps", about=0.1)
    found = faults(all_claims()["copas-fig4-one-flow"], chosen, [])
    assert any("about needs a value" in fault for fault in found)


def test_a_smaller_loss_is_no_larger_gain() -> None:
    expect = {"kind": "direction", "higher_at": "n_flows == 1", "lower_at": "n_flows == 2"}

    def found(here: float, there: float) -> str:
        both = rows("goodput_bps", {"new": here, "old": 1.0}, n_flows=1)
        both += rows("goodput_bps", {"new": there, "old": 1.0}, n_flows=2)
        return made(expect, both, relative_to="old", exceeds=1.0).verdict

    assert found(1.4, 1.2) == "reproduced"
    assert found(0.9, 0.8) == "differs"
    assert found(1.2, 1.4) == "differs"

    assert found(1.4, 1.2) == "reproduced"
    assert found(0.9, 0.8) == "differs"
    assert found(1.2, 1.4) == "differs"


def test_much_more_is_a_factor_and_the_interval_must_reach_it() -> None:
    expect = {"kind": "direction", "higher": ["new"], "lower": ["old"]}

    def found(mean: float) -> tuple[str, str]:
        result = made(expect, rows("goodput_bps", {"new": mean, "old": 1.0}), times=1.2)
        return result.verdict, result.grade

    assert found(1.5) == ("reproduced", "exact")
    assert found(1.2)[0] == "no difference that matters"
    assert found(1.07) == ("differs", "sign holds")
    assert found(0.9) == ("differs", "sign differs")

    assert found(1.5) == ("reproduced", "exact")
    assert found(1.2)[0] == "no difference that matters"
    assert found(1.07) == ("differs", "sign holds")
    assert found(0.9) == ("differs", "sign differs")


def test_an_order_may_ask_for_a_factor() -> None:
    expect = {"kind": "order", "high_to_low": ["new", "old"]}
    close = rows("goodput_bps", {"new": 1.1, "old": 1.0})
    assert made(expect, close).verdict == "reproduced"
    assert made(expect, close, times=1.2).verdict == "differs"


def test_about_a_number_is_narrower_than_a_range_around_it() -> None:
    expect = {"kind": "ratio", "lo": 2.0, "hi": 3.0, "value": 2.6}
    far = rows("goodput_bps", {"new": 2.05, "old": 1.0}, noise=0.001)
    assert made(expect, far).verdict == "reproduced"
    assert made(expect, far, about=0.1).verdict == "differs"
    near = rows("goodput_bps", {"new": 2.5, "old": 1.0}, noise=0.001)
    assert made(expect, near, about=0.1).verdict == "reproduced"
    value = {"kind": "value", "lo": 0.1, "hi": 9.0, "value": 2.6, "unit": "1"}
    for mean, word in ((2.5, "reproduced"), (2.05, "differs")):
        both = rows("goodput_bps", {"new": mean, "old": mean}, noise=0.001)
        assert made(value, both, about=0.1).verdict == word


def test_a_geometric_mean_of_ratios_is_not_carried_by_one() -> None:
    found = [
        row
        for n, gain in ((1, 0.5), (2, 0.5), (3, 4.0))
        for row in rows("goodput_bps", {"new": gain, "old": 1.0}, noise=0.001, n_flows=n)
    ]
    expect = {"kind": "ratio", "lo": 1.1}
    assert made(expect, found, reduce="mean over n_flows").verdict == "reproduced"
    geometric = made(expect, found, reduce="geometric mean over n_flows")
    assert (geometric.verdict, geometric.measured) == ("differs", pytest.approx(1.0, rel=0.01))


@pytest.mark.parametrize("derived", ["crossing", "loss_per_step", "settles", "falls"])
def test_what_follows_from_several_values_is_not_judged_by_fewer(derived: str) -> None:
    expect = {"kind": "value", "lo": 0.0, "unit": "1"}
    one = rows("goodput_bps", {"new": 2.0, "old": 1.0}, n_flows=1)
    several = one + rows("goodput_bps", {"new": 1.0, "old": 1.0}, n_flows=2)
    how = {"derived": derived, "x": "n_flows"}
    assert made(expect, one, **how).verdict == "not run"
    if derived != "falls":
        assert made(expect, several, **how, least_flows=1000).verdict == "not run"
    assert made(expect, several, **how).verdict != "not run"


def test_a_second_judgement_and_what_must_hold_too_are_named() -> None:
    expect = {"kind": "direction", "higher": ["new"], "lower": ["old"]}
    both = [
        one | {"jain": other["jain"]}
        for one, other in zip(
            rows("goodput_bps", {"new": 2.0, "old": 1.0}),
            rows("jain", {"new": 0.5, "old": 0.9}),
            strict=True,
        )
    ]
    second = made(expect, both, beside={"metric": "jain", "by": "fairness"})
    assert second.verdict == "reproduced"
    assert second.beside is not None
    assert (second.beside.by, second.beside.verdict) == ("fairness", "differs")
    too = made(expect, both, also=[{"metric": "jain", "by": "fairness"}])
    assert too.verdict == "differs"
    assert too.reason.startswith("fairness: ")


@pytest.mark.parametrize(
    "table",
    [
        'also = [{ metrics = "jain" }]',
        'beside = { expect = { kind = "ratio", low = 1 } }',
        'also = [{ expect = { kind = "no" } }]',
    ],
)
def test_variants_of_an_owner_are_checked_when_read(tmp_path: Path, table: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "paper.toml").write_text('title = "mine"\nauthors = ["me"]\n')
    owner = f'[made]\nstudy = "a"\nmetric = "jain"\n{table}'
    (tmp_path / "mine" / "owners.toml").write_text(owner)
    paper = papers.read(tmp_path / "mine")
    with pytest.raises(PaperError, match="line 1: made"):
        read(paper, [claim({"kind": "ratio", "lo": 1.0})])


def test_variants_fit_their_study_and_the_claims_expectation_stays() -> None:
    ratio = claim({"kind": "ratio", "lo": 1.0})
    keys = {"study": "a", "metric": "goodput_bps"}
    odd = StudyOwner.model_validate(keys | {"also": [{"at": "hopps == 1"}]})
    assert any("hopps" in fault for fault in faults(ratio, odd, []))
    own = StudyOwner.model_validate(keys | {"expect": {"kind": "ratio", "lo": 0.0}})
    assert "expect is for also, beside and invariants only" in faults(ratio, own, [])
