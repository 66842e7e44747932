"""Stages where metres don't tell who hears whom: measured gains, shadows, signal over noise.

Each has a `hidden` sender whose frames the others' senders can't sense, though it is often nearer
than the nodes that can.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, Protocol

from evidence.explain.staging import Build, Point, Stage, cbr, ftp, network
from multihop import hearing
from multihop.explain import Cause

_UNHEARD_DB = -135.0
"""A gain that leaves nothing of a signal."""
_CARRIER_SENSE_DBM = -82.0
_POWER_DBM = 20.0
_LOST_DB = 1.5
"""A frame is lost whose signal is above another's by less: by far, as 4 dB are noticed."""
_BY_ENERGY = {"energy_detect_dbm": -79}
"""Else the second of two frames that overlap is not noticed: its beginning is lost in the first."""
_NEVER_GIVE_UP = {"short_retry_limit": "inf", "long_retry_limit": "inf"}

Net = tuple[list[Point], dict[tuple[int, int], float], dict[str, Any]]
"""Places, gains and the table of the radio."""


def _stage(
    draw: random.Random, net: Net, flows: list[dict[str, Any]], *, seed: int | None = None,
    mac: dict[str, Any] | None = None, routing: dict[str, Any] | None = None,
    profile: str = "standard", **stage: Any,
) -> Stage:  # fmt: skip
    """A stage in a network of today's radios."""
    places, gains, radio = net
    rate = draw.choice([6e6, 12e6])
    phy = {"phy": "802.11g", "data_rate_bps": rate, "rts_threshold_bytes": "inf"}
    made = network(
        draw, places, flows, mac=phy | (mac or {}), radio={"reception": "sinr"} | radio,
        routing=routing or {"scheme": "static"},
    )  # fmt: skip
    made |= {"profile": profile} | ({} if seed is None else {"seed": seed})
    if "movement" not in stage:
        made["duration_s"] = 12
    return Stage(made, gains_db=gains, **stage)


def _gains_hidden(draw: random.Random) -> Net:
    """0 sends to 1, 2 to 3; 1 alone hears both, and 2 not even the answers of 1."""
    link = draw.uniform(-88, -78)
    gains = {
        (0, 1): link, (2, 1): link + draw.uniform(-_LOST_DB, 4), (1, 2): _UNHEARD_DB,
        (2, 3): draw.uniform(-80, -70), (0, 2): _UNHEARD_DB,
    }  # fmt: skip
    # All within a few metres: places decide nothing.
    places = [(draw.uniform(0, 30), draw.uniform(0, 30)) for _ in range(4)]
    return places, gains, {"propagation": "measured"}


def _gains_contended(draw: random.Random) -> Net:
    """0 senses 2, 4 and 6, which don't sense each other."""
    gains = {(node, node + 1): draw.uniform(-75, -65) for node in (0, 2, 4, 6)}
    gains |= {(0, node): draw.uniform(-98, -90) for node in (2, 4, 6)}
    places = [(draw.uniform(0, 30), draw.uniform(0, 30)) for _ in range(8)]
    return places, gains, {"propagation": "measured"} | _BY_ENERGY


def _gains_weak(draw: random.Random) -> Net:
    above_db = draw.uniform(0.5, 2.5)
    gains = {(0, 1): _CARRIER_SENSE_DBM + above_db - _POWER_DBM}
    return [(0.0, 0.0), (10.0, 0.0)], gains, {"propagation": "measured"} | _fades(draw)


def _fades(draw: random.Random) -> dict[str, Any]:
    return {"fading": "rayleigh", "coherence_s": draw.uniform(0.3, 0.9)}


def _sinr_hidden(draw: random.Random) -> Net:
    """In free sight: 117 m are sensed."""
    link = draw.uniform(66, 85)
    hidden = link + draw.uniform(max(60.0, 126 - link), link * 1.08)
    places = [(0.0, 0.0), (link, 0.0), (hidden, 0.0), (hidden + draw.uniform(15, 40), 0.0)]
    return places, {}, {"propagation": "log-distance"}


