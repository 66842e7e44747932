"""Draw the mean speed of random waypoint nodes over time: docs/model/images/waypoint-speed.png."""

import re
from pathlib import Path

import matplotlib as mpl
import numpy as np

import multihop

LEAST_MPS, GREATEST_MPS = 0.5, 20.0
NODES = 4000
DURATION_S = 1500
FILE = Path(__file__).parents[1] / "docs" / "model" / "images" / "waypoint-speed.png"

SCENARIO = {
    "duration_s": DURATION_S,
    "topology": {"kind": "random", "nodes": NODES, "area_m": [1000, 1000], "connected": False},
    "mobility": {"kind": "random-waypoint", "speed_mps": [LEAST_MPS, GREATEST_MPS]},
    "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
}

COMMAND = re.compile(r'\$ns_ at (\S+) "\$node_\((\d+)\) setdest \S+ \S+ (\S+)"')


def mean_speeds(*, steady_state: bool) -> tuple[np.ndarray, np.ndarray]:
    """Time of every fifth second, and the mean speed of all nodes then, m/s."""
    text = multihop.movement(SCENARIO, seed=1, set={"mobility.steady_state": steady_state})
    commands = np.array([match.groups() for match in COMMAND.finditer(text)], dtype=float)
    times = np.arange(0.0, DURATION_S, 5.0)
    total = np.zeros_like(times)
    for node in range(NODES):
        starts, _, speeds = commands[commands[:, 1] == node].T
        total += speeds[np.searchsorted(starts, times, side="right") - 1]
    return times, total / NODES


def main() -> None:
    """Both starts, and what the closed form expects."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    expected = (GREATEST_MPS - LEAST_MPS) / np.log(GREATEST_MPS / LEAST_MPS)
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for steady_state, label in ((False, "plain start"), (True, "steady-state start")):
        times, speeds = mean_speeds(steady_state=steady_state)
        axes.plot(times, speeds, label=label)
        print(f"{label}: {speeds[0]:.2f} m/s at first, {speeds[-40:].mean():.2f} m/s at last")
    axes.axhline(expected, color="black", linewidth=1, linestyle="--", label="closed form")
    axes.set(xlabel="time, s", ylabel="mean speed, m/s", xlim=(0, DURATION_S), ylim=(0, 11))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(FILE, dpi=110)
    print(f"closed form: {expected:.2f} m/s; {FILE}")


if __name__ == "__main__":
    main()
