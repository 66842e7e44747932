"""`multihop reproduce`: what the papers claim, beside what the simulations show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.catalogue import PAPERS
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.options import readings_option, workers_option
from multihop.cli.progress import study_progress
from multihop.cli.study import check_page, kept_runs, say_failures, say_precision, scale_option
from multihop.extras import need

if TYPE_CHECKING:
    from multihop.reproduction import Verdict
    from multihop.study import StudyResults


@click.command(
    epilog=ends_with(
        "docs/use/claims.md",
        "reproduce ccar --scale quick",
        "reproduce elfn --reading elfn/ours --out out/elfn",
    )
)
@click.argument("paper", type=click.Choice([*PAPERS, "all"]), default="all")
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

    What a paper leaves open is taken as its default reading does, or as each --reading does.
    """
    need("report", "multihop reproduce")
    from multihop.report.markdown import put_results
    from multihop.report.pages import Section, write_report, write_reproduction_page
    from multihop.reproduction import load
    from multihop.reproduction import reproduce as work
    from multihop.study.figures import figure_data

    check_page(page)
    scale = scale or "full"
    verdicts: list[Verdict] = []
    sections = []
    for name, chosen in work.readings_of(paper, readings).items():
        claims = load().of(name)
        several = len(chosen) > 1
        for reading in chosen:
            here = folder / reading.replace("/", "-") if several else folder
            results = {}
            studies = work.studies_of(claims)
            for number, study in enumerate(studies, 1):
                results[study] = run_study(
                    study, here, scale, networks, workers, folder / "store", reading,
                    place=f"{number}/{len(studies)} ",
                )  # fmt: skip
                write_report(results[study], here / study)
                say_failures(results[study].failures)
                say_precision(results[study])
            judged = work.judge_all(claims, results, reading=reading)
            verdicts += [v for v in judged if v.reading or reading == chosen[0]]
            sections += [
                Section(study, found, figure_data(found), reading if several else None)
                for study, found in results.items()
            ]
    folder.mkdir(parents=True, exist_ok=True)
    work.write_verdicts(verdicts, folder / "claims.json")
    named = "".join(f" --reading {reading}" for reading in readings)
    command = f"multihop reproduce {paper} --scale {scale}{named}"
    write_reproduction_page(
        sections, work.page_rows(verdicts), folder / "report.html", command=command
    )
    if page is not None:
        put_results(page, work.rows(verdicts), sections, command)
    _show(verdicts)
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
    """Run one of the package's studies into a folder of its name, with progress.

    `place` says in its progress which of how many studies it is.
    """
    from multihop.reproduction import reproduce as work
    from multihop.study import Study

    file = work.study_file(name)
    if not file.is_file():
        raise Failure(f"{file}: no such study, although claims depend on it")
    study = Study.read(file)
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


def _show(verdicts: Sequence[Verdict]) -> None:
    """A table of verdicts by paper and reading, then what differs."""
    from multihop.cli import tables
    from multihop.reproduction import load
    from multihop.reproduction.parts import WORDS

    shown = tables.table("Claims and verdicts", ("paper", "reading", *WORDS), left=2)
    for paper, prefix in PAPERS.items():
        ours = [found for found in verdicts if found.id.startswith(f"{prefix}-")]
        for reading in dict.fromkeys(found.reading for found in ours if found.reading):
            counts = Counter(v.verdict for v in ours if v.reading in (None, reading))
            short = reading.rpartition("/")[2]
            shown.add_row(paper, short, *(str(counts[word]) for word in WORDS))
    out = tables.console()
    out.print(shown)
    where = {claim.id: claim.where for claim in load().claim}
    for found in verdicts:
        if found.verdict == "differs":
            place = f"{where[found.id]}, {found.reading}"
            out.print(f" differs: {found.id} ({place}): {found.reason}", soft_wrap=True)
