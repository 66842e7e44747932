"""Gains with which a simulated mesh has the link qualities that were measured.

The gain that follows from a share of frames in closed form (`qualities`) leaves out what else costs
frames: collisions, hidden nodes, and what a receiver can do beside fading. So the mesh is simulated
with B.A.T.M.A.N.'s broadcasts and hardly any load, as at night; each link's share of received ones
is counted; and its gain is moved by the ratio of the logarithms of both shares, since under
Rayleigh fading the share is exp(-least / mean power). That is repeated, with other seeds each time.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from multihop import events
from multihop.simulate import run
from multihop.sites.form import SiteError, counted
from multihop.sites.load import Options
from multihop.sites.mesh import Mesh
from multihop.sites.qualities import LOSSLESS, POWER_DBM, SENSE_DBM
from multihop.sites.writing import written

Shares = Mapping[tuple[int, int], tuple[int, int]]
"""Of each way that was heard at all: broadcasts received and sent."""
STEPS = 4
_SEEDS, _JUDGES = 6, range(1, 11)
"""Seeds a step, and those on which both gains are judged."""
_LASTS_S = 60.0
_FROM_S = 5.0
"""A run's end, and from when broadcasts count: before, neighbours are not known yet."""
_MOST_STEP_DB = 6.0
_MOST_MOVED_DB = 30.0
"""A share near 0 or 1 says little of the gain: no step, and all together, may go far by it."""
_MOST_NODES = 300
_NEAR = 0.03
"""A share so near to the measured one is taken to equal it, or within two standard errors."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How near the simulated qualities came."""

    links: int
    """Ways with a measured share."""
    before: float
    """Root of the mean square of simulated less measured share, with gains in closed form."""
    after: float
    """The same with fitted gains, on seeds that they were not fitted on."""
    missed: list[tuple[int, int, float, float]] = field(default_factory=list)
    """Ways that could not be fitted: ends, measured and simulated share; the worst first."""
    capped: int = 0
    """Ways at the best quality that the measure tells: their gains may be higher still."""


def fit(
    mesh: Mesh,
    options: Options,
    *,
    steps: int = STEPS,
    progress: Callable[[float], object] | None = None,
) -> Fit:
    """Move the gains of a mesh that follow from shares of frames.

    Raises:
        SiteError: no link has a share, or there are too many nodes to simulate.
        ScenarioError: the engine does not take the mesh.
    """
    targets = {(a, b): share_of(gain) for a, b, gain, kind in mesh.gains if kind == "delivery"}
    if not targets:
        raise SiteError("--fit: no link has a share of frames (TQ, ETX, LQ): nothing to fit")
    if len(mesh.names) > _MOST_NODES:
        raise SiteError(f"--fit: takes {_MOST_NODES} nodes at most (got {len(mesh.names):,})")
    began = {(a, b): gain for a, b, gain, _ in mesh.gains}
    tell = progress or (lambda _share: None)

    def judged() -> tuple[Shares, dict[tuple[int, int], float], float]:
        found = simulated(mesh, options, _JUDGES)
        errors = {way: _share(found, way) - share for way, share in targets.items()}
        return found, errors, math.sqrt(sum(e**2 for e in errors.values()) / len(errors))

    _, _, before = judged()
    for step in range(steps):
        tell((step + 1) / (steps + 2))
        found = simulated(mesh, options, range(100 + step * _SEEDS, 100 + (step + 1) * _SEEDS))
        # Steps get smaller, so that what is chance in a count is averaged (Robbins and Monro).
        mesh.gains[:] = [
            (a, b, _moved(gain, began[a, b], found, (a, b), targets, 1 / (step + 1)), kind)
            for a, b, gain, kind in mesh.gains
        ]
    found, errors, root = judged()
    tell(1.0)
    missed = [
        (*way, targets[way], targets[way] + error)
        for way, error in errors.items()
        if abs(error) > max(_NEAR, 2 * _deviation(targets[way], found.get(way, (0, 0))[1]))
    ]
    missed.sort(key=lambda one: -abs(one[3] - one[2]))
    capped = sum(share >= LOSSLESS - 1e-9 for share in targets.values())
    result = Fit(len(targets), before, root, missed, capped)
    mesh.notes += notes(result, mesh)
    return result


def share_of(gain_db: float) -> float:
    """The share that a gain in closed form stands for: `qualities.gain_of_delivery` backwards."""
    return math.exp(-(10 ** ((SENSE_DBM - gain_db - POWER_DBM) / 10)))


