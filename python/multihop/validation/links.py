"""The most that one hop carries: the engine against the closed form, at every rate of every PHY.

DIFS, half a contention window on average, the frames of an exchange with SIFS between them, and
the way of each through the air; with aggregation as many packets as A-MPDU and queue hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..simulate import run_tasks
from .phys import IP_HEADER_BYTES, MAC_OVERHEAD_BYTES, Phy, hr_dsss, ht, ofdm
from .theory import ACK_BYTES, CTS_BYTES, RTS_BYTES, SPEED_OF_LIGHT_MPS, Check

__all__ = ["Link", "checks", "families"]

BAR = 0.005
SCATTER = 0.0012
"""Standard error of a run relative to its mean: it lasts until chance leaves no more."""
DISTANCE_M = 30.0
LEAST_EXCHANGES = 2000

MPDUS = 64
DELIMITER_BYTES, QOS_BYTES = 4, 2
BLOCK_ACK_BYTES = 32
LARGEST_AGGREGATE_BYTES = 65_535
LONGEST_AGGREGATE_S = 5.484e-3


@dataclass(frozen=True)
class Link:
    """One hop whose sender always has a packet."""

    phy: Phy
    payload_bytes: int
    rts: bool = False
    protected: bool = False
    """A CTS at 1 Mbit/s to the sender itself comes first (802.11g)."""
    aggregated: bool = False

    @property
    def name(self) -> str:
        """As in `802.11a, 54 Mbit/s, 100 bytes, RTS`."""
        words = {"RTS": self.rts, "protected": self.protected, "A-MPDU": self.aggregated}
        told = [word for word, holds in words.items() if holds]
        return ", ".join([self.phy.name, f"{self.payload_bytes} bytes", *told])

    @property
    def slot_s(self) -> float:
        """Slots are long where stations of 802.11b are about."""
        return 20e-6 if self.protected else self.phy.slot_s

    @property
    def mpdus(self) -> int:
        """Packets of an exchange."""
        if not self.aggregated:
            return 1
        fits = (
            self._aggregate_bytes(mpdus) <= LARGEST_AGGREGATE_BYTES
            and self.phy.frame_s(self._aggregate_bytes(mpdus)) <= LONGEST_AGGREGATE_S
            for mpdus in range(2, MPDUS + 1)
        )
        return 1 + sum(fits)

    def _aggregate_bytes(self, mpdus: int) -> int:
        header = DELIMITER_BYTES + QOS_BYTES + MAC_OVERHEAD_BYTES["standard"] + IP_HEADER_BYTES
        one = header + self.payload_bytes
        return (mpdus - 1) * 4 * math.ceil(one / 4) + one

    @property
    def cycle_s(self) -> float:
        """Mean time of an exchange."""
        phy, way_s = self.phy, DISTANCE_M / SPEED_OF_LIGHT_MPS
        cycle_s = phy.sifs_s + 2 * self.slot_s + phy.cw_min / 2 * self.slot_s
        if self.rts:
            cycle_s += phy.control_s(RTS_BYTES, phy.control_bps)
            cycle_s += phy.control_s(CTS_BYTES, phy.control_bps) + 2 * (phy.sifs_s + way_s)
        if self.protected:
            cycle_s += hr_dsss(1, "long").control_s(CTS_BYTES, 1e6) + phy.sifs_s
        if self.aggregated:
            data_s = phy.frame_s(self._aggregate_bytes(self.mpdus))
            answer_bytes = BLOCK_ACK_BYTES
        else:
            data_s, answer_bytes = phy.data_s(self.payload_bytes), ACK_BYTES
        answer_s = phy.control_s(answer_bytes, phy.response_bps)
        return cycle_s + data_s + phy.sifs_s + answer_s + 2 * way_s

    @property
    def most_bps(self) -> float:
        """Payload that it carries."""
        return 8 * self.payload_bytes * self.mpdus / self.cycle_s

    @property
    def duration_s(self) -> float:
        """How long a run has to last."""
        slots = math.sqrt(((self.phy.cw_min + 1) ** 2 - 1) / 12)
        scatter = slots * self.slot_s / self.cycle_s
        return max(LEAST_EXCHANGES, (scatter / SCATTER) ** 2) * self.cycle_s

    def scenario(self) -> dict[str, object]:
        """Return the same for the engine."""
        mac = {**self.phy.mac, "rts_threshold_bytes": 0 if self.rts else math.inf}
        if self.protected:
            mac |= {"protection": "cts-to-self", "basic_rate_bps": 1e6}
        if self.aggregated:
            mac |= {"aggregate": MPDUS, "queue_packets": 4 * MPDUS}
        return {
            "duration_s": self.duration_s,
            "profile": "standard",
            "topology": {"kind": "positions", "positions_m": [[0.0, 0.0], [DISTANCE_M, 0.0]]},
            "mac": mac,
            "routing": {"scheme": "static"},
            "link": {"arp": False},
            "flows": [
                {
                    "kind": "cbr",
                    "source": 0,
                    "destination": 1,
                    "start_s": 0.0,
                    "stop_s": self.duration_s,
                    "packet_bytes": self.payload_bytes,
                    "rate_bps": 1.2 * self.most_bps,
                }
            ],
        }


SIZES = (100, 1472)
_OFDM_MBPS = (6, 9, 12, 18, 24, 36, 48, 54)


def families() -> dict[str, list[Link]]:
    """Links by PHY: every rate, small packets and large ones, with RTS and without."""
    return {name: list(links) for name, links in _families()}


def _families() -> Iterator[tuple[str, Iterator[Link]]]:
    for preamble in ("long", "short"):
        # There is no short preamble at 1 Mbit/s.
        basic = 2 if preamble == "short" else 1
        phys = [hr_dsss(mbps, preamble, basic) for mbps in (1, 2, 5.5, 11) if mbps >= basic]
        yield f"802.11b, {preamble} preamble", _plain(phys)
    for name in ("802.11a", "802.11g"):
        yield name, _plain([ofdm(name, mbps) for mbps in _OFDM_MBPS])
    protected = (
        Link(ofdm("802.11g", mbps), size, protected=True) for mbps in _OFDM_MBPS for size in SIZES
    )
    yield "802.11g, protected", protected
    for mhz in (20, 40):
        for guard in ("long", "short"):
            phys = [ht(mcs, mhz, guard) for mcs in range(16)]
            name = f"802.11n, {mhz} MHz, {guard} guard interval"
            yield name, _plain(phys)
            aggregated = (
                Link(phy, SIZES[-1], rts, aggregated=True) for phy in phys for rts in (False, True)
            )
            yield f"{name}, A-MPDUs", aggregated


def _plain(phys: Sequence[Phy]) -> Iterator[Link]:
    return (Link(phy, size, rts) for phy in phys for size in SIZES for rts in (False, True))


def checks(chosen: dict[str, list[Link]] | None = None) -> list[Check]:
    """Of each family the link that is furthest from the closed form."""
    chosen = families() if chosen is None else chosen
    everything = [link for links in chosen.values() for link in links]
    results = run_tasks([(link.scenario(), {"seed": 1}) for link in everything])
    carried = {
        link.name: float(result.flows["goodput_bps"][0])
        for link, result in zip(everything, results, strict=True)
    }
    found = []
    for family, links in chosen.items():
        worst = max(links, key=lambda link: abs(carried[link.name] / link.most_bps - 1))
        told = [word for word in worst.name.split(", ") if word not in family.split(", ")]
        name = f"one hop, {family}: {len(links)} links, furthest {' '.join(told)}"
        found.append(Check(name, worst.most_bps, carried[worst.name], "bit/s", BAR))
    return found
