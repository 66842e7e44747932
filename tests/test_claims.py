"""The claims ledger, who owns each claim, and the commands that list and judge them."""

import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from multihop import catalogue
from multihop.catalogue import PAPERS
from multihop.cli import cli
from multihop.reproduction import load, reproduce
from multihop.reproduction.bound import chain_bound_bps, single_cycle_bps
from multihop.reproduction.ledger import LedgerError
from multihop.reproduction.ownership import (
    StudyOwner,
    TestOwner,
    faults,
    missing_tests,
    owners,
    read,
)
from multihop.study import Study
from tests.conftest import Called

REPOSITORY = Path(__file__).parents[1]


def test_the_ledger_has_all_claims_of_five_papers() -> None:
    ledger = load()
    counts = Counter(claim.id.partition("-")[0] for claim in ledger.claim)
    assert counts == {"ccar": 111, "multipath": 89, "elfn": 62, "copas": 61, "semitcp": 111}
    assert len({claim.id for claim in ledger.claim}) == 434
    assert {claim.expect.kind for claim in ledger.claim} == set(ledger.meta.kinds)
    assert sum(len(ledger.of(paper)) for paper in PAPERS) == len(ledger.of("all"))


def test_claims_name_schemes_and_scenarios_of_the_ledger() -> None:
    ledger = load()
    for claim in ledger.claim:
        assert set(claim.compare) <= set(ledger.schemes), claim.id
        assert {claim.scenario.use, *claim.scenario.also} <= set(ledger.scenario), claim.id
        for name in ("higher", "lower"):
            assert set(getattr(claim.expect, name, [])) <= set(claim.compare), claim.id


def test_tests_that_own_claims_are_there() -> None:
    missing = {
        name: missing_tests(owner, REPOSITORY)
        for name, owner in owners().items()
        if isinstance(owner, TestOwner)
    }
    assert {name: tests for name, tests in missing.items() if tests} == {}


def test_studies_that_own_claims_are_there_and_have_what_these_ask_for() -> None:
    found = []
    for name, owner in owners().items():
        if isinstance(owner, StudyOwner):
            studies = [Study.read(reproduce.study_file(study)) for study in owner.studies]
            axes = {axis for study in studies for axis in study.table.axes}
            found += faults(name, owner, axes)
            claim = next(claim for claim in load().claim if claim.id == name)
            schemes = {scheme.name for study in studies for scheme in study.table.scheme_tables}
            ways = [owner, *owner.further, *filter(None, [owner.other])]
            asked = {each.schemes.get(scheme, scheme) for each in ways for scheme in claim.compare}
            found += [f"{name}: no scheme {scheme}" for scheme in sorted(asked - schemes)]
    assert found == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[elfn-nothing]\nreason = "none at all"', "no such claim"),
        ('[ccar-eq1-node-weight]\nreason = "another paper"', "no such claim"),
        ('[elfn-probe-2s]\ntest = "a::b"\nreason = "two owners"', "one of study, test and reason"),
        ('[elfn-probe-2s]\nnote = "none"', "one of study, test and reason"),
        ('[elfn-probe-2s]\nstudy = "a"', "metric: Field required"),
        ('[elfn-probe-2s]\nstudy = "a"\nmetric = "jain"\natt = "b"', "att: Extra inputs"),
        ("[elfn-probe-2s", "not TOML"),
    ],
)
def test_wrong_files_of_owners_are_named(tmp_path: Path, table: str, message: str) -> None:
    file = tmp_path / "elfn.toml"
    file.write_text(table)
    with pytest.raises(LedgerError, match=message):
        read(file, "elfn")


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        ({"metric": "goodput"}, "unknown metric goodput"),
        ({"metric": "goodput_bps", "at": "hopps >= 6"}, "unknown column 'hopps'"),
        ({"metric": "jain"}, "unknown column 'hops'"),
        ({"metric": "goodput_bps", "per": "ssrl"}, "unknown column 'ssrl'"),
        ({"metric": "goodput_bps", "reduce": "most of ssrl"}, "not of the form"),
    ],
)
def test_owners_that_do_not_fit_their_study_are_named(owner: dict[str, Any], message: str) -> None:
    found = faults("ccar-fig1-long-gain", StudyOwner(study="a", **owner), [])
    assert any(message in fault for fault in found), found


def test_missing_tests_are_found() -> None:
    names = ["tests/test_claims.py::test_missing_tests_are_found", "tests/test_claims.py::other"]
    assert missing_tests(TestOwner(test=names), REPOSITORY) == names[1:]
    assert missing_tests(TestOwner(test="no/file.rs::name"), REPOSITORY) == ["no/file.rs::name"]


def test_the_bound_is_the_papers_formula() -> None:
    for links, loss in itertools.product(range(1, 11), (1e-4, 1e-3, 1e-2, 0.1)):
        bound = chain_bound_bps(links, 4096, 0.01, loss)
        stated = 4096 / (links * 0.01) * math.sqrt(3 / (2 * loss)) * (1 - loss) ** links
        assert bound == pytest.approx(stated, rel=1e-12)
    assert chain_bound_bps(1, 4096, 0.01, 0.1) == single_cycle_bps(4096, 0.01, 0.1) * 0.9


def test_the_bound_falls_with_every_link_and_most_where_little_is_lost() -> None:
    drops = []
    for loss in (1e-4, 1e-3, 1e-2, 0.1):
        bounds = [chain_bound_bps(links, 4096, 0.01, loss) for links in range(1, 11)]
        assert all(longer < shorter for shorter, longer in itertools.pairwise(bounds))
        drops.append(bounds[0] - bounds[1])
    assert drops == sorted(drops, reverse=True)


