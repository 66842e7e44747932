"""`multihop run`: one scenario, one seed or several."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import multihop
from multihop.cli import progress
from multihop.cli.failures import check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    say_load,
    say_overridden,
    say_warnings,
    scenario_argument,
    seed_option,
    watch_options,
    workers_option,
)
from multihop.events import Watch
from multihop.files import write_atomically
from multihop.pcap import SNAP_BYTES, Pcap

if TYPE_CHECKING:
    from multihop.bound import Bound
    from multihop.results import Result

MOST_SNAP_BYTES = 2**31 - 1
"""The largest that readers of captures take for a length."""


def snap_bytes(_ctx: click.Context, _option: click.Parameter, value: str | None) -> int | None:
    """How much of a frame is kept, 0 for all."""
    if value is None or value == "full":
        return None if value is None else 0
    if not (value.isascii() and value.isdigit() and int(value) <= MOST_SNAP_BYTES):
        raise click.BadParameter(f"must be full or 0 to {MOST_SNAP_BYTES} (got {value})")
    return int(value)


def split_names(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> tuple[str, ...]:
    """Split names of schemes at commas; each once."""
    if value is None:
        return ()
    names = tuple(name.strip() for name in value.split(","))
    if not all(names):
        raise click.BadParameter(f"{value!r}: must be names joined by commas")
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.BadParameter(f"{twice[0]!r} appears twice")
    return names


@click.command(
    epilog=ends_with(
        "docs/use/results.md",
        "run six-hops",
        "run mesh.toml --seeds 20",
        "run mesh.toml --schemes aodv,dcar,mine.py:Mine --seeds 20",
        "run mesh.toml --routing dsr --set transport.window_segments=32 --json -",
        "run mesh.toml --trace events.parquet --from 20 --to 40",
        "run mesh.toml --pcap run.pcapng",
        "run mesh.toml --perfetto timeline.pftrace --flow 0",
        "run mesh.toml --bound",
    )
)
@scenario_argument
@seed_option
@click.option("schemes", "--schemes", metavar="NAME,NAME...", callback=split_names,
    help="Run each of these schemes on the same networks: a row each, with ratios to the first.",
)  # fmt: skip
@click.option("--seeds", type=click.IntRange(2), metavar="N", help="Run N seeds from --seed on.")
@choice_options
@click.option("-v", "--verbose", is_flag=True, help="Print the counters of MAC and routing too.")
@click.option("json_file", "--json", metavar="FILE", help="Write the result as JSON; - prints it.")
@click.option("series_file", "--series", metavar="FILE.csv", help="Write each flow over time.")
@click.option(
    "--series-interval", type=click.FloatRange(0, min_open=True), default=0.1, show_default=True,
    metavar="SECONDS", help="Interval of --series and --queue.",
)  # fmt: skip
@click.option(
    "queues", "--queue", type=click.IntRange(0), multiple=True, metavar="NODE",
    help="Record this node's interface queue; may be repeated.",
)  # fmt: skip
@click.option("trace_file", "--trace", metavar="FILE.parquet", help="Write the record of events.")
@click.option("perfetto_file", "--perfetto", metavar="FILE.pftrace",
    help="Write a timeline for ui.perfetto.dev.",
)  # fmt: skip
@click.option("pcap_file", "--pcap", metavar="FILE.pcapng",
    help="Write a packet capture, for Wireshark.",
)  # fmt: skip
@click.option("snap", "--snap", metavar="BYTES", callback=snap_bytes,
    help=f"Keep this much of each frame of --pcap, or full.  [default: {SNAP_BYTES}]",
)  # fmt: skip
@click.option("with_bound", "--bound", is_flag=True,
    help="Show beside each flow what the best total would give it.",
)  # fmt: skip
@watch_options
@workers_option
def run(
    scenario: str,
    choice: Choice,
    seed: int | None,
    seeds: int | None,
    schemes: tuple[str, ...],
    verbose: bool,
    json_file: str | None,
    series_file: str | None,
    series_interval: float,
    queues: tuple[int, ...],
    trace_file: str | None,
    perfetto_file: str | None,
    pcap_file: str | None,
    snap: int | None,
    with_bound: bool,
    watch: Watch | None,
    workers: int | None,
) -> None:
    """Simulate SCENARIO, a file or an example's name, and print each flow's results."""
    if schemes:
        from multihop.cli.schemes import run_schemes

        others = [series_file, queues, trace_file, perfetto_file, pcap_file, with_bound, watch]
        run_schemes(scenario, schemes, choice, seed, seeds or 1, workers, json_file, any(others))
        return
    check_folders(json_file, series_file, trace_file, perfetto_file, pcap_file)
    records = {"--trace": trace_file, "--perfetto": perfetto_file, "--pcap": pcap_file}
    asked = [option for option, file in records.items() if file]
    if seeds is not None and asked:
        raise click.UsageError(f"{asked[0]} records one run: leave --seeds out")
    if watch is not None and not asked:
        raise click.UsageError(
            "--from, --to, --node and --flow go with --trace, --perfetto or --pcap"
        )
    if with_bound and seeds is not None:
        raise click.UsageError("--bound is of one network: leave --seeds out")
    if snap is not None and not pcap_file:
        raise click.UsageError("--snap goes with --pcap")
    options: dict[str, Any] = {
        **choice.laid,
        "series": series_interval if series_file or queues else None,
        "queues": queues or None,
    }
    if trace_file or perfetto_file:
        options["events"] = watch or True
    if pcap_file:
        kept = SNAP_BYTES if snap is None else snap or None
        options["pcap"] = Pcap(pcap_file, watch or Watch(), kept)
    say_overridden(scenario, choice)
    with naming(scenario, choice.options):
        say_load(scenario, choice, seed)
        if seeds is None:
            with progress.share("running") as report:
                results = [multihop.run(scenario, seed=seed, progress=report, **options)]
        else:
            results = _run_seeds(scenario, seed, seeds, workers, options)
    if trace_file:
        from multihop import traces

        write_atomically(Path(trace_file), traces.to_parquet(results[0]))
    if perfetto_file:
        results[0].write_perfetto(perfetto_file)
    found = None
    if with_bound:
        from multihop.bound import bound

        with naming(scenario, choice.options):
            found = bound(scenario, seed=seed, **choice.laid)
    _report(results, json_file, series_file, verbose, found)


def _run_seeds(
    scenario: str, seed: int | None, seeds: int, workers: int | None, options: dict[str, Any]
) -> list[Result]:
    with progress.counted("running", seeds) as advance:
        first = multihop.run(scenario, seed=seed, **options)
        rest = range(first.seed + 1, first.seed + seeds)
        advance(first)
        return [
            first,
            *multihop.run_many(scenario, seeds=rest, workers=workers, finished=advance, **options),
        ]


def _report(
    results: Sequence[Result],
    json_file: str | None,
    series_file: str | None,
    verbose: bool,
    found: Bound | None,
) -> None:
    say_warnings(text for result in results for text in result.warnings)
    if series_file:
        write_atomically(Path(series_file), _series_csv(results))
    single = len(results) == 1
    content: dict[str, Any] = {"runs": [result.json for result in results]}
    if single:
        content = {**results[0].json, **({} if found is None else {"bound": found.json})}
    if json_file == "-":
        sys.stdout.write(json.dumps(content) + "\n")
        return
    if json_file:
        write_atomically(Path(json_file), json.dumps(content) + "\n")
    from multihop.cli import tables
    from multihop.cli.terminal import marked

    if single:
        rates = {} if found is None else {flow.id: flow.rate_bps for flow in found.flows}
        out = tables.console()
        tables.show_result(results[0], out, verbose=verbose, bound_bps=rates)
        if found is not None and found.total_bps > 0:
            from multihop.bound.share import carried_bps

            share = carried_bps(results[0].json, found.span_s) / found.total_bps
            out.print(
                marked(
                    f" [bold]bound   [/] {share:.1%} of {found.total_bps / 1e3:.1f} kbit/s, which "
                    f"no run of this network can exceed (gap {found.gap:.1%})"
                )
            )
            if found.exception:
                out.print(f"         {found.exception}")
    else:
        tables.show_results(results, tables.console(), verbose=verbose)


def _series_csv(results: Sequence[Result]) -> str:
    import polars as pl

    if len(results) == 1:
        return results[0].series.write_csv()
    parts = [result.series.with_columns(seed=pl.lit(result.seed)) for result in results]
    return pl.concat(parts).write_csv()
