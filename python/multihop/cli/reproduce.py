"""`multihop reproduce`: what the papers claim, beside what the simulations show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop import catalogue
from multihop.cli.help import ends_with
from multihop.cli.options import (
    chosen_papers,
    code_option,
    paper_argument,
    readings_option,
    workers_option,
)
from multihop.cli.progress import study_progress
from multihop.cli.study import check_page, kept_runs, say_failures, say_precision, scale_option
from multihop.extras import need
from multihop.foreign import line

if TYPE_CHECKING:
    from multihop.reproduction import Verdict
    from multihop.reproduction.reproduce import Asked
    from multihop.study import StudyResults


@click.command(
    epilog=ends_with(
        "docs/use/claims.md",
        "reproduce all --scale quick",
        "reproduce my-paper --out out/my-paper",
    )
)
@paper_argument
@scale_option
@click.option(
    "folder", "--out", metavar="DIR", type=click.Path(path_type=Path),
    default=Path("out/reproduce"), show_default=True,
    help="Folder for the verdicts and reports; runs already in it are not repeated.",
)  # fmt: skip
@click.option("--networks", type=click.IntRange(1), help="Networks, in place of the scale's.")
@click.option(
    "--page", metavar="FILE.md", type=click.Path(path_type=Path),
    help="Also put figures and verdicts into this page, between its markers for results.",
)  # fmt: skip
@readings_option
@workers_option
@code_option
def reproduce(
    paper: str,
    scale: str | None,
    folder: Path,
    networks: int | None,
    page: Path | None,
    readings: tuple[str, ...],
    workers: int | None,
) -> None:
    """Run the studies that own the claims of PAPER (all by default) and judge every claim.

    A paper is one that is installed, by its name, or the folder of any.
    What a paper leaves open is taken as its default reading does, or as each --reading does.
    """
    need("report", "multihop reproduce")
    from multihop.report.markdown import put_results
    from multihop.report.pages import Section, write_report, write_reproduction_page
    from multihop.reproduction import reproduce as work
    from multihop.study.figures import figure_data

    check_page(page)
    scale = scale or "full"
    rows, shown, sections = [], [], []
    judged: list[tuple[work.Asked, list[Verdict]]] = []
    for one in work.asked(chosen_papers(paper), readings):
        verdicts: list[Verdict] = []
        several = len(one.readings) > 1
        for reading in one.readings:
            here = folder / reading.replace("/", "-") if several else folder
            results = {}
            for number, study in enumerate(one.studies, 1):
                name = one.paper.full(study)
                results[study] = run_study(
                    name, here, scale, networks, workers, folder / "store", reading,
                    place=f"{number}/{len(one.studies)} ",
                )  # fmt: skip
                write_report(results[study], here / name)
                say_failures(results[study].failures)
                say_precision(results[study])
            found = one.judged(results, reading)
            verdicts += [v for v in found if v.reading or reading == one.readings[0]]
            sections += [
                Section(
                    one.paper.full(study), runs, figure_data(runs), reading if several else None
                )
                for study, runs in results.items()
            ]
        judged.append((one, verdicts))
        rows += work.rows(one, verdicts)
        shown += work.page_rows(one, verdicts)
    folder.mkdir(parents=True, exist_ok=True)
    work.write_verdicts(rows, folder / "claims.json")
    named = "".join(f" --reading {reading}" for reading in readings)
    command = f"multihop reproduce {paper} --scale {scale}{named}"
    write_reproduction_page(sections, shown, folder / "report.html", command=command)
    if page is not None:
        put_results(page, rows, sections, command)
    _show(judged)
    click.echo(f" {folder / 'claims.json'}\n {folder / 'report.html'}")


def run_study(
    name: str,
    folder: Path,
    scale: str,
    networks: int | None,
    workers: int | None,
    store: Path | None = None,
    reading: str | None = None,
    place: str = "",
) -> StudyResults:
    """Run a study of the package or of a paper into a folder of its name, with progress.

    `place` says in its progress which of how many studies it is.
    """
    from multihop.study import Study

    study = Study.read(catalogue.study_file(name))
    if reading is not None:
        study = study.under(reading)
    kept = store or folder / "store"
    how_on = "the same command goes on with the rest"
    with (
        kept_runs(kept, how_on) as count,
        study_progress(place + study.title) as (started, finished),
    ):
        return study.run(
            folder / name,
            store=kept,
            scale=scale,
            networks=networks,
            workers=workers,
            started=count.planned(started),
            finished=count.done(finished),
        )


def _show(judged: Sequence[tuple[Asked, Sequence[Verdict]]]) -> None:
    """A table of verdicts by paper and reading, then what differs."""
    from multihop.cli import tables
    from multihop.reproduction.parts import WORDS

    shown = tables.table("Claims and verdicts", ("paper", "reading", *WORDS), left=2)
    for one, verdicts in judged:
        for reading in dict.fromkeys(found.reading for found in verdicts if found.reading):
            counts = Counter(v.verdict for v in verdicts if v.reading in (None, reading))
            short = reading.rpartition("/")[2]
            shown.add_row(one.paper.name, short, *(str(counts[word]) for word in WORDS))
    out = tables.console()
    out.print(shown)
    for one, verdicts in judged:
        where = {claim.id: claim.where for claim in one.claims}
        for found in verdicts:
            if found.verdict == "differs":
                place = f"{where[found.id]}, {found.reading}"
                told = line(f"{found.id} ({place}): {found.reason}", None)
                out.print(f" differs: {told}", soft_wrap=True, markup=False)
