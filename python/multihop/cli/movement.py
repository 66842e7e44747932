"""`multihop movement`: the nodes' movement as a file that ns-2 can read."""

from pathlib import Path

import click

import multihop
from multihop.cli.failures import check_folders, naming
from multihop.cli.run import set_option
from multihop.files import write_atomically


@click.command()
@click.argument("scenario", metavar="SCENARIO.toml")
@click.option("--seed", type=click.IntRange(0), help="Seed; the scenario's own by default.")
@set_option
@click.option("--out", "file", metavar="FILE", required=True, help="Write it here.")
def movement(scenario: str, seed: int | None, settings: dict[str, str], file: str) -> None:
    """Write the positions and movement of SCENARIO.toml's nodes in ns-2's setdest format."""
    check_folders(file)
    with naming(scenario):
        text = multihop.movement(scenario, seed=seed, set=settings)
    write_atomically(Path(file), text)
