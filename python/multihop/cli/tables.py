"""Results as tables for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from multihop.cli import terminal
from multihop.cli.terminal import marked
from multihop.foreign import line, shown
from multihop.result_types import FlowReport, VoiceReport
from multihop.results import (
    Result,
    called,
    ends_of,
    is_udp,
    kind_of,
    label,
    numbered,
    numbers,
    schemes_of,
    title_of,
)
from multihop.scenario import Tables

if TYPE_CHECKING:
    from multihop.statistics import Estimate

Cell = str | Text
"""What stands in a table: text as it is, or with marks of our own."""

_BETWEEN = 2
"""Blanks between columns."""
_LEAST_WRAPPED = 14
"""A column that may wrap keeps so many characters."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table that has to fit into the terminal."""

    name: str
    rank: int = 0
    """Those of the highest rank are left out first; those of rank 0 never."""
    left: bool = False
    wraps: bool = False
    """Whether its cells may take several lines."""


def console() -> Console:
    """Return standard output; tables keep their full width when it is not a terminal."""
    out = terminal.console()
    return out if out.is_terminal else terminal.console(width=160)


def table(title: str | None, columns: Sequence[str | Column], *, left: int = 1) -> Table:
    """Make an empty table, the first `left` columns flush left and the others flush right."""
    made = _Titled(
        title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left",
        title_style="bold",
    )  # fmt: skip
    for index, column in enumerate(columns):
        told = Column(column, left=index < left) if isinstance(column, str) else column
        justify: Literal["left", "right"] = "left" if told.left else "right"
        made.add_column(told.name, justify=justify, no_wrap=not told.wraps, overflow="fold")
    return made


