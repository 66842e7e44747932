"""How long runs will take, as `multihop check` says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from multihop import Study, engine
from multihop.cli import effort
from multihop.scenario import load
from tests.conftest import Called


def seconds(scenario: str, **settings: object) -> float:
    source = load(scenario)
    overrides = [*source.overrides, *((k.replace("__", "."), v) for k, v in settings.items())]
    return effort.run_seconds(engine.resolve(source.text, overrides, syntax=source.syntax))


def test_what_is_more_takes_longer() -> None:
    short = seconds("six-hops", duration_s=10)
    assert seconds("six-hops", duration_s=1000) == pytest.approx(100 * short)
    assert seconds("random-200") > 5 * seconds("six-hops")
    assert seconds("six-hops", mac__phy="802.11g", mac__data_rate_bps=54e6) > 3 * seconds(
        "six-hops"
    )
    given = seconds("two-paths")  # links without places
    assert 0 < given < 1


@pytest.mark.parametrize(
    ("scenario", "low_s", "high_s"),
    [("six-hops", 0.007, 0.11), ("random-200", 0.07, 1.2), ("moving-50", 0.04, 0.6)],
)
def test_the_estimate_is_near_what_is_on_record(scenario: str, low_s: float, high_s: float) -> None:
    """Within a factor of four of evidence/performance.md: 0.028, 0.298 and 0.153 s."""
    assert low_s < seconds(scenario) < high_s


def test_a_study_is_its_runs_over_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(
        title="t", question="Which?", schemes=["aodv", "dsr"], scenario="six-hops",
        scale={"quick": {"networks": 3}},
    )  # fmt: skip
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    cells = study.cells("quick")
    one = sum(effort.run_seconds(cell.text) for cell in cells)
    assert effort.study_seconds(cells, 3) == pytest.approx(one * 3 / 2)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.01, "less than a second"), (1.2, "about 1 s"), (47.3, "about 47 s"),
        (119, "about 120 s"), (400, "about 7 min"), (7300, "about 2 h"), (1e7, "about 2,800 h"),
    ],
)  # fmt: skip
def test_a_rough_time_is_told_roughly(seconds: float, said: str) -> None:
    assert effort.shown(seconds) == said


def test_check_says_how_long(called: Called, tmp_path: Path, chain: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        f"title = 't'\nquestion = 'q'\nschemes = ['aodv']\nscenario = {json.dumps(str(chain))}\n"
        "[scale.quick]\nnetworks = 2\n[scale.full]\nnetworks = 200000\n"
    )
    said = called("check", chain, study).stdout.splitlines()
    assert said[0].endswith("ok, a scenario: less than a second a run")
    assert "2 runs, less than a second" in said[1]
    assert " h" in said[1].rpartition("about")[2] or " min" in said[1].rpartition("about")[2]
