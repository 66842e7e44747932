"""What a mesh's measured links say of others: of held-out pairs, the way back, another mesh.

`.venv/bin/python evidence/mesh_learning.py` prints the tables of `evidence/planning.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from multihop import sites
from multihop.sites import path_loss
from multihop.sites.learning import share_of
from multihop.sites.mesh import Mesh

ROOT = Path(__file__).parents[1]
MAPS = {
    "Leipzig": ("examples/sites/meshviewer.json",),
    "Bielefeld": ("evidence/meshes/bielefeld-nodes.csv", "evidence/meshes/bielefeld-links.csv"),
}
FOLDS, ROUNDS = 5, 4
NEAREST_M, FARTHEST_M = 3.0, 900.0
"""Pairs within these are judged: the second is all of the map of Leipzig."""
Pair = tuple[int, int]
Predict = Callable[[float], float]


@dataclass(frozen=True)
class Town:
    """A map's pairs."""

    places: list[tuple[float, float]]
    gains: dict[Pair, float]
    """Of each way [dB]."""
    told: dict[Pair, float]
    """Of each pair with a link, the mean of both ways."""
    far: dict[Pair, float]
    """Of each pair that is judged [m]."""

    @classmethod
    def of(cls, mesh: Mesh) -> Town:
        """A mesh's."""
        places = [(place[0], place[1]) for place in mesh.places_m if place is not None]
        gains = {(a, b): gain for a, b, gain, _ in mesh.gains}
        far = {
            (a, b): math.dist(places[a], places[b])
            for a in range(len(places))
            for b in range(a + 1, len(places))
        }
        judged = {pair: far_m for pair, far_m in far.items() if NEAREST_M <= far_m <= FARTHEST_M}
        return cls(places, gains, path_loss.pair_gains(gains), judged)

    @property
    def cap(self) -> float:
        """The end of the scale: the best gain, if several links have it."""
        best = max(self.told.values())
        return best if sum(gain >= best - 1e-9 for gain in self.told.values()) > 1 else 0.0


class Judged:
    """Errors of predictions, and chances of links."""

    def __init__(self) -> None:
        self.errors: dict[str, list[float]] = {}
        self.shares: dict[str, list[float]] = {}
        self.chances: list[tuple[float, bool]] = []

    def add(self, town: Town, pair: Pair, chance: float, models: Mapping[str, Predict]) -> None:
        """Judge what is predicted of a pair."""
        self.chances.append((chance, pair in town.told))
        gain = town.told.get(pair)
        if gain is None or gain >= town.cap - 1e-9:
            return
        for name, predict in models.items():
            guess = predict(town.far[pair])
            self.errors.setdefault(name, []).append(guess - gain)
            self.shares.setdefault(name, []).append(share_of(guess) - share_of(gain))

    def show(self) -> None:
        """Print it."""
        for name, errors in self.errors.items():
            print(f"  {name:30} gain {_root(errors):5.1f} dB, share {_root(self.shares[name]):.2f}")
        rate = np.mean([is_there for _, is_there in self.chances])
        brier = np.mean([(chance - is_there) ** 2 for chance, is_there in self.chances])
        print(
            f"  is there a link: Brier {brier:.3f}, by the mean rate alone "
            f"{rate * (1 - rate):.3f}; area under the curve {_area(self.chances):.2f}"
        )


def main() -> None:
    """Print all tables."""
    towns = {}
    for name, files in MAPS.items():
        # Leipzig's is one mesh, as the tutorial takes it; Bielefeld's are many of two or three.
        several = name == "Bielefeld"
        mesh = sites.joined([sites.read(ROOT / file) for file in files], everything=several)
        town = towns[name] = Town.of(mesh)
        links = [pair for pair in town.far if pair in town.told]
        below = sum(town.told[pair] < town.cap - 1e-9 for pair in links)
        print(f"{name}: {len(town.far)} pairs, {len(links)} with a link, {below} of those below")
        print(f"the end of the scale; {FOLDS} folds, {ROUNDS} rounds")
        _pairs(town)
        _ways(mesh)
    for known, other in (("Leipzig", "Bielefeld"), ("Bielefeld", "Leipzig")):
        print(f"{other} by what is known of {known}")
        _across(towns[known], towns[other])


def _pairs(town: Town) -> None:
    every = [*town.far]
    judged = Judged()
    for round_ in range(ROUNDS):
        order = np.random.default_rng(round_).permutation(len(every))
        for fold in range(FOLDS):
            out = {every[k] for k in order[fold::FOLDS]}
            kept = {way: gain for way, gain in town.gains.items() if tuple(sorted(way)) not in out}
            found = path_loss.fitted(town.places, kept, unknown=out)
            assert found is not None
            models, least = _models(found, kept, town.far), min(town.told.values())
            for pair in out:
                judged.add(town, pair, _chance(found, town.far[pair], least), models)
    judged.show()


def _across(known: Town, other: Town) -> None:
    found = path_loss.fitted(known.places, known.gains)
    assert found is not None
    models, least = _models(found, known.gains, known.far), min(known.told.values())
    judged = Judged()
    for pair, far_m in other.far.items():
        judged.add(other, pair, _chance(found, far_m, least), models)
    judged.show()


def _models(
    found: path_loss.PathLoss, kept: dict[Pair, float], far: dict[Pair, float]
) -> dict[str, Predict]:
    pairs = {pair: gain for pair, gain in path_loss.pair_gains(kept).items() if pair in far}
    known = [[math.log10(far[pair]), gain] for pair, gain in pairs.items()]
    slope, at_1m = np.polyfit([far for far, _ in known], [gain for _, gain in known], 1)
    mean = float(np.mean([*pairs.values()]))
    return {
        "mean of the others": lambda _far: mean,
        "least squares on links alone": lambda far_m: float(at_1m + slope * math.log10(far_m)),
        "likelihood, given a link": lambda far_m: _given(found, far_m, min(pairs.values())),
    }


def _given(found: path_loss.PathLoss, far_m: float, least: float) -> float:
    """The mean gain of those above the weakest: of a truncated normal distribution."""
    above = (least - found.gain_db(far_m)) / found.sigma_db
    tail = max(0.5 * math.erfc(above / math.sqrt(2)), 1e-12)
    density = math.exp(-(above**2) / 2) / math.sqrt(2 * math.pi)
    return min(found.gain_db(far_m) + found.sigma_db * density / tail, 0.0)


def _chance(found: path_loss.PathLoss, far_m: float, least: float) -> float:
    """That a pair has a link: a gain above the weakest measured one."""
    return 0.5 * math.erfc((least - found.gain_db(far_m)) / found.sigma_db / math.sqrt(2))


def _area(chances: list[tuple[float, bool]]) -> float:
    with_, without = ([c for c, there in chances if there is kind] for kind in (True, False))
    wins = [(a > b) + 0.5 * (a == b) for a in with_ for b in without]
    return float(np.mean(wins))


def _ways(mesh: Mesh) -> None:
    gains = {(a, b): gain for a, b, gain, _ in mesh.gains}
    cap = max(gains.values())
    known = [way for way in gains if way[::-1] in gains and gains[way] < cap - 1e-9]
    errors = [gains[way[::-1]] - gains[way] for way in known]
    shares = [share_of(gains[way[::-1]]) - share_of(gains[way]) for way in known]
    print(f"one way from the other, {len(known)} ways: gain {_root(errors):.1f} dB, ", end="")
    print(f"share {_root(shares):.2f}")


def _root(values: list[float]) -> float:
    return math.sqrt(sum(value**2 for value in values) / len(values))


if __name__ == "__main__":
    main()
