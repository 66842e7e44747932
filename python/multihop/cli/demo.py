"""`multihop demo`: a headline of each paper and a small tournament, in about a minute."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop import catalogue
from multihop.cli.headlines import show
from multihop.cli.options import workers_option
from multihop.cli.reproduce import run_study
from multihop.cli.study import say_failures
from multihop.extras import need

if TYPE_CHECKING:
    from multihop.reproduction.headline_verdicts import HeadlineVerdict
    from multihop.reproduction.headlines import Headline
    from multihop.study import Study, StudyResults

TOURNAMENT = "demo/tournament"
_COMMAND = "multihop demo"
_USUALLY_S = 110
"""Time that all runs take on one core."""


def shown_headlines() -> list[Headline]:
    """What installed papers show of themselves: a headline each, and the small study for it.

    The rule is that of full scale, on fewer networks.
    """
    from multihop import papers
    from multihop.reproduction.headlines import headlines

    found = []
    for paper in papers.installed().values():
        shown = paper.about.demo
        for headline in headlines(paper) if shown is not None else []:
            if shown is not None and headline.id == shown.headline:
                study = paper.full(shown.study)
                found.append(headline.model_copy(update={"study": study}))
    return found


@click.command()
@click.option(
    "folder", "--out", metavar="DIR", type=click.Path(path_type=Path), default=Path("out/demo"),
    show_default=True, help="Folder for the report; runs already in it are not repeated.",
)  # fmt: skip
@workers_option
def demo(folder: Path, workers: int | None) -> None:
    """Judge a headline of each installed paper, reading by reading, and rank 16 combinations."""
    need("report", _COMMAND)
    from multihop.papers import HOW
    from multihop.report.headlines import write_headlines_page
    from multihop.report.pages import Section
    from multihop.reproduction.headline_verdicts import judge
    from multihop.study.figures import figure_data

    chosen = shown_headlines()
    if not chosen:
        click.echo(f"multihop: no paper is installed; {HOW}", err=True)
    results = _run_all([*(one.study for one in chosen), TOURNAMENT], folder, workers)
    click.echo("The report: about 10 s", err=True)
    found = judge(chosen, results)
    full = {one.study: f"multihop headlines {one.paper} --scale full" for one in chosen}
    full[TOURNAMENT] = "multihop study run tournament --scale full"
    sections = [
        Section(name, runs, figure_data(runs), full=full[name]) for name, runs in results.items()
    ]
    page = folder / "report.html"
    write_headlines_page(
        page, chosen, found, sections, _COMMAND, title="Headlines and a small tournament"
    )
    _show_headlines(chosen, found)
    _show_tournament(results[TOURNAMENT])
    click.echo(f" {page}")


def _run_all(names: list[str], folder: Path, workers: int | None) -> dict[str, StudyResults]:
    """Run the studies; say before each how long the rest takes at the pace so far."""
    from multihop.study import Study

    studies = {name: Study.read(catalogue.study_file(name)) for name in names}
    work = {name: _node_seconds(study) for name, study in studies.items()}
    results: dict[str, StudyResults] = {}
    for number, (name, study) in enumerate(studies.items(), 1):
        spent_s = sum(found.simulation_s for found in results.values())
        left = sum(work[each] for each in names if each not in results)
        rest_s = spent_s / (sum(work.values()) - left) * left if results else _USUALLY_S
        click.echo(
            f"{number}/{len(names)} {study.title}; "
            f"about {rest_s / (workers or os.cpu_count() or 1):.0f} s left",
            err=True,
        )
        results[name] = run_study(name, folder, "quick", None, workers)
        say_failures(results[name].failures)
    return results


def _node_seconds(study: Study) -> float:
    """What the time of a study grows with: simulated seconds of all nodes of all its runs."""
    scenario = study.source
    assert isinstance(scenario, Mapping)
    runs = sum(each.runs for each in study.planned().values())
    return float(runs * scenario["duration_s"] * scenario["topology"]["nodes"])


def _show_headlines(chosen: Sequence[Headline], found: Sequence[HeadlineVerdict]) -> None:
    """What each paper says, then under which readings it holds."""
    from rich.markup import escape

    from multihop.cli import tables
    from multihop.cli.terminal import marked

    out = tables.console()
    out.print()
    for headline in chosen:
        first, *others = textwrap.wrap(headline.says, 67)
        out.print(
            marked(f" [bold]{headline.paper:11}[/]{escape(first)}"),
            *(f"{'':12}{line}" for line in others),
            sep="\n",
        )
    if chosen:
        show(chosen, found, name=lambda headline: headline.paper)


def _show_tournament(results: StudyResults) -> None:
    """The best of each ranking, and how many others the runs do not distinguish from it."""
    from multihop.cli import tables
    from multihop.report.rankings import ranking_tables
    from multihop.study.ranking import ranking_data

    shown = tables.table(
        "Sixteen combinations of routing and transport",
        ("by", "best", "value", "not\ndistinguishable"),
        left=2,
    )
    for data in ranking_data(results):
        if (found := ranking_tables(data)) is not None:
            best, (row,) = found.best, found.best.rows
            shown.add_row(best.headings[1], row[0], row[1], row[-1].partition(":")[0])
    tables.console().print(shown)
