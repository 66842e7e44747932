"""`multihop replay`: a page that plays a run."""

from __future__ import annotations

from pathlib import Path

import click

from multihop import playback
from multihop.cli import progress
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    recorded_argument,
    say_load,
    say_overridden,
    watch_options,
)
from multihop.events import Watch
from multihop.results import Result
from multihop.traces import TraceError


@click.command(
    epilog=ends_with(
        "replay.md",
        "replay six-hops",
        "replay mesh.toml --seed 7 --from 20 --to 40 --out mesh.html",
        "replay events.parquet --causes causes.json",
    )
)
@recorded_argument
@click.option("--seed", type=click.IntRange(0), help="Seed; the scenario's own by default.")
@choice_options
@watch_options
@click.option(
    "causes_file", "--causes", metavar="FILE.json",
    help="Show why flows were silent, as multihop explain --json says it.",
)  # fmt: skip
@click.option("--out", default="replay.html", show_default=True, metavar="FILE.html",
    help="The page.",
)  # fmt: skip
def replay(
    source: str,
    choice: Choice,
    seed: int | None,
    watch: Watch | None,
    causes_file: str | None,
    out: str,
) -> None:
    """Write a page that plays a run: of SCENARIO, or the one that EVENTS.parquet records.

    The page is one file for any browser, and asks the network for nothing.
    """
    check_folders(out)
    causes = _text(causes_file) if causes_file else None
    result = _result(source, choice, seed, watch)
    for warning in result.warnings:
        click.echo(f"multihop: warning: {warning}", err=True)
    try:
        click.echo(playback.replay(result, out, causes=causes))
    except playback.CausesError as error:
        raise Failure(f"{causes_file}: {error}") from None
    except playback.ReplayError as error:
        raise Failure(f"{source}: {error}") from None


def _result(source: str, choice: Choice, seed: int | None, watch: Watch | None) -> Result:
    """The run with its events."""
    if playback.is_record(source):
        given = [*choice.options.values()]
        given += [] if seed is None else ["--seed"]
        given += [] if choice.scheme is None else ["--scheme"]
        if given:
            raise Failure(f"{source}: the run is recorded already: leave out {given[0]}")
        try:
            with naming(source):
                return playback.recorded(source, watch)
        except TraceError as error:
            raise Failure(f"{source}: {error}") from None
    say_overridden(source, choice)
    with naming(source, choice.options), progress.share("running") as report:
        say_load(source, choice, seed)
        return playback.recorded(
            source, watch, seed=seed, scheme=choice.scheme, set=choice.settings, progress=report
        )


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8")
    except UnicodeDecodeError:
        raise Failure(f"{file}: not UTF-8 text") from None
