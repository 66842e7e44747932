"""The engine against closed forms: the mean cycle of one hop, and Bianchi's model."""

import pytest

from multihop.validation import theory


def test_one_saturated_hop_has_the_cycle_of_its_frames() -> None:
    missed = [check for check in theory.one_hop_checks() if not check.passed]
    assert not missed


def test_a_saturated_cell_has_the_throughput_of_bianchi_s_model() -> None:
    missed = [check for check in theory.bianchi_checks() if not check.passed]
    assert not missed


def test_cells_of_today_have_the_throughput_of_the_model_with_finite_retries() -> None:
    checks = theory.todays_bianchi_checks((5, 20), measured_s=10.0)
    # Scatter of 10 s beside the bar of 30 s.
    assert [check.name for check in checks if abs(check.error) > 0.025] == []
    assert len(checks) == 2 * 2 * len(theory.TODAY)


def test_fewer_attempts_collide_more() -> None:
    few, many = (theory.bianchi(20, 1000, rts=False, attempts=n) for n in (2, 7))
    assert few < many < theory.bianchi(20, 1000, rts=False)


def test_the_model_gives_what_its_paper_gives() -> None:
    # Two stations: an attempt fails when the other attempts in the same slot.
    alone = theory.bianchi(1, 1000, rts=True)
    assert alone == pytest.approx(8000 / theory.one_hop_cycle_s(1000, 0.0, "standard"))
    falling = [theory.bianchi(n, 1000, rts=False) for n in (5, 10, 20, 50)]
    assert falling == sorted(falling, reverse=True)
