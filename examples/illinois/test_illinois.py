"""TCP Illinois, driven by hand."""

import pytest
from illinois import Illinois

from multihop.engine import Ack, Loss, Window


def after(*round_trips_s: float) -> Illinois:
    """One that has seen these round trips."""
    control = Illinois()
    for rtt_s in round_trips_s:
        control.on_round(rtt_s)
    return control


def test_it_is_reno_until_it_has_seen_a_queue():
    assert (after(0.1, 0.1).alpha, after(0.1, 0.1).beta) == (1, 0.5)


def test_a_long_queue_means_slow_growth_and_half_a_window():
    control = after(0.1, 0.2)
    assert control.alpha == pytest.approx(0.3)
    assert control.beta == 0.5


def test_between_the_corners_both_curves_are_those_of_the_paper():
    control = after(0.1, 0.2, 0.15)
    d1, dm, da = 0.001, 0.1, 0.05
    k1 = (dm - d1) * 0.3 * 10 / (10 - 0.3)
    k2 = (dm - d1) * 0.3 / (10 - 0.3) - d1
    assert control.alpha == pytest.approx(k1 / (k2 + da))
    k3 = (0.125 * 0.08 - 0.5 * 0.01) / (0.08 - 0.01)
    k4 = (0.5 - 0.125) / (0.08 - 0.01)
    assert control.beta == pytest.approx(k3 + k4 * da)


def test_only_five_short_round_trips_in_a_row_bring_the_largest_growth_back():
    assert after(0.1, 0.2, *[0.1] * 4).alpha == pytest.approx(0.3)
    assert after(0.1, 0.2, *[0.1] * 5).alpha == 10
    assert after(0.1, 0.2, *[0.1] * 4, 0.15, *[0.1] * 4).alpha < 1


def test_acknowledgments_of_a_window_add_alpha_and_a_loss_takes_beta():
    control = after(0.1, 0.2, *[0.1] * 5)
    window = Window(cwnd=40, ssthresh=20)
    control.ends = 100
    for number in range(40):
        control.on_ack(window, Ack(delivered_total=number, rtt_s=0.1, in_flight=40))
    assert 48 < window.cwnd < 50
    control.on_loss(window, Loss(in_flight=40, duplicates=3))
    assert window.cwnd == 35


def test_a_small_window_is_renos():
    control = after(0.1, 0.2, *[0.1] * 5)
    window = Window(cwnd=8, ssthresh=4)
    control.on_ack(window, Ack())
    assert window.cwnd == 8.125
    control.on_loss(window, Loss(in_flight=8, duplicates=3))
    assert window.cwnd == 4


def test_round_trips_are_averaged_until_a_window_is_acknowledged():
    control, window = Illinois(), Window(cwnd=20, ssthresh=10)
    control.on_ack(window, Ack(delivered_total=1, rtt_s=0.1, in_flight=2))
    control.on_ack(window, Ack(delivered_total=2, rtt_s=0.2, in_flight=2))
    assert control.longest_s == 0.1
    control.on_ack(window, Ack(delivered_total=3, rtt_s=0.4, in_flight=2))
    assert control.longest_s == pytest.approx(0.3)
