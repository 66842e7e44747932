"""Adds networks where a headline is not decided yet, and judges as they come.

Networks are added to one headline under one reading at a time, the one that is likely decided with
the least further work; what its runs are is shared by all headlines of the study. Every headline is
judged on the first networks, as many as all its runs have, at the looks of `headline_tests`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from multihop import catalogue
from multihop.errors import StudyError
from multihop.metrics import METRICS, BaselineMetric, BoundMetric
from multihop.prototypes import check_consent
from multihop.reproduction.headline_tests import (
    Chances,
    Looked,
    chances,
    look,
    looks,
    networks_needed,
    shares,
)
from multihop.reproduction.headline_verdicts import (
    LEVEL,
    HeadlineVerdict,
    quantity_of,
    with_interval,
    with_words,
)
from multihop.reproduction.headlines import Comparison, Headline
from multihop.reproduction.network_sums import NetworkSums, RunSums, Wanted, sums_of
from multihop.statistics import holm
from multihop.study import Study
from multihop.study.document import READING
from multihop.study.estimates import Sample
from multihop.study.execution import Executor, Task
from multihop.study.plan import Cell
from multihop.study.precision import may_fulfil
from multihop.study.store import Outcome

FIRST_NETWORK = 200_001
"""From here on networks were used for nothing else."""
MOST_NETWORKS = 3000
SAVED_EVERY_S = 60.0
GUESSED_S = 3e-5
"""Processor time for a simulated second of a node; only orders what was not tried."""


@dataclass(slots=True)
class Judgement:
    """A headline under one reading, and how far it has come."""

    headline: Headline
    reading: str
    cells: dict[str, tuple[Cell, list[Wanted]]]
    """What it needs of each cell, by the cell's name."""
    looked: int = 0
    """How many looks were taken."""
    networks: int = 0
    """Networks of the last look."""
    chances: Chances = field(default_factory=Chances)
    parts: Sequence[Looked] = ()

    def sample(self, sums: NetworkSums, scheme: str, metric: str, at: str | None) -> Sample:
        """What the runs of a scheme gave on the networks of the last look."""
        asked = metric, at or ""
        seeds = range(FIRST_NETWORK, FIRST_NETWORK + self.networks)
        found, lacks = dict.fromkeys(seeds, (0.0, 0)), set[int]()
        for cell, wanted in self.cells.values():
            if cell.scheme != scheme or asked not in wanted:
                continue
            runs = sums.cells[self.headline.study, cell.name].runs
            for seed in seeds:
                if (of_run := runs[seed].sums) is None:
                    lacks.add(seed)
                    continue
                (total, count), (more, further) = found[seed], of_run[asked]
                found[seed] = total + more, count + further
        full = [seed for seed in seeds if found[seed][1] and seed not in lacks]
        return Sample(
            tuple(full),
            np.array([found[seed][0] for seed in full]),
            np.array([found[seed][1] for seed in full], dtype=np.float64),
            frozenset(lacks),
        )


