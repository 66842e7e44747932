"""Stages whose cause of silence is known by how they are built, and how often `explain` names it.

python -m evidence.explain.stages --first 30 --variations 20

The rules were chosen on variations 0 to 29; later ones judge them.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import click

import multihop
from evidence.explain.radios import RADIOS
from evidence.explain.staging import Build, Stage, cbr, chain, ftp, network
from evidence.explain.tables import TABLES
from multihop.explain import Cause, Silence

CHOSEN_ON = 30
"""Variations on which the rules were chosen; they judge nothing."""


def hidden_terminal(draw: random.Random) -> Stage:
    """A sender out of the sense range of 0 disturbs its receiver; its own is far off."""
    link = draw.uniform(210, 250)
    hidden = draw.uniform(560, link * 1.7 + link - 10)
    places = [(0.0, 0.0), (link, 0.0), (hidden, 0.0), (hidden + draw.uniform(150, 240), 0.0)]
    # MACs that never give up: so that nothing but the hidden terminal keeps the flow from going on.
    mac = {"short_retry_limit": "inf", "long_retry_limit": "inf"}
    flow = draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)])
    rate = draw.uniform(1.5e6, 3e6)
    flows = [flow, cbr(2, 3, 1, rate, draw.choice([1000, 1460]))]
    return Stage(network(draw, places, flows, mac=mac, routing={"scheme": "static"}))


def contention(draw: random.Random) -> Stage:
    """Node 0 senses two saturated links that don't sense each other: it hardly finds a gap."""
    near, far = draw.uniform(380, 530), draw.uniform(380, 530)
    far = max(far, 600 - near)
    side = draw.uniform(-60, 60)
    places = [
        (0.0, 0.0), (0.0, draw.uniform(80, 150)),
        (-near, side), (-near - draw.uniform(50, 100), side),
        (far, side), (far + draw.uniform(50, 100), side),
    ]  # fmt: skip
    size = draw.choice([1000, 1460])
    flows = [
        draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)]),
        cbr(2, 3, 1, 3e6, size), cbr(4, 5, 1.003, 3e6, size),
    ]  # fmt: skip
    return Stage(network(draw, places, flows, routing={"scheme": "static"}))


def false_link_failure(draw: random.Random) -> Stage:
    """A link of a quiet chain is taken for broken once, at a known time."""
    hops = draw.choice([2, 3, 4])
    node, at_s = draw.randrange(hops), draw.uniform(4, 8)
    routing = draw.choice(
        [{"scheme": "aodv", "local_repair": False}, {"scheme": "static"}, {"scheme": "ccar"}]
    )
    event = {"kind": "link-failure", "node": node, "next_hop": node + 1, "at_s": at_s}
    scenario = network(draw, chain(draw, hops), [ftp(0, hops, 1)], routing=routing, events=[event])
    scenario["transport"]["window_segments"] = draw.choice([1, 2])
    scenario["transport"]["rto_min_s"] = draw.choice([0.5, 0.7, 1.0])
    return Stage(scenario, from_s=at_s)


def hop_limit(draw: random.Random) -> Stage:
    """Packets may go fewer hops than there are."""
    hops = draw.choice([4, 5, 6])
    scheme = draw.choice(["aodv", "dsr", "multipath-aodv"])
    routing = {"scheme": scheme, "time_to_live": hops - draw.choice([1, 2])}
    flow = draw.choice([ftp(0, hops, 1), cbr(0, hops, 1, 2e4)])
    return Stage(network(draw, chain(draw, hops), [flow], routing=routing), from_s=2.0)


def stale_route(draw: random.Random) -> Stage:
    """A second flow begins on a route that broke while nobody used it; 3 has come instead."""
    places = [(50.0, 250.0), (250.0, 250.0), (450.0, 250.0), (250.0, 900.0)]
    stops, starts = draw.uniform(2, 3), draw.uniform(9.5, 10.5)
    moves_s = draw.uniform(4, 5)
    dsr = draw.random() < 0.7
    if dsr:
        starts = draw.uniform(12, 20)
    flows = [ftp(0, 2, 1) | {"stop_s": stops}, ftp(0, 2, starts)]
    movement = (
        f'$ns_ at {moves_s} "$node_(1) setdest {draw.uniform(60, 120)} 120 120"\n'
        f'$ns_ at {moves_s} "$node_(3) setdest 250 350 300"\n'
    )
    routing = {"scheme": "dsr"} if dsr else {"scheme": "aodv", "local_repair": False}
    scenario = network(draw, places, flows, routing=routing)
    return Stage(scenario, 1, starts, movement=movement)


