"""Nodes moved, added and taken away: what becomes of a scenario's tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from multihop.lab.toml_text import REMOVED, Change

Place = Sequence[float]
_LEAST_OF_A_WIRE = 2


def moved(
    tables: Mapping[str, Any], places: Sequence[Place], to: Mapping[int, Place]
) -> list[Change]:
    """Changes that put some nodes elsewhere; a topology of another kind becomes positions."""
    topology = tables.get("topology", {})
    rounded = {node: [round(float(x), 2), round(float(y), 2)] for node, (x, y) in to.items()}
    listed = topology.get("positions_m")
    if topology.get("kind") == "positions" and isinstance(listed, list):
        return [Change(("topology", "positions_m", node), at) for node, at in rounded.items()]
    every = [rounded.get(node, [*at]) for node, at in enumerate(places)]
    return [_positions(topology, every, topology.get("names"))]


def added(tables: Mapping[str, Any], places: Sequence[Place], new: Sequence[Place]) -> list[Change]:
    """Changes that put nodes behind the others."""
    topology = tables.get("topology", {})
    rounded = [[round(float(x), 2), round(float(y), 2)] for x, y in new]
    names = topology.get("names")
    if isinstance(names, list):
        count = len(names)
        names = [*names, *(str(count + more) for more in range(len(rounded)))]
    return [_positions(topology, [*map(list, places), *rounded], names)]


def removed(
    tables: Mapping[str, Any], places: Sequence[Place], gone: Collection[int]
) -> list[Change]:
    """Changes that take nodes away, with what is of them, and number the others anew."""
    topology = tables.get("topology", {})
    left = [node for node in range(len(places)) if node not in gone]
    number = {node: place for place, node in enumerate(left)}
    names = topology.get("names")
    if isinstance(names, list):
        lost = {names[node] for node in gone if node < len(names)}
        names = [names[node] for node in left if node < len(names)]
    else:
        lost = set()
    changes = [_positions(topology, [[*places[node]] for node in left], names)]
    for table in ("flows", "events"):
        listed = tables.get(table)
        if not isinstance(listed, list):
            continue
        for place in reversed(range(len(listed))):
            ends = {
                key: listed[place].get(key)
                for key in ("source", "destination", "node", "neighbour", "next_hop")
                if isinstance(listed[place], Mapping)
            }
            if any(end in gone or end in lost for end in ends.values() if _names_one(end)):
                changes.append(Change((table, place), REMOVED))
                continue
            changes += [
                Change((table, place, key), number[end])
                for key, end in ends.items()
                if _names_one(end) and not isinstance(end, str) and number.get(end, end) != end
            ]
    interfaces = tables.get("interfaces")
    for place, table in enumerate(interfaces if isinstance(interfaces, list) else []):
        if isinstance(nodes := table.get("nodes"), list):
            kept = [
                number.get(node, node) for node in nodes if node not in gone and node not in lost
            ]
            changes.append(Change(("interfaces", place, "nodes"), kept))
    wires = tables.get("wires")
    for place, table in reversed([*enumerate(wires if isinstance(wires, list) else [])]):
        if isinstance(table, Mapping) and isinstance(nodes := table.get("nodes"), list):
            kept = [
                number.get(node, node) for node in nodes if node not in gone and node not in lost
            ]
            if len(kept) < _LEAST_OF_A_WIRE:
                changes.append(Change(("wires", place), REMOVED))
            else:
                changes.append(Change(("wires", place, "nodes"), kept))
    return changes


def _names_one(end: object) -> bool:
    return isinstance(end, (int, str)) and not isinstance(end, bool)


def _positions(topology: Mapping[str, Any], places: Sequence[Place], names: Any) -> Change:
    """The whole table; the list alone where the table has that already."""
    every = [[*at] for at in places]
    has_list = topology.get("kind") == "positions" and "positions_m" in topology
    if has_list and not isinstance(names, list):
        return Change(("topology", "positions_m"), every)
    table = {"kind": "positions", "positions_m": every}
    if isinstance(names, list):
        table["names"] = names[: len(every)]
    return Change(("topology",), table)
