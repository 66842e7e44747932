"""What each house of a network gets, as shares: of good calls, of pages that come soon, and so on.

Each house is asked by itself, a run for each test, on top of the scenario's own load or that of
drawn days. So the houses' tests do not disturb each other, and what they find is what one more user
would. `Asked` is what every such test needs.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_up
from typing import Any

from multihop import engine
from multihop.errors import ScenarioError
from multihop.nodes import Nodes
from multihop.overriding import overrides_of, settings_of
from multihop.results import Result
from multihop.scenario import Source
from multihop.simulate import run_tasks
from multihop.sites.days import Day, Demand
from multihop.sites.uses import CALL_S, CALLS, PAGES, Test
from multihop.statistics import Estimate, mean_interval

_NORMAL = 1.959964
"""Half of the 95 % interval of a normal number."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share, 0 to 1, with its 95 % interval: Wilson's (1927), each seed counting once.

    What several calls of one seed have in common is so never taken for more than one observation,
    and the interval is too wide rather than too narrow.
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, shares: Sequence[float]) -> Share:
        """The mean of one share a seed."""
        count, value = len(shares), sum(shares) / len(shares)
        weight = _NORMAL**2 / count
        middle = (value + weight / 2) / (1 + weight)
        half = math.sqrt(value * (1 - value) * weight + weight**2 / 4) / (1 + weight)
        return cls(value, max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True, slots=True)
class House:
    """What a node gets."""

    node: int
    got: dict[str, Share | None]
    """By test; None if nothing could be judged in time."""
    details: dict[str, dict[str, float | None]]
    """Of tests that have some, by name, with units: means over the seeds that have one."""


