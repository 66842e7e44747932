"""Rate controls in Python: they choose the rates, and their mistakes are told in one line."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import multihop
from multihop import RateControl, ScenarioError, Study, catalogue
from multihop.prototypes import Step
from tests.conftest import Called

GRID = catalogue.scenario_file("indoor-grid")
KEYS = {"mac.data_rate_bps": 54e6, "mac.basic_rate_bps": 6e6, "duration_s": 25}
FIXED = """from multihop import RateControl


class Mine(RateControl):
    def first(self, now_s):
        return 2

    def again(self):
        return 2
"""


class Arf(RateControl):
    """The engine's, with the same timer of 15 attempts."""

    def __init__(self, ladder: tuple[Step, ...]) -> None:
        super().__init__(ladder)
        self.index = 0
        self.reset()

    def reset(self) -> None:
        self.successes = self.failures = self.attempts = 0
        self.is_probing = False

    def first(self, now_s: float) -> int:
        return self.index

    def again(self) -> int:
        return self.index

    def on_result(self, index: int, is_good: bool) -> None:
        assert index == self.index
        was_probing, self.is_probing = self.is_probing, False
        self.attempts += 1
        self.successes = self.successes + 1 if is_good else 0
        self.failures = 0 if is_good else self.failures + 1
        if self.failures >= 2 or (was_probing and not is_good):
            self.index = max(self.index - 1, 0)
            self.reset()
        elif (
            is_good
            and (self.successes >= 10 or self.attempts >= 15)
            and self.index < len(self.ladder) - 1
        ):
            self.index += 1
            self.reset()
            self.is_probing = True


@pytest.mark.parametrize("phy", ["802.11g", "802.11n"])
def test_arf_in_python_sends_what_the_engines_sends(phy: str) -> None:
    keys = {**KEYS, "mac.phy": phy}
    if phy == "802.11n":
        keys |= {"mac.data_rate_bps": 65e6, "mac.aggregate": 8}
    engines, ours = (multihop.run(GRID, set={**keys, "mac.rate": rate}) for rate in ("arf", Arf))
    assert engines.json["mac"]["data_sent"] > 0
    assert engines.json["engine"]["fingerprint"] == ours.json["engine"]["fingerprint"]


def test_it_gets_the_ladder_and_hears_powers_and_times() -> None:
    heard: dict[str, list[float]] = {"first": [], "power": []}
    ladders: set[tuple[Step, ...]] = set()

    class Listener(RateControl):
        def first(self, now_s: float) -> int:
            ladders.add(self.ladder)
            heard["first"].append(now_s)
            return 0

        def again(self) -> int:
            return 0

        def on_heard(self, power_w: float) -> None:
            heard["power"].append(power_w)

    multihop.run(GRID, set={**KEYS, "mac.rate": Listener})
    (ladder,) = ladders
    assert [step.rate_mbps for step in ladder] == [6, 9, 12, 18, 24, 36, 48, 54]
    times = [step.exchange_s for step in ladder]
    assert times == sorted(times, reverse=True)
    assert 1200 * 8 / 6e6 < times[0] < 2 * 1200 * 8 / 6e6
    assert heard["first"] == sorted(heard["first"])
    assert 0 < max(heard["power"]) < 1


def test_one_that_counts_frames_is_told_of_each_in_an_a_mpdu() -> None:
    aggregates: list[tuple[int, int, int]] = []
    alone: list[bool] = []

    class Counting(RateControl):
        def first(self, now_s: float) -> int:
            return 2

        def again(self) -> int:
            return 0

        def on_result(self, index: int, is_good: bool) -> None:
            alone.append(is_good)

        def on_aggregate(self, index: int, sent: int, delivered: int) -> None:
            aggregates.append((index, sent, delivered))

    keys = {**KEYS, "mac.phy": "802.11n", "mac.data_rate_bps": 65e6, "mac.aggregate": 8}
    counters = multihop.run(GRID, set={**keys, "mac.rate": Counting}).json["mac"]
    sent = sum(sent for _, sent, _ in aggregates)
    assert {index for index, _, _ in aggregates} == {0, 2}
    assert {sent for _, sent, _ in aggregates} <= set(range(1, 9))
    assert all(0 <= delivered <= sent for _, sent, delivered in aggregates)
    assert sent > 1.5 * len(aggregates), "frames of several packets"
    # What the last frames came to nobody learned before the end.
    assert 0 <= counters["aggregates_sent"] - len(aggregates) <= 9, counters
    assert 0 <= counters["aggregated_sent"] - sent <= 9 * 8, counters


