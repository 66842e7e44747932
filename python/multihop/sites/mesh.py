"""One mesh of all that several files say: the same node joined, in metres, connected."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from multihop.foreign import line
from multihop.sites.form import Link, Node, Points, SiteError, Survey, Track, counted, within
from multihop.sites.projection import Plane
from multihop.sites.qualities import gain_of

_MOST_NAME = 60
_TAKEN = ("random", "last")
"""Names that mean something else in a scenario."""
FORMULAS = ("=", "+", "-", "@")
"""What a spreadsheet takes for the begin of one."""
_DECIMALS_M = 2
_ASIDE_M, _TURN = 15.0, 2.4
"""Nodes without a place stand so far from the middle of their neighbours, in all directions."""


@dataclass(slots=True)
class Mesh:
    """Nodes 0 to n - 1, as a scenario has them."""

    names: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    places_m: list[tuple[float, float] | None] = field(default_factory=list)
    degrees: list[tuple[float, float] | None] = field(default_factory=list)
    gains: list[tuple[int, int, float, str]] = field(default_factory=list)
    """From, to, gain [dB], and what it follows from."""
    tracks: dict[int, Points] = field(default_factory=dict)
    """Times [s] from the begin of the run, and metres."""
    last_s: float = 0.0
    """To when the files have nodes move; tracks end with the longest run."""
    present_s: dict[int, tuple[float, float]] = field(default_factory=dict)
    gateways: list[int] = field(default_factory=list)
    masts_m: list[float | None] = field(default_factory=list)
    """Heights of antennas above the ground, where files have them."""
    plane: Plane | None = None
    routing: str = ""
    notes: list[str] = field(default_factory=list)
    """What was assumed or left out, a sentence each."""

    def degree(self) -> Counter[int]:
        """How many gains each node has."""
        return Counter(end for a, b, *_ in self.gains for end in (a, b))


def joined(found: Sequence[Survey], *, everything: bool = False) -> Mesh:
    """One mesh of these; without `everything` its largest part that radio connects.

    Raises:
        SiteError: they can't be joined, or nothing is left; names the files.
    """
    try:
        return _joined(found, everything)
    except SiteError as error:
        files = ", ".join(one.file for one in found if one.file)
        raise SiteError(f"{files}: {error}" if files else str(error)) from None


def _joined(found: Sequence[Survey], everything: bool) -> Mesh:
    mesh = Mesh(routing=next((one.routing for one in found if one.routing), ""))
    nodes, member = _same(found)
    links = _links(found, member)
    chosen = _chosen(mesh, nodes, links, any(one.tracks for one in found), everything)
    if len(chosen) < 2:
        has = "; ".join(one.told() for one in found)
        raise SiteError(f"needs two nodes with a place or a link (has {has})")
    number = {key: k for k, key in enumerate(chosen)}
    _places(mesh, found, nodes, member, number)
    _name(mesh, [nodes[key] for key in chosen])
    mesh.gateways = [k for k, key in enumerate(chosen) if nodes[key].gateway]
    for (a, b), told in links.items():
        if a in number and b in number:
            gain_db, kind = gain_of(told)
            mesh.gains.append((number[a], number[b], gain_db, kind))
    mesh.gains.sort()
    again = sum(len(told) > 1 for told in links.values())
    if again:
        mesh.notes.append(f"{counted(again, 'link')} told more than once: the mean is taken.")
    near_m = [place for place in mesh.places_m if place is not None]
    if near_m and max(max(axis) - min(axis) for axis in zip(*near_m, strict=True)) < 1:
        mesh.notes.append(
            "All places are within a metre: are these degrees? Columns lat and lon are for those."
        )
    _fill(mesh)
    mesh.masts_m = [nodes[key].height_m for key in chosen]
    return mesh


def _same(found: Sequence[Survey]) -> tuple[dict[str, Node], dict[tuple[int, str], str]]:
    """Nodes that share an id or address are one; also which one each file's node is."""
    parent: dict[tuple[int, str], tuple[int, str]] = {}

    def root(key: tuple[int, str]) -> tuple[int, str]:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    known: dict[str, tuple[int, str]] = {}
    for place, one in enumerate(found):
        names = Counter(node.name for node in one.nodes.values())
        for node in one.nodes.values():
            key = (place, node.id)
            parent[key] = key
            own_name = {node.name} if names[node.name] == 1 else set()
            for address in {node.id, *node.aliases, *own_name} - {""}:
                other = known.setdefault(address.lower(), key)
                first, second = sorted((root(other), root(key)))
                parent[second] = first
    nodes: dict[str, Node] = {}
    member: dict[tuple[int, str], str] = {}
    for place, one in enumerate(found):
        for node in one.nodes.values():
            first = root((place, node.id))
            own = f"{first[0]} {first[1]}"
            member[place, node.id] = own
            if own not in nodes:
                nodes[own] = Node(node.id)
            kept = nodes[own]
            kept.name = kept.name or node.name
            kept.place = kept.place or node.place
            kept.height_m = node.height_m if kept.height_m is None else kept.height_m
            kept.gateway |= node.gateway
    return nodes, member


