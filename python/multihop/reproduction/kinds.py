"""How each kind of expectation is judged on a study's results: ranges, comparisons and rules.

Shapes over a variable (trend, argbest, table) are in shapes.py.
"""

from __future__ import annotations

import itertools
from typing import Any

import polars as pl

from multihop.reproduction.ledger import Direction, Equal, Exact, Invariant, Order, Ratio, ValueIn
from multihop.reproduction.parts import Part, above, all_of, in_range
from multihop.reproduction.quantities import Evidence, Quantity, combined, difference, ratio


def judge_ratio(expect: Ratio, evidence: Evidence, where: pl.Expr) -> Part:
    """Each scheme over the last one; with one scheme the quantity has to be a ratio itself."""
    *ours, baseline = evidence.claim.compare
    if not ours:
        found = {baseline: evidence.quantity(baseline, where)}
    else:
        found = {
            f"{evidence.shown(scheme)} over {evidence.shown(baseline)}": evidence.ratio(
                scheme, baseline, where
            )
            for scheme in ours
        }
    bounds = _bounds(expect, evidence)
    return all_of(
        [in_range(what, quantity.estimate(), *bounds) for what, quantity in found.items()]
    )


def judge_equal(expect: Equal, evidence: Evidence, where: pl.Expr) -> Part:
    """Every two schemes, or every two conditions for each scheme."""
    between = evidence.own("between")
    if between:
        groups = [
            {
                f"{scheme}, {words}": evidence.quantity(scheme, where & evidence.where(words))
                for words in between
            }
            for scheme in evidence.schemes
        ]
    else:
        groups = [
            {evidence.shown(name): evidence.quantity(name, where) for name in evidence.schemes}
        ]
    most = 1 + expect.tol
    return all_of(
        [
            in_range(
                f"{one} over {other}",
                ratio(group[one], group[other]).estimate(),
                1 / most,
                most,
                expect.slack,
            )
            for group in groups
            for one, other in itertools.combinations(group, 2)
        ]
    )


def judge_direction(expect: Direction, evidence: Evidence, where: pl.Expr) -> Part:
    """The paired difference of the higher and the lower."""
    metrics = evidence.owner.higher_metric, evidence.owner.lower_metric
    if metrics[0] is not None and metrics[1] is not None:
        high, low = (evidence.measured_by(metric) for metric in metrics if metric is not None)
        parts = [
            _over(
                (f"{name}, {metrics[0]}", metrics[1]),
                evidence,
                high.quantity(name, where),
                low.quantity(name, where),
            )
            for name in evidence.schemes
        ]
    elif evidence.own("higher_at") is None:
        parts = [
            _above(
                (evidence.shown(high), evidence.shown(low)), evidence, (high, where), (low, where)
            )
            for high in expect.higher
            for low in expect.lower
        ]
    else:
        words = evidence.own("higher_at"), evidence.own("lower_at")
        here, there = (where & evidence.where(word) for word in words)
        parts = [
            _above((f"{name}, {words[0]}", words[1]), evidence, (name, here), (name, there))
            for name in evidence.schemes
        ]
    return all_of(parts)


def judge_order(expect: Order, evidence: Evidence, where: pl.Expr) -> Part:
    """Each in the list against the next one: schemes, or conditions that the owner names."""
    parts = []
    for high, low in itertools.pairwise(expect.high_to_low):
        names = evidence.shown(high), evidence.shown(low)
        if evidence.is_condition(high):
            parts += [
                _above(
                    names,
                    evidence,
                    (name, where & evidence.where(high)),
                    (name, where & evidence.where(low)),
                )
                for name in evidence.schemes
            ]
        else:
            parts.append(_above(names, evidence, (high, where), (low, where)))
    return all_of(parts)


def judge_value(expect: ValueIn, evidence: Evidence, where: pl.Expr) -> Part:
    """The quantity of the scheme, or condition, that `of` names; or of every scheme.

    With the owner's `must` no mean will do: every flow (or run) fulfils it.
    """
    if evidence.owner.must:
        return judge_invariant(expect, evidence, where)
    lo, hi, slack = _bounds(expect, evidence)
    if expect.unit == "fraction" and (lo is None or lo <= 0.0) != (hi is None or hi >= 1.0):
        # Nothing lies beyond 0 and 1, but an interval of Student's may.
        lo, hi = (None, hi) if lo is None or lo <= 0.0 else (lo, None)
    schemes = evidence.schemes
    if expect.of is not None and evidence.is_condition(expect.of):
        where = where & evidence.where(expect.of)
    elif expect.of in schemes:
        schemes = [expect.of]
    return all_of(
        [
            in_range(evidence.shown(name), evidence.quantity(name, where).estimate(), lo, hi, slack)
            for name in schemes
        ]
    )


def judge_exact(expect: Exact, evidence: Evidence, where: pl.Expr) -> Part:
    """Every flow (or run) has the value, or fulfils the owner's `must` if the value is words."""
    metric = evidence.owner.metric
    must = evidence.owner.must
    if must:
        return _every(evidence, where, evidence.where(must), f"{must}, always")
    if not isinstance(expect.value, int | float):
        return Part("a value that is no number needs a test", "not run")
    return _every(evidence, where, pl.col(metric) == expect.value, f"{expect.value}, always")


def judge_invariant(_expect: Invariant | ValueIn, evidence: Evidence, where: pl.Expr) -> Part:
    """Every flow (or run) fulfils the owner's `must`."""
    must = evidence.owner.must
    if not must:
        return Part("the owner has no must", "not run")
    return _every(evidence, where, evidence.where(must), f"{must}, always")


def _every(evidence: Evidence, where: pl.Expr, rule: pl.Expr, expected: str) -> Part:
    """The share of rows that keep the rule has to be all."""
    metric = evidence.owner.metric
    rows = evidence.rows(where & pl.col(metric).is_not_null())
    if rows.is_empty():
        return Part(metric, "not run", expected=expected)
    kept: Any = rows.select(rule.mean().alias("share"))["share"][0]
    what = f"share of {rows.height} in which the rule holds"
    if kept == 1.0:
        return Part(what, "reproduced", "exact", 1.0, expected=expected)
    return Part(what, "differs", "", float(kept), expected=expected)


def _above(
    names: tuple[str, str], evidence: Evidence, high: tuple[str, pl.Expr], low: tuple[str, pl.Expr]
) -> Part:
    return _over(names, evidence, evidence.quantity(*high), evidence.quantity(*low))


def _over(names: tuple[str, str], evidence: Evidence, high: Quantity, low: Quantity) -> Part:
    """Whether the one exceeds the other: significantly, and by as much as the owner asks."""
    times, least = evidence.owner.times, evidence.owner.exceeds
    if times is None:
        parts = [above(f"{names[0]} less {names[1]}", difference(high, low), low.value)]
    else:
        found = ratio(high, low).estimate()
        parts = [in_range(f"{names[0]} over {names[1]}", found, times, None)]
    if least is not None:
        beyond = combined([high], lambda values: values[0] - least)
        parts.append(above(f"{names[0]} less {least:g}", beyond.estimate(), least))
    return all_of(parts)


def _bounds(
    expect: Ratio | ValueIn, evidence: Evidence
) -> tuple[float | None, float | None, float]:
    """The range and its slack: the paper's number alone, if the owner or the ledger says so."""
    share = evidence.owner.about
    if share is None and expect.lo is None and expect.hi is None:
        share = expect.slack
    if share is None or expect.value is None:
        return expect.lo, expect.hi, expect.slack
    room = share * abs(expect.value)
    return expect.value - room, expect.value + room, 0.0
