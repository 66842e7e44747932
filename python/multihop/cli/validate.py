"""`multihop validate`: the engine against the reference runs of ns-2.35."""

import dataclasses
import fnmatch
import json
from pathlib import Path

import click

from multihop import __version__, catalogue
from multihop.cli import progress, tables
from multihop.cli.failures import Failure
from multihop.cli.run import workers_option
from multihop.files import write_atomically

VERDICTS = {
    "pass": "[green]pass[/]",
    "explained": "[yellow]explained[/]",
    "**fail**": "[red]FAIL[/]",
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
    """Compare the engine with reference runs of stock ns-2.35 and theory; exit 1 on a miss."""
    from multihop.validation import suite

    folder = reference or catalogue.reference_folder()
    batches = suite.choose(folder, cases, quick=quick)
    theory = fnmatch.fnmatch("theory", cases)
    if not batches and not theory:
        raise Failure(f"{folder}: no reference case matches {cases!r}")
    with progress.counted("validating", sum(batch.runs for batch in batches)) as advance:
        checks = suite.judge(
            batches,
            widening=suite.QUICK_WIDENING if quick else 0.0,
            workers=workers,
            finished=advance,
        )
    if theory:
        checks += suite.judge_theory()
    passed = sum(check.passed for check in checks)
    explained = sum(check.explanation is not None for check in checks)
    if markdown_file:
        write_atomically(Path(markdown_file), suite.markdown(checks))
    if json_file:
        rows = [dataclasses.asdict(check) for check in checks]
        text = json.dumps({"version": __version__, "checks": rows}, indent=1) + "\n"
        if json_file == "-":
            click.echo(text, nl=False)
        else:
            write_atomically(Path(json_file), text)
    if json_file != "-":
        columns = ("case", "figure", "multihop", "ns-2.35", "difference", "bar", "verdict")
        shown = tables.table("multihop against stock ns-2.35", columns, left=2)
        for check in checks:
            verdict = VERDICTS[suite.verdict(check)]
            shown.add_row(
                check.case, check.figure, check.ours, check.theirs, check.difference, check.bar,
                verdict,
            )  # fmt: skip
        out = tables.console()
        out.print(shown)
        out.print(f" {passed} of {len(checks)} within their bars, {explained} misses explained.")
        for check in checks:
            if check.explanation:
                out.print(f" {check.case}, {check.figure}: {check.explanation}.", soft_wrap=True)
    if passed + explained < len(checks):
        raise click.exceptions.Exit(1)
