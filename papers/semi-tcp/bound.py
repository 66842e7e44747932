"""The bound of the semi-TCP paper, equations (1) and (2): TCP over a chain of lossy links.

By the single-cycle model TCP sends 1.5 l/R * sqrt(2/(3p)) with segments of l bits, round-trip time
R and loss p. Over n links R = n * tau, and (1 - p)^n of what is sent arrives.
"""

from __future__ import annotations

import math


def single_cycle_bps(segment_bits: float, rtt_s: float, loss: float) -> float:
    """What TCP sends at most at a probability of loss, equation (1)."""
    return 1.5 * segment_bits / rtt_s * math.sqrt(2 / (3 * loss))


def chain_bound_bps(links: int, segment_bits: float, link_rtt_s: float, loss: float) -> float:
    """What arrives at most over links that each have the same delay and loss, equation (2)."""
    return single_cycle_bps(segment_bits, links * link_rtt_s, loss) * (1 - loss) ** links
