"""How often `multihop plan` names the best candidate: against exhaustive search on fresh seeds.

Every candidate runs on every seed. Half of the seeds tell which is the best; from the others whole
selections are drawn, with replacement, and each is compared with that: it is right if it names the
best or one within the indifference of it. `.venv/bin/python benches/plan_selection.py SCENARIO
CANDIDATES HOUSE... --seeds 300 --keep out/values.jsonl`; called again it goes on or only counts.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from multihop.cli.plan import candidates_of, houses_of
from multihop.sites.planner import Effort, plan
from multihop.study.kn import Selection

SELECTIONS = 1000
FIRST_SEED = 10_000


def main() -> None:
    """Run what is missing, then draw selections."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario")
    parser.add_argument("candidates")
    parser.add_argument("houses", nargs="+")
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--objective", default="calls")
    parser.add_argument("--keep", type=Path, required=True)
    told = parser.parse_args()
    asked, found = candidates_of(
        told.scenario, (told.candidates,), None, None, (), {}, None, FIRST_SEED
    )
    everything = Effort(start=told.seeds, limit=told.seeds)
    whole = plan(
        asked, found, objective=told.objective, houses=houses_of(asked, tuple(told.houses)),
        effort=everything, workers=1, keep=told.keep,
    )  # fmt: skip
    labels = [row.candidate.label for row in whole.ranked]
    rows = [json.loads(row)["values"] for row in told.keep.read_text().splitlines()[1:]]
    values = np.array([[row[label] for label in labels] for row in rows[: told.seeds]])
    truth, pool = values[::2].mean(axis=0), values[1::2]
    print(f"{len(values)} seeds, {len(labels)} candidates; truth by {len(values[::2])} of them:")
    errors = values[::2].std(axis=0, ddof=1) / np.sqrt(len(values[::2]))
    for label, mean, error, own in zip(labels, truth, errors, pool.mean(axis=0), strict=True):
        print(f"  {label:20} {mean:.3f} +- {1.96 * error:.3f}; drawn from {own:.3f}")
    for share in (0.05, 0.1, 0.15):
        print(judged(replace(Effort(), indifference=share), truth, pool))


def judged(effort: Effort, truth: np.ndarray, pool: np.ndarray) -> str:  # type: ignore[type-arg]
    """Draw selections from the pool and count the right ones."""
    generator = np.random.default_rng(1)
    best = within = own = undecided = networks = 0
    for _ in range(SELECTIONS):
        race = Selection(
            pool.shape[1], probability=effort.probability, indifference=effort.indifference,
            start=effort.start, absolute=True,
        )  # fmt: skip
        while not race.decided and race.networks < effort.limit:
            race.add(pool[generator.integers(len(pool))])
        undecided += not race.decided
        chosen = race.remaining[0]
        best += chosen == int(truth.argmax())
        within += bool(truth[chosen] >= truth.max() - effort.indifference)
        means = pool.mean(axis=0)
        own += bool(means[chosen] >= means.max() - effort.indifference)
        networks += race.networks
    return (
        f"indifference {effort.indifference:g}: the best in {best} of {SELECTIONS}, it or one "
        f"within the indifference in {within} (by the mean of the drawn seeds in {own}); "
        f"undecided {undecided}; {networks / SELECTIONS:.0f} seeds on the mean"
    )


if __name__ == "__main__":
    main()
