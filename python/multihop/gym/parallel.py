"""An agent for each flow or node, deciding at the same instants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from multihop.gym.single import box
from multihop.gym.steered import Action, Observation, Options, Plan, Steered
from multihop.scenario import ScenarioSource

if TYPE_CHECKING:
    from multihop.result_types import RunResult


class AgentsEnv(ParallelEnv[str, Observation, Action]):  # type: ignore[misc]  # it is not typed
    """A network with an agent for each flow, or each node, of a plan: `flow 0`, `node 3`.

    Observations and actions are those of one agent, as in `NetworkEnv`; `state()` has all of them.

    Args:
        scenario, plan, scheme, set, networks, allow_code: as for `NetworkEnv`.
    """

    metadata = {"render_modes": [], "name": "multihop"}  # noqa: RUF012  # as PettingZoo has it

    def __init__(
        self,
        scenario: ScenarioSource | Sequence[ScenarioSource],
        plan: Plan,
        **options: Unpack[Options],
    ) -> None:
        self.steered = Steered(scenario, plan, **options)
        self.plan = self.steered.plan
        self.possible_agents = [f"{plan.of} {number}" for number in self.steered.numbers]
        self.agents: list[str] = []
        self._observes = {name: box(0.0, (self.steered.width,)) for name in self.possible_agents}
        self._sets = {name: box(-1.0, (self.steered.wanted,)) for name in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._state = np.zeros((self.steered.agents, self.steered.width), np.float32)

    def observation_space(self, agent: str) -> spaces.Box[np.float32]:
        """What an agent observes."""
        return self._observes[agent]

    def action_space(self, agent: str) -> spaces.Box[np.float32]:
        """What it sets."""
        return self._sets[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        scenario, network = self.steered.draw.next(self._random, options or {})
        observed, _, _ = self.steered.step(None, [(0, scenario, network)])
        self.agents = [*self.possible_agents]
        self._state = observed[0]
        return self._by_agent(observed[0]), {name: {"network": network} for name in self.agents}

    def step(
        self, actions: Mapping[str, Action]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Take the agents' actions until the next decision; one without an action takes zeros.

        Raises:
            ValueError: there is no such agent.
            RuntimeError: the episode has ended, or none has begun.
        """
        if not self.agents:
            raise RuntimeError("reset comes first")
        if unknown := [name for name in actions if name not in self.possible_agents]:
            raise ValueError(f"actions: no agent {unknown[0]!r}; there are {self._named()}")
        wanted = np.zeros((1, self.steered.agents, self.steered.wanted), np.float32)
        for index, name in enumerate(self.possible_agents):
            if name in actions:
                wanted[0, index] = self._checked(name, actions[name])
        observed, rewards, ended = self.steered.step(wanted)
        agents = self.agents
        self._state = observed[0]
        if ended[0]:
            self.agents = []
        return (
            self._by_agent(observed[0]),
            dict(zip(agents, rewards[0].tolist(), strict=True)),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, bool(ended[0])),
            {name: {} for name in agents},
        )

    def state(self) -> Observation:
        """What all agents observe (agent, number)."""
        return self._state.copy()

    def result(self) -> RunResult:
        """What `multihop.run` would return, up to now."""
        return self.steered.result()

    def _checked(self, name: str, action: Action) -> Action:
        """An agent's action, if it has as many numbers as it sets."""
        wanted = f"{self.steered.wanted} numbers from -1 to 1"
        try:
            given = np.ravel(np.asarray(action, np.float32))
        except (TypeError, ValueError):
            raise ValueError(f"actions: {name}: must be {wanted} (got {action!r:.100})") from None
        if len(given) != self.steered.wanted:
            raise ValueError(f"actions: {name}: must be {wanted} (got {len(given)})")
        return given

    def _named(self) -> str:
        """The first and the last agent's names."""
        return " to ".join(dict.fromkeys([self.possible_agents[0], self.possible_agents[-1]]))

    def _by_agent(self, observed: Observation) -> dict[str, Observation]:
        return dict(zip(self.possible_agents, observed, strict=True))
