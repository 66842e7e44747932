"""Headlines as tables for a page of the documentation, in full and in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, cast, get_args

from multihop.files import put_between
from multihop.report.markdown import figure_blocks, table_lines
from multihop.report.pages import Section, write_reproduction_page
from multihop.report.wording import with_interval
from multihop.reproduction.headline_verdicts import HeadlineVerdict, Tested, Word, in_a_word
from multihop.reproduction.headlines import Headline, studies_of
from multihop.reproduction.verdicts import ClaimRow

MARKERS = "<!-- headlines: begin -->", "<!-- headlines: end -->"
DECIDED = "<!-- headlines decided: begin -->", "<!-- headlines decided: end -->"
SHORT = "<!-- headlines in short: begin -->", "<!-- headlines in short: end -->"


def put_headlines(
    page: Path,
    chosen: Sequence[Headline],
    verdicts: Sequence[HeadlineVerdict],
    sections: Sequence[Section],
    command: str,
) -> None:
    """Put the headlines between a page's markers, in short where it has those for that.

    In full each paper has the figures of its studies, `sections`, below them; the pictures go to a
    folder of the page's name in `images` beside it.

    Raises:
        PageError: the page can't be read, or lacks the markers.
    """
    markers = markers_of(page)
    put_between(page, markers, None)
    if markers is SHORT:
        put_between(page, markers, short(chosen, verdicts))
        return
    folder = page.parent / "images" / page.stem
    drawn = {section.name: [*figure_blocks(section, page, folder, 4)] for section in sections}
    put_between(page, markers, in_full(chosen, verdicts, drawn, command))


def put_decided(
    page: Path,
    chosen: Sequence[Headline],
    verdicts: Sequence[HeadlineVerdict],
    command: str,
    effort: str,
) -> None:
    """Put headlines that were judged until decided between a page's markers, in short or in full.

    Raises:
        PageError: the page can't be read, or lacks the markers.
    """
    if markers_of(page, decided=True) is SHORT:
        put_between(page, SHORT, short(chosen, verdicts))
        return
    counted = [["reading", *_GIVEN[:3], "open", "not reached"]]
    for reading, group in groupby(sorted(verdicts, key=_reading_of), _reading_of):
        words = [verdict.word for verdict in group]
        counted.append([f"`{reading}`", *(str(words.count(word)) for word in _GIVEN)])
    totals = [sum(int(row[place]) for row in counted[1:]) for place in range(1, 6)]
    counted.append(["all", *(f"**{total}**" for total in totals)])
    said = (
        f"`{command}`: {len(chosen)} headlines, {len(verdicts)} judgements (a headline under a "
        f"reading). Intervals are 95 %, each by itself; the words allow for all judgements and all "
        f"looks together (5 %). {effort}"
    )
    parts = [said, table_lines(counted), *_listed(chosen, verdicts)]
    put_between(page, DECIDED, "\n\n".join(parts))


_GIVEN = get_args(Word)


def _reading_of(verdict: HeadlineVerdict) -> str:
    return verdict.reading or verdict.paper


def write_headlines_page(
    path: Path,
    chosen: Sequence[Headline],
    verdicts: Sequence[HeadlineVerdict],
    sections: Sequence[Section],
    command: str,
    title: str = "What holds, and under which reading",
) -> None:
    """Write report.html: every headline under every reading, and its studies."""
    said = {headline.id: headline for headline in chosen}
    rows = [_page_row(said[verdict.id], verdict) for verdict in verdicts]
    write_reproduction_page(
        sections, rows, path, title=title, command=command, words=get_args(Word)
    )


def _page_row(headline: Headline, verdict: HeadlineVerdict) -> ClaimRow:
    """A headline under a reading as the page of claims takes it."""
    part = verdict.decisive
    return {
        "id": headline.id,
        "verdict": cast("Any", verdict.word),
        "grade": "",
        "measured": None if part is None else part.value,
        "interval": None if part is None else (part.low, part.high),
        "runs": 0,
        "networks": 0 if part is None else part.networks,
        "study": headline.study,
        "metric": None,
        "test": None,
        "reason": "; ".join([*(one.text for one in verdict.parts), *filter(None, [verdict.why])]),
        "reading": verdict.reading or None,
        "depends_on": [],
        "beside": None,
        "by": "",
        "needed": verdict.expected,
        "where": f"{headline.paper}, {headline.where}",
        "statement": headline.says,
    }


def markers_of(page: Path, *, decided: bool = False) -> tuple[str, str]:
    """Which markers the page has; those of the long form if neither."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    if SHORT[0] in text:
        return SHORT
    return DECIDED if decided else MARKERS