def lost_request_or_reply(draw: random.Random) -> Stage:
    """What a hidden sender leaves of requests for a neighbour, broadcast once, does not arrive."""
    link = draw.uniform(210, 250)
    hidden = draw.uniform(560, link * 1.7 + link - 10)
    places = [(0.0, 0.0), (link, 0.0), (hidden, 0.0), (hidden + draw.uniform(150, 240), 0.0)]
    routing = {"scheme": draw.choice(["aodv", "dsr", "multipath-aodv"])}
    flows = [ftp(0, 1, 3), cbr(2, 3, 1, draw.uniform(2e6, 3e6), draw.choice([1000, 1460]))]
    mac = {"short_retry_limit": "inf", "long_retry_limit": "inf"}
    scenario = network(draw, places, flows, mac=mac, routing=routing)
    return Stage(scenario, from_s=3.0, to_s=3.0)


def arp(draw: random.Random) -> Stage:
    """The same with routes that are known from the start: it is requests of ARP that are lost."""
    stage = lost_request_or_reply(draw)
    stage.scenario["routing"] = {"scheme": "static"}
    stage.scenario["link"] = {"arp": True}
    return stage


def queue_overflow(draw: random.Random) -> Stage:
    """Datagrams fill the short queue of a node that all segments have to pass."""
    hops = draw.choice([1, 2])
    places = chain(draw, hops)
    source = draw.randrange(hops)
    flows = [ftp(0, hops, 1.5), cbr(source, hops, 1, draw.uniform(2.5e6, 4e6), 1000)]
    mac = {"queue_packets": draw.choice([5, 6, 8])}
    return Stage(network(draw, places, flows, mac=mac, routing={"scheme": "static"}))


def queue_delay(draw: random.Random) -> Stage:
    """The same in a queue that holds them all, from which CoDel drops."""
    stage = queue_overflow(draw)
    stage.scenario["mac"] = {"queue_packets": 2000}
    stage.scenario["link"] = {"queue": "codel"}
    return stage


def rto_backoff(draw: random.Random) -> Stage:
    """A segment is lost while the timeout is backed off by the losses of the one before."""
    hops, losses = draw.choice([1, 2, 3]), draw.choice([3, 4])
    at_s = draw.uniform(4, 8)
    event = {"kind": "link-failure", "node": 0, "next_hop": 1, "at_s": at_s}
    routing = draw.choice([{"scheme": "aodv", "local_repair": False}, {"scheme": "static"}])
    scenario = network(
        draw, chain(draw, hops), [ftp(0, hops, 1)], routing=routing, events=[event] * losses
    )
    scenario["transport"]["window_segments"] = 1
    events = multihop.run(scenario, events=True).events
    arrived = events.filter(event="deliver", content="tcp-data")
    failed = events.filter(event="drop", content="tcp-data")
    last = arrived.filter(number=failed["number"][0])["time_ns"][0] / 1e9
    scenario["events"].append(event | {"at_s": last})
    return Stage(scenario, from_s=last + 0.3)


def reordering(draw: random.Random) -> Stage:
    """One of two paths is slow, as its relay serves others: what takes it is overtaken."""
    places = [(0.0, 0.0), (200.0, 140.0), (400.0, 0.0), (200.0, -140.0)]
    places += [(200.0, -140.0 - draw.uniform(120, 200))]
    burst = cbr(3, 4, 3, draw.uniform(8e6, 1.2e7), draw.choice([1000, 1460]))
    # The slow one is there so that the route is known when the burst comes.
    flows = [ftp(0, 2, 1), burst | {"stop_s": 3 + draw.uniform(0.15, 0.25)}, cbr(3, 4, 2, 1e4)]
    scenario = network(
        draw, places, flows, mac={"queue_packets": 300},
        routing={"scheme": "multipath-aodv", "policy": "edm"},
    )  # fmt: skip
    scenario["transport"] |= {"window_segments": 32, "duplicate_ack_threshold": 100}
    scenario["transport"]["rto_min_s"] = draw.choice([2.0, 3.0])
    while not _takes_both(scenario):
        scenario["seed"] += 1
    return Stage(scenario, from_s=3.0, to_s=3.8)


