"""Air times of PHYs, from the standard's tables, for the closed forms: nothing of the engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

IP_HEADER_BYTES = 20
MAC_OVERHEAD_BYTES = {"ns2": 34, "standard": 28}
LEGACY_SYMBOL_S = 4e-6
"""Of OFDM's control frames, whatever the data have."""
_TINY = 1e-6
"""What rounding leaves."""


@dataclass(frozen=True)
class Phy:
    """Times of a PHY with a rate for data and one for control frames."""

    name: str
    mac: Mapping[str, Any]
    """The scenario's keys."""
    slot_s: float
    sifs_s: float
    cw_min: int
    preamble_s: float
    data_bps: float
    control_bps: float
    """Of RTS, and of frames that others answer or wait for."""
    response_bps: float
    """Of CTS and ACK."""
    slowest_ack_s: float
    """An ACK at the lowest rate that every station has, for which EIFS allows."""
    symbol_s: float = 0.0
    """OFDM's symbol; 0 where bits are sent one by one."""
    legacy_preamble_s: float | None = None
    """Of control frames, where it is another one than that of data."""
    silence_s: float = 0.0
    """After the last symbol, in the 2.4 GHz band."""

    @property
    def difs_s(self) -> float:
        """DCF's interframe space."""
        return self.sifs_s + 2 * self.slot_s

    @property
    def eifs_s(self) -> float:
        """What is waited after a frame that was not received."""
        return self.sifs_s + self.difs_s + self.slowest_ack_s

    def control_s(self, size: int, rate_bps: float) -> float:
        """Air time of a control frame."""
        preamble = self.preamble_s if self.legacy_preamble_s is None else self.legacy_preamble_s
        symbol = LEGACY_SYMBOL_S if self.symbol_s else 0.0
        return preamble + self._payload_s(size, rate_bps, symbol) + self.silence_s

    def data_s(self, payload_bytes: int, profile: str = "standard") -> float:
        """Air time of a data frame with a UDP payload."""
        return self.frame_s(payload_bytes + IP_HEADER_BYTES + MAC_OVERHEAD_BYTES[profile])

    def frame_s(self, size: int) -> float:
        """Air time of so many bytes of the MAC at the rate of data."""
        payload = self._payload_s(size, self.data_bps, self.symbol_s)
        return self.preamble_s + payload + self.silence_s

    def _payload_s(self, size: int, rate_bps: float, symbol_s: float) -> float:
        if not symbol_s:
            return math.ceil(8e6 * size / rate_bps - _TINY) * 1e-6
        # Service and tail bits, then whole symbols, which end as those of 4 µs would.
        symbols = math.ceil((16 + 8 * size + 6) / round(rate_bps * symbol_s))
        return math.ceil(symbols * symbol_s / LEGACY_SYMBOL_S - _TINY) * LEGACY_SYMBOL_S


DSSS = Phy("802.11, 2 Mbit/s", {}, 20e-6, 10e-6, 31, 192e-6, 2e6, 1e6, 1e6, 304e-6)
"""The papers' radio."""


def hr_dsss(mbps: float, preamble: str, basic_mbps: int = 1) -> Phy:
    """Return 802.11b at this rate, with a `long` or `short` preamble."""
    return Phy(
        f"802.11b, {mbps:g} Mbit/s, {preamble} preamble",
        {
            "phy": "802.11b",
            "data_rate_bps": mbps * 1e6,
            "preamble": preamble,
            "basic_rate_bps": basic_mbps * 1e6,
        },
        slot_s=20e-6,
        sifs_s=10e-6,
        cw_min=31,
        preamble_s=96e-6 if preamble == "short" else 192e-6,
        data_bps=mbps * 1e6,
        control_bps=basic_mbps * 1e6,
        response_bps=basic_mbps * 1e6,
        slowest_ack_s=304e-6,
    )


def ofdm(phy: str, mbps: int) -> Phy:
    """Return 802.11a or 802.11g at this rate."""
    is_g = phy == "802.11g"
    return Phy(
        f"{phy}, {mbps} Mbit/s",
        {"phy": phy, "data_rate_bps": mbps * 1e6},
        slot_s=9e-6,
        sifs_s=10e-6 if is_g else 16e-6,
        cw_min=15,
        preamble_s=20e-6,
        data_bps=mbps * 1e6,
        control_bps=6e6,
        response_bps=_answering_bps(mbps),
        # 802.11g knows 1 Mbit/s.
        slowest_ack_s=304e-6 if is_g else 44e-6,
        symbol_s=LEGACY_SYMBOL_S,
        silence_s=6e-6 if is_g else 0.0,
    )


_HT_BITS = {20: (26, 52, 78, 104, 156, 208, 234, 260), 40: (54, 108, 162, 216, 324, 432, 486, 540)}
"""Data bits of a symbol, one stream, by the channel's width in MHz (802.11n-2009, 20.6)."""
_HT_REFERENCE_MBPS = (6, 12, 18, 24, 36, 48, 54, 54)
"""The rate of 802.11a with the same modulation and code, or the nearest."""


def ht(mcs: int, channel_mhz: int = 20, guard_interval: str = "long") -> Phy:
    """Return 802.11n in the 5 GHz band, MCS 0 to 15."""
    streams, scheme = mcs // 8 + 1, mcs % 8
    symbol_s = 3.6e-6 if guard_interval == "short" else LEGACY_SYMBOL_S
    data_bps = _HT_BITS[channel_mhz][scheme] * streams / symbol_s
    return Phy(
        f"802.11n, {channel_mhz} MHz, {guard_interval} guard interval, MCS {mcs}",
        {
            "phy": "802.11n",
            "mcs": mcs,
            "streams": streams,
            "channel_mhz": channel_mhz,
            "guard_interval": guard_interval,
        },
        slot_s=9e-6,
        sifs_s=16e-6,
        cw_min=15,
        # That of 802.11a, SIGNAL of 8 µs, training of 4 µs and of 4 µs a stream.
        preamble_s=(20 + 8 + 4 + 4 * streams) * 1e-6,
        data_bps=data_bps,
        control_bps=6e6,
        response_bps=_answering_bps(_HT_REFERENCE_MBPS[scheme]),
        slowest_ack_s=44e-6,
        symbol_s=symbol_s,
        legacy_preamble_s=20e-6,
    )


def _answering_bps(mbps: int) -> float:
    """The highest basic rate of OFDM that is not above `mbps`."""
    return max(basic for basic in (6e6, 12e6, 24e6) if basic <= mbps * 1e6)


TODAY = (
    hr_dsss(11, "short", basic_mbps=2),
    ofdm("802.11a", 24),
    ofdm("802.11a", 54),
    ofdm("802.11g", 54),
    ht(7),
)
"""Radios of today."""
