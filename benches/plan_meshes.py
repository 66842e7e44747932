"""How often `multihop plan` names the best candidate on meshes that nobody has seen before.

Meshes of the kind of a given one are drawn: as many routers about places of its own, links from its
own path loss, kept where a map would have them. Three houses far from the uplink want calls, five
roofs could have a router; with `--dish` the farthest of the houses wants them, and one of the
weakest links on its way could be 10 dB stronger. `plan` selects on seeds of its own; exhaustive
search runs every candidate on others. `.venv/bin/python benches/plan_meshes.py SCENARIO --keep
out/meshes`; called again it goes on.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra

from multihop.cli.plan import candidates_of, houses_of
from multihop.sites import path_loss, qualities
from multihop.sites.candidates import Candidate, links
from multihop.sites.planner import Effort, plan
from multihop.sites.service import Asked

EXHAUSTIVE_SEED = 10_000
DISH_DB = 10.0
HOUSES, ROOFS, LEAST_CONNECTED = 3, 5, 20
WAY_BACK_DB = 4.0
"""Root of the mean square between both ways of a link, as in the tutorial's map."""
LEAST_SHARE = 0.11
"""Of frames that arrive: the tutorial's map has no weaker link."""
ASIDE_M = 40.0
"""Routers and roofs stand so far from places of the given mesh."""
MOST_ETX = 7.0
"""From the uplink to a house, as in the tutorial's map; beyond it nothing helps."""


def main() -> None:
    """Draw the meshes, select on each, and search on more and more seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario")
    parser.add_argument("--meshes", type=int, default=12)
    parser.add_argument("--seeds", type=int, default=160)
    parser.add_argument("--step", type=int, default=40)
    parser.add_argument("--dish", action="store_true")
    parser.add_argument("--keep", type=Path, required=True)
    told = parser.parse_args()
    kind = candidates_of(told.scenario, ("0,0",), None, None, (), {}, None, 1)[0].scenario
    folders = [drawn(kind, number, told.keep) for number in range(1, told.meshes + 1)]
    for seeds in range(told.step, told.seeds + 1, told.step):
        for folder in folders:
            search(folder, seeds, told.dish)
            report(folders, told.dish)


def drawn(kind: Mapping[str, Any], number: int, keep: Path) -> Path:
    """The folder of a mesh: its scenario, `roofs.csv` and `houses.json`."""
    folder = keep / f"mesh-{number}"
    if (folder / "houses.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    places = np.array([place[:2] for place in kind["topology"]["positions_m"]])
    loss = path_loss.fitted(
        [tuple(place) for place in places],
        {(a, b): gain for a, b, gain in kind["radio"]["gains_db"]},
    )
    assert loss is not None
    for attempt in range(1000):
        rng = np.random.default_rng([number, attempt])
        own = _about(places, len(places), rng)
        shares = _shares(own, loss, rng)
        _, part = connected_components(coo_array(shares), directed=False)
        kept = np.flatnonzero(part == np.bincount(part).argmax())
        if len(kept) >= LEAST_CONNECTED:
            break
    print(f"mesh {number}: {len(kept)} routers, {(shares > 0).sum()} links, attempt {attempt + 1}")
    _table(folder / "nodes.csv", ("id", "x_m", "y_m"), [(f"r{k}", *own[k]) for k in kept])
    _table(
        folder / "links.csv", ("from", "to", "tq"),
        [(f"r{a}", f"r{b}", round(shares[a, b], 3)) for a in kept for b in kept if shares[a, b]],
    )  # fmt: skip
    roofs = _about(places, ROOFS, rng)
    _table(folder / "roofs.csv", ("name", "x_m", "y_m"),
           [(f"roof {k + 1}", *roof) for k, roof in enumerate(roofs)])  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "multihop", "import", folder / "nodes.csv", folder / "links.csv",
         "--routing", "batman", "--out", folder / "town"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    uplink = kept[(shares[kept] > 0).sum(axis=1).argmax()]
    far = dijkstra(np.where(shares > 0, 1 / np.maximum(shares * shares.T, 1e-9), 0))[uplink]
    houses = sorted((k for k in kept if far[k] <= MOST_ETX), key=lambda k: -far[k])[:HOUSES]
    told = {"gateway": f"r{uplink}", "houses": [f"r{k}" for k in houses]}
    (folder / "houses.json").write_text(json.dumps(told))
    return folder


def _about(
    places: npt.NDArray[np.float64], count: int, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Places about those of the given mesh; all coordinates are positive."""
    found = places[rng.integers(len(places), size=count)] + rng.normal(0, ASIDE_M, (count, 2))
    return (found + 5 * ASIDE_M).round(1)


