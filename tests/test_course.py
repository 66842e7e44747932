"""The course's sheets: their scenarios run, and the answers are what the engine says."""

import json
from typing import Any

import pytest
from tools.course import COURSE, Values, page, ratio, sheets, values

from multihop import engine
from multihop.scenario import load

NAMES = [sheet["file"] for sheet in sheets()]


@pytest.fixture(scope="module")
def found() -> dict[str, Values]:
    return {sheet["file"]: values(sheet) for sheet in sheets()}


@pytest.mark.parametrize("sheet", sheets(), ids=NAMES)
def test_what_a_sheet_has_changed_is_what_a_scenario_has(sheet: dict[str, Any]) -> None:
    source = load(COURSE / f"{sheet['file']}.toml")
    given = engine.resolve(source.text, source.overrides)
    for name, settings in sheet["variants"].items():
        changed = engine.resolve(source.text, [*source.overrides, *settings.items()])
        assert (json.loads(changed) == json.loads(given)) == (not settings), name
    if sheet["minutes"]:
        text = (COURSE / f"{sheet['file']}.md").read_text("utf-8")
        assert text.startswith(f"# {sheet['title']}\nAbout {sheet['minutes']} minutes.")


def test_every_scenario_of_the_course_has_answers() -> None:
    scenarios = {path.stem for path in COURSE.glob("*.toml")} - {"answers"}
    assert scenarios == {*NAMES}


@pytest.mark.slow("some hundred runs")
@pytest.mark.parametrize("sheet", sheets(), ids=NAMES)
def test_the_answers_hold(sheet: dict[str, Any], found: dict[str, Values]) -> None:
    for answer in sheet["answers"]:
        _, low, high = ratio(answer, found[sheet["file"]])
        assert low >= answer.get("least", low), answer["says"]
        assert high <= answer["most"], answer["says"]


@pytest.mark.slow("some hundred runs")
def test_the_page_of_answers_is_what_runs_gave(found: dict[str, Values]) -> None:
    assert (COURSE / "answers.md").read_text("utf-8") == page(found), "python -m tools.course"
