"""Policies as weights: kept in a file, named by scenarios, run by the engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from multihop.files import write_atomically
from multihop.gym.steered import Actions, Observed, Plan

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
        planned = plan.filled()
        widths = [len(planned.observes), *hidden, len(planned.sets)]
        if len(parameters) != cls.count(plan, hidden):
            raise ValueError(f"{cls.count(plan, hidden)} parameters are needed")
        layers, at = [], 0
        for come, go in pairwise(widths):
            weights = parameters[at : at + come * go].reshape(go, come)
            biases = parameters[at + come * go : at + come * go + go]
            at += come * go + go
            layers.append(Layer(weights.copy(), biases.copy(), "tanh"))
        return cls(planned, layers)

    @staticmethod
    def count(plan: Plan, hidden: Sequence[int] = ()) -> int:
        """Weights and biases of a policy with layers of these widths between."""
        planned = plan.filled()
        widths = [len(planned.observes), *hidden, len(planned.sets)]
        return sum((come + 1) * go for come, go in pairwise(widths))

    def __call__(self, observed: Observed) -> Actions:
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
        told: dict[str, Any] = {"title": self.title} if self.title else {}
        told |= {"of": plan.of, "every_s": plan.every_s}
        if plan.only is not None:
            told["only"] = [*plan.only]
        told |= {"observes": [*plan.observes], "sets": [*plan.sets]}
        told["layers"] = [
            {
                "weights": layer.weights.tolist(),
                "biases": layer.biases.tolist(),
                "activation": layer.activation,
            }
            for layer in self.layers
        ]
        return told

    def save(self, path: str | Path) -> None:
        """Write it as JSON.

        Raises:
            OSError: the file can't be written.
        """
        write_atomically(Path(path), json.dumps(self.table()) + "\n")
