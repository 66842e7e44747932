"""`multihop study`: run a study, report on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop import catalogue
from multihop.cli.failures import Failure, Interrupted, check_folders
from multihop.cli.help import ends_with
from multihop.cli.options import (
    code_option,
    readings_option,
    say_study_load,
    say_study_overridden,
    set_option,
    study_argument,
    workers_option,
)
from multihop.cli.progress import study_progress
from multihop.cli.streams import write_json
from multihop.errors import StudyError
from multihop.extras import has, missing, need
from multihop.files import PageError

if TYPE_CHECKING:
    from multihop.study import Study, StudyResults
    from multihop.study.store import Outcome

# Studies need Polars, NumPy and Pydantic, which take 0.4 s to import: they are imported where they
# are used, so that help and completion do not wait.

scale_option = click.option(
    "--scale", type=click.Choice(["quick", "full"]),
    help="How much to run; full by default, or the only one that a study has.",
)  # fmt: skip
page_option = click.option(
    "--page", metavar="FILE.md", type=click.Path(path_type=Path),
    help="Also put rankings and figures into this page, between its markers for results.",
)  # fmt: skip
executor_option = click.option(
    "--executor", default="local", show_default=True, metavar="local|dask:ADDRESS",
    help="Where to run: all cores here, or a Dask cluster.",
)  # fmt: skip


def parse_shard(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Read `i/n`."""
    if value is None:
        return None
    part, slash, parts = value.partition("/")
    if not (slash and part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise click.BadParameter(f"{value!r} is not of the form i/n with 1 <= i <= n")
    return int(part), int(parts)


@click.group()
def study() -> None:
    """Run a study of many simulations; report on it."""


@study.command(
    "run",
    epilog=ends_with(
        "docs/use/studies.md",
        "study run my-mesh/study.toml --scale quick",
        "study run queues --networks 10 --out out/queues",
        "study run my-mesh/study.toml --resume",
    ),
)
@study_argument
@click.option(
    "--out",
    metavar="DIR",
    help="Folder for the results; out/ and the name of the study by default, that of its "
    "folder for a study.toml.",
)
@scale_option
@readings_option
@set_option
@click.option("--networks", type=click.IntRange(1), help="Networks, in place of the scale's.")
@page_option
@workers_option
@code_option
@click.option("--resume", is_flag=True, help="Continue with the runs already in the folder.")
@executor_option
@click.option("--store", metavar="DIR", help="Keep runs here, shared with other studies.")
@click.option(
    "--shard", metavar="i/n", callback=parse_shard,
    help="Do only the i-th of n parts, for job arrays; all parts may share one store.",
)  # fmt: skip
@click.option("json_file", "--json", metavar="FILE", help="Write the summary as JSON; - prints it.")
def run_study(
    file: str,
    out: str | None,
    scale: str | None,
    readings: tuple[str, ...],
    settings: dict[str, str],
    networks: int | None,
    page: Path | None,
    workers: int | None,
    resume: bool,
    executor: str,
    store: str | None,
    shard: tuple[int, int] | None,
    json_file: str | None,
) -> None:
    """Run STUDY, a file or a name: every scheme on every network; then write its report."""
    from multihop.study import Study

    check_page(page)
    check_folders(json_file)
    found = Study.read(file)
    if readings:
        found = found.under(*readings)
    if settings:
        found = _with_settings(found, settings, scale)
    folder = Path(out) if out else Path("out") / _name_of(Path(file))
    kept = Path(store) if store else folder / "store"
    found.check_folder(folder)
    _check_folder(folder, kept, resume or shard is not None)
    say_study_overridden(found)
    if executor == "local":
        say_study_load(found, scale)
    with (
        kept_runs(kept, "go on with --resume") as count,
        study_progress(found.title) as (started, finished),
    ):
        results = found.run(
            folder,
            scale=scale,
            networks=networks,
            store=store,
            executor=executor,
            workers=workers,
            shard=shard,
            started=count.planned(started),
            finished=count.done(finished),
        )
    written = _write(results, folder, page) if shard is None else folder
    if json_file:
        write_json(json_file, _told(results, folder, is_whole=shard is None))
    if json_file != "-":
        _say(results, written, shard)
    if shard is None:
        say_notices(results)


def _write(results: StudyResults, folder: Path, page: Path | None) -> Path:
    """Write the report or, without its extra, the numbers alone; returns where they are."""
    if has("report"):
        _report(results, folder, page)
        return folder / "report.html"
    from multihop.report.data import write_data

    write_data(results, folder)
    say_failures(results.failures)
    click.echo(f"multihop: the report needs an extra: {missing('report')}", err=True)
    return folder / "data"


def _say(results: StudyResults, written: Path, shard: tuple[int, int] | None) -> None:
    """Say what has run and what it finds; of a part, how much has run."""
    if shard is not None:
        part = f"part {shard[0]} of {shard[1]} done"
        click.echo(f"{part}; {results.finished} of {results.planned} runs")
        return
    click.echo(f"{results.finished} runs; {written}")
    say_answers(results)
    say_precision(results)
    say_selections(results)


def _told(results: StudyResults, folder: Path, *, is_whole: bool) -> dict[str, Any]:
    """What came of a study as plain data; a part of one has no summary yet."""
    told: dict[str, Any] = {
        "study": results.study.title,
        "folder": str(folder),
        "runs": results.finished,
        "planned": results.planned,
        "failures": [
            {"cell": cell, "network": network, "message": error}
            for (cell, network), error in results.failures.items()
        ],
    }
    if is_whole:
        from multihop.report.answer import answers

        told |= {"answers": answers(results), "summary": results.summary().to_dicts()}
    return told


def _with_settings(found: Study, settings: dict[str, str], scale: str | None) -> Study:
    """The study with --set, which is named in what is wrong with it."""
    found.cells(scale)  # the file's own faults are told as such
    try:
        laid = found.with_settings(settings)
    except StudyError as error:
        raise Failure(f"--set {error}") from None
    try:
        laid.cells(scale)
    except StudyError as error:
        raise Failure(f"--set: {error.fault}") from None
    return laid


@study.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--scale", type=click.Choice(["quick", "full"]), help="Scale; that of the last run by default."
)
@click.option("--store", metavar="DIR", help="Where the runs are kept, if they were moved.")
@click.option(
    "explained", "--explain", type=click.IntRange(1), metavar="N",
    help="Run N networks of each scheme again, to say why flows were silent.",
)  # fmt: skip
@code_option
@click.option("--pdf", is_flag=True, help="Write every figure as PDF, too.")
@page_option
def report_study(
    folder: str,
    scale: str | None,
    store: str | None,
    explained: int | None,
    pdf: bool,
    page: Path | None,
) -> None:
    """Write the report on the runs in DIR: change DIR/study.toml for other figures."""
    from multihop.study import Study

    need("report", "multihop study report")
    check_page(page)
    file = Path(folder) / "study.toml"
    if not file.is_file():
        raise Failure(f"{folder}: has no study.toml; multihop study run makes one")
    results = Study.read(file).open(folder, scale=scale, store=store)
    _report(results, Path(folder), page, explained or 0, pdf=pdf)
    click.echo(f"{results.finished} of {results.planned} runs; {Path(folder) / 'report.html'}")
    say_notices(results)
    say_precision(results)
    say_selections(results)


