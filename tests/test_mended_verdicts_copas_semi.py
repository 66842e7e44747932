"""Verdicts of COPAS and semi-TCP on results that a laxer rule would have accepted."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from multihop.reproduction import Verdict, judge, load
from multihop.reproduction.ledger import Claim
from multihop.reproduction.ownership import StudyOwner, faults, owners
from multihop.study.results import StudyResults

NETWORKS = range(1, 21)


class Frames(StudyResults):
    """Results of one level whose frame is given."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.__dict__["flows"] = self.__dict__["runs"] = pl.DataFrame(rows)

    def everywhere(self, metric: str) -> pl.DataFrame:
        """As they are: no axis leaves a scheme out."""
        return self.frame(metric)


def rows(metric: str, means: Mapping[str, float], noise: float = 0.01, **axes: Any) -> list[Any]:
    """One row a scheme and network; a network is good or bad for every scheme alike."""
    return [
        {"scheme": scheme, "network": network, **axes}
        | {metric: mean * (1 + noise * ((7 * network + place) % 5 - 2))}
        for place, (scheme, mean) in enumerate(means.items())
        for network in NETWORKS
    ]


def ledger(name: str) -> Claim:
    return next(claim for claim in load().claim if claim.id == name)


def owner(name: str) -> StudyOwner:
    found = owners()[name]
    assert isinstance(found, StudyOwner), name
    return found


def verdict(name: str, results: Sequence[Any] | Mapping[str, Any], **old: Any) -> Verdict:
    """By the claim's owner, or by one with the keys of the `old` rule."""
    chosen = owner(name).model_copy(update=old)
    parts = results if isinstance(results, Mapping) else dict.fromkeys(chosen.studies, results)
    return judge(ledger(name), chosen, {study: Frames(part) for study, part in parts.items()})


def made(expect: Mapping[str, Any], found: Sequence[Any], **keys: Any) -> Verdict:
    """The verdict on a claim made by hand."""
    claim = ledger("copas-low-overhead").model_copy(update={"compare": ["new", "old"]})
    claim = Claim.model_validate(claim.model_dump() | {"expect": dict(expect)})
    chosen = StudyOwner.model_validate({"study": "a", "metric": "goodput_bps", **keys})
    return judge(claim, chosen, {"a": Frames(found)})


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
    found = faults("copas-fig3a-mean-90", chosen, ["n_flows", "nodes"])
    assert (found == []) if fault is None else (len(found) == 1 and fault in found[0]), found


def test_about_needs_a_number_of_the_paper() -> None:
    chosen = StudyOwner(study="a", metric="goodput_bps", about=0.1)
    assert any(
        "about needs a value" in fault for fault in faults("copas-fig4-one-flow", chosen, [])
    )


def test_a_smaller_loss_is_no_larger_gain() -> None:
    expect = {"kind": "direction", "higher_at": "n_flows == 1", "lower_at": "n_flows == 2"}

    def found(here: float, there: float) -> str:
        both = rows("goodput_bps", {"new": here, "old": 1.0}, n_flows=1)
        both += rows("goodput_bps", {"new": there, "old": 1.0}, n_flows=2)
        return made(expect, both, relative_to="old", exceeds=1.0).verdict

    assert found(1.4, 1.2) == "reproduced"
    assert found(0.9, 0.8) == "differs"
    assert found(1.2, 1.4) == "differs"


def test_much_more_is_a_factor_and_the_interval_must_reach_it() -> None:
    expect = {"kind": "direction", "higher": ["new"], "lower": ["old"]}

    def found(mean: float) -> tuple[str, str]:
        result = made(expect, rows("goodput_bps", {"new": mean, "old": 1.0}), times=1.2)
        return result.verdict, result.grade

    assert found(1.5) == ("reproduced", "exact")
    assert found(1.2)[0] == "inconclusive"
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
