"""Reading numbers from the engine's results, as most metrics do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from multihop.result_types import FlowReport, RunResult
from multihop.results import numbers


def flow_key(name: str) -> Callable[[RunResult, FlowReport], float | None]:
    """A number that the engine reports of each flow."""
    return lambda _run, flow: numbers(flow).get(name)


def mac_count(name: str) -> Callable[[RunResult], float]:
    """A counter of all MACs together."""
    return lambda run: float(numbers(run["mac"])[name])


def routing_count(name: str) -> Callable[[RunResult], float]:
    """A counter of all routing agents together."""
    return lambda run: float(numbers(run["routing"])[name])


def total(run: RunResult, name: str) -> float:
    """Sum of a number over the flows."""
    return float(sum(numbers(flow).get(name) or 0 for flow in run["flows"]))


def ratio(above: float, below: float) -> float | None:
    """`above / below`; None where `below` is 0."""
    return above / below if below else None


def mean(values: Sequence[float]) -> float | None:
    """Mean of the values; None where there are none."""
    return sum(values) / len(values) if values else None


def per_node_second(run: RunResult, count: float) -> float | None:
    """A count per node and second of the run."""
    return ratio(count, len(run["positions_m"]) * run["scenario"]["duration_s"])