@study.command("salvage")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def salvage_store(folder: Path) -> None:
    """Keep the runs that can be read of a damaged ledger in DIR, a store or a study's folder.

    Nothing else may use the store meanwhile. The damaged ledger stays beside the new one.
    """
    from multihop.study.salvage import salvage
    from multihop.study.store import LEDGER

    store = folder if (folder / LEDGER).exists() else folder / "store"
    if not (store / LEDGER).is_file():
        raise Failure(f"{folder}: has no ledger")
    runs, kept = salvage(store)
    click.echo(f"{store}: {runs:,} runs kept; the damaged ledger is in {kept}")


def check_page(page: Path | None) -> None:
    """Refuse a page without a place for results before anything is run for it."""
    if page is not None:
        need("report", "--page")
        from multihop.report import markdown

        try:
            markdown.check_page(page)
        except PageError as error:
            raise Failure(str(error)) from error


def _report(
    results: StudyResults,
    folder: Path,
    page: Path | None,
    explained: int = 0,
    *,
    pdf: bool = False,
) -> None:
    """Write the report and the page, and name the failed runs."""
    from multihop.report.markdown import put_study
    from multihop.report.pages import write_report

    write_report(results, folder, explained=explained, pdf=pdf)
    if page is not None:
        from multihop.study.figures import figure_data

        put_study(page, results, figure_data(results))
    say_failures(results.failures)


