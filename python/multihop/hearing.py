"""Who hears whom in a run, how strongly and when: the engine's own table of links on the air.

What a node receives may be a matter of distance, of links that a file names or measures, of
shadowing, of noise, of movement and of scheduled events. Whoever explains or draws a run asks here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from multihop import engine
from multihop.results import Result

Knot = tuple[float, float, float]
"""A node is at (time_s, x_m, y_m), and goes in a straight line to the next."""
Matrix = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Who hears whom at an instant: an entry for each pair whose signal counts at all."""

    nodes: int
    sender: npt.NDArray[np.uint32]
    node: npt.NDArray[np.uint32]
    """Who hears it."""
    mean_power_dbm: npt.NDArray[np.float32]
    """Received, after propagation, measured gains and shadowing; the mean where links fade. NaN
    where the scenario names links, which have no power."""
    decodes: Matrix
    """Frames at the basic rate, as broadcasts, RTS and CTS, are received with nothing else on the
    air: with a chance of a half at least at the mean power."""
    carries: Matrix
    """So are those and data frames of 1,024 bytes at the lowest rate that they may go at."""
    senses: Matrix
    """Such a signal alone makes the medium busy."""

    def matrix(self, which: Literal["decodes", "carries", "senses", "counts"]) -> Matrix:
        """By sender and hearer, whether it is so; `counts`: whether the signal counts at all."""
        filled = np.zeros((self.nodes, self.nodes), dtype=np.bool_)
        filled[self.sender, self.node] = which == "counts" or getattr(self, which)
        return filled

    def pairs(self) -> list[tuple[int, int]]:
        """Pairs that can exchange data: it goes one way, and what acknowledges it back."""
        way = self.matrix("carries") & self.matrix("decodes").T
        return [(int(a), int(b)) for a, b in np.argwhere(np.triu(way | way.T))]

    def power_dbm(self) -> npt.NDArray[np.float32]:
        """By sender and hearer, the mean power; -inf where it does not count."""
        filled = np.full((self.nodes, self.nodes), -np.inf, dtype=np.float32)
        filled[self.sender, self.node] = self.mean_power_dbm
        return filled


class Hearing:
    """Who hears whom over the time of a run."""

    def __init__(self, of: engine.Hearing) -> None:
        self._of = of
        self.ways: list[list[Knot]] = of.ways
        """By node, the knots of its way to the end of the run; one if it stays."""
        self.nodes = len(self.ways)
        self.moves = any(len(way) > 1 for way in self.ways)
        """Whether any node moves."""
        self.changes_ns: list[int] = of.changes_ns
        """When events kill or restore nodes, or cut or restore links."""
        self.has_power: bool = of.has_power
        """Whether powers mean anything: links that a scenario names have none."""
        self.by_distance: bool = of.by_distance
        """Whether reach is a matter of distance alone: `receive_range_m` and `sense_range_m`."""
        self._knots = [np.asarray(way, dtype=float) for way in self.ways]

    def at(self, time_ns: int) -> Links:
        """Who hears whom then, with events of that instant; quickest in the order of time."""
        sender, node, power, flags = self._of.at(max(int(time_ns), 0))
        bits = np.frombuffer(flags, dtype=np.uint8)
        return Links(
            self.nodes,
            np.frombuffer(sender, dtype="<u4"),
            np.frombuffer(node, dtype="<u4"),
            np.frombuffer(power, dtype="<f4"),
            *((bits & bit).astype(np.bool_) for bit in (1, 2, 4)),
        )

    def positions_m(self, time_ns: int) -> npt.NDArray[np.float64]:
        """Where all nodes are then."""
        time_s = time_ns / 1e9
        return np.array(
            [[np.interp(time_s, way[:, 0], way[:, axis]) for axis in (1, 2)] for way in self._knots]
        )


def of(result: Result) -> Hearing:
    """Who heard whom in a run.

    Raises:
        ScenarioError: the nodes move as a file says that is there no more, and the run did not
            record it (`routes`).
    """
    scenario = result.scenario
    ways: list[Any] | None = result.json.get("movement")
    if not ways and scenario["mobility"]["kind"] == "static":
        ways = [[[0.0, x, y]] for x, y in result.json["positions_m"]]
    scenario = {**scenario, "events": outages(result)}
    if not ways:
        return of_scenario(scenario, result.seed)
    plain = {key: scenario[key] for key in _OF_THE_RADIO if key in scenario}
    if plain["topology"]["kind"] != "links":
        places = result.json["positions_m"]
        plain["topology"] = {"kind": "positions", "positions_m": places}
    knots = [[(float(at_s), float(x), float(y)) for at_s, x, y in way] for way in ways]
    text = engine.to_json({**plain, "routing": {"scheme": "static"}})
    return Hearing(engine.hearing(text, syntax="json", seed=result.seed, ways=knots))


def outages(result: Result) -> list[dict[str, Any]]:
    """The scenario's events as they happened: a node with an empty battery is off for good."""
    empty_s = {
        node["node"]: node["empty_at_s"]
        for node in result.json.get("energy", [])
        if node.get("empty_at_s") is not None
    }
    happened = [
        event
        for event in result.scenario.get("events") or []
        if event["kind"] != "node-restore" or event["at_s"] < empty_s.get(event["node"], math.inf)
    ]
    kills = [{"kind": "node-kill", "node": node, "at_s": at_s} for node, at_s in empty_s.items()]
    return happened + kills


_OF_THE_RADIO = (
    *("duration_s", "seed", "profile", "topology", "radio", "mac", "interfaces", "wires", "link"),
    "events",
)
"""What of a scenario decides who hears whom, or is needed to read that."""


def of_scenario(scenario: Mapping[str, Any], seed: int | None = None) -> Hearing:
    """Who will hear whom in a run of `scenario`, as resolved, with `seed` or its own.

    Raises:
        ScenarioError: the scenario can't be run.
    """
    return Hearing(engine.hearing(engine.to_json(scenario), syntax="json", seed=seed))