def _takes_both(scenario: dict[str, Any]) -> bool:
    """Whether the source sends over both relays before the other flow starts."""
    shorter = scenario | {"duration_s": 3.01}
    taken = multihop.run(shorter, events=True).events.filter(event="next-hop", node=0, flow=0)
    return taken["peer"].n_unique() == 2


def out_of_range(draw: random.Random) -> Stage:
    """The destination goes away for a time in which no path leads to it."""
    hops = draw.choice([1, 2, 3])
    places = [(x + 50.0, 250.0) for x, _ in chain(draw, hops)]
    away_s, back_s = draw.uniform(4, 6), draw.uniform(14, 20)
    x = places[-1][0]
    movement = (
        f'$ns_ at {away_s} "$node_({hops}) setdest {x + 700} 250 700"\n'
        f'$ns_ at {back_s} "$node_({hops}) setdest {x} 250 700"\n'
    )
    routing = {"scheme": draw.choice(["aodv", "dsr"])}
    scenario = network(draw, places, [ftp(0, hops, 1)], routing=routing)
    scenario["transport"]["rto_max_s"] = draw.choice([2.0, 3.0])
    return Stage(scenario, from_s=away_s + 3, movement=movement)


def nothing_to_send(draw: random.Random) -> Stage:
    """An application that sends a datagram now and then."""
    hops = draw.choice([1, 2, 3, 4])
    rate = 512 * 8 / draw.uniform(1.2, 5)
    routing = {"scheme": draw.choice(["aodv", "dsr", "static"])}
    flows = [cbr(0, hops, 1, rate, 512)]
    return Stage(network(draw, chain(draw, hops), flows, routing=routing), from_s=8.0)


def not_associated(draw: random.Random) -> Stage:
    """A client's own access point dies, and it may not take the other one, which is near."""
    apart = draw.uniform(100, 200)
    places = [(0.0, 0.0), (apart, 0.0), (apart * draw.uniform(0.1, 0.4), draw.uniform(20, 60))]
    stations = [
        {"name": "cell", "channel": 1, "nodes": [0, 1], "role": "access-point"},
        {"name": "phone", "channel": 1, "nodes": [2], "role": "client", "access_points": [0]},
        {"name": "mesh", "channel": 6, "nodes": [0, 1]},
    ]
    off_s = draw.uniform(4, 8)
    events = [{"kind": "node-kill", "node": 0, "at_s": off_s}]
    # Rarely enough that no packet dies with the access point.
    flows = [cbr(2, 1, 2, draw.uniform(5e3, 2e4))]
    tables = {"interfaces": stations, "events": events, "routing": {"scheme": "static"}}
    return Stage(network(draw, places, flows, **tables), from_s=off_s)


def wire(draw: random.Random) -> Stage:
    """A stream goes by a wire that takes a second for a segment, behind a hop or two by air."""
    hops = draw.randint(1, 2)
    places = [(200.0 * node, 0.0) for node in range(hops + 1)]
    places.append((draw.uniform(5e3, 9e3), 0.0))
    slow = {"name": "line", "nodes": [hops, hops + 1], "rate_bps": draw.uniform(8e3, 1.6e4)}
    flows = [ftp(0, hops + 1, draw.uniform(0.5, 2))]
    tables = {"wires": [slow], "routing": {"scheme": draw.choice(["static", "aodv"])}}
    return Stage(network(draw, places, flows, **tables), from_s=8)


def slot(draw: random.Random) -> Stage:
    """A table with one slot of many for the sender, or slots that many others ask for, too."""
    if draw.random() < 0.5:
        slots = [0, 1, *[2, 3] * draw.randrange(40, 70)]
        table = {"slot_s": draw.uniform(0.01, 0.02), "slots": slots}
        places = [(0.0, 0.0), (200.0, 0.0), (0.0, 150.0), (200.0, 150.0)]
        flows = [cbr(0, 1, 1, draw.uniform(2e4, 2e5)), cbr(2, 3, 1, 1e6)]
        mac = {"access": "tdma", "tdma": table}
        return Stage(network(draw, places, flows, mac=mac, routing={"scheme": "static"}))
    pairs = draw.randrange(15, 25)
    places = [(draw.uniform(0, 200), draw.uniform(0, 60)) for _ in range(2 * pairs + 2)]
    begins_s = draw.uniform(8, 14)
    flows = [cbr(0, 1, 1, draw.uniform(8e4, 2e5))]
    flows += [cbr(2 * pair, 2 * pair + 1, begins_s, 1e6) for pair in range(1, pairs + 1)]
    mac = {"access": "slot-reservation"}
    return Stage(
        network(draw, places, flows, mac=mac, routing={"scheme": "static"}), from_s=begins_s
    )


