"""What common networks save a comparison, and what a cheap twin of each run could save it.

    python -m benches.controls            # some six minutes of one core

For each question of `benches/answers` that asks for a ratio over random networks: how wide its
interval is on common networks over independent ones, and how far a control variate could go. The
control is the baseline's run over static routes on the same network. Its own mean has to be
estimated on further networks, so it pays only where its correlation with what the ratio is judged
by is above 2 sqrt(w) / (1 + w), where w is its time over that of a pair of runs (Peherstorfer,
Willcox and Gunzburger, SIAM Journal on Scientific Computing 38(5), 2016, for two models).
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

import multihop

FOLDER = Path(__file__).with_name("answers")
FIRST_SEED = 41_001
"""Networks on which no question is asked."""
QUESTIONS = ("01", "02", "03", "04", "09", "10")
"""Those that ask for a ratio over random networks."""
STATIC = {"routing": {"scheme": "static"}}


@click.command()
@click.option("--networks", default=40, show_default=True)
def main(networks: int) -> None:
    """Run each question's two schemes and the twin, and print what they save."""
    seeds = range(FIRST_SEED, FIRST_SEED + networks)
    print("question | common over independent | correlation | twin's time w | pays above | cost")
    for number in QUESTIONS:
        (file,) = FOLDER.glob(f"{number}-*.toml")
        study = multihop.Study.read(file)
        arms = {cell.scheme: json.loads(cell.text) for cell in study.cells("full")}
        baseline = arms.pop(str(study.table.baseline))
        (scheme,) = arms.values()
        times, totals = zip(
            *(totals_of(each, seeds) for each in (scheme, baseline, baseline | STATIC)),
            strict=True,
        )
        print(f"{number} {line(times, totals)}", flush=True)


def totals_of(scenario: dict[str, Any], seeds: range) -> tuple[float, np.ndarray]:
    """Processor time of the runs [s], and the total goodput of each [bit/s]."""
    began = time.process_time()
    runs = [multihop.run(scenario, seed=seed) for seed in seeds]
    totals = [sum(flow["goodput_bps"] for flow in run.json["flows"]) for run in runs]
    return time.process_time() - began, np.array(totals)


def line(times: tuple[float, ...], totals: tuple[np.ndarray, ...]) -> str:
    """What is found of one question."""
    over, under, twin = totals
    residual = over - over.mean() / under.mean() * under
    apart = math.hypot(over.std() / over.mean(), under.std() / under.mean())
    common = residual.std() / over.mean()
    r = float(np.corrcoef(residual, twin)[0, 1])
    w = times[2] / (times[0] + times[1])
    cost = (math.sqrt(1 - r * r) + math.sqrt(w) * abs(r)) ** 2
    least = 2 * math.sqrt(w) / (1 + w)
    return f"| {common / apart:.2f} | {r:+.2f} | {w:.2f} | {least:.2f} | {cost:.2f}"


if __name__ == "__main__":
    main()