class Campaign:
    """Headlines judged together on growing numbers of networks.

    Args:
        chosen: the headlines; all of them share one error rate.
        sums: what runs gave so far; runs are added to it.
        most: networks of a judgement at most. It fixes the looks, so it stays what it was.

    Raises:
        StudyError: a headline's quantity can't be told from single runs.
    """

    def __init__(self, chosen: Sequence[Headline], sums: NetworkSums, most: int) -> None:
        self.chosen, self.sums, self.looks = chosen, sums, looks(most)
        self.shares = shares(len(self.looks))
        self.judgements = [
            judgement
            for headline in chosen
            for judgement in _judgements(headline, self._cells(headline.study))
        ]
        self.replaced: list[str] = []
        """Cells whose runs were dropped, as today's engine gives others."""

    def _cells(self, study: str) -> list[Cell]:
        if study not in self._planned:
            self._planned[study] = Study.read(catalogue.study_file(study)).cells("full")
        return self._planned[study]

    @cached_property
    def _planned(self) -> dict[str, list[Cell]]:
        return {}

    @property
    def other_engine(self) -> list[str]:
        """Cells whose runs another engine did, or another scenario's."""
        used = {(j.headline.study, name): cell for j in self.judgements
                for name, (cell, _) in j.cells.items()}  # fmt: skip
        return [name for (study, name), cell in used.items() if not self.sums.is_of(study, cell)]

    def look(self) -> None:
        """Take every look that the runs allow."""
        for judgement in self.judgements:
            has = self._networks(judgement)
            while judgement.looked < len(self.looks) and self.looks[judgement.looked] <= has:
                self._look(judgement)

    def _look(self, judgement: Judgement) -> None:
        judgement.networks = self.looks[judgement.looked]
        share = self.shares[judgement.looked]
        judgement.looked += 1
        found = []
        for part in judgement.headline.parts:
            quantity = quantity_of(part, partial(judgement.sample, self.sums))
            found.append(look(part, judgement.headline.margin, quantity))
        judgement.parts = found
        judgement.chances = chances(found).after(judgement.chances, share)

    def _networks(self, judgement: Judgement) -> int:
        """On how many of the first networks all of its runs were done."""
        has = judgement.networks
        while has < self.looks[-1] and not [*self._lacking(judgement, [FIRST_NETWORK + has])]:
            has += 1
        return has

    def _lacking(
        self, judgement: Judgement, seeds: Iterable[int]
    ) -> Iterator[tuple[Cell, int, list[Wanted]]]:
        study = judgement.headline.study
        for seed in seeds:
            for cell, wanted in judgement.cells.values():
                if not self.sums.has(study, cell, seed, wanted):
                    yield cell, seed, wanted

    @property
    def needed(self) -> float:
        """What the next p-value has to be at most, by Holm's procedure."""
        return holm([judgement.chances.two_sided for judgement in self.judgements], LEVEL)[1]

    @property
    def open(self) -> list[Judgement]:
        """What is not decided, and may be looked at again."""
        needed = self.needed
        return [
            judgement
            for judgement in self.judgements
            if judgement.looked < len(self.looks) and judgement.chances.word(needed) is None
        ]

    def verdicts(self) -> list[HeadlineVerdict]:
        """Every headline under every reading, on what was found."""
        found = []
        for judgement in self.judgements:
            one = judgement.headline
            sample = partial(judgement.sample, self.sums)
            parts = [
                with_interval(part, quantity_of(part, sample), looked)
                for part, looked in zip(one.parts, judgement.parts, strict=False)
            ]
            word: Any = "not decided" if parts else "not run"
            verdict = HeadlineVerdict(
                one.id, one.paper, judgement.reading, word, judgement.chances.two_sided, parts
            )
            found.append(verdict)
        found = with_words(found, [judgement.chances for judgement in self.judgements])
        return [
            replace(verdict, expected=self.expected(judgement))
            if verdict.word == "not decided"
            else verdict
            for verdict, judgement in zip(found, self.judgements, strict=True)
        ]

    def expected(self, judgement: Judgement) -> int:
        """On how many networks a judgement can be expected to be decided.

        All count, also those without a flow of the kind that it is about.
        """
        if not judgement.parts:
            return self.looks[0]
        place = min(judgement.looked, len(self.looks) - 1)
        following = self.looks[place]
        of_the_kind = min(part.networks for part in judgement.parts)
        expected = networks_needed(judgement.parts, self.needed * self.shares[place])
        if not math.isfinite(expected) or not of_the_kind:
            return following
        return max(following, math.ceil(expected * judgement.networks / of_the_kind))

    def cost_s(self, judgement: Judgement, networks: int) -> float:
        """Processor time of the runs that a judgement lacks on so many networks."""
        study = judgement.headline.study
        seeds = range(FIRST_NETWORK, FIRST_NETWORK + networks)
        lacking: dict[tuple[str, int], float] = {}
        for cell, wanted in judgement.cells.values():
            for seed in seeds:
                if not self.sums.has(study, cell, seed, wanted):
                    cpu_s = self.sums.mean_cpu_s(study, cell)
                    lacking[cell.digest, seed] = _guessed_s(cell) if cpu_s is None else cpu_s
        return sum(lacking.values())

    def run(
        self,
        executor: Executor,
        until: float,
        told: Callable[[Judgement, int], object] = lambda _judgement, _to: None,
    ) -> None:
        """Add networks until all is decided or the time is over; the sums are written meanwhile.

        Args:
            executor: where the runs are done.
            until: when to begin no further run, by `time.monotonic`.
            told: called with the judgement that gets networks, and how many it then has.
        """
        self._check_consent()
        self.look()
        try:
            while (left := self.open) and time.monotonic() < until:
                chosen = min(left, key=lambda one: self.cost_s(one, self.expected(one)))
                following = self.looks[chosen.looked]
                told(chosen, following)
                self._trust(chosen, executor)
                self._extend(chosen, following, executor, until)
                self.look()
        finally:
            self.sums.write()

    def _extend(
        self, judgement: Judgement, networks: int, executor: Executor, until: float
    ) -> None:
        """Do what a judgement lacks on so many networks, network by network."""
        study = judgement.headline.study
        seeds = range(FIRST_NETWORK, FIRST_NETWORK + networks)
        work = {cell.key(seed): (cell, seed) for cell, seed, _ in self._lacking(judgement, seeds)}
        saved = time.monotonic()

        def tasks() -> Iterator[Task]:
            for key, (cell, seed) in work.items():
                if time.monotonic() >= until:
                    return
                yield _task(key, cell, seed)

        for outcome in executor.outcomes(tasks()):
            self._keep(study, outcome)
            if time.monotonic() > saved + SAVED_EVERY_S:
                self.sums.write()
                saved = time.monotonic()

    def _keep(self, study: str, outcome: Outcome) -> None:
        """Keep what a run gave, for each of the study's cells that it is a run of."""
        for cell in self._cells(study):
            wanted = self._wanted(study, cell)
            if not wanted or cell.key(outcome.seed) != outcome.key:
                continue
            result = outcome.result
            sums = None if result is None else sums_of(cell, outcome.seed, result, wanted)
            self.sums.put(study, cell, outcome.seed, RunSums(outcome.cpu_s, sums))

    def _wanted(self, study: str, cell: Cell) -> list[Wanted]:
        """What any of the headlines needs of a cell."""
        wanted = (
            each
            for judgement in self.judgements
            if judgement.headline.study == study and cell.name in judgement.cells
            for each in judgement.cells[cell.name][1]
        )
        return list(dict.fromkeys(wanted))

    def _trust(self, judgement: Judgement, executor: Executor) -> None:
        """Repeat one run of each cell that another engine did: where it differs, begin again."""
        study = judgement.headline.study
        for cell, _ in judgement.cells.values():
            if self.sums.is_of(study, cell):
                continue
            kept = self.sums.cells.pop((study, cell.name))
            seed = min(kept.runs)
            try:
                for outcome in executor.outcomes(iter([_task(cell.key(seed), cell, seed)])):
                    if outcome.error is not None and kept.runs[seed].sums is not None:
                        fault = f"network {seed}, which an earlier engine ran: {outcome.error}"
                        raise StudyError(f"{study}: {cell.name}: {fault}")
                    self._keep(study, outcome)
            finally:  # an interrupted repetition takes nothing away
                again = self.sums.cells.setdefault((study, cell.name), kept)
            if again.runs[seed].sums == kept.runs[seed].sums:
                again.runs = kept.runs
            else:
                self.replaced.append(f"{study}: {cell.name}")
                for other in self.judgements:
                    if other.headline.study == study and cell.name in other.cells:
                        other.looked, other.networks, other.parts = 0, 0, ()
                        other.chances = Chances()

    def _check_consent(self) -> None:
        cells = [cell for one in self.judgements for cell, _ in one.cells.values()]
        check_consent(name for cell in cells for name in cell.sources)

    def spent_s(self) -> tuple[float, float, float]:
        """Time of all runs on one core, and of two ways with equal networks.

        The first gives each cell of a study as many networks as its judgement with the most had;
        the second all cells as many as there may be. A cell that was not run is guessed by others.
        """
        spent: dict[tuple[str, int], float] = {}
        equal: dict[str, float] = {}
        whole: dict[str, float] = {}
        times = self._times_guessed
        most: dict[str, int] = {}
        for one in self.judgements:
            study = one.headline.study
            most[study] = max(most.get(study, 0), one.networks)
        for one in self.judgements:
            study = one.headline.study
            for name, (cell, _) in one.cells.items():
                kept = self.sums.cells.get((study, name))
                for seed, run in (kept.runs if kept else {}).items():
                    spent[cell.digest, seed] = run.cpu_s
                mean = self.sums.mean_cpu_s(study, cell)
                equal[cell.digest] = (mean or 0.0) * most[study]
                likely = times * _guessed_s(cell) if mean is None else mean
                whole[cell.digest] = likely * self.looks[-1]
        return sum(spent.values()), sum(equal.values()), sum(whole.values())

    @property
    def _times_guessed(self) -> float:
        """How long runs took, in times of what was guessed."""
        pairs = [
            (mean, _guessed_s(cell))
            for one in self.judgements
            for cell, _ in one.cells.values()
            if (mean := self.sums.mean_cpu_s(one.headline.study, cell)) is not None
        ]
        return sum(m for m, _ in pairs) / sum(g for _, g in pairs) if pairs else 1.0


