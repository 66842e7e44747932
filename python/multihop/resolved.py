"""A scenario with every default filled in, which a notebook shows as a map and a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from multihop import engine, hearing, markup
from multihop.foreign import in_html, line
from multihop.nodes import Nodes
from multihop.overriding import overrides_of, reading_for, settings_of
from multihop.reading import Reading
from multihop.results import title_of
from multihop.scenario import ScenarioSource, load

_MOST_HIGH, _EDGE = 320, 18
_MOST_NODES, _MOST_NUMBERS = 400, 60


class Scenario(Mapping[str, Any]):
    """A checked scenario: its tables, every default filled in. Taken wherever a scenario is."""

    def __init__(
        self,
        scenario: ScenarioSource,
        *,
        scheme: str | None = None,
        reading: str | Reading | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> None:
        """Check a scenario and fill it in; arguments are those of `run`.

        Raises:
            ScenarioError: the scenario can't be run.
        """
        source = load(scenario)
        settings = settings_of(scheme, reading_for(scheme, reading), set)
        overrides = overrides_of(source, scheme, settings)
        self._tables: dict[str, Any] = json.loads(
            engine.resolve(source.text, overrides, syntax=source.syntax)
        )

    def __getitem__(self, key: str) -> Any:
        return self._tables[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def positions(self, *, seed: int | None = None) -> list[tuple[float, float]]:
        """Where the nodes are at first with `seed` [m]."""
        return [(x, y) for (_, x, y), *_ in hearing.of_scenario(self._tables, seed).ways]

    def __repr__(self) -> str:
        return f"Scenario({self._title()}: {'; '.join(self._facts())})"

    def _repr_html_(self) -> str:
        nodes = Nodes.of(self)
        told = f"<p><b>{in_html(self._title())}</b>: {in_html('; '.join(self._facts()))}</p>"
        rows = [
            [
                markup.swatch(number, number),
                " ".join([*map(line, filter(None, [flow.get("name")])), flow["kind"]]),
                " → ".join(
                    nodes(flow[end]) if isinstance(flow[end], int) else flow[end]
                    for end in ("source", "destination")
                ),
                f"{rate:g}/s" if (rate := flow.get("arrivals_per_s")) else str(flow["count"]),
                f"{flow['start_s']:g}",
                f"{flow.get('stop_s', self['duration_s']):g}",
            ]
            for number, flow in enumerate(self["flows"])
        ]
        heads = ["flow", "kind", "path", "count", "start, s", "stop, s"]
        return told + self._map() + markup.table(heads, rows, left=3)

    def _title(self) -> str:
        return title_of(self)

    def _facts(self) -> list[str]:
        radio, mac = self["radio"], self["mac"]
        by_distance = hearing.of_scenario(self._tables).by_distance
        reach = f"{radio['receive_range_m']:g} m at " if by_distance else ""
        flows = sum(flow["count"] for flow in self["flows"] if "arrivals_per_s" not in flow)
        rate = sum(flow.get("arrivals_per_s", 0) for flow in self["flows"])
        arriving = [f"{rate:g} new flows a second"] if rate else []
        moves = "" if self["mobility"]["kind"] == "static" else f", {self['mobility']['kind']}"
        return [
            f"{self['topology']['kind']}{moves}",
            *([f"{flows} {'flow' if flows == 1 else 'flows'}"] if flows else []),
            *arriving,
            f"{self['duration_s']:g} s",
            f"{reach}{mac['data_rate_bps'] / 1e6:g} Mbit/s",
            f"routing {self['routing']['scheme']}",
            f"transport {self['transport']['scheme']}",
            f"MAC {mac['scheme']}",
        ]

    def _map(self) -> str:
        """The nodes, who receives whom, and the flows whose ends are known, as SVG."""
        heard = hearing.of_scenario(self._tables)
        places = [(x, y) for (_, x, y), *_ in heard.ways]
        if len(places) > _MOST_NODES:
            return f"<p>{len(places):,} nodes</p>"
        (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*places, strict=True))
        scale = min(
            (markup.WIDTH - 2 * _EDGE) / max(right - left, 1.0),
            (_MOST_HIGH - 2 * _EDGE) / max(high - low, 1.0),
        )
        drawn = [(_EDGE + (x - left) * scale, _EDGE + (high - y) * scale) for x, y in places]
        links = "".join(f"M{_at(drawn[a])}L{_at(drawn[b])}" for a, b in heard.at(0).pairs())
        flows = "".join(
            f'<path d="M{_at(drawn[flow["source"]])}L{_at(drawn[flow["destination"]])}" '
            f'stroke="{markup.colour(number)}" stroke-width="2" opacity="0.8"/>'
            for number, flow in enumerate(self["flows"])
            if all(isinstance(flow[end], int) for end in ("source", "destination"))
        )
        nodes = "".join(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="currentColor"/>' for x, y in drawn
        )
        named = Nodes.of(self)
        if len(drawn) <= _MOST_NUMBERS:
            nodes += "".join(
                f'<text x="{x + 4:.1f}" y="{y - 4:.1f}" font-size="10" font-family="sans-serif" '
                f'fill="currentColor">{in_html(named.short(node))}</text>'
                for node, (x, y) in enumerate(drawn)
            )
        tall = round((high - low) * scale + 2 * _EDGE)
        size = f'width="{markup.WIDTH}" height="{tall}" viewBox="0 0 {markup.WIDTH} {tall}"'
        return markup.narrowing(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
            f'<path d="{links}" stroke="currentColor" opacity="0.25"/>{flows}{nodes}</svg>'
        )


def _at(place: tuple[float, float]) -> str:
    return f"{place[0]:.1f},{place[1]:.1f}"
