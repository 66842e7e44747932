"""`multihop validate`: the engine against runs of ns-2.35 and ns-3.44, and closed forms."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop import __version__, catalogue
from multihop.cli import progress, tables
from multihop.cli.failures import Failure
from multihop.cli.options import workers_option
from multihop.cli.tables import Cell, Column
from multihop.cli.terminal import marked
from multihop.files import write_atomically

if TYPE_CHECKING:
    from multihop.validation.rules import Check

VERDICTS = {
    "pass": marked("[green]pass[/]"),
    "explained": marked("[yellow]explained[/]"),
    "open": marked("[yellow]open[/]"),
    "**fail**": marked("[red]FAIL[/]"),
}


@click.command()
@click.option("--cases", default="*", metavar="GLOB", help="Only the cases that match.")
@click.option("--quick", is_flag=True, help="Fewer seeds and cases; bars widened by their error.")
@click.option("json_file", "--json", metavar="FILE", help="Write the verdicts as JSON; - prints.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="Write them as Markdown.")
@click.option(
    "--reference", metavar="DIR", type=click.Path(path_type=Path), help="Folder with the cases."
)
@workers_option
def validate(
    cases: str,
    quick: bool,
    json_file: str | None,
    markdown_file: str | None,
    reference: Path | None,
    workers: int | None,
) -> None:
    """Compare the engine with runs of stock ns-2.35 and ns-3.44 and theory; exit 1 on a miss."""
    from multihop.validation import proactive, suite

    folder = reference or catalogue.reference_folder()
    batches = suite.choose(folder, cases, quick=quick)
    theory = fnmatch.fnmatch("theory", cases)
    radios = [] if reference else suite.choose_radios(cases, quick=quick)
    routing = [] if reference else proactive.cases(cases, quick=quick)
    if not batches and not radios and not routing and (reference or not theory):
        raise Failure(f"{folder}: no reference case matches {cases!r}")
    runs = sum(batch.runs for batch in [*batches, *radios]) + len(routing)
    widening = suite.QUICK_WIDENING if quick else 0.0
    with progress.counted("validating", runs) as advance:
        checks, today = (
            suite.judge(chosen, widening=widening, workers=workers, finished=advance)
            for chosen in (batches, radios)
        )
        tables = suite.judge_routing(routing, widening=widening, workers=workers, finished=advance)
    closed = suite.judge_theory() if theory else []
    every = [*checks, *closed, *today, *tables]
    if markdown_file:
        write_atomically(Path(markdown_file), suite.markdown(checks, closed, today, tables))
    if json_file:
        rows = [dataclasses.asdict(check) for check in every]
        text = json.dumps({"version": __version__, "checks": rows}, indent=1) + "\n"
        if json_file == "-":
            click.echo(text, nl=False)
        else:
            write_atomically(Path(json_file), text)
    if json_file != "-":
        _show(checks, "stock ns-2.35", "ns-2.35")
        _show(closed, "theory", "theory")
        _show([*today, *tables], "stock ns-3.44", "ns-3.44")
    if any(not check.passed and check.miss is None for check in every):
        raise click.exceptions.Exit(1)


def _show(checks: Sequence[Check], against: str, short: str) -> None:
    """A table of checks, how many passed, and why some need not."""
    from multihop.validation import suite

    if not checks:
        return
    columns = (
        Column("case", left=True, wraps=True), Column("figure", left=True, wraps=True),
        Column("multihop", 1), Column(short, 1), Column("difference", 2), Column("bar", 3),
        Column("verdict", left=True),
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [c.case, c.figure, c.ours, c.theirs, c.difference, c.bar, VERDICTS[suite.verdict(c)]]
        for c in checks
    ]
    out = tables.console()
    tables.show(f"multihop against {against}", columns, rows, out)
    passed = sum(check.passed for check in checks)
    known = Counter(check.miss.verdict for check in checks if check.miss)
    misses = "".join(f", {count} misses {verdict}" for verdict, count in sorted(known.items()))
    out.print(f" {passed} of {len(checks)} within their bars of {short}{misses}.")
    for check in checks:
        if check.miss:
            out.print(f" {check.case}, {check.figure}: {check.miss.note}.", soft_wrap=True)
