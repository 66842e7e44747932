"""Policies as weights: kept in a file, named by scenarios, run by the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multihop.files import write_atomically
from multihop.gym.steered import Action, Observation, Plan

Activation = Literal["none", "tanh", "relu"]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer of a feed-forward network."""

    weights: NDArray[np.float64]
    """A row for each number that comes out (out, in)."""
    biases: NDArray[np.float64]
    activation: Activation = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A feed-forward network from what agents of a plan observe to what they set.

    A scenario has the file of it in an `[[agents]]` table, and the engine runs it: see `table`.
    """

    plan: Plan
    layers: Sequence[Layer]
    title: str = ""

    @classmethod
    def of_parameters(
        cls, plan: Plan, parameters: NDArray[np.float64], hidden: Sequence[int] = ()
    ) -> Policy:
        """The policy whose weights and biases, layer by layer, stand in one vector.

        Raises:
            ValueError: there are not as many (`count`).
        """
        planned, needed = plan.filled(), cls.count(plan, hidden)
        if len(parameters) != needed:
            raise ValueError(f"parameters: must be {needed} (got {len(parameters)})")
        layers, at = [], 0
        for inputs, outputs in _widths(planned, hidden):
            weights = parameters[at : at + inputs * outputs].reshape(outputs, inputs)
            biases = parameters[at + inputs * outputs :][:outputs]
            at += (inputs + 1) * outputs
            layers.append(Layer(weights.copy(), biases.copy(), "tanh"))
        return cls(planned, layers)

    @classmethod
    def of_arrays(
        cls,
        plan: Plan,
        arrays: Sequence[ArrayLike],
        hidden: Activation = "tanh",
        last: Activation = "none",
        title: str = "",
    ) -> Policy:
        """The policy of weights (out, in) and biases (out) in turn, as other libraries keep them.

        `hidden` is what follows all layers but the last. What comes out is clipped to -1 to 1.

        Raises:
            ValueError: an array is missing, has another shape, or numbers that are not finite.
        """
        planned, found = plan.filled(), [np.asarray(each, np.float64) for each in arrays]
        if not found or len(found) % 2:
            raise ValueError(f"arrays: must be weights and biases in turn (got {len(found)})")
        layers, inputs = [], len(planned.observes)
        for at in range(0, len(found), 2):
            weights, biases = found[at : at + 2]
            is_last = at + 2 == len(found)
            outputs = len(planned.sets) if is_last else biases.size
            _check(f"arrays[{at}]", weights, (outputs, inputs))
            _check(f"arrays[{at + 1}]", biases, (outputs,))
            layers.append(Layer(weights.copy(), biases.copy(), last if is_last else hidden))
            inputs = outputs
        return cls(planned, layers, title)

    @staticmethod
    def count(plan: Plan, hidden: Sequence[int] = ()) -> int:
        """Weights and biases of a policy with layers of these widths between."""
        return sum((inputs + 1) * outputs for inputs, outputs in _widths(plan.filled(), hidden))

    def __call__(self, observed: Observation) -> Action:
        """What agents set (..., numbers) from what they observe (..., numbers)."""
        numbers = observed.astype(np.float64)
        for layer in self.layers:
            numbers = numbers @ layer.weights.T + layer.biases
            if layer.activation == "tanh":
                numbers = np.tanh(numbers)
            elif layer.activation == "relu":
                numbers = np.maximum(numbers, 0.0)
        return np.clip(numbers, -1.0, 1.0).astype(np.float32)

    def table(self) -> dict[str, Any]:
        """The policy as an `[[agents]]` table of a scenario."""
        plan = self.plan.filled()
        table: dict[str, Any] = {"title": self.title} if self.title else {}
        table |= {"of": plan.of, "every_s": plan.every_s}
        if plan.only is not None:
            table["only"] = [*plan.only]
        table |= {"observes": [*plan.observes], "sets": [*plan.sets]}
        table["layers"] = [
            {
                "weights": layer.weights.tolist(),
                "biases": layer.biases.tolist(),
                "activation": layer.activation,
            }
            for layer in self.layers
        ]
        return table

    def save(self, path: str | Path) -> None:
        """Write it as JSON.

        Raises:
            OSError: the file can't be written.
        """
        write_atomically(Path(path), json.dumps(self.table()) + "\n")


def _check(name: str, array: NDArray[np.float64], shape: tuple[int, ...]) -> None:
    """Refuse an array of another shape, or with numbers that are not finite."""
    if array.shape != shape:
        raise ValueError(f"{name}: must be of shape {shape} (got {array.shape})")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: must be finite")


def _widths(plan: Plan, hidden: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Numbers that go into and come out of each layer."""
    return pairwise([len(plan.observes), *hidden, len(plan.sets)])
