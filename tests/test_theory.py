"""The engine against closed forms: the mean cycle of one hop, and Bianchi's model."""

import pytest

from multihop.validation import links, theory
from multihop.validation.phys import TODAY


def test_one_saturated_hop_has_the_cycle_of_its_frames() -> None:
    missed = [check for check in theory.one_hop_checks() if not check.passed]
    assert not missed


def test_a_saturated_cell_has_the_throughput_of_bianchi_s_model() -> None:
    missed = [check for check in theory.bianchi_checks() if not check.passed]
    assert not missed


@pytest.mark.slow("simulates cells until they are steady")
def test_cells_of_today_have_the_throughput_of_the_model_with_finite_retries() -> None:
    checks = theory.todays_bianchi_checks((5, 20))
    assert [check.name for check in checks if not check.passed] == []
    assert len(checks) == 2 * 2 * len(TODAY)


def test_one_hop_carries_what_its_frames_leave_room_for() -> None:
    families = links.families()
    slowest_and_fastest = {name: [found[0], found[-1]] for name, found in families.items()}
    checks = links.checks(slowest_and_fastest)
    assert [check.name for check in checks if not check.passed] == []
    assert len(checks) == 13


def test_a_larger_aggregate_is_not_sent_than_fits_its_duration() -> None:
    families = links.families()
    held = [link.mpdus for link in families["802.11n, 40 MHz, short guard interval, A-MPDUs"]]
    # 5.484 ms of 15 Mbit/s hold 10,000 bytes; 65,535 bytes hold 42 packets.
    assert (min(held), max(held)) == (6, 42)


def test_fewer_attempts_collide_more() -> None:
    few, many = (theory.bianchi(20, 1000, rts=False, attempts=n) for n in (2, 7))
    assert few < many < theory.bianchi(20, 1000, rts=False)


def test_the_model_gives_what_its_paper_gives() -> None:
    # Two stations: an attempt fails when the other attempts in the same slot.
    alone = theory.bianchi(1, 1000, rts=True)
    assert alone == pytest.approx(8000 / theory.one_hop_cycle_s(1000, 0.0, "standard"))
    falling = [theory.bianchi(n, 1000, rts=False) for n in (5, 10, 20, 50)]
    assert falling == sorted(falling, reverse=True)
