"""Who could hear whom in a run, and when, and which paths that left: by the engine's own table."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multihop import hearing, wires
from multihop.result_types import RunResult
from multihop.results import Result

Matrix = npt.NDArray[np.bool_]

_STEP_NS = 250_000_000
"""Moving nodes are looked at four times a second: at 20 m/s they move 5 m in between."""
_NEVER_NS = 1 << 62
_KEPT = 16
"""Matrices of so many times are kept; lists of links, which are small, are kept of all."""
_DECODES, _CARRIES, _SENSES, _COUNTS = 1, 2, 4, 8
_LAST: list[tuple[RunResult, Matrix]] = []
"""The run that was asked for last, as several metrics of each flow ask for one, and its matrix."""


class _Cuts:
    """The nodes that the scenario's events kill and the links that they cut, over time."""

    def __init__(self, events: Sequence[dict[str, Any]]) -> None:
        dead: frozenset[int] = frozenset()
        cut: frozenset[frozenset[int]] = frozenset()
        wires: frozenset[tuple[str, frozenset[int]]] = frozenset()
        self.changed_ns: list[int] = []
        self._states = [(dead, cut, wires)]
        for event in sorted(events, key=lambda event: event["at_s"]):
            match event["kind"]:
                case "node-kill":
                    dead |= {event["node"]}
                case "node-restore":
                    dead -= {event["node"]}
                case "link-cut" | "link-restore" if event.get("wire"):
                    one = {(event["wire"], frozenset((event["node"], event["neighbour"])))}
                    wires = wires | one if event["kind"] == "link-cut" else wires - one
                case "link-cut":
                    cut |= {frozenset((event["node"], event["neighbour"]))}
                case "link-restore":
                    cut -= {frozenset((event["node"], event["neighbour"]))}
                case _:
                    continue
            self.changed_ns.append(round(event["at_s"] * 1e9))
            self._states.append((dead, cut, wires))

    def epoch(self, time_ns: int) -> int:
        """How many changes there were by then."""
        return bisect_right(self.changed_ns, time_ns)

    def begun_ns(self, time_ns: int) -> int:
        """When the last of them was."""
        return max([0, *self.changed_ns[: self.epoch(time_ns)]])

    def at(self, time_ns: int) -> tuple[frozenset[int], frozenset[frozenset[int]]]:
        """The nodes that are dead, and the links that are cut."""
        dead, cut, _ = self._states[self.epoch(time_ns)]
        return dead, cut

    def passes(self, wire: str, a: int, b: int, time_ns: int) -> bool:
        """Whether a wire goes on between two nodes."""
        dead, cut, wires = self._states[self.epoch(time_ns)]
        ends = frozenset((a, b))
        return not (dead & ends or ends in cut or (wire, ends) in wires)


@dataclass(frozen=True, slots=True)
class _Heard:
    """Who hears whom, sender by hearer."""

    decodes: Matrix
    carries: Matrix
    senses: Matrix

    @property
    def links(self) -> Matrix:
        """Links for data: they carry it, and what acknowledges it comes back."""
        return self.carries & self.decodes.T


