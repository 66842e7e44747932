"""Readings: their files, and what they lay over schemes in runs and studies."""

import json
from pathlib import Path

import pytest

import multihop
from multihop import Study, catalogue, engine, reading
from multihop.catalogue import PAPERS
from multihop.study.plan import Cell
from tests.conftest import Called

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


def of(found: Study, scheme: str, name: str | None = None) -> Cell:
    label = {} if name is None else {"reading": name}
    return next(c for c in found.cells() if c.scheme == scheme and dict(c.point) == label)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_ours_ns2_stock_and_one_default(paper: str) -> None:
    names = [found.name for found in reading.readings(paper)]
    assert {f"{paper}/ours", f"{paper}/ns2-stock"} <= {*names}
    assert sum(found.default for found in reading.readings(paper)) == 1


@pytest.mark.parametrize("found", reading.readings(), ids=lambda found: found.name)
def test_every_choice_can_be_laid_over_the_schemes_that_it_names(found: reading.Reading) -> None:
    for name, _ in engine.schemes():
        if any(choice.schemes and choice.concerns(name) for choice in found.choices):
            multihop.run({**CHAIN, "duration_s": 0.1}, scheme=name, reading=found.name)


@pytest.mark.parametrize("paper", PAPERS)
def test_ours_is_what_the_schemes_are_without_a_reading(paper: str) -> None:
    name = f"{paper}/ours"
    schemes = [scheme for scheme, _ in engine.schemes()]
    bare = study(schemes=schemes)
    read = bare.under(name)
    # The order of a preset's keys may differ; what runs may not.
    for scheme in schemes:
        ours, theirs = json.loads(of(bare, scheme).text), json.loads(of(read, scheme, name).text)
        assert ours == theirs, scheme


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
    assert catalogue.reading_folder().is_dir()
