"""TCP over slots that stations reserve anew each time, beside other schemes.

    python -m evidence.gap.reservation --first-seed 380001 --networks 200
    python -m evidence.gap.reservation --first-seed 390001 --networks 50 --moving
    python -m evidence.gap.reservation --first-seed 395001 --networks 30 --radio 802.11n

The scheme `slot-reservation` is AODV with it; the other rows of it have routes known from the
start, or stations whose clocks are off.
"""

from __future__ import annotations

import argparse

from evidence.gap.measure import SCENARIO
from evidence.gap.slots import STATIC, WIDE, Cases, show

RESERVED = {"mac.access": "slot-reservation", "link.arp": False}
NAME = "`slot-reservation`"
RADIOS = {
    "dsss-1999": {},
    "802.11n": {
        "profile": "standard",
        "radio": {"reception": "sinr"},
        "mac": {"phy": "802.11n", "data_rate_bps": 13e6},
    },
}


def cases(routes_known: bool) -> Cases:
    """The schemes, NewReno over AODV and the DCF first."""
    found: Cases = {
        "AODV, NewReno": (None, {}),
        "the same, wide": (None, WIDE),
        "`considerate`": ("considerate", {}),
        "TCP-AP": (None, {"transport.scheme": "tcp-ap"}),
        "semi-TCP": ("semi-tcp", {}),
        "adaptive CSMA": ("adaptive-csma", {}),
        "EZ-Flow": ("ez-flow", {}),
        "DiffQ": ("diffq", {}),
        NAME: ("slot-reservation", {}),
        f"{NAME}, window of 8": ("slot-reservation", {"transport.window_segments": 8}),
    }
    if routes_known:
        known = RESERVED | STATIC | WIDE
        found |= {
            "static routes, no ARP, NewReno, wide": (None, STATIC | WIDE | {"link.arp": False}),
            f"static routes, {NAME}": (None, known),
        }
        for error_s in (2e-6, 4e-6):
            changed = known | {"mac.slot_reservation.clock_error_s": error_s}
            found[f"the same, clocks off by {error_s * 1e6:.0f} µs"] = (None, changed)
    return found


def main() -> None:
    """Prints a row for each scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=380_001)
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--moving", action="store_true", help="nodes go at 1 to 5 m/s")
    parser.add_argument("--radio", choices=RADIOS, default="dsss-1999")
    asked = parser.parse_args()
    scenario = SCENARIO | RADIOS[asked.radio]
    if asked.moving:
        scenario |= {"mobility": {"kind": "random-waypoint", "speed_mps": [1, 5]}}
    chosen = cases(routes_known=not asked.moving)
    seeds = range(asked.first_seed, asked.first_seed + asked.networks)
    show(seeds, scenario, lambda _: chosen)


if __name__ == "__main__":
    main()