def backoff(draw: random.Random) -> Stage:
    """A rule's windows last a second and more, in a network where nobody else sends."""
    hops = draw.choice([1, 2])
    if draw.random() < 0.5:
        rule: dict[str, Any] = {
            "access": "adaptive-csma",
            "adaptive_csma": {"unit_s": draw.uniform(2, 6)},
        }
    else:
        window = draw.choice([16383, 32767])
        rule = {"access": "diffq", "slot_s": 1e-4, "diffq": {"windows": [window]}}
    flows = [draw.choice([ftp(0, hops, 1), cbr(0, hops, 1, draw.uniform(1e3, 4e3))])]
    return Stage(network(draw, chain(draw, hops), flows, mac=rule, routing={"scheme": "static"}))


STAGES: dict[Cause, Build] = {
    "hidden-terminal": hidden_terminal,
    "contention": contention,
    "slot": slot,
    "backoff": backoff,
    "false-link-failure": false_link_failure,
    "stale-route": stale_route,
    "hop-limit": hop_limit,
    "lost-request-or-reply": lost_request_or_reply,
    "arp": arp,
    "queue-overflow": queue_overflow,
    "queue-delay": queue_delay,
    "rto-backoff": rto_backoff,
    "reordering": reordering,
    "out-of-range": out_of_range,
    "nothing-to-send": nothing_to_send,
    "not-associated": not_associated,
    "wire": wire,
    **TABLES,
}


def play(cause: Cause, variation: int, radio: str = "") -> Silence | None:
    """The silence of one variation of a stage, explained; None if its flow was not silent.

    Args:
        cause: what is staged.
        variation: its number.
        radio: "", where reach is a matter of distance, or one of `RADIOS`.
    """
    draw = random.Random(" ".join(filter(None, [cause, radio, str(variation)])))
    stage = (RADIOS[radio] if radio else STAGES)[cause](draw)
    with tempfile.TemporaryDirectory() as folder:
        result = multihop.run(stage.written(Path(folder)), events=True)
        explained = multihop.explain(result, flow=stage.flow, from_s=stage.from_s, to_s=stage.to_s)
    found = explained.flows[0].silences
    return max(found, key=lambda silence: silence.length_ns, default=None)


def named(silence: Silence | None) -> Cause | None:
    """The cause with the largest share of a silence."""
    return None if silence is None else next(iter(silence.shares()))


@click.command()
@click.option("--first", default=CHOSEN_ON, show_default=True, help="First variation.")
@click.option("--variations", default=20, show_default=True, help="Variations of each stage.")
@click.option("only", "--cause", multiple=True, help="Only these; all by default.")
@click.option("radios", "--radio", multiple=True, help="Only these; all by default.")
@click.option("-v", "--verbose", is_flag=True, help="Tell each silence that is named otherwise.")
def main(
    first: int, variations: int, only: tuple[str, ...], radios: tuple[str, ...], verbose: bool
) -> None:
    """Print how often the largest share of a silence is the cause that it was built for."""
    right = total = 0
    played: list[tuple[Cause, str]] = [(cause, "") for cause in STAGES]
    played += [(cause, radio) for radio, stages in RADIOS.items() for cause in stages]
    for cause, radio in played:
        if (only and cause not in only) or (radios and (radio or "distance") not in radios):
            continue
        silences = [play(cause, first + place, radio) for place in range(variations)]
        good = sum(named(silence) == cause for silence in silences)
        right, total = right + good, total + variations
        click.echo(f"{radio or 'distance':10} {cause:24} {good:3} of {variations}")
        for place, silence in enumerate(silences):
            if verbose and named(silence) != cause:
                said = silence.text if silence else "not silent"
                click.echo(f"    {first + place}: {said[:700]}")
    click.echo(f"{'all':35} {right:3} of {total}, {right / total:.1%}")


if __name__ == "__main__":
    main()
