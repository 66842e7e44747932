"""One agent: of a sender, of a node, or of the whole network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces

from multihop.gym.quantities import Of
from multihop.gym.steered import Action, Observation, Options, Plan, Steered
from multihop.scenario import ScenarioSource

if TYPE_CHECKING:
    from multihop.result_types import RunResult

_OF_PLANS = ("every_s", "by_event", "reward", "observes", "sets")
"""Options of a plan but for what it is of."""


def box(low: float, shape: tuple[int, ...]) -> spaces.Box[np.float32]:
    """Numbers from `low` to 1."""
    return spaces.Box(low, 1.0, shape, np.float32)


class NetworkEnv(gymnasium.Env[Observation, Action]):
    """One agent that steers all flows, or all nodes, of a plan at once.

    An observation has, agent of the plan by agent, the share of its range that each number observed
    is at, 0 to 1 (`plan.observed()` has units and ranges). An action has, in the same order, a
    number from -1 to 1 over the range of each that is set (`plan.set()`). An episode is a run of
    the scenario, on a network of its own; it is truncated at the end.

    Args:
        scenario: as for `multihop.run`; of several, episodes draw one. All have as many agents.
        plan: what is observed and set, and the reward.
        scheme, set, allow_code: as for `multihop.run`.
        networks: the seeds that episodes draw from; any where absent. `reset(options=...)` may
            name a `network` and a `scenario` (its index).

    Raises:
        ScenarioError: the scenario can't be run, or its agents can't be steered so.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        scenario: ScenarioSource | Sequence[ScenarioSource],
        plan: Plan,
        **options: Unpack[Options],
    ) -> None:
        self.steered = Steered(scenario, plan, **options)
        self.plan = self.steered.plan
        agents = self.steered.agents
        self.observation_space = box(0.0, (agents * self.steered.width,))
        self.action_space = box(-1.0, (agents * self.steered.wanted,))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        scenario, network = self.steered.draw.next(self.np_random, options or {})
        observed, _, _ = self.steered.step(None, [(0, scenario, network)])
        return observed.reshape(-1), {"network": network, "scenario": scenario}

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do as `action` says until the next decision."""
        observed, rewards, ended = self.steered.step(action)
        info = {"now_s": self.steered.now_s()}
        reward = float(rewards[0].mean())  # the same for all but by `own`
        return observed.reshape(-1), reward, False, bool(ended[0]), info

    def result(self) -> RunResult:
        """What `multihop.run` would return, up to now."""
        return self.steered.result()


def sender_env(
    scenario: ScenarioSource | Sequence[ScenarioSource], flow: int = 0, **options: Any
) -> NetworkEnv:
    """An agent of one flow's TCP sender; options of `Plan` and `NetworkEnv`."""
    return NetworkEnv(scenario, plan_of("flow", flow, options), **options)


def node_env(
    scenario: ScenarioSource | Sequence[ScenarioSource], node: int = 0, **options: Any
) -> NetworkEnv:
    """An agent of one node; options of `Plan` and `NetworkEnv`."""
    return NetworkEnv(scenario, plan_of("node", node, options), **options)


def plan_of(of: Of, number: int, options: dict[str, Any]) -> Plan:
    """The plan of one agent; its options are taken from `options`."""
    return Plan(of, [number], **{key: options.pop(key) for key in _OF_PLANS if key in options})
