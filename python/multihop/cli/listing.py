"""`multihop list`: what comes along, by name."""

import textwrap
from collections.abc import Iterator, Sequence

import click

import multihop
from multihop import catalogue, engine
from multihop.cli.options import paper_option
from multihop.cli.streams import write_json
from multihop.cli.tables import console
from multihop.foreign import line

_LEAST_TEXT = 20
"""The last column keeps so many characters, however narrow the terminal is."""


WHAT = {
    "scenarios": "networks that come along, for multihop run",
    "schemes": "named combinations of routing, transport and MAC, for --scheme",
    "metrics": "what studies measure",
    "studies": "studies that come along, for multihop study run",
    "papers": "papers whose claims can be judged, for multihop reproduce",
    "readings": "ways to settle what a paper leaves open, for --reading",
    "headlines": "what a reader takes away from each paper",
    "claims": "every claim of a paper, with what judges it",
    "engines": "engines with schemes of other crates",
}


@click.command("list")
@click.argument("what", type=click.Choice([*WHAT]), required=False)
@paper_option
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def list_command(what: str | None, paper: str, json_file: str | None) -> None:
    """List schemes, scenarios, studies, metrics, or papers with their readings and claims.

    Without WHAT, say what can be listed.
    """
    found = rows(what, paper)
    for fault in _faults(what):
        click.echo(f"multihop: warning: {fault}", err=True)
    if json_file:
        write_json(json_file, [[*row] for row in found])
        return
    out = console()
    click.echo("\n".join(listed(found, out.width if out.is_terminal else None)))


def rows(what: str | None, paper: str) -> list[tuple[str, ...]]:
    """What is listed, a row each: its name first."""
    match what:
        case None:
            return [*WHAT.items()]
        case "schemes":
            return [*multihop.schemes()]
        case "engines":
            return [*engine.engines()]
        case "papers":
            return _papers(paper)
        case "readings":
            return _readings(paper)
        case "scenarios":
            return [*catalogue.scenarios()]
        case "studies":
            return [*catalogue.studies()]
        case "metrics":
            return _metrics()
        case "headlines":
            return _headlines(paper)
        case _:
            return _claims(paper)


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


def _faults(what: str | None) -> list[str]:
    """What is installed and can't be used, of the kind that is listed."""
    from multihop import papers

    if what in ("schemes", "engines"):
        return engine.faults()
    return [] if what in (None, "scenarios") else papers.faults()


def _metrics() -> list[tuple[str, ...]]:
    from multihop.metrics import METRICS

    return [
        (metric.name, f"of a {metric.level}", metric.unit, line(metric.definition, None))
        for metric in METRICS.values()
    ]


def _papers(paper: str) -> list[tuple[str, ...]]:
    from multihop import papers

    found: list[tuple[str, ...]] = []
    for one in papers.papers(paper):
        about = one.about
        of = ", ".join(str(part) for part in (about.venue, about.year) if part)
        who = about.authors[0] + (" and others" if len(about.authors) > 1 else "")
        found.append((one.name, line(f"{who}: {about.title}{f' ({of})' if of else ''}", None)))
    return found


def _readings(paper: str) -> list[tuple[str, ...]]:
    from multihop import papers
    from multihop.reading import readings

    return [
        (found.name, "default" if found.default else "", line(found.title, None))
        for one in papers.papers(paper)
        for found in readings(one.name)
    ]


def _headlines(paper: str) -> list[tuple[str, ...]]:
    from multihop.cli.options import chosen_papers
    from multihop.reproduction.headlines import headlines

    return [
        (found.id, line(found.says, None))
        for one in chosen_papers(paper)
        for found in headlines(one)
    ]


def _claims(paper: str) -> list[tuple[str, ...]]:
    from multihop import papers
    from multihop.reproduction import claims, owners
    from multihop.reproduction.ownership import describe

    found: list[tuple[str, ...]] = []
    for one in papers.papers(paper):
        listed = claims(one)
        owned = owners(one, listed)
        found += [
            (claim.id, line(f"{describe(one, owned.get(claim.id))} · {claim.statement}", None))
            for claim in listed
        ]
    return found
