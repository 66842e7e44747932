"""Count the instructions of six runs and compare them with those on record: `instructions.csv`.

Counts hardly depend on the machine or on what else it does, so a change that makes the engine
slower is seen though no clock would show it. The record is a fixed baseline: what is added since
has to fit into a few per cent. It is renewed when the engine has become faster; twice it was
renewed upwards: for stations and access to the medium as a trait, after which it was 3.4 % lower in
all and 2.1 % higher on 200 nodes; and for access categories, radios and antennas of interfaces,
energy and agents, which cost 0.2 to 2.3 % where there are none, 0.8 % on 200 nodes. Counts depend
on the compiler: with another one than that on record, differences are shown but do not count, and
`--update` writes the record anew. Needs valgrind.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_suffix(".csv")
TOLERANCE = 0.02
"""How many more instructions than the baseline are borne."""


def main() -> int:
    """Count, then compare or write; returns the exit status."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--update", action="store_true", help="write the record anew")
    update = arguments.parse_args().update
    if shutil.which("valgrind") is None:
        print("instructions: skipped, no valgrind (apt-get install valgrind)")
        return 0
    with RECORD.open(newline="") as file:
        rows = list(csv.DictReader(file))
    program = build()
    compiler = compiler_name()
    with ThreadPoolExecutor() as pool:
        counts = list(pool.map(lambda row: count(program, row), rows))
    if update:
        write(
            [
                {**row, "instructions": n, "compiler": compiler}
                for row, n in zip(rows, counts, strict=True)
            ]
        )
    same = all(row["compiler"] == compiler for row in rows)
    off = [compare(row, n) for row, n in zip(rows, counts, strict=True)]
    if update or not any(off):
        return 0
    if not same:
        recorded = rows[0]["compiler"]
        print(f"warning: recorded with {recorded}, this is {compiler}; not held against you")
        return 0
    print(f"more than {TOLERANCE:.0%} above the baseline", file=sys.stderr)
    return 1


def build() -> Path:
    """Build the program that runs a scenario; returns its path."""
    command = ["cargo", "build", "--release", "--locked", "--bins"]
    # The module has no program, but with it the features are those that it was built with, so
    # nothing that the two share is compiled again.
    command += ["--package", "multihop-module", "--package", "multihop-instructions"]
    command += ["--message-format", "json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    built = (json.loads(line).get("executable") for line in done.stdout.splitlines())
    return next(Path(path) for path in built if path)


def compiler_name() -> str:
    """The compiler's version and the kind of machine it builds for."""
    done = subprocess.run(["rustc", "-vV"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    host = next(line for line in lines if line.startswith("host: "))
    return f"{lines[0]} {host.removeprefix('host: ')}"


def count(program: Path, row: dict[str, str]) -> int:
    """Instructions of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program)]
    command += [str(ROOT / "python/multihop/scenarios" / f"{row['scenario']}.toml")]
    command += [f"duration_s={row['duration_s']}", *row["set"].split(";")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(f"{' '.join(command)} counted nothing:\n{done.stderr}")
    return int(found[1])


def compare(row: dict[str, str], instructions: int) -> bool:
    """Print how a count compares with the baseline; whether it is too high."""
    recorded = int(row["instructions"])
    change = instructions / recorded - 1
    what = " ".join([row["scenario"], row["duration_s"], "s", row["set"]])
    print(f"{what:45} {instructions:>13,} instructions, {change:+.2%}")
    return change > TOLERANCE


def write(rows: list[dict[str, object]]) -> None:
    """Replace the record."""
    with RECORD.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
