"""Shapes over a variable: trends by Kendall's tau, the best value of a parameter, tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from multihop.reproduction.ledger import ArgBest, Matrix, Trend
from multihop.reproduction.parts import Part, all_of, at_least, at_most, best_of, in_range
from multihop.reproduction.quantities import Evidence, Quantity, combined, paired_values, ratio
from multihop.study.samples import equals

TAU = 0.6
RANK_CORRELATION = 0.6
FEWEST_POINTS = 3


def judge_trend(expect: Trend, evidence: Evidence, where: pl.Expr) -> Part:
    """The shape for every scheme."""
    x = evidence.own("x")
    low, high = evidence.own("over")
    inside = where & pl.col(x).is_between(low, high)
    parts = []
    for scheme in evidence.schemes:
        points = {
            value: evidence.quantity(scheme, where & (pl.col(x) == value))
            for value in evidence.values(x, inside)
        }
        full = {value: found for value, found in points.items() if math.isfinite(found.value)}
        what = f"{scheme} over {len(full)} values of {x}"
        if len(full) < FEWEST_POINTS:
            parts.append(Part(what, "not run"))
        else:
            parts.append(_shape(what, expect, list(full), list(full.values())))
    return all_of(parts)


def _shape(what: str, expect: Trend, x: list[float], y: list[Quantity]) -> Part:
    match expect.shape:
        case "up":
            return _rising(what, x, y)
        case "down":
            return _rising(what, x, y, sign=-1)
        case "flat":
            return _flat(what, y, expect.tol)
        case "flat-or-down":
            return best_of([_flat(what, y, expect.tol), _rising(what, x, y, sign=-1)])
        case "up-then-flat":
            turn = max(2, len(x) - max(2, len(x) // 3))
            first = _rising(f"{what}, up to {x[turn]}", x[: turn + 1], y[: turn + 1])
            return all_of([first, _flat(f"{what}, from {x[turn]}", y[turn:], expect.tol)])
        case "any":
            part = _rising(what, x, y)
            return replace(part, word="not run", grade="", expected="no shape: reported only")


def _rising(what: str, x: Sequence[float], y: Sequence[Quantity], sign: int = 1) -> Part:
    """Kendall's tau of the means against x; of falling ones with the opposite sign."""
    from scipy.stats import kendalltau  # takes 0.5 s to import

    pairs = list(itertools.combinations(range(len(x)), 2))

    def tau(means: list[Any]) -> Any:
        return sign * sum(np.sign(means[j] - means[i]) for i, j in pairs) / len(pairs)

    found = combined(y, tau).estimate()
    own = sign * float(kendalltau(x, paired_values(y)).statistic)
    if math.isnan(own):  # all means alike
        own = 0.0
    name = "Kendall's tau" if sign > 0 else "-Kendall's tau"
    return at_least(f"{what}, {name}", replace(found, value=own), TAU, sure=0.0)


def _flat(what: str, y: Sequence[Quantity], tol: float) -> Part:
    def spread(means: list[Any]) -> Any:
        values = np.stack(means)
        return (values.max(axis=0) - values.min(axis=0)) / values.mean(axis=0)

    return at_most(f"{what}, range over mean", combined(y, spread).estimate(), tol)


def judge_argbest(expect: ArgBest, evidence: Evidence, where: pl.Expr) -> Part:
    """The best value's metric over the best of the others, for every scheme."""
    columns = evidence.own("x") or expect.param
    columns = [columns] if isinstance(columns, str) else columns
    best = expect.best if isinstance(expect.best, list) else [expect.best]
    if isinstance(expect.among, list):
        where = where & pl.col(columns[0]).cast(pl.Float64).is_in(expect.among)
    return all_of(
        [_best(name, expect, evidence, where, columns, best) for name in evidence.schemes]
    )


