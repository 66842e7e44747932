"""Reading numbers from the engine's results, as most metrics do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from multihop.results import FlowJson, JsonObject, RunJson


def flow_key(name: str) -> Callable[[RunJson, FlowJson], float | None]:
    """A number that the engine reports of each flow."""
    return lambda _run, flow: flow.get(name)


def mac_count(name: str) -> Callable[[RunJson], float]:
    """A counter of all MACs together."""
    return lambda run: float(run["mac"][name])


def routing_count(name: str) -> Callable[[RunJson], float]:
    """A counter of all routing agents together."""
    return lambda run: float(run["routing"][name])


def total(run: RunJson, name: str) -> float:
    """Sum of a number over the flows."""
    return float(sum(flow.get(name) or 0 for flow in run["flows"]))


def scheme_report(run: RunJson, name: str) -> JsonObject | None:
    """What the scheme `name` adds to a result; None if it took no part in the run."""
    report: JsonObject | None = run["schemes"].get(name)
    return report


def ratio(above: float, below: float) -> float | None:
    """`above / below`; None where `below` is 0."""
    return above / below if below else None


def mean(values: Sequence[float]) -> float | None:
    """Mean of the values; None where there are none."""
    return sum(values) / len(values) if values else None


def per_node_second(run: RunJson, count: float) -> float | None:
    """A count per node and second of the run."""
    return ratio(count, len(run["positions_m"]) * run["scenario"]["duration_s"])