class Places:
    """The nodes of one run over time."""

    def __init__(self, result: Result) -> None:
        self._hearing = hearing.of(result)
        self.told = result.nodes.marked
        """A node in words, its name to be put there by the `told` of `Nodes`."""
        self._cuts = _Cuts(hearing.outages(result))
        self._wires: dict[tuple[int, int], list[str]] = defaultdict(list)
        for wire, a, b in wires.pairs(result.scenario):
            self._wires[a, b].append(wire)
        self._pairs: dict[tuple[int, int], tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]] = {}
        self._matrices: OrderedDict[tuple[int, int], _Heard] = OrderedDict()
        self._hops: dict[tuple[int, int, int], npt.NDArray[np.int64]] = {}

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self._hearing.nodes

    @property
    def moving(self) -> bool:
        """Whether any node moves."""
        return self._hearing.moves

    @property
    def by_distance(self) -> bool:
        """Whether reach is a matter of metres."""
        return self._hearing.by_distance

    def decodes(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether `node` can receive broadcasts, RTS and answers of `sender`."""
        return bool(self._between(sender, node, time_ns) & _DECODES)

    def carries(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether `node` can receive data of `sender`."""
        return bool(self._between(sender, node, time_ns) & _CARRIES)

    def senses(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether frames of `sender` make the medium busy at `node`."""
        return bool(self._between(sender, node, time_ns) & _SENSES)

    def reaches(self, sender: int, node: int, time_ns: int) -> bool:
        """Whether data go from `sender` to `node`, and what acknowledges them comes back."""
        if self.wired(sender, node, time_ns):
            return True
        return self.carries(sender, node, time_ns) and self.decodes(node, sender, time_ns)

    def wired(self, a: int, b: int, time_ns: int) -> bool:
        """Whether a wire joins two nodes that is not cut then."""
        names = self._wires.get((a, b), ())
        return any(self._cuts.passes(name, a, b, time_ns) for name in names)

    def sensed_at(self, node: int, time_ns: int) -> Matrix:
        """By node, whether its frames make the medium busy at `node`."""
        sensed: Matrix = self._heard(time_ns).senses[:, node]
        return sensed

    def decoded_at(self, node: int, time_ns: int) -> Matrix:
        """By node, whether its frames can be received at `node`."""
        decoded: Matrix = self._heard(time_ns).decodes[:, node]
        return decoded

    def hops_to(self, node: int, time_ns: int) -> npt.NDArray[np.int64]:
        """Least hops from each node to `node`; -1 where there is no path."""
        key = (node, *self._key(time_ns))
        if key not in self._hops:
            links = self._heard(time_ns).links.T
            for a, b in self._wires:
                links[b, a] |= self.wired(a, b, time_ns)
            self._hops[key] = _breadth_first(links, node)
        return self._hops[key]

    def connected(self, a: int, b: int, time_ns: int) -> bool:
        """Whether there is a path from `a` to `b`."""
        return bool(self.hops_to(b, time_ns)[a] >= 0)

    def apart(self, a: int, b: int, from_ns: int, to_ns: int) -> list[tuple[int, int]]:
        """The spans of a time in which no path led from `a` to `b`."""
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
        while since >= 0 and not self.reaches(a, b, since):
            since = since - _STEP_NS if self.moving else self._cuts.begun_ns(since) - 1
        return since

    def absence(self, a: int, b: int, time_ns: int) -> str:
        """Why data of `a` do not reach `b`, in words."""
        dead, cut = self._cuts.at(time_ns)
        if dead & {a, b}:
            return f"{self.told(b if b in dead else a)} had been killed"
        if frozenset((a, b)) in cut:
            return "it had been cut"
        if (a, b) in self._wires and not self.wired(a, b, time_ns):
            return "their wire had been cut"
        if self.by_distance:
            return f"{self.told(b)} was out of range"
        speaker, listener = (b, a) if self.carries(a, b, time_ns) else (a, b)
        heard = self._between(speaker, listener, time_ns) & _COUNTS
        how = "hardly" if heard else "not"
        return f"{self.told(listener)} could {how} hear {self.told(speaker)}"

    def presence(self, a: int, b: int) -> str:
        """That data of `a` can reach `b`, in words."""
        other = self.told(b)
        if (a, b) in self._wires:
            return "their wire was whole"
        return f"{other} was in range" if self.by_distance else f"{other} could hear {self.told(a)}"

    def no_way(self, a: int, b: int, time_ns: int) -> str:
        """That no path led from `a` to `b`, in words."""
        dead = sorted(self._cuts.at(time_ns)[0] & {a, b})
        why = "".join(f": {self.told(node)} had been killed" for node in dead[:1])
        return f"no path led from {self.told(a)} to {self.told(b)}{why}"

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

    def _links(self, key: tuple[int, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int8]]:
        """Pairs of nodes as one number each, in order, and what each hears of the other."""
        if key not in self._pairs:
            step, epoch = key
            changed = [0, *self._cuts.changed_ns, _NEVER_NS]
            middle = step * _STEP_NS + _STEP_NS // 2 if self.moving else 0
            found = self._hearing.at(min(max(middle, changed[epoch]), changed[epoch + 1] - 1))
            pairs = found.sender.astype(np.int64) * self.nodes + found.node
            what = np.full(len(pairs), _COUNTS, dtype=np.int8)
            what[found.decodes] |= _DECODES
            what[found.carries] |= _CARRIES
            what[found.senses] |= _SENSES
            order = np.argsort(pairs)
            self._pairs[key] = pairs[order], what[order]
        return self._pairs[key]

    def _between(self, sender: int, node: int, time_ns: int) -> int:
        pairs, what = self._links(self._key(time_ns))
        pair = sender * self.nodes + node
        place = int(np.searchsorted(pairs, pair))
        return int(what[place]) if place < len(pairs) and pairs[place] == pair else 0

    def _heard(self, time_ns: int) -> _Heard:
        key = self._key(time_ns)
        if key not in self._matrices:
            pairs, what = self._links(key)
            whole = np.zeros(self.nodes * self.nodes, dtype=np.int8)
            whole[pairs] = what
            square = whole.reshape(self.nodes, self.nodes)
            parts = ((square & bit).astype(np.bool_) for bit in (_DECODES, _CARRIES, _SENSES))
            self._matrices[key] = _Heard(*parts)
            if len(self._matrices) > _KEPT:
                self._matrices.popitem(last=False)
        return self._matrices[key]


def sensed_at_start(run: RunResult) -> Matrix:
    """Who senses whom at the start of a run, sender by hearer."""
    if not _LAST or _LAST[0][0] is not run:
        _LAST[:] = [(run, hearing.of(Result(run)).at(0).matrix("senses"))]
    return _LAST[0][1]


def has_metres(scenario: Mapping[str, Any]) -> bool:
    """Whether nodes stand where they are drawn; of named links and gains it is not known."""
    kind, measured = scenario["topology"]["kind"], scenario["radio"]["propagation"] == "measured"
    return kind != "links" and not (measured and kind == "random")


def _breadth_first(reached: Matrix, start: int) -> npt.NDArray[np.int64]:
    hops = np.full(len(reached), -1, dtype=np.int64)
    hops[start] = 0
    front = np.array([start])
    while front.size:
        nearby = reached[front].any(axis=0) & (hops < 0)
        hops[nearby] = hops[front[0]] + 1
        front = np.flatnonzero(nearby)
    return hops