def effort(spent_s: float, equal_s: float, whole_s: float, most: int) -> str:
    """What the runs took, beside equal networks for all, in a sentence."""
    return (
        f"The runs took {spent_s / 3600:.2f} processor hours; as many networks for all of a study "
        f"as its most looked at judgement has would have taken {equal_s / 3600:.2f}, and "
        f"{most:,} for every judgement {whole_s / 3600:.0f}."
    )


def short(chosen: Sequence[Headline], verdicts: Sequence[HeadlineVerdict]) -> str:
    """One row a headline: what the paper says, and whether it holds."""
    lines = [["paper", "headline", "result"]]
    for headline, found in _by_headline(chosen, verdicts):
        lines.append([headline.paper, headline.says, f"**{in_a_word(found)}**"])
    return table_lines(lines)


def in_full(
    chosen: Sequence[Headline],
    verdicts: Sequence[HeadlineVerdict],
    drawn: Mapping[str, Sequence[str]],
    command: str,
) -> str:
    """Each headline with its number under every reading, then its studies' figures, by paper."""
    judged = [verdict for verdict in verdicts if verdict.parts]
    parts = [
        f"`{command}`: {len(chosen)} headlines, {len(judged)} judgements "
        f"(a headline under a reading). Intervals are 95 %, each by itself; the words allow for "
        f"all {len(judged)} judgements together (Holm, 5 %)."
    ]
    return "\n\n".join([*parts, *_listed(chosen, verdicts, drawn)])


def _listed(
    chosen: Sequence[Headline],
    verdicts: Sequence[HeadlineVerdict],
    drawn: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Each paper's headlines, with what is drawn of its studies below them."""
    parts = []
    for paper, group in groupby(_by_headline(chosen, verdicts), lambda pair: pair[0].paper):
        parts.append(f"### {paper}")
        pairs = list(group)
        for headline, found in pairs:
            parts.append(
                f"**{headline.says}** ({headline.where}; `{headline.id}`): *{in_a_word(found)}*."
            )
            lines = [["reading", "quantity", "measured", "wanted", "networks", "word"]]
            for verdict in found:
                lines += _rows(verdict)
            parts.append(table_lines(lines))
        for study in studies_of(headline for headline, _ in pairs):
            parts += (drawn or {}).get(study, [])
    return parts


def _rows(verdict: HeadlineVerdict) -> list[list[str]]:
    rows = []
    for number, part in enumerate(verdict.parts):
        first = number == 0
        rows.append(
            [
                f"`{verdict.reading}`" if first else "",
                part.what,
                _measured(part),
                f"{part.side} {part.line:g}",
                f"{part.networks:,}",
                _word(verdict) if first else "",
            ]
        )
    return rows or [[f"`{verdict.reading}`" if verdict.reading else "", "", "", "", "", "not run"]]


def _word(verdict: HeadlineVerdict) -> str:
    """The word; of what is open, how many networks it would take."""
    if verdict.word != "not decided" or verdict.expected is None:
        return verdict.word
    return f"open: about {verdict.expected:,} networks"


def _measured(part: Tested) -> str:
    value, between = with_interval(part.value, part.low, part.high)
    return f"{value} ({between})" if between else value


def _by_headline(
    chosen: Sequence[Headline], verdicts: Sequence[HeadlineVerdict]
) -> list[tuple[Headline, list[HeadlineVerdict]]]:
    order = [*dict.fromkeys(headline.paper for headline in chosen)]
    ranked = sorted(chosen, key=lambda headline: order.index(headline.paper))
    return [(one, [found for found in verdicts if found.id == one.id]) for one in ranked]
