"""Every number of README.md, and every measured one of the manual, can be made again.

`numbers.toml` names it. A number that nothing generates or tests is a fault here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tools import study_costs

ROOT = Path(__file__).resolve().parents[1]
TABLE: dict[str, Any] = tomllib.loads((ROOT / "tests" / "numbers.toml").read_text("utf-8"))
STATED: list[dict[str, Any]] = TABLE["stated"]
GIVEN: dict[str, Any] = TABLE["given"]
BOOKS = ("start", "use", "model", "extend")
MANUAL = sorted(page for book in BOOKS for page in (ROOT / "docs" / book).rglob("*.md"))

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^ {4,}(?! *- ).*$", re.MULTILINE)
UNSEEN = re.compile(r"<!--.*?-->|`[^`\n]*`|(?<=\])\([^)]*\)", re.DOTALL)
NAMES = re.compile(
    r"802\.11\w*|ns-[23](\.\d+)?|RFC \d+|Apache License [\d.]+|\w*[A-Za-z_-]\d\S*|\(\d{4}\)"
)
"""What has a digit and is no number: standards, programs, variables, years of papers."""
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
MEASURED = re.compile(
    r"\d[\d.,]*(?: to \d[\d.,]*)?\s?%|±\s?\d[\d.,]*"
    r"|\d[\d.]* \(\d[\d.]* (?:to|–|-) \d[\d.]*\)"
    r"|\d[\d,.]* (?:times|kbit/s)|\d[\d,]* of \d+(?:,\d{3})*"
)
"""What a result looks like: a share, an interval, a ratio, a rate, a count out of others."""


@cache
def seen(page: Path) -> str:
    """A page's text without code, comments and addresses, in one line."""
    text = page.read_text("utf-8")
    for hidden in (FENCE, INDENTED, UNSEEN):
        text = hidden.sub(" ", text)
    return re.sub(r"\s+", " ", text.replace("[", " ").replace("]", " ").replace("*", ""))


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def spans(page: Path, texts: list[str]) -> list[tuple[int, int]]:
    """Where these stand on a page."""
    return [match.span() for text in texts for match in re.finditer(re.escape(text), seen(page))]


def named(page: str) -> list[str]:
    """What the table knows of a page."""
    own = [one["text"] for one in STATED if one["page"] == page]
    return [*own, *GIVEN.get(page, []), "95 %"]


def unnamed(page: Path, pattern: re.Pattern[str], known: list[tuple[int, int]]) -> Iterator[str]:
    """What matches outside the known places, with some text around it."""
    text = seen(page)
    for match in pattern.finditer(text):
        if not any(start <= match.start() and match.end() <= end for start, end in known):
            yield text[max(0, match.start() - 40) : match.end() + 20]


def test_every_number_of_the_readme_has_a_source() -> None:
    page = ROOT / "README.md"
    names = [match.span() for match in NAMES.finditer(seen(page))]
    assert [*unnamed(page, NUMBER, [*names, *spans(page, named("README.md"))])] == []


@pytest.mark.parametrize("page", MANUAL, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_manual_leaves_measured_results_to_the_evidence(page: Path) -> None:
    known = spans(page, named(page.relative_to(ROOT).as_posix()))
    assert [*unnamed(page, MEASURED, known)] == []


@pytest.mark.parametrize("one", STATED, ids=lambda one: one["text"][:40])
def test_a_source_says_the_number(one: dict[str, Any]) -> None:
    assert one["text"] in seen(ROOT / one["page"]), "numbers.toml has a text that is not there"
    source = flat((ROOT / one["source"]).read_text("utf-8"))
    assert one.get("made_by", "") in source, "the source does not name what makes it"
    wanted = NUMBER.findall(NAMES.sub(" ", one["text"]))
    if "count" in one:
        assert wanted == [str(source.count(one["count"]))]
        return
    says = [one["says"]] if isinstance(one["says"], str) else one["says"]
    assert [text for text in says if text not in source] == []
    there = [float(each.replace(",", "")) for text in says for each in NUMBER.findall(text)]
    for number in wanted:
        digits = len(number.partition(".")[2])
        value = float(number.replace(",", ""))
        assert any(round(each, digits) == value for each in there), f"{number} is not in {says}"


def test_what_the_manual_may_say_is_there() -> None:
    pages = {page: texts for page, texts in GIVEN.items() if page.endswith(".md")}
    assert [text for page in pages for text in pages[page] if text not in seen(ROOT / page)] == []


def test_a_number_from_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("By 802.11g it gains `1.5` to 17 % ([x](y-3.md)), 1.2 (1.1 to 1.3).\n", "utf-8")
    assert len([*unnamed(page, MEASURED, [])]) == 2
    names = [match.span() for match in NAMES.finditer(seen(page))]
    assert len([*unnamed(page, NUMBER, names)]) == 4


def test_the_table_of_costs_has_the_runs_of_the_studies_as_they_are() -> None:
    """Times are rough, and differ from machine to machine."""
    page = study_costs.PAGE.read_text("utf-8")
    begin, end = study_costs.MARKERS
    told = page.partition(begin)[2].partition(end)[0].strip().splitlines()
    made = study_costs.table().splitlines()
    assert [line.rsplit("|", 2)[0] for line in told] == [line.rsplit("|", 2)[0] for line in made]
