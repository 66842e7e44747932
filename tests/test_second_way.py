"""The second way and the witness: their statistics on made numbers, their pages beside the runs."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from evidence import second, witness

EVIDENCE = Path(witness.__file__).parent


def test_sums_weigh_networks_by_what_they_carry_and_means_of_ratios_do_not() -> None:
    over, under = np.array([400.0, 10.0, 20.0]), np.array([100.0, 40.0, 20.0])
    assert second.pooled(over, under).ratio == pytest.approx(430 / 160)
    assert second.paired(over, under).ratio == pytest.approx(1)


def test_an_interval_holds_a_ratio_that_all_networks_share() -> None:
    under = np.random.default_rng(3).uniform(10, 90, 40)
    noise = np.random.default_rng(4).normal(1, 0.1, 40)
    for way in (second.pooled, second.paired):
        found = way(1.5 * under * noise, under)
        assert found.low < 1.5 < found.high < 1.6
        assert found.networks == 40


@pytest.mark.parametrize("name", second.NAMES)
def test_every_run_of_a_second_way_is_on_record(name: str) -> None:
    planned = second.planned(second.load(name))
    wanted = {(network, str(seed), arm) for network, seed, arm in planned}
    assert second.read(name).keys() == wanted


def test_the_witness_sees_each_network_under_each_setting_once() -> None:
    planned = Counter(witness.planned())
    assert set(planned.values()) == {1}
    assert Counter((run[0], *run[2:]) for run in planned) == {
        (motion, routing, *setting): count
        for motion, count in witness.NETWORKS.items()
        for routing in witness.ROUTINGS
        for setting in witness.SETTINGS
    }


def test_what_looked_off_is_judged_on_networks_of_its_own() -> None:
    seeds = [{run[1] for run in witness.planned()}]
    seeds += [{run[1] for run in witness.planned_again(name)} for name in witness.AGAIN]
    assert sum(len(some) for some in seeds) == len(set().union(*seeds))
    far, free = (
        witness.scenario(*next(witness.planned_again(name)))["flows"][0]["count"]
        for name in ("far", "window-4-mobile")
    )
    assert (far, free) == (1, 3)


def test_the_page_has_the_intervals_on_record() -> None:
    page = (EVIDENCE / "second-way.md").read_text("utf-8")
    printed = set(re.findall(r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\]", page))
    known = {str(found) for name in second.NAMES for *_, found in second.estimates(name)}
    assert len(printed) > 30
    assert printed - known == set()


def test_the_witness_page_has_the_ratios_on_record() -> None:
    page = (EVIDENCE / "witness.md").read_text("utf-8")
    assert witness.page_text(witness.read()) in page
