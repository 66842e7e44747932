"""What each house of a network gets: the share of calls that are good, of pages that come soon.

Each house is asked by itself, on top of the scenario's own load: in one run it calls the gateway
again and again, in another it reads pages through it. So the houses' tests do not disturb each
other, and what they find is what one more user would. `Asked` is what every such test needs.
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

GOOD_MOS = 3.6
"""Of a call: R of 70, from which on many users are satisfied (ITU-T G.107, table B.1)."""
SOON_S = 3.0
CALL_S = 10.0
_READING_S = 5.0
_NORMAL = 1.959964
"""Half of the 95 % interval of a normal number."""
Run = Mapping[str, Any]


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
    calls: Share
    """Calls that are good both ways."""
    pages: Share | None
    """Pages that are complete within three seconds; None if none was asked for in time."""


@dataclass(frozen=True, slots=True)
class Service:
    """All houses of a network."""

    nodes: Nodes
    gateway: int
    houses: list[House]
    seeds: int
    calls: int
    """In each run."""


@dataclass(frozen=True, slots=True)
class Test:
    """What a house does on top of the scenario's load, and how well it went."""

    unit: str
    """Of the value; empty for a share, 0 to 1."""
    what: str
    flows: Callable[[int, int, float, int], list[dict[str, Any]]]
    """For a house, the gateway, a start [s] and a number of calls that there is time for."""
    value: Callable[[Run], float | None]
    """Of a run; None if nothing could be judged."""


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
        return {**scenario, "flows": [*scenario["flows"], *tests]}


def service(
    source: Source,
    *,
    gateway: str | None = None,
    seed: int | None = None,
    seeds: int = 5,
    settings: Mapping[str, Any] | None = None,
    workers: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Service:
    """Ask every house; two runs a house and seed. `progress` is told the share that is done.

    Raises:
        ScenarioError: the scenario can't be run, is too short, or has no such gateway.
    """
    asked = Asked.of(source, gateway=gateway, seed=seed, settings=settings)
    first, houses = asked.seed, asked.houses
    tasks = [
        (asked.testing(asked.scenario, house, test), {"seed": number})
        for house in houses
        for test in (CALLS, PAGES)
        for number in range(first, first + seeds)
    ]
    done = count_up(1)

    def finished(_result: Result) -> None:
        if progress is not None:
            progress(next(done) / len(tasks))

    runs = [result.json for result in run_tasks(tasks, workers=workers, finished=finished)]
    told = []
    for place, house in enumerate(houses):
        own = runs[2 * seeds * place : 2 * seeds * (place + 1)]
        good = [CALLS.value(run) or 0.0 for run in own[:seeds]]
        soon = [share for run in own[seeds:] if (share := PAGES.value(run)) is not None]
        told.append(House(house, Share.of(good), Share.of(soon) if soon else None))
    return Service(asked.nodes, asked.gateway, told, seeds, asked.calls)


def gateway_of(flows: Sequence[Run]) -> int | None:
    """The node at which most flows end or begin; None if all are drawn from the seed."""
    ends = Counter(flow[end] for flow in flows for end in ("source", "destination"))
    named = [(number, -node) for node, number in ends.items() if isinstance(node, int)]
    return -max(named)[1] if named else None


def _gateway(scenario: Run, nodes: Nodes, told: str | None, count: int) -> int:
    if told is not None:
        found = nodes.number(told)
        if found is None or found >= count:
            raise ScenarioError(f"--gateway: no node is called {told[:40]!r}")
        return found
    found = gateway_of(scenario["flows"])
    if found is None:
        raise ScenarioError("all ends of flows are random: say --gateway NODE")
    return found


_TEST = "service of a house"


def _calls(house: int, gateway: int, begin_s: float, calls: int) -> list[dict[str, Any]]:
    return [
        {
            "kind": "voice", "name": _TEST, "source": ends[0], "destination": ends[1],
            "start_s": begin_s + k * CALL_S, "stop_s": begin_s + (k + 1) * CALL_S,
        }
        for k in range(calls)
        for ends in ((house, gateway), (gateway, house))
    ]  # fmt: skip


def _pages(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    page = {"kind": "web", "source": house, "destination": gateway, "reading_s": _READING_S}
    return [{**page, "name": _TEST, "start_s": begin_s}]


def _bulk(house: int, gateway: int, begin_s: float, _calls: int) -> list[dict[str, Any]]:
    return [
        {"kind": "ftp", "name": _TEST, "source": gateway, "destination": house, "start_s": begin_s}
    ]


def _good(run: Run) -> float:
    """The share of calls that are good both ways."""
    scores = [
        float(flow["voice"]["mos"] or 0) for flow in run["flows"] if flow.get("name") == _TEST
    ]
    both = [min(pair) for pair in zip(scores[::2], scores[1::2], strict=True)]
    return float(sum(score >= GOOD_MOS for score in both) / len(both))


def _soon(run: Run) -> float | None:
    """The share of pages that came soon, of those that had the time for it."""
    asked = [flow for flow in run["flows"] if flow.get("name") == _TEST and "transfers" in flow]
    judged = [
        time_s is not None and time_s <= SOON_S
        for flow in asked
        for start_s, time_s in zip(
            flow["transfers"]["start_s"], flow["transfers"]["time_s"], strict=True
        )
        if time_s is not None or start_s + SOON_S <= flow["stop_s"]
    ]
    return sum(judged) / len(judged) if judged else None


def _kbps(run: Run) -> float:
    """What the bulk transfer got."""
    return float(
        sum(flow["goodput_bps"] for flow in run["flows"] if flow.get("name") == _TEST) / 1e3
    )


CALLS = Test("", "good calls", _calls, _good)
PAGES = Test("", f"pages within {SOON_S:g} s", _pages, _soon)
GOODPUT = Test("kbit/s", "goodput of a download", _bulk, _kbps)
TESTS = {"calls": CALLS, "pages": PAGES, "goodput": GOODPUT}
"""By the name that a person gives it."""