class Kept:
    """Counts the runs that a store keeps, to say so when the work ends early."""

    def __init__(self) -> None:
        self.runs = self.of = 0

    def said(self, store: Path) -> str:
        """How many are kept, if that is known: before any are planned, those of the store."""
        if self.of:
            return f"{self.runs:,} of {self.of:,} runs kept; "
        from multihop.study.store import runs_kept

        found = runs_kept(store)
        return "" if found is None else f"its {found:,} runs are kept; "

    def planned(self, tell: Callable[[int, int], object]) -> Callable[[int, int], None]:
        """Note how many runs are planned and left to do, and tell."""

        def note(planned: int, to_do: int) -> None:
            self.of, self.runs = planned, planned - to_do
            tell(planned, to_do)

        return note

    def done(self, tell: Callable[[Outcome], object]) -> Callable[[Outcome], None]:
        """Note an outcome, and tell."""

        def note(outcome: Outcome) -> None:
            self.runs += outcome.error is None
            tell(outcome)

        return note


@contextmanager
def kept_runs(store: Path, how_on: str) -> Iterator[Kept]:
    """If Ctrl-C, store or cluster end the work early, say what is kept and how to go on."""
    from multihop.study.execution import ClusterError
    from multihop.study.store import LEDGER, DamagedError, StoreError

    count = Kept()
    try:
        yield count
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {count.said(store)}{how_on}") from None
    except (StoreError, ClusterError) as error:
        if isinstance(error, DamagedError) or not (store / LEDGER).exists():
            raise
        raise Failure(f"{error.filename}: {error.strerror}; {count.said(store)}{how_on}") from None


def _name_of(file: Path) -> Path:
    """What a study's folder is called: by its name in the package, its file, or its file's folder.

    `my-mesh/study.toml` is my-mesh, as `multihop new` calls every study's file so.
    """
    shipped = catalogue.study_folder().resolve()
    if file.resolve().is_relative_to(shipped):
        return file.resolve().relative_to(shipped).with_suffix("")
    from multihop import papers  # takes 0.1 s to import

    if (paper := papers.around(file)) is not None:
        inside = file.resolve().relative_to(paper.folder / "studies")
        return Path(paper.name, inside.with_suffix(""))
    return Path(file.resolve().parent.name if file.stem == "study" else file.stem)


def _check_folder(folder: Path, store: Path, resume: bool) -> None:
    from multihop.study.store import LEDGER

    if not resume and (folder / "study.toml").exists() and (store / LEDGER).exists():
        raise Failure(f"{folder}: already has runs; --resume continues them")


def say_answers(results: StudyResults) -> None:
    """Say what the study finds, in a few sentences."""
    from multihop.report.answer import answers

    for answer in answers(results):
        click.echo(answer)


def say_notices(results: StudyResults) -> None:
    """Warn of flows that can't deliver and of metrics that no run has."""
    from multihop.report.notices import notices

    for notice in notices(results):
        click.echo(f"multihop: warning: {notice}", err=True)


def say_precision(results: StudyResults) -> None:
    """Say how many cells are wider than the study wants: a line for each precision it wants."""
    from multihop.report.precision import shown_precisions

    found = shown_precisions(results)
    for shown in found:
        of = f" of {shown.wanted}" if len(found) > 1 else ""
        click.echo(f"precision{of}: {shown.said}")


def say_selections(results: StudyResults) -> None:
    """Say which candidate is selected, or how many are: a line for each ranking that selects."""
    from multihop.report.selection import selection_line

    for data in results.selected():
        click.echo(f"selection of {data.ranking.name}: {selection_line(data)}")


def say_failures(failures: dict[tuple[str, int], str]) -> None:
    """Name the first failed runs on standard error."""
    for (cell, seed), error in list(failures.items())[:5]:
        click.echo(f"multihop: failed: {cell}, network {seed}: {error}", err=True)
    if len(failures) > 5:
        click.echo(f"multihop: and {len(failures) - 5} more failed runs", err=True)
