"""The quantity a claim is about: means of a metric in a study's results, and functions of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from multihop.errors import PaperError
from multihop.reproduction import derived
from multihop.reproduction.ledger import Claim
from multihop.reproduction.ownership import StudyOwner, reduction, translated
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.estimates import Sample
from multihop.study.results import StudyResults
from multihop.study.samples import equals, sample_of
from multihop.study.selector import parse

Means = list[Any]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A function of the means of samples; plain where it is the mean of one sample."""

    samples: tuple[Sample, ...]
    of: Callable[[Means], Any] | None = None

    def at(self, means: Means) -> Any:
        """The quantity where the samples have these means."""
        return means[0] if self.of is None else self.of(means)

    @property
    def value(self) -> float:
        """The quantity itself; NaN where a sample is empty."""
        return float(paired_values([self])[0])

    @property
    def flows(self) -> int:
        """Flows (or runs) of the smallest sample."""
        return min(sample.flows for sample in self.samples)

    @property
    def networks(self) -> list[int]:
        """The networks with any flow of the kind on which all samples ran."""
        lacking = {network for sample in self.samples for network in sample.lacks}
        return sorted({one for sample in self.samples for one in sample.networks} - lacking)

    def estimate(self) -> Estimate:
        """The quantity with its interval."""
        if self.of is None:
            return estimates.mean(self.samples[0])
        if self.of is _quotient:
            return estimates.ratio(*self.samples)
        return estimates.combination(self.samples, self.at)


def combined(quantities: Sequence[Quantity], function: Callable[[list[Any]], Any]) -> Quantity:
    """A function of several quantities."""
    ends = np.cumsum([len(quantity.samples) for quantity in quantities]).tolist()
    spans = list(zip([0, *ends[:-1]], ends, strict=True))

    def of(means: Means) -> Any:
        parts = zip(quantities, spans, strict=True)
        return function([quantity.at(means[first:end]) for quantity, (first, end) in parts])

    return Quantity(tuple(s for quantity in quantities for s in quantity.samples), of)


def paired_values(quantities: Sequence[Quantity]) -> list[Any]:
    """The quantities, each on the networks that they all have."""
    whole = combined(quantities, list)
    with np.errstate(all="ignore"):
        means = [np.float64(sample.mean) for sample in estimates.paired(whole.samples)]
        return list(whole.at(means))


def ratio(ours: Quantity, theirs: Quantity) -> Quantity:
    """One quantity over the other."""
    if ours.of is None and theirs.of is None:
        return Quantity((*ours.samples, *theirs.samples), _quotient)
    return combined([ours, theirs], _quotient)


def difference(ours: Quantity, theirs: Quantity) -> Estimate:
    """One quantity less the other, paired by network."""
    if ours.of is None and theirs.of is None:
        return estimates.difference(ours.samples[0], theirs.samples[0])
    return combined([ours, theirs], lambda both: both[0] - both[1]).estimate()


