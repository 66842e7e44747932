"""What each observation is worth to a policy: `python -m evidence.learning.ablate`.

Of a learned policy one observation at a time, and all of them, are replaced by their means over
episodes that the policy plays on networks of learning. Policies here are one layer: its weight of
an observation becomes zero, and its bias grows by that weight of the mean. Each row compares such a
policy with the whole one on the same networks, on none of which anything was learned or judged.
"""

from __future__ import annotations

import argparse
import csv
import time
from typing import Any

import numpy as np

from evidence.learning.judge import figures, ratio
from evidence.learning.tasks import HERE, LEARNED_SEEDS, TASKS, Task, chain, mesh
from evidence.learning.train import LENGTH_S
from multihop.gym import Layer, Policy, VectorNetworks
from multihop.statistics import mean_interval

FIRST_SEED = 340_001
EPISODES = 10
"""Over which observations are averaged, of each scenario of learning."""
PACED = [chain(7), mesh(50, 5)]
ON = {"pace-chains": PACED, "pace": PACED, "slots": [mesh(30, 4), mesh(60, 8)]}
"""The scenarios on which each task's policy is compared."""


def means(task: Task, policy: Policy) -> np.ndarray:
    """The mean of each observation over agents, steps, networks and scenarios of learning."""
    found = []
    for scenario in task.learned_on:
        env = VectorNetworks(scenario, task.plan, EPISODES, workers=1, set={"duration_s": LENGTH_S})
        steered, seen, ended = env.steered, [], False
        fresh = [(place, 0, LEARNED_SEEDS[place]) for place in range(EPISODES)]
        observed, _, _ = steered.step(None, fresh)
        while not ended:
            seen.append(observed.reshape(-1, steered.width))
            observed, _, over = steered.step(policy(observed))
            ended = bool(over.all())
        found.append(np.concatenate(seen).mean(axis=0))
    mean: np.ndarray = np.stack(found).mean(axis=0)
    return mean


def without(policy: Policy, places: list[int], mean: np.ndarray) -> Policy:
    """The policy with the means of some observations in place of what is observed."""
    (layer,) = policy.layers
    weights = layer.weights.copy()
    weights[:, places] = 0.0
    biases = layer.biases + layer.weights[:, places] @ mean[places]
    return Policy(policy.plan, [Layer(weights, biases, layer.activation)])


def ablate(task: Task, scenarios: list[dict[str, Any]], networks: int) -> list[list[str]]:
    """A row for each scenario and each observation that is replaced."""
    rows = []
    policy = task.policy()
    mean = means(task, policy)
    replaced = [(name, [place]) for place, name in enumerate(task.plan.observes)]
    replaced.append(("all", [*range(len(replaced))]))
    seeds = range(FIRST_SEED, FIRST_SEED + networks)
    for scenario in scenarios:
        begun = time.monotonic()
        whole = figures(scenario, {"agents": [policy.table()]}, seeds)
        for name, places in replaced:
            changed = without(policy, places, mean)
            found = figures(scenario, {"agents": [changed.table()]}, seeds)
            total, total_half = ratio(found[:, 0], whole[:, 0])
            fair = mean_interval((found[:, 1] - whole[:, 1]).tolist())
            both = ~(np.isnan(found[:, 2]) | np.isnan(whole[:, 2]))
            jain = ratio(found[both, 2], whole[both, 2]) if both.sum() > 1 else None
            rows.append([
                task.name, scenario["title"], name, str(networks),
                f"{mean[places[0]]:.4f}" if len(places) == 1 else "",
                f"{whole[:, 0].mean():.0f}", f"{total:.3f}", f"{total_half:.3f}",
                *(("", "") if jain is None else (f"{value:.3f}" for value in jain)),
                f"{fair.value:.3f}", f"{fair.half_width:.3f}",
            ])  # fmt: skip
            print(*rows[-1], f"{time.monotonic() - begun:.0f} s", sep="  ", flush=True)
    return rows


def main() -> None:
    """Replace every observation of each policy, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=int, default=100)
    networks = parser.parse_args().networks
    rows = [row for name in TASKS for row in ablate(TASKS[name], ON[name], networks)]
    with (HERE / "ablation.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([
            "policy", "scenario", "replaced", "networks", "mean_share", "whole_bps",
            "total_ratio", "total_ratio_half", "jain_ratio", "jain_ratio_half",
            "log_difference", "log_difference_half",
        ])  # fmt: skip
        writer.writerows(rows)


if __name__ == "__main__":
    main()
