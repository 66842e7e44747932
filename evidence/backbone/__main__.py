"""The town's mesh with dishes, with access categories, and without dishes.

`python -m evidence.backbone` prints the table of evidence/backbone.md; `--write FILE` writes the
network of seed 1 as a scenario.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import tomli_w

import multihop
from multihop.statistics import mean_interval

from .network import scenario

SEEDS = range(1, 6)
CLASSES = {"voice": "voice", "web": "best-effort", "ftp": "background"}


def with_access_points(network: dict[str, Any]) -> dict[str, Any]:
    """The same with clients that belong to the access point they hear best, and route nothing."""
    for kind in network["interfaces"]:
        match kind["name"].partition("-")[0]:
            case "cell":
                kind["role"] = "access-point"
            case "phone":
                kind["role"] = "client"
    return network


def with_classes(network: dict[str, Any]) -> dict[str, Any]:
    """The same with EDCA: calls before pages before downloads."""
    network["mac"]["edca"] = True
    for flow in network["flows"]:
        flow["class"] = CLASSES[flow["kind"]]
    return network


VARIANTS: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "dishes": scenario,
    "dishes, EDCA": lambda seed: with_classes(scenario(seed)),
    "dishes, access points": lambda seed: with_access_points(scenario(seed)),
    "8 dBi in all directions": lambda seed: scenario(seed, directional=False),
}


def measured(flows: list[dict[str, Any]]) -> dict[str, float]:
    """What the clients get: means and shares over them."""
    kinds: dict[str, list[dict[str, Any]]] = {kind: [] for kind in CLASSES}
    for flow in flows:
        kinds[flow["kind"]].append(flow)
    downloads = [flow["goodput_bps"] / 1e6 for flow in kinds["ftp"]]
    calls = [flow["voice"] for flow in kinds["voice"]]
    answers = [flow["transfers"] for flow in kinds["web"] if flow.get("transfers")]
    # What had not come by the end took longer than all else.
    times = [math.inf if t is None else t for answer in answers for t in answer["time_s"]]
    return {
        "download (Mbit/s)": statistics.mean(downloads),
        "least (Mbit/s)": min(downloads),
        "call (MOS)": statistics.mean(call["mos"] or 1.0 for call in calls),
        "object of a page (ms)": 1e3 * statistics.median(times),
    }


def rows() -> Iterator[str]:
    """The rows of the table."""
    for name, network in VARIANTS.items():
        found: list[dict[str, float]] = []
        speeds = []
        for seed in SEEDS:
            started = time.process_time()
            result = multihop.run(network(seed), seed=seed)
            speeds.append(60 / (time.process_time() - started))
            found.append(measured(cast("list[dict[str, Any]]", result.json["flows"])))
        cells = []
        for measure in found[0]:
            values = [one[measure] for one in found]
            if not all(map(math.isfinite, values)):
                cells.append("never")
                continue
            interval = mean_interval(values)
            cells.append(f"{interval.value:.2f} ({interval.low:.2f} to {interval.high:.2f})")
        yield f"| {name} | {' | '.join(cells)} | {statistics.mean(speeds):.0f} |"


if __name__ == "__main__":
    if "--write" in sys.argv:
        Path(sys.argv[-1]).write_text(tomli_w.dumps(scenario()), encoding="utf-8")
    else:
        for row in rows():
            print(row)
