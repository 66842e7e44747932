"""NetJSON NetworkGraph (RFC draft at netjson.org): nodes and links, as netdiff and OLSRd2 write it.

What a cost means follows from `metric` and `protocol`: ETX of OLSR is 1 / (there x back),
B.A.T.M.A.N.'s 255 / TQ, Babel's 256 for a link that loses nothing. `properties` may have more:
`lq` and `nlq`, `signal`, `gain_db`. A collection of graphs is taken as one.
"""

from __future__ import annotations

from multihop.sites.content import Part
from multihop.sites.form import Link, Survey, counted
from multihop.sites.formats.common import (
    both_ways,
    delivery_of_cost,
    each_way_of_etx,
    place,
)

ROUTING = {
    "aodv": "aodv",
    "babel": "babel",
    "batman": "batman",
    "batman-adv": "batman",
    "dsdv": "dsdv",
    "olsr": "olsr-etx",
}
"""By what `protocol` calls them; the schemes are those nearest to what communities run."""


def matches(whole: Part) -> bool:
    """Whether it is one."""
    kind = whole.get("type")
    return kind is not None and kind.value in ("NetworkGraph", "NetworkCollection")


def read(whole: Part, _stem: str) -> Survey:
    """All nodes and links."""
    found = Survey("NetJSON graph", in_degrees=True)
    graphs = [whole]
    if whole.need("type").value == "NetworkCollection":
        graphs = [*whole.need("collection").each()]
    for graph in graphs:
        kind = graph.get("type")
        if kind is None or kind.value != "NetworkGraph":
            found.skipped["part that is no NetworkGraph"] += 1
            continue
        _graph(found, graph)
    return found


def _graph(found: Survey, graph: Part) -> None:
    protocol = graph.get("protocol")
    told = protocol.name().lower() if protocol else ""
    found.routing = found.routing or ROUTING.get(told, "")
    metric = graph.get("metric")
    measure = metric.name().lower() if metric else ""
    for part in graph.need("nodes").each():
        node = found.node(part.need("id").name())
        label = part.get("label") or part.get("name")
        node.name = label.name() if label else ""
        local = part.get("local_addresses")
        node.aliases = tuple(one.name() for one in local.each()) if local else ()
        where = part.get("properties", "location") or part.get("location")
        source = where or part.get("properties")
        if source is not None:
            latitude = source.get("lat") or source.get("latitude")
            longitude = source.get("lng") or source.get("lon") or source.get("longitude")
            node.place = place(found, latitude, longitude)
        node.gateway = (own := part.get("properties")) is not None and own.is_true("gateway")
    listed = len(found.nodes)
    for part in graph.need("links").each():
        a, b = part.need("source").name(), part.need("target").name()
        found.node(a), found.node(b)
        status = part.get("properties", "status")
        if status is not None and status.value == "down":
            found.skipped["link that is down"] += 1
            continue
        _link(found, part, a, b, measure, told)
    if more := len(found.nodes) - listed:
        found.remarks.append(f"{counted(more, 'node')} named by links alone")


def _link(found: Survey, part: Part, a: str, b: str, measure: str, protocol: str) -> None:
    own = part.get("properties")
    gain = own.get("gain_db") if own else None
    signal = own.get("signal") or own.get("signal_dbm") if own else None
    if gain is not None:
        found.link(Link(a, b, gain_db=gain.number(-300, 30, "dB")))
    elif signal is not None:
        found.link(Link(a, b, signal_dbm=signal.number(-150, 30, "dBm")))
    elif own is not None and (lq := own.get("lq")) and (nlq := own.get("nlq")):
        both_ways(found, a, b, nlq.number(0, 1), lq.number(0, 1))
    else:
        cost = part.need("cost").number(0, 1e9)
        _by_cost(found, (a, b), cost, measure, protocol)


def _by_cost(
    found: Survey, ends: tuple[str, str], cost: float, measure: str, protocol: str
) -> None:
    if measure == "hops":
        found.link(Link(*ends))
    elif "etx" in measure or (protocol == "olsr" and not measure):
        # OLSRd counts in 1024ths where it gives whole numbers.
        share = each_way_of_etx(cost / 1024 if cost >= 1024 else cost)
        both_ways(found, *ends, share, share)
    elif "tq" in measure or protocol.startswith(("batman", "batadv")):
        share = cost if cost <= 1 else delivery_of_cost(cost)
        found.link(Link(*ends, delivery=share))
    elif protocol.startswith("babel"):
        found.link(Link(*ends, delivery=delivery_of_cost(cost / 256)))
    else:
        found.skipped["cost of an unknown metric"] += 1
        found.link(Link(*ends))
