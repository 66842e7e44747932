"""`multihop replay`: a page that plays a run."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.failures import Failure, check_folders
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    recorded_argument,
    seed_option,
    watch_options,
)
from multihop.cli.recorded import recorded_run
from multihop.events import Watch
from multihop.files import read_text


@click.command(
    epilog=ends_with(
        "docs/use/replay.md",
        "replay six-hops",
        "replay mesh.toml --seed 7 --from 20 --to 40 --out mesh.html",
        "replay events.parquet --causes causes.json",
    )
)
@recorded_argument
@seed_option
@choice_options
@watch_options
@click.option(
    "causes_file", "--causes", metavar="FILE.json",
    help="Why flows were silent, of multihop explain --json; worked out where absent.",
)  # fmt: skip
@click.option("causes", "--explain/--no-explain", default=True, show_default=True,
    help="Show why flows were silent.",
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
    causes: bool,
    out: str,
) -> None:
    """Write a page that plays a run: of SCENARIO, or the one that EVENTS.parquet records.

    The page is one file for any browser, and asks the network for nothing.
    """
    from multihop import playback  # NumPy, Polars and Pydantic take 0.4 s to import

    check_folders(out)
    told = _text(causes_file) if causes_file else causes
    result = recorded_run(source, choice, seed, watch)
    for warning in result.warnings:
        click.echo(f"multihop: warning: {warning}", err=True)
    try:
        click.echo(playback.replay(result, out, causes=told))
    except playback.CausesError as error:
        raise Failure(f"{causes_file}: {error}") from None
    except playback.ReplayError as error:
        raise Failure(f"{source}: {error}") from None


def _text(file: str) -> str:
    try:
        return read_text(Path(file))
    except UnicodeDecodeError:
        raise Failure(f"{file}: not UTF-8 text") from None
