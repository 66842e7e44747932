"""What the machinery of studies costs beside the engine: 1,000 runs of 0.2 s.

Runs a study from the command line to its report, and the same runs by the bare engine. Compares
processor time, which other work on the machine disturbs little, and elapsed time, which needs a
quiet one.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import click

import multihop
from multihop.scenario import to_toml

CHAIN_HOPS = 6
CALIBRATION_S = 1000.0

BARE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from multihop.study import Study
from multihop import engine
(cell,) = Study.read(sys.argv[1]).cells()
with ThreadPoolExecutor(int(sys.argv[3])) as pool:
    for _ in pool.map(lambda seed: engine.run_recorded(cell.text, syntax="json", seed=seed),
                      range(1, int(sys.argv[2]) + 1)):
        pass
"""


class Took(NamedTuple):
    """What a process took [s]."""

    processor_s: float
    elapsed_s: float


def study(simulated_s: float) -> dict[str, object]:
    """One scheme, no axes: every run is another seed."""
    ends = {"source": 0, "destination": CHAIN_HOPS}
    return {
        "title": "Overhead",
        "question": "What does the machinery cost?",
        "schemes": ["aodv"],
        "metrics": ["goodput_bps", "collisions"],
        "scenario": {
            "duration_s": simulated_s,
            "topology": {"kind": "chain", "hops": CHAIN_HOPS, "spacing_m": 200},
            "flows": [{"kind": "ftp", **ends, "stop_s": simulated_s}],
        },
        "scale": {"quick": {"networks": 1}, "full": {"networks": 1}},
        "figures": [
            {
                "name": "goodput",
                "title": "Goodput",
                "x": "scheme",
                "y": "goodput_bps",
                "kind": "bar",
            }
        ],
    }


def took(*command: str) -> Took:
    """Run a Python command in a process of its own."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(spent, time.perf_counter() - begun)


def processor_s(simulated_s: float) -> float:
    """Processor time of one run."""
    scenario: Any = study(simulated_s)["scenario"]
    begun = time.process_time()
    multihop.run(scenario)
    return time.process_time() - begun


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--run-s", default=0.2, show_default=True, help="Processor time a run should take.")
@click.option("--workers", default=os.cpu_count() or 1, show_default=True)
def main(runs: int, run_s: float, workers: int) -> None:
    """Print both and the overhead."""
    simulated_s = float(round(CALIBRATION_S * run_s / processor_s(CALIBRATION_S)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.toml"
        file.write_text(to_toml(study(simulated_s)))
        bare = took("-c", BARE, str(file), str(runs), str(workers))
        command = ["-m", "multihop", "study", "run", str(file), "--out", f"{folder}/out"]
        whole = took(*command, "--networks", str(runs), "--workers", str(workers))
    click.echo(f"{runs} runs of {simulated_s:g} s simulated, {workers} at a time, "
               f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    for name, alone, all_in_all in zip(("processor", "elapsed"), bare, whole, strict=True):
        more = all_in_all / alone - 1
        click.echo(f"{name} time: engine {alone:.1f} s, study {all_in_all:.1f} s: {more:+.1%}")


if __name__ == "__main__":
    main()
