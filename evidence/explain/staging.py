"""What stages of `explain.stages` are made of."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Point = tuple[float, float]


@dataclass(frozen=True)
class Stage:
    """A scenario in which a flow is silent for one known cause."""

    scenario: dict[str, Any]
    flow: int = 0
    from_s: float = 0.0
    to_s: float | None = None
    """The silence is the longest that ends after the one time and begins before the other."""
    movement: str = ""
    """Movement in the format of setdest, if nodes move."""
    gains_db: Mapping[tuple[int, int], float] = field(default_factory=dict)
    """Gains from one node to another, if they are measured."""

    def written(self, folder: Path) -> dict[str, Any]:
        """The scenario, with the files that it names in a folder."""
        made = self.scenario
        if self.movement:
            made = made | _moved(made, self.movement, folder)
        if self.gains_db:
            file = folder / "gains.csv"
            rows = [f"{a},{b},{gain}" for (a, b), gain in self.gains_db.items()]
            file.write_text("\n".join(["from,to,gain_db", *rows]) + "\n")
            made = made | {"radio": made["radio"] | {"file": str(file)}}
        return made


Build = Callable[[random.Random], Stage]


def network(
    draw: random.Random, places: list[Point], flows: list[dict[str, Any]], **tables: Any
) -> dict[str, Any]:
    """Nodes at these places with these flows, for 30 s."""
    return {
        "title": "a stage",
        "duration_s": 30,
        "seed": draw.randrange(1, 10_000),
        "topology": {"kind": "positions", "positions_m": [list(place) for place in places]},
        "link": {"arp": tables.get("routing", {}).get("scheme") == "dsr"},
        "transport": {"scheme": draw.choice(["reno", "newreno"]), "window_segments": 8},
        "flows": flows,
        **tables,
    }


def chain(draw: random.Random, hops: int) -> list[Point]:
    """Places in a row, each in reach of the next alone."""
    spacing = draw.uniform(150, 240)
    return [(node * spacing, 0.0) for node in range(hops + 1)]


def ftp(source: int, destination: int, start_s: float) -> dict[str, Any]:
    """A file without an end."""
    return {"kind": "ftp", "source": source, "destination": destination, "start_s": start_s}


def cbr(
    source: int, destination: int, start_s: float, rate_bps: float, size: int = 512
) -> dict[str, Any]:
    """Datagrams at a steady rate."""
    ends = {"kind": "cbr", "source": source, "destination": destination, "start_s": start_s}
    return ends | {"rate_bps": rate_bps, "packet_bytes": size}


def _moved(scenario: dict[str, Any], movement: str, folder: Path) -> dict[str, Any]:
    """The topology and mobility of a scenario whose nodes move as told."""
    places = scenario["topology"]["positions_m"]
    lines = [
        f"$node_({node}) set {axis}_ {value}"
        for node, (x, y) in enumerate(places)
        for axis, value in (("X", x), ("Y", y), ("Z", 0.0))
    ]
    file = folder / "movement.tcl"
    file.write_text("\n".join(lines) + "\n" + movement)
    return {
        "topology": {"kind": "setdest", "file": str(file), "nodes": len(places),
                     "area_m": [2000, 1000]},
    }  # fmt: skip
