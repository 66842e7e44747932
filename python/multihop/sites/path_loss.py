"""How power falls with distance in a mesh whose links were measured.

Log-distance path loss with log-normal shadowing, by maximum likelihood. What is not measured counts
as well: two nodes that do not hear each other have a gain below the weakest link's (a censored
value, as in Tobin, Estimation of relationships for limited dependent variables, Econometrica 26,
1958), and links at the best quality that the measure can tell may be better still. Without either,
far links would seem better than they are, as only good ones of them are in the map.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Places = Sequence[tuple[float, float]]
Floats = npt.NDArray[np.float64]
_NEAREST_M = 3.0
"""Nodes nearer to each other share a roof; path loss says nothing of those."""
_LEAST_PAIRS = 5
_STREAM = 0x52_4F_4F_46
"""Keeps these draws apart from others of the same seed and node."""
_LEAST_GAIN_DB = -130.0
"""Weaker links are left out: 20 dBm sent would be 15 dB below the noise."""
_BOUNDS = ((-90.0, 0.0), (1.5, 8.0), (math.log(1.0), math.log(25.0)))
"""Of the gain at 1 m [dB], the exponent, and the logarithm of the spread [dB]."""


@dataclass(frozen=True, slots=True)
class PathLoss:
    """The gain of a link by its length."""

    at_1m_db: float
    exponent: float
    sigma_db: float
    """Of the shadowing, and of all else that distance does not tell."""
    links: int
    """Measured pairs that it follows from."""
    unheard: int
    """Pairs that do not hear each other, and say so."""

    def gain_db(self, far_m: float) -> float:
        """The mean gain over a distance."""
        return self.at_1m_db - 10 * self.exponent * math.log10(max(far_m, _NEAREST_M))

    def drawn(
        self,
        place: tuple[float, float],
        others: Iterable[tuple[int, tuple[float, float]]],
        seed: int,
    ) -> dict[int, float]:
        """Gains [dB] from a place to others, one draw of shadowing; too weak ones left out.

        The draw to a node is the same wherever the place is: common random numbers for candidates.
        """
        found = {}
        for node, there in others:
            shadow = np.random.default_rng([seed, node, _STREAM]).standard_normal()
            gain = self.gain_db(math.dist(place, there)) + self.sigma_db * float(shadow)
            if gain >= _LEAST_GAIN_DB:
                found[node] = round(min(gain, 0.0), 2)
        return found


def fitted(
    places: Places,
    gains: Mapping[tuple[int, int], float],
    *,
    unknown: Collection[tuple[int, int]] = (),
) -> PathLoss | None:
    """The path loss of a mesh; None if fewer than five pairs at a distance were measured.

    Args:
        places: of the nodes [m].
        gains: [dB] of each way that was measured; of a pair the mean of both counts.
        unknown: pairs, the lower node first, that nobody tried to measure.
    """
    told = pair_gains(gains)
    known = [(a, b) for a, b in told if math.dist(places[a], places[b]) >= _NEAREST_M]
    if len(known) < _LEAST_PAIRS:
        return None
    far = np.log10([math.dist(places[a], places[b]) for a, b in known])
    gain = np.array([told[pair] for pair in known])
    apart = [
        math.dist(places[a], places[b])
        for a in range(len(places))
        for b in range(a + 1, len(places))
        if (a, b) not in told and (a, b) not in unknown
    ]
    unheard = np.log10([far_m for far_m in apart if far_m >= _NEAREST_M])
    best, least = float(gain.max()), float(gain.min())
    # Several links at exactly the best value are at the end of the measure's scale.
    capped = gain >= best - 1e-9 if np.sum(gain >= best - 1e-9) > 1 else np.zeros_like(gain, bool)
    start = np.array([-30.0, 3.0, math.log(8.0)])
    found = _likeliest(start, far, gain, capped, unheard, least)
    return PathLoss(
        round(float(found[0]), 2), round(float(found[1]), 3), round(math.exp(found[2]), 2),
        len(known), len(unheard),
    )  # fmt: skip


def pair_gains(gains: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """The mean of both ways of each pair, the lower node first."""
    ways: dict[tuple[int, int], list[float]] = {}
    for (a, b), gain in gains.items():
        ways.setdefault((min(a, b), max(a, b)), []).append(gain)
    return {pair: sum(values) / len(values) for pair, values in sorted(ways.items())}


def _likeliest(
    start: Floats, far: Floats, gain: Floats, capped: npt.NDArray[np.bool_], unheard: Floats,
    least: float,
) -> Floats:  # fmt: skip
    from scipy.optimize import minimize  # takes 0.2 s to import
    from scipy.special import log_ndtr

    def unlikely(values: Floats) -> float:
        at_1m, exponent, log_sigma = values
        sigma = math.exp(log_sigma)
        off = (gain - at_1m + 10 * exponent * far) / sigma
        exact = -0.5 * off**2 - log_sigma
        below = log_ndtr((least - at_1m + 10 * exponent * unheard) / sigma)
        return -float(np.where(capped, log_ndtr(-off), exact).sum() + below.sum())

    return np.asarray(minimize(unlikely, start, method="L-BFGS-B", bounds=_BOUNDS).x)
