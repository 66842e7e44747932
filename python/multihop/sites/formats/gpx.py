"""GPX 1.1: waypoints are nodes that stay, tracks with times are nodes that move."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Tree

from multihop.sites.content import elements, number
from multihop.sites.form import SiteError, Survey, Track
from multihop.sites.formats.kml import degrees, seconds

ROOT = "gpx"


def read(path: Path) -> Survey:
    """Waypoints and tracks; routes have no times and are skipped."""
    found = Survey("GPX", in_degrees=True)
    for line, element in elements(path, "wpt", "trk", "rte"):
        told = (element.findtext("name") or "").strip()
        name = told if told and told not in found.nodes else f"{path.stem} {len(found.nodes) + 1}"
        if element.tag == "rte":
            found.skipped["route, which has no times"] += 1
        elif element.tag == "wpt":
            node = found.node(name)
            node.name, node.place = told, _place(element, line)
        else:
            _track(found, name, element, line)
    return found


def _track(found: Survey, name: str, element: Tree.Element, line: int) -> None:
    track, last_s = Track(), float("-inf")
    for point in element.iter("trkpt"):
        when = point.findtext("time")
        if not when:
            found.skipped["point of a track without a time"] += 1
            continue
        time_s = seconds(when, line)
        if time_s < last_s:
            found.skipped["point of a track that goes back in time"] += 1
            continue
        track.add(time_s, *_place(point, line))
        last_s = time_s
    if not len(track):
        found.skipped["track without times"] += 1
        return
    found.node(name).name = name
    found.tracks[name] = track


def _place(element: Tree.Element, line: int) -> tuple[float, float]:
    pair = [number(element.get(key, "")) for key in ("lat", "lon")]
    if pair[0] is None or pair[1] is None:
        raise SiteError(f"line {line}: a point must have lat and lon in degrees")
    return degrees(pair[0], pair[1], line)