def _sinr_contended(draw: random.Random) -> Net:
    places = [(0.0, 0.0), (0.0, draw.uniform(10, 20))]
    for third in range(3):
        angle, near = math.tau * (third / 3 + draw.uniform(-0.02, 0.02)), draw.uniform(82, 92)
        far = near + draw.uniform(10, 20)
        places += [(away * math.cos(angle), away * math.sin(angle)) for away in (near, far)]
    return places, {}, {"propagation": "log-distance"} | _BY_ENERGY


def _sinr_weak(draw: random.Random) -> Net:
    away_m = 117 / 10 ** (draw.uniform(0.5, 2.5) / 30)
    return [(0.0, 0.0), (away_m, 0.0)], {}, {"propagation": "log-distance"} | _fades(draw)


_SHADOWS: dict[str, Any] = {"propagation": "log-distance", "shadowing_db": 10}


def _shadowed_hidden(draw: random.Random) -> Net:
    """All within 117 m; a shadow is between 0 and 2."""
    hidden = draw.uniform(90, 105)
    link = hidden / 2 + draw.uniform(-5, 5)
    places = [(0.0, 0.0), (link, draw.uniform(-20, 20)), (hidden, 0.0), (hidden, 12.0)]
    return places, {}, _SHADOWS


def _shadowed_contended(draw: random.Random) -> Net:
    """0 among three links, between which there are shadows."""
    places = [(0.0, 0.0), (draw.uniform(0, 15), draw.uniform(0, 15))]
    for third in range(3):
        angle, near = math.tau * third / 3, draw.uniform(82, 90)
        far = near + draw.uniform(10, 20)
        places += [(away * math.cos(angle), away * math.sin(angle)) for away in (near, far)]
    return places, {}, _SHADOWS | _BY_ENERGY | {"shadowing_db": 6}


def _shadowed_weak(draw: random.Random) -> Net:
    away_m = draw.uniform(60, 150)
    return [(0.0, 0.0), (away_m, 0.0)], {}, _SHADOWS | _fades(draw)


class Seeded(Protocol):
    """Builds a stage, with the seed that its shadows are drawn with if that matters."""

    def __call__(self, draw: random.Random, seed: int | None = None) -> Stage:
        """Build it."""
        ...


Holds = Callable[[hearing.Links], bool]


def _is_hidden(links: hearing.Links) -> bool:
    """Shadows are the same both ways: 2 hears the answers of 1, and is nearer to 3."""
    power, senses, carries = links.power_dbm(), links.matrix("senses"), links.matrix("carries")
    return bool(
        carries[0, 1] and carries[2, 3] and min(power[0, 1], power[2, 3]) > -76
        and power[2, 1] > power[0, 1] - _LOST_DB and power[2, 3] > power[1, 3] + 12
        and not senses[2, 0] and not senses[3, 0]
    )  # fmt: skip


def _is_contended(links: hearing.Links) -> bool:
    power, carries = links.power_dbm(), links.matrix("carries")
    links_of = (0, 2, 4, 6)
    if not all(carries[node, node + 1] for node in links_of):
        return False
    if not all(power[node, 0] > -78 for node in (2, 4, 6)):
        return False
    for node in links_of:
        others = [other for other in range(8) if other not in (node, node + 1)]
        if power[node, node + 1] < 12 + max(power[other, node + 1] for other in others):
            return False
        if node and max(power[other, node] for other in others if other > 1) > -83:
            return False
    return True


def _is_weak(links: hearing.Links) -> bool:
    above_db = float(links.power_dbm()[0, 1]) - _CARRIER_SENSE_DBM
    return 0.5 < above_db < 2.5


def _shadowed(build: Seeded, holds: Holds) -> Build:
    """The first seed whose shadows are as wanted, by what the engine says of them."""

    def built(draw: random.Random) -> Stage:
        state = draw.getstate()
        for seed in range(1, 100_000):
            draw.setstate(state)
            draw.random()
            stage = build(random.Random(draw.random() + seed), seed)
            if holds(hearing.of_scenario(stage.scenario, seed).at(0)):
                return stage
        raise AssertionError("no seed has such shadows")

    return built


