"""The bars: which figures of a reference case must agree with ns-2.35, and how closely.

Every bar can be widened by a number of standard errors of the difference of the two means, for runs
with few seeds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from multihop.peers.comparison import result_figures
from multihop.results import Result, delivered
from multihop.statistics import (
    correlation,
    difference_in_errors,
    mean_interval,
    relative_difference,
    same_distribution_p,
    standard_error,
)
from multihop.validation import misses
from multihop.validation.misses import Miss
from multihop.validation.reference import Case

STARVED_SHARE = 0.1
"""A sender that delivered less than this part of the fair share counts as starved."""

LEAST_LINK_CORRELATION = 0.99
"""Of packets by link, where seed by seed both sides have the same gains."""

LEAST_SHARE = 0.1
"""Of an access category: a smaller one is of few packets."""

COUNTERS = ("RTS sent", "CTS sent", "DATA sent", "collisions", "retry drops", "routing packets")


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of one case against its bar."""

    case: str
    figure: str
    ours: str
    theirs: str
    difference: str
    bar: str
    passed: bool

    @property
    def miss(self) -> Miss | None:
        """What is known of the figure's missing its bar; none if it does not, or if nothing is."""
        return None if self.passed else misses.known(self.case, self.figure)


@dataclass(frozen=True, slots=True)
class Sample:
    """A reference case and our runs of it."""

    case: Case
    ours: list[Result]

    @property
    def delivered(self) -> list[list[int]]:
        """By run, then by flow, as in the reference."""
        return [[delivered(flow) for flow in run.json["flows"]] for run in self.ours]


Rule = Callable[[Sequence[Sample], float], list[Check]]
"""Judges the samples of a family of cases; the number widens the bars, in standard errors."""


def saturated(samples: Sequence[Sample], widening: float) -> list[Check]:
    """One saturated hop: packets received within 1 %."""
    return _each(samples, "received", sum, 0.01, widening)


def chain_cbr(samples: Sequence[Sample], widening: float) -> list[Check]:
    """CBR over a chain: packets received within 5 %."""
    return _each(samples, "received", sum, 0.05, widening)


