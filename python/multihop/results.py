"""The result of a run: the engine's JSON, and the same as Polars frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from multihop import engine, markup
from multihop.events import Watch
from multihop.events import frame as event_frame
from multihop.extras import has
from multihop.files import replacing
from multihop.foreign import in_html, line
from multihop.nodes import Nodes
from multihop.result_types import (
    FlowReport,
    MacCounters,
    QueueCounters,
    RoutingCounters,
    RunResult,
)

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from multihop import plots

# Polars takes 0.2 s to import, more than many a run: it is imported where a data frame is made.


class Result:
    """One finished run: `json` holds all of it, see docs/use/results.md; the rest are views.

    It holds the resolved scenario, the seed and the version, so `multihop.run(result.scenario,
    seed=result.seed)` repeats it.
    """

    def __init__(
        self,
        json: RunResult,
        record: engine.Record | pl.DataFrame | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.json = json
        self.watch = watch
        """Which events were recorded, if any."""
        self._record = record

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as resolved: defaults, scheme and overrides filled in."""
        return self.json["scenario"]

    @cached_property
    def nodes(self) -> Nodes:
        """What the nodes are called: `result.nodes(3)` is `church (3)`, or `3` without names."""
        return Nodes.of(self.scenario)

    @property
    def seed(self) -> int:
        """The seed used."""
        return self.json["seed"]

    @property
    def reading(self) -> str | None:
        """The reading that its named scheme ran under, PAPER/NAME; None for none."""
        return self.json.get("reading")

    @property
    def version(self) -> str:
        """The version of the engine that ran."""
        return self.json["version"]

    @property
    def emulation(self) -> dict[str, Any] | None:
        """What an emulation adds: frames, lateness and programs; none of another run."""
        return cast("dict[str, Any] | None", self.json.get("emulation"))

    @property
    def warnings(self) -> list[str]:
        """What to check before trusting the result."""
        return self.json["warnings"]

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row a flow, in the scenario's order."""
        import polars as pl

        return pl.DataFrame(self.json["flows"], infer_schema_length=None)

    @cached_property
    def transfers(self) -> pl.DataFrame:
        """Every file, response, page or message: its flow, bytes, start, and time [s].

        The time is null where the last byte had not arrived by the flow's stop.
        """
        rows = [
            (flow["id"], flow.get("name"), *row)
            for flow in self.json["flows"]
            if (told := flow.get("transfers")) is not None
            for row in zip(told["bytes"], told["start_s"], told["time_s"], strict=True)
        ]
        import polars as pl

        return pl.DataFrame(rows, schema=_TRANSFERS, orient="row")

    @property
    def mac(self) -> MacCounters:
        """Counters of all MACs together."""
        return self.json["mac"]

    @property
    def routing(self) -> RoutingCounters:
        """Counters of all routing agents together."""
        return self.json["routing"]

    @property
    def queue(self) -> QueueCounters:
        """Counters of all interface queues together."""
        return self.json["queue"]

    @cached_property
    def series(self) -> pl.DataFrame:
        """Each flow over time. Empty unless recorded."""
        series = self.json.get("series")
        return _frame(series["flows"] if series else {}, _SERIES)

    @cached_property
    def queues(self) -> pl.DataFrame:
        """The recorded queues over time: packets, and of them routing, acks and data.

        Empty unless recorded.
        """
        series = self.json.get("series")
        return _frame(series["queues"] if series else {}, _QUEUES)

    @cached_property
    def links(self) -> pl.DataFrame:
        """Packets of each flow over each link. Empty unless recorded."""
        return _frame(self.json.get("links", []), _LINKS)

    @cached_property
    def routes(self) -> pl.DataFrame:
        """The same per interval, which begins at time_s. Empty unless recorded."""
        return _frame(self.json.get("routes", []), {"time_s": float, **_LINKS})

    @cached_property
    def paths(self) -> pl.DataFrame:
        """Every path found, in order of time; `nodes` includes both ends. Empty unless recorded."""
        report = self.json["schemes"].get("multipath-aodv")
        return _frame(report.get("paths", []) if report else [], _PATHS)

    @cached_property
    def frames(self) -> pl.DataFrame:
        """Every transmission in order of time. Empty unless recorded."""
        return _frame(self.json.get("frames", []), _FRAMES)

    @cached_property
    def events(self) -> pl.DataFrame:
        """What happened, in order of time; docs/use/events.md has the columns.

        Raises:
            ValueError: no events were recorded.
        """
        import polars as pl

        if isinstance(self._record, pl.DataFrame):
            return self._record
        return event_frame(self._recorded.blocks(), engine.event_words())

    def write_perfetto(self, path: str | Path) -> None:
        """Write what happened as a timeline for ui.perfetto.dev.

        docs/use/timeline.md has its tracks.

        Raises:
            ValueError: no events were recorded.
            OSError: the file can't be written.
        """
        record = self._recorded
        with replacing(Path(path)) as part:
            record.write_perfetto(part)

    @property
    def _recorded(self) -> engine.Record:
        if self._record is None:
            raise ValueError("no events were recorded: pass events=True to multihop.run")
        import polars as pl

        if isinstance(self._record, pl.DataFrame):
            raise ValueError("the events are of a file: a timeline needs the run")
        return self._record

    def plot(self, column: plots.Column = "goodput_bps") -> alt.Chart:
        """Each flow over time, as an Altair chart; needs `series` of `multihop.run`.

        Raises:
            ValueError: no series was recorded, or it has no such column.
            MissingExtraError: the extra `report` is not installed.
        """
        return self._drawn(column)

    def _drawn(self, column: plots.Column, most_points: int | None = None) -> alt.Chart:
        from multihop import plots

        names = {flow["id"]: flow.get("name") for flow in self.json["flows"]}
        told = {flow: numbered(flow, name) for flow, name in names.items() if any(names.values())}
        most = most_points or plots.MOST_POINTS
        return plots.flows_over_time(self.series, column, self._title, self.scenario, told, most)

    @property
    def _title(self) -> str:
        return f"{title_of(self.scenario)}: {schemes_of(self.scenario)}; seed {self.seed}"

    def _repr_html_(self) -> str:
        """The flows as a table; below it the goodput over time, if it was recorded."""
        flows = self.json["flows"]
        is_drawn = self.series.height > len(flows) and has("report")
        rows = [
            [
                markup.swatch(place, flow["id"]) if is_drawn else str(flow["id"]),
                *_cells(flow, self.nodes),
            ]
            for place, flow in enumerate(flows[:_MOST_ROWS])
        ]
        more = f"<p>and {len(flows) - len(rows):,} more flows</p>" if flows[_MOST_ROWS:] else ""
        drawn = self._goodput() if is_drawn else ""
        warned = "".join(f"<p>warning: {in_html(text)}</p>" for text in self.warnings)
        table = markup.table(_HEADS, rows, left=3)
        return f"<b>{in_html(self._title)}</b>{table}{more}{drawn}{warned}"

    def _goodput(self) -> str:
        """Each flow's goodput over time, as SVG."""
        from multihop import rendering

        return markup.narrowing(rendering.svg(self._drawn("goodput_bps", _MOST_POINTS).to_dict()))

    def __repr__(self) -> str:
        title = line(self.scenario.get("title") or "untitled")
        return f"<multihop.Result {title!r} seed={self.seed} flows={len(self.json['flows'])}>"