class Tallying(RateControl):
    """The slowest rate, and what came of it."""

    def __init__(self, ladder: tuple[Step, ...]) -> None:
        super().__init__(ladder)
        self.told = {"acknowledged": 0, "failed": 0}

    def first(self, now_s: float) -> int:
        return 0

    def again(self) -> int:
        return 0

    def on_result(self, index: int, is_good: bool) -> None:
        self.told["acknowledged" if is_good else "failed"] += 1

    def counters(self) -> dict[str, int]:
        return self.told


def test_what_it_counts_is_in_the_result_for_all_links_together() -> None:
    result = multihop.run(GRID, set={**KEYS, "mac.rate": Tallying}).json
    (counts,) = (counts for name, counts in result["schemes"].items() if "Tallying" in name)
    frames = counts["acknowledged"] + counts["failed"]
    assert counts["acknowledged"] > 100, counts
    assert 0 <= result["mac"]["data_sent"] - frames < 0.5 * frames, "broadcasts have no result"


def test_counters_that_are_no_numbers_end_the_run_with_their_line() -> None:
    class Wrong(Tallying):
        def counters(self) -> dict[str, int]:
            return {"acknowledged": -1}

    message = "Wrong: ValueError: counters: must return whole numbers of 0 or more by their names"
    with pytest.raises(ScenarioError, match=message):
        multihop.run(GRID, set={**KEYS, "mac.rate": Wrong})


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("return 2", "return 8", "line 5: Mine.first must return an index of its ladder, 0 to 7"),
        ("return 2", "return -1", "line 5: Mine.first must return an index of its ladder, 0 to 7"),
        ("return 2", "return None", "line 5: Mine.first must return an index of its ladder"),
        ("return 2", "return 2.5", "(got 2.5)"),
        ("return 2", "return 1 / 0", "line 6: Mine: ZeroDivisionError: division by zero"),
        ("(RateControl)", "", "Mine is not derived from multihop.RateControl"),
        ("RateControl", "CongestionControl", "Mine is not derived from multihop.RateControl"),
        ("def again", "def again_", "Mine has no again"),
        ("class Mine", "class Other", "Mine is not in it; there are: Other"),
    ],
)
def test_mistakes_are_told_in_one_line(
    old: str, new: str, fault: str, tmp_path: Path, called: Called
) -> None:
    text = FIXED.replace(old, new) if old == "RateControl" else FIXED.replace(old, new, 1)
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "grid.toml").write_text(GRID.read_text())
    options = [part for key, value in KEYS.items() for part in ("--set", f"{key}={value}")]
    said = called("run", "grid.toml", *options, "--set", "mac.rate=mine.py:Mine")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert "mine.py: " in line
    assert fault in line


def test_a_name_that_is_no_file_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r'mac\.rate: must be one of "fixed", "arf"'):
        multihop.run(GRID, set={"mac.rate": "nonsense"})


def test_a_file_is_relative_to_the_scenario_that_names_it(tmp_path: Path, called: Called) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "mine.py").write_text(FIXED)
    text = GRID.read_text().replace('rate = "fixed"', 'rate = "mine.py:Mine"')
    (tmp_path / "below" / "grid.toml").write_text(text)
    assert called("check", "below/grid.toml").returncode == 0


@pytest.mark.slow("fills in a template, tests it and runs its study")
def test_a_new_one_passes_its_test_and_has_a_study(tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", "steady", "--kind", "rate-control")
    assert said.returncode == 0
    assert "--set mac.rate=steady/steady.py:Steady" in said.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / "steady"],
        env={**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "2 passed" in tested.stdout, tested.stdout
    file = tmp_path / "steady" / "study.toml"
    schemes = {scheme["name"] for scheme in tomllib.loads(file.read_text())["schemes"]}
    ran: list[object] = []

    def run() -> int:
        ran.clear()
        study = Study.read(file)
        result = study.run(
            tmp_path / "out", scale="quick", networks=1, finished=ran.append, allow_code=True
        )
        assert set(result.flows["scheme"]) == schemes
        return len(ran)

    assert (run(), run()) == (8, 0)
    module = tmp_path / "steady" / "steady.py"
    module.write_text(module.read_text().replace("successes_up = 10", "successes_up = 5"))
    assert run() == 2
