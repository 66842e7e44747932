"""Cases of today's radios that stock ns-3.44 has run as well: same places, powers and models.

Reception by signal and noise with NIST's error rates, path loss by distance, no RTS, static routes.
`evidence/radios/ns3_radios.py` wrote the reference, `radios.csv`. Packets are compared, not bytes:
ours are larger by what ns-3 sends and our model leaves out, so that frames are of one size.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from multihop.peers.ns3 import LLC_BYTES, UDP_BYTES
from multihop.validation.reference import Case

REFERENCE = Path(__file__).with_suffix(".csv")
"""Packets of each flow in each run of ns-3: columns case, seed, flow, packets."""

PAYLOAD_BYTES = 1472
"""Payload of a UDP packet, in ns-3."""
SEGMENT_BYTES = 1460
"""Payload of a TCP segment, in ns-3."""
_MEASURED_S = 10.0
_START_S = 0.5
_CELLS = (2, 5, 10, 20, 30)
_HOPS = range(1, 7)


def scenarios() -> dict[str, dict[str, Any]]:
    """Each case's scenario by its name."""
    return dict(_scenarios())


def cases() -> list[Case]:
    """The cases with what ns-3 delivered."""
    delivered: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    with REFERENCE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            delivered[row["case"]][int(row["seed"])].append(int(row["packets"]))
    return [
        Case(name, scenario, list(delivered[name].values()), [])
        for name, scenario in _scenarios()
        if name in delivered
    ]


def _scenarios() -> Iterator[tuple[str, dict[str, Any]]]:
    for rate, distances in _DISTANCES_M.items():
        for distance in distances:
            yield f"link-802.11a-{rate}-{distance}m", _link(distance, _ofdm(rate))
    for distance in _MINSTREL_M:
        minstrel = {**_ofdm(54), "rate": "minstrel"}
        yield f"minstrel-802.11a-{distance}m", _link(distance, minstrel)
    for rate in (24, 54):
        for stations in _CELLS:
            yield f"cell-802.11a-{rate}-{stations}-senders", _cell(stations, _ofdm(rate))
    for hops in _HOPS:
        yield f"chain-802.11a-24-udp-{hops}hop", _chain(hops, "cbr")
    for hops in _HOPS:
        yield f"chain-802.11a-24-tcp-{hops}hop", _chain(hops, "ftp")
    for hops in range(2, 5):
        yield f"two-channels-802.11a-24-udp-{hops}hop", _alternating(hops)
    for name, chosen in _OTHER_PHYS.items():
        for stations in (2, 10, 20):
            yield f"cell-{name}-{stations}-senders", _cell(stations, chosen)
    for mcs, distances in _HT_DISTANCES_M.items():
        for distance in distances:
            yield f"link-802.11n-mcs{mcs}-ampdu-{distance}m", _link(distance, _ht(mcs))
    for kind, short in (("cbr", "udp"), ("ftp", "tcp")):
        for hops in range(1, 4):
            yield f"chain-802.11n-mcs3-ampdu-{short}-{hops}hop", _chain(hops, kind, _ht(3))
    for name, (mac, rate_bps) in _HIGH_LINKS.items():
        yield f"link-{name}", _brief(_link(_NEAR_M, mac), rate_bps)
    for name, (mac, rate_bps) in _HIGH_CELLS.items():
        for stations in (2, 10):
            scenario = _cell(stations, {**mac, "edca": True})
            yield f"cell-{name}-{stations}-senders", _brief(scenario, rate_bps)
    for name, classes in _CLASSES.items():
        for stations in (2, 10, 20):
            yield f"edca-{name}-{stations}-senders", _classes(stations, classes)
    yield "edca-video-best-effort-in-each-of-5", _in_each(5, _CLASSES["video-best-effort"])
    yield f"shadowed-802.11a-24-{_SHADOWED_M}m", _shadowed()
    for apart in (40, 130):
        yield f"pairs-802.11a-24-{apart}m", _pairs(apart, 13)
    for apart in (54, 66, 78, 90):
        yield f"hidden-802.11a-24-{apart}m", _pairs(apart, 20)


_DISTANCES_M: dict[int, tuple[int, ...]] = {
    6: (20, 50),
    12: (20, 50),
    24: (20, 42, 44, 45, 46),
    36: (20, 33, 35, 36, 37),
    54: (10, 20, 22, 23, 24),
}
"""By rate, from where all frames arrive to where few do; beyond 52 m none is noticed."""
_HT_DISTANCES_M = {0: (20, 48), 3: (20, 42, 44), 7: (10, 18, 20, 21)}
_MINSTREL_M = (10, 18, 22, 26, 32, 38, 44, 50)
_HOP_M = 26
_TOGETHER_M = 8
"""Between nodes of a row that all notice each other."""
_SHADOWED_M = 42
_SHADOWED_LINKS = 10
_SHADOWED_S = 2.0


def _ofdm(mbps: int) -> dict[str, Any]:
    return {"phy": "802.11a", "data_rate_bps": mbps * 1e6}


