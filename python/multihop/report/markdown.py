"""The outcome of a study or a reproduction as Markdown, put into a page of the documentation."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from multihop.files import put_between, write_atomically
from multihop.foreign import in_markdown
from multihop.labels import plain
from multihop.report import charts
from multihop.report.pages import Section
from multihop.report.precision import networks_in_words, shown_precisions
from multihop.report.rankings import READING, ranking_tables
from multihop.report.tables import Table, figure_table
from multihop.report.wording import capital, counted, in_order, name_of, scale_of, with_interval
from multihop.reproduction.parts import ALIKE, Word
from multihop.reproduction.verdicts import ClaimRow, VerdictRow
from multihop.study.distributions import boxes
from multihop.study.figure import METRIC_ACROSS
from multihop.study.figures import FigureData
from multihop.study.ranking import ranking_data
from multihop.study.results import StudyResults
from multihop.study.samples import equals

MARKERS = "<!-- results: begin -->", "<!-- results: end -->"

_ORDER: tuple[Word, ...] = ("differs", "inconclusive", ALIKE, "reproduced", "not run")
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

    The pictures go to the folder `pictures` beside the page.

    Args:
        page: the page.
        rows: the verdicts as `multihop.reproduction.reproduce.rows` gives them.
        sections: the studies.
        command: the command that repeats it all.
    """
    parts = [_summary(rows, sections, command), "## Figures"]
    pictures = page.parent / "pictures"
    for section in sections:
        parts += _precisions(section.results, f" of `{section.name}`")
        parts += figure_blocks(section, page, pictures)
        parts += _rankings(section.results)
    parts += ["## Verdicts", _verdicts(rows)]
    put_between(page, MARKERS, "\n\n".join(parts))


def put_study(page: Path, results: StudyResults, figures: Sequence[FigureData]) -> None:
    """Put a study's rankings and figures between the markers of a page, as `put_results` does.

    The pictures go to a folder of the page's name in `images` beside it.
    """
    runs, networks = counted(results.finished, "run"), networks_in_words(results)
    under = ", ".join(f"`{name}`" for name in sorted({*results.readings.values()}))
    read = f", under {under}" if under else ""
    parts = [f"{capital(results.which)} scale: {runs}, {networks}{read}."]
    missing = results.planned - results.finished
    if missing:
        parts.append(f"**Incomplete:** {missing:,} of {results.planned:,} runs are missing.")
    parts += _precisions(results)
    if rankings := list(_rankings(results)):
        parts += ["## Rankings", READING, *rankings]
    if drawn := list(
        figure_blocks(Section("", results, figures), page, page.parent / "images" / page.stem)
    ):
        parts += ["## Figures", *drawn]
    put_between(page, MARKERS, "\n\n".join(parts))


def _summary(rows: Sequence[ClaimRow], sections: Sequence[Section], command: str) -> str:
    counts = Counter(row["verdict"] for row in rows)
    verdicts = ", ".join(f"{counts[word]} {word}" for word in reversed(_ORDER))
    runs = sum(section.results.finished for section in sections)
    said = [f"`{command}`: {runs:,} runs. {len(rows)} claims: {verdicts}."]
    twice = [(row, beside) for row in rows if (beside := row.get("beside"))]
    for by in sorted({_by(beside) for _, beside in twice}):
        both = [(row, beside) for row, beside in twice if _by(beside) == by]
        by_it = _counts(beside for _, beside in both)
        as_said = _counts(row for row, _ in both)
        said.append(f"{len(both)} of them are also judged by {by}: {by_it}, against {as_said}.")
    return " ".join(said)


def _counts(verdicts: Iterable[VerdictRow]) -> str:
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return ", ".join(f"{counts[word]} {word}" for word in reversed(_ORDER) if counts[word])


def _precisions(results: StudyResults, study: str = "") -> Iterator[str]:
    """A paragraph for each precision that the results are held to, and the cells too wide."""
    for shown in shown_precisions(results):
        yield f"**Precision{study}**, {shown.wanted}: {shown.said}."
        if shown.table is not None:
            yield _whole(shown.table)
        if shown.more:
            yield f"{shown.more}."


def _rankings(results: StudyResults) -> Iterator[str]:
    for data in ranking_data(results):
        tables = ranking_tables(data)
        if tables is None:
            continue
        yield f"### {in_markdown(data.ranking.title)}"
        if tables.notes:
            yield " ".join(map(in_markdown, tables.notes))
        yield _whole(tables.best)
        yield _whole(tables.first)


def _whole(table: Table) -> str:
    return _foreign([table.headings, *table.rows])


