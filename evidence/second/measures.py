"""What several of the second ways measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Settings = dict[str, Any]
"""Tables of a scenario."""


def goodput(least: int, most: int) -> Callable[[Mapping[str, Any]], float | None]:
    """Sum of the goodputs of connections between so many hops, in bit/s; none without any."""

    def measured(run: Mapping[str, Any]) -> float | None:
        flows = [f["goodput_bps"] for f in run["flows"] if least <= f["shortest_hops"] <= most]
        return sum(flows) if flows else None

    return measured
