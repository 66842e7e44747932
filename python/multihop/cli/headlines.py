"""`multihop headlines`: which of the papers' headlines hold, and under which readings."""

from __future__ import annotations

import json
import math
import textwrap
import time
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop.cli.failures import Failure, Interrupted
from multihop.cli.help import ends_with
from multihop.cli.options import chosen_papers, code_option, paper_argument, workers_option
from multihop.cli.reproduce import run_study
from multihop.cli.study import say_failures, say_precision, scale_option
from multihop.extras import need
from multihop.files import PageError, put_between, write_within

if TYPE_CHECKING:
    from multihop.report.pages import Section
    from multihop.reproduction.headline_verdicts import HeadlineVerdict
    from multihop.reproduction.headlines import Headline
    from multihop.reproduction.until_decided import Campaign


@click.command(
    epilog=ends_with(
        "evidence/headlines.md", "headlines --scale quick", "headlines my-paper --networks 10"
    )
)
@paper_argument
@scale_option
@click.option(
    "folder", "--out", metavar="DIR", type=click.Path(path_type=Path),
    default=Path("out/headlines"), show_default=True,
    help="Folder for the verdicts and reports; runs already in it are not repeated.",
)  # fmt: skip
@click.option(
    "--networks", type=click.IntRange(1),
    help="Networks, in place of the scale's; with --until at most, 3,000 by default.",
)  # fmt: skip
@click.option("--store", metavar="DIR", type=click.Path(path_type=Path), help="Keep runs here.")
@click.option(
    "--until", type=click.Choice(["decided"]),
    help="Add networks, from 200,001 on, where a headline is not decided under a reading.",
)  # fmt: skip
@click.option(
    "--hours", type=click.FloatRange(0),
    help="With --until: stop after so long; 0 judges what is there. The same command goes on.",
)  # fmt: skip
@click.option(
    "--sums", metavar="FILE.parquet", type=click.Path(path_type=Path),
    help="With --until: keep here what each network gave, DIR/networks.parquet by default.",
)  # fmt: skip
@click.option(
    "pages", "--page", metavar="FILE.md", type=click.Path(path_type=Path), multiple=True,
    help="Also put the headlines into this page, between its markers; may be repeated.",
)  # fmt: skip
@workers_option
@code_option
def headlines(
    paper: str,
    scale: str | None,
    folder: Path,
    networks: int | None,
    store: Path | None,
    until: str | None,
    hours: float | None,
    sums: Path | None,
    pages: tuple[Path, ...],
    workers: int | None,
) -> None:
    """Judge what a reader takes away from PAPER (all by default), reading by reading."""
    need("report", "multihop headlines")
    from multihop.report.headlines import effort, put_decided, put_headlines
    from multihop.report.pages import Section, write_report
    from multihop.reproduction import headline_verdicts as verdicts
    from multihop.reproduction.headlines import headlines as headlines_of
    from multihop.reproduction.headlines import studies_of
    from multihop.study.figures import figure_data

    _check_options(until, scale=scale, store=store, hours=hours, sums=sums)
    _check_pages(pages, decided=until is not None)
    chosen = [one for each in chosen_papers(paper) for one in headlines_of(each)]
    if not chosen:
        raise Failure(f"{paper}: has no headlines.toml")
    if until is not None:
        kept = sums or folder / "networks.parquet"
        campaign = _until_decided(chosen, kept, networks, hours, workers)
        found = campaign.verdicts()
        command = f"multihop headlines {paper} --until decided --sums {kept}"
        _write(folder, chosen, found, [], command)
        took = effort(*campaign.spent_s(), campaign.looks[-1])
        for page in pages:
            put_decided(page, chosen, found, command, took)
        show(chosen, found)
        click.echo(f" {took}\n {kept}")
        return
    scale = scale or "full"
    results = {}
    names = studies_of(chosen)
    for number, name in enumerate(names, 1):
        results[name] = run_study(
            name, folder, scale, networks, workers, store, place=f"{number}/{len(names)} "
        )
        write_report(results[name], folder / name)
        say_failures(results[name].failures)
        say_precision(results[name])
    found = verdicts.judge(chosen, results)
    command = f"multihop headlines {paper} --scale {scale}"
    sections = [Section(name, runs, figure_data(runs)) for name, runs in results.items()]
    _write(folder, chosen, found, sections, command)
    for page in pages:
        put_headlines(page, chosen, found, sections, command)
    show(chosen, found)