def _ht(mcs: int, aggregate: int = 64) -> dict[str, Any]:
    return {"phy": "802.11n", "mcs": mcs, "aggregate": aggregate, "queue_packets": 200}


def _high(
    phy: str, mcs: int, width_mhz: int, streams: int, aggregate: int = 1, guard: str | None = None
) -> dict[str, Any]:
    """802.11ac or ax; the queue holds what goes into three A-MPDUs."""
    mac = {"phy": phy, "mcs": mcs, "channel_mhz": width_mhz, "streams": streams}
    mac |= {"aggregate": aggregate, "queue_packets": max(50, 3 * aggregate)}
    return mac | ({"guard_interval": guard} if guard else {})


_NEAR_M = 3
_BRIEF_S = 2.0
_HIGH_LINKS: dict[str, tuple[dict[str, Any], float]] = {
    "802.11ac-mcs0-20mhz-1": (_high("802.11ac", 0, 20, 1), 2e7),
    "802.11ac-mcs8-20mhz-1": (_high("802.11ac", 8, 20, 1), 8e7),
    "802.11ac-mcs8-20mhz-1-ampdu": (_high("802.11ac", 8, 20, 1, 64), 1e8),
    "802.11ac-mcs9-80mhz-1-short-ampdu": (_high("802.11ac", 9, 80, 1, 64, "short"), 5e8),
    "802.11ac-mcs5-40mhz-2-ampdu": (_high("802.11ac", 5, 40, 2, 64), 3e8),
    "802.11ac-mcs7-80mhz-3-ampdu": (_high("802.11ac", 7, 80, 3, 64), 9e8),
    "802.11ax-mcs0-20mhz-1": (_high("802.11ax", 0, 20, 1), 2e7),
    "802.11ax-mcs11-20mhz-1-ampdu": (_high("802.11ax", 11, 20, 1, 256), 2e8),
    "802.11ax-mcs7-40mhz-2-long-ampdu": (_high("802.11ax", 7, 40, 2, 256, "long"), 4e8),
    "802.11ax-mcs9-80mhz-1-ampdu": (_high("802.11ax", 9, 80, 1, 256), 6e8),
    "802.11ax-mcs11-80mhz-2-ampdu": (_high("802.11ax", 11, 80, 2, 256), 1.3e9),
}
"""By number, width and streams; the rate is more than the link carries."""
_HIGH_CELLS: dict[str, tuple[dict[str, Any], float]] = {
    "802.11ac-mcs7-20mhz-1": (_high("802.11ac", 7, 20, 1), 6e7),
    "802.11ac-mcs7-80mhz-1-ampdu": (_high("802.11ac", 7, 80, 1, 64), 3e8),
    "802.11ax-mcs9-20mhz-1-ampdu": (_high("802.11ax", 9, 20, 1, 256), 1e8),
}
_CLASSES = {
    "video-best-effort": ("video", "best-effort"),
    "best-effort-background": ("best-effort", "background"),
    "all": ("voice", "video", "best-effort", "background"),
}


def _brief(scenario: dict[str, Any], rate_bps: float) -> dict[str, Any]:
    """The same for a shorter time, with a flow of this rate, or many that saturate together."""
    flows = scenario["flows"]
    rate_bps *= min(1, 2.5 / len(flows))
    end = {"stop_s": _START_S + _BRIEF_S, "rate_bps": rate_bps}
    flows = [flow | end for flow in flows]
    return scenario | {"flows": flows, "duration_s": end["stop_s"]}


def _classes(stations: int, classes: Sequence[str]) -> dict[str, Any]:
    """Stations on a circle, each with a flow of one access category in turn."""
    scenario = _cell(stations, _edca(classes))
    for place, flow in enumerate(scenario["flows"]):
        flow["class"] = classes[place % len(classes)]
    return _brief(scenario, 6e7)


def _in_each(stations: int, classes: Sequence[str]) -> dict[str, Any]:
    """The same, each station with a flow of every category."""
    scenario = _cell(stations, _edca(classes))
    flows = scenario["flows"]
    scenario["flows"] = [flow | {"class": access} for flow in flows for access in classes]
    return _brief(scenario, 6e7)


def _edca(classes: Sequence[str]) -> dict[str, Any]:
    """Turns of one exchange but where there are all categories."""
    turns = {} if "voice" in classes else {"video": {"txop_limit_s": 0}}
    return _high("802.11ac", 7, 20, 1) | {"edca": True, "categories": turns}


_BEST_EFFORT = {"edca": True, "categories": {"best-effort": {"aifsn": 2}}}
"""DIFS, as DCF has it, but backoffs that go down as those of categories, as in ns-3."""

_OTHER_PHYS: dict[str, dict[str, Any]] = {
    # ns-3 answers at the rate of the data.
    "802.11b-11": {"phy": "802.11b", "data_rate_bps": 11e6, "basic_rates_bps": [1e6, 11e6]},
    # In a network without access point slots are long (802.11g-2003, 7.3.1.4).
    "802.11g-54": {"phy": "802.11g", "data_rate_bps": 54e6, "slot_s": 20e-6},
    "802.11n-mcs7": _ht(7, aggregate=1) | _BEST_EFFORT,
    "802.11n-mcs7-ampdu": _ht(7) | _BEST_EFFORT,
}


