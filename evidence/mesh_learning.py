"""What a mesh's measured links say of others: hold-out by pairs, and one way from the other.

`.venv/bin/python evidence/mesh_learning.py` prints the tables of `evidence/planning.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from multihop import sites
from multihop.sites import path_loss
from multihop.sites.learning import share_of
from multihop.sites.mesh import Mesh

MAP = Path(__file__).parents[1] / "examples" / "sites" / "meshviewer.json"
FOLDS, ROUNDS = 5, 4
Pair = tuple[int, int]
Predict = Callable[[float], float]


def main() -> None:
    """Print all tables."""
    mesh = sites.joined([sites.read(MAP)])
    _pairs(mesh)
    _ways(mesh)


def _pairs(mesh: Mesh) -> None:
    places = [(place[0], place[1]) for place in mesh.places_m if place is not None]
    gains = {(a, b): gain for a, b, gain, _ in mesh.gains}
    told = path_loss.pair_gains(gains)
    every = [(a, b) for a in range(len(places)) for b in range(a + 1, len(places))]
    far = {(a, b): math.dist(places[a], places[b]) for a, b in every}
    every = [pair for pair in every if far[pair] >= 3.0]
    far = {pair: far[pair] for pair in every}
    cap, least = max(told.values()), min(told.values())
    names = ("mean of the others", "least squares on links alone", "likelihood, given a link")
    errors: dict[str, list[float]] = {name: [] for name in names}
    shares: dict[str, list[float]] = {name: [] for name in names}
    chances: list[tuple[float, bool]] = []
    for round_ in range(ROUNDS):
        order = np.random.default_rng(round_).permutation(len(every))
        for fold in range(FOLDS):
            out = {every[k] for k in order[fold::FOLDS]}
            kept = {way: gain for way, gain in gains.items() if tuple(sorted(way)) not in out}
            found = path_loss.fitted(places, kept, unknown=out)
            assert found is not None
            models = _models(found, kept, far)
            for pair in out:
                chances.append((_chance(found, far[pair], least), pair in told))
                if pair not in told or told[pair] >= cap - 1e-9:
                    continue
                for name, predict in models.items():
                    guess = predict(far[pair])
                    errors[name].append(guess - told[pair])
                    shares[name].append(share_of(guess) - share_of(told[pair]))
    number = len(errors[names[0]]) // ROUNDS
    print(
        f"{len(every)} pairs, {sum(p in told for p in every)} with a link, {number} of those below"
    )
    print(f"the end of the scale; {FOLDS} folds, {ROUNDS} rounds")
    for name in names:
        print(f"  {name:30} gain {_root(errors[name]):5.1f} dB, share {_root(shares[name]):.2f}")
    rate = np.mean([is_there for _, is_there in chances])
    brier = np.mean([(chance - is_there) ** 2 for chance, is_there in chances])
    print(f"  is there a link: Brier {brier:.3f}, by the mean rate alone {rate * (1 - rate):.3f}")
    print(f"  area under the curve {_area(chances):.2f}")


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
