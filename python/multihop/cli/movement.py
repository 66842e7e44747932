"""`multihop movement`: the nodes' movement as a file that ns-2 can read."""

from pathlib import Path

import click

import multihop
from multihop.cli.failures import check_folders, naming
from multihop.cli.options import scenario_argument, seed_option, set_option
from multihop.files import write_atomically


@click.command()
@scenario_argument
@seed_option
@set_option
@click.option("--out", "file", metavar="FILE", required=True, help="Write it here.")
def movement(scenario: str, seed: int | None, settings: dict[str, str], file: str) -> None:
    """Write the positions and movement of SCENARIO's nodes in ns-2's setdest format."""
    check_folders(file)
    with naming(scenario, {key: f"--set {key}={value}" for key, value in settings.items()}):
        text = multihop.movement(scenario, seed=seed, set=settings)
    write_atomically(Path(file), text)
