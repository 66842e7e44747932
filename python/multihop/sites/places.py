"""Places for new routers, from any files that `import` reads, in a scenario's own metres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from multihop.foreign import line
from multihop.scenario import Source
from multihop.sites import exports, registry
from multihop.sites.candidates import Candidate
from multihop.sites.form import Node, SiteError
from multihop.sites.projection import Plane
from multihop.sites.qualities import gain_of
from multihop.sites.service import Asked

Metres = npt.NDArray[np.float64]


def routers(paths: Sequence[Path], source: Source, asked: Asked) -> list[Candidate]:
    """A candidate for each node with a place that the scenario does not have.

    Links of theirs to nodes of the scenario, in any of the files, are taken as they stand there.

    Raises:
        SiteError: a file can't be read, there is no new place, or degrees can't be placed.
        OSError: a file can't be read.
    """
    surveys = [(path, registry.read(path)) for path in paths]
    known = set(asked.nodes.names)
    places: dict[str, tuple[Node, tuple[float, float]]] = {}
    for path, found in surveys:
        new = [
            node
            for node in found.nodes.values()
            if node.place is not None and not known & {node.id, node.name}
        ]
        if not new:
            continue
        flat = np.array([node.place for node in new], dtype=float)
        if found.in_degrees:
            flat = _metres(path, source, flat)
        for node, (x, y) in zip(new, flat.round(2).tolist(), strict=True):
            places[node.id] = (node, (x, y))
    if not places:
        raise SiteError(f"{paths[0]}: has no place that the scenario has not")
    gains: dict[str, dict[int, list[float]]] = {name: {} for name in places}
    by_name = {address: name for name, (node, _) in places.items() for address in (name, node.name)}
    for _, found in surveys:
        for link in found.links:
            if not link.measured:
                continue
            ends = [_called(found.nodes.get(end), end) for end in (link.source, link.target)]
            for own, other in (ends, ends[::-1]):
                name = next((by_name[word] for word in own if word in by_name), None)
                number = _number(asked, other)
                if name is not None and number is not None:
                    gains[name].setdefault(number, []).append(gain_of([link])[0])
    return [
        Candidate(
            line(node.name or name, 60), "router", place,
            {end: round(sum(told) / len(told), 2) for end, told in sorted(gains[name].items())}
            or None,
        )
        for name, (node, place) in places.items()
    ]  # fmt: skip


def _called(node: Node | None, end: str) -> list[str]:
    """All by which the end of a link may be known."""
    return [end, node.name] if node is not None and node.name else [end]


def _number(asked: Asked, words: list[str]) -> int | None:
    for word in words:
        number = asked.nodes.number(word)
        if number is not None and number < len(asked.heard.ways):
            return number
    return None


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
