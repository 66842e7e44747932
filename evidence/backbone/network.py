"""A town's mesh: thirty roofs with dishes at 5 GHz, a cell of 2.4 GHz on each, sixty clients.

Five hubs stand in a cross: the gateway in the middle, the others 900 m away, each joined to it by a
pair of dishes on a channel of its own. Five roofs around each hub point dishes at it. Two clients
stand within 40 m of every roof.
"""

import math
import random
from collections.abc import Iterator
from typing import Any

HUBS = 5
LEAVES = 5
CLIENTS = 2
ROOFS = HUBS * (1 + LEAVES)
TRUNK_CHANNELS = (36, 52, 100, 116)
HUB_CHANNELS = (149, 153, 157, 161, 165)
CELL_CHANNELS = (1, 6, 11)


def scenario(seed: int = 1, *, directional: bool = True, duration_s: float = 60) -> dict[str, Any]:
    """The mesh, with roofs and clients placed by `seed`; all antennas omnidirectional if asked."""
    rng = random.Random(seed)
    places = list(_places(rng))
    return {
        "title": "Thirty roofs and sixty clients",
        "duration_s": duration_s,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": places, "names": _names()},
        "radio": {"reception": "sinr", "propagation": "log-distance", "path_loss_exponent": 2.8},
        "mac": {"phy": "802.11n", "rate": "minstrel", "aggregate": 16},
        "interfaces": [*_trunks(directional), *_hubs(directional), *_cells()],
        "routing": {"scheme": "babel"},
        "flows": list(_flows(rng)),
    }


def _places(rng: random.Random) -> Iterator[list[float]]:
    corners = [(0.0, 0.0), (0.0, 900.0), (900.0, 0.0), (0.0, -900.0), (-900.0, 0.0)]
    roofs = list(corners)
    for east, north in corners:
        for leaf in range(LEAVES):
            angle = math.tau * (leaf + rng.uniform(-0.3, 0.3)) / LEAVES
            far = rng.uniform(250, 400)
            roofs.append((east + far * math.sin(angle), north + far * math.cos(angle)))
    yield from ([round(east, 1), round(north, 1)] for east, north in roofs)
    for east, north in roofs:
        for _ in range(CLIENTS):
            angle, far = rng.uniform(0, math.tau), rng.uniform(10, 40)
            yield [
                round(east + far * math.sin(angle), 1),
                round(north + far * math.cos(angle), 1),
            ]


def _names() -> list[str]:
    hubs = ["gateway", "north", "east", "south", "west"]
    leaves = [f"{hub}-{leaf + 1}" for hub in hubs for leaf in range(LEAVES)]
    roofs = [*hubs, *leaves]
    return roofs + [f"{roof}.{client + 1}" for roof in roofs for client in range(CLIENTS)]


def _leaves(hub: int) -> list[int]:
    first = HUBS + LEAVES * hub
    return list(range(first, first + LEAVES))


def _antenna(directional: bool, gain_dbi: float, towards: list[int]) -> dict[str, Any]:
    if not directional:
        return {"kind": "omni", "gain_dbi": 8}
    return {"kind": "dish", "gain_dbi": gain_dbi, "towards": towards}


def _trunks(directional: bool) -> Iterator[dict[str, Any]]:
    for hub, channel in enumerate(TRUNK_CHANNELS, start=1):
        yield {
            "name": f"trunk-{hub}",
            "nodes": [0, hub],
            "channel": channel,
            "phy": "802.11ac",
            "width_mhz": 40,
            "streams": 2,
            "radio": {"transmit_power_dbm": 20},
            "antenna": _antenna(directional, 23, [hub, 0]),
        }


def _hubs(directional: bool) -> Iterator[dict[str, Any]]:
    for hub, channel in enumerate(HUB_CHANNELS):
        common = {"channel": channel, "phy": "802.11ac", "streams": 2}
        radio = {"transmit_power_dbm": 20}
        yield {
            "name": f"hub-{hub}",
            "nodes": [hub],
            **common,
            "radio": radio,
            "antenna": {"kind": "omni", "gain_dbi": 12 if directional else 8},
        }
        yield {
            "name": f"roof-{hub}",
            "nodes": _leaves(hub),
            **common,
            "radio": radio,
            "antenna": _antenna(directional, 19, [hub] * LEAVES),
        }


def _cells() -> Iterator[dict[str, Any]]:
    for place, channel in enumerate(CELL_CHANNELS):
        roofs = [roof for roof in range(ROOFS) if roof % len(CELL_CHANNELS) == place]
        clients = [ROOFS + CLIENTS * roof + client for roof in roofs for client in range(CLIENTS)]
        yield {
            "name": f"cell-{channel}",
            "nodes": roofs,
            "channel": channel,
            "radio": {"transmit_power_dbm": 18},
            "antenna": {"kind": "omni", "gain_dbi": 5},
        }
        yield {
            "name": f"phone-{channel}",
            "nodes": clients,
            "channel": channel,
            "radio": {"transmit_power_dbm": 14},
        }


def _flows(rng: random.Random) -> Iterator[dict[str, Any]]:
    """A third of the clients load pages, a third have calls, a third download."""
    for client in range(ROOFS * CLIENTS):
        node = ROOFS + client
        start_s = round(rng.uniform(10, 15), 3)
        match client % 3:
            case 0:
                yield {"kind": "web", "source": node, "destination": 0, "start_s": start_s}
            case 1:
                yield {"kind": "voice", "source": node, "destination": 0, "start_s": start_s}
            case _:
                yield {"kind": "ftp", "source": 0, "destination": node, "start_s": start_s}
