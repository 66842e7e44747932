"""Warnings of numbers that are less than they seem: ends that no path joins, missing metrics."""

from pathlib import Path

from tests.conftest import Called

APART = """
[scenario]
duration_s = 2
topology = { kind = "random", nodes = 4, area_m = [90000, 90000], connected = false }
flows = [
  { kind = "ftp", source = 0, destination = 1 },
  { kind = "ftp", source = 1, destination = 0 },
  { kind = "ftp", source = 2, destination = 3 },
]
"""
JOINED = """
[scenario]
duration_s = 2
topology = { kind = "chain", hops = 2 }
flows = [{ kind = "ftp", source = 0, destination = 2 }]
"""
STUDY = """
title = "far"
question = "Which?"
schemes = ["static", "aodv"]
metrics = ["goodput_bps", "freezes"]
[scale.quick]
networks = 2
"""


def test_ends_that_no_path_joins_are_counted_before_and_after_a_study(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "far.toml").write_text(STUDY + APART)
    checked = called("check", "far.toml")
    assert checked.returncode == 0
    assert checked.stdout.startswith("far.toml: ok, a study")
    assert "3 of 3 flows have ends that no path joins, with seed 1" in checked.stderr
    ran = called("study", "run", "far.toml")
    assert ran.returncode == 0, ran.stderr
    assert "6 of 6 flows have ends that no path joins, on 2 networks" in ran.stderr
    page = (tmp_path / "out" / "far" / "report.html").read_text()
    assert "6 of 6 flows have ends that no path joins" in page


def test_a_metric_that_no_run_has_is_named(tmp_path: Path, called: Called) -> None:
    (tmp_path / "near.toml").write_text(STUDY.replace("freezes", "mean_delay_s") + JOINED)
    assert called("check", "near.toml").stderr == ""
    (tmp_path / "near.toml").write_text(STUDY.replace("freezes", "mos") + JOINED)
    ran = called("study", "run", "near.toml")
    told = "mos was asked for (metrics), and no finished run has it. It is: Mean opinion score"
    assert told in ran.stderr
    assert told in (tmp_path / "out" / "near" / "report.html").read_text()


def test_a_scenario_whose_ends_are_apart_is_told_when_it_is_checked(
    tmp_path: Path, called: Called
) -> None:
    text = APART.replace("[scenario]\n", "")
    (tmp_path / "far.toml").write_text(text)
    said = called("check", "far.toml")
    assert (said.returncode, said.stdout) == (
        0,
        "far.toml: ok, a scenario: less than a second a run\n",
    )
    assert "3 of 3 flows have ends that no path joins" in said.stderr


def test_a_network_that_cant_be_drawn_is_told_when_it_is_checked(
    tmp_path: Path, called: Called
) -> None:
    text = APART.replace("[scenario]\n", "").replace("connected = false", "connected = true")
    (tmp_path / "far.toml").write_text(text)
    said = called("check", "far.toml")
    assert said.returncode == 2
    assert "none of 1000 placements of 4 nodes was connected" in said.stdout


def test_a_run_with_many_warnings_counts_them(tmp_path: Path, called: Called) -> None:
    flow = '  { kind = "ftp", source = 0, destination = 1 },\n'
    text = APART.replace("[scenario]\n", "").replace(flow, flow * 20)
    (tmp_path / "far.toml").write_text(text)
    said = called("run", "far.toml")
    assert said.returncode == 0
    assert len(said.stderr.splitlines()) == 9
    assert said.stderr.endswith("and 14 more such warnings\n")
