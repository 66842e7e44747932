"""Results as tables for people."""

from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from multihop.result_types import FlowReport
from multihop.results import Result, delivered, numbers
from multihop.scenario import Tables
from multihop.statistics import Estimate, mean_interval


def console() -> Console:
    """Return standard output; tables keep their full width when it is not a terminal."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=160)


def table(title: str | None, columns: Sequence[str], *, left: int = 1) -> Table:
    """Make an empty table, the first `left` columns flush left and the others flush right."""
    made = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="left" if index < left else "right", no_wrap=True)
    return made


_COUNTERS: dict[str, Callable[[Result], Mapping[str, object]]] = {
    "mac": lambda result: result.mac,
    "routing": lambda result: result.routing,
    "queue": lambda result: result.queue,
}
"""The counters shown, by the name they are shown under."""


def show_result(result: Result, out: Console) -> None:
    """Print one run."""
    columns = (
        "flow", "kind", "path", "shortest hops", "goodput kbit/s", "delivered", "sent",
        "retransmits", "timeouts", "mean delay s", "mean hops",
    )  # fmt: skip
    flows = table(_title(result.scenario, f"seed {result.seed}"), columns, left=3)
    for flow in result.json["flows"]:
        flows.add_row(
            str(flow["id"]),
            flow["kind"],
            _ends(flow),
            _cell(flow.get("shortest_hops")),
            _cell(flow["goodput_bps"] / 1e3, 1),
            _cell(delivered(flow)),
            _cell(flow.get("sent_segments", flow.get("sent_packets"))),
            _cell(flow.get("retransmits")),
            _cell(flow.get("timeouts")),
            _cell(flow.get("mean_delay_s"), 3),
            _cell(flow.get("mean_hops"), 2),
        )
    out.print(flows)
    for section, counters in _COUNTERS.items():
        _show_counters(section, numbers(counters(result)), out)
    engine = result.json["engine"]
    out.print(f" [bold]{'engine':8}[/]{engine['events']:,} events in {engine['wall_s']:.2f} s")
    for (node,), recorded in result.queues.group_by("node", maintain_order=True):
        packets = recorded["packets"].to_list()
        mean = sum(packets) / len(packets)
        out.print(f" [bold]queue[/]   node {node}: mean {mean:.2f}, most {max(packets)}")


def show_results(results: Sequence[Result], out: Console) -> None:
    """Print means and 95 % intervals over runs that differ in the seed."""
    first = results[0]
    note = f"{len(results)} seeds from {first.seed}, mean ± half of the 95 % interval"
    columns = ("flow", "kind", "path", "goodput kbit/s", "delivered", "timeouts")
    flows = table(_title(first.scenario, note), columns, left=3)
    for index, flow in enumerate(first.json["flows"]):
        runs = [result.json["flows"][index] for result in results]
        flows.add_row(
            str(flow["id"]),
            flow["kind"],
            _ends(flow),
            plus_minus(mean_interval([run["goodput_bps"] / 1e3 for run in runs]), 1),
            plus_minus(mean_interval([delivered(run) for run in runs])),
            plus_minus(mean_interval([run["timeouts"] for run in runs]), 1)
            if "timeouts" in flow
            else "",
        )
    if len(first.json["flows"]) > 1:
        totals = [sum(f["goodput_bps"] for f in result.json["flows"]) / 1e3 for result in results]
        flows.add_section()
        flows.add_row("all", "", "", plus_minus(mean_interval(totals), 1), "", "")
    out.print(flows)
    for section, counters in _COUNTERS.items():
        means = {
            key: sum(numbers(counters(result))[key] for result in results) / len(results)
            for key in counters(first)
        }
        _show_counters(section, means, out)


def plus_minus(found: Estimate, digits: int = 0) -> str:
    """Write `mean ± half-width`, or the mean alone for a single value."""
    mean = f"{found.value:,.{digits}f}"
    return mean if found.networks < 2 else f"{mean} ± {found.half_width:,.{digits}f}"


def _show_counters(section: str, counters: Mapping[str, float], out: Console) -> None:
    pairs = (
        f"{key.replace('_', ' ')} {value:,.2f}"
        if key.startswith("mean")
        else f"{key.replace('_', ' ')} {value:,.0f}"
        for key, value in counters.items()
    )
    out.print(f" [bold]{section:8}[/]" + ", ".join(pairs))


def _title(scenario: Tables, note: str) -> str:
    schemes = (scenario[section]["scheme"] for section in ("routing", "transport", "mac"))
    return f"{scenario.get('title') or 'scenario'}: {', '.join(schemes)}; {note}"


def _ends(flow: FlowReport) -> str:
    return f"{flow['source']} → {flow['destination']}"


def _cell(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"
