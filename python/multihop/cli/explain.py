"""`multihop explain`: why flows were silent."""

from __future__ import annotations

import click

import multihop
from multihop.cli.failures import Failure, check_folders
from multihop.cli.help import ends_with
from multihop.cli.options import Choice, check_span, choice_options, recorded_argument, seed_option
from multihop.cli.recorded import recorded_run
from multihop.cli.streams import write_json


@click.command(
    epilog=ends_with(
        "docs/use/explain.md",
        "explain moving-50",
        "explain mesh.toml --flow 3 --at 27",
        "explain events.parquet",
        "explain mesh.toml --scheme dsr --seed 7 --json causes.json",
    )
)
@recorded_argument
@seed_option
@choice_options
@click.option("--flow", type=click.IntRange(0), metavar="FLOW", help="Explain this flow alone.")
@click.option("at_s", "--at", type=click.FloatRange(0), metavar="SECONDS",
    help="Explain the silence at this time alone.",
)  # fmt: skip
@click.option("from_s", "--from", type=click.FloatRange(0), metavar="SECONDS",
    help="Explain silences that end after then.",
)  # fmt: skip
@click.option("to_s", "--to", type=click.FloatRange(0), metavar="SECONDS",
    help="Explain silences that begin before then.",
)  # fmt: skip
@click.option("--detail", is_flag=True, help="Tell every silence, with all that was found.")
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def explain(
    source: str,
    choice: Choice,
    seed: int | None,
    flow: int | None,
    at_s: float | None,
    from_s: float | None,
    to_s: float | None,
    detail: bool,
    json_file: str | None,
) -> None:
    """Say why the flows of a run were silent: of SCENARIO, or of what EVENTS.parquet records."""
    check_folders(json_file)
    if at_s is not None and (from_s is not None or to_s is not None):
        raise click.UsageError("--at is one time: leave --from and --to out")
    check_span(from_s, to_s)
    result = recorded_run(source, choice, seed)
    for warning in result.warnings:
        click.echo(f"multihop: warning: {warning}", err=True)
    try:
        found = multihop.explain(result, flow=flow, at_s=at_s, from_s=from_s, to_s=to_s)
    except ValueError as error:
        raise Failure(f"--{error}") from None
    if json_file:
        write_json(json_file, found.json)
    if json_file == "-":
        return
    click.echo(found.detail if detail or at_s is not None else found)
