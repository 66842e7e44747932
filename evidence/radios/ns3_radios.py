"""What ns-3.44 delivers in the cases of today's radios, as CSV.

`python evidence/radios/ns3_radios.py`, with `MULTIHOP_NS3` naming a virtual environment that has
the package `ns3==3.44.post0`; some ten minutes of one core.
"""

import argparse
import csv
import fnmatch
import tempfile
from collections.abc import Iterator
from pathlib import Path

import multihop
from multihop.peers import ns3
from multihop.validation import radios

SEEDS = 5


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=radios.REFERENCE)
    parser.add_argument("--only", default="*", help="cases by name; those of others stay")
    parser.add_argument("--program", type=Path, help="the driver, if it is built")
    told = parser.parse_args()
    out: Path = told.out
    kept = []
    if told.only != "*":
        with out.open(newline="", encoding="utf-8") as file:
            kept = [row for row in list(csv.reader(file))[1:] if not _is_meant(row[0], told.only)]
    package = ns3.package()
    if package is None:
        raise SystemExit(ns3.INSTALL_HINT)
    with tempfile.TemporaryDirectory() as folder:
        rows = kept + list(_rows(told.program or ns3.build(package, Path(folder)), told.only))
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "seed", "flow", "packets"])
        writer.writerows(rows)


def _is_meant(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern)


def _rows(program: Path, pattern: str) -> Iterator[tuple[str, int, int, int]]:
    for name, scenario in radios.scenarios().items():
        if not _is_meant(name, pattern):
            continue
        for seed in range(1, SEEDS + 1):
            run = ns3.run(program, multihop.run(scenario, seed=seed))
            for flow, packets in run.delivered.items():
                yield name, seed, flow, packets


if __name__ == "__main__":
    main()
