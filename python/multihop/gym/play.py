"""Episodes of an agent that is any function."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.gym.single import NetworkEnv
from multihop.gym.steered import Observation

if TYPE_CHECKING:
    from multihop.result_types import RunResult


class AgentError(RuntimeError):
    """An agent has failed; one line with its file and line."""


def play(
    agent: Callable[[Observation], Any], env: NetworkEnv, networks: Iterable[int]
) -> list[RunResult]:
    """The result of an episode on each of `networks` (seeds), with what `agent` wants.

    Raises:
        AgentError: what `agent` does or returns is wrong.
    """
    results = []
    for network in networks:
        observed, _ = env.reset(options={"network": network})
        ended = False
        while not ended:
            try:
                action = np.asarray(agent(observed), np.float32)
                if action.shape != env.action_space.shape:
                    shapes = f"must be of shape {env.action_space.shape} (got {action.shape})"
                    raise ValueError(f"its action {shapes}")
            except Exception as error:  # whatever an agent raises
                raise AgentError(_told(error, agent)) from error
            observed, _, _, ended, _ = env.step(action)
        results.append(env.result())
    return results


def _told(error: Exception, agent: Callable[..., Any]) -> str:
    """The place of the error, in the agent's own code if it is there, and the error."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    code = getattr(agent, "__code__", None)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    said = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if own:
        return f"{Path(own[-1].filename).name}: line {own[-1].lineno}: {said}"
    if code is not None:
        return f"{Path(code.co_filename).name}: line {code.co_firstlineno}: {said}"
    return said
