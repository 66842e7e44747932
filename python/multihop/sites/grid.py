"""Heights between the numbers of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Heights = npt.NDArray[np.float64]


def interpolated(
    grid: npt.NDArray[Any], void: float | None, row: Heights, column: Heights, margin: float = 0.0
) -> Heights:
    """Numbers between the four nearest of a grid; NaN outside, and where one of them is void.

    Args:
        grid: of any numbers, two at least each way.
        void: the number that stands for none.
        row: where, counted from the first row.
        column: where, counted from the first column.
        margin: so far beyond the outermost rows and columns, these count.
    """
    last_row, last_column = grid.shape[0] - 1, grid.shape[1] - 1
    inside = (row >= -margin) & (row <= last_row + margin)
    inside &= (column >= -margin) & (column <= last_column + margin)
    row, column = np.where(inside, row, 0.0), np.where(inside, column, 0.0)
    r = np.clip(np.floor(row), 0, last_row - 1).astype(int)
    c = np.clip(np.floor(column), 0, last_column - 1).astype(int)
    down, right = np.clip(row - r, 0, 1), np.clip(column - c, 0, 1)
    corners = [
        (r, c, (1 - down) * (1 - right)), (r, c + 1, (1 - down) * right),
        (r + 1, c, down * (1 - right)), (r + 1, c + 1, down * right),
    ]  # fmt: skip
    found = np.zeros_like(row)
    for rows, columns, weight in corners:
        number = grid[rows, columns].astype(float)
        known = number if void is None else np.where(number == void, np.nan, number)
        found += np.where(weight > 0, known * weight, 0.0)
    return np.where(inside, found, np.nan)
