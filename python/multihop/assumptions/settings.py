"""Settings as readings, so that each can be run again, and their runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from multihop.assumptions.effects import Pair, Row
from multihop.errors import StudyError
from multihop.files import write_within
from multihop.scenario import to_toml
from multihop.study import Study, StudyResults
from multihop.study.choices import Assumptions
from multihop.study.execution import LocalExecutor, run_cells
from multihop.study.samples import sample_of
from multihop.study.selector import parse
from multihop.study.store import Outcome, Store

FOLDER = "settings"
_LEFT_OUT = ("assumptions", "axes", "baseline", "figures", "precision", "rankings", "readings")


def table_of(study: Study) -> Assumptions:
    """The study's table `[assumptions]`.

    Raises:
        StudyError: it has none.
    """
    if study.table.assumptions is None:
        raise StudyError.at("assumptions", "missing; the study names no headline and no choices")
    return study.table.assumptions


def name_of(number: int) -> str:
    """The reading of the setting that was asked for as the `number`th, from 1."""
    return f"{FOLDER}/s{number:03}"


def reading_tables(
    asked: Assumptions, row: Row, title: str, schemes: Sequence[str]
) -> dict[str, Any]:
    """The tables of a reading of `schemes` that takes every choice as the setting `row` does."""
    choices = []
    for choice, level in zip(asked.choices, row, strict=True):
        alternative = choice.alternatives[level]
        told = {
            "about": choice.about,
            "taken": f"{choice.name} = {alternative.name}",
            "source": "chosen",
            "reason": "one of the alternatives that were tried",
        }
        parts = [part.model_dump(exclude_none=True) for part in alternative.all_parts]
        choices += [{**told, **part} for part in parts or [{}]]
    return {
        "title": title,
        "argument": f"A setting that was tried to find what decides: {asked.headline}.",
        "tried": "one of the settings beside it",
        "schemes": [*schemes],
        "choices": choices,
    }


class Trial:
    """Runs settings of a study: each is written as a reading first, and no run is done twice."""

    def __init__(
        self,
        study: Study,
        folder: Path,
        *,
        scale: str | None = None,
        store: Path | None = None,
        workers: int | None = None,
        started: Callable[[int, int], object] | None = None,
        finished: Callable[[Outcome], object] | None = None,
    ) -> None:
        self.asked = table_of(study)
        self.study = study
        self.folder = folder
        self.scale = study.which_scale(scale)
        self.failures: dict[tuple[str, int], str] = {}
        self.runs: set[str] = set()
        """Content addresses of the runs so far."""
        self._store = store or folder / "store"
        self._executor = LocalExecutor(workers)
        self._started = started or (lambda _planned, _left: None)
        self._finished = finished or (lambda _outcome: None)
        self._numbers: dict[Row, int] = {}
        both = (self.asked.scheme, self.asked.over)
        self._named = [
            table.scheme
            for table in study.table.scheme_tables
            if table.name in both and table.scheme is not None
        ]
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        for file in (folder / FOLDER).glob("s*.toml"):
            file.unlink()

    def __call__(self, rows: Sequence[Row], seeds: range) -> list[Pair]:
        """What each setting gives on these networks."""
        study = self._under(rows)
        with Store(self._store) as store:
            results = self._run(study, seeds, store)
            self.failures |= results.failures
            return [*self._pairs(results, rows)]

    def check(self, rows: Sequence[Row]) -> None:
        """Refuse settings that a scenario rejects, without running anything.

        Raises:
            StudyError: naming the setting and the key.
        """
        self._under(rows).cells(self.scale)

    def _under(self, rows: Sequence[Row]) -> Study:
        """The study's two schemes under these settings."""
        both = (self.asked.scheme, self.asked.over)
        schemes = [
            table.model_dump(exclude_none=True, exclude={"reading"})
            for table in self.study.table.scheme_tables
            if table.name in both
        ]
        tables = {key: told for key, told in self.study.tables.items() if key not in _LEFT_OUT}
        files = [str(self._file(row)) for row in rows]
        return Study(folder=self.study.folder, **{**tables, "schemes": schemes, "readings": files})

    def _file(self, row: Row) -> Path:
        number = self._numbers.setdefault(row, len(self._numbers) + 1)
        name = name_of(number)
        file = self.folder / f"{name}.toml"
        if not file.exists():
            title = f"Setting {number}: {self.asked.told(row)}"
            write_within(file, to_toml(reading_tables(self.asked, row, title, self._named)))
        return file

    def _run(self, study: Study, seeds: range, store: Store) -> StudyResults:
        planned = study.cells(self.scale)
        # Settings that differ in one scheme only share the other's runs.
        work = {cell.key(seed): (cell, seed) for seed in seeds for cell in planned}
        store.fail_damaged(work)
        states = store.states(work)
        to_do = [told for key, told in work.items() if states.get(key) != "done"]
        self.runs |= work.keys()
        self._started(len(self.runs), len(to_do))
        run_cells(to_do, store, self._executor, self._finished)
        return StudyResults(study, self.scale, planned, [seeds] * len(planned), store)

    def _pairs(self, results: StudyResults, rows: Sequence[Row]) -> Iterator[Pair]:
        if not results.finished:
            raise StudyError("every run failed")
        asked = self.asked
        frame = results.frame(asked.metric)
        frame = frame.filter(parse(asked.where, frame.columns))
        groups = frame.partition_by("reading", as_dict=True)
        for row in rows:
            here = groups.get((name_of(self._numbers[row]),), frame.clear())
            yield (
                sample_of(here, asked.metric, asked.scheme),
                sample_of(here, asked.metric, asked.over),
            )
