"""Links with given aggressiveness: measured shares of time beside the product form, as a table.

    python -m evidence.access.product_form --seconds 1000

Every link's sender always has packets; its receiver is a metre away. The graph says which links
sense each other. `--slow-ack`: control frames at 1 Mbit/s, so that what 802.11 waits after a frame
in error (EIFS) is no longer short beside a backoff.
"""

from __future__ import annotations

import argparse
import itertools
import math
from typing import Any

import multihop

Point = tuple[int, int]

#: Senders' positions; they sense each other over 400 m.
GRAPHS: dict[str, list[Point]] = {
    "two": [(0, 0), (300, 0)],
    "three in a row": [(0, 0), (300, 0), (600, 0)],
    "five in a row": [(0, 0), (300, 0), (600, 0), (900, 0), (1200, 0)],
    "star of five": [(500, 500), (150, 500), (850, 500), (500, 150), (500, 850)],
    "ring of five": [(0, 0), (350, 0), (460, 330), (175, 540), (-110, 330)],
    "two by four": [(x, y) for y in (0, 350) for x in (0, 350, 700, 1050)],
}
#: What each link is given.
CASES: list[tuple[str, list[float]]] = [
    ("two", [1.0, 2.0]),
    ("three in a row", [0.0, 0.0, 0.0]),
    ("three in a row", [2.0, 2.0, 2.0]),
    ("three in a row", [0.5, 2.5, 0.5]),
    ("five in a row", [1.0, 1.0, 1.0, 1.0, 1.0]),
    ("five in a row", [1.0, 2.0, 0.0, 2.0, 1.0]),
    ("star of five", [2.0, 0.5, 0.5, 0.5, 0.5]),
    ("ring of five", [1.0, 1.0, 1.0, 1.0, 2.0]),
    ("two by four", [1.0, 1.5, 0.5, 1.0, 0.5, 1.0, 1.5, 1.0]),
]
SENSE_M = 400
PACKET_BYTES = 8000


def exchange_s(slow_ack: bool) -> float:
    """A packet at 10 Mbit/s with 48 bytes of headers, its ACK, two SIFS and two slots of 1 µs."""
    basic_bps = 1e6 if slow_ack else 1e7
    return 2 * 192 / basic_bps + 8 * (PACKET_BYTES + 48) / 1e7 + 8 * 14 / basic_bps + 4e-6


def scenario(senders: list[Point], given: list[float], seconds: float, slow_ack: bool) -> Any:
    """The links, each with a flow."""
    basic_bps = 1e6 if slow_ack else 1e7
    positions = [place for x, y in senders for place in ([x, y], [x, y + 1])]
    flow = {"kind": "cbr", "start_s": 0, "stop_s": seconds, "packet_bytes": PACKET_BYTES}
    return {
        "duration_s": seconds,
        "profile": "standard",
        "topology": {"kind": "positions", "positions_m": positions},
        "radio": {"receive_range_m": SENSE_M, "sense_range_m": SENSE_M},
        "mac": {
            "access": "adaptive-csma",
            "adaptive_csma": {
                "given": [r for own in given for r in (own, 0.0)],
                "unit_s": exchange_s(slow_ack),
            },
            "data_rate_bps": 1e7,
            "basic_rate_bps": basic_bps,
            "plcp_rate_bps": basic_bps,
            "slot_s": 1e-6,
            "sifs_s": 1e-6,
            "rts_threshold_bytes": math.inf,
            "short_retry_limit": math.inf,
            "long_retry_limit": math.inf,
        },
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "flows": [
            {**flow, "source": 2 * i, "destination": 2 * i + 1, "rate_bps": 1.1e7}
            for i in range(len(senders))
        ],
    }


def measured(case: Any, seconds: float, seeds: int, slow_ack: bool) -> list[float]:
    """The share of time that each link is in use, the mean over seeds."""
    shares = [0.0] * len(case["flows"])
    for seed in range(1, seeds + 1):
        for i, flow in enumerate(multihop.run(case, seed=seed).json["flows"]):
            shares[i] += flow["received_packets"] * exchange_s(slow_ack) / seconds / seeds
    return shares


def product_form(senders: list[Point], given: list[float]) -> list[float]:
    """The same if a set of links at once has probability in proportion to exp(sum of given)."""
    clash = {
        (i, j)
        for i, j in itertools.combinations(range(len(senders)), 2)
        if math.dist(senders[i], senders[j]) <= SENSE_M
    }
    shares, total = [0.0] * len(senders), 0.0
    for used in itertools.product((False, True), repeat=len(senders)):
        chosen = [i for i, is_used in enumerate(used) if is_used]
        if not any(pair in clash for pair in itertools.combinations(chosen, 2)):
            weight = math.exp(sum(given[i] for i in chosen))
            total += weight
            for i in chosen:
                shares[i] += weight
    return [share / total for share in shares]


def main() -> None:
    """Prints a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1000.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--slow-ack", action="store_true", help="control frames at 1 Mbit/s")
    asked = parser.parse_args()
    print("| links | aggressiveness | product form | measured | largest difference |")
    print("|---|---|---|---|--:|")
    for name, given in CASES:
        senders = GRAPHS[name]
        case = scenario(senders, given, asked.seconds, asked.slow_ack)
        expected = product_form(senders, given)
        got = measured(case, asked.seconds, asked.seeds, asked.slow_ack)
        worst = max((g / e - 1 for g, e in zip(got, expected, strict=True)), key=abs)
        cells = [", ".join(f"{value:.3f}" for value in values) for values in (expected, got)]
        own = ", ".join(f"{r:g}" for r in given)
        print(f"| {name} | {own} | {cells[0]} | {cells[1]} | {100 * worst:+.1f} % |", flush=True)


if __name__ == "__main__":
    main()
