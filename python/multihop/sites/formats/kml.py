"""KML 2.2: placemarks with a point are nodes, with a line links, with a `gx:Track` tracks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as Tree

from multihop.sites.content import elements, number
from multihop.sites.form import Link, SiteError, Survey, shortened
from multihop.sites.formats.geojson import join_lines

ROOT = "kml"


def read(path: Path) -> Survey:
    """All placemarks, of all folders."""
    found = Survey("KML", in_degrees=True)
    drawn: list[tuple[list[tuple[float, float]], Link]] = []
    for line, mark in elements(path, "Placemark"):
        told = (mark.findtext("name") or "").strip()
        name = told if told and told not in found.nodes else f"{path.stem} {len(found.nodes) + 1}"
        shapes = 0
        for shape in mark.iter():
            if shape.tag == "Track":
                _track(found, name, shape, line)
            elif shape.tag not in ("Point", "LineString"):
                continue
            else:
                points = _points(shape.findtext("coordinates") or "", line)
                if shape.tag == "Point":
                    node = found.node(name)
                    node.name, node.place = told, points[0]
                elif len(points) > 1:
                    drawn.append((points, Link("", "")))
                else:
                    raise SiteError(f"line {line}: a line must have two points at least")
            shapes += 1
        if not shapes:
            found.skipped["placemark without a point or a line"] += 1
    join_lines(found, drawn)
    return found


def _points(told: str, line: int) -> list[tuple[float, float]]:
    """Coordinates as KML writes them: longitude,latitude[,height], with blanks between points."""
    points = []
    for group in told.split():
        parts = [number(one) for one in group.split(",")]
        if len(parts) < 2 or parts[0] is None or parts[1] is None:
            raise SiteError(
                f"line {line}: coordinates must be longitude,latitude (got {shortened(group)})"
            )
        points.append(degrees(parts[1], parts[0], line))
    if not points:
        raise SiteError(f"line {line}: has no coordinates: longitude,latitude")
    return points


def _track(found: Survey, name: str, shape: Tree.Element, line: int) -> None:
    times = [seconds(one.text or "", line) for one in shape.findall("when")]
    places = [(one.text or "").split() for one in shape.findall("coord")]
    if len(times) != len(places) or not times:
        raise SiteError(f"line {line}: a Track must have as many <when> as <gx:coord>")
    found.node(name).name = name
    for time_s, place in zip(times, places, strict=True):
        pair = [number(one) for one in place[:2]]
        if len(pair) < 2 or pair[0] is None or pair[1] is None:
            raise SiteError(f"line {line}: <gx:coord> must be longitude latitude height")
        found.go(name, time_s, *degrees(pair[1], pair[0], line))


def degrees(latitude: float, longitude: float, line: int) -> tuple[float, float]:
    """The pair, if it is a place on Earth."""
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise SiteError(
            f"line {line}: must be a latitude from -90 to 90 and a longitude from -180 to 180 "
            f"degrees (got {latitude:g}, {longitude:g})"
        )
    return latitude, longitude


def seconds(told: str, line: int) -> float:
    """Seconds since 1970 of a time as XML writes it; without a zone it is UTC."""
    try:
        found = datetime.fromisoformat(told.strip())
    except ValueError:
        raise SiteError(
            f"line {line}: must be a time such as 2026-05-01T12:00:00Z (got {shortened(told)})"
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