class _Titled(Table):
    """A table below its title, which may be wider: that of Rich wraps where the table ends."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        title, self.title = self.title, None
        try:
            if isinstance(title, str):
                yield console.render_str(title, style=self.title_style or "")
            yield from super().__rich_console__(console, options)
        finally:
            self.title = title


_COUNTERS: dict[str, Callable[[Result], Mapping[str, object]]] = {
    "mac": lambda result: result.mac,
    "routing": lambda result: result.routing,
    "queue": lambda result: result.queue,
}
"""The counters shown, by the name they are shown under."""


def fitted(
    title: str | None, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int
) -> tuple[Table, list[str]]:
    """A table within `width`: headings wrap, then columns are left out by rank.

    Returns the table and the names of what was left out. A row shorter than the columns, such as
    one of totals, is filled up; an empty one draws a line.
    """
    filling = [""] * len(columns)
    rows = [[*map(_in_line, row), *filling[len(row) :]] if row else row for row in rows]
    cells = [[row[i] for row in rows if row] for i in range(len(columns))]
    kept, named = list(range(len(columns))), list(columns)
    if _width(named, cells, kept) > width:
        named = [replace(column, name="\n".join(column.name.split(" "))) for column in columns]
    while _width(named, cells, kept) > width:
        least = max(kept, key=lambda i: (columns[i].rank, i))
        if columns[least].rank == 0:
            break
        kept.remove(least)
    made = table(title, [named[i] for i in kept])
    for row in rows:
        if row:
            made.add_row(*(row[i] for i in kept))
        else:
            made.add_section()
    return made, [column.name for i, column in enumerate(columns) if i not in kept]


def show(
    title: str | None,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    out: Console,
    *,
    elsewhere: str = "a wider terminal, or --json",
) -> None:
    """Print a table that fits; name the columns that did not, and where they are."""
    made, without = fitted(title, columns, rows, out.width)
    out.print(made)
    if without:
        out.print(f" For {', '.join(without)}: {elsewhere}.")


_FLOW_COLUMNS = (
    Column("flow", left=True), Column("kind", 6, left=True), Column("path", left=True),
    Column("shortest hops", 7), Column("goodput kbit/s"), Column("delivered", 1),
    Column("sent", 5), Column("retransmits", 3), Column("timeouts", 2),
    Column("mean delay s", 4), Column("mean hops", 8),
)  # fmt: skip


def show_result(
    result: Result,
    out: Console,
    *,
    verbose: bool = False,
    bound_bps: Mapping[int, float] | None = None,
) -> None:
    """Print one run; `verbose` adds the counters of MAC and routing, `bound_bps` flows' bounds."""
    groups = _groups(result)
    bounds = bound_bps or {}
    has_files = any(flow["kind"] == "file" for flow in result.json["flows"])
    rows = [
        [
            numbered(flow["id"], flow.get("name")),
            kind_of(flow),
            ends_of([flow], result.nodes),
            _cell(flow.get("shortest_hops")),
            _cell(flow["goodput_bps"] / 1e3, 1),
            _cell(_delivered(flow)),
            _cell(flow.get("sent_segments", flow.get("sent_packets"))),
            _cell(flow.get("retransmits")),
            _cell(flow.get("timeouts")),
            _cell(flow.get("mean_delay_s"), 3),
            _cell(flow.get("mean_hops"), 2),
            *([_completion(flow)] if has_files else []),
            *([_cell(bounds[flow["id"]] / 1e3, 1)] if flow["id"] in bounds else []),
        ]
        if "arrival" not in flow
        else [
            _counted(flow, str(len(group))),
            kind_of(flow),
            ends_of(group, result.nodes),
            "",
            _cell(sum(one["goodput_bps"] for one in group) / len(group) / 1e3, 1),
            _cell(sum(_delivered(one) for one in group)),
            _cell(sum(one["sent_segments"] for one in group)),
            _cell(sum(one["retransmits"] for one in group)),
            _cell(sum(one["timeouts"] for one in group)),
        ]
        for group in groups.values()
        for flow in group[:1]
    ]
    columns = [
        *_FLOW_COLUMNS,
        *([Column("completion s", 1)] if has_files else []),
        *([Column("bound kbit/s")] if bounds else []),
    ]
    show(_title(result.scenario, f"seed {result.seed}"), columns, rows, out)
    _show_applications(([group] for group in groups.values()), out)
    for section in ("mac", "routing", "queue") if verbose else ("queue",):
        _show_counters(section, numbers(_COUNTERS[section](result)), out)
    if result.reading is not None:
        _show_line("reading", result.reading, out)
    engine = result.json["engine"]
    _show_line("engine", f"{engine['events']:,} events in {engine['wall_s']:.2f} s", out)
    for node, packets in _queues(result).items():
        mean = sum(packets) / len(packets)
        _show_line("queue", f"node {result.nodes(node)}: mean {mean:.2f}, most {max(packets)}", out)


_MEAN_COLUMNS = (
    Column("flow", left=True), Column("kind", 3, left=True), Column("path", left=True),
    Column("goodput kbit/s"), Column("delivered", 1), Column("timeouts", 2),
)  # fmt: skip


def show_results(results: Sequence[Result], out: Console, *, verbose: bool = False) -> None:
    """Print means and 95 % intervals over runs that differ in the seed."""
    from multihop.statistics import mean_interval  # NumPy and SciPy take 0.2 s to import

    first = results[0]
    note = f"{len(results)} seeds from {first.seed}, mean ± half of the 95 % interval"
    rows: list[list[str]] = []
    by_seed = [_groups(result) for result in results]
    # A Poisson process may bring no flow with some seed.
    keys = dict.fromkeys(key for groups in by_seed for key in groups)
    by_row = [[groups[key] for groups in by_seed if key in groups] for key in keys]
    for runs in by_row:
        flow = runs[0][0]
        goodputs = [sum(one["goodput_bps"] for one in run) / len(run) / 1e3 for run in runs]
        rows.append(
            [
                _numbered_in(runs) if "arrival" not in flow else _counted(flow, "many"),
                kind_of(flow),
                ends_of([one for run in runs for one in run], first.nodes),
                plus_minus(mean_interval(goodputs), 1),
                plus_minus(mean_interval([sum(map(_delivered, run)) for run in runs])),
                plus_minus(mean_interval([sum(one["timeouts"] for one in run) for run in runs]), 1)
                if "timeouts" in flow
                else "",
            ]
        )
    # Flows that come and go have no rate together: each has its own over a life of its own.
    if len(first.json["flows"]) > 1 and not any("arrival" in f for f in first.json["flows"]):
        totals = [sum(f["goodput_bps"] for f in result.json["flows"]) / 1e3 for result in results]
        rows += [[], ["all", "", "", plus_minus(mean_interval(totals), 1)]]
    show(_title(first.scenario, note), _MEAN_COLUMNS, rows, out)
    _show_applications(by_row, out)
    if first.reading is not None:
        _show_line("reading", first.reading, out)
    for section in ("mac", "routing", "queue") if verbose else ("queue",):
        counters = _COUNTERS[section]
        means = {
            key: sum(numbers(counters(result))[key] for result in results) / len(results)
            for key in counters(first)
        }
        _show_counters(section, means, out)


