"""Stages where metres don't tell who hears whom: measured gains, shadows, signal over noise.

Each has a `hidden` sender whose frames the others' senders can't sense, though it is often nearer
than the nodes that can.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from multihop import hearing
from multihop.explain import Cause
from tools.staging import Build, Point, Stage, cbr, ftp, network

_UNHEARD_DB = -135.0
"""A gain that leaves nothing of a signal."""
_CARRIER_SENSE_DBM = -82.0
_POWER_DBM = 20.0
_LOST_DB = 1.5
"""A frame is lost whose signal is above another's by less: by far, as 4 dB are noticed."""
_NEVER_GIVE_UP = {"short_retry_limit": "inf", "long_retry_limit": "inf"}

Net = tuple[list[Point], dict[tuple[int, int], float], dict[str, Any]]
"""Places, gains and the table of the radio."""


def _stage(
    draw: random.Random, net: Net, flows: list[dict[str, Any]], *, seed: int | None = None,
    mac: dict[str, Any] | None = None, routing: dict[str, Any] | None = None, **stage: Any,
) -> Stage:  # fmt: skip
    """A stage in a network of today's radios."""
    places, gains, radio = net
    rate = draw.choice([6e6, 12e6])
    phy = {"phy": "802.11g", "data_rate_bps": rate, "rts_threshold_bytes": "inf"}
    made = network(
        draw, places, flows, mac=phy | (mac or {}), radio={"reception": "sinr"} | radio,
        routing=routing or {"scheme": "static"},
    )  # fmt: skip
    made |= {"profile": "standard"} | ({} if seed is None else {"seed": seed})
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
    """0 senses 2 and 4, which don't sense each other."""
    gains = {
        (0, 1): draw.uniform(-75, -65), (2, 3): draw.uniform(-75, -65),
        (4, 5): draw.uniform(-75, -65), (0, 2): draw.uniform(-98, -90),
        (0, 4): draw.uniform(-98, -90),
    }  # fmt: skip
    places = [(draw.uniform(0, 30), draw.uniform(0, 30)) for _ in range(6)]
    return places, gains, {"propagation": "measured"}


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
    near, far = draw.uniform(75, 105), draw.uniform(75, 105)
    places = [
        (0.0, 0.0), (0.0, draw.uniform(10, 25)), (-near, 0.0), (-near - draw.uniform(10, 20), 0.0),
        (far, 0.0), (far + draw.uniform(10, 20), 0.0),
    ]  # fmt: skip
    return places, {}, {"propagation": "log-distance"}


def _sinr_weak(draw: random.Random) -> Net:
    away_m = 117 / 10 ** (draw.uniform(0.5, 2.5) / 30)
    return [(0.0, 0.0), (away_m, 0.0)], {}, {"propagation": "log-distance"} | _fades(draw)


_SHADOWS: dict[str, Any] = {"propagation": "log-distance", "shadowing_db": 10}


def _shadowed_hidden(draw: random.Random) -> Net:
    """All within 100 m; a shadow is between 0 and 2."""
    places = [(draw.uniform(0, 70), draw.uniform(0, 70)) for _ in range(4)]
    return places, {}, _SHADOWS


def _shadowed_contended(draw: random.Random) -> Net:
    places = [(draw.uniform(0, 70), draw.uniform(0, 70)) for _ in range(6)]
    return places, {}, _SHADOWS


def _shadowed_weak(draw: random.Random) -> Net:
    away_m = draw.uniform(60, 150)
    return [(0.0, 0.0), (away_m, 0.0)], {}, _SHADOWS | _fades(draw)


Holds = Callable[[hearing.Links], bool]


def _is_hidden(links: hearing.Links) -> bool:
    power, senses, carries = links.power_dbm(), links.matrix("senses"), links.matrix("carries")
    return bool(
        carries[0, 1] and carries[1, 0] and carries[2, 3] and carries[3, 2]
        and power[2, 1] > power[0, 1] - _LOST_DB
        and not senses[2, 0] and not senses[3, 0] and not senses[0, 2] and not senses[0, 3]
        and not senses[1, 2]
    )  # fmt: skip


