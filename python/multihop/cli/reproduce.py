"""`multihop reproduce`: what the papers claim, beside what the simulations show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from multihop.cli import tables
from multihop.cli.failures import Failure
from multihop.cli.options import workers_option
from multihop.cli.progress import study_progress
from multihop.cli.study import check_page, kept_runs, say_failures, say_precision, scale_option
from multihop.reproduction import Claim, Verdict, load
from multihop.reproduction import reproduce as work
from multihop.reproduction.ledger import PAPERS
from multihop.reproduction.parts import WORDS
from multihop.study import Study, StudyResults
from multihop.study.figures import figure_data


@click.command()
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
@workers_option
def reproduce(
    paper: str,
    scale: str | None,
    folder: Path,
    networks: int | None,
    page: Path | None,
    workers: int | None,
) -> None:
    """Run the studies that own the claims of PAPER (all by default) and judge every claim."""
    from multihop import report

    check_page(page)
    scale = scale or "full"
    claims = load().of(paper)
    results = {}
    for name in work.studies_of(claims):
        results[name] = _run(name, folder, scale, networks, workers)
        report.write_report(results[name], folder / name)
        say_failures(results[name].failures)
        say_precision(results[name])
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = work.judge_all(claims, results)
    work.write_verdicts(verdicts, folder / "claims.json")
    sections = [report.Section(name, found, figure_data(found)) for name, found in results.items()]
    command = f"multihop reproduce {paper} --scale {scale}"
    report.write_reproduction_page(
        sections, work.page_rows(verdicts), folder / "report.html", command=command
    )
    if page is not None:
        report.put_results(page, work.rows(verdicts), sections, command)
    _show(claims, verdicts)
    click.echo(f" {folder / 'claims.json'}\n {folder / 'report.html'}")


def _run(
    name: str, folder: Path, scale: str, networks: int | None, workers: int | None
) -> StudyResults:
    file = work.study_file(name)
    if not file.is_file():
        raise Failure(f"{file}: no such study, although claims depend on it")
    study = Study.read(file)
    how_on = "the same command goes on with the rest"
    with (
        kept_runs(folder / "store", how_on) as count,
        study_progress(study.title) as (started, finished),
    ):
        return study.run(
            folder / name,
            store=folder / "store",
            scale=scale,
            networks=networks,
            workers=workers,
            started=count.planned(started),
            finished=count.done(finished),
        )


def _show(claims: Sequence[Claim], verdicts: Sequence[Verdict]) -> None:
    """A table of verdicts by paper, then what differs."""
    shown = tables.table("Claims and verdicts", ("paper", *WORDS))
    for paper, prefix in PAPERS.items():
        words = [found.verdict for found in verdicts if found.id.startswith(f"{prefix}-")]
        if words:
            counts: Counter[str] = Counter(words)
            shown.add_row(paper, *(str(counts[word]) for word in WORDS))
    out = tables.console()
    out.print(shown)
    for claim, found in zip(claims, verdicts, strict=True):
        if found.verdict == "differs":
            out.print(f" differs: {claim.id} ({claim.where}): {found.reason}", soft_wrap=True)