def _numbered_in(runs: Sequence[Sequence[FlowReport]]) -> str:
    """A flow's number and name in several runs; a number only if it has one in all of them."""
    first = runs[0][0]
    is_one = len({flow["id"] for run in runs for flow in run}) == 1
    name = first.get("name")
    return numbered(first["id"], name) if is_one else name or "varies"


def _completion(flow: FlowReport) -> str:
    """How long a file took [s]; that it did not arrive."""
    return _cell(flow.get("completion_s"), 3) or ("never" if flow["kind"] == "file" else "")


def _counted(flow: FlowReport, count: str) -> str:
    """How many flows are of this one's table, with its name if it has one."""
    name = flow.get("name")
    return f"{count} flows" if name is None else f"{count} × {name}"


def _groups(result: Result) -> dict[tuple[str, int], list[FlowReport]]:
    """The flows of each row: one, or all of a kind and name that arrive by a Poisson process."""
    groups: dict[tuple[str, int], list[FlowReport]] = {}
    for flow in result.json["flows"]:
        place = -1 if "arrival" in flow else sum(place >= 0 for _, place in groups)
        groups.setdefault((label(flow), place), []).append(flow)
    return groups


def _show_applications(rows: Iterable[Sequence[Sequence[FlowReport]]], out: Console) -> None:
    """What users waited for, and how calls were: of the flows of each row, in each run."""
    for runs in rows:
        first = runs[0][0]
        is_one = len({flow["id"] for run in runs for flow in run}) == 1
        told = called(first) if is_one else label(first)
        times = [
            [time for flow in run if "transfers" in flow for time in flow["transfers"]["time_s"]]
            for run in runs
        ]
        # The table of one run has the time of a file that is sent once.
        if any(times) and not (len(runs) == 1 and is_one and first["kind"] == "file"):
            _show_line("times", f"{told}: {_times(times)}", out)
        calls = [flow for run in runs for flow in run if "voice" in flow]
        if len(runs) == 1:
            for flow in calls:
                _show_line("voice", f"{called(flow)}: {_score([[flow['voice']]])}", out)
        elif calls:
            scores = [[flow["voice"] for flow in run if "voice" in flow] for run in runs]
            _show_line("voice", f"{told}: {_score(scores)}", out)


