"""A scenario with every default filled in, which a notebook shows as a map and a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from multihop import engine, hearing, markup
from multihop.extras import has
from multihop.foreign import in_html, line
from multihop.nodes import Nodes
from multihop.overriding import overrides_of, reading_for, settings_of
from multihop.reading import Reading
from multihop.results import title_of
from multihop.scenario import ScenarioSource, load

_MOST_NODES = 400


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
        """The nodes, who receives whom, and the flows whose ends are known."""
        nodes = len(hearing.of_scenario(self._tables).ways)
        if nodes > _MOST_NODES or not has("report"):
            return f"<p>{nodes:,} nodes</p>"
        from multihop.draw import plan_figure, rendered  # Matplotlib takes 0.3 s to import

        return markup.narrowing(rendered(plan_figure(self), "svg").decode())