def _is_hidden_both_ways(links: hearing.Links) -> bool:
    """The same where 2 hears the answers of 1, as shadows are the same both ways."""
    power, senses, carries = links.power_dbm(), links.matrix("senses"), links.matrix("carries")
    return bool(
        carries[0, 1] and carries[2, 3]
        and power[2, 1] > power[0, 1] - _LOST_DB and power[2, 3] > power[1, 3] + 12
        and not senses[2, 0] and not senses[3, 0]
    )  # fmt: skip


def _is_contended(links: hearing.Links) -> bool:
    power, senses, carries = links.power_dbm(), links.matrix("senses"), links.matrix("carries")
    strong = power[0, 1] > 12 + max(power[node, 1] for node in (2, 3, 4, 5))
    strong &= power[2, 3] > 12 + max(power[node, 3] for node in (0, 1, 4, 5))
    strong &= power[4, 5] > 12 + max(power[node, 5] for node in (0, 1, 2, 3))
    return bool(
        strong and carries[0, 1] and carries[2, 3] and carries[4, 5]
        and senses[2, 0] and senses[4, 0]
        and not senses[2, 4] and not senses[3, 4] and not senses[2, 5] and not senses[3, 5]
        and not senses[1, 2] and not senses[1, 4]
    )  # fmt: skip


def _is_weak(links: hearing.Links) -> bool:
    above_db = float(links.power_dbm()[0, 1]) - _CARRIER_SENSE_DBM
    return 0.5 < above_db < 2.5


def _shadowed(build: Callable[[random.Random, int | None], Stage], holds: Holds) -> Build:
    """The first seed whose shadows are as wanted, by what the engine says of them."""

    def built(draw: random.Random) -> Stage:
        state = draw.getstate()
        for seed in range(1, 100_000):
            draw.setstate(state)
            draw.random()
            stage = build(random.Random(draw.random() + seed), seed)
            if holds(hearing.of_scenario(_resolved(stage), seed).at(0)):
                return stage
        raise AssertionError("no seed has such shadows")

    return built


def _resolved(stage: Stage) -> dict[str, Any]:
    return {key: value for key, value in stage.scenario.items() if key != "flows"}


def _hidden(net: Callable[[random.Random], Net]) -> Callable[[random.Random, int | None], Stage]:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        rate = draw.uniform(6e6, 9e6)
        flow = draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)])
        flows = [flow, cbr(2, 3, 1, rate, draw.choice([1000, 1460]))]
        return _stage(draw, net(draw), flows, seed=seed, mac=_NEVER_GIVE_UP)

    return build


def _contended(net: Callable[[random.Random], Net]) -> Callable[[random.Random, int | None], Stage]:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        size = draw.choice([1000, 1460])
        flow = draw.choice([ftp(0, 1, 2), cbr(0, 1, 2, 2e5)])
        flows = [flow, cbr(2, 3, 1, 1.2e7, size), cbr(4, 5, 1.003, 1.2e7, size)]
        mac = _NEVER_GIVE_UP | {"data_rate_bps": 6e6}
        return _stage(draw, net(draw), flows, seed=seed, mac=mac)

    return build


def _lost(net: Callable[[random.Random], Net]) -> Callable[[random.Random, int | None], Stage]:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        routing = {"scheme": draw.choice(["aodv", "multipath-aodv"])}
        flows = [ftp(0, 1, 3), cbr(2, 3, 1, draw.uniform(8e6, 1.2e7), draw.choice([1000, 1460]))]
        return _stage(
            draw, net(draw), flows, seed=seed, mac=_NEVER_GIVE_UP | {"data_rate_bps": 6e6},
            routing=routing, from_s=3.0, to_s=3.0,
        )  # fmt: skip

    return build


def _weak(net: Callable[[random.Random], Net]) -> Callable[[random.Random, int | None], Stage]:
    def build(draw: random.Random, seed: int | None = None) -> Stage:
        flow = draw.choice([ftp(0, 1, 1), cbr(0, 1, 1, 2e5)])
        return _stage(draw, net(draw), [flow], seed=seed, mac=_NEVER_GIVE_UP)

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
            draw, (places, {}, radio), [ftp(0, hops, 1)], routing={"scheme": "aodv"},
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
        "hidden-terminal": _shadowed(_hidden(_shadowed_hidden), _is_hidden_both_ways),
        "contention": _shadowed(_contended(_shadowed_contended), _is_contended),
        "lost-request-or-reply": _shadowed(_lost(_shadowed_hidden), _is_hidden_both_ways),
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
