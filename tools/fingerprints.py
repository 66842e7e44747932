"""Whether this machine's runs are those on record, to the last transmission.

    python -m tools.fingerprints

Runs every line of crates/multihop/tests/fingerprints.csv with the installed package: the same
digests on every system are the promise that results do not depend on it.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import multihop
from multihop import catalogue

TABLE = Path(__file__).parents[1] / "crates/multihop/tests/fingerprints.csv"


def fingerprint(row: Mapping[str, str]) -> str:
    """What a line's run gives here."""
    pairs = (pair.partition("=") for pair in row["set"].split(";") if pair)
    settings = {key.strip(): tomllib.loads(f"it = {value}")["it"] for key, _, value in pairs}
    result = multihop.run(
        catalogue.scenario_folder() / f"{row['scenario']}.toml",
        seed=int(row["seed"]),
        set={"duration_s": float(row["duration_s"]), **settings},
    )
    return result.json["engine"]["fingerprint"]


def differing(rows: Iterable[Mapping[str, str]]) -> list[str]:
    """The lines whose runs are others here, each with what was found."""
    return [
        f"{row['scenario']} ({row['set']}), seed {row['seed']}: {found}, on record {row['digest']}"
        for row in rows
        if (found := fingerprint(row)) != row["digest"]
    ]


def main() -> None:
    """Run all of them; exits with 1 where any differs."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    told = differing(rows)
    print("\n".join([*told, f"{len(rows) - len(told)} of {len(rows)} runs are those on record"]))
    sys.exit(bool(told))


if __name__ == "__main__":
    main()
