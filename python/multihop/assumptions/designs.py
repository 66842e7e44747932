"""Which settings to run: a screening of all choices, and some of them in full.

The screening is a Plackett-Burman design and its mirror image (Plackett and Burman 1946; Box and
Wilson 1951), from the library pyDOE. Such a folded design has resolution IV: where all choices have
two alternatives, their effects are orthogonal to each other and clear of the effects of pairs. A
choice with three or four alternatives takes two columns; with three its first alternative stands
for two of the four combinations. All effects remain estimable, but pairs with such a choice may
contribute to them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from multihop.assumptions.effects import Row, main_model
from multihop.errors import StudyError

MOST_COLUMNS = 23
"""The largest design that pyDOE builds for any number of columns."""

ASSIGNMENTS = 100
"""So many orders of the columns are tried; the best determined one is taken."""


def screening(levels: Sequence[int]) -> list[Row]:
    """Settings that screen choices with so many alternatives each, the first alternatives first.

    All combinations where these are no more.

    Raises:
        StudyError: there are too many choices for one design.
    """
    from pydoe import fold, pbdesign  # takes 1 s to import

    needed = sum(1 if count == 2 else 2 for count in levels)
    if needed > MOST_COLUMNS:
        fault = f"too many for one design: they take {needed} columns of {MOST_COLUMNS}"
        raise StudyError.at(
            "assumptions.choices", f"{fault} (two alternatives take one, three or four take two)"
        )
    columns = fold(pbdesign(needed)) > 0
    if math.prod(levels) <= len(columns):
        return factorial(levels, range(len(levels)))
    orders = np.random.default_rng(1)
    best, least = [], -1.0
    for _ in range(ASSIGNMENTS):
        rows = _assigned(columns[:, orders.permutation(needed)], levels)
        model, _names = main_model(rows, levels)
        determined = float(np.linalg.svd(model, compute_uv=False)[-1])
        if determined > least + 1e-9:
            best, least = rows, determined
    return best


def factorial(levels: Sequence[int], kept: Sequence[int]) -> list[Row]:
    """Every combination of the choices `kept`, the others at their first alternatives."""
    from pydoe import fullfact  # takes 1 s to import

    made = fullfact([levels[choice] for choice in kept]).astype(int)
    rows = np.zeros((len(made), len(levels)), dtype=int)
    rows[:, list(kept)] = made
    return _in_order(rows)


def _assigned(columns: np.ndarray, levels: Sequence[int]) -> list[Row]:
    """Alternatives from columns of two levels, of which the first stands for the first."""
    rows = np.zeros((len(columns), len(levels)), dtype=int)
    place = 0
    for choice, count in enumerate(levels):
        rows[:, choice] = columns[:, place]
        place += 1
        if count > 2:
            rows[:, choice] += 2 * columns[:, place]
            rows[:, choice][rows[:, choice] >= count] = 0
            place += 1
    return _in_order(rows)


def _in_order(rows: np.ndarray) -> list[Row]:
    """Each row once, that of the first alternatives first, added where it is missing."""
    found = dict.fromkeys(tuple(int(level) for level in row) for row in rows)
    base = (0,) * rows.shape[1]
    return [base, *(row for row in found if row != base)]
