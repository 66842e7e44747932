"""TCP Illinois: losses say when to slow down, delay says how much.

S. Liu, T. Başar, R. Srikant, "TCP-Illinois: a loss- and delay-based congestion control algorithm
for high-speed networks", Performance Evaluation 65(6-7), 2008.

    multihop run SCENARIO --scheme illinois.py:Illinois --set transport.window_segments=64
    python -m pytest .
"""

from math import inf

from multihop import CongestionControl
from multihop.engine import Ack, Loss, Window


class Illinois(CongestionControl):
    """The window grows by `alpha` a round trip and loses the share `beta` at a loss.

    The shorter the queue, the larger `alpha` and the smaller `beta`. The parameters are those that
    the paper proposes for general use.
    """

    alpha_min, alpha_max = 0.3, 10.0
    beta_min, beta_max = 0.125, 0.5
    eta_1, eta_2, eta_3 = 0.01, 0.1, 0.8
    """Corners of the two curves, as shares of the largest queueing delay."""
    theta = 5
    """Round trips below the first corner before `alpha` returns to its largest value."""
    window_threshold = 10.0
    """Below this window it is Reno [segments]."""

    def __init__(self) -> None:
        self.alpha, self.beta = 1.0, 0.5
        self.shortest_s, self.longest_s = inf, 0.0
        self.low_rounds = self.theta  # it starts as if the queue had been short
        self.begin_round(0)

    def begin_round(self, ends: int) -> None:
        """Average the round trips until segment `ends` is acknowledged."""
        self.ends, self.sum_s, self.samples = ends, 0.0, 0

    def on_ack(self, window: Window, ack: Ack) -> None:
        """Grow by `alpha` a round trip; a small window grows as Reno's."""
        if ack.rtt_s is not None:
            self.sum_s += ack.rtt_s
            self.samples += 1
        if ack.delivered_total >= self.ends:
            if self.samples:
                self.on_round(self.sum_s / self.samples)
            self.begin_round(ack.delivered_total + ack.in_flight)
        if window.is_in_slow_start or window.cwnd < self.window_threshold:
            window.grow(ack.delivered)
        else:
            window.cwnd += self.alpha * ack.delivered / window.cwnd

    def on_round(self, rtt_s: float) -> None:
        """A round trip is over, which took `rtt_s` on average."""
        self.shortest_s = min(self.shortest_s, rtt_s)
        self.longest_s = max(self.longest_s, rtt_s)
        largest_s = self.longest_s - self.shortest_s
        if largest_s == 0:  # no queue has been seen yet
            self.alpha, self.beta = 1.0, 0.5
            return
        delay = (rtt_s - self.shortest_s) / largest_s
        self.low_rounds = self.low_rounds + 1 if delay <= self.eta_1 else 0
        if delay > self.eta_1:
            self.alpha = self.growth(delay)
        elif self.low_rounds >= self.theta:
            self.alpha = self.alpha_max
        self.beta = self.share_lost(delay)

    def growth(self, delay: float) -> float:
        """`alpha` for a delay as a share of the largest: k1 / (k2 + delay), from `eta_1` to 1."""
        span = (1 - self.eta_1) * self.alpha_min / (self.alpha_max - self.alpha_min)
        return self.alpha_max * span / (span + delay - self.eta_1)

    def share_lost(self, delay: float) -> float:
        """`beta` for a delay as a share of the largest: a line between two corners."""
        along = (delay - self.eta_2) / (self.eta_3 - self.eta_2)
        return self.beta_min + (self.beta_max - self.beta_min) * min(max(along, 0), 1)

    def on_loss(self, window: Window, loss: Loss) -> None:
        """Lose the share `beta` of what is in flight; a small window is halved."""
        if window.cwnd < self.window_threshold:
            window.halve(loss.in_flight)
            return
        in_use = min(window.cwnd, loss.in_flight)
        window.ssthresh = max(2, int((1 - self.beta) * in_use))
        window.cwnd = window.ssthresh

    def on_timeout(self, window: Window, loss: Loss) -> None:
        """Begin as Reno does, with its growth until a round trip is measured."""
        window.collapse(loss.in_flight)
        self.alpha, self.beta = 1.0, 0.5
        self.low_rounds = 0
        self.begin_round(0)
