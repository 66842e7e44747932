"""Comparison with closed forms: Bianchi's saturation model and the maximum of one hop.

Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC
18(3), 2000: n saturated stations in range of each other, no retry limit, ideal channel. The time of
a collision is the frame plus EIFS, which is what stations that hear it wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq

from ..simulate import run

__all__ = ["Check", "bianchi", "bianchi_checks", "one_hop_checks", "one_hop_cycle_s"]

SLOT_S, SIFS_S, PLCP_S = 20e-6, 10e-6, 192e-6
DIFS_S = SIFS_S + 2 * SLOT_S
RTS_S, CTS_S, ACK_S = (PLCP_S + 8 * size / 1e6 for size in (20, 14, 14))
EIFS_S = SIFS_S + DIFS_S + ACK_S
SPEED_OF_LIGHT_MPS = 3e8
IP_HEADER_BYTES = 20
MAC_OVERHEAD_BYTES = {"ns2": 34, "standard": 28}
CW_MIN, CW_MAX = 31, 1023
DATA_RATE_BPS = 2e6


@dataclass(frozen=True)
class Check:
    """One number of a theory and the engine's."""

    name: str
    theory: float
    measured: float
    unit: str
    tolerance: float

    @property
    def error(self) -> float:
        """Relative difference of the engine's number from the theory's."""
        return self.measured / self.theory - 1

    @property
    def passed(self) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.error) <= self.tolerance


def data_airtime_s(payload_bytes: int, profile: str) -> float:
    """Air time of a data frame with a UDP payload."""
    size = payload_bytes + IP_HEADER_BYTES + MAC_OVERHEAD_BYTES[profile]
    return PLCP_S + 8 * size / DATA_RATE_BPS


def bianchi(stations: int, payload_bytes: int, *, rts: bool) -> float:
    """Saturation throughput in bit/s of payload, in the standard profile."""
    window = CW_MIN + 1
    doublings = round(math.log2((CW_MAX + 1) / window))

    def attempt(p: float) -> float:
        # Bianchi's equation (7), as a sum that has no singular point at p = 1/2.
        growth = sum((2 * p) ** i for i in range(doublings))
        return 2 / (1 + window + p * window * growth)

    p = brentq(lambda p: 1 - (1 - attempt(p)) ** (stations - 1) - p, 0, 0.999999)
    tau = attempt(p)
    busy = 1 - (1 - tau) ** stations
    alone = stations * tau * (1 - tau) ** (stations - 1) / busy
    data = data_airtime_s(payload_bytes, "standard")
    after = SIFS_S + ACK_S + DIFS_S
    if rts:
        success, collision = RTS_S + CTS_S + 2 * SIFS_S + data + after, RTS_S + EIFS_S
    else:
        success, collision = data + after, data + EIFS_S
    slot = (1 - busy) * SLOT_S + busy * (alone * success + (1 - alone) * collision)
    return busy * alone * 8 * payload_bytes / slot


def one_hop_cycle_s(payload_bytes: int, distance_m: float, profile: str) -> float:
    """Mean time of one RTS/CTS exchange of a lone saturated sender."""
    mean_slots = (CW_MIN - 1) / 2 if profile == "ns2" else CW_MIN / 2
    frames = RTS_S + CTS_S + data_airtime_s(payload_bytes, profile) + ACK_S
    delays = 4 * distance_m / SPEED_OF_LIGHT_MPS
    return DIFS_S + mean_slots * SLOT_S + frames + 3 * SIFS_S + delays


def bianchi_checks(
    stations: tuple[int, ...] = (5, 10, 20, 50),
    *,
    payload_bytes: int = 1000,
    measured_s: float = 100.0,
    seed: int = 1,
) -> list[Check]:
    """The engine against Bianchi's model, basic access and RTS/CTS."""
    checks = []
    for rts in (False, True):
        for n in stations:
            theory = bianchi(n, payload_bytes, rts=rts)
            measured = _saturated_cell(n, payload_bytes, rts, measured_s, seed)
            access = "RTS/CTS" if rts else "basic"
            checks.append(Check(f"Bianchi, n = {n}, {access}", theory, measured, "bit/s", 0.02))
    return checks


def one_hop_checks(*, measured_s: float = 100.0, seed: int = 1) -> list[Check]:
    """The engine against the exact mean cycle of one saturated hop of 200 m."""
    checks = []
    for profile in ("ns2", "standard"):
        for payload in (64, 512, 1000, 1460):
            theory = 8 * payload / one_hop_cycle_s(payload, 200.0, profile)
            scenario = _cell([[0.0, 0.0], [200.0, 0.0]], 1, payload, measured_s, profile)
            measured = _steady_throughput(scenario, seed)
            name = f"one hop, {payload} B, {profile}"
            checks.append(Check(name, theory, measured, "bit/s", 0.005))
    return checks


def _saturated_cell(n: int, payload: int, rts: bool, measured_s: float, seed: int) -> float:
    """Total throughput of n stations on a circle of 1 m round their receiver."""
    angles = [2 * math.pi * i / n for i in range(n)]
    positions = [[0.0, 0.0], *([math.cos(a), math.sin(a)] for a in angles)]
    scenario = _cell(positions, n, payload, measured_s, "standard")
    # Equal power at the receiver, and no capture between stations either: every overlap is a loss.
    scenario["radio"] = {"capture_db": math.inf}
    mac: dict[str, object] = {"short_retry_limit": math.inf, "long_retry_limit": math.inf}
    if not rts:
        mac["rts_threshold_bytes"] = math.inf
    scenario["mac"] = mac
    return _steady_throughput(scenario, seed)


def _cell(
    positions: list[list[float]], senders: int, payload: int, measured_s: float, profile: str
) -> dict[str, object]:
    receiver = 0 if senders == len(positions) - 1 and senders > 1 else 1
    sources = [i for i in range(len(positions)) if i != receiver][:senders]
    warm_up_s = 5.0
    return {
        "title": "saturated cell",
        "duration_s": warm_up_s + measured_s,
        "profile": profile,
        "topology": {"kind": "positions", "positions_m": positions},
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "flows": [
            {
                "kind": "cbr",
                "source": source,
                "destination": receiver,
                "start_s": 0.0,
                "stop_s": warm_up_s + measured_s,
                "packet_bytes": payload,
                # Twice what the channel carries: every station always has a packet.
                "rate_bps": 4e6 / senders if senders > 1 else 4e6,
            }
            for source in sources
        ],
    }


def _steady_throughput(scenario: dict[str, object], seed: int) -> float:
    """Payload bit/s of all flows together after a warm-up of 5 s."""
    series = run(scenario, seed=seed, series=5.0).series
    steady = series.filter(series["time_s"] > 5.0)
    return float(steady.group_by("flow", maintain_order=True).mean()["goodput_bps"].sum())
