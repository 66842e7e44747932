"""`multihop explain`: why flows were silent."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

import multihop
from multihop.cli import progress
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    say_load,
    say_overridden,
    scenario_argument,
)
from multihop.explain.explanation import MOVEMENT_S
from multihop.files import write_atomically


@click.command(
    epilog=ends_with(
        "explain.md",
        "explain moving-50",
        "explain mesh.toml --flow 3 --at 27",
        "explain mesh.toml --scheme dsr --seed 7 --json causes.json",
    )
)
@scenario_argument
@click.option("--seed", type=click.IntRange(0), help="Seed; the scenario's own by default.")
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
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def explain(
    scenario: str,
    choice: Choice,
    seed: int | None,
    flow: int | None,
    at_s: float | None,
    from_s: float | None,
    to_s: float | None,
    json_file: str | None,
) -> None:
    """Simulate SCENARIO, a file or an example's name; say why its flows were silent."""
    check_folders(json_file)
    if at_s is not None and (from_s is not None or to_s is not None):
        raise click.UsageError("--at is one time: leave --from and --to out")
    say_overridden(scenario, choice)
    with naming(scenario, choice.options), progress.share("running") as report:
        say_load(scenario, choice, seed)
        result = multihop.run(
            scenario, seed=seed, scheme=choice.scheme, set=choice.settings,
            events=True, routes=MOVEMENT_S, progress=report,
        )  # fmt: skip
    for warning in result.warnings:
        click.echo(f"multihop: warning: {warning}", err=True)
    try:
        found = multihop.explain(result, flow=flow, at_s=at_s, from_s=from_s, to_s=to_s)
    except ValueError as error:
        raise Failure(f"--{error}") from None
    written = json.dumps(found.json) + "\n"
    if json_file == "-":
        sys.stdout.write(written)
        return
    if json_file:
        write_atomically(Path(json_file), written)
    click.echo(found)
