"""Networks that agents steer step by step, in the engine: what all environments are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from multihop import consent, engine
from multihop.gym.quantities import Of, Quantity, named
from multihop.overriding import overrides_of, settings_of
from multihop.scenario import MAX_SEED, ScenarioSource, load, plain

if TYPE_CHECKING:
    from multihop.result_types import RunResult

Observation = NDArray[np.float32]
"""Shares of ranges, 0 to 1, of what agents observe."""

Action = NDArray[np.float32]
"""Numbers from -1 to 1 over the ranges of what agents set."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What agents are, what they observe and set, and their reward."""

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
        return replace(
            self,
            only=_listed(self.only),
            observes=_listed(self.observes) or local,
            sets=_listed(self.sets) or sets,
        )

    def observed(self) -> list[Quantity]:
        """What they observe, in the order of an observation."""
        known = {each.name: each for each in named(self.of, is_set=False)}
        return [known[name] for name in self.filled().observes]

    def set(self) -> list[Quantity]:
        """What they set, in the order of an action."""
        known = {each.name: each for each in named(self.of, is_set=True)}
        return [known[name] for name in self.filled().sets]


def _listed(given: Any) -> Any:
    """The items of a sequence or an array; what is none is left for the engine to refuse."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return given if is_one else [*given]


class Options(TypedDict, total=False):
    """What every environment takes besides its scenario and plan."""

    scheme: str | None
    set: Mapping[str, Any] | None
    networks: Sequence[int] | None
    """The seeds that episodes draw from; any where absent."""
    allow_code: bool


@dataclass
class Draw:
    """Which networks episodes are of: each has a scenario and a seed."""

    scenarios: int
    networks: Sequence[int] | None = None
    """The seeds to draw from; any where absent."""

    def __post_init__(self) -> None:
        if self.networks is not None and not len(self.networks):
            raise ValueError("networks: must hold at least one seed (got none)")

    def next(self, random: np.random.Generator, options: Mapping[str, Any]) -> tuple[int, int]:
        """The next one; `options` may say `network` (a seed) and `scenario` (an index).

        Raises:
            ValueError: one of them is none.
        """
        scenario = int(random.integers(self.scenarios))
        if self.networks is None:
            network = int(random.integers(2**31))
        else:
            network = self.networks[int(random.integers(len(self.networks)))]
        return (
            _whole("scenario", options.get("scenario", scenario), self.scenarios - 1),
            _whole("network", options.get("network", network), MAX_SEED),
        )


def _whole(key: str, value: Any, most: int) -> int:
    """A whole number from 0 to `most`.

    Raises:
        ValueError: it is none; with its key.
    """
    if not isinstance(value, (int, np.integer)) or not 0 <= value <= most:
        raise ValueError(f"{key}: must be a whole number, 0 to {most} (got {value!r})")
    return int(value)


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
        for name, number in (("scenario", len(given)), ("num_envs", count), ("workers", workers)):
            if number < 1:
                raise ValueError(f"{name}: must be at least one (got {number})")
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
            planned = engine.to_json(plain(asdict(self.plan)))
            self._networks = engine.Networks(texts, planned, count, workers)
        self.count = count
        self.numbers: list[int] = self._networks.numbers
        self.agents = len(self.numbers)
        self.width = len(self.plan.observes)
        self.wanted = len(self.plan.sets)

    def step(
        self, actions: Action | None, fresh: Sequence[tuple[int, int, int]] = ()
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_]]:
        """Start the `fresh` (index, scenario, seed); all others take a step with `actions`.

        Returns:
            Observations (network, agent, number), rewards (network, agent), and whether each run
            has ended.

        Raises:
            ValueError: there are not as many actions, or one is no number.
        """
        if actions is not None:
            actions = self._actions(actions)
        elif not fresh:
            raise self._refused("none")
        observed = np.empty((self.count, self.agents, self.width), np.float32)
        rewards = np.empty((self.count, self.agents), np.float64)
        ended = np.empty(self.count, np.uint8)
        self._networks.step([*fresh], actions, observed, rewards, ended)
        return observed, rewards, ended.astype(bool)

    def _actions(self, given: Action) -> Action:
        """The actions by network, agent and number."""
        shape = (self.count, self.agents, self.wanted)
        try:
            actions = np.ascontiguousarray(given, np.float32)
        except (TypeError, ValueError):
            raise self._refused(f"{given!r:.100}") from None
        if actions.size != math.prod(shape):
            raise self._refused(f"{actions.size} numbers")
        actions = actions.reshape(shape)
        if np.isnan(actions).any():
            network, agent, number = np.argwhere(np.isnan(actions))[0]
            at = f" of network {network}" if self.count > 1 else ""
            name = f"{self.plan.sets[number]} of {self.plan.of} {self.numbers[agent]}{at}"
            raise self._refused(f"nan for {name}")
        return actions

    def _refused(self, got: str) -> ValueError:
        """The error of an action that is not what a step takes."""
        total = self.count * self.agents * self.wanted
        each = f"{self.count} networks × {self.agents} {self.plan.of}s × {self.wanted} set"
        return ValueError(f"action: must be {total} numbers, -1 to 1: {each} (got {got})")

    def now_s(self, index: int = 0) -> float:
        """How far a network is [s]."""
        return self._networks.now_s(index) or 0.0

    def result(self, index: int = 0) -> RunResult:
        """The result of a run, as far as it is.

        Raises:
            RuntimeError: the network has not been reset.
        """
        text = self._networks.result(index)
        if text is None:
            raise RuntimeError("reset comes first")
        return cast("RunResult", json.loads(text))
