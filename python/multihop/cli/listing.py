"""`multihop list` and `multihop schema`."""

import json

import click

import multihop
from multihop import catalogue


@click.command("list")
@click.argument("what", type=click.Choice(["schemes", "scenarios"]))
def list_command(what: str) -> None:
    """List the schemes or the example scenarios."""
    if what == "schemes":
        rows = multihop.schemes()
    else:
        rows = [(str(path), title) for path, title in catalogue.scenarios()]
    width = max((len(name) for name, _ in rows), default=0)
    for name, text in rows:
        click.echo(f"{name:{width}}  {text}")


@click.command()
def schema() -> None:
    """Print the JSON Schema of the scenario file."""
    click.echo(json.dumps(multihop.schema(), indent=2))