def figure_blocks(section: Section, page: Path, folder: Path, level: int = 3) -> Iterator[str]:
    """Each figure with its heading and table; the pictures are written into `folder`."""
    table = section.results.study.table
    look = charts.Look([scheme.name for scheme in table.scheme_tables], table.baseline)
    prefix = f"{section.label.replace('/', '-')}-" if section.name else ""
    scale = f"{section.results.which} scale, {networks_in_words(section.results)}"
    under = f", reading `{section.reading}`" if section.reading else ""
    source = f"`{section.name}`, {scale}{under}. " if section.name else ""
    folder.mkdir(parents=True, exist_ok=True)
    for data in section.figures:
        if data.frame.is_empty():
            continue
        picture = folder / f"{prefix}{data.figure.name}.svg"
        write_atomically(picture, charts.svg(charts.chart(data, look)))
        yield f"{'#' * level} {in_markdown(data.figure.title)}"
        if about := f"{source}{in_markdown(_said(data.figure.paper))}".strip():
            yield about
        yield f"![{in_markdown(data.figure.title)}]({os.path.relpath(picture, page.parent)})"
        if shown := _table(data):
            yield shown


def _said(paper: str | None) -> str:
    if not paper:
        return ""
    # Names such as TCP keep their capitals.
    is_word = paper[1:2].islower() or paper[1:2] == " "
    return f"The paper: {paper[:1].lower() if is_word else paper[:1]}{paper[1:]}"


def _table(data: FigureData) -> str:
    """Values with their intervals: a row for each panel and x, a column for each scheme.

    Of a heatmap a row for each panel, scheme and value of `over`, and a column for each x.
    """
    figure = data.figure
    if figure.kind == "series":
        return ""
    if figure.kind in METRIC_ACROSS:
        return _whole(figure_table(data))
    frame = boxes(data.frame) if figure.kind == "box" else data.shown
    heatmap = figure.kind == "heatmap"
    across = "x" if heatmap or figure.x == "scheme" else "scheme"
    names = {"facet": figure.facet, "scheme": "scheme", "over": figure.over, "x": figure.x}
    down = [part for part, name in names.items() if name is not None and part != across]
    if "scheme" in (figure.x, figure.over):
        down = [part for part in down if part != "scheme"]
    places = frame.select(down).unique(maintain_order=True).rows() if down else [()]
    if len(places) > _MOST_ROWS:
        return ""
    factor, unit = scale_of(data.unit, data.measured)
    of_unit = f", {unit}" if unit else ""
    columns = in_order(frame["x"]) if heatmap else data.schemes
    titles = names | {"x": figure.x_title or figure.x}
    head = [capital(name_of(titles[part] or "")) for part in down]
    of_x = f"{figure.x_title or name_of(figure.x)} " if heatmap and figure.x != "scheme" else ""
    lines = [[*head, *(f"{of_x}{plain(column)}{of_unit}" for column in columns)]]
    for place in places:
        here = frame.filter(equals(dict(zip(down, place, strict=True))))
        found = {row[across]: _value(row, factor) for row in here.iter_rows(named=True)}
        lines.append([*map(plain, place), *(found.get(column, "–") for column in columns)])
    return _foreign(lines)


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
        owner += f" ({row['reading'].rpartition('/')[2]})" if row["reading"] else ""
        why = "" if row["test"] else row["reason"]
        verdict = _bold(row["verdict"])
        statement = f"{row['where']}: {row['statement']}"
        said = ": ".join(part for part in (numbers, why) if part)
        if beside := row.get("beside"):
            said = f"{said}; {_beside(beside)}"
        lines.append([f"`{row['id']}`", statement, verdict, said, owner])
    return table_lines(lines)


def _beside(verdict: VerdictRow) -> str:
    """The second verdict in a line."""
    said = f"by {_by(verdict)} {_bold(verdict['verdict'])}"
    return f"{said}, {numbers}" if (numbers := _number(verdict)) else said


def _by(verdict: VerdictRow) -> str:
    """What the second verdict is judged by; metrics as code."""
    return f"`{verdict['by']}`" if verdict["by"] == verdict["metric"] else verdict["by"]


def _number(verdict: VerdictRow) -> str:
    if verdict["measured"] is None:
        return ""
    return _with(*with_interval(verdict["measured"], *(verdict["interval"] or (None, None))))


def _bold(word: str) -> str:
    return f"**{word}**" if word == "differs" else word


def _foreign(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of texts that a study's author wrote."""
    return table_lines([[*map(in_markdown, row)] for row in rows])


def table_lines(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first row is its head."""
    clean = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    clean.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in clean)
