"""Runs of every kind against the bound of their network: none may be above it.

    python benches/bound_runs.py --seconds 1200 --seed 1

Each network gets its bound, and several runs with different schemes. A run violates the bound if it
exceeds any of the limits on weighted sums of the rates that the bound came by. Prints the number of
runs, the highest share of a limit that any run reached, by kind of world, and every violation.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from typing import Any

import numpy as np

import multihop
from multihop.bound.network import read
from multihop.bound.objectives import plain
from multihop.bound.region import Region

SEVERAL = ["static", "aodv", "dsr", "babel", "olsr", "dsdv", "hwmp", "batman"]
"""Those that send by several interfaces."""
ROUTINGS = ["static", "aodv", "dsr", "dcar", "ccar", "multipath-aodv", "copas"]
TRANSPORTS = ["newreno", "cubic", "bbr", "vegas", "westwood", "tcp-ap", "reno", "quic", "cbr"]
RUNS_A_NETWORK = 12
EDGES = 0.7
"""The share of networks with keys at the edge of what they may be."""


def main() -> None:
    """Run for the time given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1200.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--radios", action="store_true", help="one to three channels, and wires")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    until = time.monotonic() + arguments.seconds
    runs: Counter[str] = Counter()
    highest: defaultdict[str, float] = defaultdict(float)
    violations = networks = 0
    while time.monotonic() < until:
        world, scenario = network_of(draw)
        if arguments.radios:
            world = several(draw, scenario)
        try:
            network = read(scenario)
        except multihop.ScenarioError:
            continue
        networks += 1
        region = Region(network, network.periods[0])
        flows = len(region.served)
        if flows == 0:
            continue
        for objective in ("total", "max-min"):
            region.best(plain(objective, flows), gap=0.01, seconds=1.0)
        for _ in range(RUNS_A_NETWORK):
            share = share_of(draw, scenario, network.span_s, region)
            if share is None:
                continue
            runs[world] += 1
            highest[world] = max(highest[world], share)
            if share > 1:
                violations += 1
                print(f"violation: {share:.4f} {world} {scenario}", flush=True)
    for world, count in sorted(runs.items()):
        print(f"{world:32} {count:6d} runs, at most {highest[world]:.3f} of a limit")
    print(f"{networks} networks, {runs.total()} runs, {violations} above the bound")


def share_of(
    draw: random.Random, scenario: dict[str, Any], span_s: float, region: Region
) -> float | None:
    """The highest share of any limit that a run with a scheme drawn at random reaches."""
    has_several = "interfaces" in scenario or "wires" in scenario
    routing = draw.choice(SEVERAL if has_several else ROUTINGS)
    transport = draw.choice([name for name in TRANSPORTS if name not in ("quic", "cbr")])
    settings: dict[str, Any] = {"routing.scheme": routing, "seed": draw.randrange(10**6)}
    if not has_several:
        settings["mac.access"] = draw.choice(["dcf", "dcf", "adaptive-csma", "ez-flow", "diffq"])
    if settings.get("mac.access") == "adaptive-csma":
        settings["mac.adaptive_csma"] = {"vary": draw.choice(["backoff", "length"]), "most": 4}
    if scenario["flows"][0]["kind"] == "ftp" and "transport" not in scenario:
        settings["transport.scheme"] = transport
        settings["transport.window_segments"] = draw.choice([2, 8, 32])
    # The network stays the same: its placement is part of the scenario.
    try:
        result = multihop.run(scenario, set=settings)
    except multihop.ScenarioError:
        return None
    delivered = [result.json["flows"][place]["delivered_bytes"] for place in region.served]
    return region.highest_share(8 * np.array(delivered) / span_s)


def network_of(draw: random.Random) -> tuple[str, dict[str, Any]]:
    """A network with its traffic."""
    mac: dict[str, Any]
    phy, mac = draw.choice(
        [
            ("dsss-1999", {}),
            ("dsss-1999", {}),
            ("802.11b", {"phy": "802.11b"}),
            ("802.11g", {"phy": "802.11g", "data_rate_bps": 24e6, "basic_rate_bps": 6e6}),
            ("802.11n", {"phy": "802.11n", "mcs": 4, "aggregate": 16}),
        ]
    )
    profile = draw.choice(["ns2", "ns2", "standard"])
    rts = draw.choice(["rts", "rts", "none"])
    if rts == "none":
        mac = {**mac, "rts_threshold_bytes": "inf"}
    nodes = draw.randrange(3, 25)
    side_m = draw.uniform(200, 350) * nodes**0.5
    positions = [[draw.uniform(0, side_m), draw.uniform(0, side_m)] for _ in range(nodes)]
    if draw.random() < 0.3:
        spacing_m = draw.choice([120, 150, 200, 240])
        positions = [[k * spacing_m, 0] for k in range(draw.randrange(2, 9))]
    kind = draw.choice(["ftp", "ftp", "cbr", "quic"])
    flows = []
    for _ in range(draw.randrange(1, 6)):
        source, destination = draw.sample(range(len(positions)), 2)
        flow: dict[str, Any] = {
            "kind": "cbr" if kind == "cbr" else "ftp", "source": source, "destination": destination,
        }  # fmt: skip
        if kind == "cbr":
            flow |= {"packet_bytes": draw.choice([200, 1000, 1460]), "rate_bps": 1e9}
            flow["rate_bps"] = draw.choice([1e5, 1e6, 5e6])
        flows.append(flow)
    scenario: dict[str, Any] = {
        "duration_s": 6,
        "profile": profile,
        "topology": {"kind": "positions", "positions_m": positions},
        "radio": {"receive_range_m": 250, "sense_range_m": draw.choice([250, 550])},
        "mac": mac,
        "routing": {"scheme": "static"},
        "flows": flows,
    }
    if kind == "quic":
        scenario["transport"] = {"scheme": "quic"}
    if draw.random() < EDGES:
        to_the_edge(draw, scenario)
        return f"{phy}, {profile}, edges", scenario
    return f"{phy}, {profile}, {rts}", scenario


