"""A study that is run, and opened again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from multihop import consent
from multihop.errors import StudyError
from multihop.prototypes import check_consent
from multihop.study.definition import Definition
from multihop.study.document import Precision, Ranking, resolve_path
from multihop.study.execution import DaskExecutor, Executor, LocalExecutor, Tally, run_cells
from multihop.study.folder import Asked, read_asked, read_tables, write_folder
from multihop.study.plan import Cell
from multihop.study.precision import networks_wanted
from multihop.study.race import networks_to_select
from multihop.study.results import StudyResults
from multihop.study.store import LEDGER, Outcome, Store

LARGEST_GAP = 20
"""So many networks in a row may lack all runs, because parts of the work are still to be done."""

Started = Callable[[int, int], object]
Finished = Callable[[Outcome], object]

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
        started: Started | None = None,
        finished: Finished | None = None,
        allow_code: bool = False,
    ) -> Results:
        """Do the runs that the store lacks, and return all results.

        Args:
            out: folder of the study; made where absent.
            scale: `quick` or `full`; where absent `full`, or the only one there is.
            networks: number of networks, in place of the scale's; no precision holds and nothing
                is selected then.
            store: folder of the store; `out/store` where absent. Studies may share one.
            executor: `local`, or `dask:ADDRESS`.
            workers: runs at a time of the local executor; all cores where absent.
            shard: (i, n) does the i-th of n parts only, i from 1.
            started: called with the numbers of runs planned and left to do, and again whenever
                networks are added.
            finished: called with each outcome.
            allow_code: run the classes of Python files that the study names; see
                docs/use/strangers.md.

        Raises:
            StudyError: it names a program that may not run, or something in it is wrong.
        """
        if started is None and finished is None:
            started, finished = self.watchers()
        scale = self.which_scale(scale)
        folder = Path(out)
        self.check_folder(folder)
        cells = self.cells(scale)
        with consent.giving(*self._own_words, to_all=allow_code):
            check_consent(name for cell in cells for name in cell.sources)
        folder.mkdir(parents=True, exist_ok=True)
        self._describe(
            folder, Asked(scale, networks, str(Path(store).resolve()) if store else None)
        )
        counts = [networks or self.networks(scale)] * len(cells)
        wanted = self._wanted(scale, networks) if shard is None else ([], [])
        ledger = Store(Path(store) if store else folder / "store")
        earlier = None
        while True:
            seeds = [self._seeds(count) for count in counts]
            results = self.results_type(self, scale, cells, seeds, ledger, *wanted)
            if earlier is not None:
                results.take_over(earlier)
            self._do(results.work, ledger, _executor(executor, workers), shard, started, finished)
            asked = zip(networks_wanted(results), networks_to_select(results), strict=True)
            further = [max(each) for each in asked]
            if further == counts:
                return results
            counts, earlier = further, results

    def watchers(self) -> tuple[Started | None, Finished | None]:
        """What is told of a run's progress where its caller wants to hear of none."""
        return None, None

    def open(
        self, out: str | Path, *, scale: str | None = None, store: str | Path | None = None
    ) -> Results:
        """The results of earlier calls of `run` so far; runs nothing.

        Covers the networks that the last call asked for and any others in the store. `scale`
        and `store` are those of the last call where absent.
        """
        asked = read_asked(Path(out))
        folder = Path(store or asked.store or Path(out) / "store")
        if not (folder / LEDGER).is_file():
            raise StudyError(f"{folder}: has no ledger; run the study first")
        chosen = self.which_scale(scale or asked.scale)
        cells, ledger = self.cells(chosen), Store(folder)
        networks = asked.networks if chosen == asked.scale else None
        seeds = self._seeds(networks or self.networks(chosen))
        every = _with_further(seeds, cells, ledger)
        wanted = self._wanted(chosen, networks)
        return self.results_type(self, chosen, cells, every, ledger, *wanted)

    def _do(
        self,
        work: Sequence[tuple[Cell, int]],
        store: Store,
        executor: Executor,
        shard: tuple[int, int] | None,
        started: Started | None,
        finished: Finished | None,
    ) -> Tally:
        if shard is not None:
            part, parts = shard
            work = work[part - 1 :: parts]
        store.fail_damaged(cell.key(seed) for cell, seed in work)
        states = store.states(cell.key(seed) for cell, seed in work)
        to_do = [(cell, seed) for cell, seed in work if states.get(cell.key(seed)) != "done"]
        if started is not None:
            started(len(work), len(to_do))
        return run_cells(to_do, store, executor, finished or (lambda _outcome: None))

    def _seeds(self, count: int) -> list[int]:
        return list(range(self.table.first_seed, self.table.first_seed + count))

    def _wanted(self, scale: str, networks: int | None) -> tuple[list[Precision], list[Ranking]]:
        """What adds networks: nothing on a first look, or where the networks are given."""
        first_look = scale == "quick" and "full" in self.table.scale.named
        if first_look or networks is not None:
            return [], []
        selections = [ranking for ranking in self.table.rankings if ranking.select]
        return [*self.table.precisions.values()], selections

    def check_folder(self, folder: str | Path) -> None:
        """Refuse a folder that another study's results are in.

        One of the same title is the same study, changed; so is one that has the same schemes over
        the same scenario.

        Raises:
            StudyError: it holds another study.
        """
        theirs, ours = read_tables(Path(folder)), self._told()
        if theirs is None or any(
            all(theirs.get(key) == ours[key] for key in keys)
            for keys in (("title",), ("scenario", "schemes"))
        ):
            return
        title = theirs.get("title")
        raise StudyError(
            f"{folder}: has the results of another study, {title!r}; name another folder"
        )

    def _describe(self, folder: Path, asked: Asked) -> None:
        """Write what a report and another run need, so that they can do without the study file."""
        write_folder(folder, self._told(), asked)

    def _told(self) -> dict[str, Any]:
        """The tables with the scenario's file wherever it is."""
        tables = dict(self._tables)
        if isinstance(tables["scenario"], str):
            tables["scenario"] = str(resolve_path(tables["scenario"], self.folder).resolve())
        return tables


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


def _with_further(seeds: Sequence[int], cells: Sequence[Cell], store: Store) -> list[Sequence[int]]:
    """For each cell `seeds` and those after them, up to the last network that the store knows."""
    last = [seeds[-1]] * len(cells)
    beyond = seeds[-1] + 1
    while any(beyond <= known + LARGEST_GAP for known in last):
        states = store.states(cell.key(beyond) for cell in cells)
        for number, cell in enumerate(cells):
            if cell.key(beyond) in states and beyond <= last[number] + LARGEST_GAP:
                last[number] = beyond
        beyond += 1
    return [range(seeds[0], known + 1) for known in last]
