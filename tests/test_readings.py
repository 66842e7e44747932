"""Readings: their files, and what they lay over schemes in runs and studies."""

import json
from pathlib import Path

import pytest

import multihop
from multihop import Study, catalogue, engine, reading, scenario
from multihop.study.plan import Cell
from tests.conftest import Called
from tests.papers_here import NAMES

CHAIN = {
    "duration_s": 2,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}


def study(**tables: object) -> Study:
    return Study(
        title="readings",
        question="What does a reading change?",
        scenario=CHAIN,
        scale={"quick": {"networks": 1}},
        **{"schemes": ["shortest-path-aodv", "dcar"], **tables},
    )


def routing(cell: Cell) -> dict[str, object]:
    found: dict[str, object] = json.loads(cell.text)["routing"]
    return found


def resolved_routing(written: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(written)["scenario"]["routing"]
    return found


def of(found: Study, scheme: str, name: str | None = None) -> Cell:
    label = {} if name is None else {"reading": name}
    return next(c for c in found.cells() if c.scheme == scheme and dict(c.point) == label)


@pytest.mark.parametrize("paper", NAMES)
def test_every_paper_has_ours_another_and_one_default(paper: str) -> None:
    names = [found.name for found in reading.readings(paper)]
    assert f"{paper}/ours" in names
    assert len(names) > 1
    assert sum(found.default for found in reading.readings(paper)) == 1


@pytest.mark.parametrize("found", reading.readings(), ids=lambda found: found.name)
def test_every_choice_can_be_laid_over_the_schemes_that_it_names(found: reading.Reading) -> None:
    for name, _ in engine.schemes():
        if any(choice.schemes and choice.concerns(name) for choice in found.choices):
            multihop.run({**CHAIN, "duration_s": 0.1}, scheme=name, reading=found.name)


@pytest.mark.parametrize("paper", NAMES)
def test_ours_is_what_the_engine_takes_a_scheme_for(paper: str) -> None:
    source = scenario.load(CHAIN)
    schemes = [name for name, _ in engine.schemes()]
    read = study(schemes=schemes).under(f"{paper}/ours")
    for name in schemes:
        if reading.find(f"{paper}/ours").concerns(name):
            bare = engine.resolve(
                source.text, engine.scheme_overrides(name) or [], syntax=source.syntax
            )
            # The order of a preset's keys may differ; what runs may not.
            ours = json.loads(of(read, name, f"{paper}/ours").text)
            assert json.loads(bare) == ours, name


@pytest.mark.parametrize("paper", NAMES)
def test_a_scheme_named_alone_is_under_the_default_reading_of_its_paper(paper: str) -> None:
    default = reading.default(paper)
    if paper == "ez-flow":  # its reading is about the radio, and leaves the scheme as it is
        assert reading.of_scheme("ez-flow") is None
        return
    schemes = [name for name, _ in engine.schemes() if default.owns(name)]
    bare = study(schemes=schemes)
    read = bare.under(default.name)
    for name in schemes:
        assert of(bare, name).digest == of(read, name, default.name).digest, name
        assert of(bare, name).reading == default.name


def test_what_runs_says_which_reading_it_is_under() -> None:
    for name, under in [("dcar", "ccar/ns2-stock"), ("tcp", "elfn/ns2-stock"), ("aodv", None)]:
        result = multihop.run({**CHAIN, "duration_s": 0.1}, scheme=name)
        assert result.reading == under, name
        assert result.json.get("reading") == under, name
    ours = multihop.run({**CHAIN, "duration_s": 0.1}, scheme="dcar", reading="ccar/ours")
    assert ours.reading == "ccar/ours"
    assert ours.scenario["routing"]["rreq_collect"] == "proportional"


@pytest.mark.parametrize("name", ["aodv", "dsr", "tcp-newreno", "tcp-ap", "static"])
def test_a_protocol_that_is_no_papers_stays_itself(name: str) -> None:
    assert reading.of_scheme(name) is None
    source = scenario.load(CHAIN)
    plain = engine.resolve(source.text, engine.scheme_overrides(name) or [], syntax=source.syntax)
    assert json.loads(of(study(schemes=[name]), name).text) == json.loads(plain)


@pytest.mark.parametrize("name", ["copas/text", "copas/ours", "copas/ns2-stock"])
def test_a_baseline_belongs_to_every_reading_of_its_paper(name: str) -> None:
    result = multihop.run({**CHAIN, "duration_s": 0.1}, scheme="dsr", reading=name)
    assert result.reading == name


def test_a_study_of_a_paper_runs_as_its_claims_are_judged() -> None:
    asked = Study.read(catalogue.study_file("ccar/two-strings"))
    judged = asked.under(reading.default("ccar").name)
    assert [c.digest for c in asked.cells()] == [c.digest for c in judged.cells()]


def test_a_scheme_of_a_study_can_be_under_a_reading_of_its_own() -> None:
    schemes = ["dcar", {"name": "early", "scheme": "dcar", "reading": "ccar/ours"}]
    found = study(schemes=schemes)
    assert routing(of(found, "dcar"))["rreq_collect"] == "fixed"
    assert routing(of(found, "early"))["rreq_collect"] == "proportional"
    again = found.under("ccar/equal-errors")
    name = "ccar/equal-errors"
    assert of(again, "early", name).digest == of(again, "dcar", name).digest


def test_a_reading_is_laid_over_the_preset_and_under_what_the_study_sets() -> None:
    schemes = ["dcar", {"name": "held", "scheme": "dcar", "set": {"routing.local_repair": False}}]
    found = study(schemes=schemes, readings=["ccar/ours", "ccar/ns2-stock"])
    assert routing(of(found, "dcar", "ccar/ours"))["rreq_collect"] == "proportional"
    stock = routing(of(found, "dcar", "ccar/ns2-stock"))
    assert (stock["rreq_collect"], stock["local_repair"]) == ("fixed", True)
    held = routing(of(found, "held", "ccar/ns2-stock"))
    assert (held["rreq_collect"], held["local_repair"]) == ("fixed", False)


def test_an_axis_wins_over_a_reading() -> None:
    axis = {"repair": {"key": "routing.local_repair", "values": [False]}}
    found = study(axes=axis, readings=["ccar/ns2-stock"])
    assert all(routing(cell)["local_repair"] is False for cell in found.cells())


def test_readings_are_a_column_of_the_results(tmp_path: Path) -> None:
    names = ["ccar/ours", "ccar/ns2-stock"]
    results = study(readings=names).run(tmp_path)
    assert results.runs["reading"].unique(maintain_order=True).to_list() == names
    again = Study.read(tmp_path / "study.toml").open(tmp_path)
    assert again.runs.equals(results.runs)


def test_an_option_replaces_the_readings_of_the_study() -> None:
    found = study(readings=["ccar/ours"]).under("ccar/ns2-stock")
    assert {dict(cell.point)["reading"] for cell in found.cells()} == {"ccar/ns2-stock"}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"readings": ["ccar/ns2stock"]}, "did you mean ccar/ns2-stock?"),
        ({"readings": ["ccar/ours", "ccar/ours"]}, "readings: 'ccar/ours' appears twice"),
        ({"axes": {"reading": {"key": "seed", "values": [1]}}}, "axes.reading: is the axis of"),
        ({"readings": "ccar/ours"}, "readings: "),
        (
            {"schemes": [{"name": "a", "scheme": "aodv", "reading": "elfn/ours"}]},
            "schemes.0.reading: reading elfn/ours: says nothing about aodv",
        ),
    ],
)
def test_a_wrong_reading_of_a_study_is_one_line(tables: dict[str, object], message: str) -> None:
    with pytest.raises(multihop.ScenarioError) as found:
        study(**tables)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


