"""Steps a second of environments: one network of 50 nodes, and 64 of them; resets and memory.

`python -m benches.environments [--resets 100000]` prints what evidence/learning.md has.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from typing import Any

import numpy as np

from multihop import gym

MESH = {
    "duration_s": 20,
    "topology": {"kind": "random", "nodes": 50, "area_m": [1000, 1000], "connected": True},
    "flows": [{"kind": "ftp", "count": 5, "source": "random", "destination": "random"}],
}
SECONDS = 5.0
"""Of each measurement."""


def measured(env: Any, actions: np.ndarray, networks: int) -> str:
    """Steps of all networks in a second of wall-clock time, and in one of a processor."""
    env.reset(seed=1)
    for _ in range(10):
        env.step(actions)
    begun, used, steps = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - begun < SECONDS:
        if np.all(env.step(actions)[3]) and networks == 1:
            env.reset()
        steps += networks
    by_wall = steps / (time.perf_counter() - begun)
    return f"{by_wall:,.0f} ({steps / (time.process_time() - used):,.0f} of a core)"


def resets(count: int) -> None:
    """Reset so often, and say how the memory grows."""
    small = MESH | {"duration_s": 2}
    env = gym.NetworkEnv(small, gym.Plan("node", every_s=0.01))
    begun = time.perf_counter()
    for number in range(count):
        env.reset(options={"network": number % 1000})
        if number + 1 in (1000, count // 2, count):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            taken = time.perf_counter() - begun
            print(f"{number + 1:,} resets: peak {peak:.1f} MiB, {taken:.0f} s", flush=True)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resets", type=int, default=0)
    asked = parser.parse_args()
    if asked.resets:
        resets(asked.resets)
        return
    print("steps a second by the clock, and by the time of a core", flush=True)
    plans = [
        ("five senders", gym.Plan("flow", every_s=0.1)),
        ("fifty nodes", gym.Plan("node", every_s=0.1)),
        ("fifty nodes", gym.Plan("node", every_s=0.01)),
        ("fifty nodes", gym.Plan("node", every_s=1e-6)),
        ("one sender", gym.Plan("flow", [0], every_s=1e-6)),
    ]
    for agents, plan in plans:
        one = gym.NetworkEnv(MESH, plan)
        found = [f"one {measured(one, np.zeros(one.action_space.shape, np.float32), 1)}"]
        for workers in sorted({1, os.cpu_count() or 1}):
            many = gym.VectorNetworks(MESH, plan, 64, workers=workers)
            actions = np.zeros(many.action_space.shape, np.float32)
            found.append(f"64 on {workers} threads {measured(many, actions, 64)}")
        print(f"{agents}, a step of {plan.every_s:g} s: {'; '.join(found)}", flush=True)


if __name__ == "__main__":
    main()
