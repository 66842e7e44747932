"""Intervals and comparisons of means."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import statistics

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


def test_interval_of_a_textbook_sample() -> None:
    interval = statistics.mean_interval([1.0, 2.0, 3.0])
    assert interval.value == 2.0
    assert interval.half_width == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert interval.low + interval.high == pytest.approx(4.0)
    assert (interval.networks, interval.flows) == (3, 3)


def test_a_single_value_has_no_interval() -> None:
    assert math.isnan(statistics.mean_interval([5.0]).half_width)
    with pytest.raises(ValueError, match="no values"):
        statistics.mean_interval([])


@given(VALUES, st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_intervals_move_and_stretch_with_the_values(
    values: list[float], shift: float, factor: float
) -> None:
    plain = statistics.mean_interval(values)
    moved = statistics.mean_interval([factor * value + shift for value in values])
    tolerance = 1e-6 * (1 + max(map(abs, values)))
    assert moved.value == pytest.approx(factor * plain.value + shift, abs=tolerance)
    assert moved.half_width == pytest.approx(factor * plain.half_width, abs=10 * tolerance)


@given(VALUES, VALUES)
def test_a_difference_changes_sign_with_its_sides(ours: list[float], theirs: list[float]) -> None:
    forth = statistics.difference_in_errors(ours, theirs)
    assert forth == -statistics.difference_in_errors(theirs, ours)


def test_differences_of_samples_without_spread() -> None:
    assert statistics.difference_in_errors([2, 2], [2, 2]) == 0.0
    assert statistics.difference_in_errors([3, 3], [2, 2]) == math.inf
    assert statistics.relative_difference([3, 3], [2, 2]) == 0.5
    assert statistics.relative_difference([0], [0]) == 0.0
    assert statistics.relative_difference([1], [0]) == math.inf


def test_welch_difference_of_a_worked_sample() -> None:
    # Standard errors 1/sqrt(3) and 2/sqrt(3), so that of the difference is sqrt(5/3).
    errors = statistics.difference_in_errors([9, 10, 11], [4, 6, 8])
    assert errors == pytest.approx(4 / math.sqrt(5 / 3))


def test_distributions_and_correlation() -> None:
    same, other = [float(n) for n in range(50)], [float(n) + 40 for n in range(50)]
    assert statistics.same_distribution_p(same, same) == pytest.approx(1.0)
    assert statistics.same_distribution_p(same, other) < 1e-6
    assert statistics.correlation(same, other) == pytest.approx(1.0)


def test_the_jackknifes_error_of_a_mean_is_the_means_standard_error() -> None:
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    without = (values.sum() - values) / (len(values) - 1)
    assert statistics.jackknife_error(without) == pytest.approx(
        statistics.standard_error([*values]), rel=1e-12
    )


def test_holms_procedure_ends_at_the_first_that_misses_its_level() -> None:
    # 0.005 <= 0.05 / 4, 0.01 <= 0.05 / 3, but 0.03 > 0.05 / 2, and so 0.04 does not pass either.
    assert statistics.holm([0.01, 0.04, 0.03, 0.005], 0.05) == ([True, False, False, True], 0.025)
    assert statistics.holm([0.04], 0.05) == ([True], 0.05)
    assert statistics.holm([], 0.05) == ([], 0.05)
