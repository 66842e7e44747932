"""The demonstration: its small studies are those of the headlines, and what it shows."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from multihop import catalogue
from multihop.cli import cli
from multihop.reading import readings
from multihop.reproduction.headlines import Headline, faults
from multihop.study import Study
from multihop.study.document import StudyTable
from tests.papers_here import all_headlines

demo = import_module("multihop.cli.demo")  # as an attribute it is the command
SHOWN: list[Headline] = demo.shown_headlines()
SHORTENED = {"title", "duration_s", "lifetime_s"}


def table(name: str) -> StudyTable:
    return Study.read(catalogue.study_file(name)).table


def scenario(name: str) -> dict[str, Any]:
    """A study's scenario without what a short run may have otherwise."""
    found = table(name).scenario
    assert isinstance(found, dict)
    return _rest(found)


def _rest(tables: Any) -> Any:
    if isinstance(tables, dict):
        return {key: _rest(value) for key, value in tables.items() if key not in SHORTENED}
    return [_rest(value) for value in tables] if isinstance(tables, list) else tables


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.id)
def test_a_small_study_differs_from_the_headline_s_in_size_alone(shown: Headline) -> None:
    full = next(one.study for one in all_headlines() if one.id == shown.id)
    ours, theirs = table(shown.study), table(full)
    assert faults(shown, Study.read(catalogue.study_file(shown.study))) == []
    assert scenario(shown.study) == scenario(full)
    assert ours.first_seed == theirs.first_seed == 10001
    assert {*ours.readings} < {*theirs.readings}
    assert [one for one in ours.scheme_tables if one not in theirs.scheme_tables] == []
    for name, axis in ours.axes.items():
        if axis.key is not None:
            assert axis.key == theirs.axes[name].key
            assert {*axis.labels} <= {*theirs.axes[name].labels}


def test_there_is_a_headline_a_paper_under_its_default_reading_and_ours() -> None:
    assert [shown.paper for shown in SHOWN] == [*dict.fromkeys(one.paper for one in SHOWN)]
    assert {shown.paper for shown in SHOWN} == {one.paper for one in all_headlines()}
    for shown in SHOWN:
        default = next(one.name for one in readings(shown.paper) if one.default)
        assert table(shown.study).readings == [default, f"{shown.paper}/ours"]


def test_the_tournament_is_a_part_of_the_large_one() -> None:
    ours, theirs = table(demo.TOURNAMENT), table("tournament")
    assert [one for one in ours.scheme_tables if one not in theirs.scheme_tables] == []
    points = {str(point.label): point.set for point in theirs.axes["transport"].points}
    assert {str(point.label) for point in ours.axes["transport"].points} < points.keys()
    for point in ours.axes["transport"].points:
        assert points[str(point.label)] == point.set
    assert scenario(demo.TOURNAMENT) == scenario("tournament")


@pytest.mark.usefixtures("brief_studies")
def test_it_ends_in_a_report_of_all(tmp_path: Path) -> None:
    said = CliRunner().invoke(cli, ["demo", "--out", str(tmp_path), "--workers", "1"])
    assert said.exit_code == 0, said.output
    *_, last = said.stdout.splitlines()
    page = tmp_path / "report.html"
    assert last.strip() == str(page)
    assert max(len(line.rstrip()) for line in said.stdout.splitlines()[:-1]) <= 80
    assert said.stderr.count("s left") == len(SHOWN) + 1
    text = page.read_text("utf-8")
    for study, title in (
        (name, table(name).title) for name in [*(one.study for one in SHOWN), demo.TOURNAMENT]
    ):
        assert f'<li><a href="#{study}">{title}</a>' in text
        assert f'<section id="{study}"' in text
        assert f'id="figure-{study.replace("/", "-")}-' in text
    for shown in SHOWN:
        assert f"<code>multihop headlines {shown.paper} --scale full</code>" in text
        assert text.count(f"<code>{shown.id}</code>") == 2  # under each of its readings
        assert text.count(f'<span class="soft">{shown.paper}/ours</span>') == 1
    assert "<code>multihop study run tournament --scale full</code>" in text
    assert '<li><a href="#ranking-demo-tournament-fairness">' in text
