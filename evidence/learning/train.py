"""Learns a task's policy by evolution strategies: `python -m evidence.learning.train pace`.

Antithetic samples, centred ranks, momentum (Salimans et al., "Evolution strategies as a scalable
alternative to reinforcement learning", 2017). All samples of a generation meet the same networks.
"""

from __future__ import annotations

import argparse
import csv
import time

import numpy as np

from evidence.learning.tasks import HERE, LEARNED_SEEDS, TASKS, Task
from multihop.gym import Policy, VectorNetworks

PAIRS = 8
"""Samples of a generation are twice as many."""
EPISODES = 5
"""Of each sample, over the scenarios of the task."""
SPREAD, RATE, MOMENTUM = 0.1, 0.05, 0.8
LENGTH_S = 20.0


def returns(envs: list[VectorNetworks], many: np.ndarray, networks: list[int]) -> np.ndarray:
    """The mean reward of each row of parameters, on the same networks of all `envs`."""
    total = np.zeros(len(many))
    for env in envs:
        steered = env.steered
        weights = many[:, :-1].reshape(len(many), 1, steered.width, 1)
        biases = many[:, -1].reshape(-1, 1, 1, 1)
        shape = (len(many), len(networks), steered.agents, steered.width)
        fresh = [
            (sample * len(networks) + place, 0, network)
            for sample in range(len(many))
            for place, network in enumerate(networks)
        ]
        observed, _, _ = steered.step(None, fresh)
        ended, steps = False, 0
        while not ended:
            actions = np.tanh(observed.reshape(shape) @ weights + biases)
            observed, rewards, over = steered.step(actions.astype(np.float32))
            total += rewards[:, 0].reshape(len(many), -1).mean(axis=1)
            ended, steps = bool(over.all()), steps + 1
    return total / len(envs) / steps


def learn(task: Task, generations: int, seed: int, cpu_s: float) -> None:
    """Learn it, and keep the policy of the last mean and the curve."""
    random = np.random.default_rng(seed)
    each = EPISODES // len(task.learned_on)
    envs = [
        VectorNetworks(
            scenario, task.plan, 2 * PAIRS * each, workers=1, set={"duration_s": LENGTH_S}
        )
        for scenario in task.learned_on
    ]
    mean = np.zeros(Policy.count(task.plan))
    step = np.zeros_like(mean)
    begun, rows = time.process_time(), []
    for generation in range(generations):
        noise = random.normal(size=(PAIRS, len(mean)))
        both = np.concatenate([noise, -noise])
        networks = random.choice(LEARNED_SEEDS, each, replace=False).tolist()
        found = returns(envs, mean + SPREAD * both, networks)
        ranks = found.argsort().argsort() / (len(found) - 1) - 0.5
        slope = ranks @ both / len(both) / SPREAD
        step = MOMENTUM * step + RATE * slope
        mean = mean + step
        used_s = time.process_time() - begun
        rows.append([generation, used_s, found.mean(), found.max(), float(np.abs(mean).max())])
        print(f"{generation:4d} {used_s:6.0f} s  mean {found.mean():.3f} best {found.max():.3f}",
              flush=True)  # fmt: skip
        if used_s > cpu_s:
            break
    policy = Policy.of_parameters(task.plan, mean)
    Policy(policy.plan, policy.layers, f"learned: {task.name}").save(task.weights)
    with (HERE / f"{task.name}-curve.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["generation", "cpu_s", "mean_reward", "best_reward", "largest_weight"])
        writer.writerows([[row[0], *(f"{value:.4g}" for value in row[1:])] for row in rows])


def main() -> None:
    """Learn the task that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=[*TASKS])
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu-s", type=float, default=600)
    asked = parser.parse_args()
    learn(TASKS[asked.task], asked.generations, asked.seed, asked.cpu_s)


if __name__ == "__main__":
    main()
