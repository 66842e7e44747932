"""Comparison with closed forms: Bianchi's saturation model and the maximum of one hop.

Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC
18(3), 2000: n saturated stations in range of each other, ideal channel; with a finite number of
attempts as Wu, Peng, Long, Cheng and Ma have it (INFOCOM 2002). The time of a collision is the
frame plus EIFS, which is what stations that hear it wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.optimize import brentq

from ..recording import Recording
from ..simulate import run
from .phys import DSSS, TODAY, Phy

__all__ = ["Check", "bianchi", "bianchi_checks", "one_hop_checks", "one_hop_cycle_s"]

SPEED_OF_LIGHT_MPS = 3e8
RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14
CW_MAX = 1023


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


def bianchi(
    stations: int,
    payload_bytes: int,
    *,
    rts: bool,
    phy: Phy = DSSS,
    attempts: int | None = None,
) -> float:
    """Saturation throughput in bit/s of payload, in the standard profile.

    Args:
        stations: how many send.
        payload_bytes: of each packet.
        rts: whether RTS and CTS come first.
        phy: its times.
        attempts: how often a packet is sent at most; without end if not given.
    """
    window = phy.cw_min + 1
    doublings = round(math.log2((CW_MAX + 1) / window))

    def attempt(p: float) -> float:
        # Stages of the backoff: how often each is reached, and its mean length with the attempt.
        stages = range(attempts if attempts else doublings + 1)
        reached = [p**stage for stage in stages]
        if not attempts:
            reached[-1] /= 1 - p
        lengths = [(window * 2 ** min(stage, doublings) + 1) / 2 for stage in stages]
        weights = zip(reached, lengths, strict=True)
        return math.fsum(reached) / math.fsum(n * length for n, length in weights)

    p = brentq(lambda p: 1 - (1 - attempt(p)) ** (stations - 1) - p, 0, 0.999999)
    tau = attempt(p)
    busy = 1 - (1 - tau) ** stations
    alone = stations * tau * (1 - tau) ** (stations - 1) / busy
    data = phy.data_s(payload_bytes)
    after = phy.sifs_s + phy.control_s(ACK_BYTES, phy.response_bps) + phy.difs_s
    if rts:
        request = phy.control_s(RTS_BYTES, phy.control_bps)
        answer = phy.control_s(CTS_BYTES, phy.control_bps)
        success = request + answer + 2 * phy.sifs_s + data + after
        collision = request + phy.eifs_s
    else:
        success, collision = data + after, data + phy.eifs_s
    slot = (1 - busy) * phy.slot_s + busy * (alone * success + (1 - alone) * collision)
    return busy * alone * 8 * payload_bytes / slot


def one_hop_cycle_s(payload_bytes: int, distance_m: float, profile: str) -> float:
    """Mean time of one RTS/CTS exchange of a lone saturated sender, on the papers' radio."""
    phy = DSSS
    mean_slots = (phy.cw_min - 1) / 2 if profile == "ns2" else phy.cw_min / 2
    control = sum(
        phy.control_s(size, phy.control_bps) for size in (RTS_BYTES, CTS_BYTES, ACK_BYTES)
    )
    delays = 4 * distance_m / SPEED_OF_LIGHT_MPS
    frames = control + phy.data_s(payload_bytes, profile)
    return phy.difs_s + mean_slots * phy.slot_s + frames + 3 * phy.sifs_s + delays


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


ATTEMPTS = 7
"""A frame of today's radios is sent so often at most."""


def todays_bianchi_checks(
    stations: tuple[int, ...] = (2, 5, 10, 20, 50),
    *,
    payload_bytes: int = 1472,
    measured_s: float = 30.0,
    seed: int = 1,
) -> list[Check]:
    """Radios of today against the model with finite retries, basic access and RTS/CTS."""
    checks = []
    for phy in TODAY:
        for rts in (False, True):
            access = "RTS/CTS" if rts else "basic"
            for n in stations:
                theory = bianchi(n, payload_bytes, rts=rts, phy=phy, attempts=ATTEMPTS)
                measured = _saturated_cell(
                    n, payload_bytes, rts, measured_s, seed, phy=phy, attempts=ATTEMPTS
                )
                name = f"Bianchi, {phy.name}, n = {n}, {access}"
                # The model takes attempts for independent, which few stations' are not.
                bar = 0.02 if n >= 5 else 0.05
                checks.append(Check(name, theory, measured, "bit/s", bar))
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


def _saturated_cell(
    n: int,
    payload: int,
    rts: bool,
    measured_s: float,
    seed: int,
    *,
    phy: Phy = DSSS,
    attempts: float = math.inf,
) -> float:
    """Total throughput of n stations on a circle of 1 m round their receiver."""
    angles = [2 * math.pi * i / n for i in range(n)]
    positions = [[0.0, 0.0], *([math.cos(a), math.sin(a)] for a in angles)]
    scenario = _cell(positions, n, payload, measured_s, "standard", 2 * phy.data_bps)
    # Equal power at the receiver, and no capture between stations either: every overlap is a loss.
    scenario["radio"] = {"capture_db": math.inf}
    mac = {**phy.mac, "short_retry_limit": attempts, "long_retry_limit": attempts}
    if not rts:
        mac["rts_threshold_bytes"] = math.inf
    scenario["mac"] = mac
    return _steady_throughput(scenario, seed)


def _cell(
    positions: list[list[float]],
    senders: int,
    payload: int,
    measured_s: float,
    profile: str,
    offered_bps: float = 2 * DSSS.data_bps,
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
                "rate_bps": offered_bps / senders,
            }
            for source in sources
        ],
    }


def _steady_throughput(scenario: dict[str, object], seed: int) -> float:
    """Payload bit/s of all flows together after a warm-up of 5 s."""
    series = run(scenario, seed=seed, record=Recording(series_interval_s=5.0)).series
    steady = series.filter(series["time_s"] > 5.0)
    return float(steady.group_by("flow", maintain_order=True).mean()["goodput_bps"].sum())
