"""The package runs what the engine's table of fingerprints has, and a difference is told."""

import csv

from tools import fingerprints


def test_runs_of_the_package_are_those_of_the_engine() -> None:
    with fingerprints.TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:4]
    assert rows[1]["set"] == 'profile="standard"'
    assert fingerprints.differing(rows) == []
    other = {**rows[0], "seed": "2"}
    (told,) = fingerprints.differing([other])
    assert told.endswith(f"on record {rows[0]['digest']}")
