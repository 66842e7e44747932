"""Who could hear whom, and when: positions, ranges, and ways through the network."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from multihop.results import Result
from multihop.ways import ways_of

Matrix = npt.NDArray[np.bool_]

_ROUNDING = 1e-9
"""Relative tolerance of a range, as the engine's."""
_STEP_NS = 250_000_000
"""Moving nodes are looked at four times a second: at 20 m/s they move 5 m in between."""
_NEVER_NS = 1 << 62


class _Cuts:
    """The nodes that the scenario's events kill and the links that they cut, over time."""

    def __init__(self, events: Sequence[dict[str, Any]]) -> None:
        dead: frozenset[int] = frozenset()
        cut: frozenset[frozenset[int]] = frozenset()
        self.changed_ns: list[int] = []
        self._states = [(dead, cut)]
        for event in sorted(events, key=lambda event: event["at_s"]):
            match event["kind"]:
                case "node-kill":
                    dead |= {event["node"]}
                case "node-restore":
                    dead -= {event["node"]}
                case "link-cut":
                    cut |= {frozenset((event["node"], event["neighbour"]))}
                case "link-restore":
                    cut -= {frozenset((event["node"], event["neighbour"]))}
                case _:
                    continue
            self.changed_ns.append(round(event["at_s"] * 1e9))
            self._states.append((dead, cut))

    def epoch(self, time_ns: int) -> int:
        """How many changes there were by then."""
        return bisect_right(self.changed_ns, time_ns)

    def begun_ns(self, time_ns: int) -> int:
        """When the last of them was."""
        return max([0, *self.changed_ns[: self.epoch(time_ns)]])

    def at(self, time_ns: int) -> tuple[frozenset[int], frozenset[frozenset[int]]]:
        """The nodes that are dead, and the links that are cut."""
        return self._states[self.epoch(time_ns)]


