"""Many networks at once, stepped by the engine on a few threads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from multihop.gym.single import NetworkEnv, box, node_env, plan_of, sender_env
from multihop.gym.steered import Action, Observation, Options, Plan, Steered
from multihop.scenario import ScenarioSource

if TYPE_CHECKING:
    from multihop.result_types import RunResult


class VectorNetworks(VectorEnv[Observation, Action, NDArray[Any]]):
    """As many of `NetworkEnv` as asked for, in one call of the engine a step.

    Observations are of shape (num_envs, numbers), as a `NetworkEnv` has them. An episode that has
    ended begins anew with the next step, which ignores its action (Gymnasium's NEXT_STEP).

    Args:
        scenario, plan, scheme, set, networks, allow_code: as for `NetworkEnv`.
        num_envs: networks.
        workers: threads; all cores where absent. Results do not depend on it.
    """

    def __init__(
        self,
        scenario: ScenarioSource | Sequence[ScenarioSource],
        plan: Plan,
        num_envs: int = 1,
        *,
        workers: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        threads = (os.cpu_count() or 1) if workers is None else workers
        self.steered = Steered(scenario, plan, num_envs, workers=threads, **options)
        self.plan = self.steered.plan
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        agents = self.steered.agents
        self.single_observation_space = box(0.0, (agents * self.steered.width,))
        self.single_action_space = box(-1.0, (agents * self.steered.wanted,))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode on each network."""
        super().reset(seed=seed)
        fresh = self._fresh(range(self.num_envs), options or {})
        observed, _, _ = self.steered.step(None, fresh)
        self._over = np.zeros(self.num_envs, bool)
        return observed.reshape(self.num_envs, -1), self._told(fresh)

    def step(
        self, actions: Action
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Do as `actions` say until the next decision; begin anew what has ended."""
        fresh = self._fresh(np.flatnonzero(self._over).tolist(), {})
        observed, rewards, ended = self.steered.step(actions, fresh)
        reward = rewards.mean(axis=1)
        reward[self._over] = 0.0
        self._over = ended
        never = np.zeros(self.num_envs, bool)
        info = self._told(fresh) if fresh else {}
        return observed.reshape(self.num_envs, -1), reward, never, ended, info

    def result(self, index: int) -> RunResult:
        """What `multihop.run` would return of a network, up to now."""
        return self.steered.result(index)

    def _fresh(
        self, indices: Sequence[int], options: Mapping[str, Any]
    ) -> list[tuple[int, int, int]]:
        draw = self.steered.draw
        return [(index, *draw.next(self.np_random, options)) for index in indices]

    def _told(self, fresh: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
        networks, begun = np.zeros(self.num_envs, np.int64), np.zeros(self.num_envs, bool)
        for index, _, network in fresh:
            networks[index], begun[index] = network, True
        return {"network": networks, "_network": begun}


def sender_vector(
    scenario: ScenarioSource | Sequence[ScenarioSource],
    num_envs: int = 1,
    flow: int = 0,
    **options: Any,
) -> VectorNetworks:
    """As `sender_env`, many of them."""
    return VectorNetworks(scenario, plan_of("flow", flow, options), num_envs, **options)


def node_vector(
    scenario: ScenarioSource | Sequence[ScenarioSource],
    num_envs: int = 1,
    node: int = 0,
    **options: Any,
) -> VectorNetworks:
    """As `node_env`, many of them."""
    return VectorNetworks(scenario, plan_of("node", node, options), num_envs, **options)


def register() -> None:
    """Tell Gymnasium the names of the environments."""
    made = {
        "Sender": (sender_env, sender_vector),
        "Node": (node_env, node_vector),
        "Network": (NetworkEnv, VectorNetworks),
    }
    for name, (one, many) in made.items():
        gymnasium.register(
            f"multihop/{name}", entry_point=cast("Any", one), vector_entry_point=cast("Any", many)
        )