def _write(
    folder: Path,
    chosen: Sequence[Headline],
    found: Sequence[HeadlineVerdict],
    sections: Sequence[Section],
    command: str,
) -> None:
    from multihop.report.headlines import write_headlines_page

    folder.mkdir(parents=True, exist_ok=True)
    rows = [verdict.row() for verdict in found]
    write_within(folder / "headlines.json", json.dumps(rows, indent=1) + "\n")
    write_headlines_page(folder / "report.html", chosen, found, sections, command)
    click.echo(f" {folder / 'headlines.json'}\n {folder / 'report.html'}")


def _check_options(until: str | None, **given: object) -> None:
    """Refuse options of the other way to judge."""
    others = ("scale", "store") if until else ("hours", "sums")
    for name in others:
        if given[name] is not None:
            how = "goes without --until" if until else "needs --until decided"
            raise click.UsageError(f"--{name} {how}")


def _until_decided(
    chosen: Sequence[Headline],
    kept: Path,
    networks: int | None,
    hours: float | None,
    workers: int | None,
) -> Campaign:
    """Add networks until all is decided, or the time is over."""
    from multihop.reproduction.network_sums import NetworkSums
    from multihop.reproduction.until_decided import MOST_NETWORKS, Campaign, Judgement
    from multihop.study.execution import LocalExecutor

    campaign = Campaign(chosen, NetworkSums(kept), networks or MOST_NETWORKS)
    until = math.inf if hours is None else time.monotonic() + 3600 * hours

    def told(judgement: Judgement, to: int) -> None:
        left = len(campaign.open)
        name = f"{judgement.headline.id} ({judgement.reading.rpartition('/')[2]})"
        click.echo(f"{left} open; {name}: to {to:,} networks", err=True)

    try:
        campaign.run(LocalExecutor(workers), until, told)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; {kept} has the runs; the same command goes on") from None
    for name in campaign.replaced:
        click.echo(f"multihop: warning: {name}: this engine gives others; run again", err=True)
    if others := len(campaign.other_engine):
        click.echo(f"multihop: warning: {others} cells' runs are another engine's", err=True)
    return campaign


def _check_pages(pages: Sequence[Path], *, decided: bool) -> None:
    from multihop.report.headlines import markers_of

    for page in pages:
        try:
            put_between(page, markers_of(page, decided=decided), None)
        except PageError as error:
            raise Failure(str(error)) from error


def show(
    chosen: Sequence[Headline],
    found: Sequence[HeadlineVerdict],
    name: Callable[[Headline], str] = attrgetter("id"),
) -> None:
    """A row for each headline and reading, with the number that decides."""
    from multihop.cli import tables
    from multihop.cli.tables import Column

    shown = tables.table(
        "Headlines",
        [
            Column("headline", left=True, wraps=True),
            Column("reading", left=True),
            Column("measured"),
            Column("wanted"),
            Column("word", left=True, wraps=True),
        ],
    )
    for headline in chosen:
        for number, verdict in enumerate(v for v in found if v.id == headline.id):
            part = verdict.decisive
            shown.add_row(
                name(headline) if number == 0 else "",
                verdict.reading.rpartition("/")[2],
                "" if part is None else f"{part.value:.2f} ({part.low:.2f} to {part.high:.2f})",
                "" if part is None else f"{part.side} {part.line:g}",
                verdict.word,
            )
    out = tables.console()
    out.print(shown)
    for headline in chosen:
        for verdict in (v for v in found if v.id == headline.id and v.why):
            told = f"{name(headline)} ({verdict.reading.rpartition('/')[2]}): not decided"
            for line in textwrap.wrap(f"{told}, as {verdict.why}.", 77, subsequent_indent="  "):
                out.print(f" {line}", markup=False)
