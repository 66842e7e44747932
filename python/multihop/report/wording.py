"""Numbers, units and names as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

_NAMES = {
    "backoffs_per_node_s": "backoffs per node and second",
    "discoveries_per_s": "discoveries per second",
    "jain": "Jain's fairness index",
    "cwnd": "congestion window",
    "n_flows": "number of flows",
    "hops": "hops",
    "least_hops": "hops",
    "least_observed_hops": "hops",
    "time_s": "time",
}
_UPPER = {"tcp": "TCP", "udp": "UDP", "acks": "ACKs", "mac": "MAC", "rtt": "RTT",
          "mos": "MOS", "rts": "RTS", "ecn": "ECN", "ack": "ACK"}  # fmt: skip
_UNITS = {
    "s": "s", "m": "m", "mps": "m/s", "bps": "bit/s", "hz": "Hz", "db": "dB", "dbm": "dBm",
    "w": "W", "bytes": "bytes", "segments": "segments", "packets": "packets",
}  # fmt: skip
_LARGEST_KILOBITS = 1e7
_LARGEST_MILLISECONDS = 0.1


def name_of(column: str) -> str:
    """A metric's, axis's or column's name in words, without its unit."""
    if column in _NAMES:
        return _NAMES[column]
    bare = column.removesuffix("_bps").removesuffix("_s").removesuffix("_m")
    return " ".join(_UPPER.get(word, word) for word in bare.split("_"))


def capital(text: str) -> str:
    """`text` with a capital first letter."""
    return text[:1].upper() + text[1:]


def titled(column: str, unit: str) -> str:
    """A name with its unit, as on an axis."""
    name = capital(name_of(column))
    redundant = not unit or unit in name.lower() or unit == "1/s"
    return name if redundant else f"{name} [{unit}]"


def unit_of(key: str | None) -> str:
    """The unit that a key of a scenario is in, by its end; empty for a number or a name."""
    end = (key or "").rpartition("_")[2]
    return _UNITS.get(end, "") if "_" in (key or "") else ""


def scale_of(unit: str, values: Iterable[float | None]) -> tuple[float, str]:
    """The factor that makes values readable, and the unit that they then have."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    if unit == "bit/s":
        return (1e-6, "Mbit/s") if largest >= _LARGEST_KILOBITS else (1e-3, "kbit/s")
    if unit == "s" and 0 < largest < _LARGEST_MILLISECONDS:
        return 1e3, "ms"
    return 1.0, unit


def number(value: float | None, half_width: float | None = None) -> str:
    """A number, to two digits of its interval's half-width, or three of its own."""
    if value is None or not math.isfinite(value):
        return "–"
    measure = abs(value) / 10
    if half_width is not None and math.isfinite(half_width) and half_width > 0:
        measure = half_width
    if measure == 0:
        return "0"
    decimals = min(6, max(0, 1 - math.floor(math.log10(measure))))
    text = f"{value:,.{decimals}f}"
    return f"−{text[1:]}" if text.startswith("-") and text.strip("-0.,") else text.lstrip("-")


def interval(low: float | None, high: float | None) -> str:
    """An interval; empty where there is none."""
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return ""
    half_width = (high - low) / 2
    return f"{number(low, half_width)} to {number(high, half_width)}"


def with_interval(
    value: float | None, low: float | None, high: float | None, least: float | None = None
) -> tuple[str, str]:
    """A value, and its interval with as many decimals; cut at the least that it can be."""
    if low is None or high is None:
        return number(value), ""
    shown = number(value, (high - low) / 2)
    if least is not None:
        low, high = max(low, least), max(high, least)
    return shown, interval(low, high)


def counted(count: int, what: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{count:,} {what if count == 1 else what + 's'}"


def in_order(values: Iterable[Any]) -> list[Any]:
    """Values once each: numbers by size, others as they come."""
    found = [value for value in dict.fromkeys(values) if value is not None]
    if all(isinstance(value, int | float) for value in found):
        return sorted(found)
    try:
        return sorted(found, key=float)
    except ValueError:
        return found
