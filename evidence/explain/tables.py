"""Stages of proactive routing."""

from __future__ import annotations

import math
import random
from typing import Any

import multihop
from evidence.explain.staging import Build, Stage, cbr, chain, ftp, network
from multihop.explain import Cause

SETTLED_S = 70.0
"""All tables are full by then."""


def convergence(draw: random.Random) -> Stage:
    """A flow begins before tables know its destination."""
    hops = draw.choice([2, 3, 4])
    routing = draw.choice([{"scheme": "olsr"}, {"scheme": "babel"}, {"scheme": "dsdv"}])
    flow = draw.choice([ftp(0, hops, 0.5), cbr(0, hops, 0.5, 2e4)])
    scenario = network(draw, chain(draw, hops), [flow], routing=routing)
    scenario["transport"]["rto_max_s"] = 1.0
    return Stage(scenario | {"duration_s": 90})


def stale_neighbour(draw: random.Random) -> Stage:
    """The relay in use dies, with another at hand: it is missed only after several HELLOs."""
    side = draw.uniform(120, 160)
    places = [(0.0, 0.0), (180.0, side), (360.0, 0.0), (180.0, -side)]
    routing = draw.choice([{"scheme": "olsr"}, {"scheme": "babel"}])
    flow = draw.choice([ftp(0, 2, SETTLED_S), cbr(0, 2, SETTLED_S, 4e4)])
    scenario = network(draw, places, [flow], routing=routing)
    scenario["transport"]["rto_max_s"] = 1.0
    dies_s = SETTLED_S + draw.uniform(4, 8)
    before = scenario | {"duration_s": dies_s}
    relay = _last_hop(before)
    scenario["events"] = [{"kind": "node-kill", "node": relay, "at_s": dies_s}]
    return Stage(scenario | {"duration_s": dies_s + 50}, from_s=dies_s)


def loop(draw: random.Random) -> Stage:
    """A node on a ring loses the destination and turns back; the one before does not know yet."""
    radius = draw.uniform(190, 230)
    angles = [math.pi / 3 * node for node in range(6)]
    places = [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
    routing = {
        "scheme": "olsr", "hysteresis": False, "link_layer_notification": True,
        "hello_interval_s": draw.choice([5.0, 6.0, 8.0]),
    }  # fmt: skip
    rate = 512 * 8 / draw.uniform(0.08, 0.15)
    scenario = network(draw, places, [cbr(1, 3, SETTLED_S, rate)], routing=routing)
    cut_s = SETTLED_S + draw.uniform(4, 8)
    scenario["events"] = [{"kind": "link-cut", "node": 2, "neighbour": 3, "at_s": cut_s}]
    return Stage(scenario | {"duration_s": cut_s + 20}, from_s=cut_s)


def _last_hop(scenario: dict[str, Any]) -> int:
    """The node that handed the flow's last packet to its destination."""
    events = multihop.run(scenario, events=True).events
    last = events.filter(event="next-hop", node=0, target=2)
    return int(last["peer"][-1])


TABLES: dict[Cause, Build] = {
    "convergence": convergence,
    "stale-neighbour": stale_neighbour,
    "loop": loop,
}
