"""The pages: the report of one study, and that of a reproduction."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from markupsafe import Markup

from multihop import engine
from multihop.files import write_within
from multihop.foreign import Html, in_script, script
from multihop.labels import plain
from multihop.report import charts
from multihop.report.answer import answers
from multihop.report.data import write_frames, write_numbers
from multihop.report.environment import breakable, environment
from multihop.report.files import write_figure
from multihop.report.notices import notices
from multihop.report.parameters import Parameters, parameters, study_file
from multihop.report.precision import ShownPrecision, networks_in_words, shown_precisions
from multihop.report.rankings import READING, RankingTables, ranking_tables
from multihop.report.silences import ShownSilences, shown_silences
from multihop.report.tables import SummaryTable, Table, figure_table, summary_tables
from multihop.report.wording import capital, counted, name_of, unit_of, with_interval
from multihop.reproduction.parts import WORDS
from multihop.reproduction.verdicts import ClaimRow, VerdictRow
from multihop.study.distributions import boxes
from multihop.study.document import StudyTable
from multihop.study.figure import Figure
from multihop.study.figures import FigureData, figure_data
from multihop.study.ranking import RankingData, ranking_data
from multihop.study.results import StudyResults
from multihop.study.silences import explained_cells

MOST_FAILURES = 50
SILENCES = "Why flows were silent"

_PACKAGES = ("altair", "numpy", "polars", "scipy", "vl-convert-python")
_COMMAND = "multihop study run study.toml --scale {scale}{networks} --out again"


class Section(NamedTuple):
    """A study on a page of several: `name` is what verdicts call it."""

    name: str
    results: StudyResults
    figures: Sequence[FigureData]
    reading: str | None = None
    """The reading that it was run under, if the page has it under several."""
    full: str = ""
    """The command that runs it, or what it is a small part of, at full scale."""

    @property
    def label(self) -> str:
        """Its name on the page and in the names of its files."""
        return f"{self.name}/{self.reading.rpartition('/')[2]}" if self.reading else self.name

    def owns(self, row: VerdictRow) -> bool:
        """Whether a verdict rests on it."""
        return row["study"] == self.name and self.reading in (None, row["reading"])


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as a page shows it; without a specification there is nothing to draw."""

    name: str
    figure: Figure
    notes: list[str]
    spec: Html | None = None
    measure: str = ""
    files: list[tuple[str, str]] = field(default_factory=list)
    """Kinds and paths of its files."""
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class ShownRanking:
    """A ranking as a page shows it; without tables there is nothing to rank."""

    name: str
    title: str
    tables: RankingTables | None
    files: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """A verdict in words."""

    id: str
    verdict: str
    grade: str
    where: str
    statement: str
    study: str
    reading: str
    measured: str
    interval: str
    runs: str
    reason: Markup
    depends_on: str
    beside: str
    """The verdict by another metric, if there is one."""


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A study's part of a page."""

    name: str
    study: StudyTable
    facts: list[tuple[str, str]]
    planned: int
    missing: int
    """Planned runs that have not finished."""
    figures: list[ShownFigure]
    rankings: list[ShownRanking]
    verdicts: Sequence[ShownVerdict]
    summary: list[SummaryTable]
    parameters: Parameters
    colours: dict[str, str]
    """Colour of each scheme."""
    answers: list[str]
    """The study's answer in a few sentences."""
    notices: list[str]
    """What to know before the numbers."""
    precisions: list[ShownPrecision]
    failures: list[tuple[tuple[str, int], str]]
    more_failures: int
    full: str
    """The command that gives it at full scale; empty where the page has none."""


def write_report(
    results: StudyResults, folder: Path, *, explained: int = 0, pdf: bool = False
) -> None:
    """Write the report of a study: report.html, figures/ and data/ in `folder`.

    Two reports on the same runs differ only in the element `times` of the page.

    Args:
        results: of the study.
        folder: where to.
        explained: so many networks of each cell run again, to say why their flows were silent.
        pdf: write figures as PDF, too.

    Raises:
        ScenarioError: such a run fails.
    """
    cells = explained_cells(results, explained) if explained else []
    silences = shown_silences(results, cells, explained) if explained else None
    figures = figure_data(results)
    summary = results.summary()
    write_frames(results, summary, folder / "data")
    file = study_file(results)
    if not (folder / "study.toml").exists():
        write_within(folder / "study.toml", file)
    section = _section(Section("", results, figures), folder, summary, pdf=pdf)
    page = (
        environment()
        .get_template("study.html")
        .render(
            **_shell([results]), entries=_study_entries(section, silences), section=section,
            silences=silences, file=file, command=_command(results),
        )
    )  # fmt: skip
    write_within(folder / "report.html", page)