def _guessed_s(cell: Cell) -> float:
    """Processor time of a run that was not tried: in proportion to simulated seconds of nodes."""
    tables = json.loads(cell.text)
    topology = tables["topology"]
    nodes = topology.get("nodes", topology.get("hops", 99) + 1)
    count = nodes if isinstance(nodes, int) else len(nodes)
    return GUESSED_S * count * float(tables["duration_s"])


def _task(key: str, cell: Cell, seed: int) -> Task:
    return Task(key, seed, cell.text, cell.recording, cell.build, cell.sources)


def _judgements(headline: Headline, cells: Sequence[Cell]) -> Iterator[Judgement]:
    """A headline under each reading of its study."""
    readings = dict.fromkeys(str(dict(cell.point).get(READING, "")) for cell in cells)
    for reading in readings:
        needs: dict[str, tuple[Cell, list[Wanted]]] = {}
        for part in headline.parts:
            _check(headline, part)
            for scheme, at in _sides(part):
                for cell in cells:
                    here = str(dict(cell.point).get(READING, "")) == reading
                    if here and cell.scheme == scheme and may_fulfil(cell.point, at):
                        wanted = needs.setdefault(cell.name, (cell, []))[1]
                        if (part.metric, at or "") not in wanted:
                            wanted.append((part.metric, at or ""))
        yield Judgement(headline, reading, needs)


def _sides(part: Comparison) -> Iterator[tuple[str, str | None]]:
    """The schemes and selectors that a comparison has."""
    for at in dict.fromkeys([part.at, part.against] if part.against else [part.at]):
        for scheme in filter(None, [part.scheme, part.over]):
            yield scheme, at


def _check(headline: Headline, part: Comparison) -> None:
    if isinstance(METRICS[part.metric], (BaselineMetric, BoundMetric)):
        fault = f"{headline.id}: {part.metric} can't be told from single runs; name its scheme"
        raise StudyError(f"{fault} and `over`, or judge without --until")