def test_claims_studies_and_metrics_are_listed(called: Called) -> None:
    claims = called("list", "claims", "--paper", "semi-tcp").stdout.splitlines()
    assert len(claims) == 111
    assert any(line.startswith("semitcp-eq1-eq2 ") and "test tests/" in line for line in claims)
    assert len(called("list", "claims").stdout.splitlines()) == 434
    studies = called("list", "studies").stdout
    assert "congestion-aware/two-strings" in studies
    assert "goodput_bps" in called("list", "metrics").stdout
    wrong = called("list", "claims", "--paper", "tcp")
    assert wrong.returncode == 2
    assert "semi-tcp" in wrong.stderr


STUDY = """
title = "a short chain"
question = "Is it slower over two hops than over one?"
schemes = ["shortest-path-aodv"]
scenario = { title = "chain", duration_s = 3, topology = { kind = "chain", hops = 1 }, \
flows = [{ kind = "ftp", source = 0, destination = 1 }] }
[axes.hops]
points = [
  { label = 1, set = { "topology.hops" = 1, "flows.0.destination" = 1 } },
  { label = 4, set = { "topology.hops" = 4, "flows.0.destination" = 4 } },
  { label = 5, set = { "topology.hops" = 5, "flows.0.destination" = 5 } },
]
[[figures]]
name = "by-hops"
title = "Goodput by hops"
x = "hops"
y = "goodput_bps"
[scale]
quick = { networks = 3 }
full = { networks = 5 }
"""


@pytest.mark.slow("runs the studies of a paper")
def test_reproduce_runs_studies_judges_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "chain.toml").write_text(STUDY)
    monkeypatch.setattr(catalogue, "study_folder", lambda: tmp_path)
    owner = StudyOwner(study="made/chain", metric="goodput_bps")
    proved = TestOwner(test="tests/test_claims.py::name")
    owned = {"ccar-fig4-longer-lower": owner, "ccar-window-8": proved}
    monkeypatch.setattr(reproduce, "owners", lambda: owned)
    out = tmp_path / "out"
    arguments = ["reproduce", "ccar", "--scale", "quick", "--out", str(out), "--workers", "1"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    verdicts = {row["id"]: row for row in json.loads((out / "claims.json").read_text())}
    assert len(verdicts) == 111
    chain = verdicts["ccar-fig4-longer-lower"]
    assert chain["study"] == "made/chain"
    assert (chain["runs"], chain["networks"]) == (9, 3)
    assert chain["reading"] == "ccar/ns2-stock"  # the default one
    assert verdicts["ccar-window-8"]["reading"] is None
    assert chain["verdict"] in ("reproduced", "inconclusive", "differs")
    assert chain["measured"] is not None
    assert chain["depends_on"] == ["the whole scenario: the paper states the capacity rule "
                                   "without a simulation"]  # fmt: skip
    assert verdicts["ccar-window-8"]["verdict"] == "reproduced"
    assert verdicts["ccar-tab1-total"]["verdict"] == "not run"
    assert "ccar" in result.output
    assert (out / "made/chain/report.html").is_file()
    assert (out / "data/made-chain-by-hops.csv").read_text().count("\n") == 4
    page = (out / "report.html").read_text()
    assert "a short chain" in page
    assert chain["statement"] in page


@pytest.mark.slow("runs the studies of a paper")
def test_claims_are_judged_under_each_reading_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "chain.toml").write_text(STUDY)
    monkeypatch.setattr(catalogue, "study_folder", lambda: tmp_path)
    owned = {
        "ccar-fig4-longer-lower": StudyOwner(study="made/chain", metric="goodput_bps"),
        "ccar-window-8": TestOwner(test="tests/test_claims.py::name"),
    }
    monkeypatch.setattr(reproduce, "owners", lambda: owned)
    out = tmp_path / "out"
    names = ["ccar/ours", "ccar/ns2-stock"]
    asked = [word for name in names for word in ("--reading", name)]
    arguments = ["reproduce", "ccar", "--scale", "quick", "--out", str(out), *asked]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    rows = json.loads((out / "claims.json").read_text())
    chain = [row["reading"] for row in rows if row["id"] == "ccar-fig4-longer-lower"]
    assert chain == names
    assert len([row for row in rows if row["id"] == "ccar-window-8"]) == 1
    assert (out / "ccar-ours/made/chain/report.html").is_file()
    assert (out / "data/made-chain-ns2-stock-by-hops.csv").is_file()
    page = (out / "report.html").read_text()
    assert "made/chain/ours" in page
    assert "--reading ccar/ours --reading ccar/ns2-stock" in page


@pytest.mark.parametrize(
    ("name", "message"),
    [("elfn/ours", "is of elfn, not of ccar"), ("ccar/our", "did you mean ccar/ours?")],
)
def test_a_reading_of_another_paper_or_of_none_is_refused(name: str, message: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", "ccar", "--reading", name])
    assert message in str(result.exception or result.output)


def test_a_study_that_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned = {"ccar-tab1-total": StudyOwner(study="made/none", metric="goodput_bps")}
    monkeypatch.setattr(reproduce, "owners", lambda: owned)
    result = CliRunner().invoke(cli, ["reproduce", "ccar", "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert "made/none.toml: no such study" in result.output