def cell(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Senders around one receiver: the sum within 3 %, over runs in which no sender starved."""
    checks = []
    for sample in samples:
        ours, theirs = (_unstarved(runs) for runs in (sample.delivered, sample.case.delivered))
        figure = f"sum, {len(ours)} and {len(theirs)} runs without a starved sender"
        if ours and theirs:
            checks.append(_relative(sample.case.name, figure, ours, theirs, 0.03, widening))
        else:
            name = sample.case.name
            checks.append(Check(name, figure, "none", "none", "", "a run to compare", False))
    return checks


def classes(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Senders of several access categories round one receiver: each one's share within 3 %.

    Or within 2.5 standard errors; shares below a tenth, of few packets, within 3.
    """
    checks = []
    for sample in samples:
        flows = sample.case.scenario["flows"]
        for access in dict.fromkeys(flow["class"] for flow in flows):
            mine = [place for place, flow in enumerate(flows) if flow["class"] == access]
            ours, theirs = (
                [sum(run[place] for place in mine) / sum(run) for run in runs]
                for runs in (sample.delivered, sample.case.delivered)
            )
            figure = f"share of {access}"
            if np.mean(theirs) < LEAST_SHARE:
                checks.append(_errors(sample.case.name, figure, ours, theirs, 3 + widening))
            else:
                allowed = 2.5 + widening
                name = sample.case.name
                checks.append(relative_or_errors(name, figure, ours, theirs, 0.03, allowed))
    return checks


def links(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Links apart from each other: the sum within 5 %, and each link's packets correlated."""
    checks = _each(samples, "sum", sum, 0.05, widening)
    for sample in samples:
        ours, theirs = sample.delivered, sample.case.delivered
        pairs = [
            pair for runs in zip(ours, theirs, strict=False) for pair in zip(*runs, strict=True)
        ]
        r = correlation(*map(list, zip(*pairs, strict=True)))
        figure = f"packets by link, {len(pairs)} links"
        passed = r >= LEAST_LINK_CORRELATION
        bar = f"r ≥ {LEAST_LINK_CORRELATION:g}"
        checks.append(Check(sample.case.name, figure, "", "", f"r = {r:.4f}", bar, passed))
    return checks


def hidden(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Two pairs that can't hear each other: the sum within 1 %, and the sorted shares."""
    return _each(samples, "sum", sum, 0.01, widening) + shares(samples, widening)


def shares(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Two competing flows: the larger and the smaller of a run within 2.5 standard errors."""
    checks = []
    for sample in samples:
        for figure, pick in (("larger flow", max), ("smaller flow", min)):
            ours = [float(pick(run)) for run in sample.delivered]
            theirs = [float(pick(run)) for run in sample.case.delivered]
            checks.append(_errors(sample.case.name, figure, ours, theirs, 2.5 + widening))
    return checks


def chain(samples: Sequence[Sample], widening: float) -> list[Check]:
    """One TCP flow over a chain: segments within 5 %, or 2 s.e.; counters a segment within 10 %."""
    return _chain(samples, widening, lambda segments: [max(n, 1) for n in segments])


def halting_chain(samples: Sequence[Sample], widening: float) -> list[Check]:
    """The same of runs of which some deliver next to nothing: counters by the mean of segments."""
    return _chain(samples, widening, lambda segments: [float(np.mean(segments))] * len(segments))


def _chain(
    samples: Sequence[Sample],
    widening: float,
    divisors: Callable[[Sequence[float]], Sequence[float]],
) -> list[Check]:
    checks = []
    for sample in samples:
        ours, theirs = _sums(sample.delivered), _sums(sample.case.delivered)
        allowed = 2.0 + widening
        name = sample.case.name
        checks.append(relative_or_errors(name, "acked segments", ours, theirs, 0.05, allowed))
        if not sample.case.figures:
            continue
        own = [result_figures(result) for result in sample.ours]
        for figure in COUNTERS:
            ours_each, theirs_each = (
                [run[figure] / n for run, n in zip(runs, divisors(segments), strict=True)]
                for runs, segments in ((own, ours), (sample.case.figures, theirs))
            )
            label = f"{figure} a segment"
            checks.append(_relative(name, label, ours_each, theirs_each, 0.10, 2 * widening))
    return checks


def networks(samples: Sequence[Sample], widening: float) -> list[Check]:
    """Random networks: grand total within 5 %, totals correlated, flows equally distributed."""
    name = f"{samples[0].case.name.rsplit('-', 1)[0]}, {len(samples)} networks"
    ours = [_sums(sample.delivered) for sample in samples]
    theirs = [_sums(sample.case.delivered) for sample in samples]
    own_totals, totals = ([float(np.mean(runs)) for runs in side] for side in (ours, theirs))
    difference = sum(own_totals) / sum(totals) - 1
    error = math.hypot(*map(standard_error, ours + theirs)) / sum(totals)
    bar = 0.05 + (widening * error if widening else 0.0)
    checks = [
        Check(
            name,
            "grand total, segments",
            f"{sum(own_totals):.0f}",
            f"{sum(totals):.0f}",
            f"{difference:+.1%}",
            f"{bar:.1%}",
            abs(difference) <= bar,
        )
    ]
    if len(samples) >= 5:
        r = correlation(own_totals, totals)
        text = f"r = {r:.3f}"
        checks.append(Check(name, "totals by network", "", "", text, "r ≥ 0.97", r >= 0.97))
    p = same_distribution_p(
        _flow_means([sample.delivered for sample in samples]),
        _flow_means([sample.case.delivered for sample in samples]),
    )
    checks.append(Check(name, "segments by flow", "", "", f"KS p = {p:.2f}", "p > 0.05", p > 0.05))
    return checks


def movements(bar: float, least_correlation: float) -> Rule:
    """One flow in moving networks: the mean over movements, totals by movement, routing packets."""

    def judge(samples: Sequence[Sample], widening: float) -> list[Check]:
        name = f"{samples[0].case.name.rsplit('-', 1)[0]}, {len(samples)} movements"
        ours = [_sums(sample.delivered) for sample in samples]
        theirs = [_sums(sample.case.delivered) for sample in samples]
        own_means, means = ([float(np.mean(runs)) for runs in side] for side in (ours, theirs))
        difference = float(np.mean(own_means)) / float(np.mean(means)) - 1
        error = math.hypot(*map(standard_error, ours + theirs)) / sum(means)
        allowed = bar + (widening * error if widening else 0.0)
        checks = [
            Check(
                name,
                "mean segments",
                f"{np.mean(own_means):.0f}",
                f"{np.mean(means):.0f}",
                f"{difference:+.1%}",
                f"{allowed:.1%}",
                abs(difference) <= allowed,
            )
        ]
        if len(samples) >= 8:
            r = correlation(own_means, means)
            text, least = f"r = {r:.3f}", f"r ≥ {least_correlation:g}"
            passed = r >= least_correlation
            checks.append(Check(name, "means by movement", "", "", text, least, passed))
        own = [[result_figures(run)["routing packets"] for run in s.ours] for s in samples]
        traced = [[run["routing packets"] for run in s.case.figures] for s in samples]
        own_rate, rate = (
            float(np.sum(counts)) / float(np.sum(segments))
            for counts, segments in ((own, ours), (traced, theirs))
        )
        difference = own_rate / rate - 1
        checks.append(
            Check(
                name,
                "routing packets a segment",
                f"{own_rate:.3f}",
                f"{rate:.3f}",
                f"{difference:+.1%}",
                f"{0.15 + allowed - bar:.1%}",
                abs(difference) <= 0.15 + allowed - bar,
            )
        )
        return checks

    return judge


def _each(
    samples: Sequence[Sample],
    figure: str,
    pick: Callable[[list[int]], int],
    bar: float,
    widening: float,
) -> list[Check]:
    return [
        _relative(
            sample.case.name,
            figure,
            [float(pick(run)) for run in sample.delivered],
            [float(pick(run)) for run in sample.case.delivered],
            bar,
            widening,
        )
        for sample in samples
    ]


def _relative(
    case: str,
    figure: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    bar: float,
    widening: float,
) -> Check:
    difference = relative_difference(ours, theirs)
    if widening and np.mean(theirs) > 0:
        bar += widening * _error(ours, theirs) / float(np.mean(theirs))
    passed = abs(difference) <= bar
    return _check(case, figure, ours, theirs, f"{difference:+.1%}", f"{bar:.1%}", passed)


def _errors(
    case: str, figure: str, ours: Sequence[float], theirs: Sequence[float], allowed: float
) -> Check:
    errors = difference_in_errors(ours, theirs)
    passed = abs(errors) <= allowed
    return _check(case, figure, ours, theirs, f"{errors:+.1f} s.e.", f"{allowed:g} s.e.", passed)


def relative_or_errors(
    case: str,
    figure: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    bar: float,
    allowed: float,
) -> Check:
    """Within `bar` of theirs, or within so many standard errors."""
    difference, errors = relative_difference(ours, theirs), difference_in_errors(ours, theirs)
    passed = abs(difference) <= bar or abs(errors) <= allowed
    text = f"{difference:+.1%} ({errors:+.1f} s.e.)"
    return _check(case, figure, ours, theirs, text, f"{bar:.0%} or {allowed:g} s.e.", passed)


def _check(
    case: str,
    figure: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    difference: str,
    bar: str,
    passed: bool,
) -> Check:
    return Check(case, figure, _text(ours), _text(theirs), difference, bar, passed)


def _text(values: Sequence[float]) -> str:
    interval = mean_interval(values)
    digits = 0 if interval.value >= 100 else 3
    if math.isnan(interval.half_width):
        return f"{interval.value:.{digits}f}"
    return f"{interval.value:.{digits}f} ± {interval.half_width:.{digits}f}"


def _error(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Standard error of the difference; a side with a single run adds nothing."""
    return math.hypot(*(standard_error(side) for side in (ours, theirs) if len(side) > 1))


def _sums(runs: Sequence[Sequence[int]]) -> list[float]:
    return [float(sum(run)) for run in runs]


def _unstarved(runs: Sequence[Sequence[int]]) -> list[float]:
    return [float(sum(r)) for r in runs if min(r) >= STARVED_SHARE * sum(r) / len(r)]


def _flow_means(networks: Sequence[Sequence[Sequence[int]]]) -> list[float]:
    """Mean over runs of every flow of every network."""
    return [float(mean) for runs in networks for mean in np.mean(runs, axis=0)]
