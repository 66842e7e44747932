"""Runs what is missing of the second ways and prints their rows."""

import click

from evidence.second import NAMES, estimates, measure


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
def main(names: tuple[str, ...]) -> None:
    """Run what is missing and print the rows."""
    for name in names:
        measure(name)
        for headline, label, estimate in estimates(name):
            click.echo(f"{name} | {headline} | {label} | {estimate} | {estimate.networks}")


main()
