"""The two tasks: networks to learn on, networks to be judged on, and what agents may do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from multihop.gym import Layer, Plan, Policy

HERE = Path(__file__).parent
LEARNED = HERE.parents[1] / "crates/multihop/src/agents/learned"
"""Policies that come along."""


def chain(hops: int) -> dict[str, Any]:
    """One transfer over a chain."""
    return {
        "title": f"{hops} hops",
        "duration_s": 30,
        "topology": {"kind": "chain", "hops": hops},
        "transport": {"window_segments": 32},
        "flows": [{"kind": "ftp", "source": 0, "destination": hops}],
    }


def mesh(nodes: int, flows: int) -> dict[str, Any]:
    """Transfers between random nodes, as many square metres for each node."""
    side_m = (nodes * 20_000) ** 0.5
    return {
        "title": f"{nodes} nodes, {flows} flows",
        "duration_s": 30,
        "topology": {
            "kind": "random", "nodes": nodes, "area_m": [side_m, side_m], "connected": True,
        },
        "transport": {"window_segments": 32},
        "flows": [
            {"kind": "ftp", "source": "random", "destination": "random", "count": flows}
        ],
    }  # fmt: skip


@dataclass(frozen=True)
class Task:
    """What is learned, on what, and what it is judged by."""

    name: str
    plan: Plan
    learned_on: list[dict[str, Any]]
    judged_on: list[dict[str, Any]]
    rivals: dict[str, dict[str, Any]]
    """What is laid over the scenarios for each rival."""

    @property
    def weights(self) -> Path:
        """The file of the policy."""
        return LEARNED / f"{self.name}.json"

    def policy(self) -> Policy:
        """The policy, as it is kept."""
        layers = [
            Layer(np.array(each["weights"]), np.array(each["biases"]), each["activation"])
            for each in json.loads(self.weights.read_text("utf-8"))["layers"]
        ]
        return Policy(self.plan, layers)


LEARNED_SEEDS = range(10_000, 20_000)
"""Networks of learning; judged are others."""
JUDGED_SEEDS = range(1001, 1041)

_RIVALS: dict[str, dict[str, Any]] = {
    "newreno": {},
    "newreno, window 8": {"transport.window_segments": 8},
    "tcp-ap": {"transport.scheme": "tcp-ap"},
}

_PACE = Plan(
    "flow",
    observes=[
        "hops", "smoothed_rtt_s", "least_rtt_s", "acked_per_s", "sent_per_s", "retransmits_per_s",
    ],
    sets=["pacing_s"],
    every_s=0.5,
    reward="fair",
)  # fmt: skip


def always(plan: Plan, value: float) -> dict[str, Any]:
    """Agents that set the same, whatever they observe."""
    (quantity,) = plan.set()
    layer = {"weights": [[0.0] * len(plan.observes)], "biases": [2 * quantity.share(value) - 1]}
    table = {"of": plan.of, "every_s": plan.every_s, "observes": [*plan.observes]}
    return {"agents": [{**table, "sets": [quantity.name], "layers": [layer]}]}


_CHAINS = [chain(hops) for hops in (2, 4, 6, 8, 10)]
_OTHERS = [*(chain(hops) for hops in (3, 5, 7, 9, 12)), mesh(50, 1), mesh(50, 5)]
_PACED = {**_RIVALS, **{f"always {ms} ms": always(_PACE, ms / 1000) for ms in (20, 30, 45)}}

PACE_ON_CHAINS = Task("pace-chains", _PACE, _CHAINS, _OTHERS, _PACED)
PACE = Task("pace", _PACE, [*_CHAINS, mesh(40, 1), mesh(40, 4)], _OTHERS, _PACED)
SLOTS = Task(
    "slots",
    Plan(
        "node",
        observes=["queue_packets", "sending_share", "retry_share", "busy_per_s", "freezes_per_s",
                  "delivered_bps", "least_window_slots", "flows"],
        sets=["least_window_slots"],
        every_s=0.5,
        reward="fair",
    ),
    [mesh(30, 4)],
    [mesh(30, 4), mesh(30, 8), mesh(60, 8)],
    {
        **_RIVALS,
        **{f"all {n} slots": {"mac.cw_min": n} for n in (15, 63, 127, 255, 511, 1023)},
    },
)  # fmt: skip

TASKS = {task.name: task for task in (PACE_ON_CHAINS, PACE, SLOTS)}
