"""Learns a task's policy by an evolution strategy: `python -m evidence.learning.train pace`.

CMA-ES with its usual settings (Hansen, "The CMA evolution strategy: a tutorial", 2016). All samples
of a generation meet the same networks. Parameters weigh observations less their mean, over their
deviation, both of a first generation.
"""

from __future__ import annotations

import argparse
import csv
import time

import numpy as np

from evidence.learning.tasks import HERE, LEARNED_SEEDS, TASKS, Task
from multihop.gym import Policy, VectorNetworks

SAMPLES = 16
"""Of a generation."""
EPISODES = 5
"""Of each sample, over the scenarios of the task."""
FIRST_SPREAD = 0.3
LENGTH_S = 20.0


def returns(
    envs: list[VectorNetworks],
    many: np.ndarray,
    networks: list[int],
    seen: list[np.ndarray] | None = None,
) -> np.ndarray:
    """The mean reward of each row of parameters, on the same networks of all `envs`.

    What is observed is added to `seen`.
    """
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
            if seen is not None:
                seen.append(observed.reshape(-1, steered.width))
            actions = np.tanh(observed.reshape(shape) @ weights + biases)
            observed, rewards, over = steered.step(actions.astype(np.float32))
            total += rewards[:, 0].reshape(len(many), -1).mean(axis=1)
            ended, steps = bool(over.all()), steps + 1
    return total / len(envs) / steps


class Search:
    """CMA-ES: it asks for values at points, and is told them; more is better."""

    def __init__(self, count: int, spread: float, random: np.random.Generator) -> None:
        self.mean, self.spread, self.random = np.zeros(count), spread, random
        better = SAMPLES // 2
        weights = np.log(better + 0.5) - np.log(np.arange(1, better + 1))
        self.weights = weights / weights.sum()
        self.mass = 1 / (self.weights**2).sum()
        self.covariance = np.eye(count)
        self.path, self.spread_path = np.zeros(count), np.zeros(count)
        self.steps = self.turned = np.zeros((SAMPLES, count))

    def ask(self) -> np.ndarray:
        """Points to value, a row each."""
        values, vectors = np.linalg.eigh(self.covariance)
        white = self.random.normal(size=self.steps.shape)
        self.turned = white @ vectors.T
        self.steps = white @ (vectors * np.sqrt(np.maximum(values, 1e-12))).T
        return self.mean + self.spread * self.steps

    def tell(self, found: np.ndarray) -> None:
        """Go where values were best."""
        count, mass = len(self.mean), self.mass
        best = np.argsort(-found)[: len(self.weights)]
        step, turned = self.weights @ self.steps[best], self.weights @ self.turned[best]
        self.mean = self.mean + self.spread * step
        fast = (mass + 2) / (count + mass + 5)
        damping = 1 + fast + 2 * max(0.0, np.sqrt((mass - 1) / (count + 1)) - 1)
        slow = (4 + mass / count) / (count + 4 + 2 * mass / count)
        one = 2 / ((count + 1.3) ** 2 + mass)
        many = min(1 - one, 2 * (mass - 2 + 1 / mass) / ((count + 2) ** 2 + mass))
        self.spread_path = (1 - fast) * self.spread_path + np.sqrt(
            fast * (2 - fast) * mass
        ) * turned
        self.path = (1 - slow) * self.path + np.sqrt(slow * (2 - slow) * mass) * step
        usual = np.sqrt(count) * (1 - 1 / (4 * count) + 1 / (21 * count**2))
        self.spread *= float(
            np.exp(fast / damping * (np.linalg.norm(self.spread_path) / usual - 1))
        )
        spread_out = (self.weights[:, None] * self.steps[best]).T @ self.steps[best]
        self.covariance = (
            (1 - one - many) * self.covariance
            + one * np.outer(self.path, self.path)
            + many * spread_out
        )


def learn(task: Task, generations: int, seed: int, cpu_s: float) -> None:
    """Learn it, and keep the policy of the last mean and the curve."""
    random = np.random.default_rng(seed)
    each = max(1, EPISODES // len(task.learned_on))
    envs = [
        VectorNetworks(scenario, task.plan, SAMPLES * each, workers=1, set={"duration_s": LENGTH_S})
        for scenario in task.learned_on
    ]
    begun, rows = time.process_time(), []
    count = Policy.count(task.plan)
    seen: list[np.ndarray] = []
    first = random.choice(LEARNED_SEEDS, each, replace=False).tolist()
    returns(envs, 0.3 * random.normal(size=(SAMPLES, count)), first, seen)
    observed = np.concatenate(seen)
    middle, scale = observed.mean(axis=0), observed.std(axis=0) + 1e-3

    def folded(many: np.ndarray) -> np.ndarray:
        weights = many[..., :-1] / scale
        return np.concatenate([weights, many[..., -1:] - (weights @ middle)[..., None]], axis=-1)

    search = Search(count, FIRST_SPREAD, random)
    for generation in range(generations):
        networks = random.choice(LEARNED_SEEDS, each, replace=False).tolist()
        found = returns(envs, folded(search.ask()), networks)
        search.tell(found)
        used_s = time.process_time() - begun
        rows.append([generation, used_s, found.mean(), found.max(), search.spread])
        print(f"{generation:4d} {used_s:6.0f} s  mean {found.mean():.3f} best {found.max():.3f} "
              f"spread {search.spread:.3f}", flush=True)  # fmt: skip
        if used_s > cpu_s:
            break
    policy = Policy.of_parameters(task.plan, folded(search.mean))
    Policy(policy.plan, policy.layers, f"learned: {task.name}").save(task.weights)
    with (HERE / f"{task.name}-curve.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["generation", "cpu_s", "mean_reward", "best_reward", "spread"])
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
