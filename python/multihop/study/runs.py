"""The finished runs of a study as Polars frames, and samples of their metrics."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import polars as pl

from multihop import renamed
from multihop.metrics import (
    METRICS,
    BaselineMetric,
    baseline_metrics,
    bound_metrics,
    flow_metrics,
    run_metrics,
)
from multihop.metrics.names import MetricName
from multihop.result_types import RunResult
from multihop.statistics import Estimate
from multihop.study import estimates
from multihop.study.columns import metric_names
from multihop.study.definition import Definition
from multihop.study.document import READING, Precision, Ranking
from multihop.study.estimates import Sample
from multihop.study.plan import Cell
from multihop.study.samples import gaps_of, sample_of
from multihop.study.store import Store


class StudyRuns:
    """The finished runs of a study.

    `flows` has one row a flow of each run: scheme, network (the seed), reading (if any scheme is
    under one), the axes, flow, source, destination, hops (of a shortest path at the start),
    least_hops (of the shortest at any second of the run), n_flows and every metric of flows.
    `runs` has one row a run with every metric of runs.
    """

    def __init__(
        self,
        study: Definition,
        which: str,
        cells: Sequence[Cell],
        cell_seeds: Sequence[Sequence[int]],
        store: Store,
        precision: Sequence[Precision] = (),
        selections: Sequence[Ranking] = (),
    ) -> None:
        self.study = study
        self.which = which
        self.cells = cells
        self.cell_seeds = cell_seeds
        """The networks of each cell, in the order of `cells`."""
        self.precision = precision
        """What the cells' intervals are held to."""
        self.selections = selections
        """The rankings whose best is selected, which add networks."""
        self._store = store
        self._read: dict[tuple[int, int], tuple[dict[str, Any], list[dict[str, Any]]]] = {}
        """Rows of the runs read so far, by place of the cell and seed."""

    @cached_property
    def readings(self) -> dict[str, str]:
        """The reading of each scheme that is under one; empty where readings are an axis."""
        if READING in self.study.table.axes:
            return {}
        return {cell.scheme: cell.reading for cell in self.cells if cell.reading is not None}

    def take_over(self, earlier: StudyRuns) -> None:
        """Do without reading again what earlier results of the same cells have read."""
        self._read = earlier._read

    @property
    def seeds(self) -> list[int]:
        """The networks on which any cell runs."""
        return sorted({seed for seeds in self.cell_seeds for seed in seeds})

    @property
    def work(self) -> list[tuple[Cell, int]]:
        """Every run that the study asks for, as cell and seed.

        Network by network, so that what is done at any moment can be compared.
        """
        ran = zip(self.cells, self.cell_seeds, strict=True)
        runs = [(cell, seed) for cell, seeds in ran for seed in seeds]
        return sorted(runs, key=lambda run: run[1])

    @cached_property
    def _rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        for number, (cell, seeds) in enumerate(zip(self.cells, self.cell_seeds, strict=True)):
            keys = {cell.key(seed): seed for seed in seeds if (number, seed) not in self._read}
            for key, result in self._store.results(keys):
                read = {READING: cell.reading} if self.readings else {}
                self._read[number, keys[key]] = rows_of(cell, keys[key], result, read)
        flows, runs = [], []
        for number, seeds in enumerate(self.cell_seeds):
            for seed in seeds:
                run, of_run = self._read.get((number, seed), (None, []))
                runs += [] if run is None else [run]
                flows += of_run
        return flows, runs

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row a flow."""
        frame = pl.DataFrame(self._rows[0], infer_schema_length=None)
        if frame.is_empty():
            return frame
        return frame.with_columns(
            self._over_baseline(frame, metric) for metric in baseline_metrics()
        )

    def _over_baseline(self, frame: pl.DataFrame, metric: BaselineMetric) -> pl.Series:
        """A metric over the baseline's on the same network; null where the baseline's is 0."""
        table = self.study.table
        if table.baseline is None:
            return pl.Series(metric.name, [None] * frame.height, dtype=pl.Float64)
        axes = [axis for axis in table.axes if table.axes[axis].varies(table.baseline)]
        keys = ["network", "flow", *axes]
        theirs = frame.filter(pl.col("scheme") == table.baseline)
        theirs = theirs.unique(keys).select(*keys, pl.col(metric.ratio_of).alias("theirs"))
        both = frame.join(theirs, on=keys, how="left", maintain_order="left")
        ratio = pl.when(pl.col("theirs") > 0).then(pl.col(metric.ratio_of) / pl.col("theirs"))
        return both.select(ratio.alias(metric.name))[metric.name]

    @cached_property
    def runs(self) -> pl.DataFrame:
        """One row a run."""
        frame = pl.DataFrame(self._rows[1], infer_schema_length=None)
        if frame.is_empty():
            return frame
        named = {name for _, name in metric_names(self.study.table)}
        shares = pl.Series([None] * frame.height, dtype=pl.Float64)
        if any(metric.name in named for metric in bound_metrics()):
            from multihop.bound.share import share_of_bound  # SciPy takes 0.5 s to import

            file = self._store.folder / "bounds.json"
            shares = pl.Series(
                [share_of_bound(result, file) for _, _, result in self.results()],
                dtype=pl.Float64,
            )
        return frame.with_columns(shares.alias(metric.name) for metric in bound_metrics())

    def results(self) -> Iterable[tuple[Cell, int, RunResult]]:
        """Every finished run as cell, seed and JSON, in the order of cells and seeds."""
        for cell, seeds in zip(self.cells, self.cell_seeds, strict=True):
            keys = {cell.key(seed): seed for seed in seeds}
            found = dict(self._store.results(keys))
            for key, seed in keys.items():
                if key in found:
                    yield cell, seed, found[key]

    def series(self, which: str = "flows", network: int | None = None) -> pl.DataFrame:
        """The recorded series of all runs or of one network: scheme, network, axes, columns."""
        frames = []
        for cell, seeds in zip(self.cells, self.cell_seeds, strict=True):
            keys = {cell.key(seed): seed for seed in (seeds if network is None else [network])}
            for key, found in self._store.series(keys, which):
                about = {"scheme": cell.scheme, "network": keys[key], **dict(cell.point)}
                labels = [pl.lit(value).alias(name) for name, value in about.items()]
                frames.append(found.select(*labels, pl.all()))
        return pl.concat(frames, how="diagonal") if frames else pl.DataFrame()

    @property
    def failures(self) -> dict[tuple[str, int], str]:
        """Error of each failed run, by cell and seed; reading what is stored finds damaged ones."""
        _ = self._rows
        named = {cell.key(seed): (cell.name, seed) for cell, seed in self.work}
        errors = self._store.errors(named)
        return {named[key]: error for key, error in errors.items()}

    @cached_property
    def failed(self) -> list[frozenset[int]]:
        """The networks on which each cell's run failed, in the order of `cells`."""
        found: dict[str, set[int]] = {}
        for name, network in self.failures:
            found.setdefault(name, set()).add(network)
        return [frozenset(found.get(cell.name, ())) for cell in self.cells]

    @cached_property
    def settled(self) -> list[frozenset[int]]:
        """The networks on which each cell's run has finished or failed, in the order of `cells`."""
        axes = list(self.study.table.axes)
        found: dict[tuple[Any, ...], set[int]] = {}
        if not self.runs.is_empty():
            for *cell, network in self.runs.select("scheme", *axes, "network").iter_rows():
                found.setdefault(tuple(cell), set()).add(network)
        return [
            failed | found.get((cell.scheme, *(label for _, label in cell.point)), set())
            for cell, failed in zip(self.cells, self.failed, strict=True)
        ]

    @property
    def finished(self) -> int:
        """How many runs have finished."""
        return self.runs.height

    @property
    def planned(self) -> int:
        """How many runs the study asks for."""
        return sum(len(seeds) for seeds in self.cell_seeds)

    @property
    def simulation_s(self) -> float:
        """Time that the runs took on one core [s]."""
        return self._store.wall_s(cell.key(seed) for cell, seed in self.work)

    @property
    def scheme_names(self) -> list[str]:
        """The schemes that the study compares."""
        return [table.name for table in self.study.table.scheme_tables]

    def frame(self, metric: str) -> pl.DataFrame:
        """The frame that has `metric`: flows or runs.

        Raises:
            KeyError: there is no such metric; names those that there are.
        """
        metric = renamed.metric(metric)
        _known("metric", metric, METRICS)
        return self.flows if METRICS[metric].level == "flow" else self.runs

    def sample(
        self, metric: str, scheme: str | None = None, where: str | pl.Expr | None = None
    ) -> Sample:
        """Sums of a metric by network, over the rows of `scheme` that fulfil `where`.

        A network in which no row has the metric contributes nothing. Of several points together
        only the networks count on which all of them ran.

        Raises:
            KeyError: the study has no such scheme, or there is no such metric; names those that
                there are.
        """
        if scheme is not None:
            _known("scheme", scheme, self.scheme_names)
        metric = renamed.metric(metric)
        if isinstance(where, str):
            labels = [label for axis in self.study.table.axes.values() for label in axis.labels]
            where = renamed.condition(where, labels)
        frame = self.frame(metric)
        return sample_of(frame, metric, scheme, where, gaps=self.gaps(metric, []))

    def mean(
        self, metric: MetricName | str, scheme: str, where: str | pl.Expr | None = None
    ) -> Estimate:
        """Mean of a metric for a scheme."""
        return estimates.mean(self.sample(metric, scheme, where))

    def ratio(
        self, metric: MetricName | str, scheme: str, to: str, where: str | pl.Expr | None = None
    ) -> Estimate:
        """Ratio of a scheme's mean to another's on the same networks."""
        ours, theirs = self.sample(metric, scheme, where), self.sample(metric, to, where)
        return estimates.ratio(ours, theirs)

    def difference(
        self, metric: MetricName | str, scheme: str, to: str, where: str | pl.Expr | None = None
    ) -> Estimate:
        """Difference of a scheme's mean and another's on the same networks."""
        ours, theirs = self.sample(metric, scheme, where), self.sample(metric, to, where)
        return estimates.difference(ours, theirs)

    def ran_at(self, scheme: str, point: Mapping[str, Any]) -> dict[str, Any]:
        """Where a scheme ran for `point`: at the defaults of the axes that do not vary it."""
        axes = self.study.table.axes
        return {
            name: axes[name].default if name in axes and not axes[name].varies(scheme) else value
            for name, value in point.items()
        }

    def everywhere(self, metric: str) -> pl.DataFrame:
        """As `frame`; a scheme that ran at an axis's default only is shown at all its values."""
        return self.spread(self.frame(metric), self.study.table.axes)

    def gaps(self, metric: str, axes: Iterable[str] | None = None) -> pl.DataFrame:
        """The networks of the study on which a cell lacks `metric`, since a run is missing.

        Columns: scheme, the axes, network. For frames spread over `axes`, by default all.
        """
        table = self.study.table
        against = table.baseline if isinstance(METRICS[metric], BaselineMetric) else None
        asked = (against, tuple(table.axes if axes is None else axes))
        if asked not in self._gaps:
            self._gaps[asked] = self._gaps_of(*asked)
        return self._gaps[asked]

    @cached_property
    def _gaps(self) -> dict[tuple[str | None, tuple[str, ...]], pl.DataFrame]:
        return {}

    def _gaps_of(self, against: str | None, axes: Iterable[str]) -> pl.DataFrame:
        """The gaps, spread over `axes`, with those of the scheme that all are set against."""
        table, runs = self.study.table, self.runs
        if runs.is_empty():
            return pl.DataFrame(schema={"scheme": pl.String, "network": pl.Int64})
        networks = runs["network"]
        if against is not None:
            theirs = runs.filter(pl.col("scheme") == against)
            shared = [axis for axis in table.axes if table.axes[axis].varies(against)]
            runs = runs.join(theirs, on=["network", *shared], how="semi", nulls_equal=True)
        return gaps_of(self.spread(runs, axes), ["scheme", *table.axes], networks)

    def spread(self, frame: pl.DataFrame, axes: Iterable[str]) -> pl.DataFrame:
        """`frame` with the rows of schemes that ran at an axis's default only at all its values."""
        for name in axes:
            axis = self.study.table.axes[name]
            varied = pl.col("scheme").is_in(axis.schemes or frame["scheme"].unique().to_list())
            labels = frame.select(name).unique(maintain_order=True)
            fixed = frame.filter(~varied).drop(name).join(labels, how="cross")
            frame = pl.concat([frame.filter(varied), fixed.select(frame.columns)])
        return frame

    def values(self, frame: pl.DataFrame, column: str) -> list[Any]:
        """Values that a column of `frame` has, those of an axis in its order, others sorted."""
        found = frame[column].drop_nulls().unique().to_list()
        axis = self.study.table.axes.get(column)
        if axis is None:
            return sorted(found)
        return [label for label in axis.labels if label in found]


def rows_of(
    cell: Cell, seed: int, result: RunResult, read: Mapping[str, str | None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The row of a run, and those of its flows."""
    about: dict[str, Any] = {"scheme": cell.scheme, "network": seed, **read, **dict(cell.point)}
    about["n_flows"] = about.get("n_flows", len(result["flows"]))
    flows, of_flows = [], flow_metrics()
    for flow in result["flows"]:
        ends = {
            "flow": flow["id"],
            "kind": flow["kind"],
            **({"name": flow["name"]} if "name" in flow else {}),
            "source": flow["source"],
            "destination": flow["destination"],
            "hops": about.get("hops", flow["shortest_hops"]),
            "least_hops": flow["least_hops"],
        }
        values = {metric.name: metric.of(result, flow) for metric in of_flows}
        flows.append(about | ends | values)
    return about | {metric.name: metric.of(result) for metric in run_metrics()}, flows


def _known(what: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise KeyError(f"no {what} {name!r}; {hint}there are {', '.join(names)}")
