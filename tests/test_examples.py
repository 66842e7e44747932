"""The examples that come with the package, and the one of a congestion control in Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import multihop
from multihop import catalogue


@pytest.mark.parametrize("name", [name for name, _ in catalogue.scenarios()])
def test_every_example_runs_and_sends(name: str) -> None:
    result = multihop.run(catalogue.scenario_file(name), set={"duration_s": 21})
    assert result.json["mac"]["data_sent"] > 0


def test_every_example_is_listed_with_a_sentence_of_what_it_shows() -> None:
    for name, shows in catalogue.scenarios():
        assert shows.endswith("."), name
        assert 40 < len(shows) < 240, name


@pytest.mark.slow("runs an example's own tests")
def test_illinois_passes_its_test_and_is_not_newreno() -> None:
    folder = Path("examples/illinois").resolve()
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
         "--rootdir", folder, folder],
        env={**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    window_segments = 64
    windows = [
        multihop.run(
            str(catalogue.scenario_file("six-hops")),
            set={"transport.window_segments": window_segments, "transport.scheme": scheme},
            record=multihop.Recording(series_interval_s=0.1),
        ).series["cwnd"]
        for scheme in ("newreno", f"{folder}{os.sep}illinois.py:Illinois")
    ]
    newreno, illinois = (window.mean() for window in windows)
    assert illinois != newreno