def numbers(table: Mapping[str, object]) -> Mapping[str, float]:
    """A table of a result from which numbers are taken by names not known before."""
    return cast("Mapping[str, float]", table)


def delivered(flow: FlowReport) -> int:
    """Segments or packets that a flow delivered: acknowledged at the sender; over UDP, received."""
    return flow["received_packets"] if is_udp(flow) else flow["acked_segments"]


def is_udp(flow: FlowReport) -> bool:
    """Whether a flow goes over UDP."""
    return "received_packets" in flow


def title_of(scenario: Mapping[str, Any]) -> str:
    """What a scenario is called, as part of a line."""
    return line(scenario.get("title") or "scenario")


def schemes_of(scenario: Mapping[str, Any]) -> str:
    """Its routing, its transport, and its MAC or what that has in place of the DCF's access."""
    mac = scenario["mac"]
    access = mac.get("access", "dcf")
    named = scenario["routing"]["scheme"], scenario["transport"]["scheme"]
    return ", ".join((*named, mac["scheme"] if access == "dcf" else access))


def label(flow: FlowReport) -> str:
    """What a flow is called: its kind, with the name of its table if it has one."""
    name = flow.get("name")
    told = flow["kind"] if name is None else f"{line(name)} ({flow['kind']})"
    return told if flow.get("answers") is None else f"{told}, answers"


