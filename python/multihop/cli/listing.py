"""`multihop list` and `multihop schema`."""

import json

import click

import multihop
from multihop import catalogue
from multihop.metrics import METRICS
from multihop.reading import readings
from multihop.reproduction import load
from multihop.reproduction.headlines import headlines
from multihop.reproduction.ledger import PAPERS
from multihop.reproduction.ownership import describe, owners


@click.command("list")
@click.argument(
    "what",
    type=click.Choice(
        ["schemes", "readings", "scenarios", "studies", "metrics", "headlines", "claims"]
    ),
)
@click.option(
    "--paper", type=click.Choice([*PAPERS, "all"]), default="all", show_default=True,
    help="Whose readings, headlines or claims.",
)  # fmt: skip
def list_command(what: str, paper: str) -> None:
    """List schemes, readings, example scenarios, studies, metrics, headlines or claims."""
    match what:
        case "schemes":
            rows: list[tuple[str, ...]] = [*multihop.schemes()]
        case "readings":
            rows = _readings(paper)
        case "scenarios":
            rows = [*catalogue.scenarios()]
        case "studies":
            rows = [*catalogue.studies()]
        case "metrics":
            rows = _metrics()
        case "headlines":
            rows = [(found.id, found.says) for found in headlines(paper)]
        case _:
            rows = _claims(paper)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())


def _metrics() -> list[tuple[str, ...]]:
    return [
        (metric.name, f"of a {metric.level}", metric.unit, metric.definition)
        for metric in METRICS.values()
    ]


def _readings(paper: str) -> list[tuple[str, ...]]:
    return [
        (found.name, "default" if found.default else "", found.title)
        for found in readings(None if paper == "all" else paper)
    ]


def _claims(paper: str) -> list[tuple[str, ...]]:
    owned = owners()
    return [
        (claim.id, f"{describe(owned.get(claim.id))} · {claim.statement}")
        for claim in load().of(paper)
    ]


@click.command()
def schema() -> None:
    """Print the JSON Schema of the scenario file."""
    click.echo(json.dumps(multihop.schema(), indent=2))
