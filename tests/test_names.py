"""Scenarios and studies by name or by file, in Python and on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import multihop
from multihop import Study, catalogue
from multihop.explain import explain
from tests.conftest import CHAIN, Called

STUDY = """
title = "two"
question = "Which?"
schemes = ["aodv", "dsr"]
scenario = "hidden-pair"
[scale.quick]
networks = 2
set = { duration_s = 2 }
"""
SHORT = {"duration_s": 1.5}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario and a study, in which the test runs."""
    mesh = tmp_path / "my-mesh"
    mesh.mkdir()
    (mesh / "scenario.toml").write_text(CHAIN)
    (mesh / "study.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_python_takes_the_names_that_the_command_line_takes(tmp_path: Path) -> None:
    by_file = multihop.run(catalogue.scenario_file("six-hops"), set=SHORT)
    by_name = multihop.run("six-hops", set=SHORT)
    assert by_name.json["flows"] == by_file.json["flows"]
    assert len(multihop.run_many("six-hops", seeds=[1, 2], set=SHORT)) == 2
    assert multihop.Scenario("six-hops")["topology"]["hops"] == 6
    assert len(multihop.movement("six-hops").splitlines()) > 6
    assert explain("six-hops", set={"duration_s": 3}).json["flows"]
    assert multihop.replay("six-hops", tmp_path / "page.html", set={"duration_s": 2}).is_file()
    assert (
        Study.read("multipath/chain").title
        == Study.read(catalogue.study_file("multipath/chain")).title
    )


def test_a_study_takes_the_name_of_an_example_as_its_scenario(folder: Path) -> None:
    study = Study.read(folder / "my-mesh" / "study.toml")
    assert [cell.scheme for cell in study.cells("quick")] == ["aodv", "dsr"]
    (folder / "my-mesh" / "hidden-pair").write_text(CHAIN)
    assert "two hops" in Study.read(folder / "my-mesh" / "study.toml").cells("quick")[0].text


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("take", [multihop.run, multihop.Scenario, multihop.explain])
def test_a_missing_file_is_one_error_with_what_is_near(take: object) -> None:
    with pytest.raises(FileNotFoundError, match=r"no scenario .*did you mean six-hops\?"):
        take("six-hop")  # type: ignore[operator]
    near = r"did you mean my-mesh/scenario\.toml\?"
    for wrong in ("my-mesh/scenaro.toml", "my-mesh/scenario", Path("my-mesh/senario.toml")):
        with pytest.raises(FileNotFoundError, match=near):
            take(wrong)  # type: ignore[operator]
    with pytest.raises(IsADirectoryError, match=near):
        take("my-mesh")  # type: ignore[operator]
    with pytest.raises(FileNotFoundError, match="a study, not a scenario"):
        take("multipath/chain")  # type: ignore[operator]


@pytest.mark.usefixtures("folder")
def test_a_missing_study_is_one_error_with_what_is_near() -> None:
    with pytest.raises(FileNotFoundError, match=r"did you mean multipath/chain\?"):
        Study.read("multipath/chan")
    with pytest.raises(IsADirectoryError, match=r"did you mean my-mesh/study\.toml\?"):
        Study.read("my-mesh")


SAYS = [
    ("run my-mesh", "my-mesh: a folder; did you mean my-mesh/scenario.toml?"),
    ("study run my-mesh", "my-mesh: a folder; did you mean my-mesh/study.toml?"),
    ("run .", ".: a folder, in which is no scenario"),
    ("run multipath/chain", "a study, not a scenario; multihop study run multipath/chain"),
    ("run my-mesh/study.toml", "not a scenario; multihop study run my-mesh/study.toml"),
    ("explain my-mesh/study.toml", "a study, not a scenario"),
    ("study run six-hops", "six-hops: a scenario, not a study; multihop run six-hops"),
    ("study run my-mesh/scenario.toml", "not a study; multihop run my-mesh/scenario.toml"),
    ("run copas/text", "a reading, not a scenario; --reading copas/text"),
    ("run my-mesh/scenario", "did you mean my-mesh/scenario.toml?"),
    ("run six-hops --trace t.parquet --from 50 --to 20", "--to has to be after --from"),
    ("explain six-hops --from 50 --to 20", "--to has to be after --from"),
    ("replay six-hops --from 9 --to 9", "--to has to be after --from"),
    ("run six-hops --trace t.parquet --node 99", "--node: must be a node, 0 to 6 (got 99)"),
    ("run six-hops --pcap t.pcapng --flow 4", "--flow: must be a flow, 0 to 0 (got 4)"),
    ("run six-hops --queue 99", "--queue: must be a node"),
    ("run six-hops --series t.csv --series-interval 1e-12", "--series-interval: must be"),
    ("bound six-hops --seed 99999999999999999", "--seed"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("call", "says"), SAYS)
def test_the_command_line_says_what_is_meant_and_blames_what_was_given(
    call: str, says: str, called: Called
) -> None:
    done = called(*call.split())
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert says in line
    assert "site-packages" not in line
    assert str(catalogue.scenario_folder()) not in line


def test_a_scheme_s_name_stands_for_its_table_in_a_file(folder: Path, called: Called) -> None:
    """As the engine reads it; a class in a file of the scenario's folder is found there too."""
    short = folder / "my-mesh" / "short.toml"
    short.write_text('routing = "dsr"\n' + CHAIN.replace("11", "3"))
    assert multihop.run(short).scenario["routing"]["scheme"] == "dsr"
    said = called("run", short, "--scheme", "aodv").stderr
    assert 'aodv sets routing.scheme = "aodv" (file: "dsr")' in said
    (folder / "my-mesh" / "mine.py").write_text(
        "from multihop import CongestionControl\n\nclass Mine(CongestionControl):\n"
        "    def on_ack(self, window, ack):\n        pass\n"
    )
    short.write_text('transport = "mine.py:Mine"\n' + CHAIN.replace("11", "3"))
    named = multihop.run(short, allow_code=True).scenario["transport"]["scheme"]
    assert Path(named.rpartition(":")[0]).is_file()
