"""What was measured of a link, as the gain that a scenario takes.

All follow from a power that is assumed (`POWER_DBM`), unless the file has gains:

- a share of frames that arrive: with Rayleigh fading it is exp(-least / mean power), so the gain is
  `SENSE_DBM` - 10 lg(-ln share) - `POWER_DBM`; what never failed counts as 254.5 of 255;
- a received signal: it less `POWER_DBM`;
- a rate: the least signal that IEEE 802.11-2020 demands of a receiver at it (table 19-18, 20 MHz),
  less `POWER_DBM`: the link is at least so good.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from multihop.sites.form import Link

POWER_DBM = 20.0
SENSE_DBM = -82.0
LOSSLESS = 254.5 / 255
_SENSITIVITY_DBM = (
    *((65e6, -64.0), (58.5e6, -65.0), (52e6, -66.0), (39e6, -70.0)),
    *((26e6, -74.0), (19.5e6, -77.0), (13e6, -79.0), (0.0, -82.0)),
)
"""From a rate [bit/s] of one stream on: what a receiver has to receive."""
_LEAST_SHARE = 1e-3


def gain_of_delivery(share: float) -> float:
    """The gain [dB] over which that share of frames arrives."""
    kept = min(max(share, _LEAST_SHARE), LOSSLESS)
    return SENSE_DBM - 10 * math.log10(-math.log(kept)) - POWER_DBM


def gain_of_rate(rate_bps: float) -> float:
    """The least gain [dB] at which a receiver has to take that rate."""
    least = next(dbm for rate, dbm in _SENSITIVITY_DBM if rate_bps >= rate)
    return least - POWER_DBM


def gain_of(links: Sequence[Link]) -> tuple[float, str]:
    """The gain [dB] of what was said of one way between two nodes, and what that was.

    Gains go before signals, signals before shares, these before rates; of several the mean.
    """
    for kind, values in (
        ("gain", [link.gain_db for link in links]),
        ("signal", [link.signal_dbm for link in links]),
        ("delivery", [link.delivery for link in links]),
        ("rate", [link.rate_bps for link in links]),
    ):
        known = [value for value in values if value is not None]
        if known:
            mean = sum(known) / len(known)
            match kind:
                case "gain":
                    gain = mean
                case "signal":
                    gain = mean - POWER_DBM
                case "delivery":
                    gain = gain_of_delivery(mean)
                case _:
                    gain = gain_of_rate(mean)
            return max(min(gain, 30.0), -300.0), kind
    return gain_of_delivery(1.0), "nothing"
