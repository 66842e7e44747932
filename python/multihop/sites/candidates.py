"""What could be changed in a network: a router more, a link made stronger, another setting."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from multihop import engine
from multihop.errors import ScenarioError
from multihop.foreign import line
from multihop.nodes import Nodes
from multihop.overriding import overrides_of, settings_of
from multihop.scenario import Source
from multihop.sites.path_loss import PathLoss

Kind = Literal["as it is", "router", "link", "setting"]
Place = tuple[float, float]
AS_IT_IS: Literal["as it is"] = "as it is"
MOST = 500
_FIXED = ("flows", "topology", "mobility", "events", "duration_s", "seed", "title")
"""Settings of these would change the question, not the network."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One change, or none."""

    label: str
    kind: Kind
    place_m: Place | None = None
    """Of a router."""
    gains_db: Mapping[int, float] | None = None
    """Its links, where they are known: by node. Else they are drawn from the mesh's path loss."""
    link: tuple[int, int] | None = None
    more_db: float = 0.0
    """By how much the link is made stronger, each way."""
    resolved: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)
    """With another setting, the scenario so."""

    def applied(
        self,
        base: Mapping[str, Any],
        flows: Sequence[Mapping[str, Any]],
        path_loss: PathLoss | None,
        seed: int,
    ) -> dict[str, Any]:
        """The scenario with the change, and with flows whose ends are drawn already."""
        changed = {**(self.resolved or base), "flows": [*flows]}
        if self.place_m is not None:
            return _with_router(
                changed, self.place_m, self.label, self._gains(base, path_loss, seed)
            )
        if self.link is not None:
            ends = {self.link, self.link[::-1]}
            gains = [
                [a, b, round(min(gain + self.more_db * ((a, b) in ends), 30.0), 2)]
                for a, b, gain in base["radio"]["gains_db"]
            ]
            changed["radio"] = {**base["radio"], "gains_db": gains}
        return changed

    def _gains(
        self, base: Mapping[str, Any], path_loss: PathLoss | None, seed: int
    ) -> Mapping[int, float] | None:
        """Those of a router; None if they follow from its place."""
        if base["radio"]["propagation"] != "measured":
            return None
        if self.gains_db is not None:
            return self.gains_db
        assert path_loss is not None
        assert self.place_m is not None
        places = [tuple(place[:2]) for place in base["topology"]["positions_m"]]
        return path_loss.drawn(self.place_m, enumerate(places), seed)


def _with_router(
    scenario: dict[str, Any], place_m: Place, name: str, gains_db: Mapping[int, float] | None
) -> dict[str, Any]:
    topology = scenario["topology"]
    number = len(topology["positions_m"])
    topology = {**topology, "positions_m": [*topology["positions_m"], [*place_m]]}
    if names := topology.get("names"):
        taken = name
        while taken in names:
            taken += "'"
        topology["names"] = [*names, taken]
    changed = {**scenario, "topology": topology}
    if gains_db is not None:
        links = [[node, number, gain] for node, gain in gains_db.items()]
        radio = scenario["radio"]
        changed["radio"] = {**radio, "gains_db": [*radio["gains_db"], *links]}
    return changed


def standing(scenario: Mapping[str, Any], heard: engine.Hearing) -> dict[str, Any]:
    """The scenario with each node at its place, so that there can be one more.

    Raises:
        ScenarioError: nodes move, have no places, or stand elsewhere with each seed.
    """
    topology = scenario["topology"]
    kind = topology["kind"]
    if kind == "links" or any(len(way) > 1 for way in heard.ways):
        raise ScenarioError.at(
            "topology", "must have nodes that stand at places: a router is put among them"
        )
    if kind == "random" and topology.get("seed") is None:
        raise ScenarioError.at(
            "topology.seed", "must be set: else nodes stand elsewhere with each seed"
        )
    places = [[x, y] for (_, x, y), *_ in heard.ways]
    told: dict[str, Any] = {"kind": "positions", "positions_m": places}
    if topology.get("names"):
        told["names"] = topology["names"]
    return {**scenario, "topology": told}


def routers(places: Mapping[str, Place]) -> list[Candidate]:
    """A candidate for a router at each of these places."""
    return [Candidate(line(name, 60), "router", place) for name, place in places.items()]


def grid(scenario: Mapping[str, Any], step_m: float) -> list[Candidate]:
    """Places for a router each so many metres over the network, but not beside a node.

    Raises:
        ScenarioError: there are too many, or none.
    """
    places = [tuple(place[:2]) for place in scenario["topology"]["positions_m"]]
    found = {}
    for x, y in _crossings(places, step_m):
        if min(math.dist((x, y), place) for place in places) >= step_m / 4:
            found[f"{x:g},{y:g}"] = (x, y)
    if not found:
        raise ScenarioError(f"--grid {step_m:g}: leaves no place; take a smaller step")
    return routers(found)


def _crossings(places: Sequence[Sequence[float]], step_m: float) -> Iterator[Place]:
    axes = []
    for axis in (0, 1):
        low, high = (end(place[axis] for place in places) for end in (min, max))
        count = int((high - low) / step_m) + 1
        first = (low + high - (count - 1) * step_m) / 2
        axes.append([round(first + k * step_m, 1) for k in range(min(count, MOST + 1))])
    if len(axes[0]) * len(axes[1]) > MOST:
        raise ScenarioError(
            f"--grid {step_m:g}: makes more than {MOST} places, the most that are tried"
        )
    return ((x, y) for y in axes[1] for x in axes[0])


def links(scenario: Mapping[str, Any], nodes: Nodes, more_db: float) -> list[Candidate]:
    """A candidate for each link that was measured, made stronger.

    Raises:
        ScenarioError: links follow from places, not from gains of their own.
    """
    if scenario["radio"]["propagation"] != "measured":
        raise ScenarioError.at(
            "radio.propagation", 'must be "measured" for --dish: only such links have gains'
        )
    pairs = dict.fromkeys((min(a, b), max(a, b)) for a, b, _ in scenario["radio"]["gains_db"])
    return [
        Candidate(f"{nodes.short(a)} - {nodes.short(b)} {more_db:+g} dB", "link", None, None,
                  (a, b), more_db)
        for a, b in pairs
    ]  # fmt: skip


def setting(source: Source, settings: Mapping[str, Any], key: str, value: str) -> Candidate:
    """The network with one key of the scenario set.

    Raises:
        ScenarioError: there is no such key or value, or it would change the question.
    """
    if key.partition(".")[0] in _FIXED:
        raise ScenarioError.at(key, "can't be tried: it changes what is asked; see --set")
    overrides = overrides_of(source, None, [*settings_of(None, None, settings), (key, value)])
    resolved = json.loads(engine.resolve(source.text, overrides, syntax=source.syntax))
    return Candidate(line(f"{key}={value}", 60), "setting", resolved=resolved)
