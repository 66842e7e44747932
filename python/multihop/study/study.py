"""A study that is run, and opened again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from multihop.errors import StudyError
from multihop.study import estimates
from multihop.study.definition import Definition
from multihop.study.document import resolve_path
from multihop.study.execution import DaskExecutor, Executor, LocalExecutor, Tally, run_cells
from multihop.study.folder import Asked, read_asked, write_folder
from multihop.study.plan import Cell
from multihop.study.results import StudyResults
from multihop.study.samples import equals
from multihop.study.store import Outcome, Store

LARGEST_GAP = 20
"""So many networks in a row may lack all runs, because parts of the work are still to be done."""

Results = TypeVar("Results", bound=StudyResults)


class RunnableStudy(Definition, Generic[Results]):
    """A study that can be run; subclasses say what its results can do besides giving numbers."""

    results_type: type[Results]

    def run(
        self,
        out: str | Path,
        *,
        scale: str | None = None,
        networks: int | None = None,
        store: str | Path | None = None,
        executor: str = "local",
        workers: int | None = None,
        shard: tuple[int, int] | None = None,
        started: Callable[[int, int], object] | None = None,
        finished: Callable[[Outcome], object] | None = None,
    ) -> Results:
        """Do the runs that the store lacks, and return all results.

        Args:
            out: folder of the study; made where absent.
            scale: `quick` or `full`; where absent `full`, or the only one there is.
            networks: number of networks, in place of the scale's.
            store: folder of the store; `out/store` where absent. Studies may share one.
            executor: `local`, or `dask:ADDRESS`.
            workers: runs at a time of the local executor; all cores where absent.
            shard: (i, n) does the i-th of n parts only, i from 1.
            started: called with the numbers of runs planned and left to do, and again whenever
                networks are added.
            finished: called with each outcome.
        """
        scale = self.which_scale(scale)
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
            results = self.results_type(self, scale, planned, seeds, ledger)
            more = self._more_networks(results) if shard is None and networks is None else 0
            if not more:
                return results
            seeds = self._seeds(len(seeds) + more)

    def open(
        self, out: str | Path, *, scale: str | None = None, store: str | Path | None = None
    ) -> Results:
        """The results of earlier calls of `run` so far; runs nothing.

        Covers the networks that the last call asked for and any others in the store. `scale`
        and `store` are those of the last call where absent.
        """
        asked = read_asked(Path(out))
        folder = Path(store or asked.store or Path(out) / "store")
        if not (folder / "ledger.sqlite").is_file():
            raise StudyError(f"{folder}: has no ledger; run the study first")
        chosen = self.which_scale(scale or asked.scale)
        planned, ledger = self.cells(chosen), Store(folder)
        networks = asked.networks if chosen == asked.scale else None
        seeds = self._seeds(networks or self.networks(chosen))
        seeds = _with_further(seeds, planned, ledger)
        return self.results_type(self, chosen, planned, seeds, ledger)

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
        # Network by network, so that what is done at any moment can be compared.
        work = [(cell, seed) for seed in seeds for cell in planned]
        if shard is not None:
            part, parts = shard
            work = work[part - 1 :: parts]
        states = store.states(cell.key(seed) for cell, seed in work)
        to_do = [(cell, seed) for cell, seed in work if states.get(cell.key(seed)) != "done"]
        if started is not None:
            started(len(work), len(to_do))
        return run_cells(to_do, store, executor, finished or (lambda _outcome: None))

    def _seeds(self, count: int) -> list[int]:
        return list(range(self.table.first_seed, self.table.first_seed + count))

    def _more_networks(self, results: Results) -> int:
        """How many networks to add to reach the study's precision."""
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
        # Widths fall with the square root of the number of networks, and few networks estimate the
        # width poorly: go half of the way, and at most double the number at a time.
        count = len(results.seeds)
        needed = count * (worst / wanted.relative_half_width) ** 2
        return min(max(1, round((needed - count) / 2)), count, wanted.limit - count)

    def _describe(self, folder: Path, asked: Asked) -> None:
        """Write what a report and another run need, so that they can do without the study file."""
        tables = dict(self._tables)
        if isinstance(tables["scenario"], str):
            tables["scenario"] = str(resolve_path(tables["scenario"], self.folder).resolve())
        write_folder(folder, tables, asked)


class Study(RunnableStudy[StudyResults]):
    """Schemes compared over a base scenario, varied and repeated.

    Takes the tables of a study file as keyword arguments, as `multihop.Study(title=...,
    schemes=[...], ...)`; `Study.read` takes a file.

    Raises:
        StudyError: naming the key, what is wrong and what is allowed.
    """

    results_type = StudyResults


def _executor(name: str, workers: int | None) -> Executor:
    if name == "local":
        return LocalExecutor(workers)
    kind, _, address = name.partition(":")
    if kind != "dask" or not address:
        raise StudyError.at("executor", f"must be local or dask:ADDRESS (got {name!r})")
    try:
        return DaskExecutor(address)
    except (OSError, ValueError) as error:
        raise StudyError.at("executor", f"no Dask scheduler at {address}: {error}") from None


def _with_further(seeds: list[int], planned: Sequence[Cell], store: Store) -> list[int]:
    """`seeds` and those after them, up to the last network that the store knows."""
    last = seeds[-1]
    beyond = last + 1
    while beyond <= last + LARGEST_GAP:
        if store.states(cell.key(beyond) for cell in planned):
            last = beyond
        beyond += 1
    return list(range(seeds[0], last + 1))