def kind_of(flow: FlowReport) -> str:
    """The kind of a flow, and whether it is the one that carries the answers."""
    return flow["kind"] if flow.get("answers") is None else f"{flow['kind']}, answers"


def called(flow: FlowReport) -> str:
    """What a flow is called in a line: by its number and, if its table has one, its name."""
    return told_flow(flow["id"], flow.get("name"))


def told_flow(number: int, name: str | None) -> str:
    """A flow in a line, by its number and the name of its table, if it has one."""
    return f"flow {number}" if name is None else f"flow {number} ({line(name)})"


def numbered(number: int, name: str | None) -> str:
    """A flow's number in a column of its own, with the name of its table if it has one."""
    return f"{number} {line(name or '')}".rstrip()


def ends_of(runs: Sequence[FlowReport], nodes: Nodes, arrow: str = " → ") -> str:
    """The ends of a flow in these runs; an end that is not the same node in all of them varies."""
    sources, destinations = {run["source"] for run in runs}, {run["destination"] for run in runs}
    return arrow.join(nodes(*end) if len(end) == 1 else "varies" for end in (sources, destinations))


_HEADS = (
    "flow", "kind", "path", "goodput kbit/s", "delivered", "timeouts", "mean delay s", "mean hops",
)  # fmt: skip
_MOST_ROWS = 30
_MOST_POINTS = 320
"""Of the small chart that a notebook shows beside the table."""


def _cells(flow: FlowReport, nodes: Nodes) -> list[str]:
    """A flow's row below `_HEADS`, without its number; as `multihop run` prints it."""
    tcp = not is_udp(flow)
    arrived = flow["delivered_segments"] if tcp else flow["received_packets"]
    delay, hops = flow["mean_delay_s"], flow["mean_hops"]
    return [
        label(flow),
        ends_of([flow], nodes, "\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}"),
        f"{flow['goodput_bps'] / 1e3:,.1f}",
        f"{arrived:,}",
        f"{flow['timeouts']:,}" if tcp else "",
        "" if delay is None else f"{delay:.3f}",
        "" if hops is None else f"{hops:.2f}",
    ]


Columns = dict[str, Any]
"""Names and types of a frame's columns, in order."""

_SERIES: Columns = {
    "flow": int, "time_s": float, "sequence": int, "cwnd": float, "goodput_bps": float,
}  # fmt: skip
_TRANSFERS: Columns = {
    "flow": int, "name": str, "bytes": int, "start_s": float, "time_s": float,
}  # fmt: skip
_QUEUES: Columns = {
    "node": int, "time_s": float, "packets": int, "routing": int, "acks": int, "data": int,
}  # fmt: skip
_LINKS: Columns = {"flow": int, "from": int, "to": int, "packets": int}
_PATHS: Columns = {
    "source": int, "destination": int, "request": int, "path": int, "hops": int,
    "nodes": list[int], "found_s": float, "lost_s": float, "packets": int, "mean_rtt_s": float,
}  # fmt: skip
_FRAMES: Columns = {
    "time_ns": int, "airtime_ns": int, "transmitter": int, "receiver": int, "kind": str,
    "duration_us": int, "notice": str, "packet": str,
}  # fmt: skip


def _frame(data: Sequence[Any] | Mapping[str, Any], columns: Columns) -> pl.DataFrame:
    """Rows, or columns, as a frame of these columns."""
    import polars as pl

    if isinstance(data, Mapping):
        data = {name: data.get(name, []) for name in columns}
    return pl.DataFrame(data, schema=columns)