def write_reproduction_page(
    sections: Sequence[Section],
    verdicts: Sequence[ClaimRow],
    path: Path,
    *,
    title: str = "What was reproduced",
    command: str = "multihop reproduce all",
    words: Sequence[str] = WORDS,
) -> None:
    """Write a page of several studies with the verdicts on what papers claim.

    Beside the page go figures/ and data/, named by section and figure.

    Args:
        sections: the studies with their figures.
        verdicts: as `multihop.reproduction.reproduce.page_rows` gives them; `study` is the
            section's name, or what else owns the claim.
        path: the page.
        title: its heading.
        command: the command that repeats it all.
        words: the verdicts that there can be, the best first.
    """
    rows = [_verdict(verdict) for verdict in verdicts]
    shown = [
        _section(
            section, path.parent, section.results.summary(),
            [shown for row, shown in zip(verdicts, rows, strict=True) if section.owns(row)],
        )
        for section in sections
    ]  # fmt: skip
    counts = {kind: sum(row.verdict == kind for row in rows) for kind in words}
    page = environment().get_template("reproduction.html").render(
        **_shell([section.results for section in sections]), title=title, sections=shown,
        rows=rows, counts=counts, studies=list(dict.fromkeys(row.study for row in rows)),
        names=[section.label for section in sections], command=command,
        entries=_reproduction_entries(shown),
    )  # fmt: skip
    write_within(path, page)


def _section(
    section: Section,
    folder: Path,
    summary: pl.DataFrame,
    verdicts: Sequence[ShownVerdict] = (),
    *,
    pdf: bool = False,
) -> ShownSection:
    """What a study's part of a page shows; writes its figures' files."""
    results, table = section.results, section.results.study.table
    look = charts.Look([scheme.name for scheme in table.scheme_tables], table.baseline)
    prefix = f"{section.label.replace('/', '-')}-" if section.name else ""
    failures = sorted(results.failures.items())
    return ShownSection(
        name=section.label,
        study=table,
        facts=_facts(results),
        planned=results.planned,
        missing=results.planned - results.finished,
        figures=[_figure(data, look, results, folder, prefix, pdf) for data in section.figures],
        rankings=[_ranking(data, folder, prefix) for data in ranking_data(results)],
        verdicts=verdicts,
        summary=summary_tables(results, summary),
        parameters=parameters(results),
        colours=dict(zip(look.schemes, look.colours(look.schemes), strict=True)),
        answers=answers(results),
        notices=notices(results),
        precisions=shown_precisions(results),
        failures=failures[:MOST_FAILURES],
        more_failures=max(0, len(failures) - MOST_FAILURES),
        full=section.full,
    )


def _figure(
    data: FigureData,
    look: charts.Look,
    results: StudyResults,
    folder: Path,
    prefix: str,
    pdf: bool,
) -> ShownFigure:
    figure, name, notes = data.figure, prefix + data.figure.name, _notes(data, results)
    if data.frame.is_empty():
        return ShownFigure(name, figure, notes)
    spec = charts.chart(data, look)
    return ShownFigure(
        name,
        figure,
        notes,
        spec=in_script(spec),
        measure=spec["title"]["subtitle"],
        files=write_figure(data, spec, folder, name, pdf=pdf),
        table=None if figure.kind == "series" else figure_table(data),
    )


def _ranking(data: RankingData, folder: Path, prefix: str) -> ShownRanking:
    name = prefix + data.ranking.name
    return ShownRanking(
        name, data.ranking.title, ranking_tables(data), write_numbers(data, folder, name)
    )


def _notes(data: FigureData, results: StudyResults) -> list[str]:
    """What a reader of the figure needs to know."""
    figure, notes = data.figure, []
    if figure.where is not None:
        notes.append(f"Only where {figure.where}.")
    if figure.y_where is not None:
        notes.append(f"{capital(name_of(figure.metric))} only where {figure.y_where}.")
    if figure.least_flows > 1:
        notes.append(f"Points with fewer than {counted(figure.least_flows, 'flow')} are left out.")
    for name, axis in results.study.table.axes.items():
        fixed = [scheme for scheme in data.schemes if not axis.varies(scheme)]
        if name in (figure.x, figure.facet) and fixed:
            default = f"{name_of(name)} {plain(axis.default)}"
            notes.append(f"{', '.join(fixed)}: run at {default} only, shown at every value.")
    for scale, column in ((figure.x_scale, "x"), (figure.y_scale, "value")):
        lost = sum(value <= 0 for value in data.frame[column]) if scale == "log" else 0
        if lost:
            notes.append(f"{counted(lost, 'value')} of 0 cannot be on a logarithmic axis.")
    if figure.kind == "front":
        near, beaten = (
            sum(found == of for found in data.frame["dominance"]) for of in ("near", "dominated")
        )
        notes.append(f"Of the others {near} are not shown to be beaten in both, {beaten} are.")
    if figure.kind == "series":
        network = results.seeds[0] if figure.network is None else figure.network
        notes.append(f"One network, seed {network}.")
    elif not data.frame.is_empty():
        shown = boxes(data.frame) if figure.kind == "box" else data.frame
        networks = shown["networks"].to_list()
        least, most = min(networks), counted(max(networks), "network")
        notes.append(f"{most}." if least == max(networks) else f"{least} to {most}.")
    return notes


