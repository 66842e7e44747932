"""What OpenWrt's `iwinfo DEVICE scan` and `iwinfo DEVICE assoclist` say: whom one router hears.

The router is called as the file is. Of a scan that hears mesh points or ad hoc nodes only these
are taken; of any other all.
"""

from __future__ import annotations

import re

from multihop.sites.content import number
from multihop.sites.form import Link, SiteError, Survey

_CELL = re.compile(r"^\s*Cell \d+ - Address:\s*([0-9A-Fa-f:]{17})")
_PEER = re.compile(r"^([0-9A-Fa-f:]{17})\s+(-?\d+|unknown)(?: dBm)?\s*/")
_SIGNAL = re.compile(r"Signal:\s*(-?\d+|unknown)")
_MODE = re.compile(r"Mode:\s*(Mesh Point|Ad-Hoc|Master|Client|\S+)")
_RATE = re.compile(r"^\s+(RX|TX):\s*([\d.]+) MBit/s")
_MESH = ("Mesh Point", "Ad-Hoc")


def matches(begin: str) -> bool:
    """Whether it is one."""
    return any(_CELL.match(row) or _PEER.match(row) for row in begin.split("\n")[:50])


def read(told: str, stem: str) -> Survey:
    """The router and whom it hears."""
    found = Survey("iwinfo")
    own = found.node(stem)
    own.name = stem
    heard: dict[str, list[str]] = {}
    peer = ""
    for line, row in enumerate(told.split("\n"), 1):
        if found_cell := _CELL.match(row):
            peer = found_cell[1].lower()
            heard[peer] = ["", ""]
        elif associated := _PEER.match(row):
            peer = associated[1].lower()
            _hear(found, own.id, peer, associated[2], line)
        elif rate := _RATE.match(row):
            ends = (peer, own.id) if rate[1] == "RX" else (own.id, peer)
            mbps = number(rate[2])
            if peer and mbps:
                found.link(Link(*ends, rate_bps=mbps * 1e6))
        elif peer in heard:
            if said := _MODE.search(row):
                heard[peer][0] = said[1]
            if said := _SIGNAL.search(row):
                heard[peer][1] = said[1]
    meshes = any(mode in _MESH for mode, _ in heard.values())
    for address, (mode, signal) in heard.items():
        if meshes and mode not in _MESH:
            found.skipped["access point of another kind than the mesh's"] += 1
        else:
            _hear(found, own.id, address, signal, None)
    if len(found.nodes) == 1:
        raise SiteError("has no cell of a scan and no associated station")
    return found


def _hear(found: Survey, own: str, peer: str, signal: str, line: int | None) -> None:
    found.node(peer)
    value = number(signal)
    if value is None:
        found.skipped["station whose signal is not known"] += 1
        return
    if not -150 <= value <= 30:
        where = f"line {line}: " if line else ""
        raise SiteError(f"{where}a signal must be -150 to 30 dBm (got {value:g})")
    found.link(Link(peer, own, signal_dbm=value))
