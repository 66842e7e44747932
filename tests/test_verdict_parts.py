"""Parts of a verdict, made of estimates alone: how near the line they are, and how they join."""

import pytest

from multihop.reproduction.parts import all_of, in_range, share_of
from multihop.statistics import Estimate


def test_what_is_inconclusive_says_how_near_it_is_and_what_it_takes() -> None:
    # 0.06 short of the line, and 0.12 of the interval above: half the width, four times as many.
    short = in_range("x", Estimate(1.14, 1.02, 1.26, 20, 20), 1.2, None)
    assert (short.word, short.near, short.needed) == ("inconclusive", pytest.approx(0.05), 80)
    assert "5.0% from the line; about 80 networks needed" in short.text
    # On the line itself only the margin is left, 0.03 on both sides.
    level = in_range("x", Estimate(1.0, 0.94, 1.06, 20, 20), 1.0, None)
    assert level.needed == 80
    assert in_range("x", Estimate(0.0, -1.0, 1.0, 20, 20), 0.0, None).needed is None


def test_a_part_within_the_margin_does_not_hide_one_that_is_open_or_missed() -> None:
    alike = in_range("a", Estimate(1.01, 1.0, 1.02, 20, 20), 1.0, None)
    open_one = in_range("b", Estimate(1.1, 0.9, 1.3, 20, 20), 1.0, None)
    missed = in_range("c", Estimate(0.8, 0.7, 0.9, 20, 20), 1.0, None)
    met = in_range("d", Estimate(1.2, 1.1, 1.3, 20, 20), 1.0, None)
    assert all_of([met, alike]).word == "no difference that matters"
    assert all_of([alike, open_one]).word == "inconclusive"
    assert all_of([alike, missed, open_one]).word == "differs"
    assert share_of([met, alike, missed], 0.6, "hops").word == "no difference that matters"
    assert share_of([met, alike, missed], 1.0, "hops").word == "differs"
