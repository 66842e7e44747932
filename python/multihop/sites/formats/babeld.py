"""What `babeld` says to `dump` on its local socket: one router's neighbours and their costs.

In ETX mode a cost is 256 over the share of Hellos that arrive (RFC 8966, appendix A.2.2): `rxcost`
of those of the neighbour, `txcost`, which the neighbour announces, of our own. Below 256 it is a
cable's. Files of several routers make a mesh: they know each other by their interfaces' addresses.
"""

from __future__ import annotations

import re

from multihop.sites.content import number
from multihop.sites.form import Link, SiteError, Survey
from multihop.sites.formats.common import WIRED

_LOSSLESS, _INFINITE = 256.0, 65_535.0
_DEFAULT = re.compile(r"\badd (?:x)?route \S+ prefix (?:0\.0\.0\.0/0|::/0) .*\bmetric 0\b")


def matches(begin: str) -> bool:
    """Whether it is one."""
    return bool(re.search(r"^(BABEL \d|add (neighbour|interface) )", begin, re.MULTILINE))


def read(told: str, stem: str) -> Survey:
    """The router, called as it calls itself or as the file, and its neighbours."""
    found = Survey("dump of babeld", routing="babel")
    host = re.search(r"^host (\S+)", told, re.MULTILINE)
    own = found.node(host[1] if host else stem)
    own.name = own.id
    for line, row in enumerate(told.split("\n"), 1):
        words = row.split()
        if words[:2] == ["add", "interface"]:
            own.aliases += tuple(_after(words, key) for key in ("ipv6", "ipv4") if key in words)
        elif words[:2] == ["add", "neighbour"]:
            _neighbour(found, own.id, words, line)
        elif _DEFAULT.search(row) and words[1] == "xroute":
            own.gateway = True
    return found


def _after(words: list[str], key: str) -> str:
    place = words.index(key) + 1
    return words[place] if place < len(words) else ""


def _neighbour(found: Survey, own: str, words: list[str], line: int) -> None:
    if "address" not in words or not (address := _after(words, "address")):
        raise SiteError(f"line {line}: a neighbour must have an address")
    found.node(address)
    costs = []
    for key in ("rxcost", "txcost"):
        cost = number(_after(words, key)) if key in words else None
        if cost is None or cost < 0:
            raise SiteError(f"line {line}: a neighbour must have rxcost and txcost, whole numbers")
        costs.append(cost)
    if min(costs) < _LOSSLESS:
        found.skipped[WIRED] += 1
        return
    for (source, target), cost in zip(((address, own), (own, address)), costs, strict=True):
        if cost >= _INFINITE:
            found.skipped["link that nothing arrives over"] += 1
        else:
            found.link(Link(source, target, delivery=_LOSSLESS / cost))
