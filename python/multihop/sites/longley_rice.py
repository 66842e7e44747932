"""The Irregular Terrain Model of Longley and Rice, point to point, from the package `itmlogic`.

Hufford, The ITS Irregular Terrain Model, version 1.2.2: the algorithm, NTIA 1995; the package is
Oughton et al., Journal of Open Source Software 5(51), 2266, 2020. Against the quantiles that NTIA
publishes with the algorithm it is off by 0.1 dB at most (`tests/test_sites_terrain.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from multihop.extras import need
from multihop.sites import terrain
from multihop.sites.terrain import Profile

LEAST_KM = 1.0
"""The model is for 1 to 2,000 km, antennas of 0.5 to 3,000 m, and 20 MHz to 20 GHz."""
LEAST_MAST_M = 0.5


@dataclass(frozen=True, slots=True)
class Ground:
    """What the model wants to know beside the profile; as NTIA suggests for average ground."""

    permittivity: float = 15.0
    conductivity_s_per_m: float = 0.005
    refractivity: float = 301.0
    """At the surface [N-units]: continental temperate."""
    climate: int = 5
    """Continental temperate."""
    vertical: bool = True
    """Polarisation."""


def loss_db(
    profile: Profile,
    frequency_hz: float,
    *,
    ground: Ground | None = None,
    reliability: float = 0.5,
    confidence: float = 0.5,
) -> float:
    """The basic transmission loss that is not exceeded, free space included.

    Args:
        profile: with equal steps.
        frequency_hz: 20 MHz to 20 GHz.
        ground: average if absent.
        reliability: share of the time.
        confidence: share of such situations.

    Raises:
        MissingExtraError: itmlogic is not installed.
    """
    need("sites", "the Longley-Rice model")
    from itmlogic.preparatory_subroutines.qlrpfl import qlrpfl
    from itmlogic.statistics.avar import avar
    from scipy.special import ndtri  # takes 0.1 s to import

    z_time, z_situation = (-float(ndtri(share)) for share in (reliability, confidence))
    prop = qlrpfl(_asked(profile, frequency_hz, ground or Ground()))
    free_db = 20 * math.log10(2 * prop["wn"] * prop["dist"])
    more_db, _ = avar(z_time, 0, z_situation, prop)
    return free_db + float(more_db)


def gain_db(profile: Profile, frequency_hz: float) -> float:
    """The median gain over average ground; of links too short for the model by P.526."""
    if profile.distance_km[-1] < LEAST_KM:
        return terrain.gain_db(profile, frequency_hz)
    return -loss_db(profile, frequency_hz)


def _asked(profile: Profile, frequency_hz: float, ground: Ground) -> dict[str, Any]:
    """The quantities of the algorithm by the package's names."""
    far_m = 1000 * float(profile.distance_km[-1])
    steps = len(profile.ground_m) - 1
    masts = [
        max(mast - end, LEAST_MAST_M)
        for mast, end in zip(profile.antennas_m, profile.ground_m[[0, -1]].tolist(), strict=True)
    ]
    wave_number = frequency_hz / 1e6 / 47.7
    impedance = complex(ground.permittivity, 376.62 * ground.conductivity_s_per_m / wave_number)
    transfer = np.sqrt(impedance - 1)
    return {
        "hg": masts,
        "pfl": [steps, far_m / steps, *profile.ground_m.tolist()],
        "wn": wave_number,
        "ens": ground.refractivity,
        "gme": 157e-9 * (1 - 0.04665 * math.exp(ground.refractivity / 179.3)),
        "zgnd": transfer / impedance if ground.vertical else transfer,
        "klim": ground.climate,
        "klimx": 0,
        "mdvarx": 11,
        "lvar": 5,
        "kwx": 0,
    }