def several(draw: random.Random, scenario: dict[str, Any]) -> str:
    """Give the nodes one to three radios, some with a PHY or an antenna of their own, and wires."""
    every = range(len(scenario["topology"]["positions_m"]))
    channels = draw.randrange(1, 4)
    scenario["interfaces"] = [{"name": "0", "channel": 1}]
    for number in range(1, channels):
        nodes = sorted(draw.sample(every, draw.randrange(2, len(every) + 1)))
        own: dict[str, Any] = {"name": f"{number}", "channel": 5 * number, "nodes": nodes}
        if draw.random() < 0.3:
            own["phy"] = draw.choice(["802.11a", "802.11b", "802.11g"])
        if draw.random() < 0.2:
            own["radio"] = {"transmit_power_w": draw.choice([0.05, 0.5])}
        if draw.random() < 0.2:
            own["antenna"] = {
                "kind": "sector", "gain_dbi": 8, "beam_width_deg": 90,
                "bearing_deg": [draw.uniform(0, 360) for _ in nodes],
            }  # fmt: skip
        scenario["interfaces"].append(own)
    has_wires = draw.random() < 0.3
    if has_wires:
        scenario["wires"] = [
            {
                "name": "wire",
                "nodes": draw.sample(every, draw.randrange(2, min(5, len(every)) + 1)),
                "rate_bps": draw.choice([1e4, 1e6, 1e8]),
                "delay_s": draw.choice([0, 1e-6, 1e-2]),
            }
        ]
    return f"{channels} channels{', a wire' if has_wires else ''}"


def to_the_edge(draw: random.Random, scenario: dict[str, Any]) -> None:
    """Give some keys values at the edge of what they may be."""
    mac, radio = scenario["mac"], scenario["radio"]
    radio["capture_db"] = draw.choice([0, 1e-9, 3, 10, 30, "inf"])
    if draw.random() < 0.3:
        radio["sense_range_m"] = draw.choice([250, 250.001, 5000])
    if draw.random() < 0.2:
        # Without coverage no answer comes in time, and datagrams are delivered again and again.
        radio |= {"receive_range_m": 2000, "sense_range_m": 4400}
        mac["coverage_m"] = 2000
        places = scenario["topology"]["positions_m"]
        scenario["topology"]["positions_m"] = [[8 * x, 8 * y] for x, y in places]
    bytes_ = draw.choice([1, 2, 40, 536, 1419, 1460, 2000])
    if draw.random() < 0.5:
        headers = 40 + (34 if scenario["profile"] == "ns2" else 28)
        about = bytes_ + headers + draw.choice([-21, -20, -1, 0, 1, 12, 20, 24, 44])
        mac["rts_threshold_bytes"] = draw.choice([0, max(about, 0), 10**6, "inf"])
    if draw.random() < 0.3:
        mac["sifs_s"] = draw.choice([1e-6, 10e-6, 50e-6])
    if draw.random() < 0.3:
        mac |= {"cw_min": 1, "cw_max": draw.choice([1, 31])}
    if "phy" not in mac and draw.random() < 0.5:
        mac |= {"preamble_bits": draw.choice([0, 144]), "data_rate_bps": draw.choice([1e6, 1.1e7])}
        mac["basic_rate_bps"] = draw.choice([1e6, mac["data_rate_bps"]])
    if scenario["flows"][0]["kind"] != "ftp" or "transport" in scenario:
        return
    own: dict[str, Any] = draw.choice(
        [
            {"kind": "ftp"},
            {"kind": "file", "bytes": draw.choice([1, bytes_ + 1, 10**6 + 1])},
            {"kind": "web"},
            {"kind": "voice"},
            {"kind": "on-off", "packet_bytes": bytes_, "rate_bps": 2e6},
            {"kind": "request-response", "response_bytes": draw.choice([1, 10**5 + 1])},
        ]
    )
    for flow in scenario["flows"]:
        flow |= own
    scenario["transport"] = {
        "segment_bytes": bytes_,
        "timestamps": draw.random() < 0.5,
        "scheme": draw.choice(["newreno", "cubic", "tcp-ap"]),
        "window_segments": draw.choice([2, 32]),
    }


if __name__ == "__main__":
    main()
