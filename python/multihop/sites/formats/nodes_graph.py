"""`nodes.json` and `graph.json`, which ffmap-backend, hopglass-server and yanic write for HopGlass.

`nodes.json` (version 1: an object by node, 2: a list) has `nodeinfo`, with a `location`;
`graph.json` has `batadv.nodes` and `batadv.links`, whose ends are places in the list of nodes, and
whose `tq` is 1 over the share of broadcasts that arrive, the mean of both ways.
"""

from __future__ import annotations

from multihop.sites.content import Part
from multihop.sites.form import Survey
from multihop.sites.formats.common import WIRED, both_ways, delivery_of_cost, place


def matches_nodes(whole: Part) -> bool:
    """Whether it is a `nodes.json`."""
    nodes = whole.get("nodes")
    if nodes is None or not isinstance(nodes.value, (list, dict)):
        return False
    values = nodes.value if isinstance(nodes.value, list) else [*nodes.value.values()]
    return any(isinstance(node, dict) and "nodeinfo" in node for node in values[:20])


def matches_graph(whole: Part) -> bool:
    """Whether it is a `graph.json`."""
    batadv = whole.get("batadv")
    return batadv is not None and isinstance(batadv.value, dict)


def read_nodes(whole: Part, _stem: str) -> Survey:
    """Nodes and their places."""
    found = Survey("nodes.json", in_degrees=True)
    for part in whole.need("nodes").each():
        info = part.get("nodeinfo")
        if info is None:
            found.skipped["node without nodeinfo"] += 1
            continue
        name = info.need("node_id").name()
        online = part.get("flags", "online") or part.get("online")
        if online is not None and online.value is False:
            found.skipped["node off line"] += 1
            continue
        node = found.node(name)
        hostname = info.get("hostname")
        node.name = hostname.name() if hostname else ""
        where = info.get("location")
        if where is not None:
            node.place = place(found, where.get("latitude"), where.get("longitude"))
        node.gateway = part.get("flags") is not None and part.need("flags").is_true("gateway")
        node.aliases = tuple(_addresses(info))
    return found


def _addresses(info: Part) -> list[str]:
    told = [mac.name()] if (mac := info.get("network", "mac")) else []
    meshes = info.get("network", "mesh")
    for mesh in meshes.each() if meshes else ():
        kinds = mesh.get("interfaces")
        for addresses in kinds.each() if kinds else ():
            told += [address.name() for address in addresses.each()]
    return told


def read_graph(whole: Part, _stem: str) -> Survey:
    """Nodes without places, and links by radio."""
    found = Survey("graph.json", routing="batman")
    graph = whole.need("batadv")
    ends: list[str] = []
    for part in graph.need("nodes").each():
        own = part.get("node_id") or part.need("id")
        ends.append(own.name())
        address = part.get("id")
        found.node(ends[-1]).aliases += (address.name(),) if address else ()
    for part in graph.need("links").each():
        pair = [int(part.need(key).number(0, len(ends) - 1)) for key in ("source", "target")]
        a, b = (ends[end] for end in pair)
        kind = part.get("type")
        told = kind.name().lower() if kind else ""
        if part.is_true("vpn") or told in ("tunnel", "vpn", "lan", "other"):
            found.skipped[WIRED] += 1
            if part.is_true("vpn") or told in ("tunnel", "vpn"):
                found.nodes[a].gateway = found.nodes[b].gateway = True
            continue
        tq = part.need("tq").number(0, 1e6)
        share = tq if tq <= 1 else delivery_of_cost(tq)
        both_ways(found, a, b, share, share)
    return found
