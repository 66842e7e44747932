"""TCP over slots that stations reserve anew each time, beside other schemes.

    python -m evidence.gap.reservation --before --first-seed 400001 --networks 200
    python -m evidence.gap.reservation --before --first-seed 410001 --networks 50 --moving
    python -m evidence.gap.reservation --before --first-seed 415001 --networks 10 --radio 802.11n
    python -m evidence.gap.reservation --first-seed 430001 --networks 200 --returned
    python -m evidence.gap.reservation --first-seed 440001 --networks 50 --moving --returned
    python -m evidence.gap.reservation --first-seed 415011 --networks 40 --radio 802.11n --reach

The other rows of it lack one of its parts, or their stations' clocks are off. `--before` has it as
it was before packets were returned, `--returned` what these bring, `--reach` what it brings that
stations notice weaker signals.
"""

from __future__ import annotations

import argparse
from typing import Any

from evidence.gap.measure import SCENARIO
from evidence.gap.slots import STATIC, Cases, show

SCHEME = "slot-reservation"
NAME = f"`{SCHEME}`"
BEFORE = {"mac.slot_reservation.returns": 0, "mac.slot_reservation.power": 0.5}
"""Before packets were returned."""
RADIOS = {
    "dsss-1999": {},
    "802.11n": {
        "profile": "standard",
        "radio": {"reception": "sinr"},
        "mac": {"phy": "802.11n", "data_rate_bps": 13e6},
    },
}


def cases(is_static: bool, slots: dict[str, Any]) -> Cases:
    """The schemes, NewReno over AODV and the DCF first; slots with these keys."""
    aodv = {"routing": SCENARIO["routing"]}
    found: Cases = {
        "AODV, NewReno": (None, {}),
        "`considerate`": ("considerate", {}),
        "TCP-AP": (None, {"transport.scheme": "tcp-ap"}),
        "semi-TCP": ("semi-tcp", {}),
        "adaptive CSMA": ("adaptive-csma", {}),
        "EZ-Flow": ("ez-flow", {}),
        "DiffQ": ("diffq", {}),
        NAME: (SCHEME, slots),
        "the same over plain AODV": (SCHEME, aodv | slots),
        "the same by random access": (SCHEME, {"mac.access": "dcf"}),
    }
    if is_static:
        found["the same over shortest paths, known"] = (SCHEME, STATIC | slots)
        off = slots | {"mac.slot_reservation.clock_error_s": 2e-6}
        found["the same, clocks off by 2 µs"] = (SCHEME, off)
    return found


def returned(is_static: bool) -> Cases:
    """Rows that show what returned packets bring."""
    names = ["AODV, NewReno", NAME, "the same, clocks off by 2 µs"]
    every = cases(is_static, {})
    found = {name: every[name] for name in names if name in every}
    return found | {
        "the same, nothing returned": (SCHEME, {"mac.slot_reservation.returns": 0}),
        "nothing returned, power 0.5": (SCHEME, BEFORE),
    }


def reach() -> Cases:
    """Rows that show what it brings that stations notice signals 4 dB above the noise."""
    far = {"radio.carrier_sense_dbm": -90}
    return {
        "AODV, NewReno": (None, {}),
        "the same, from -90 dBm on": (None, far),
        "`considerate`": ("considerate", {}),
        NAME: (SCHEME, {}),
        f"{NAME}, from -90 dBm on": (SCHEME, far),
    }


def main() -> None:
    """Prints a row for each scheme."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=400_001)
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--moving", action="store_true", help="nodes go at 1 to 5 m/s")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--before", action="store_true", help="before packets were returned")
    which.add_argument("--returned", action="store_true", help="only what returned packets bring")
    which.add_argument("--reach", action="store_true", help="only what farther sensing brings")
    parser.add_argument("--radio", choices=RADIOS, default="dsss-1999")
    asked = parser.parse_args()
    scenario = SCENARIO | RADIOS[asked.radio]
    if asked.moving:
        scenario |= {"mobility": {"kind": "random-waypoint", "speed_mps": [1, 5]}}
    is_static, slots = not asked.moving, BEFORE if asked.before else {}
    if asked.returned:
        chosen = returned(is_static)
    else:
        chosen = reach() if asked.reach else cases(is_static, slots)
    seeds = range(asked.first_seed, asked.first_seed + asked.networks)
    show(seeds, scenario, lambda _: chosen)


if __name__ == "__main__":
    main()