@dataclass(frozen=True, slots=True)
class Service:
    """All houses of a network."""

    nodes: Nodes
    gateway: int
    houses: list[House]
    all: dict[str, Estimate | None]
    """The mean of all houses, by test; its interval (Student) is over seeds, or days."""
    seeds: int
    calls: int
    """In each run."""
    days: list[Day] | None
    """Of each seed, if days were drawn."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A scenario whose houses are asked."""

    scenario: dict[str, Any]
    """As resolved."""
    heard: engine.Hearing
    """Who hears whom with the first seed."""
    nodes: Nodes
    gateway: int
    seed: int
    """The first."""
    begin_s: float
    calls: int
    """So many fit into a run, one after the other."""

    @classmethod
    def of(
        cls,
        source: Source,
        *,
        gateway: str | None = None,
        seed: int | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Asked:
        """Read a scenario.

        Raises:
            ScenarioError: the scenario can't be run, is too short, or has no such gateway.
        """
        overrides = overrides_of(source, None, settings_of(None, None, settings))
        scenario = json.loads(engine.resolve(source.text, overrides, syntax=source.syntax))
        first = scenario["seed"] if seed is None else seed
        heard = engine.hearing(engine.to_json(scenario), syntax="json", seed=first)
        nodes = Nodes.of(scenario)
        chosen = _gateway(scenario, nodes, gateway, len(heard.ways))
        begin_s = min(flow["start_s"] for flow in scenario["flows"])
        calls = int((scenario["duration_s"] - begin_s) // CALL_S)
        if calls < 1:
            raise ScenarioError.at(
                "duration_s", f"must leave {CALL_S:g} s after the first flow's start for a call"
            )
        return cls(scenario, heard, nodes, chosen, first, begin_s, calls)

    @property
    def houses(self) -> list[int]:
        """All nodes but the gateway."""
        return [node for node in range(len(self.heard.ways)) if node != self.gateway]

    def testing(self, scenario: Mapping[str, Any], house: int, test: Test) -> dict[str, Any]:
        """A scenario of the same nodes, as it is or changed, with what the house does."""
        tests = test.flows(house, self.gateway, self.begin_s, self.calls)
        asked = {**scenario, "flows": [*scenario["flows"], *tests]}
        if test.lasts_s is not None:
            asked["duration_s"] = self.begin_s + test.lasts_s
        return asked

    def task(
        self, scenario: Mapping[str, Any], house: int, test: Test, seed: int
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The same for `simulate.run_tasks`."""
        return self.testing(scenario, house, test), {"seed": seed, "record": test.record}


def service(
    source: Source,
    *,
    tests: Mapping[str, Test] | None = None,
    demand: Demand | None = None,
    gateway: str | None = None,
    seed: int | None = None,
    seeds: int = 5,
    settings: Mapping[str, Any] | None = None,
    workers: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Service:
    """Ask every house; a run for each house, test and seed.

    Args:
        source: the scenario.
        tests: calls and pages where absent.
        demand: draw a moment of a day for each seed, in place of the scenario's flows.
        gateway: the node that has the uplink; by default where most flows end.
        seed: the first.
        seeds: so many.
        settings: keys of the scenario that differ.
        workers: runs at a time.
        progress: told the share that is done.

    Raises:
        ScenarioError: the scenario can't be run, is too short, or has no such gateway.
    """
    asked = Asked.of(source, gateway=gateway, seed=seed, settings=settings)
    chosen = tests or {"calls": CALLS, "pages": PAGES}
    numbers = range(asked.seed, asked.seed + seeds)
    days = [demand.day(asked.houses, number) for number in numbers] if demand else None

    def loaded(house: int, place: int) -> Mapping[str, Any]:
        if days is None:
            return asked.scenario
        flows = days[place].flows(asked.gateway, asked.begin_s, but=house)
        return {**asked.scenario, "flows": flows}

    tasks = [
        asked.task(loaded(house, place), house, test, number)
        for house in asked.houses
        for test in chosen.values()
        for place, number in enumerate(numbers)
    ]
    done = count_up(1)

    def finished(_result: Result) -> None:
        if progress is not None:
            progress(next(done) / len(tasks))

    results = iter(run_tasks(tasks, workers=workers, finished=finished))
    told = []
    by_seed: dict[str, list[list[float]]] = {name: [[] for _ in numbers] for name in chosen}
    for house in asked.houses:
        got: dict[str, Share | None] = {}
        details = {}
        for name, test in chosen.items():
            runs = [next(results).json for _ in numbers]
            values = [test.value(run) for run in runs]
            if test.details is not None:
                details[name] = _means([test.details(run) for run in runs])
            judged = [value for value in values if value is not None]
            got[name] = Share.of(judged) if judged else None
            for place, value in enumerate(values):
                if value is not None:
                    by_seed[name][place].append(value)
        told.append(House(house, got, details))
    everybody = {name: _over_seeds(shares) for name, shares in by_seed.items()}
    return Service(asked.nodes, asked.gateway, told, everybody, seeds, asked.calls, days)


def _means(rows: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Of each name the mean of what there is."""
    there = {name: [row[name] for row in rows] for name in rows[0]}
    return {
        name: sum(own) / len(own) if own else None
        for name, values in there.items()
        for own in [[value for value in values if value is not None]]
    }


def _over_seeds(shares: Sequence[Sequence[float]]) -> Estimate | None:
    """The mean over seeds of what houses got on the mean with each."""
    means = [sum(own) / len(own) for own in shares if own]
    return mean_interval(means) if means else None


def gateway_of(flows: Sequence[Mapping[str, Any]]) -> int | None:
    """The node at which most flows end or begin; None if all are drawn from the seed."""
    ends = Counter(flow[end] for flow in flows for end in ("source", "destination"))
    named = [(number, -node) for node, number in ends.items() if isinstance(node, int)]
    return -max(named)[1] if named else None


def _gateway(scenario: Mapping[str, Any], nodes: Nodes, told: str | None, count: int) -> int:
    if told is not None:
        found = nodes.number(told)
        if found is None or found >= count:
            some = ", ".join(nodes.each(range(min(3, count))))
            raise ScenarioError(
                f"--gateway: no node is called {told[:40]!r}; there are {some}, ..."
            )
        return found
    found = gateway_of(scenario["flows"])
    if found is None:
        raise ScenarioError("all ends of flows are random: say --gateway NODE")
    return found
