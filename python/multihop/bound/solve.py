"""The bound on what a scenario's flows can get, whatever routes, schedules and transports do."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multihop.bound.moving import Mean
from multihop.bound.network import Network, read
from multihop.bound.objectives import NAMES, Name, Objective, Vector, plain
from multihop.bound.region import Region
from multihop.errors import ScenarioError
from multihop.scenario import ScenarioSource
from multihop.statistics import jain

if TYPE_CHECKING:
    from multihop.reading import Reading

GAP = 0.01
"""A bound is certain to be above the best by no more than this share, if time allows."""
SECONDS = 60.0
_POINTS = 8
"""Points of a curve between the highest total and the fairest."""
_ROUNDING = 1e-6
"""Floors are lower by this share, so that rounding does not break them."""


@dataclass(frozen=True, slots=True)
class FlowBound:
    """A flow, and what it gets where the objective is best."""

    id: int
    kind: str
    source: int
    destination: int
    hops: int | None
    """Of a shortest path at the start."""
    rate_bps: float
    name: str | None = None
    """Of its table, if that has one."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the trade-off between total and fairness."""

    least_bps: float
    """What every flow gets at least."""
    total_bps: float
    """No run in which every flow gets that has a higher total."""
    jain: float
    """Of the rates there."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What no run can exceed, and rates that come near it."""

    objective: Name
    bound: float
    """Of the total or the least rate [bit/s]; of the geometric mean of rates, proportional."""
    reached: float
    """The same of the rates below: the true limit of the model lies between."""
    gap: float
    """By what share the bound may be too high."""
    seconds: float
    """Time that it took."""
    seed: int
    span_s: float
    """Arrivals count by this time: from the first flow's start to the last one's stop."""
    flows: tuple[FlowBound, ...]
    curve: tuple[Point, ...] = ()
    moves: bool = False
    """Nodes move: then a packet that waits in a relay meanwhile is not counted."""
    node_names: tuple[str, ...] = ()
    """Empty if nodes have numbers alone."""

    @property
    def exception(self) -> str:
        """What the bound leaves out of this network, in words for people; empty if nothing."""
        if not self.moves:
            return ""
        return (
            "Nodes move: a packet that waits in a relay meanwhile, and goes on where it could not "
            "have gone at once, is not counted, so a run that carries few packets may be above."
        )

    @property
    def total_bps(self) -> float:
        """What no run's total exceeds, for "total"; otherwise the sum of the rates."""
        if self.objective == "total":
            return self.bound
        return float(sum(flow.rate_bps for flow in self.flows))

    @property
    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        plain_flows = [
            {key: getattr(flow, key) for key in flow.__slots__ if key != "name" or flow.name}
            for flow in self.flows
        ]
        points = [{name: getattr(point, name) for name in point.__slots__} for point in self.curve]
        return {
            "objective": self.objective,
            "total_bps": self.total_bps,
            "bound": self.bound,
            "reached": self.reached,
            "gap": self.gap,
            "seconds": self.seconds,
            "seed": self.seed,
            "span_s": self.span_s,
            "moves": self.moves,
            "flows": plain_flows,
            **({"node_names": [*self.node_names]} if self.node_names else {}),
            **({"curve": points} if points else {}),
        }


def bound(
    scenario: ScenarioSource,
    *,
    objective: Name = "total",
    seed: int | None = None,
    scheme: str | None = None,
    reading: str | Reading | None = None,
    set: Mapping[str, Any] | None = None,
    curve: bool = False,
    gap: float = GAP,
    seconds: float = SECONDS,
) -> Bound:
    """Bound the rates that any routing, scheduling and transport could give a scenario's flows.

    Args:
        scenario: path of a scenario file, TOML text, or the same as a mapping.
        objective: "total", the sum of the rates; "proportional", the sum of their logarithms; or
            "max-min", the least rate, then the least of those that can still grow, and so on.
        seed: the network's; the scenario's own where absent.
        scheme: named choice of routing, transport and MAC laid over the scenario.
        reading: name or file of a reading, laid over the scheme.
        set: further overrides.
        curve: trade the total off against the least rate as well; static networks only.
        gap: the share by which the bound may be too high.
        seconds: about how long to try; the bound holds however long that is.

    Raises:
        ScenarioError: the scenario can't be run, receivers go by signal and noise, or nodes move
            and a curve is asked for.
        ValueError: there is no such objective.
    """
    if objective not in NAMES:
        raise ValueError(f"objective: must be one of {', '.join(NAMES)} (got {objective!r})")
    network = read(scenario, seed=seed, scheme=scheme, reading=reading, set=set)
    if curve and len(network.periods) > 1:
        raise ScenarioError.at("mobility.kind", 'must be "static" for a curve')
    return bound_of(network, objective=objective, curve=curve, gap=gap, seconds=seconds)


