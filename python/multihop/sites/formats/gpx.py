"""GPX 1.1: waypoints are nodes that stay, tracks with times are nodes that move."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Tree

from multihop.sites.content import elements, number
from multihop.sites.form import SiteError, Survey
from multihop.sites.formats.kml import degrees, seconds

ROOT = "gpx"


def read(path: Path) -> Survey:
    """Waypoints and tracks; routes have no times and are skipped."""
    found = Survey("GPX", in_degrees=True)
    track: _Track | None = None
    for line, element in elements(path, "wpt", "rte", "name", "trkpt", begun=["trk"]):
        match element.tag:
            case "rte":
                found.skipped["route, which has no times"] += 1
            case "wpt":
                told = (element.findtext("name") or "").strip()
                node = found.node(_name(found, path, told))
                node.name, node.place = told, _place(element, line)
            case "trk":
                if track is not None:
                    track.end(found)
                track = _Track(path)
            case "name" if track is not None:
                track.told = track.told or (element.text or "").strip()
            case "trkpt" if track is not None:
                track.go(found, element, line)
    if track is not None:
        track.end(found)
    return found


def _name(found: Survey, path: Path, told: str) -> str:
    return told if told and told not in found.nodes else f"{path.stem} {len(found.nodes) + 1}"


class _Track:
    """A track whose points come one by one; its name stands before them."""

    def __init__(self, path: Path) -> None:
        self.path, self.told, self.name, self.last_s = path, "", "", float("-inf")

    def go(self, found: Survey, point: Tree.Element, line: int) -> None:
        when = point.findtext("time")
        if not when:
            found.skipped["point of a track without a time"] += 1
            return
        time_s, place = seconds(when, line), _place(point, line)
        if time_s < self.last_s:
            found.skipped["point of a track that goes back in time"] += 1
            return
        if not self.name:
            self.name = _name(found, self.path, self.told)
            found.node(self.name).name = self.name
        self.last_s = time_s
        found.go(self.name, time_s, *place)

    def end(self, found: Survey) -> None:
        if not self.name:
            found.skipped["track without times"] += 1


def _place(element: Tree.Element, line: int) -> tuple[float, float]:
    pair = [number(element.get(key, "")) for key in ("lat", "lon")]
    if pair[0] is None or pair[1] is None:
        raise SiteError(f"line {line}: a point must have lat and lon in degrees")
    return degrees(pair[0], pair[1], line)
