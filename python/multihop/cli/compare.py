"""`multihop compare`: the same scenario on another simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import multihop
from multihop.cli import progress, tables
from multihop.cli.failures import Failure, PeerFailed, PeerMissing, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    say_overridden,
    scenario_argument,
    workers_option,
)
from multihop.cli.streams import write_json
from multihop.cli.tables import Cell, Column
from multihop.cli.terminal import marked
from multihop.peers import TOLERANCE, ns2
from multihop.results import title_of

if TYPE_CHECKING:
    from multihop.peers.comparison import Comparison
    from multihop.results import Result
    from multihop.statistics import Estimate


@click.command(
    epilog=ends_with(
        "evidence/validation.md",
        "compare six-hops --with ns2",
        "compare mesh.toml --with ns2 --seeds 40 --tolerance 5",
        "compare mesh.toml --with ns2 --script",
    )
)
@scenario_argument
@click.option(
    "peer", "--with", type=click.Choice(["ns2"]), required=True, help="The other simulator."
)
@click.option(
    "--seeds", type=click.IntRange(2), default=10, show_default=True, help="Runs on each side."
)
@click.option(
    "--counters/--no-counters", default=True, show_default=True,
    help="Compare frame counts too; ns-2 is slower when it traces.",
)  # fmt: skip
@click.option(
    "--tolerance", type=click.FloatRange(0, min_open=True), metavar="PERCENT",
    default=100 * TOLERANCE, show_default=True,
    help="Say that figures agree only where a difference of so much would have been found.",
)  # fmt: skip
@click.option("--script", is_flag=True, help="Print the peer's script and run nothing.")
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
@choice_options
@workers_option
def compare(
    scenario: str,
    peer: str,
    seeds: int,
    counters: bool,
    tolerance: float,
    script: bool,
    json_file: str | None,
    choice: Choice,
    workers: int | None,
) -> None:
    """Run SCENARIO here and on stock ns-2.35, and say figure by figure whether they agree.

    Exits 0 whatever the verdicts, 1 when the other simulator fails, 3 when it is missing.
    """
    from multihop.peers import comparison  # NumPy takes 0.1 s to import

    check_folders(json_file)
    if not script and ns2.executable() is None:
        raise PeerMissing(ns2.INSTALL_HINT)
    options: dict[str, Any] = choice.laid
    say_overridden(scenario, choice)
    with naming(scenario, choice.options):
        try:
            first = multihop.run(scenario, seed=1, **options)
            defaults = ns2.defaults(first)
            text = ns2.script(first, defaults)
        except ns2.UnsupportedError as error:
            raise Failure(f"{scenario}: {error}") from None
        if script:
            click.echo(text, nl=False)
            return
        with progress.counted("multihop", seeds) as advance:
            advance(first)
            rest = range(2, seeds + 1)
            ours = [
                first,
                *multihop.run_many(
                    scenario, seeds=rest, workers=workers, finished=advance, **options
                ),
            ]
    with progress.counted(peer, seeds) as advance:
        try:
            theirs = ns2.run(
                {result.seed: ns2.script(result, defaults) for result in ours},
                traced=counters,
                workers=workers,
                finished=advance,
            )
        except ns2.FailedError as error:
            raise PeerFailed(str(error)) from None
    rows = comparison.compare(ours, theirs, tolerance=tolerance / 100)
    if json_file:
        write_json(json_file, _told(first, rows, [result.seed for result in ours], tolerance / 100))
    if json_file != "-":
        _show(first, rows, seeds, tolerance / 100)


def _told(
    first: Result, rows: list[Comparison], seeds: list[int], tolerance: float
) -> dict[str, Any]:
    """The comparison as plain data; `difference` and `half_width` are relative to the peer's."""

    def ends(found: Estimate) -> dict[str, float]:
        return {"value": found.value, "low": found.low, "high": found.high}

    return {
        "scenario": first.scenario,
        "seeds": seeds,
        "version": first.json["version"],
        "peer": "ns2",
        "tolerance": tolerance,
        "figures": [
            {
                "figure": row.figure,
                "ours": ends(row.ours),
                "theirs": ends(row.theirs),
                "difference": row.difference,
                "half_width": row.half_width,
                "verdict": row.word,
            }
            for row in rows
        ],
    }


_COLUMNS = (
    Column("figure", left=True, wraps=True), Column("multihop"), Column("ns-2.35"),
    Column("difference", 1), Column("verdict", left=True),
)  # fmt: skip
_COLOURS = {"agrees": "green", "differs": "yellow", "cannot tell": "default"}


def _show(first: Result, rows: list[Comparison], seeds: int, tolerance: float) -> None:
    title = f"{title_of(first.scenario)}: {seeds} seeds each, mean ± 95 %"
    shown: list[list[Cell]] = []
    for row in rows:
        digits = 0 if row.theirs.value >= 1000 else 1
        shown.append(
            [
                row.figure,
                tables.plus_minus(row.ours, digits),
                tables.plus_minus(row.theirs, digits),
                f"{row.difference:+.1%}",
                marked(f"[{_COLOURS[row.word]}]{row.verdict}[/]"),
            ]
        )
    out = tables.console()
    tables.show(title, _COLUMNS, shown, out, elsewhere="a wider terminal")
    out.print(
        " Differs: by more than 2.5 standard errors, its 95 % interval and 1 %."
        f" Agrees: not so, and that interval is within ±{tolerance:.0%}; else these seeds cannot"
        " tell (more: --seeds)."
        " Acked: payload acknowledged at the sender, which is what ns-2 counts."
        " DATA counts unicast and broadcast frames."
    )
