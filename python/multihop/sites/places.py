"""Places for new routers, from any file that `import` reads, in a scenario's own metres."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from multihop.foreign import line
from multihop.scenario import Source
from multihop.sites import exports, registry
from multihop.sites.candidates import Candidate
from multihop.sites.form import SiteError, Survey
from multihop.sites.projection import Plane
from multihop.sites.qualities import gain_of
from multihop.sites.service import Asked

Metres = npt.NDArray[np.float64]


def routers(path: Path, source: Source, asked: Asked) -> list[Candidate]:
    """A candidate for each node with a place that the scenario does not have.

    Links of theirs in the file, to nodes of the scenario, are taken as they stand there.

    Raises:
        SiteError: the file can't be read, has no new place, or its degrees can't be placed.
        OSError: it can't be read.
    """
    found = registry.read(path)
    known = set(asked.nodes.names)
    new = {
        key: node
        for key, node in found.nodes.items()
        if node.place is not None and not known & {node.id, node.name}
    }
    if not new:
        raise SiteError(f"{path}: has no place that the scenario has not")
    places = np.array([node.place for node in new.values()], dtype=float)
    metres = _metres(path, source, places) if found.in_degrees else places
    gains = _gains(found, asked)
    return [
        Candidate(
            line(node.name or node.id, 60), "router", (round(float(x), 2), round(float(y), 2)),
            gains.get(key),
        )
        for (key, node), (x, y) in zip(new.items(), metres, strict=True)
    ]  # fmt: skip


def _metres(path: Path, source: Source, places: Metres) -> Metres:
    network = exports.network(source)
    if network.degrees is None:
        raise SiteError(
            f"{path}: has degrees, but the scenario's file of positions has no columns lat and lon"
        )
    plane = Plane.around(network.degrees)
    own = np.array([way[0][1:] for way in network.ways])
    shift = (own - plane.metres(network.degrees)).mean(axis=0)
    return np.asarray(plane.metres(places) + shift)


def _gains(found: Survey, asked: Asked) -> dict[str, dict[int, float]]:
    """Of each node the gains to the scenario's nodes, the mean of both ways."""
    told: dict[str, dict[int, list[float]]] = {}
    for link in found.links:
        if not link.measured:
            continue
        gain = gain_of([link])[0]
        for own, other in ((link.source, link.target), (link.target, link.source)):
            node = found.nodes.get(other)
            number = asked.nodes.number((node and node.name) or other)
            if number is None:
                number = asked.nodes.number(other)
            if number is not None and number < len(asked.heard.ways):
                told.setdefault(own, {}).setdefault(number, []).append(gain)
    return {
        key: {node: round(sum(values) / len(values), 2) for node, values in sorted(ends.items())}
        for key, ends in told.items()
    }
