"""Time to an answer: the ten questions, and what is told of each."""

import re
from pathlib import Path

import pytest
from benches.answers import FOLDER, Answer, found, table
from benches.peers import Run

import multihop
from tests.test_study import tables

FILES = sorted(FOLDER.glob("*.toml"))


def test_there_are_ten_questions() -> None:
    assert len(FILES) == 10


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_question_says_when_it_is_answered(file: Path) -> None:
    asked = multihop.Study.read(file).table
    selecting = [ranking for ranking in asked.rankings if ranking.select is not None]
    assert len(asked.precisions) + len(selecting) == 1


@pytest.mark.parametrize(
    ("relative_to", "told"), [("static", r"\d\.\d\d \(\d\.\d\d to \d\.\d\d\)"), (None, r"kbit/s")]
)
def test_an_answer_has_its_interval(relative_to: str | None, told: str, tmp_path: Path) -> None:
    precision = {"metric": "goodput_bps", "relative_half_width": 0.9, "limit": 10}
    if relative_to is not None:
        precision["relative_to"] = relative_to
    study = multihop.Study(**tables(schemes=["aodv", "static"], precision=precision))
    values = found(study.run(tmp_path, workers=1)).split(", ")
    assert len(values) == (4 if relative_to is None else 2), "a cell each, but the baseline's"
    for value in values:
        assert re.search(told, value)


def test_a_winner_is_named_with_what_it_gets(tmp_path: Path) -> None:
    ranking = {"name": "best", "title": "Best", "y": "goodput_bps", "over": ["window"]}
    select = {"start": 2, "limit": 3, "indifference": 0.5}
    results = multihop.Study(**tables(rankings=[ranking | {"select": select}])).run(tmp_path)
    told = found(results)
    (race,) = results.selected()[0].races
    assert re.match(r"(aodv|static) \+ [14], [\d,]+ kbit/s", told)
    assert ("not told apart" in told) == (not race.decided)


def test_equal_shares_give_each_cell_what_the_widest_needs() -> None:
    answer = Answer("Which?", "this", Run(60.0, 40.0, 0), runs=30, equal_runs=45, peer_s=12.0)
    *_, row = table([answer])
    assert row == "| Which? | this | 30 | 40 s | 60 s | 45 runs, 90 s | 9 min |"
