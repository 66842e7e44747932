"""The claims ledger, who owns each claim, and the commands that list and judge them."""

import itertools
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from multihop import papers
from multihop.cli import cli
from multihop.errors import PaperError
from multihop.reproduction import claims, owners, reproduce
from multihop.reproduction.ownership import StudyOwner, TestOwner, faults, missing_tests
from tests.conftest import Called
from tests.papers_here import FOLDER, NAMES, all_claims, all_owners, program

bound = program("semi-tcp", "bound")
chain_bound_bps, single_cycle_bps = bound.chain_bound_bps, bound.single_cycle_bps

REPOSITORY = Path(__file__).parents[1]


def test_papers_have_all_their_claims_and_none_is_in_two() -> None:
    counts = {name: len(claims(papers.find(name))) for name in NAMES}
    assert counts == {
        "ccar": 111, "multipath": 89, "elfn": 62, "copas": 61, "semi-tcp": 111,
        "adaptive-csma": 5, "diffq": 8, "ez-flow": 12,
    }  # fmt: skip
    assert len(all_claims()) == len(all_owners()) == 459
    assert len({claim.expect.kind for claim in all_claims().values()}) == 10


def test_tests_that_own_claims_are_there() -> None:
    missing = {
        name: missing_tests(owner, REPOSITORY)
        for name, owner in all_owners().items()
        if isinstance(owner, TestOwner)
    }
    assert {name: tests for name, tests in missing.items() if tests} == {}


@pytest.mark.parametrize("name", NAMES)
def test_owners_fit_their_claims_and_studies(name: str) -> None:
    reproduce.Asked(papers.find(name))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('[elfn-nothing]\nreason = "none at all"', "no such claim"),
        ('[ccar-eq1-node-weight]\nreason = "another paper"', "no such claim"),
        ('[elfn-probe-2s]\ntest = "a::b"\nreason = "two owners"', "one of study, test and reason"),
        ('[elfn-probe-2s]\nnote = "none"', "one of study, test and reason"),
        ('[elfn-probe-2s]\nstudy = "a"', "metric: missing"),
        ('[elfn-probe-2s]\nstudy = "a"\nmetric = "jain"\natt = "b"', "att: unknown key"),
        ("[elfn-probe-2s", "not TOML"),
    ],
)
def test_wrong_files_of_owners_are_named(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "elfn").mkdir()
    (tmp_path / "elfn" / "paper.toml").write_text('title = "another"\nauthors = ["nobody"]\n')
    (tmp_path / "elfn" / "owners.toml").write_text(table)
    with pytest.raises(PaperError, match=message) as found:
        owners(papers.read(tmp_path / "elfn"), claims(papers.find("elfn")))
    assert str(found.value).startswith(str(tmp_path / "elfn" / "owners.toml"))


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
    found = faults(all_claims()["ccar-fig1-long-gain"], StudyOwner(study="a", **owner), [])
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
    assert len(called("list", "claims").stdout.splitlines()) == 459
    studies = called("list", "studies").stdout
    assert "ccar/two-strings" in studies
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


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """The claims and readings of a paper, of which one is decided by a small study."""
    folder = tmp_path / "made"
    shutil.copytree(FOLDER / "ccar", folder, ignore=shutil.ignore_patterns("*.svg", "metrics.py"))
    shutil.rmtree(folder / "studies")
    (folder / "studies").mkdir()
    (folder / "studies" / "chain.toml").write_text(STUDY)
    about = 'title = "made for a test"\nauthors = ["nobody"]\n'
    (folder / "paper.toml").write_text(about)
    (folder / "owners.toml").write_text(
        '[ccar-fig4-longer-lower]\nstudy = "chain"\nmetric = "goodput_bps"\n'
        '[ccar-window-8]\ntest = "tests/test_claims.py::name"\n'
    )
    return folder


@pytest.mark.slow("runs the studies of a paper")
def test_reproduce_runs_studies_judges_and_reports(tmp_path: Path, paper: Path) -> None:
    out = tmp_path / "out"
    arguments = ["reproduce", str(paper), "--scale", "quick", "--out", str(out), "--workers", "1"]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    verdicts = {row["id"]: row for row in json.loads((out / "claims.json").read_text())}
    assert len(verdicts) == 111
    chain = verdicts["ccar-fig4-longer-lower"]
    assert chain["study"] == "made/chain"
    assert (chain["runs"], chain["networks"]) == (9, 3)
    assert chain["reading"] == "made/ns2-stock"  # the default one
    assert verdicts["ccar-window-8"]["reading"] is None
    assert chain["verdict"] in ("reproduced", "inconclusive", "differs")
    assert chain["measured"] is not None
    assert chain["depends_on"] == ["the whole scenario: the paper states the capacity rule "
                                   "without a simulation"]  # fmt: skip
    assert verdicts["ccar-window-8"]["verdict"] == "reproduced"
    assert verdicts["ccar-tab1-total"]["verdict"] == "not run"
    assert "made" in result.output
    assert (out / "made/chain/report.html").is_file()
    assert (out / "data/made-chain-by-hops.csv").read_text().count("\n") == 4
    page = (out / "report.html").read_text()
    assert "a short chain" in page
    assert chain["statement"] in page


@pytest.mark.slow("runs the studies of a paper")
def test_claims_are_judged_under_each_reading_that_is_asked_for(
    tmp_path: Path, paper: Path
) -> None:
    out = tmp_path / "out"
    names = ["made/ours", "made/ns2-stock"]
    asked = [word for name in names for word in ("--reading", name)]
    arguments = ["reproduce", str(paper), "--scale", "quick", "--out", str(out), *asked]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    rows = json.loads((out / "claims.json").read_text())
    chain = [row["reading"] for row in rows if row["id"] == "ccar-fig4-longer-lower"]
    assert chain == names
    assert len([row for row in rows if row["id"] == "ccar-window-8"]) == 1
    assert (out / "made-ours/made/chain/report.html").is_file()
    assert (out / "data/made-chain-ns2-stock-by-hops.csv").is_file()
    page = (out / "report.html").read_text()
    assert "made/chain/ours" in page
    assert "--reading made/ours --reading made/ns2-stock" in page


@pytest.mark.parametrize(
    ("name", "message"),
    [("elfn/ours", "is of elfn, not of ccar"), ("ccar/our", "did you mean ccar/ours?")],
)
def test_a_reading_of_another_paper_or_of_none_is_refused(name: str, message: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", "ccar", "--reading", name])
    assert message in str(result.exception or result.output)


def test_a_study_that_is_missing_is_said(tmp_path: Path, paper: Path) -> None:
    (paper / "studies" / "chain.toml").rename(paper / "studies" / "chains.toml")
    result = CliRunner().invoke(cli, ["reproduce", str(paper), "--out", str(tmp_path)])
    assert f"{paper / 'owners.toml'}: line 2: ccar-fig4-longer-lower.study: no study 'chain'; " in (
        str(result.exception)
    )
    assert "did you mean chains?" in str(result.exception)
