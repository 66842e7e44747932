"""What the page draws of a scenario before it runs: nodes, flows, and who hears whom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from multihop import engine
from multihop.errors import ScenarioError
from multihop.foreign import line
from multihop.hearing import Hearing
from multihop.lab.limits import Fault, Limits, Source, check
from multihop.nodes import Nodes

MOST_PAIRS = 100_000
"""Of more pairs that hear each other only those that can exchange data are told."""
_STAND_IN = [("flows", [{"kind": "ftp", "source": 0, "destination": 1}])]
"""Lets a network without flows be drawn."""


def look(source: Source, limits: Limits) -> dict[str, Any]:
    """The network of a scenario, as the engine builds it with the scenario's own seed.

    What is wrong is its `fault`; the rest is there as far as it can be.
    """
    fault, drawn = None, source.overrides
    if not source.tables.get("flows"):
        fault = Fault("must hold at least one flow: draw one from node to node", "flows")
        drawn = [*drawn, *_STAND_IN]
    try:
        resolved = json.loads(engine.resolve(source.text, drawn))
        check(resolved, limits)
    except ScenarioError as error:
        return {"fault": (fault or Fault.of(error)).as_json()}
    found: dict[str, Any] = {"resolved": resolved}
    try:
        hearing = Hearing(engine.hearing(source.text, drawn))
        found |= _places(hearing, resolved)
        if fault is None:
            found |= _flows(source, resolved)
    except ScenarioError as error:
        fault = fault or Fault.of(error)
    return {**found, "fault": fault.as_json() if fault else None}


def positions_m(source: Source) -> list[list[float]]:
    """Where the nodes begin, to a centimetre.

    Raises:
        ScenarioError: the network can't be built.
    """
    drawn = [*source.overrides, *([] if source.tables.get("flows") else _STAND_IN)]
    found = Hearing(engine.hearing(source.text, drawn))
    return [[round(way[0][1], 2), round(way[0][2], 2)] for way in found.ways]


def _places(hearing: Hearing, resolved: Mapping[str, Any]) -> dict[str, Any]:
    links = hearing.at(0)
    names = Nodes.of(resolved)
    told: dict[str, Any] = {
        "positions_m": [[round(way[0][1], 2), round(way[0][2], 2)] for way in hearing.ways],
        "names": [names.name(node) for node in range(len(names.names))],
        "moves": hearing.moves,
        "pairs": links.pairs(),
        "by_distance": hearing.by_distance,
        "heard": None,
    }
    if len(links.sender) <= MOST_PAIRS:
        flags = links.decodes + 2 * links.carries + 4 * links.senses
        power = links.mean_power_dbm.round(1).tolist() if hearing.has_power else None
        told["heard"] = {
            "sender": links.sender.tolist(), "node": links.node.tolist(),
            "flags": flags.tolist(), "power_dbm": power,
        }  # fmt: skip
    return told


def _flows(source: Source, resolved: Mapping[str, Any]) -> dict[str, Any]:
    plan = engine.emulation(source.text, source.overrides, keeps_flows=True).plan()
    tables = [*tables_of(plan["flows"], resolved["flows"])]
    return {
        "flows": [
            {
                "id": flow["id"], "kind": flow["kind"], "table": table,
                "name": line(flow.get("name") or ""),
                "source": flow["source"], "destination": flow["destination"],
                "hops": flow["least_hops"],
            }
            for flow, table in zip(plan["flows"], tables, strict=True)
        ],
        "warnings": [line(warning, 500) for warning in plan["warnings"][:20]],
    }  # fmt: skip


def tables_of(flows: list[Any], tables: list[dict[str, Any]]) -> Iterator[int]:
    """Of each flow of a run the table of the scenario that it is of."""
    later = [int(table.get("count") or 1) for table in tables]
    place = told = 0
    for at, _ in enumerate(flows):
        arrives = bool(tables[place].get("arrivals_per_s"))
        rest = len(flows) - at - sum(later[place + 1 :])
        full = rest <= 0 if arrives else told >= later[place]
        if full and place < len(tables) - 1:
            place, told = place + 1, 0
        told += 1
        yield place
