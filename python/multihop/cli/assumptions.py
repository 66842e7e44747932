"""`multihop assumptions`: which of the choices that a paper leaves open decide its headline."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.options import code_option, study_named, study_names, workers_option
from multihop.cli.progress import study_progress
from multihop.cli.study import kept_runs, say_failures, scale_option
from multihop.errors import StudyError
from multihop.extras import need

if TYPE_CHECKING:
    from multihop.assumptions import Findings
    from multihop.assumptions.effects import Effect

_WIDTH = 80
_MOST_PAIRS = 6


def _study_of(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The file of a study, or of the study `assumptions` of a paper."""
    from multihop import papers

    if name not in papers.known() and not (Path(name) / papers.ABOUT).is_file():
        return study_named(context, parameter, name)
    paper = papers.find(name)
    if "assumptions" not in paper.studies:
        raise Failure(f"{name}: has no study assumptions; it has {', '.join(paper.studies)}")
    return str(paper.studies["assumptions"])


@click.command(
    epilog=ends_with(
        "docs/use/assumptions.md",
        "assumptions my-paper --scale quick",
        "assumptions my-study.toml --networks 6 --resume",
    )
)
@click.argument(
    "file", metavar="STUDY|PAPER|FOLDER", callback=_study_of, shell_complete=study_names
)
@click.option("--out", metavar="DIR", help="Folder for the results; out/NAME by default.")
@scale_option
@click.option(
    "--networks", type=click.IntRange(2), metavar="N",
    help="Choose on N networks and confirm on N, in place of the study's.",
)  # fmt: skip
@workers_option
@code_option
@click.option("--resume", is_flag=True, help="Continue with the runs already in the folder.")
@click.option("--store", metavar="DIR", help="Keep runs here, shared with other studies.")
def assumptions(
    file: str,
    out: str | None,
    scale: str | None,
    networks: int | None,
    workers: int | None,
    resume: bool,
    store: str | None,
) -> None:
    """Find which choices of STUDY's table [assumptions] decide its headline, and what flips it."""
    need("report", "multihop assumptions")
    from multihop.assumptions import Trial, search, table_of
    from multihop.assumptions.designs import screening
    from multihop.report.assumptions import PAGE, write_assumptions
    from multihop.study import Study

    study = Study.read(file)
    asked = table_of(study)
    try:
        asked.seeds(networks)
    except ValueError as error:
        raise StudyError.at("--networks", str(error)) from None
    folder = Path(out) if out else Path("out") / _name_of(Path(file))
    kept = Path(store) if store else folder / "store"
    if not resume and (folder / "settings").exists() and (kept / "ledger.sqlite").exists():
        raise Failure(f"{folder}: already has runs; --resume continues them")
    with (
        kept_runs(kept, "go on with --resume") as count,
        study_progress(study.title) as (started, finished),
    ):
        trial = Trial(
            study, folder, scale=scale, store=kept, workers=workers,
            started=count.planned(started), finished=count.done(finished),
        )  # fmt: skip
        trial.check(screening(asked.levels))
        findings = search(asked, trial, networks)
    write_assumptions(findings, folder, file)
    say_failures(trial.failures)
    _show(findings)
    click.echo(f"{len(trial.runs):,} runs; {folder / PAGE}")


def _name_of(file: Path) -> str:
    """What the folder of its results is called: by its paper, or else by its folder."""
    from multihop import papers

    paper = papers.around(file)
    return f"{paper.name if paper else file.parent.name}-{file.stem}"


def _show(findings: Findings) -> None:
    """Print the effects and the finding, at most 80 columns wide."""
    asked = findings.asked
    kept = ", ".join(asked.choices[choice].name for choice in findings.kept)
    _print(findings, f"Main effects, {len(findings.screened)} settings", findings.main)
    _print(findings, f"In full, {len(findings.combined)} settings: {kept}", findings.main_in_full)
    if findings.pairs:
        _print(findings, "Pairs of these, the largest", findings.pairs[:_MOST_PAIRS])
    click.echo(textwrap.fill(findings.sentence(), _WIDTH, break_on_hyphens=False))
    for back in findings.taken_back:
        name = asked.choices[back.choice].name
        click.echo(f"  without {name}: {back.ratio.value:.2f}; needed: {back.needed}")


def _print(findings: Findings, title: str, effects: Sequence[Effect]) -> None:
    from multihop.assumptions.findings import factor_shown
    from multihop.cli.tables import Column, console, fitted

    columns = (
        Column("choice", left=True, wraps=True), Column("factor"), Column("95 % interval", 1),
    )  # fmt: skip
    rows = [[", ".join(findings.named(effect)), *factor_shown(effect)] for effect in effects]
    out = console()
    made, _ = fitted(textwrap.shorten(title, _WIDTH), columns, rows, min(out.width, _WIDTH))
    out.print(made, width=min(out.width, _WIDTH))