class Evidence:
    """What a claim is judged by: its quantity at any scheme and condition."""

    def __init__(
        self, claim: Claim, owner: StudyOwner, results: Mapping[str, StudyResults]
    ) -> None:
        self.claim = claim
        self.owner = owner
        self._results = results
        self._frames: dict[str, pl.DataFrame] = {}
        self._gaps: dict[str, pl.DataFrame] = {}
        self._within = pl.lit(True)

    def under(self, condition: pl.Expr) -> Evidence:
        """The same, of the rows that fulfil the condition."""
        narrowed = copy.copy(self)
        narrowed._within = self._within & condition
        return narrowed

    def measured_by(self, metric: str) -> Evidence:
        """The same, of another metric."""
        other = copy.copy(self)
        other.owner = self.owner.model_copy(update={"metric": metric})
        return other

    def own(self, name: str) -> Any:
        """A key of the expectation, as the owner translates it."""
        return translated(self.claim.expect, self.owner, name)

    @property
    def schemes(self) -> list[str]:
        """The schemes compared, without the one that the quantity is relative to."""
        return [name for name in self.claim.compare if name != self.owner.relative_to]

    def shown(self, scheme: str) -> str:
        """The study's name of a scheme."""
        return self.owner.schemes.get(scheme, scheme)

    def frame(self, metric: str | None = None) -> pl.DataFrame:
        """Flows or runs of all the owner's studies, whichever has the metric."""
        name = metric or self.owner.metric
        if name not in self._frames:
            frames = [self._frame(study, name) for study in self.owner.studies]
            self._frames[name] = pl.concat(frames, how="diagonal_relaxed")
        return self._frames[name]

    def gaps(self, metric: str) -> pl.DataFrame:
        """The networks that cells of the owner's studies lack, each of those of its own study."""
        if metric not in self._gaps:
            found = [
                self._results[study].gaps(metric).with_columns(pl.lit(study).alias("study"))
                for study in self.owner.studies
            ]
            self._gaps[metric] = pl.concat(found, how="diagonal_relaxed")
        return self._gaps[metric]

    def _frame(self, study: str, metric: str) -> pl.DataFrame:
        """The rows of one study that the claim is about."""
        frame = self._results[study].everywhere(metric).with_columns(pl.lit(study).alias("study"))
        return frame.filter(parse(self.owner.within.get(study), frame.columns))

    def where(self, words: str | None) -> pl.Expr:
        """The condition that the ledger's words stand for."""
        return parse(self.owner.selector_of(words), self.frame().columns)

    def is_condition(self, words: str) -> bool:
        """Whether the owner gives a selector for these words."""
        return words in self.owner.conditions

    def values(self, column: str, where: pl.Expr) -> list[Any]:
        """Values of a column under a condition, in order, of those with enough flows for all."""
        counts = (
            self.rows(where & pl.col(column).is_not_null())
            .group_by(column, "scheme")
            .len()
            .group_by(column)
            .agg(pl.col("len").min())
        )
        enough = counts.filter(pl.col("len") >= self.owner.least_flows)
        return enough[column].sort().to_list()

    def points(self, columns: list[str], where: pl.Expr) -> list[dict[str, Any]]:
        """The values that columns have together under a condition, in order."""
        return self.rows(where).select(columns).unique().sort(columns).to_dicts()

    def rows(self, where: pl.Expr) -> pl.DataFrame:
        """Flows (or runs) of the schemes compared under a condition."""
        schemes = [self.shown(name) for name in self.claim.compare]
        return self.frame().filter(self._within & where & pl.col("scheme").is_in(schemes))

    def quantity(self, scheme: str, where: pl.Expr) -> Quantity:
        """The claim's quantity for a scheme under a condition."""
        if self.owner.derived is not None:
            return self._derived(scheme, where)
        how, columns = reduction(self.own("reduce"))
        if not columns:
            return self._plain(scheme, where)
        points = self.points(columns, where)
        parts = [self._plain(scheme, where & equals(point)) for point in points]
        return self._reduced(how, parts, where)

    def ratio(self, scheme: str, to: str, where: pl.Expr) -> Quantity:
        """Ratio of the quantity for two schemes; reduced as a whole, not each by itself."""
        how, columns = reduction(self.own("reduce"))
        parts = []
        for point in self.points(columns, where) if columns else [{}]:
            here = where & equals(point)
            parts.append(ratio(self._plain(scheme, here), self._plain(to, here)))
        return self._reduced(how, parts, where) if columns else parts[0]

    def runs(self) -> list[tuple[Any, ...]]:
        """The runs that the claim is judged by, each as study, scheme and network."""
        schemes = {
            self.shown(name)
            for name in [*self.claim.compare, self.owner.relative_to]
            if name is not None
        }
        return [
            (study, row["scheme"], row["network"])
            for study in self.owner.studies
            for row in self._results[study].runs.select("scheme", "network").iter_rows(named=True)
            if row["scheme"] in schemes
        ]

    def _reduced(self, how: str, parts: list[Quantity], where: pl.Expr) -> Quantity:
        full = [part for part in parts if np.isfinite(part.value)]
        if not full:
            return self._nothing(where)
        function = _REDUCTIONS[how]
        return combined(full, lambda values: function(np.stack(values), axis=0))

    def _nothing(self, where: pl.Expr) -> Quantity:
        """The quantity of no flow (or run), which decides nothing."""
        return Quantity((sample_of(self.frame(), self.owner.metric, where=where & False),))

    def _derived(self, scheme: str, where: pl.Expr) -> Quantity:
        against, how = self.owner.against, self.owner.derived or ""
        if how == "change":
            parts = [self._plain(scheme, where), self._plain(scheme, self.where(against))]
            return combined(parts, lambda both: derived.change(*both))
        if how == "gain_share":
            parts = [self._plain(name, where) for name in (scheme, against or scheme)]
            return combined(parts, lambda both: derived.gain_share(*both))
        x = self.own("x")
        if how in ("falls", "share_of_best"):
            columns = [x] if isinstance(x, str) else x
            points = self.points(columns, where)
            parts = [self._plain(scheme, where & equals(point)) for point in points]
        if how == "share_of_best":
            # A column that a study does not vary is as the setting has it.
            setting = self.where(against).fill_null(value=True)
            chosen = self.points(columns, where & setting)
            if len(chosen) != 1:
                raise PaperError(f"{against!r} is {len(chosen)} of {len(points)} settings")
            place = points.index(chosen[0])
            return combined(parts, lambda means: derived.share_of_best(means, place))
        if how == "falls" and len(parts) < 2:
            return self._nothing(where)
        if how == "falls":
            places = [tuple(point.values()) for point in points]
            return combined(parts, lambda means: derived.falls(places, means))
        values = self.values(x, where)
        if len(values) < 2:  # one value of x has no shape
            return self._nothing(where)
        parts = [self._plain(scheme, where & (pl.col(x) == value)) for value in values]
        function = _BY_X[how]
        return combined(parts, lambda means: function(values, means))

    def _plain(self, scheme: str, where: pl.Expr) -> Quantity:
        found = self._relative(scheme, where)
        if self.owner.relative_at is not None:
            found = ratio(found, self._relative(scheme, self.where(self.owner.relative_at)))
        return found

    def _relative(self, scheme: str, where: pl.Expr) -> Quantity:
        found = self._scaled(scheme, where)
        if self.owner.relative_to is not None:
            found = ratio(found, self._scaled(self.owner.relative_to, where))
        return found

    def _scaled(self, scheme: str, where: pl.Expr) -> Quantity:
        found = self._mean(self.owner.metric, scheme, where)
        if self.owner.divide_by is not None:
            found = ratio(found, self._mean(self.owner.divide_by, scheme, where))
        if self.owner.factor != 1.0:
            factor = self.owner.factor
            found = combined([found], lambda values: values[0] * factor)
        return found

    def _mean(self, metric: str, scheme: str, where: pl.Expr) -> Quantity:
        name = self.shown(scheme)
        condition = self._within & where & (pl.col("scheme") == name)
        gaps = self.gaps(metric)
        return Quantity((sample_of(self.frame(metric), metric, where=condition, gaps=gaps),))


def _geometric_mean(values: Any, axis: int) -> Any:
    with np.errstate(divide="ignore"):
        return np.exp(np.nanmean(np.log(values), axis=axis))


_BY_X: dict[str, Callable[[Sequence[float], Sequence[Any]], Any]] = {
    "crossing": derived.crossing,
    "loss_per_step": derived.loss_per_step,
    "settles": derived.settles,
}

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "max": np.nanmax,
    "mean": np.nanmean,
    "geometric mean": _geometric_mean,
}


def _quotient(both: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return np.where(both[1] != 0.0, np.divide(both[0], both[1]), np.nan)