def _shares(
    places: npt.NDArray[np.float64], loss: path_loss.PathLoss, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Of frames that arrive from each to each; 0 where there is no link."""
    count = len(places)
    shares = np.zeros((count, count))
    for a in range(count):
        for b in range(a + 1, count):
            gain = loss.gain_db(math.dist(places[a], places[b])) + loss.sigma_db * rng.normal()
            for ends in ((a, b), (b, a)):
                own = gain + WAY_BACK_DB / math.sqrt(2) * rng.normal()
                least = 10 ** ((qualities.SENSE_DBM - qualities.POWER_DBM - own) / 10)
                shares[ends] = math.exp(-least) if least < 100 else 0.0
    return np.where((shares >= LEAST_SHARE) & (shares.T >= LEAST_SHARE), shares, 0.0)


def _table(file: Path, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with file.open("w", newline="") as held:
        csv.writer(held).writerows([head, *rows])


def search(folder: Path, seeds: int, dish: bool) -> None:
    """Have the choice of `plan`, and every candidate's values on so many seeds."""
    told = json.loads((folder / "houses.json").read_text())
    for stage, first, effort in (
        ("selected", 1, Effort()),
        ("searched", EXHAUSTIVE_SEED, Effort(start=seeds, limit=seeds)),
    ):
        file = _file(folder, stage, dish)
        if stage == "selected" and file.with_suffix(".json").exists():
            continue
        asked, found = candidates_of(
            str(folder / "town/scenario.toml"), (str(folder / "roofs.csv"),), None, None, (), {},
            told["gateway"], first,
        )  # fmt: skip
        houses = told["houses"]
        if dish:
            houses = houses[:1]
            found = _dishes(asked, asked.nodes.number(houses[0]) or 0)
        whole = plan(
            asked, found, objective="calls", houses=houses_of(asked, tuple(houses)),
            effort=effort, workers=1, keep=file.with_suffix(".jsonl"),
        )  # fmt: skip
        if stage == "selected":
            chosen = {
                "named": whole.ranked[0].candidate.label, "decided": whole.decided,
                "seeds": whole.seeds, "runs": whole.runs,
            }  # fmt: skip
            file.with_suffix(".json").write_text(json.dumps(chosen))


def _file(folder: Path, stage: str, dish: bool) -> Path:
    return folder / (f"{stage}-dish" if dish else stage)


def _dishes(asked: Asked, house: int) -> list[Candidate]:
    """A stronger link each, of the weakest on the way of fewest expected transmissions."""
    gains = {(a, b): gain for a, b, gain in asked.scenario["radio"]["gains_db"]}
    count = len(asked.heard.ways)
    etx = np.zeros((count, count))
    for (a, b), gain in gains.items():
        least = [
            10 ** ((qualities.SENSE_DBM - qualities.POWER_DBM - one) / 10)
            for one in (gain, gains.get((b, a), gain))
        ]
        etx[a, b] = math.exp(min(sum(least), 20.0))
    _, before = dijkstra(etx, indices=[asked.gateway], return_predecessors=True)
    way = [house]
    while way[-1] != asked.gateway:
        way.append(int(before[0, way[-1]]))
    pairs = sorted(pairwise(way), key=lambda ends: -etx[ends])[:ROOFS]
    chosen = {(min(ends), max(ends)) for ends in pairs}
    return [one for one in links(asked.scenario, asked.nodes, DISH_DB) if one.link in chosen]


def report(folders: Iterable[Path], dish: bool) -> None:
    """What was named, what is best, and how sure that is."""
    best = within = surely = total = far = others = 0
    for folder in folders:
        if not (searched := _file(folder, "searched", dish).with_suffix(".jsonl")).exists():
            continue
        chosen = json.loads(_file(folder, "selected", dish).with_suffix(".json").read_text())
        rows = searched.read_text().splitlines()[1:]
        values = [json.loads(row)["values"] for row in rows]
        labels = [*values[0]]
        table = np.array([[row[label] for label in labels] for row in values])
        means = table.mean(axis=0)
        first, named = int(means.argmax()), labels.index(chosen["named"])
        behind = table[:, first] - table[:, named]
        error = 1.96 * behind.std(ddof=1) / math.sqrt(len(table))
        ordered = np.sort(means)[::-1]
        print(
            f"{folder.name}: named {chosen['named']}{'' if chosen['decided'] else ' (undecided)'} "
            f"after {chosen['seeds']} seeds, {chosen['runs']} runs; best {labels[first]} "
            f"{means[first]:.3f}, lead {ordered[0] - ordered[1]:.3f}, as it is "
            f"{means[labels.index('as it is')]:.3f}; named is behind by {behind.mean():.3f} "
            f"+- {error:.3f}, {len(table)} seeds, {table.size * (1 if dish else HOUSES)} runs",
            flush=True,
        )
        total += 1
        far += int((means < means.max() - Effort().indifference).sum())
        others += len(means) - 1
        best += first == named
        within += bool(behind.mean() <= Effort().indifference)
        surely += bool(behind.mean() + error <= Effort().indifference)
    print(
        f"{total} meshes: the best {best}, within {within}, surely within {surely}; {far} of "
        f"{others} other candidates are beyond the indifference",
        flush=True,
    )


if __name__ == "__main__":
    main()
