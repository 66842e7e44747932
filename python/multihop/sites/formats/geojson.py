"""GeoJSON (RFC 7946): points are nodes, lines are links between the nodes nearest to their ends.

`properties` may have a `name` or `id`; of lines `from` and `to`, which are ids, and `tq`,
`delivery`, `signal_dbm` or `gain_db`.
"""

from __future__ import annotations

import math

from multihop.sites.content import Part
from multihop.sites.form import Link, Node, Survey
from multihop.sites.formats.common import place

NEAR_M = 30.0
"""A line ends in a node that is so near; else a node is put there."""
KINDS = ("FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString")
_DEEPEST = 20


def matches(whole: Part) -> bool:
    """Whether it is one."""
    kind = whole.get("type")
    return kind is not None and kind.value in KINDS


def read(whole: Part, _stem: str) -> Survey:
    """Points and lines."""
    found = Survey("GeoJSON", in_degrees=True)
    drawn: list[tuple[list[tuple[float, float]], Link]] = []
    _walk(found, drawn, whole, None, 0)
    join_lines(found, drawn)
    return found


def join_lines(found: Survey, drawn: list[tuple[list[tuple[float, float]], Link]]) -> None:
    """Make a link of each line: of a measured one the way that it goes, else both ways."""
    grid = _Grid()
    for node in found.nodes.values():
        grid.add(node)
    for points, told in drawn:
        a, b = (
            end if end in found.nodes else grid.near(found, point)
            for end, point in ((told.source, points[0]), (told.target, points[-1]))
        )
        found.link(Link(a, b, told.delivery, told.signal_dbm, told.gain_db))
        if not told.measured:
            found.link(Link(b, a))


class _Grid:
    """Nodes by squares of about the nearness."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[Node]] = {}
        self._made = 0

    @staticmethod
    def _cell(point: tuple[float, float]) -> tuple[int, int]:
        return math.floor(point[0] * 111_195 / NEAR_M), math.floor(point[1] * 111_195 / NEAR_M)

    def add(self, node: Node) -> None:
        if node.place is not None:
            self._cells.setdefault(self._cell(node.place), []).append(node)

    def near(self, found: Survey, point: tuple[float, float]) -> str:
        """The nearest node, or a new one."""
        row, column = self._cell(point)
        east = max(math.cos(math.radians(point[0])), 0.01)
        wide = math.ceil(1 / east)
        best: tuple[float, str] = (NEAR_M, "")
        for r in range(row - 1, row + 2):
            for c in range(column - wide, column + wide + 1):
                for node in self._cells.get((r, c), ()):
                    assert node.place is not None
                    north_m = (node.place[0] - point[0]) * 111_195
                    east_m = (node.place[1] - point[1]) * 111_195 * east
                    best = min(best, (math.hypot(north_m, east_m), node.id))
        if best[1]:
            return best[1]
        self._made += 1
        node = found.node(f"end {self._made}")
        node.place = point
        self.add(node)
        return node.id


def _walk(
    found: Survey,
    drawn: list[tuple[list[tuple[float, float]], Link]],
    part: Part,
    own: Part | None,
    depth: int,
) -> None:
    if depth > _DEEPEST:
        raise part.fault(f"collections are nested more than {_DEEPEST} deep")
    kind = part.need("type").name()
    match kind:
        case "FeatureCollection" | "GeometryCollection":
            for each in part.need("features" if kind[0] == "F" else "geometries").each():
                _walk(found, drawn, each, own, depth + 1)
        case "Feature":
            if (shape := part.get("geometry")) is None:
                found.skipped["feature without a place"] += 1
            else:
                _walk(found, drawn, shape, part, depth + 1)
        case "Point":
            _node(found, part.need("coordinates"), own)
        case "MultiPoint":
            for each in part.need("coordinates").each():
                _node(found, each, None)
        case "LineString":
            points = [_pair(found, each) for each in part.need("coordinates").each()]
            ends = [point for point in points if point is not None]
            if len(ends) < 2:
                raise part.fault("a line must have two points at least")
            drawn.append((ends, _told(own)))
        case _:
            found.skipped["shape that is no point and no line"] += 1


def _node(found: Survey, coordinates: Part, own: Part | None) -> None:
    pair = _pair(found, coordinates)
    told = own.get("id") or own.get("properties", "id") if own else None
    label = own.get("properties", "name") if own else None
    name = told.name() if told else label.name() if label else f"point {len(found.nodes) + 1}"
    if name in found.nodes:
        found.skipped["point whose id another has"] += 1
        return
    node = found.node(name)
    node.place = pair
    node.name = label.name() if label else ""
    flag = own.get("properties") if own else None
    node.gateway = flag is not None and flag.is_true("gateway")


def _pair(found: Survey, coordinates: Part) -> tuple[float, float] | None:
    """Latitude and longitude: GeoJSON has them the other way round."""
    two = [*coordinates.each()][:2]
    if len(two) < 2:
        raise coordinates.fault("must be [longitude, latitude]")
    return place(found, two[1], two[0])


def _told(own: Part | None) -> Link:
    values = own.get("properties") if own else None
    link = Link("", "")
    if values is None:
        return link
    link.source, link.target = (
        end.name() if (end := values.get(key)) else "" for key in ("from", "to")
    )
    if tq := values.get("tq") or values.get("delivery"):
        link.delivery = tq.number(0, 1) or None
    if signal := values.get("signal_dbm") or values.get("signal"):
        link.signal_dbm = signal.number(-150, 30, "dBm")
    if gain := values.get("gain_db"):
        link.gain_db = gain.number(-300, 30, "dB")
    return link
