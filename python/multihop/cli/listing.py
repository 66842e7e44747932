"""`multihop list`: what comes along, by name."""

import textwrap
from collections.abc import Iterator, Sequence

import click

import multihop
from multihop import catalogue, engine
from multihop.catalogue import PAPERS
from multihop.cli.tables import console

_LEAST_TEXT = 20
"""The last column keeps so many characters, however narrow the terminal is."""


@click.command("list")
@click.argument(
    "what",
    type=click.Choice(
        ["schemes", "engines", "readings", "scenarios", "studies", "metrics", "headlines", "claims"]
    ),
)
@click.option(
    "--paper", type=click.Choice([*PAPERS, "all"]), default="all", show_default=True,
    help="Whose readings, headlines or claims.",
)  # fmt: skip
def list_command(what: str, paper: str) -> None:
    """List schemes, engines, readings, example scenarios, studies, metrics, headlines or claims."""
    match what:
        case "schemes":
            rows: list[tuple[str, ...]] = [*multihop.schemes()]
        case "engines":
            rows = [*engine.engines()]
        case "readings":
            rows = _readings(paper)
        case "scenarios":
            rows = [*catalogue.scenarios()]
        case "studies":
            rows = [*catalogue.studies()]
        case "metrics":
            rows = _metrics()
        case "headlines":
            rows = _headlines(paper)
        case _:
            rows = _claims(paper)
    if what in ("schemes", "engines"):
        for fault in engine.faults():
            click.echo(f"multihop: warning: {fault}", err=True)
    out = console()
    click.echo("\n".join(listed(rows, out.width if out.is_terminal else None)))


def listed(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """The rows in columns, the last of which takes several lines where `width` is too small."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    hanging = sum(widths[:-1]) + 2 * (len(widths) - 1)
    for *cells, text in rows:
        head = "".join(f"{cell:{size}}  " for cell, size in zip(cells, widths, strict=False))
        room = None if width is None else max(_LEAST_TEXT, width - hanging)
        first, *others = (textwrap.wrap(text, room) if room else [text]) or [""]
        yield f"{head}{first}".rstrip()
        yield from (f"{'':{hanging}}{line}" for line in others)


def _metrics() -> list[tuple[str, ...]]:
    from multihop.metrics import METRICS

    return [
        (metric.name, f"of a {metric.level}", metric.unit, metric.definition)
        for metric in METRICS.values()
    ]


def _readings(paper: str) -> list[tuple[str, ...]]:
    from multihop.reading import readings

    return [
        (found.name, "default" if found.default else "", found.title)
        for found in readings(None if paper == "all" else paper)
    ]


def _headlines(paper: str) -> list[tuple[str, ...]]:
    from multihop.reproduction.headlines import headlines

    return [(found.id, found.says) for found in headlines(paper)]


def _claims(paper: str) -> list[tuple[str, ...]]:
    from multihop.reproduction import load
    from multihop.reproduction.ownership import describe, owners

    owned = owners()
    return [
        (claim.id, f"{describe(owned.get(claim.id))} · {claim.statement}")
        for claim in load().of(paper)
    ]