def _best(
    scheme: str,
    expect: ArgBest,
    evidence: Evidence,
    where: pl.Expr,
    columns: list[str],
    best: Sequence[float],
) -> Part:
    found = {
        tuple(point.values()): evidence.quantity(scheme, where & equals(point))
        for point in evidence.points(columns, where)
    }
    full = {point: quantity for point, quantity in found.items() if math.isfinite(quantity.value)}
    ours = full.pop(tuple(best), None)
    what = f"{scheme}, {', '.join(columns)} = {', '.join(f'{value:g}' for value in best)} over the"
    if ours is None or not full:
        return Part(f"{what} others", "not run")
    rank = max if expect.sense == "max" else min
    means = dict(zip(full, paired_values(list(full.values())), strict=True))
    rival = rank(means, key=lambda point: means[point])
    what = f"{what} best other, {', '.join(map(str, rival))}"
    extreme = np.max if expect.sense == "max" else np.min
    others = combined(list(full.values()), lambda values: extreme(np.stack(values), axis=0))
    share = ratio(ours, others) if expect.sense == "max" else ratio(others, ours)
    return in_range(what, share.estimate(), 1.0, None, expect.slack)


def judge_table(expect: Matrix, evidence: Evidence, where: pl.Expr) -> Part:
    """Every entry within tol; normalised also by rank, bound-and-shape by its steps."""
    x, y = evidence.own("x"), evidence.own("y")
    rows = [pl.col(y) == row for row in expect.rows] if y is not None else [pl.lit(True)]
    entries = [[row & (pl.col(x) == column) for column in expect.cols] for row in rows]
    return all_of([_table(name, expect, evidence, where, entries) for name in evidence.schemes])


def _table(
    scheme: str, expect: Matrix, evidence: Evidence, where: pl.Expr, rows: list[list[pl.Expr]]
) -> Part:
    cells = [[evidence.quantity(scheme, where & cell) for cell in row] for row in rows]
    flat = list(itertools.chain.from_iterable(cells))
    stated = np.array(expect.values, dtype=np.float64).ravel()
    own = np.array(paired_values(flat), dtype=np.float64)
    if not np.isfinite(own).all():
        return Part(f"{scheme}: entries missing", "not run")
    if expect.check == "normalised":
        return _normalised(scheme, expect, flat, stated, own)
    bound_only = expect.check == "bound-and-shape"
    parts = []
    for cell, value in zip(flat, stated, strict=True):
        low = None if bound_only else value * (1 - expect.tol)
        what = f"{scheme}, entry {value:g}"
        parts.append(in_range(what, cell.estimate(), low, value * (1 + expect.tol), expect.slack))
    if bound_only:
        parts += [_same_steps(scheme, row, expect.values[i]) for i, row in enumerate(cells)]
    return all_of(parts)


def _normalised(scheme: str, expect: Matrix, cells: list[Quantity], stated: Any, own: Any) -> Part:
    from scipy.stats import spearmanr  # takes 0.5 s to import

    target = stated / stated.mean()
    parts = []
    for place, value in enumerate(target):
        mean = combined(cells, lambda values: np.stack(values).mean(axis=0))
        share = ratio(cells[place], mean)
        what = f"{scheme}, entry {stated[place]:g} over the mean"
        low, high = value * (1 - expect.tol), value * (1 + expect.tol)
        parts.append(in_range(what, share.estimate(), low, high, expect.slack))
    rank = float(spearmanr(stated, own).statistic)
    order = Part(f"{scheme}, rank correlation", "reproduced", "exact", rank)
    order = replace(order, expected=f"at least {RANK_CORRELATION}")
    if not rank >= RANK_CORRELATION:
        order = replace(order, word="differs", grade="sign holds" if rank > 0 else "sign differs")
    return all_of([*parts, order])


def _same_steps(scheme: str, row: Sequence[Quantity], stated: Sequence[float]) -> Part:
    """Every step along a row has the sign of the paper's."""
    parts = []
    for (one, other), (before, after) in zip(
        itertools.pairwise(row), itertools.pairwise(stated), strict=True
    ):
        what = f"{scheme}, step from {before:g} to {after:g}"
        larger, smaller = (one, other) if before > after else (other, one)
        parts.append(in_range(what, ratio(larger, smaller).estimate(), 1.0, None))
    return all_of(parts)
