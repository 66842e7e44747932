"""Which change to a network serves its houses best, with a stated probability.

All candidates, and the network as it is, see the same seeds: the same fading, the same ends and
sizes of the load's flows, the same shadowing. The selection of the best is that of studies
(`multihop.study.kn`); a seed's value of a candidate is what its houses get, on the mean or the
worst of them.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine
from multihop.errors import ScenarioError
from multihop.nodes import Nodes
from multihop.simulate import run_tasks
from multihop.sites import path_loss
from multihop.sites.candidates import AS_IT_IS, MOST, Candidate
from multihop.sites.kept import Kept
from multihop.sites.path_loss import PathLoss
from multihop.sites.service import Asked, Share
from multihop.sites.uses import TESTS, Test
from multihop.statistics import Estimate, mean_interval
from multihop.study.kn import Selection


@dataclass(frozen=True, slots=True)
class Effort:
    """How surely the best is selected, and what that may take."""

    probability: float = 0.95
    """That the best is selected, where it leads by the indifference."""
    indifference: float = 0.1
    """The least lead that matters: of shares so many, 0 to 1; else over the mean of the best."""
    start: int = 10
    """Seeds before the first is eliminated."""
    limit: int = 200
    """The most seeds."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate and how well it does."""

    candidate: Candidate
    value: Estimate
    """What houses get: a share, 0 to 1, or kbit/s."""
    gain: Estimate | None
    """Over the network as it is, on the same seeds; None of that itself."""
    out: int | None
    """After how many seeds it was eliminated; None if it is in the race."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Candidates, the best first: those in the race, then the others, the last that left first."""

    nodes: Nodes
    gateway: int
    houses: list[int]
    test: Test
    worst: bool
    """Whether a seed's value is that of its worst house, not the mean."""
    effort: Effort
    ranked: list[Ranked]
    decided: bool
    interrupted: bool
    seeds: int
    runs: int
    base: dict[str, Any]
    """The network as it is, resolved."""
    path_loss: PathLoss | None
    """From which the links of routers are drawn."""


def plan(
    asked: Asked,
    candidates: Sequence[Candidate],
    *,
    objective: str = "calls",
    houses: Sequence[int] | None = None,
    worst: bool = False,
    effort: Effort | None = None,
    workers: int | None = None,
    keep: Path | None = None,
    progress: Callable[[float], object] | None = None,
) -> Plan:
    """Select the best of the candidates and of the network as it is.

    Args:
        asked: the network; of routers with each node at its place (`candidates.standing`).
        candidates: their labels differ.
        objective: a name in `uses.TESTS`.
        houses: those that count; all where absent.
        worst: whether each seed's worst house counts, not the mean.
        effort: how surely.
        workers: runs at a time.
        keep: a file of values, from which it goes on.
        progress: told the share of the most seeds that are done.

    Raises:
        ScenarioError: a candidate can't be run, or links of a router can't be known.
    """
    chosen = [*houses] if houses is not None else asked.houses
    race = _Race(
        asked, candidates, TESTS[objective], chosen, worst, effort or Effort(), workers, keep
    )
    return race.run(progress)


