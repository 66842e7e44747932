"""`meshviewer.json`: the map of Freifunk communities, as yanic and others write it for Meshviewer.

Links have `source_tq` and `target_tq`: B.A.T.M.A.N.'s share of the broadcasts that arrive, from the
source on and from the target on. meshnet-lab's copies of such maps, which call latitudes `x` and
longitudes `y`, are read as well. Owners and contacts are not read.
"""

from __future__ import annotations

from multihop.sites.content import Part
from multihop.sites.form import Survey
from multihop.sites.formats.common import WIRED, both_ways, place, share_of_tq

WIRELESS = ("wifi", "wireless")
"""How types of links by radio begin; newer maps have `wifi24` and `wifi5`, by the band."""
UPLINK = ("vpn", "tunnel", "l2tp", "fastd", "wireguard")


def matches(whole: Part) -> bool:
    """Whether it is one: lists of nodes, with their ids, and of links."""
    nodes, links = whole.get("nodes"), whole.get("links")
    if nodes is None or links is None or whole.get("type") is not None:
        return False
    if not isinstance(nodes.value, list) or not isinstance(links.value, list):
        return False
    keys = {key for node in nodes.value[:20] if isinstance(node, dict) for key in node}
    return "node_id" in keys or ("id" in keys and bool(keys & {"x", "name"}))


def read(whole: Part, _stem: str) -> Survey:
    """Nodes that are on line, with places and links by radio."""
    found = Survey("map of Meshviewer", in_degrees=True)
    absent = set[str]()
    for part in whole.need("nodes").each():
        own = part.get("node_id") or part.need("id")
        name = own.name()
        online = part.get("is_online") or part.get("flags", "online")
        if online is not None and online.value is False:
            absent.add(name)
            found.skipped["node off line"] += 1
            continue
        node = found.node(name)
        told = part.get("hostname") or part.get("name")
        node.name = told.name() if told else ""
        where = part.get("location")
        if where is not None:
            node.place = place(found, where.get("latitude"), where.get("longitude"))
        else:
            node.place = place(found, part.get("x"), part.get("y"))
        node.gateway = part.is_true("is_gateway")
        mac = part.get("mac")
        node.aliases = (mac.name(),) if mac else ()
    for part in whole.need("links").each():
        source, target = part.need("source").name(), part.need("target").name()
        kind = part.get("type")
        what = kind.name().lower() if kind else WIRELESS[0]
        if source in absent or target in absent:
            found.skipped["link of a node off line"] += 1
        elif source not in found.nodes or target not in found.nodes:
            found.skipped["link of a node that is not listed"] += 1
        elif what.startswith(WIRELESS):
            there, back = (
                share_of_tq(tq.number(0, 255)) if (tq := part.get(key)) else None
                for key in ("source_tq", "target_tq")
            )
            both_ways(found, source, target, there, back)
            if there is not None or back is not None:
                found.routing = "batman"  # whose measure TQ is
        else:
            found.skipped[WIRED] += 1
            if what in UPLINK:  # one end is a router with an uplink, the other a server: no place
                for end in (source, target):
                    found.nodes[end].gateway |= found.nodes[end].place is not None
    return found