def _links(
    found: Sequence[Survey], member: dict[tuple[int, str], str]
) -> dict[tuple[str, str], list[Link]]:
    links: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for place, one in enumerate(found):
        for link in one.links:
            ends = member[place, link.source], member[place, link.target]
            if ends[0] != ends[1]:
                links[ends].append(link)
    return links


def _chosen(
    mesh: Mesh,
    nodes: dict[str, Node],
    links: dict[tuple[str, str], list[Link]],
    moving: bool,
    everything: bool,
) -> list[str]:
    """The nodes that are taken, in their order."""
    taken = set(nodes)
    if links and not everything:
        parts = _parts(nodes, links)
        taken = max(parts, key=len)
        lost = [part for part in parts if part is not taken]
        if lost:
            alone = sum(len(part) == 1 for part in lost)
            mesh.notes.append(
                f"Only the largest part that radio links connect is taken: {len(taken):,} of "
                f"{counted(len(nodes), 'node')}; left out are {counted(alone, 'node alone')} and "
                f"{counted(len(lost) - alone, 'part of several')}; --all takes everything."
            )
    elif not links and not moving:
        taken = {key for key, node in nodes.items() if node.place is not None}
        if len(taken) < len(nodes):
            lost_nodes = counted(len(nodes) - len(taken), "node")
            mesh.notes.append(f"Left out: {lost_nodes} without a place, as there are no links.")
    return [key for key in nodes if key in taken]