class Places:
    """The nodes of one run over time."""

    def __init__(self, result: Result) -> None:
        topology, radio = result.scenario["topology"], result.scenario["radio"]
        self._positions = np.asarray(result.json["positions_m"], dtype=float)
        self._knots = [np.asarray(way, dtype=float) for way in ways_of(result)]
        self._receive_m = radio["receive_range_m"] * (1 + _ROUNDING)
        self._sense_m = radio["sense_range_m"] * (1 + _ROUNDING)
        self._given = _given(topology) if topology["kind"] == "links" else None
        self._cuts = _Cuts(result.scenario.get("events") or [])
        self._hearing: dict[tuple[int, int], tuple[Matrix, Matrix]] = {}
        self._hops: dict[tuple[int, int, int], npt.NDArray[np.int64]] = {}

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self._positions)

    @cached_property
    def moving(self) -> bool:
        """Whether any node moves."""
        return any(len(way) > 1 for way in self._knots)

    def decodes(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether `node` is in receive range of `sender`."""
        return bool(self._heard(time_ns)[0][sender, node])

    def senses(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether frames of `sender` make the medium busy at `node`."""
        return bool(self._heard(time_ns)[1][sender, node])

    def sensed_at(self, node: int, time_ns: int) -> npt.NDArray[np.bool_]:
        """By node, whether its frames make the medium busy at `node`."""
        sensed: Matrix = self._heard(time_ns)[1][node]
        return sensed

    def neighbours(self, node: int, time_ns: int) -> npt.NDArray[np.bool_]:
        """By node, whether its frames can be decoded at `node`."""
        decoded: Matrix = self._heard(time_ns)[0][node]
        return decoded

    def hops_from(self, node: int, time_ns: int) -> npt.NDArray[np.int64]:
        """Least hops from `node` to each node; -1 where there is no way."""
        key = (node, *self._key(time_ns))
        if key not in self._hops:
            self._hops[key] = _breadth_first(self._heard(time_ns)[0], node)
        return self._hops[key]

    def connected(self, a: int, b: int, time_ns: int) -> bool:
        """Whether there is a way from `a` to `b`."""
        return bool(self.hops_from(b, time_ns)[a] >= 0)

    def apart(self, a: int, b: int, from_ns: int, to_ns: int) -> list[tuple[int, int]]:
        """The spans of a time in which no way led from `a` to `b`."""
        spans: list[tuple[int, int]] = []
        start = from_ns
        while start < to_ns:
            end = min(to_ns, self._lasts_until(start))
            if not self.connected(a, b, start):
                if spans and spans[-1][1] == start:
                    spans[-1] = (spans[-1][0], end)
                else:
                    spans.append((start, end))
            start = end
        return spans

    def out_of_reach_since(self, a: int, b: int, time_ns: int) -> int:
        """Since when `b` has been out of the reach of `a` [ns]; before the run if always."""
        since = time_ns
        while since >= 0 and not self.decodes(a, b, since):
            since = since - _STEP_NS if self.moving else self._cuts.begun_ns(since) - 1
        return since

    def absence(self, a: int, b: int, time_ns: int) -> str:
        """Why `b` is out of the reach of `a`, in words."""
        dead, cut = self._cuts.at(time_ns)
        if dead & {a, b}:
            return f"{b if b in dead else a} had been killed"
        if frozenset((a, b)) in cut:
            return "it had been cut"
        return f"{b} was out of range"

    def no_way(self, a: int, b: int, time_ns: int) -> str:
        """That no way led from `a` to `b`, in words."""
        dead = sorted(self._cuts.at(time_ns)[0] & {a, b})
        why = "".join(f": {node} had been killed" for node in dead[:1])
        return f"no way led from {a} to {b}{why}"

    def _key(self, time_ns: int) -> tuple[int, int]:
        """Of a time in which nobody moves, and nothing is cut."""
        return self._step(time_ns), self._cuts.epoch(time_ns)

    def _step(self, time_ns: int) -> int:
        return max(time_ns, 0) // _STEP_NS if self.moving else 0

    def _lasts_until(self, time_ns: int) -> int:
        """When that time ends."""
        changed, epoch = self._cuts.changed_ns, self._cuts.epoch(time_ns)
        ends = [(self._step(time_ns) + 1) * _STEP_NS] if self.moving else []
        return min([*ends, *changed[epoch : epoch + 1], _NEVER_NS])

    def _heard(self, time_ns: int) -> tuple[Matrix, Matrix]:
        """Who decodes whom, and who senses whom."""
        key = self._key(time_ns)
        if key not in self._hearing:
            dead, cut = self._cuts.at(time_ns)
            decoded, sensed = (matrix.copy() for matrix in self._placed(key[0]))
            for matrix in (decoded, sensed):
                matrix[sorted(dead)] = matrix[:, sorted(dead)] = False
                for a, b in map(sorted, cut):
                    matrix[a, b] = matrix[b, a] = False
            self._hearing[key] = (decoded, sensed)
        return self._hearing[key]

    def _placed(self, step: int) -> tuple[Matrix, Matrix]:
        """The same by where the nodes are."""
        if self._given is not None:
            return self._given
        apart = self._positions if not self.moving else self._at((step + 0.5) * _STEP_NS / 1e9)
        distance = np.hypot(*(apart[:, None] - apart[None]).transpose(2, 0, 1))
        np.fill_diagonal(distance, np.inf)
        return distance <= self._receive_m, distance <= self._sense_m

    def _at(self, time_s: float) -> npt.NDArray[np.float64]:
        return np.array(
            [[np.interp(time_s, way[:, 0], way[:, axis]) for axis in (1, 2)] for way in self._knots]
        )


def _given(topology: dict[str, Any]) -> tuple[Matrix, Matrix]:
    nodes = topology["nodes"]
    decoded = np.zeros((nodes, nodes), dtype=bool)
    for a, b in topology["links"]:
        decoded[a, b] = decoded[b, a] = True
    sensed = decoded.copy()
    for a, b in topology.get("sensed") or []:
        sensed[a, b] = sensed[b, a] = True
    if topology.get("all_sense"):
        sensed = ~np.eye(nodes, dtype=bool)
    return decoded, sensed


def _breadth_first(reached: Matrix, start: int) -> npt.NDArray[np.int64]:
    hops = np.full(len(reached), -1, dtype=np.int64)
    hops[start] = 0
    front = np.array([start])
    while front.size:
        nearby = reached[front].any(axis=0) & (hops < 0)
        hops[nearby] = hops[front[0]] + 1
        front = np.flatnonzero(nearby)
    return hops
