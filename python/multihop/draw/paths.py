"""Which path carried a flow at each time, inferred from its packets over each link."""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from multihop.result_types import FlowReport, LinkReport, RouteReport

Path = tuple[int, ...]
LinkPackets = Mapping[tuple[int, int], int]

RECORDED_S = 0.1
"""Interval to record at when the one to draw is only chosen after the run."""

_MOST_WINDOWS = 150


@dataclass(frozen=True, slots=True)
class Step:
    """One window of time in which packets of a flow reached its destination."""

    window: int
    path: Path | None
    packets: int


@dataclass(frozen=True, slots=True)
class History:
    """The paths of one flow over time; windows in which nothing arrived are left out."""

    steps: Sequence[Step]

    @property
    def changes(self) -> int:
        """How often a window's path is not the one of the last window whose path is known."""
        paths = [step.path for step in self.steps if step.path is not None]
        return sum(a != b for a, b in itertools.pairwise(paths))

    @property
    def shares(self) -> list[tuple[Path, float]]:
        """Every path with its share of the packets, the most used first."""
        packets: Counter[Path] = Counter()
        for step in self.steps:
            if step.path is not None:
                packets[step.path] += step.packets
        total = sum(step.packets for step in self.steps) or 1
        order = sorted(packets.items(), key=lambda entry: (-entry[1], entry[0]))
        return [(path, count / total) for path, count in order]

    def bands(self, paths: Iterable[Path | None]) -> list[tuple[int, int]]:
        """First window and number of windows of each stretch on any of `paths`."""
        wanted = set(paths)
        found: list[tuple[int, int]] = []
        for step in self.steps:
            if step.path not in wanted:
                continue
            if found and sum(found[-1]) == step.window:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((step.window, 1))
        return found


def history(rows: Iterable[RouteReport], flow: FlowReport, window_s: float) -> History:
    """Find the path of `flow` in each window from the `routes` rows of a result.

    It is the widest path of the window's links. Packets that arrive may have left the source
    before the window; then it is the path before if that holds all of the window's links, else
    the widest path of this window and the one before together.
    """
    windows = by_window((row for row in rows if row["flow"] == flow["id"]), window_s)
    source, destination = flow["source"], flow["destination"]
    steps: list[Step] = []
    for number, packets in windows.items():
        arrived = sum(count for (_, to), count in packets.items() if to == destination)
        if arrived:
            path = widest_path(packets, source, destination)
            before = steps[-1].path if steps else None
            if path is None and before and packets.keys() <= {*itertools.pairwise(before)}:
                path = before
            if path is None and number - 1 in windows:
                path = widest_path(packets + windows[number - 1], source, destination)
            steps.append(Step(number, path, arrived))
    return History(steps)


def by_window(rows: Iterable[RouteReport], window_s: float) -> dict[int, Counter[tuple[int, int]]]:
    """Packets over each link in each window, in order of time."""
    windows: dict[int, Counter[tuple[int, int]]] = defaultdict(Counter)
    for row in rows:
        number = int((row["time_s"] + 1e-6 * window_s) / window_s)
        windows[number][row["from"], row["to"]] += row["packets"]
    return dict(sorted(windows.items()))


def widest_path(packets: LinkPackets, source: int, destination: int) -> Path | None:
    """Path whose least busy link is the busiest; among equals one with the fewest hops."""
    outgoing: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (from_node, to), count in packets.items():
        outgoing[from_node].append((to, count))
    reached: set[int] = set()
    waiting: list[tuple[float, int, Path]] = [(float("-inf"), 0, (source,))]
    while waiting:
        width, hops, path = heapq.heappop(waiting)
        node = path[-1]
        if node == destination:
            return path
        if node in reached:
            continue
        reached.add(node)
        for to, count in outgoing[node]:
            if to not in reached:
                heapq.heappush(waiting, (max(width, -count), hops + 1, (*path, to)))
    return None


def link_shares(links: Iterable[LinkReport]) -> dict[tuple[int, int], float]:
    """Share of one flow's busiest link that each link carried, directions added.

    Links that carried less than a hundredth of it are left out.
    """
    packets: Counter[tuple[int, int]] = Counter()
    for row in links:
        packets[min(row["from"], row["to"]), max(row["from"], row["to"])] += row["packets"]
    busiest = max(packets.values(), default=1)
    shares = {ends: count / busiest for ends, count in packets.items()}
    return {ends: share for ends, share in shares.items() if share >= 0.01}


def fitting_window_s(duration_s: float) -> float:
    """Choose a round window, of at least `RECORDED_S`, that divides a run into few enough."""
    steps = (unit * 10**power for power in range(12) for unit in (1, 2, 5))
    fitting = (
        RECORDED_S * step for step in steps if RECORDED_S * step * _MOST_WINDOWS >= duration_s
    )
    return float(round(next(fitting), 6))
