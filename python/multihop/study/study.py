"""A study: read, checked, run and opened again."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from multihop._engine import ScenarioError
from multihop.scenario import ScenarioSource
from multihop.study import estimates
from multihop.study.document import StudyTable, fault_of, resolve_path
from multihop.study.execution import DaskExecutor, Executor, LocalExecutor, Tally, run_cells
from multihop.study.folder import Asked, read_asked, write_folder
from multihop.study.lines import line_of, syntax_fault
from multihop.study.metrics import METRICS, SERIES
from multihop.study.plan import Cell, SettingError, cells
from multihop.study.results import StudyResults, equals
from multihop.study.selector import SelectorError, parse
from multihop.study.store import Outcome, Store

SCALES = ("quick", "full")

TAKEN = ("scheme", "network", "flow", "kind", "source", "destination", "metric", "value")
"""Columns of the results that no axis may be named after."""

LARGEST_GAP = 20
"""So many networks on end may lack all runs, because parts of the work are still to be done."""


class StudyError(ScenarioError):
    """A study that can't be run; the message is one line and begins with the key at fault."""


class Study:
    """Schemes compared over a base scenario, varied and repeated.

    Takes the tables of a study file as keyword arguments, as `multihop.Study(title=...,
    schemes=[...], ...)`; `Study.read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    def __init__(self, *, folder: str | Path = ".", **tables: Any) -> None:
        self.folder = Path(folder)
        self._file: tuple[Path, str] | None = None
        self._tables = tables
        try:
            self.table = StudyTable.model_validate(tables)
        except ValidationError as error:
            raise StudyError(fault_of(error)) from None
        for where, name in self._metric_names():
            if name not in METRICS:
                listed = ", ".join(METRICS)
                raise StudyError(f"{where}: unknown metric {name!r}; there are {listed}")
        self._check_columns()

    @staticmethod
    def read(file: str | Path) -> Study:
        """Read a study file; paths in it are relative to it."""
        path = Path(file)
        text = ""
        try:
            text = path.read_text(encoding="utf-8")
            tables = tomllib.loads(text)
            if "folder" in tables:
                raise StudyError("folder: unknown key")
            found = Study(folder=path.parent, **tables)
        except tomllib.TOMLDecodeError as error:
            raise StudyError(f"{path}: {syntax_fault(error)}") from None
        except UnicodeDecodeError as error:
            raise StudyError(f"{path}: not UTF-8 text (byte {error.start})") from None
        except StudyError as error:
            raise _placed(error, path, text) from None
        found._file = (path, text)
        return found

    @property
    def title(self) -> str:
        """What the study is called."""
        return self.table.title

    @property
    def tables(self) -> dict[str, Any]:
        """The tables as they were given."""
        return dict(self._tables)

    @property
    def source(self) -> ScenarioSource:
        """The base scenario."""
        if isinstance(self.table.scenario, str):
            return resolve_path(self.table.scenario, self.folder)
        return self.table.scenario

    def cells(self, scale: str = "full") -> list[Cell]:
        """Every scheme at every point of the axes; all scenarios are checked."""
        which = _known_scale(scale)
        try:
            return cells(self.table, self.source, which)
        except SettingError as error:
            fault = StudyError(f"{error.key}: {error}")
        except ScenarioError as error:
            fault = StudyError(self._scenario_fault(str(error)))
        except OSError as error:
            fault = StudyError(f"scenario: {error.filename}: {error.strerror}")
        raise _placed(fault, *self._file) if self._file else fault

    def networks(self, scale: str) -> int:
        """How many networks to begin with."""
        table = self.table.scale
        return (table.quick if _known_scale(scale) == "quick" else table.full).networks

    def run(
        self,
        out: str | Path,
        *,
        scale: str = "full",
        networks: int | None = None,
        store: str | Path | None = None,
        executor: str = "local",
        workers: int | None = None,
        shard: tuple[int, int] | None = None,
        started: Callable[[int, int], object] | None = None,
        finished: Callable[[Outcome], object] | None = None,
    ) -> StudyResults:
        """Do what the store does not have yet, and give all results.

        Args:
            out: folder of the study; made where absent.
            scale: `quick` or `full`.
            networks: number of networks, in place of the scale's.
            store: folder of the store; `out/store` where absent. Studies may share one.
            executor: `local`, or `dask:ADDRESS`.
            workers: runs at a time of the local executor; all cores where absent.
            shard: (i, n) does the i-th of n parts only, i from 1.
            started: called with the numbers of runs planned and to do, each time there are more.
            finished: called with each outcome.
        """
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        planned = self.cells(scale)
        self._describe(
            folder, Asked(scale, networks, str(Path(store).resolve()) if store else None)
        )
        seeds = self._seeds(networks or self.networks(scale))
        ledger = Store(Path(store) if store else folder / "store")
        while True:
            self._do(planned, seeds, ledger, _executor(executor, workers), shard, started, finished)
            results = StudyResults(self, scale, planned, seeds, ledger)
            more = self._more_networks(results) if shard is None and networks is None else 0
            if not more:
                return results
            seeds = self._seeds(len(seeds) + more)

    def open(
        self, out: str | Path, *, scale: str | None = None, store: str | Path | None = None
    ) -> StudyResults:
        """The results so far of earlier calls of `run`; runs nothing.

        Covers the networks that the last one asked for and any further that the store has. `scale`
        and `store` are those of the last call where absent.
        """
        asked = read_asked(Path(out))
        folder = Path(store or asked.store or Path(out) / "store")
        if not (folder / "ledger.sqlite").is_file():
            raise StudyError(f"{folder}: has no ledger; run the study first")
        chosen = scale or asked.scale
        planned, ledger = self.cells(chosen), Store(folder)
        networks = asked.networks if chosen == asked.scale else None
        seeds = self._seeds(networks or self.networks(chosen))
        return StudyResults(self, chosen, planned, _with_further(seeds, planned, ledger), ledger)

    def _do(
        self,
        planned: Sequence[Cell],
        seeds: Sequence[int],
        store: Store,
        executor: Executor,
        shard: tuple[int, int] | None,
        started: Callable[[int, int], object] | None,
        finished: Callable[[Outcome], object] | None,
    ) -> Tally:
        # Network by network, so that what is there at any moment is fit for comparison.
        work = [(cell, seed) for seed in seeds for cell in planned]
        if shard is not None:
            part, parts = shard
            work = work[part - 1 :: parts]
        states = store.states(cell.key(seed) for cell, seed in work)
        to_do = [(cell, seed) for cell, seed in work if states.get(cell.key(seed)) != "done"]
        if started is not None:
            started(len(work), len(to_do))
        return run_cells(to_do, store, executor, finished or (lambda _outcome: None))

    def _scenario_fault(self, message: str) -> str:
        """What the engine says of the base scenario, as a fault of the study."""
        if isinstance(self.table.scenario, str):
            return f"scenario: {self.table.scenario}: {message}"
        # Lines are those of a text that nobody has seen.
        bare = re.sub(r"^line \d+: ", "", message)
        return f"scenario.{bare}" if re.match(r"[\w.]+: ", bare) else f"scenario: {bare}"

    def _seeds(self, count: int) -> list[int]:
        return list(range(self.table.first_seed, self.table.first_seed + count))

    def _more_networks(self, results: StudyResults) -> int:
        """How many networks to add for the precision asked for."""
        wanted = self.table.precision
        if wanted is None or len(results.seeds) >= wanted.limit:
            return 0
        worst = 0.0
        for cell in results.cells:
            sample = results.sample(wanted.metric, cell.scheme, equals(dict(cell.point)))
            found = estimates.mean(sample)
            if found.value:
                worst = max(worst, found.half_width / abs(found.value))
        if worst <= wanted.relative_half_width:
            return 0
        # Widths fall with the square root. Few networks tell little of the width: at most twice as
        # many at a time, and half of the way.
        count = len(results.seeds)
        needed = count * (worst / wanted.relative_half_width) ** 2
        return min(max(1, round((needed - count) / 2)), count, wanted.limit - count)

    def _metric_names(self) -> Iterator[tuple[str, str]]:
        """Every metric that is named, with where."""
        for name in self.table.metrics:
            yield "metrics", name
        for number, figure in enumerate(self.table.figures):
            if figure.kind != "series":
                yield f"figures.{number}.y", figure.y
        for number, ranking in enumerate(self.table.rankings):
            yield f"rankings.{number}.y", ranking.y
        if self.table.precision:
            yield "precision.metric", self.table.precision.metric

    def _check_columns(self) -> None:
        for name in self.table.axes:
            if name in TAKEN or name in METRICS:
                raise StudyError(f"axes.{name}: is the name of another column")
        for number, figure in enumerate(self.table.figures):
            where = f"figures.{number}"
            if figure.kind == "series":
                columns = [*self.table.axes, "scheme", "network", "flow", "node", "time_s"]
                series = [name for names in SERIES.values() for name in names]
                _one_of(f"{where}.x", figure.x, ["time_s"])
                _one_of(f"{where}.y", figure.y, series)
            else:
                _one_of(f"{where}.x", figure.x, self._columns(figure.y))
                columns = self._columns(figure.y, metrics=True)
            _check_condition(f"{where}.where", figure.where, columns)
        for number, ranking in enumerate(self.table.rankings):
            where = f"rankings.{number}"
            for column in ranking.per:
                _one_of(f"{where}.per", column, self._columns(ranking.y))
            _check_condition(
                f"{where}.where", ranking.where, self._columns(ranking.y, metrics=True)
            )
        known = self._columns("goodput_bps")
        for name in self.table.group:
            if name not in known:
                raise StudyError(f"group: must be of {', '.join(known)} (got {name!r})")

    def _columns(self, metric: str, metrics: bool = False) -> list[str]:
        """Columns of the frame that has `metric`, by which rows can be told apart; or all."""
        level = METRICS[metric].level
        columns = [*self.table.axes, "scheme", "network", "n_flows"]
        if level == "flow":
            columns += ["flow", "kind", "hops", "least_hops"]
        if metrics:
            columns += [other.name for other in METRICS.values() if other.level == level]
        return columns

    def _describe(self, folder: Path, asked: Asked) -> None:
        """Leave what is needed to report without the study file, and to run it again."""
        tables = dict(self._tables)
        if isinstance(tables["scenario"], str):
            tables["scenario"] = str(resolve_path(tables["scenario"], self.folder).resolve())
        write_folder(folder, tables, asked)


def _placed(error: StudyError, file: Path, text: str) -> StudyError:
    """The same with the file and the line of the key that the message begins with."""
    key = str(error).partition(": ")[0]
    line = line_of(text, key.split("."))
    return StudyError(f"{file}: {f'line {line}: ' if line else ''}{error}")


def _check_condition(where: str, condition: str | None, columns: Sequence[str]) -> None:
    try:
        parse(condition, columns)
    except SelectorError as error:
        raise StudyError(f"{where}: {error}") from None


def _one_of(where: str, name: str, allowed: Sequence[str]) -> None:
    if name not in allowed:
        raise StudyError(f"{where}: must be one of {', '.join(allowed)} (got {name!r})")


def _known_scale(scale: str) -> str:
    if scale not in SCALES:
        raise StudyError(f"scale: must be one of {', '.join(SCALES)} (got {scale!r})")
    return scale


def _executor(name: str, workers: int | None) -> Executor:
    if name == "local":
        return LocalExecutor(workers)
    kind, _, address = name.partition(":")
    if kind != "dask" or not address:
        raise StudyError(f"executor: must be local or dask:ADDRESS (got {name!r})")
    try:
        return DaskExecutor(address)
    except (OSError, ValueError) as error:
        raise StudyError(f"executor: no Dask scheduler at {address}: {error}") from None


def _with_further(seeds: list[int], planned: Sequence[Cell], store: Store) -> list[int]:
    """`seeds` and what comes after them up to the last network that the store knows."""
    last = seeds[-1]
    beyond = last + 1
    while beyond <= last + LARGEST_GAP:
        if store.states(cell.key(beyond) for cell in planned):
            last = beyond
        beyond += 1
    return list(range(seeds[0], last + 1))
