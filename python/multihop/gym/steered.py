"""Networks that agents steer step by step, in the engine: what all environments are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from multihop import consent, engine
from multihop.gym.quantities import Of, Quantity, named
from multihop.overriding import overrides_of, settings_of
from multihop.scenario import ScenarioSource, load

if TYPE_CHECKING:
    from multihop.result_types import RunResult

Observed = NDArray[np.float32]
"""Shares of ranges, 0 to 1, of what agents observe."""

Actions = NDArray[np.float32]
"""Numbers from -1 to 1 over the ranges of what agents set."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What agents are, what they observe and set, and what is good."""

    of: Of
    """Each is of a flow's TCP sender, or of a node."""
    only: Sequence[int] | None = None
    """The flows or nodes; all where absent."""
    observes: Sequence[str] = ()
    """Names of `QUANTITIES`; where absent all that is local."""
    sets: Sequence[str] = ()
    """Where absent a sender's `pacing_s`, a node's `least_window_slots`."""
    every_s: float = 0.5
    """Time between decisions [s]; the first is after it."""
    by_event: bool = False
    """A decision also comes when something happens at an agent: an acknowledgment of new data at a
    sender, a packet that joins or leaves a node's queue."""
    reward: Literal["goodput", "fair", "own"] = "goodput"
    """What each step brings: what all flows have delivered since the last [Mbit/s]; the mean over
    flows of ln(1 + kbit/s); or what the agent's own flow or node has delivered [Mbit/s]."""

    def filled(self) -> Plan:
        """The same with names in place of defaults."""
        local = [each.name for each in named(self.of, is_set=False) if each.is_local]
        sets = ["pacing_s"] if self.of == "flow" else ["least_window_slots"]
        return Plan(
            self.of,
            None if self.only is None else [*self.only],
            [*self.observes] or local,
            [*self.sets] or sets,
            self.every_s,
            self.by_event,
            self.reward,
        )

    def observed(self) -> list[Quantity]:
        """What they observe, in the order of an observation."""
        known = {each.name: each for each in named(self.of, is_set=False)}
        return [known[name] for name in self.filled().observes]

    def set(self) -> list[Quantity]:
        """What they set, in the order of an action."""
        known = {each.name: each for each in named(self.of, is_set=True)}
        return [known[name] for name in self.filled().sets]


@dataclass
class Draw:
    """Which networks episodes are of: each has a scenario and a seed."""

    scenarios: int
    networks: Sequence[int] | None = None
    """The seeds to draw from; any where absent."""

    def next(self, random: np.random.Generator, options: Mapping[str, Any]) -> tuple[int, int]:
        """The next one; `options` may say `network` (a seed) and `scenario` (a place)."""
        scenario = int(random.integers(self.scenarios))
        if self.networks is None:
            network = int(random.integers(2**31))
        else:
            network = int(self.networks[int(random.integers(len(self.networks)))])
        return int(options.get("scenario", scenario)), int(options.get("network", network))


class Steered:
    """So many networks with the same agents, stepped together.

    Raises:
        ScenarioError: a scenario can't be run, or its flows or nodes can't be steered so.
    """

    def __init__(
        self,
        scenario: ScenarioSource | Sequence[ScenarioSource],
        plan: Plan,
        count: int = 1,
        *,
        scheme: str | None = None,
        set: Mapping[str, Any] | None = None,
        networks: Sequence[int] | None = None,
        workers: int = 1,
        allow_code: bool = False,
    ) -> None:
        given = [scenario] if isinstance(scenario, (str, Path, Mapping)) else [*scenario]
        self.plan = plan.filled()
        self.draw = Draw(len(given), networks)
        settings = settings_of(scheme, None, set)
        texts: list[tuple[str, str, str]] = []
        for each in given:
            source = load(each)
            overrides = overrides_of(source, scheme, settings)
            texts.append((source.text, engine.to_json(overrides), source.syntax))
        giving = consent.giving(scheme, *(set or {}).values(), to_all=allow_code)
        with giving, consent.running():
            planned = json.dumps(asdict(self.plan))
            self._networks = engine.Networks(texts, planned, count, workers)
        self.count = count
        self.numbers: list[int] = self._networks.numbers
        self.agents = len(self.numbers)
        self.width = len(self.plan.observes)
        self.wanted = len(self.plan.sets)
        self._observed = np.zeros((count, self.agents, self.width), np.float32)
        self._rewards = np.zeros((count, self.agents), np.float64)
        self._ended = np.zeros(count, np.uint8)

    def step(
        self, actions: Actions | None, fresh: Sequence[tuple[int, int, int]] = ()
    ) -> tuple[Observed, NDArray[np.float64], NDArray[np.bool_]]:
        """Start the `fresh` (place, scenario, seed); all others take a step with `actions`.

        Returns:
            Observations (network, agent, number), rewards (network, agent), and whether each run
            has ended.
        """
        if actions is not None:
            shape = (self.count, self.agents, self.wanted)
            actions = np.ascontiguousarray(actions, np.float32).reshape(shape)
        self._networks.step([*fresh], actions, self._observed, self._rewards, self._ended)
        return self._observed.copy(), self._rewards.copy(), self._ended.astype(bool)

    def now_s(self, place: int = 0) -> float:
        """How far a network is [s]."""
        return self._networks.now_s(place) or 0.0

    def result(self, place: int = 0) -> RunResult:
        """The result of a run, as far as it is.

        Raises:
            RuntimeError: the network has not been reset.
        """
        text = self._networks.result(place)
        if text is None:
            raise RuntimeError("reset comes first")
        return cast("RunResult", json.loads(text))
