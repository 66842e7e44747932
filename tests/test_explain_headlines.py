"""Why headlines hold: the arithmetic of silences on made rows, and the record beside its plan."""

import math

import numpy as np
import pytest
from evidence.explain import headlines
from evidence.explain.headlines import COLUMNS, Both, sentence

from multihop.explain import CAUSES
from multihop.reproduction.headlines import Comparison

PART = Comparison(metric="goodput_bps", scheme="new", over="old", above=1.0)
NETWORKS = tuple(range(1, 13))


def side(silent: float, pace: float, spread: float = 0.01) -> dict[str, np.ndarray]:
    """Flows of 100 s a network: silent for so much, by contention and twice as long by a timer."""
    luck = np.random.default_rng(round(100 * silent + pace)).normal(1, spread, len(NETWORKS))
    sums = {name: np.zeros(len(NETWORKS)) for name in COLUMNS[4:]}
    sums["flows"] += 2
    sums["lived_s"] += 100
    sums["contention"] = 100 * silent * luck / 3
    sums["rto-backoff"] = 2 * sums["contention"]
    sums["silent_s"] = sums["contention"] + sums["rto-backoff"]
    sums["awake_s"] = sums["lived_s"] - sums["silent_s"]
    sums["delivered_bits"] = pace * sums["awake_s"]
    return sums


def test_a_ratio_of_goodput_is_that_of_the_time_without_silences_times_that_of_the_pace() -> None:
    found = Both(PART, NETWORKS, (side(0.3, 900), side(0.6, 600)))
    assert found.awake.value == pytest.approx(0.7 / 0.4, rel=0.02)
    assert found.pace.value == pytest.approx(1.5)
    assert found.goodput.value == pytest.approx(found.awake.value * found.pace.value)
    assert found.share(0, "contention").value == pytest.approx(1 / 3)
    assert found.change("rto-backoff").value == pytest.approx(-20, abs=0.5)
    assert found.told == ["rto-backoff", "contention"]


def test_a_sentence_gives_a_reason_only_where_the_intervals_do() -> None:
    sides = side(0.3, 900), side(0.6, 600)
    sure = sentence(Both(PART, NETWORKS, sides))
    assert "points of it: `rto-backoff` −" in sure
    assert "could be none" not in sure
    unsure = sentence(Both(PART, NETWORKS, (side(0.5, 605, 0.3), side(0.51, 600, 0.3))))
    assert "could be none" in unsure
    assert ", which could be 1, by silences" in unsure
    fewer = PART.model_copy(update={"above": None, "below": 1.0})
    assert sentence(Both(PART, NETWORKS, sides)).startswith("because flows")
    assert sentence(Both(fewer, NETWORKS, sides)).startswith("for no reason that these networks")


def test_causes_on_record_fill_no_more_than_the_flows_lives() -> None:
    rows = headlines.read()
    assert rows
    for key, row in rows.items():
        silent_s = math.fsum(row[cause] for cause in CAUSES)
        assert 0 <= silent_s <= row["lived_s"] * (1 + 1e-4), key
        assert row["delivered_bits"] == 0 or silent_s < row["lived_s"], key
