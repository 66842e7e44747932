"""The outcome of a study or a reproduction as Markdown, put into a page of the documentation."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from multihop.files import put_between, write_atomically
from multihop.labels import plain
from multihop.report import charts
from multihop.report.pages import Section
from multihop.report.rankings import READING, ranking_tables
from multihop.report.tables import Table
from multihop.report.wording import capital, counted, name_of, scale_of, with_interval
from multihop.reproduction.parts import Word
from multihop.reproduction.verdicts import ClaimRow, VerdictRow
from multihop.study.figures import FigureData
from multihop.study.ranking import ranking_data
from multihop.study.results import StudyResults

MARKERS = "<!-- results: begin -->", "<!-- results: end -->"

_ORDER: tuple[Word, ...] = ("differs", "inconclusive", "reproduced", "not run")
"""The verdicts as the table has them: what does not hold comes first."""

_MOST_ROWS = 30
"""A figure with more values of x than this is only drawn."""


def check_page(page: Path) -> None:
    """Refuse a page that results can't be put into.

    Raises:
        PageError: what is wrong with it.
    """
    put_between(page, MARKERS, None)


def put_results(
    page: Path, rows: Sequence[ClaimRow], sections: Sequence[Section], command: str
) -> None:
    """Put figures, tables and verdicts between the markers of a page that `check_page` accepts.

    The pictures go to `images/reproduction` beside the page's folder.

    Args:
        page: the page.
        rows: the verdicts as `multihop.reproduction.reproduce.rows` gives them.
        sections: the studies.
        command: the command that repeats it all.
    """
    parts = [_summary(rows, sections, command), "## Figures"]
    pictures = page.parent.parent / "images" / "reproduction"
    for section in sections:
        parts += _figures(section, page, pictures)
        parts += _rankings(section.results)
    parts += ["## Verdicts", _verdicts(rows)]
    put_between(page, MARKERS, "\n\n".join(parts))


def put_study(page: Path, results: StudyResults, figures: Sequence[FigureData]) -> None:
    """Put a study's rankings and figures between the markers of a page, as `put_results` does.

    The pictures go to a folder of the page's name in `images` beside it.
    """
    runs, networks = counted(results.finished, "run"), counted(len(results.seeds), "network")
    parts = [f"{capital(results.which)} scale: {runs}, {networks}."]
    missing = results.planned - results.finished
    if missing:
        parts.append(f"**Incomplete:** {missing:,} of {results.planned:,} runs are missing.")
    if rankings := list(_rankings(results)):
        parts += ["## Rankings", READING, *rankings]
    if drawn := list(
        _figures(Section("", results, figures), page, page.parent / "images" / page.stem)
    ):
        parts += ["## Figures", *drawn]
    put_between(page, MARKERS, "\n\n".join(parts))


def _summary(rows: Sequence[ClaimRow], sections: Sequence[Section], command: str) -> str:
    counts = Counter(row["verdict"] for row in rows)
    verdicts = ", ".join(f"{counts[word]} {word}" for word in reversed(_ORDER))
    runs = sum(section.results.finished for section in sections)
    said = [f"`{command}`: {runs:,} runs. {len(rows)} claims: {verdicts}."]
    twice = [(row, beside) for row in rows if (beside := row.get("beside"))]
    for metric in sorted({beside["metric"] or "" for _, beside in twice}):
        both = [(row, beside) for row, beside in twice if beside["metric"] == metric]
        by_it = _counts(beside for _, beside in both)
        as_said = _counts(row for row, _ in both)
        said.append(
            f"{len(both)} of them are also judged by `{metric}`: {by_it}, against {as_said}."
        )
    return " ".join(said)


def _counts(verdicts: Iterable[VerdictRow]) -> str:
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return ", ".join(f"{counts[word]} {word}" for word in reversed(_ORDER) if counts[word])


def _rankings(results: StudyResults) -> Iterator[str]:
    for data in ranking_data(results):
        tables = ranking_tables(data)
        if tables is None:
            continue
        yield f"### {data.ranking.title}"
        if tables.notes:
            yield " ".join(tables.notes)
        yield _whole(tables.best)
        yield _whole(tables.first)


def _whole(table: Table) -> str:
    return table_lines([table.headings, *table.rows])


def _figures(section: Section, page: Path, folder: Path) -> Iterator[str]:
    """Each figure with its table; the pictures are written into `folder`."""
    table = section.results.study.table
    look = charts.Look([scheme.name for scheme in table.scheme_tables], table.baseline)
    prefix = f"{section.name.replace('/', '-')}-" if section.name else ""
    networks = f"{section.results.which} scale, {len(section.results.seeds)} networks"
    source = f"`studies/{section.name}.toml`, {networks}. " if section.name else ""
    folder.mkdir(parents=True, exist_ok=True)
    for data in section.figures:
        if data.frame.is_empty():
            continue
        picture = folder / f"{prefix}{data.figure.name}.svg"
        write_atomically(picture, charts.svg(charts.chart(data, look)))
        yield f"### {data.figure.title}"
        if about := f"{source}{_said(data.figure.paper)}".strip():
            yield about
        yield f"![{data.figure.title}]({os.path.relpath(picture, page.parent)})"
        if shown := _table(data):
            yield shown


def _said(paper: str | None) -> str:
    if not paper:
        return ""
    # Names such as TCP keep their capitals.
    is_word = paper[1:2].islower() or paper[1:2] == " "
    return f"The paper: {paper[:1].lower() if is_word else paper[:1]}{paper[1:]}"


def _table(data: FigureData) -> str:
    """Values with their intervals: a row for each panel and x, a column for each scheme."""
    figure, frame = data.figure, data.frame
    places = frame.select("facet", "x").unique(maintain_order=True).rows()
    bars = figure.x == "scheme"
    if figure.kind == "series" or (not bars and len(places) > _MOST_ROWS):
        return ""
    factor, unit = scale_of(data.unit, frame["value"])
    head = [] if figure.facet is None else [capital(name_of(figure.facet))]
    head += [] if bars else [figure.x_title or capital(name_of(figure.x))]
    of_unit = f", {unit}" if unit else ""
    lines = [[*head, *(f"{scheme}{of_unit}" for scheme in data.schemes)]]
    if bars:
        places = frame.select("facet", pl.lit(None)).unique(maintain_order=True).rows()
    for facet, x in places:
        here = frame.filter(pl.col("facet").eq_missing(pl.lit(facet)))
        here = here if bars else here.filter(pl.col("x") == x)
        found = {row["scheme"]: _value(row, factor) for row in here.iter_rows(named=True)}
        place = [] if figure.facet is None else [plain(facet)]
        place += [] if bars else [plain(x)]
        lines.append([*place, *(found.get(scheme, "–") for scheme in data.schemes)])
    return table_lines(lines)


def _value(row: Mapping[str, Any], factor: float) -> str:
    ends = [None if row[key] is None else row[key] * factor for key in ("value", "low", "high")]
    return _with(*with_interval(*ends))


def _with(value: str, between: str) -> str:
    return f"{value} ({between})" if between else value


def _verdicts(rows: Sequence[ClaimRow]) -> str:
    lines = [["claim", "the paper", "verdict", "measured", "by"]]
    for row in sorted(rows, key=lambda row: _ORDER.index(row["verdict"])):
        numbers = _number(row)
        owner = "a test" if row["test"] else row["study"] or "–"
        why = "" if row["test"] else row["reason"]
        verdict = _bold(row["verdict"])
        statement = f"{row['where']}: {row['statement']}"
        said = ": ".join(part for part in (numbers, why) if part)
        if beside := row.get("beside"):
            said = f"{said}; {_beside(beside)}"
        lines.append([f"`{row['id']}`", statement, verdict, said, owner])
    return table_lines(lines)


def _beside(verdict: VerdictRow) -> str:
    """The verdict by another metric in a line."""
    said = f"by `{verdict['metric']}` {_bold(verdict['verdict'])}"
    return f"{said}, {numbers}" if (numbers := _number(verdict)) else said


def _number(verdict: VerdictRow) -> str:
    if verdict["measured"] is None:
        return ""
    return _with(*with_interval(verdict["measured"], *(verdict["interval"] or (None, None))))


def _bold(word: str) -> str:
    return f"**{word}**" if word == "differs" else word


def table_lines(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is its head."""
    clean = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    clean.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in clean)
