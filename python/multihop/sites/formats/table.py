"""CSV tables, as spreadsheets write them: of nodes with places, or of links with a quality.

Nodes: `lat` and `lon`, or `x_m` and `y_m`; beside them `id`, `name`, `height_m`, `gateway`. Links:
`from` and `to`, and one of `gain_db`, `signal_dbm`, `tq` or `delivery`, `etx`, `rate_mbps`.
Separators are commas, semicolons or tabs; with the last two the decimal mark may be a comma.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from multihop.sites.content import number, text
from multihop.sites.form import Link, SiteError, Survey, shortened
from multihop.sites.formats.common import NO_PLACE, each_way_of_etx, share_of_tq

COLUMNS = {
    "id": ("id", "node_id", "nodeid", "mac", "address"),
    "name": ("name", "hostname", "label", "site"),
    "latitude": ("lat", "latitude", "lat_deg", "latitude_deg"),
    "longitude": ("lon", "lng", "long", "longitude", "lon_deg", "longitude_deg"),
    "x": ("x_m", "x", "east_m", "easting"),
    "y": ("y_m", "y", "north_m", "northing"),
    "height": ("height_m", "height", "z_m", "altitude", "alt", "elevation"),
    "gateway": ("gateway", "is_gateway", "uplink"),
    "from": ("from", "source", "sender"),
    "to": ("to", "target", "destination", "receiver"),
    "gain": ("gain_db", "gain"),
    "loss": ("loss_db", "path_loss_db", "pathloss_db", "pathloss"),
    "signal": ("signal_dbm", "signal", "rssi", "rssi_dbm"),
    "delivery": ("tq", "delivery", "lq", "quality"),
    "etx": ("etx",),
    "rate": ("rate_mbps", "rate_mbit", "mbps"),
}
QUALITIES = ("gain", "loss", "signal", "delivery", "etx", "rate")
_YES = ("1", "true", "yes", "y", "x", "ja", "oui", "si")
_RANGES = {
    "gain": (-300.0, 30.0, "dB"),
    "loss": (0.0, 300.0, "dB"),
    "signal": (-150.0, 30.0, "dBm"),
    "delivery": (0.0, 255.0, "as a share of 1, or of 255"),
    "etx": (1.0, 1e6, "transmissions"),
    "rate": (0.0, 1e5, "Mbit/s"),
}


def read(path: Path) -> Survey:
    """The nodes or links of a table."""
    told = text(path)
    rows = _rows(told)
    _, header = next(rows, (1, []))
    columns = _columns(header)
    if "from" in columns and "to" in columns:
        return _links(rows, columns)
    if {"latitude", "longitude"} <= columns.keys() or {"x", "y"} <= columns.keys():
        return _nodes(rows, columns)
    raise SiteError(
        "line 1: must name the columns of nodes (lat and lon, or x_m and y_m) or of links (from and"
        f" to, and {', '.join(COLUMNS[name][0] for name in QUALITIES)})"
    )


def _rows(told: str) -> Iterator[tuple[int, list[str]]]:
    begin = told.split("\n", 1)[0]
    mark = max((",", ";", "\t"), key=begin.count)
    reader = csv.reader(told.split("\n"), delimiter=mark)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise SiteError(f"line {reader.line_num}: not CSV: {error}") from None


def _columns(header: list[str]) -> dict[str, int]:
    places = {name.strip().lower(): place for place, name in reversed([*enumerate(header)])}
    found = {}
    for column, names in COLUMNS.items():
        place = next((places[name] for name in names if name in places), None)
        if place is not None:
            found[column] = place
    return found


def _cell(row: list[str], columns: dict[str, int], name: str) -> str:
    place = columns.get(name)
    return row[place] if place is not None and place < len(row) else ""


def _value(line: int, name: str, cell: str, span: tuple[float, float, str]) -> float:
    value = number(cell)
    if value is None or not span[0] <= value <= span[1]:
        raise SiteError(
            f"line {line}: {name} must be {span[0]:g} to {span[1]:g} {span[2]} "
            f"(got {shortened(cell)})"
        )
    return value


def _nodes(rows: Iterator[tuple[int, list[str]]], columns: dict[str, int]) -> Survey:
    # Metres win, as in a scenario's file of positions.
    degrees = not {"x", "y"} <= columns.keys()
    found = Survey("table of nodes", in_degrees=degrees)
    for line, row in rows:
        name = _cell(row, columns, "id") or _cell(row, columns, "name")
        name = name or f"node {len(found.nodes) + 1}"
        if name in found.nodes:
            if "id" in columns:
                raise SiteError(f"line {line}: the id of a line above ({shortened(name)})")
            name = f"{name} {len(found.nodes) + 1}"
        node = found.node(name)
        node.name = _cell(row, columns, "name")
        node.gateway = _cell(row, columns, "gateway").lower() in _YES
        first, second = ("latitude", "longitude") if degrees else ("x", "y")
        spans = (
            ((-90.0, 90.0, "degrees"), (-180.0, 180.0, "degrees"))
            if degrees
            else ((-1e7, 1e7, "m"),) * 2
        )
        cells = [_cell(row, columns, key) for key in (first, second)]
        if not any(cells):
            found.skipped["place that is left empty"] += 1
        else:
            pair = [
                _value(line, key, cell, span)
                for key, cell, span in zip((first, second), cells, spans, strict=True)
            ]
            if degrees and pair == [0.0, 0.0]:
                found.skipped[NO_PLACE] += 1
            else:
                node.place = (pair[0], pair[1])
        if height := _cell(row, columns, "height"):
            node.height_m = _value(line, "height", height, (-1e4, 1e5, "m"))
    return found


def _links(rows: Iterator[tuple[int, list[str]]], columns: dict[str, int]) -> Survey:
    found = Survey("table of links")
    for line, row in rows:
        link = Link(_cell(row, columns, "from"), _cell(row, columns, "to"))
        if not link.source or not link.target:
            raise SiteError(f"line {line}: must name a node in both from and to")
        for end in (link.source, link.target):
            found.node(end)
        values = {
            name: _value(line, name, cell, _RANGES[name])
            for name in QUALITIES
            if (cell := _cell(row, columns, name))
        }
        if values.get("delivery") == 0:
            found.skipped["link that nothing arrives over"] += 1
            continue
        link.gain_db = values.get("gain", -values["loss"] if "loss" in values else None)
        link.signal_dbm = values.get("signal")
        if (share := values.get("delivery")) is not None:
            link.delivery = share_of_tq(share)
        elif (etx := values.get("etx")) is not None:
            link.delivery = each_way_of_etx(etx)
        if rate := values.get("rate"):
            link.rate_bps = rate * 1e6
        found.link(link)
    return found


def matches(path: Path, begin: str) -> bool:
    """Whether the first line names such columns."""
    header = re.split(r"[,;\t]", begin.lstrip("\n").split("\n", 1)[0])
    columns = _columns([cell.strip(' "') for cell in header])
    return path.suffix.lower() in (".csv", ".tsv") or len(columns) >= 2


def degrees(path: Path) -> list[tuple[float, float]] | None:
    """Latitude and longitude of each row; None if the table lacks them, or a row does."""
    rows = _rows(text(path))
    columns = _columns(next(rows, (1, []))[1])
    if not {"latitude", "longitude"} <= columns.keys():
        return None
    found = []
    for _, row in rows:
        pair = [number(_cell(row, columns, key)) for key in ("latitude", "longitude")]
        if pair[0] is None or pair[1] is None:
            return None
        found.append((pair[0], pair[1]))
    return found