def _times(runs: Sequence[Sequence[float | None]]) -> str:
    """How long the transfers of each run took."""
    done = [sorted(time for time in times if time is not None) for times in runs]
    found = [times for times in done if times]
    some = "" if len(found) == len(runs) else f" ({len(found)} of {len(runs)} seeds)"
    if len(runs) > 1 and all(len(times) == 1 for times in runs):
        took = f", in {_mean([times[0] for times in found], 3)} s" if found else ""
        return f"complete with {len(found)} of {len(runs)} seeds{took}"
    said = f"{_number(map(len, done))} of {_number(map(len, runs))} complete"
    if not found:
        return said
    spread = {
        "mean": [sum(times) / len(times) for times in found],
        "median": [times[(len(times) - 1) // 2] for times in found],
        "95 %": [times[math.ceil(0.95 * len(times)) - 1] for times in found],
    }
    named = [f"{name} {_mean(values, 3)} s" for name, values in spread.items()]
    return f"{said}; {', '.join(named)}{some}"


def _number(counts: Iterable[int]) -> str:
    """Counts, as one number if they are one."""
    numbers = [*counts]
    return _mean(numbers, digits=0 if len({*numbers}) == 1 else 1)


def _score(runs: Sequence[Sequence[VoiceReport]]) -> str:
    """How the calls of each run were."""
    runs = [calls for calls in runs if calls]

    def mean(key: Literal["mos", "r_factor", "loss", "jitter_s"], digits: int, by: float) -> str:
        return _mean([by * sum(call[key] for call in calls) / len(calls) for calls in runs], digits)

    return (
        f"MOS {mean('mos', 2, 1)}, R {mean('r_factor', 1, 1)}, {mean('loss', 1, 100)} % not "
        f"played, jitter {mean('jitter_s', 1, 1e3)} ms"
    )


def _mean(values: Sequence[float], digits: int = 0) -> str:
    """The mean with its interval; a value that does not vary alone."""
    if len({*values}) == 1:
        return f"{values[0]:,.{digits}f}"
    from multihop.statistics import mean_interval  # NumPy and SciPy take 0.2 s to import

    return plus_minus(mean_interval(values), digits)


def plus_minus(found: Estimate, digits: int = 0) -> str:
    """Write `mean ± half-width`, or the mean alone for a single value."""
    mean = f"{found.value:,.{digits}f}"
    return mean if found.networks < 2 else f"{mean} ± {found.half_width:,.{digits}f}"


def _show_counters(section: str, counters: Mapping[str, float], out: Console) -> None:
    """All counters that are not 0: most schemes leave many of them at that."""
    pairs = [
        f"{key.replace('_', ' ')} {value:,.2f}"
        if key.startswith("mean")
        else f"{key.replace('_', ' ')} {value:,.0f}"
        for key, value in counters.items()
        if value
    ]
    rest = (
        "" if len(pairs) == len(counters) else "all other counters 0" if pairs else "all counters 0"
    )
    _show_line(section, ", ".join([*pairs, *filter(None, [rest])]), out)


def _show_line(head: str, text: str, out: Console) -> None:
    """A line with a bold head; further lines of it hang below the text."""
    first, *others = textwrap.wrap(text, max(20, out.width - 10), break_on_hyphens=False) or [""]
    begun = marked(f" [bold]{head:8}[/]").append(shown(first))
    out.print(begun, *(f"{'':9}{other}" for other in others), sep="\n")


def _in_line(cell: Cell) -> Cell:
    return line(cell, None) if isinstance(cell, str) else cell


def _width(columns: Sequence[Column], cells: Sequence[Sequence[Cell]], kept: Iterable[int]) -> int:
    """Width of a table with the columns `kept`."""
    return 1 + sum(_column_width(columns[i], cells[i]) + _BETWEEN for i in kept)


def _column_width(column: Column, cells: Sequence[Cell]) -> int:
    heading = max(map(cell_len, column.name.split("\n")))
    longest = max((cell_len(str(cell)) for cell in cells), default=0)
    return max(heading, min(longest, _LEAST_WRAPPED) if column.wraps else longest)


def _queues(result: Result) -> dict[int, list[int]]:
    """The packets in each queue that was recorded, over time."""
    found: dict[int, list[int]] = {}
    if (series := result.json.get("series")) is not None:
        queues = series["queues"]
        for node, packets in zip(queues["node"], queues["packets"], strict=True):
            found.setdefault(node, []).append(packets)
    return found


def _delivered(flow: FlowReport) -> int:
    """Segments or packets that reached the destination, in order for TCP."""
    return int(flow["received_packets"] if is_udp(flow) else flow["delivered_segments"])


def _title(scenario: Tables, note: str) -> str:
    return f"{title_of(scenario)}: {schemes_of(scenario)}; {note}"


def _cell(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"