def _hidden(net: Callable[[random.Random], Net]) -> Seeded:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        rate = draw.uniform(9e6, 1.5e7)
        flow = draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)])
        flows = [flow, cbr(2, 3, 1, rate, draw.choice([1000, 1460]))]
        return _stage(draw, net(draw), flows, seed=seed, mac=_NEVER_GIVE_UP)

    return build


def _contended(net: Callable[[random.Random], Net]) -> Seeded:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        size = draw.choice([1000, 1460])
        flow = draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)])
        others = [cbr(node, node + 1, 1 + node / 1000, 1.2e7, size) for node in (2, 4, 6)]
        flows = [flow, *others]
        mac = _NEVER_GIVE_UP | {"data_rate_bps": 6e6}
        return _stage(draw, net(draw), flows, seed=seed, mac=mac)

    return build


def _lost(net: Callable[[random.Random], Net]) -> Seeded:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        routing = {"scheme": draw.choice(["aodv", "multipath-aodv"])}
        flows = [ftp(0, 1, 3), cbr(2, 3, 1, draw.uniform(8e6, 1.2e7), draw.choice([1000, 1460]))]
        return _stage(
            draw, net(draw), flows, seed=seed, mac=_NEVER_GIVE_UP | {"data_rate_bps": 6e6},
            # ns-2's searches wait longer, so that one that fails is seen.
            routing=routing, profile="ns2", from_s=3.0, to_s=3.0,
        )  # fmt: skip

    return build


def _weak(net: Callable[[random.Random], Net]) -> Seeded:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        flow = draw.choice([ftp(0, 1, 1), cbr(0, 1, 1, 2e5)])
        mac = _NEVER_GIVE_UP | {"data_rate_bps": 6e6}
        return _stage(draw, net(draw), [flow], seed=seed, mac=mac)

    return build


def _out_of_range(radio: dict[str, Any]) -> Build:
    """The destination goes away for a time."""

    def build(draw: random.Random) -> Stage:
        hops = draw.choice([1, 2])
        spacing = draw.uniform(40, 50)
        places = [(100 + spacing * node, 250.0) for node in range(hops + 1)]
        away_s, back_s = draw.uniform(4, 6), draw.uniform(14, 20)
        x = places[-1][0]
        movement = (
            f'$ns_ at {away_s} "$node_({hops}) setdest {x + 1500} 250 1500"\n'
            f'$ns_ at {back_s} "$node_({hops}) setdest {x} 250 1500"\n'
        )
        stage = _stage(
            draw, (places, {}, radio), [ftp(0, hops, 1)], routing={"scheme": "aodv"}, profile="ns2",
            from_s=away_s + 3, movement=movement,
        )  # fmt: skip
        stage.scenario["transport"]["rto_max_s"] = draw.choice([2.0, 3.0])
        return stage

    return build


RADIOS: dict[str, dict[Cause, Build]] = {
    "gains": {
        "hidden-terminal": _hidden(_gains_hidden),
        "contention": _contended(_gains_contended),
        "lost-request-or-reply": _lost(_gains_hidden),
        "weak-signal": _weak(_gains_weak),
    },
    "shadows": {
        "hidden-terminal": _shadowed(_hidden(_shadowed_hidden), _is_hidden),
        "contention": _shadowed(_contended(_shadowed_contended), _is_contended),
        "lost-request-or-reply": _shadowed(_lost(_shadowed_hidden), _is_hidden),
        "weak-signal": _shadowed(_weak(_shadowed_weak), _is_weak),
    },
    "sinr": {
        "hidden-terminal": _hidden(_sinr_hidden),
        "contention": _contended(_sinr_contended),
        "lost-request-or-reply": _lost(_sinr_hidden),
        "weak-signal": _weak(_sinr_weak),
        "out-of-range": _out_of_range({"propagation": "log-distance"}),
    },
}
"""Stages by what decides who hears whom."""