def _facts(results: StudyResults) -> list[tuple[str, str]]:
    table = results.study.table
    return [
        ("Runs", f"{results.finished:,}"),
        ("Networks", networks_in_words(results).partition(" network")[0]),
        ("Schemes", f"{len(table.schemes):,}"),
        *(
            (capital(name_of(name)), f"{_listed(_ran(results, name))} {unit_of(axis.key)}".strip())
            for name, axis in table.axes.items()
        ),
        *(
            [("Reading", ", ".join(sorted({*results.readings.values()})))]
            if results.readings
            else []
        ),
        ("Scale", results.which),
    ]


def _ran(results: StudyResults, axis: str) -> list[Any]:
    """The values of an axis that this scale runs."""
    planned = {plain(dict(cell.point)[axis]) for cell in results.cells}
    return [label for label in results.study.table.axes[axis].labels if plain(label) in planned]


def _listed(labels: Sequence[Any]) -> str:
    shown = [plain(label) for label in labels]
    if len(shown) <= 6:
        return ", ".join(shown)
    return f"{shown[0]} to {shown[-1]} ({len(shown)} values)"


def _verdict(row: ClaimRow) -> ShownVerdict:
    """A verdict with its numbers in words."""
    measured, between = _numbers(row)
    beside = ""
    if (other := row["beside"]) is not None:
        words = [f"By {other['by']}:", other["verdict"], *_numbers(other)]
        beside = " ".join(filter(None, words))
    return ShownVerdict(
        id=row["id"],
        verdict=row["verdict"],
        grade=row["grade"],
        where=row["where"],
        statement=row["statement"],
        study=row["study"] or "",
        reading=row["reading"] or "",
        measured=measured,
        interval=between,
        runs=counted(row["runs"], "run") if row["runs"] else "",
        reason=breakable(row["reason"]),
        depends_on=", ".join(row["depends_on"]),
        beside=beside,
    )


def _numbers(row: VerdictRow) -> tuple[str, str]:
    """What was measured, with its interval; empty without one."""
    if row["measured"] is None:
        return "", ""
    return with_interval(row["measured"], *(row["interval"] or (None, None)))


def _command(results: StudyResults) -> str:
    # Where a precision holds or a best is selected, that decides how many networks there are.
    goes_on = results.precision or results.selections
    usual = goes_on or len(results.seeds) == results.study.networks(results.which)
    networks = "" if usual else f" --networks {len(results.seeds)}"
    return _COMMAND.format(scale=results.which, networks=networks)


def _shell(all_results: Sequence[StudyResults]) -> dict[str, Any]:
    """What every page has: scripts, versions, times."""
    spent_s = sum(results.simulation_s for results in all_results)
    return {
        "bundle": script(charts.bundle()),
        "versions": {
            "engine": "; ".join(_builds(all_results)),
            "Python": platform.python_version(),
            **{package: metadata.version(package) for package in _PACKAGES},
        },
        "reading": READING,
        "written": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "spent": _duration(spent_s),
    }


def _builds(all_results: Sequence[StudyResults]) -> list[str]:
    """The builds of the engines that ran the cells, the package's own first."""
    builds = {cell.build for results in all_results for cell in results.cells}
    own = engine.build_name()
    return [own, *sorted(builds - {own})]


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


Entry = tuple[str, str, Sequence[tuple[str, str]]]
"""Of the contents: the id of a part of the page, its title, and the same of what is below it."""


def _study_entries(section: ShownSection, silences: ShownSilences | None) -> list[Entry]:
    """The contents of a study's page."""
    entries: list[Entry] = [(f"figure-{one.name}", one.figure.title, ()) for one in section.figures]
    entries += [(f"ranking-{one.name}", one.title, ()) for one in section.rankings]
    entries.append(("schemes", "Schemes", ()))
    if section.summary:
        below = [(f"summary-{table.metric}", table.title) for table in section.summary]
        entries.append(("summary", "Summary", below))
    entries += [("silences", SILENCES, ())] if silences else []
    entries.append(("parameters", "Parameters", ()))
    entries += [("failures", "Failures", ())] if section.failures else []
    return [*entries, ("again", "Run it again", ())]


def _reproduction_entries(sections: Sequence[ShownSection]) -> list[Entry]:
    """The contents of a page of several studies."""
    studies: list[Entry] = [
        (section.name, section.study.title,
         [*((f"figure-{one.name}", one.figure.title) for one in section.figures),
          *((f"ranking-{one.name}", one.title) for one in section.rankings)])
        for section in sections
    ]  # fmt: skip
    return [*studies, ("verdicts", "All claims", ()), ("again", "Run it again", ())]