WHOLE = """
title = "a reading"
argument = "long enough to be an argument"
tried = "none"
[[choices]]
about = "local repair"
taken = "on"
source = "chosen"
reason = "to have it written"
set = { "routing.local_repair" = true }
schemes = ["dcar"]
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "chosen"', 'source = "memory"', "choices.0.source: input should be 'paper'"),
        ('"dcar"]', '"dcra"]', "no scheme is called 'dcra'; did you mean dcar?"),
        ("taken =", "takes =", "choices.0.taken: field required"),
        ("title =", "title ", "not TOML"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    file = tmp_path / "ccar" / "mine.toml"
    file.parent.mkdir()
    file.write_text(WHOLE.replace(old, new), "utf-8")
    with pytest.raises(multihop.ScenarioError) as found:
        reading.read(file)
    assert str(found.value).startswith(f"{file}: ")
    assert message in str(found.value)


def test_a_reading_of_ones_own_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ccar" / "mine.toml"
    file.parent.mkdir()
    file.write_text(WHOLE, "utf-8")
    found = study(readings=[str(file)])
    assert routing(of(found, "dcar", "ccar/mine"))["local_repair"] is True
    assert routing(of(found, "shortest-path-aodv", "ccar/mine"))["local_repair"] is False


def test_the_commands_take_readings(called: Called) -> None:
    listed = called("list", "readings", "--paper", "elfn").stdout
    assert "elfn/ns2-stock" in listed
    assert "ccar" not in listed
    short = ("--set", "duration_s=2", "--set", "flows.0.stop_s=2")
    stock = called("run", "six-hops", "--scheme", "tcp", "--reading", "elfn/ns2-stock",
                             "--json", "-", *short)  # fmt: skip
    resolved = json.loads(stock.stdout)["scenario"]["routing"]
    assert (resolved["cached_replies"], resolved["ring_zero_search"]) == ("all", True)
    silent = called("run", "six-hops", "--scheme", "dsr", "--reading", "elfn/ns2-stock")
    assert silent.returncode == 2
    assert "says nothing about dsr; it concerns tcp" in silent.stderr
    known = called("run", "six-hops", "--scheme", "dsr", "--reading", "copas/text",
                             "--json", "-", *short)  # fmt: skip
    assert json.loads(known.stdout)["reading"] == "copas/text"
    bare = called("run", "six-hops", "--scheme", "tcp", "--json", "-", *short)
    assert json.loads(bare.stdout)["scenario"]["routing"] == resolved_routing(stock.stdout)
    assert "tcp under its paper's default reading, elfn/ns2-stock" in bare.stderr
    mixed = called("run", "six-hops", "--scheme", "dcar", "--routing", "dsr", *short)
    assert "--routing dsr takes the place of the routing of --scheme dcar" in mixed.stderr
