"""The tournament's first five against each other: the statistics, and the page beside the runs."""

import numpy as np
import pytest
from evidence import first_five
from evidence.first_five import Arm, Runs

ONE: Arm = ("aodv", "newreno", "static", "5")
OTHER: Arm = ("dsr", "newreno", "static", "5")


def runs(ratio: float, noise: float, networks: int = 40) -> Runs:
    """Goodput of two, which are a ratio apart."""
    random = np.random.default_rng(5)
    shared = random.uniform(100, 900, networks)
    above = ratio * shared * random.normal(1, noise, networks)
    return {
        arm: {seed: {"total": float(value)} for seed, value in enumerate(values)}
        for arm, values in ((ONE, above), (OTHER, shared))
    }


@pytest.mark.parametrize(("ratio", "is_level"), [(1.0, True), (1.02, False), (1.2, False)])
def test_a_ratio_is_of_sums_on_shared_networks(ratio: float, is_level: bool) -> None:
    found = first_five.pair(runs(ratio, 0.04), "total", ONE, OTHER)
    assert found.low < ratio < found.high
    assert found.high - found.low < 0.05
    assert (found.p < 0.001) == (ratio > 1.1)
    assert found.is_level == is_level


def test_a_network_that_one_lacks_does_not_count() -> None:
    given = runs(1.1, 0.1)
    whole = first_five.pair(given, "total", ONE, OTHER)
    given[ONE][1000] = {"total": 1e9}
    assert first_five.pair(given, "total", ONE, OTHER) == whole


def test_the_page_has_the_ratios_on_record() -> None:
    found = list(first_five.fives())
    assert len(found) == 16
    assert {len(set(five.arms)) for five in found} == {5}
    assert first_five.table(first_five.read()) in first_five.PAGE.read_text("utf-8")