def _parts(nodes: Iterable[str], links: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Nodes by what links connect."""
    from scipy.sparse import coo_array  # takes 0.2 s to import
    from scipy.sparse.csgraph import connected_components

    number = {key: k for k, key in enumerate(nodes)}
    ends = np.array([[number[a], number[b]] for a, b in links]).T
    joined_by = coo_array((np.ones(ends.shape[1]), ends), shape=(len(number),) * 2)
    count, part_of = connected_components(joined_by, directed=False)
    parts = [set[str]() for _ in range(count)]
    for key, k in number.items():
        parts[part_of[k]].add(key)
    return parts


def _places(
    mesh: Mesh,
    found: Sequence[Survey],
    nodes: dict[str, Node],
    member: dict[tuple[int, str], str],
    number: dict[str, int],
) -> None:
    """Metres east and north of the south-west corner, of places and of tracks."""
    count = len(number)
    mesh.ids = [nodes[key].id for key in number]
    told: list[tuple[float, float] | None] = [nodes[key].place for key in number]
    tracks: dict[int, Track] = {}
    begins_s = 0.0
    units = set[bool]()
    for place, one in enumerate(found):
        if one.tracks or any(node.place is not None for node in one.nodes.values()):
            units.add(one.in_degrees)
        for name, track in one.tracks.items():
            if (key := member[place, name]) in number:
                tracks[number[key]] = track
        if one.tracks:
            begins_s = one.begin_s
            mesh.last_s = max(mesh.last_s, one.last_s - begins_s)
        for name, (first, last) in one.present_s.items():
            mesh.present_s[number[member[place, name]]] = (first - begins_s, last - begins_s)
    if len(units) > 1:
        raise SiteError("places in degrees and places in metres can't be joined")
    kept = {node: within(track.points(), begins_s) for node, track in tracks.items()}
    places = np.array([place for place in told if place is not None], dtype=float).reshape(-1, 2)
    every = np.concatenate([places, *(points[:, 1:] for points in kept.values())])
    if not len(every):
        mesh.places_m = [None] * count
        mesh.degrees = [None] * count
        return
    if units == {True}:
        mesh.plane = Plane.around(every)
        flat = mesh.plane.metres(every)
        mesh.degrees = told
    else:
        flat = every
        mesh.degrees = [None] * count
    if mesh.plane or flat.min() < 0:
        corner = np.floor(flat.min(axis=0))
        flat = flat - corner
        if mesh.plane:
            mesh.notes.append(
                f"Degrees (WGS 84) are projected: {mesh.plane.told()}; then moved by "
                f"({0 - corner[0]:g}, {0 - corner[1]:g}) m: (0, 0) is the south-west corner."
            )
        else:
            mesh.notes.append(f"All places are moved by ({0 - corner[0]:g}, {0 - corner[1]:g}) m.")
    flat = flat.round(_DECIMALS_M)
    rows = iter(flat[: len(places)].tolist())
    mesh.places_m = [None if place is None else tuple(next(rows)) for place in told]
    at = len(places)
    for node, points in kept.items():
        knots = np.column_stack([points[:, 0] - begins_s, flat[at : at + len(points)]])
        at += len(points)
        mesh.tracks[node] = knots
        mesh.places_m[node] = mesh.places_m[node] or (float(knots[0, 1]), float(knots[0, 2]))
    if begins_s:
        mesh.notes.append(f"The run begins at {begins_s:.15g} s of the file.")


def _fill(mesh: Mesh) -> None:
    """Put nodes without a place amid their neighbours, one ring after the other."""
    lacking = {k for k, place in enumerate(mesh.places_m) if place is None}
    if not lacking or len(lacking) == len(mesh.places_m):
        return
    mesh.notes.append(
        f"{counted(len(lacking), 'node')} without a place: put amid the neighbours, so that "
        "pictures show something; gains do not follow from it."
    )
    beside = defaultdict[int, set[int]](set)
    for a, b, *_ in mesh.gains:
        beside[a].add(b)
        beside[b].add(a)
    while lacking:
        known = {k: [q for n in beside[k] if (q := mesh.places_m[n])] for k in lacking}
        ready = {k: places for k, places in known.items() if places}
        every = [place for place in mesh.places_m if place is not None]
        for k in ready or lacking:
            near = ready.get(k, every)
            middle = [sum(axis) / len(near) for axis in zip(*near, strict=True)]
            aside = [_ASIDE_M * turn(k * _TURN) for turn in (math.cos, math.sin)]
            x, y = (round(a + b, _DECIMALS_M) for a, b in zip(middle, aside, strict=True))
            mesh.places_m[k] = (x, y)
        lacking -= ready.keys() or {*lacking}


def _name(mesh: Mesh, nodes: Sequence[Node]) -> None:
    """Names of 1 to 60 characters, no two alike, without what a terminal would obey."""
    seen: set[str] = set()
    changed = 0
    for k, node in enumerate(nodes):
        told = node.name or node.id
        name = line(told, None).strip()[:_MOST_NAME].strip() or f"node {k}"
        if name.lower() in _TAKEN:
            name = f"{name} node"
        if name.startswith(FORMULAS):
            name = f"'{name}"[:_MOST_NAME]
        plain, again = name, 2
        while name in seen:
            end = f" ({again})"
            name, again = plain[: _MOST_NAME - len(end)] + end, again + 1
        changed += name != told
        seen.add(name)
        mesh.names.append(name)
    if changed:
        mesh.notes.append(
            f"{counted(changed, 'name')} had to be made fit: 1 to {_MOST_NAME} characters that "
            "can be shown, no two alike, no formulas."
        )