def simulated(mesh: Mesh, options: Options, seeds: Sequence[int]) -> Shares:
    """Which share of its neighbours' broadcasts each node receives, over some seeds."""
    scenario = idle(mesh, options)
    watch = events.Watch(from_s=_FROM_S)
    counts: dict[tuple[int, int], list[int]] = {}
    for seed in seeds:
        table = run(scenario, seed=seed, events=watch).events
        assert table is not None
        sent = table.filter((pl.col("event") == "transmit") & pl.col("peer").is_null())
        per = dict(sent.group_by("node").len().iter_rows())
        heard = table.filter(pl.col("event") == "receive").join(
            sent.select("frame", sender="node"), on="frame"
        )
        ways = heard.group_by("sender", "node").len()
        got = {(int(a), int(b)): int(number) for a, b, number in ways.iter_rows()}
        for a, b, *_ in mesh.gains:
            count = counts.setdefault((a, b), [0, 0])
            count[0] += got.get((a, b), 0)
            count[1] += int(per.get(a, 0))
    return {way: (received, sent) for way, (received, sent) in counts.items()}


def idle(mesh: Mesh, options: Options) -> dict[str, Any]:
    """The mesh's scenario with B.A.T.M.A.N. and hardly any load."""
    texts, _ = written(mesh, options)
    scenario = tomllib.loads("".join(texts["scenario.toml"]))
    places = [list(place or (0.0, 0.0)) for place in mesh.places_m]
    gains = [[a, b, gain] for a, b, gain, _ in mesh.gains]
    scenario["topology"] = {"kind": "positions", "positions_m": places}
    scenario["radio"] = {**scenario["radio"], "gains_db": gains}
    scenario["radio"].pop("file", None)
    scenario["routing"] = {"scheme": "batman"}
    scenario["duration_s"] = _LASTS_S
    a, b, *_ = mesh.gains[0]
    scenario["flows"] = [
        {"kind": "cbr", "source": a, "destination": b, "packet_bytes": 64, "rate_bps": 64,
         "start_s": _LASTS_S - 1}
    ]  # fmt: skip
    scenario.pop("events", None)
    return scenario


def _share(found: Shares, way: tuple[int, int]) -> float:
    received, sent = found.get(way, (0, 0))
    return received / sent if sent else 0.0


def _moved(
    gain: float, began: float, found: Shares, way: tuple[int, int],
    targets: Mapping[tuple[int, int], float], pace: float,
) -> float:  # fmt: skip
    """A gain after a step; within what a share at the end of the scale can tell."""
    if way not in targets:
        return gain
    sent = max(found.get(way, (0, 0))[1], 1)
    known = np.clip([_share(found, way), targets[way]], 0.5 / sent, 1 - 0.5 / sent)
    got, wanted = (-math.log(share) for share in known)
    step = float(np.clip(10 * math.log10(got / wanted), -_MOST_STEP_DB, _MOST_STEP_DB))
    return float(np.clip(gain + pace * step, began - _MOST_MOVED_DB, began + _MOST_MOVED_DB))


def _deviation(share: float, sent: int) -> float:
    return math.sqrt(share * (1 - share) / sent) if sent else 1.0


def notes(result: Fit, mesh: Mesh) -> list[str]:
    """What was fitted and what could not be, a sentence each."""
    told = [
        f"Gains are fitted: simulated with B.A.T.M.A.N. and hardly any load, the share of "
        f"broadcasts that arrive is off by {100 * result.after:.1f} points (root mean square of "
        f"{counted(result.links, 'link')}, on other seeds), before by {100 * result.before:.1f}."
    ]
    if result.missed:
        worst = "; ".join(
            f"{mesh.names[a]} to {mesh.names[b]} {100 * wanted:.0f} % measured, {100 * got:.0f} % "
            "simulated"
            for a, b, wanted, got in result.missed[:3]
        )
        told.append(
            f"{counted(len(result.missed), 'link')} could not be fitted to {100 * _NEAR:g} points, "
            f"as collisions take their part: {worst}."
        )
    if result.capped:
        told.append(
            f"{counted(result.capped, 'link')} at the end of the measure's scale: better or just "
            "good is not known."
        )
    others = sum(kind != "delivery" for *_, kind in mesh.gains)
    if others:
        told.append(f"{counted(others, 'link')} without a share of frames kept their gains.")
    return told
