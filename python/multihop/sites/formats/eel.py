"""EMANE's and CORE's EEL (NRL's Emulation Event Log): path losses and places over time.

`TIME nem:1 pathloss nem:2,90.0 nem:3,95.1[,BACK]` and `TIME nem:1 location gps LAT,LON,ALT` (or
`cart X,Y,Z`). A gain is the negative of the path loss; antennas are not in it.
"""

from __future__ import annotations

import re
from pathlib import Path

from multihop.sites.content import lines, number
from multihop.sites.form import Link, SiteError, Survey, shortened
from multihop.sites.formats.kml import degrees

_LINE = re.compile(r"^\s*(\S+)\s+(nem:\S+)\s+(\w+)\s*(.*)$")


def matches(begin: str) -> bool:
    """Whether it is one."""
    rows = [row for row in begin.split("\n") if row.strip() and not row.lstrip().startswith("#")]
    return bool(rows) and _LINE.match(rows[0]) is not None


def read(path: Path) -> Survey:
    """Nodes, the first loss of each link, and places over time."""
    found = Survey("EEL")
    losses: dict[tuple[str, str], float] = {}
    units = set[str]()
    for line, row in lines(path):
        if not row.strip() or row.lstrip().startswith("#"):
            continue
        parts = _LINE.match(row)
        if parts is None:
            raise SiteError(f"line {line}: must be TIME nem:N KEYWORD ... (got {shortened(row)})")
        time_s = _time(parts[1], line)
        match parts[3].lower():
            case "pathloss":
                _losses(found, losses, parts[2], parts[4].split(), line)
            case "location":
                units.add(_location(found, parts[2], time_s, parts[4].split(), line))
                if len(units) > 1:
                    raise SiteError(f"line {line}: places must be all gps, or all cart")
            case keyword:
                found.skipped[f"event of the kind {shortened(keyword)}"] += 1
    found.in_degrees = units == {"gps"}
    for (source, target), loss in losses.items():
        found.link(Link(source, target, gain_db=-loss))
    for name, track in [*found.tracks.items()]:
        if len(track) == 1:
            del found.tracks[name]
            found.nodes[name].place = (track.values[1], track.values[2])
    if found.tracks:
        found.remarks.append("nodes go in straight lines between the places of the log")
    return found


def _time(written: str, line: int) -> float:
    if written.lower() in ("-inf", "-infinity"):
        return 0.0
    value = number(written)
    if value is None:
        raise SiteError(
            f"line {line}: must begin with a time in seconds (got {shortened(written)})"
        )
    return max(value, 0.0)


def _losses(
    found: Survey,
    losses: dict[tuple[str, str], float],
    source: str,
    told: list[str],
    line: int,
) -> None:
    found.node(source)
    for one in told:
        target, *values = one.split(",")
        numbers = [number(value) for value in values]
        if not 1 <= len(numbers) <= 2 or any(n is None or not 0 <= n <= 300 for n in numbers):
            raise SiteError(
                f"line {line}: must be nem:N,LOSS with a loss of 0 to 300 dB (got {shortened(one)})"
            )
        found.node(target)
        ways = ((source, target), (target, source))
        for ends, loss in zip(ways, numbers, strict=False):
            if ends in losses and losses[ends] != loss:
                found.skipped["later path loss of a link: gains stay"] += 1
            elif loss is not None and ends[0] != ends[1]:
                losses[ends] = loss


def _location(found: Survey, name: str, time_s: float, told: list[str], line: int) -> str:
    unit = told[0].lower() if told else ""
    pair = [number(value) for value in (told[1] if len(told) > 1 else "").split(",")[:2]]
    if unit not in ("gps", "cart") or len(pair) < 2 or pair[0] is None or pair[1] is None:
        raise SiteError(f"line {line}: must be location gps LAT,LON,ALT or location cart X,Y,Z")
    place = degrees(pair[0], pair[1], line) if unit == "gps" else (pair[0], pair[1])
    found.node(name)
    if name in found.tracks and found.tracks[name].values[-3] > time_s:
        raise SiteError(f"line {line}: times of {shortened(name)} must not go back")
    found.go(name, time_s, *place)
    return unit
