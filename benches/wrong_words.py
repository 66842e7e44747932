"""How often headlines judged until decided get a wrong word: `python -m benches.wrong_words`.

Made-up families of headlines whose truth is known, judged by the program's own tests. A network is
good or bad for all schemes; readings of a headline share most of what is left; sums by network have
heavy tails, different for the two schemes of a ratio, and some networks have no flow of the kind or
starve it. Each look adds networks to those of the look before.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multihop.reproduction.headline_tests import Chances, chances, looked, looks, shares
from multihop.reproduction.headline_verdicts import LEVEL
from multihop.reproduction.headlines import MARGIN, Comparison
from multihop.statistics import holm

JUDGEMENTS = 95
"""Of the papers' headlines under all readings, which share one error rate."""
READINGS = 3
SPREADS = (0.2, 0.5, 1.0)
"""Of the logarithm of what a scheme makes of a network."""
PART = Comparison(metric="goodput_bps", scheme="new", over="old", above=1.0)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """What one family came to."""

    wrong: int
    decided: int


def judged(luck: np.random.Generator, truths: Sequence[float], most: int) -> Family:
    """A family of headlines with these true ratios, judged to the last look."""
    schedule = looks(most)
    found = []
    for ours, theirs, counts in _sums(luck, truths, most):
        so_far = Chances()
        for networks, share in zip(schedule, shares(len(schedule)), strict=True):
            has = counts[:networks] > 0
            columns = [column[:networks][has] for column in (ours, theirs)]
            numbers = [counts[:networks][has]] * 2
            one = looked(PART, MARGIN, lambda means: means[0] / means[1], columns, numbers)
            so_far = chances([one]).after(so_far, share)
        found.append(so_far)
    needed = holm([one.two_sided for one in found], LEVEL)[1]
    both = [*zip(found, truths, strict=True)]
    wrong = sum(2 * _of_wrong_words(one, truth) <= needed for one, truth in both)
    return Family(wrong, sum(one.word(needed) is not None for one in found))


def _of_wrong_words(one: Chances, truth: float) -> float:
    """The least p-value of a word that the truth is not."""
    slack = math.log(truth)
    wrong = [one.holds] if slack <= 0 else []
    wrong += [one.fails] if slack >= 0 else []
    wrong += [one.alike] if abs(slack) >= math.log1p(MARGIN) - 1e-12 else []
    return min(wrong)


def _sums(
    luck: np.random.Generator, truths: Sequence[float], most: int
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Sums of both schemes and numbers of flows, by network, for each judgement."""
    network = luck.normal(size=most)
    for number, truth in enumerate(truths):
        if number % READINGS == 0:  # another headline
            spreads = luck.choice(SPREADS, 2)
            shared = luck.normal(size=(2, most))
            flows = luck.binomial(5, luck.choice([0.2, 0.5, 1.0]), most).astype(float)
            starves = luck.choice([0.0, 0.2])
        own = math.sqrt(0.7) * shared + math.sqrt(0.3) * luck.normal(size=(2, most))
        tails = np.exp(spreads[:, None] * own - np.square(spreads[:, None]) / 2)
        tails *= luck.random((2, most)) >= starves
        ours, theirs = tails * np.exp(0.8 * network) * flows
        yield truth * ours, theirs, flows


TRUTHS: dict[str, Sequence[float]] = {
    "nothing differs": (1.0,),
    "all differ by the margin": (1 + MARGIN, 1 / (1 + MARGIN)),
    "mixed": (1.0, 1.0, 1.0, 1 + MARGIN, 1 / 1.1, 1.5),
}


def families(
    truths: Sequence[float],
    count: int,
    judgements: int = JUDGEMENTS,
    most: int = 3000,
    seed: int = 1,
) -> list[Family]:
    """So many families, whose headlines have the truths in turn."""
    drawn = [truths[number // READINGS % len(truths)] for number in range(judgements)]
    return [judged(np.random.default_rng([seed, one]), drawn, most) for one in range(count)]


def main() -> None:
    """Print the share of families with a wrong word."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--families", type=int, default=2000)
    parser.add_argument("--networks", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=TRUTHS, action="append")
    asked = parser.parse_args()
    for name in asked.of or TRUTHS:
        found = families(TRUTHS[name], asked.families, most=asked.networks, seed=asked.seed)
        wrong = sum(one.wrong > 0 for one in found)
        decided = np.mean([one.decided for one in found]) / JUDGEMENTS
        print(f"{name}: {wrong} of {len(found)} families, {decided:.0%} of words given", flush=True)


if __name__ == "__main__":
    main()