class _Race:
    def __init__(
        self,
        asked: Asked,
        candidates: Sequence[Candidate],
        test: Test,
        houses: list[int],
        worst: bool,
        effort: Effort,
        workers: int | None,
        keep: Path | None,
    ) -> None:
        if not candidates:
            raise ScenarioError("there is nothing to choose from: name candidates")
        if len(candidates) > MOST:
            raise ScenarioError(f"{len(candidates)} candidates: at most {MOST} are tried")
        self.all = [Candidate(AS_IT_IS, AS_IT_IS), *candidates]
        labels = [one.label for one in self.all]
        again = next((label for label in labels if labels.count(label) > 1), None)
        if again is not None:
            raise ScenarioError(f"two candidates are called {again!r}")
        self.asked, self.test, self.houses, self.worst = asked, test, houses, worst
        self.effort, self.workers = effort, workers or os.cpu_count() or 1
        self.path_loss = _path_loss(asked.scenario, candidates)
        self.kept = Kept(keep, self._told())
        self.flows: dict[int, list[dict[str, Any]]] = {}
        self.runs = 0
        self._check()

    def run(self, progress: Callable[[float], object] | None) -> Plan:
        effort = self.effort
        selection = Selection(
            len(self.all), probability=effort.probability, indifference=effort.indifference,
            start=effort.start, absolute=not self.test.unit,
        )  # fmt: skip
        interrupted = False
        first, last = self.asked.seed, self.asked.seed + effort.limit
        following = first
        while not selection.decided and following < last and not interrupted:
            # Enough at a time that all cores have work, as few as possible that are not needed.
            each = len(selection.remaining) * len(self.houses)
            seeds = range(following, min(last, following + math.ceil(2 * self.workers / each)))
            try:
                self._run(seeds, selection.remaining)
            except KeyboardInterrupt:
                interrupted = True
                break
            for seed in seeds:
                if not selection.decided:
                    values = self.kept.values[seed]
                    selection.add([values.get(one.label, math.nan) for one in self.all])
                    following = seed + 1
            if progress is not None:
                progress((following - first) / effort.limit)
        if selection.networks < 2:
            raise KeyboardInterrupt
        return self._plan(selection, interrupted)

    def _run(self, seeds: range, remaining: Sequence[int]) -> None:
        """Have the values of these candidates, and of the network as it is, on these seeds."""
        todo = [
            (seed, one)
            for seed in seeds
            for place, one in enumerate(self.all)
            if (place in remaining or place == 0)
            and one.label not in self.kept.values.get(seed, {})
        ]
        self._draw([seed for seed in seeds if seed not in self.flows and todo])
        tasks = []
        for seed, one in todo:
            changed = one.applied(self.asked.scenario, self.flows[seed], self.path_loss, seed)
            tasks += [self.asked.task(changed, house, self.test, seed) for house in self.houses]
        results = run_tasks(tasks, workers=self.workers)
        self.runs += len(tasks)
        found: dict[int, dict[str, float]] = {}
        for place, (seed, one) in enumerate(todo):
            own = results[place * len(self.houses) : (place + 1) * len(self.houses)]
            values = [self.test.value(result.json) or 0.0 for result in own]
            value = min(values) if self.worst else math.fsum(values) / len(values)
            found.setdefault(seed, {})[one.label] = value
        for seed, told in found.items():
            self.kept.add(seed, told)

    def _draw(self, seeds: list[int]) -> None:
        """The load's flows with the ends that each seed draws in the network as it is.

        One router more would else change who draws what.
        """
        scenario = self.asked.scenario
        if all(isinstance(flow[end], int) for flow in scenario["flows"] for end in _ENDS):
            self.flows |= dict.fromkeys(seeds, scenario["flows"])
            return
        results = run_tasks([(scenario, {"seed": seed}) for seed in seeds], workers=self.workers)
        self.runs += len(seeds)
        for seed, result in zip(seeds, results, strict=True):
            self.flows[seed] = [*_drawn(scenario["flows"], result.json["flows"])]

    def _plan(self, selection: Selection, interrupted: bool) -> Plan:
        rows = []
        seeds = range(self.asked.seed, self.asked.seed + selection.networks)
        base = [self.kept.values[seed][AS_IT_IS] for seed in seeds]
        for place, one in enumerate(self.all):
            out = selection.out.get(place)
            values = [self.kept.values[seed][one.label] for seed in [*seeds][:out]]
            over = None
            if place:
                over = mean_interval([a - b for a, b in zip(values, base, strict=False)])
            rows.append(Ranked(one, self._estimate(values), over, out))
        rows.sort(key=lambda row: (-(row.out or math.inf), -row.value.value))
        asked = self.asked
        return Plan(
            asked.nodes, asked.gateway, self.houses, self.test, self.worst, self.effort, rows,
            selection.decided, interrupted, selection.networks, self.runs, asked.scenario,
            self.path_loss,
        )  # fmt: skip

    def _estimate(self, values: Sequence[float]) -> Estimate:
        if self.test.unit:
            return mean_interval(values)
        share = Share.of(values)
        return Estimate(share.value, share.low, share.high, len(values), len(values))

    def _told(self) -> str:
        """What is asked, so that values of another question are not taken for this one's."""
        parts = [engine.build_name(), engine.to_json(self.asked.scenario), self.test.what]
        parts += [str(self.asked.gateway), str(self.houses), str(self.worst), str(self.path_loss)]
        parts += [f"{one}{engine.to_json(dict(one.resolved))}" for one in self.all]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _check(self) -> None:
        """Refuse what the engine can't run before anything runs."""
        flows = self.asked.scenario["flows"]
        for one in self.all[1:]:
            changed = one.applied(self.asked.scenario, flows, self.path_loss, self.asked.seed)
            tested = self.asked.testing(changed, self.houses[0], self.test)
            try:
                engine.resolve(engine.to_json(tested), syntax="json")
            except ScenarioError as error:
                raise ScenarioError(f"{one.label}: {error}") from None


_ENDS = ("source", "destination")


def _drawn(
    tables: Sequence[Mapping[str, Any]], reports: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Each flow of a run by itself: with its ends and start, as the run drew them."""
    own = iter([report for report in reports if report.get("answers") is None])
    for table in tables:
        for _ in range(table["count"]):
            report = next(own)
            yield {
                **table, "count": 1, "start_spacing_s": 0.0, "start_spread_s": 0.0,
                **{key: report[key] for key in (*_ENDS, "start_s")},
            }  # fmt: skip


def _path_loss(scenario: Mapping[str, Any], candidates: Sequence[Candidate]) -> PathLoss | None:
    """What links of routers are drawn from, where they must be."""
    routers = [one for one in candidates if one.kind == "router"]
    if scenario["radio"]["propagation"] != "measured":
        return None
    if all(one.gains_db is not None for one in routers):
        return None
    gains = {(a, b): gain for a, b, gain in scenario["radio"]["gains_db"]}
    gains |= {(b, a): gain for (a, b), gain in gains.items() if (b, a) not in gains}
    found = path_loss.fitted([tuple(p[:2]) for p in scenario["topology"]["positions_m"]], gains)
    if found is None:
        raise ScenarioError(
            "too few links were measured to know those of a router from its place; say them: "
            "another --at with a file of the columns from, to and gain_db"
        )
    return found
