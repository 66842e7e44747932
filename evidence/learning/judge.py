"""Judges a task's policy on other networks: `python -m evidence.learning.judge pace`.

Writes a row for each scenario and rival: goodput, fairness, and the ratio of the policy to the
rival with its 95 % interval, of pairs of equal networks.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from typing import Any

import numpy as np

import multihop
from evidence.learning.tasks import HERE, JUDGED_SEEDS, TASKS, Task
from multihop.bound import bound
from multihop.statistics import jain, mean_interval, paired_ratio, t_quantile


def figures(
    scenario: dict[str, Any], laid: dict[str, Any], seeds: Iterable[int] = JUDGED_SEEDS
) -> np.ndarray:
    """Goodput [bit/s], the mean over flows of ln(1 + kbit/s), and fairness, network by network."""
    rows = []
    for seed in seeds:
        flows = multihop.run(scenario, seed=seed, set=laid).json["flows"]
        goodput = np.array([flow["goodput_bps"] or 0.0 for flow in flows])
        fairness = jain(goodput) if len(goodput) > 1 and goodput.sum() else np.nan
        rows.append([goodput.sum(), np.log1p(goodput / 1e3).mean(), fairness])
    return np.array(rows)


def ratio(new: np.ndarray, old: np.ndarray) -> tuple[float, float]:
    """The ratio of means of pairs, and half of its 95 % interval."""
    found, error = paired_ratio(new, old)
    return found, t_quantile(len(new) - 1, 0.95) * error


def told(fairness: np.ndarray) -> str:
    """Its mean over the networks that have any."""
    known = fairness[~np.isnan(fairness)]
    return f"{known.mean():.3f}" if len(known) else ""


def judge(task: Task) -> None:
    """Judge it, and keep the table."""
    rows = []
    for scenario in task.judged_on:
        learned = figures(scenario, {"agents": [{"file": str(task.weights)}]})
        seeds = JUDGED_SEEDS[:1] if scenario["topology"]["kind"] == "chain" else JUDGED_SEEDS[:5]
        bounded = np.mean([bound(scenario, seed=seed).total_bps for seed in seeds])
        # All networks of a chain have one bound; of others the first few are compared.
        share = (learned if len(seeds) == 1 else learned[: len(seeds)])[:, 0].mean() / bounded
        for rival, laid in task.rivals.items():
            theirs = figures(scenario, laid)
            goodput, half = ratio(learned[:, 0], theirs[:, 0])
            fair = mean_interval((learned[:, 1] - theirs[:, 1]).tolist())
            rows.append([
                scenario["title"], rival, len(learned), f"{learned[:, 0].mean():.0f}",
                f"{theirs[:, 0].mean():.0f}", f"{goodput:.3f}", f"{half:.3f}",
                f"{fair.value:.3f}", f"{fair.half_width:.3f}",
                told(learned[:, 2]), told(theirs[:, 2]), f"{share:.3f}",
            ])  # fmt: skip
            print(*rows[-1], sep="  ", flush=True)
    with (HERE / f"{task.name}-judged.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([
            "scenario", "rival", "networks", "learned_bps", "rival_bps", "ratio", "ratio_half",
            "log_difference", "log_difference_half", "learned_jain", "rival_jain", "bound_share",
        ])  # fmt: skip
        writer.writerows(rows)


def main() -> None:
    """Judge the task that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=[*TASKS])
    judge(TASKS[parser.parse_args().task])


if __name__ == "__main__":
    main()
