"""`multihop draw`: a picture of one run."""

from pathlib import Path
from typing import Literal

import click

import multihop
from multihop.cli import progress
from multihop.cli.failures import Failure, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    say_load,
    say_overridden,
    scenario_argument,
    seed_option,
)
from multihop.extras import need
from multihop.files import write_atomically


@click.command(
    epilog=ends_with(
        "docs/use/drawing.md", "draw moving-50", "draw mesh.toml --seed 7 --out mesh.svg"
    )
)
@scenario_argument
@seed_option
@choice_options
@click.option(
    "out", "--out", metavar="FILE.png|FILE.svg", type=click.Path(path_type=Path),
    help="The picture; by default the scenario's name with .png, in this folder.",
)  # fmt: skip
@click.option(
    "window_s", "--time-window", metavar="SECONDS", type=click.FloatRange(0, min_open=True),
    help="Find each flow's path once per interval; by default fitted to the length of the run.",
)  # fmt: skip
def draw(
    scenario: str,
    choice: Choice,
    seed: int | None,
    out: Path | None,
    window_s: float | None,
) -> None:
    """Simulate SCENARIO, a file or an example's name; draw its nodes and each flow's paths."""
    path = out or Path(f"{Path(scenario).stem}.png")
    kind = _kind(path)
    if not path.absolute().parent.is_dir():
        raise Failure(f"{path}: its folder does not exist")
    need("report", "multihop draw")
    from multihop.draw import RECORDED_S, rendered, run_figure

    say_overridden(scenario, choice)
    with naming(scenario, choice.options), progress.share("running") as report:
        say_load(scenario, choice, seed)
        result = multihop.run(
            scenario,
            seed=seed,
            **choice.laid,
            routes=window_s or RECORDED_S,
            progress=report,
        )
    for warning in result.warnings:
        click.echo(f"multihop: warning: {warning}", err=True)
    write_atomically(path, rendered(run_figure(result.json, window_s), kind))
    click.echo(path)


def _kind(path: Path) -> Literal["png", "svg"]:
    match path.suffix.lower():
        case ".png":
            return "png"
        case ".svg":
            return "svg"
        case _:
            raise Failure(f"{path}: must end in .png or .svg")
