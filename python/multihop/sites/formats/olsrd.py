"""What olsrd's plug-ins txtinfo and jsoninfo say: links, topology, other addresses, gateways.

LQ is the share of the neighbour's packets that arrive here, NLQ of ours that arrive there (olsrd's
README-Link-Quality). In the topology it is the last hop that says it of the destination.
"""

from __future__ import annotations

import re

from multihop.sites.content import Part, number
from multihop.sites.form import SiteError, Survey, shortened
from multihop.sites.formats.common import both_ways, each_way_of_etx

_TABLES = {
    "links": ("local ip", "remote ip"),
    "topology": ("last hop ip", "dest. ip"),
    "mid": ("ip", "alias"),
    "hna": ("destination", "gateway"),
}
_JSON = {
    "links": ("localIP", "remoteIP", "linkCost"),
    "topology": ("lastHopIP", "destinationIP", "tcEdgeCost"),
}
_ANYWHERE = ("0.0.0.0/0", "0.0.0.0/0.0.0.0", "::/0")
_WHOLE_COST = 1024


def matches(begin: str) -> bool:
    """Whether it is what txtinfo says."""
    return bool(re.search(r"^Table: (Links|Topology|Neighbors|MID|HNA)\b", begin, re.MULTILINE))


def matches_json(whole: Part) -> bool:
    """Whether it is what jsoninfo says."""
    for table, keys in _JSON.items():
        part = whole.get(table)
        rows = part.value if part is not None and isinstance(part.value, list) else []
        if any(isinstance(row, dict) and {*keys[:2]} <= row.keys() for row in rows[:20]):
            return True
    return False


def read(told: str, _stem: str) -> Survey:
    """All tables that are understood; the others are skipped."""
    found = Survey("txtinfo of olsrd", routing="olsr-etx")
    table, header = "", list[str]()
    for line, row in enumerate(told.split("\n"), 1):
        if title := re.match(r"Table: (.+)", row):
            table, header = title[1].strip().lower(), []
        elif not row.strip():
            table = ""
        elif table in _TABLES and not header:
            header = [cell.strip().lower() for cell in re.split(r"\t+| {2,}", row.strip())]
        elif table in _TABLES:
            cells = row.split("\t") if "\t" in row else row.split()
            _row(found, table, header, [cell.strip() for cell in cells], line)
    return found


def _row(found: Survey, table: str, header: list[str], cells: list[str], line: int) -> None:
    at = {
        name: place
        for name in (*_TABLES[table], "lq", "nlq", "cost")
        for place, told in enumerate(header)
        if told.startswith(name) or (name == "alias" and "alias" in told)
    }
    if len(cells) < 2 or not set(_TABLES[table]) <= at.keys():
        raise SiteError(f"line {line}: the table must have {' and '.join(_TABLES[table])}")
    try:
        first, second = (cells[at[name]] for name in _TABLES[table])
    except IndexError:
        raise SiteError(f"line {line}: is cut short") from None
    if table == "mid":
        found.node(first).aliases += tuple(re.split(r"[;,\s]+", second))
    elif table == "hna":
        if first in _ANYWHERE:
            found.node(second).gateway = True
    else:
        values = [
            number(cells[at[key]]) if key in at and at[key] < len(cells) else None
            for key in ("lq", "nlq", "cost")
        ]
        _link(found, first, second, values, f"line {line}: ")


def _link(found: Survey, a: str, b: str, values: list[float | None], where: str) -> None:
    lq, nlq, cost = values
    for value in (lq, nlq):
        if value is not None and not 0 <= value <= 1:
            raise SiteError(f"{where}LQ and NLQ must be 0 to 1 (got {value:g})")
    if not a or not b:
        raise SiteError(f"{where}must have two addresses (got {shortened(f'{a} {b}')})")
    found.node(a), found.node(b)
    if lq is not None and nlq is not None:
        both_ways(found, a, b, nlq, lq)
    elif cost is not None and cost > 0:
        share = each_way_of_etx(cost / _WHOLE_COST if cost >= _WHOLE_COST else cost)
        both_ways(found, a, b, share, share)
    else:
        found.skipped["link without a quality"] += 1


def read_json(whole: Part, _stem: str) -> Survey:
    """The same of JSON."""
    found = Survey("jsoninfo of olsrd", routing="olsr-etx")
    for table, (first, second, cost) in _JSON.items():
        part = whole.get(table)
        for row in part.each() if part else ():
            a, b = (row.need(key).name() for key in (first, second))
            told = [row.get(key) for key in ("linkQuality", "neighborLinkQuality", cost)]
            values = [one.number(0, 1e12) if one else None for one in told]
            _link(found, a, b, values, f"{shortened(row.path)}: ")
    mid = whole.get("mid")
    for row in mid.each() if mid else ():
        main = row.get("main", "ipAddress") or row.get("ipAddress")
        aliases = row.get("aliases")
        for one in aliases.each() if main and aliases else ():
            address = one.get("ipAddress") or one
            assert main is not None
            found.node(main.name()).aliases += (address.name(),)
    hna = whole.get("hna")
    for row in hna.each() if hna else ():
        destination, gateway = row.get("destination"), row.get("gateway")
        length = row.get("genmask")
        if not destination or not gateway or (length and length.value not in (0, "0")):
            continue
        if destination.name().partition("/")[0] in ("0.0.0.0", "::"):
            found.node(gateway.name()).gateway = True
    return found
