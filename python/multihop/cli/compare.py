"""`multihop compare`: the same scenario on another simulator."""

from typing import Any

import click

import multihop
from multihop.cli import progress, tables
from multihop.cli.failures import Failure, PeerFailed, PeerMissing, naming
from multihop.cli.run import scheme_option, set_option, workers_option
from multihop.peers import comparison, ns2
from multihop.peers.comparison import Comparison


@click.command()
@click.argument("scenario", metavar="SCENARIO.toml")
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
@click.option("--script", is_flag=True, help="Print the peer's script and run nothing.")
@scheme_option
@set_option
@workers_option
def compare(
    scenario: str,
    peer: str,
    seeds: int,
    counters: bool,
    script: bool,
    scheme: str | None,
    settings: dict[str, str],
    workers: int | None,
) -> None:
    """Run SCENARIO.toml here and on stock ns-2.35, and say figure by figure whether they agree.

    Exits 0 whatever the verdicts, 1 when the other simulator fails, 3 when it is missing.
    """
    if not script and ns2.executable() is None:
        raise PeerMissing(ns2.INSTALL_HINT)
    options: dict[str, Any] = {"scheme": scheme, "set": settings}
    with naming(scenario):
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
    _show(first, comparison.compare(ours, theirs), seeds)


def _show(first: multihop.Result, rows: list[Comparison], seeds: int) -> None:
    title = f"{first.scenario.get('title') or 'scenario'}: {seeds} seeds each, mean ± 95 %"
    columns = ("figure", "multihop", "ns-2.35", "difference", "verdict")
    shown = tables.table(title, columns)
    for row in rows:
        digits = 0 if row.theirs.value >= 1000 else 1
        colour = "green" if row.agrees else "yellow"
        shown.add_row(
            row.figure,
            tables.plus_minus(row.ours, digits),
            tables.plus_minus(row.theirs, digits),
            f"{row.difference:+.1%}",
            f"[{colour}]{row.verdict}[/]",
        )
    out = tables.console()
    out.print(shown)
    out.print(
        " Agrees: within 2.5 standard errors of the difference, or within 1 %."
        " DATA counts unicast and broadcast frames."
    )