def bound_of(
    network: Network,
    *,
    objective: Name = "total",
    curve: bool = False,
    gap: float = GAP,
    seconds: float = SECONDS,
) -> Bound:
    """The same of a network that has been read.

    Raises:
        ScenarioError: stations send in slots.
    """
    if any(kind.is_slotted for kind in network.kinds):
        raise ScenarioError.at(
            "mac.access",
            'must not be "tdma" or "slot-reservation" for a bound: in slots links are in use '
            "together that the DCF keeps apart, so a run could be above",
        )
    begun = time.monotonic()
    mean = Mean(network)
    served = len(mean.served)
    points: tuple[Point, ...] = ()
    if served == 0:
        value = limit = reached_gap = 0.0
        rates_bps = np.zeros(0)
    else:
        reached = mean.best(plain(objective, served), gap=gap, seconds=seconds)
        value, limit, reached_gap = reached.value, reached.bound, reached.gap
        rates_bps = reached.rates_bps
        if objective == "proportional":
            value, limit = (float(np.exp(log / served)) for log in (value, limit))
        if objective == "max-min" and mean.region is not None:
            rates_bps = _filled(mean.region, rates_bps, seconds / 2)
        if curve and mean.region is not None:
            points = _curve(mean.region, gap, seconds)
    rates = np.zeros(len(network.flows))
    rates[mean.served] = rates_bps
    return Bound(
        objective=objective,
        bound=limit,
        reached=value,
        gap=reached_gap,
        seconds=time.monotonic() - begun,
        seed=network.seed,
        span_s=network.span_s,
        flows=tuple(
            FlowBound(
                flow.id, flow.kind, flow.source, flow.destination, flow.hops, float(rate), flow.name
            )
            for flow, rate in zip(network.flows, rates, strict=True)
        ),
        curve=points,
        moves=len(network.periods) > 1,
        node_names=network.node_names,
    )


def _filled(region: Region, rates_bps: Vector, seconds: float) -> Vector:
    """Rates of which the next least is as high as can be, again and again."""
    until = time.monotonic() + seconds
    flows = len(rates_bps)
    objective = plain("max-min", flows)
    while objective.open.any() and time.monotonic() < until:
        least = rates_bps[objective.open].min()
        held = objective.open & (region.slopes > 1e-6 * max(region.slopes.max(), 1e-300))
        if not held.any():
            held = objective.open & (rates_bps <= least * (1 + _ROUNDING))
        floors = objective.floors.copy()
        floors[held] = least * (1 - _ROUNDING)
        objective = Objective("max-min", np.ones(flows), floors, objective.open & ~held)
        if objective.open.any():
            found = region.best(objective, gap=GAP, seconds=(until - time.monotonic()) / 2)
            rates_bps = found.rates_bps
    return rates_bps


def _curve(region: Region, gap: float, seconds: float) -> tuple[Point, ...]:
    """The highest total for each share of the best least rate that all get."""
    flows = len(region.served)
    share_s = seconds / (_POINTS + 1)
    fairest = region.best(plain("max-min", flows), gap=gap, seconds=share_s)
    points = []
    for share in np.linspace(0.0, 1.0, _POINTS):
        floor = fairest.value * share * (1 - _ROUNDING)
        objective = plain("total", flows)
        objective.floors = np.full(flows, floor)
        found = region.best(objective, gap=gap, seconds=share_s)
        points.append(Point(float(floor), found.bound, jain(found.rates_bps)))
    return tuple(points)
