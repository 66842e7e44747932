"""Effects of choices on a ratio, with intervals over networks.

The response of a setting is the logarithm of the ratio of means, so that effects multiply. Effects
come from a linear model by least squares; their intervals are Student's with the jackknife's
standard error, which leaves out one network from all settings at once: settings run on the same
networks, and effects are differences between them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multihop.statistics import Estimate, jackknife_error, t_quantile
from multihop.study import estimates
from multihop.study.estimates import Sample

Floats = npt.NDArray[np.float64]
Row = tuple[int, ...]
"""A setting: for each choice the number of its alternative, 0 for the first."""
Pair = tuple[Sample, Sample]
"""What a setting gave: the scheme's sample, and that of the scheme it is divided by."""
Level = tuple[int, int]
"""A choice and one of its alternatives other than the first."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What one alternative, or two together, do to the ratio.

    Of one: the factor by which the ratio changes from the first alternative to this one, over all
    alternatives of the others. Of two: the factor that having both adds to the product of what each
    does beside the other's first alternative.
    """

    of: tuple[Level, ...]
    factor: Estimate

    @property
    def size(self) -> float:
        """How far the factor is from 1, in either direction; 0 where it is unknown."""
        value = self.factor.value
        return abs(math.log(value)) if math.isfinite(value) and value > 0 else 0.0


def main_effects(rows: Sequence[Row], levels: Sequence[int], found: Sequence[Pair]) -> list[Effect]:
    """The effect of each alternative beside the first, largest first."""
    return _sorted(_effects(found, main_model(rows, levels)))


def pair_effects(
    rows: Sequence[Row], levels: Sequence[int], found: Sequence[Pair]
) -> tuple[list[Effect], list[Effect]]:
    """Main effects, and the effects of pairs of alternatives, each largest first."""
    effects = _effects(found, pair_model(rows, levels))
    return (
        _sorted(effect for effect in effects if len(effect.of) == 1),
        _sorted(effect for effect in effects if len(effect.of) == 2),
    )


Model = tuple[Floats, list[tuple[Level, ...]]]
"""A column for each effect and row; what each effect is of. The mean is a column more."""


def main_model(rows: Sequence[Row], levels: Sequence[int]) -> Model:
    """Columns of the mean and of each alternative but the first.

    Columns are centred on the mean over a choice's alternatives, which pairs need.
    """
    taken = np.array(rows)
    names = [
        (choice, level)
        for choice, count in enumerate(levels)
        for level in range(1, count)
        if taken[:, choice].any()
    ]
    columns = [(taken[:, c] == level) - 1 / levels[c] for c, level in names]
    return np.column_stack([np.ones(len(rows)), *columns]), [(name,) for name in names]


def pair_model(rows: Sequence[Row], levels: Sequence[int]) -> Model:
    """The same and a column for each pair of alternatives of different choices."""
    main, singles = main_model(rows, levels)
    columns = {single[0]: main[:, place] for place, single in enumerate(singles, 1)}
    pairs = [(a, b) for a, b in itertools.combinations(columns, 2) if a[0] != b[0]]
    products = [columns[a] * columns[b] for a, b in pairs]
    return np.column_stack([main, *products]), [*singles, *pairs]


def ratio(pair: Pair) -> Estimate:
    """The ratio that a setting gave."""
    return estimates.ratio(*pair)


def _sorted(effects: Iterable[Effect]) -> list[Effect]:
    return sorted(effects, key=lambda effect: -effect.size)


def _effects(found: Sequence[Pair], model: Model) -> list[Effect]:
    columns, names = model
    whole, without, flows = _responses(found)
    known = np.isfinite(whole)
    solved = np.linalg.pinv(columns[known])
    determined = solved @ columns[known]
    with np.errstate(invalid="ignore"):  # where a ratio hangs on one network
        values, left_out = solved @ whole[known], without[:, known] @ solved.T
    effects = []
    for place, of in enumerate(names, 1):
        estimable = np.allclose(determined[place], np.eye(columns.shape[1])[place], atol=1e-6)
        value = float(values[place]) if estimable and known.any() else math.nan
        effects.append(Effect(of, _factor(value, left_out[:, place], flows)))
    return effects


def _responses(found: Sequence[Pair]) -> tuple[Floats, Floats, int]:
    """Logarithms of the ratios: of all networks by setting, then without each one of them.

    Networks without any flow that counts, in any setting, are no networks here.
    """
    networks = sorted({network for pair in found for sample in pair for network in sample.networks})
    paired = [[sample.on(networks) for sample in pair] for pair in found]
    flows = sum((sample.counts for pair in paired for sample in pair), np.zeros(len(networks)))
    counted = [network for network, count in zip(networks, flows, strict=True) if count]
    logs = []
    for pair in paired:
        with np.errstate(all="ignore"):
            ours, theirs = (_means(sample.on(counted)) for sample in pair)
            logs.append(np.log(ours / theirs))
    table = np.column_stack(logs)
    return table[0], table[1:], min(int(pair[0].counts.sum()) for pair in paired)


def _means(sample: Sample) -> Floats:
    """The mean over all networks, then without each one of them."""
    sums, counts = sample.sums, sample.counts
    totals = [np.append(column.sum(), column.sum() - column) for column in (sums, counts)]
    means: Floats = totals[0] / totals[1]
    return means


def _factor(value: float, without: Floats, flows: int) -> Estimate:
    """An effect as a factor, with its interval from the values without each network."""
    networks = len(without)
    half_width = math.nan
    if networks > 1 and np.isfinite(without).all():
        half_width = t_quantile(networks - 1, estimates.CONFIDENCE) * jackknife_error(without)
    with np.errstate(over="ignore"):
        ends = [float(np.exp(value + part * half_width)) for part in (-1, 1)]
    return Estimate(float(np.exp(value)), ends[0], ends[1], networks, flows)