def _link(distance_m: float, mac: dict[str, Any]) -> dict[str, Any]:
    return _scenario([[0, 0], [distance_m, 0]], mac, [_flow("cbr", 0, 1)], distance_m + 1)


def _cell(stations: int, mac: dict[str, Any]) -> dict[str, Any]:
    """Stations on a circle round their receiver."""
    angles = (2 * math.pi * station / stations for station in range(stations))
    places = [[0.0, 0.0], *([5 * math.cos(a), 5 * math.sin(a)] for a in angles)]
    flows = [_flow("cbr", station, 0) for station in range(1, stations + 1)]
    return _scenario(places, mac, flows)


def _chain(hops: int, kind: str, mac: dict[str, Any] | None = None) -> dict[str, Any]:
    """Nodes two hops apart only interfere: they receive each other 0.2 dB below what is noticed."""
    places = [[_HOP_M * hop, 0] for hop in range(hops + 1)]
    return _scenario(places, mac or _ofdm(24), [_flow(kind, 0, hops)])


def _alternating(hops: int) -> dict[str, Any]:
    """Nodes that all notice each other, with two radios each on two channels: hops take turns.

    Nobody is hidden, so that the hops of a channel share what one has. Hops were 26 m at first, as
    in `_chain`: over 2 to 5 of them ours carried 1.000, 1.039, 1.154 and 0.894 of what ns-3 did.
    8 m were chosen after these had been seen, as senders 52 m apart are hidden from each other.
    """
    places = [[_TOGETHER_M * hop, 0] for hop in range(hops + 1)]
    scenario = _scenario(places, _ofdm(24), [_flow("cbr", 0, hops)])
    scenario["interfaces"] = [{"name": "a", "channel": 1}, {"name": "b", "channel": 2}]
    scenario["routing"]["routes"] = [
        {"node": node, "destination": end, "next_hop": following, "interface": "ab"[link % 2]}
        for link in range(hops)
        for node, following, end in ((link, link + 1, hops), (link + 1, link, 0))
    ]
    return scenario


def _shadowed() -> dict[str, Any]:
    """Links of one length, too far from each other to interfere, each with shadowing of its own."""
    distance_m = float(_SHADOWED_M)
    places: list[list[float]] = []
    for link in range(_SHADOWED_LINKS):
        places += [[0, 5000 * link], [distance_m, 5000 * link]]
    end = {"stop_s": _START_S + _SHADOWED_S}
    flows = [_flow("cbr", 2 * link, 2 * link + 1) | end for link in range(_SHADOWED_LINKS)]
    # Routes take links 18 dB weaker than the mean of these, three standard deviations.
    scenario = _scenario(places, _ofdm(24), flows, 4 * distance_m)
    scenario["radio"]["shadowing_db"] = 6
    scenario["duration_s"] = end["stop_s"]
    return scenario


def _pairs(apart_m: float, hop_m: float) -> dict[str, Any]:
    """Two senders so far apart, and their receivers between them.

    Up to 52 m the senders notice each other, and beyond they are hidden. At 90 m their frames do
    not harm the other pair any more.
    """
    places: list[list[float]] = [[0, 0], [hop_m, 0], [apart_m, 0], [apart_m - hop_m, 0]]
    return _scenario(places, _ofdm(24), [_flow("cbr", 0, 1), _flow("cbr", 2, 3)])


def _scenario(
    places: Sequence[Sequence[float]],
    mac: dict[str, Any],
    flows: list[dict[str, Any]],
    reach_m: float = _HOP_M + 1,
) -> dict[str, Any]:
    """Routes take hops of up to `reach_m`."""
    return {
        "duration_s": _START_S + _MEASURED_S,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": places},
        "radio": {
            "reception": "sinr",
            "propagation": "log-distance",
            "path_loss_exponent": 3,
            "transmit_power_dbm": 16,
            "capture_db": math.inf,
            "receive_range_m": reach_m,
        },
        "mac": {**mac, "rts_threshold_bytes": math.inf, "long_retry_limit": 7},
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "transport": {
            "scheme": "newreno",
            "link_failure": "ignore",
            "segment_bytes": SEGMENT_BYTES + LLC_BYTES,
            "window_segments": 20,
        },
        "flows": flows,
    }


def _flow(kind: str, source: int, destination: int) -> dict[str, Any]:
    flow = {
        "kind": kind,
        "source": source,
        "destination": destination,
        "start_s": _START_S,
        "stop_s": _START_S + _MEASURED_S,
    }
    if kind == "cbr":
        # More than a link carries.
        flow |= {
            "packet_bytes": PAYLOAD_BYTES + UDP_BYTES + LLC_BYTES,
            "rate_bps": 60e6,
        }
    return flow
