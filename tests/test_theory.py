"""The engine against closed forms: the mean cycle of one hop, and Bianchi's model."""

import pytest

from multihop.validation import theory


def test_one_saturated_hop_has_the_cycle_of_its_frames() -> None:
    missed = [check for check in theory.one_hop_checks() if not check.passed]
    assert not missed


def test_a_saturated_cell_has_the_throughput_of_bianchi_s_model() -> None:
    missed = [check for check in theory.bianchi_checks() if not check.passed]
    assert not missed


def test_the_model_gives_what_its_paper_gives() -> None:
    # Two stations: an attempt fails when the other attempts in the same slot.
    alone = theory.bianchi(1, 1000, rts=True)
    assert alone == pytest.approx(8000 / theory.one_hop_cycle_s(1000, 0.0, "standard"))
    falling = [theory.bianchi(n, 1000, rts=False) for n in (5, 10, 20, 50)]
    assert falling == sorted(falling, reverse=True)
