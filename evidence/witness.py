"""ns-2.35 as witness: the papers' baselines here and there on the same networks, by distance.

    python -m evidence.witness --minutes 50
    python -m evidence.witness --minutes 9 --again near     # what looked off, on other networks
    python -m evidence.witness --closer 420097              # one network, by other random numbers
    python -m evidence.witness --minutes 0 --page evidence/witness.md

Networks are 50 nodes in 1500 m by 300 m with three flows; static, or mobile by random waypoint.
Pass after pass each network is run over AODV and over DSR with the next of six settings of TCP,
once on ns-2 and three times here, with other random numbers. `evidence/witness.csv` has a row for
each flow; what is there is not run again.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any

import click
import numpy as np

import multihop
from evidence.second import Estimate, pooled
from multihop.files import put_between
from multihop.peers import ns2
from multihop.report.markdown import table_lines
from multihop.statistics import standard_error

HERE = Path(__file__).parent
ROWS = HERE / "witness.csv"
MARKERS = ("<!-- witness: begin -->", "<!-- witness: end -->")
FIRST_SEED = 420_001
NETWORKS = {"static": 100, "mobile": 60}
ROUTINGS = ("aodv", "dsr")
SETTINGS = tuple(product(("newreno", "reno"), (4, 8, 32)))
REPEATS = 3
"""Runs here for one there: ours take a twentieth of the time."""
CLOSER = 8
"""Runs there of one network that is looked at closer."""
FARTHEST = 6
"""From so many hops on, flows are one class."""
FEWEST = 7
"""Networks below which a cell gets no interval."""


@dataclass(frozen=True, slots=True)
class Again:
    """What a cell made doubtful, on networks of its own."""

    title: str
    first_seed: int
    networks: int
    first: dict[str, int]
    """Hops of the first flow, which is judged; none where all are."""
    routings: tuple[str, ...] = ROUTINGS
    settings: tuple[tuple[str, int], ...] = SETTINGS
    motion: str = "static"


AGAIN = {
    "far": Again("Far pairs", FIRST_SEED + 10_000, 48, {"min_hops": FARTHEST}),
    "near": Again("Pairs of one hop", FIRST_SEED + 20_000, 120, {"max_hops": 1}, ("dsr",)),
    "far-mobile": Again(
        "Far pairs, mobile",
        FIRST_SEED + 30_000,
        60,
        {"min_hops": FARTHEST},
        ("aodv",),
        motion="mobile",
    ),
    "five-mobile": Again(
        "Pairs of five hops, mobile",
        FIRST_SEED + 50_000,
        60,
        {"min_hops": 5, "max_hops": 5},
        ("dsr",),
        motion="mobile",
    ),
    "window-4-mobile": Again(
        "NewReno with a window of 4, mobile",
        FIRST_SEED + 40_000,
        60,
        {},
        ("dsr",),
        (("newreno", 4),),
        motion="mobile",
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A flow of one network under one setting."""

    motion: str
    seed: int
    routing: str
    tcp: str
    window: int
    flow: int
    hops: int
    """Of a shortest path at the start."""
    ours: float
    """Segments acknowledged, the mean of `REPEATS` runs."""
    theirs: float

    @property
    def run(self) -> tuple[str, int, str, str, int]:
        """What was one run of ns-2."""
        return (self.motion, self.seed, self.routing, self.tcp, self.window)

    @property
    def distance(self) -> str:
        """The class of its distance."""
        return str(self.hops) if self.hops < FARTHEST else f"{FARTHEST} and more"


def planned() -> Iterator[tuple[str, int, str, str, int]]:
    """All runs in their order: a pass gives each network one setting of TCP under each routing."""
    for turn in range(len(SETTINGS)):
        for motion, count in NETWORKS.items():
            for place, routing in product(range(count), ROUTINGS):
                tcp, window = SETTINGS[(place + turn) % len(SETTINGS)]
                yield motion, FIRST_SEED + place, routing, tcp, window


def planned_again(name: str) -> Iterator[tuple[str, int, str, str, int]]:
    """The runs that judge again what was doubtful."""
    again = AGAIN[name]
    for place, routing in product(range(again.networks), again.routings):
        tcp, window = again.settings[place % len(again.settings)]
        yield name, again.first_seed + place, routing, tcp, window


def scenario(motion: str, seed: int, routing: str, tcp: str, window: int) -> dict[str, Any]:
    """Three flows of 30 s that start a second apart; places and movement are the seed's."""
    flow = {"kind": "ftp", "source": "random", "destination": "random"}
    times = {"start_spacing_s": 1, "lifetime_s": 30}
    flows = [flow | times | {"count": 3, "start_s": 1}]
    again = AGAIN.get(motion)
    if again and again.first:
        first = flow | times | {"count": 1, "start_s": 1} | again.first
        flows = [first, flow | times | {"count": 2, "start_s": 2}]
    moves = motion == "mobile" or (again is not None and again.motion == "mobile")
    waypoint = {"kind": "random-waypoint", "speed_mps": [1, 20], "pause_s": 0, "seed": seed}
    return {
        "duration_s": 33,
        "topology": {"kind": "random", "nodes": 50, "area_m": [1500, 300], "seed": seed},
        "mobility": waypoint if moves else {"kind": "static"},
        "flows": flows,
        "routing": {"scheme": routing},
        "transport": {"scheme": tcp, "window_segments": window},
    }


def measure(motion: str, seed: int, routing: str, tcp: str, window: int) -> list[Row]:
    """One run there, some here."""
    runs, theirs = side_by_side(
        scenario(motion, seed, routing, tcp, window), seed, range(seed, seed + REPEATS), [seed]
    )
    hops = [flow["shortest_hops"] or 0 for flow in runs[0].json["flows"]]
    return [
        Row(motion, seed, routing, tcp, window, flow, hops[flow], float(mean), float(there))
        for flow, (mean, there) in enumerate(zip(acked(runs).mean(0), theirs[0], strict=True))
    ]


def side_by_side(
    wanted: dict[str, Any], seed: int, ours: Iterable[int], theirs: Iterable[int]
) -> tuple[list[multihop.Result], np.ndarray]:
    """Runs here, and segments (runs, flows) there; the ends that `seed` draws are those of all."""
    if ns2.executable() is None:
        raise click.ClickException(ns2.INSTALL_HINT)
    keys = ("kind", "source", "destination", "start_s", "stop_s")
    first = multihop.run(wanted, seed=seed)
    drawn: list[dict[str, Any]] = [dict(flow) for flow in first.json["flows"]]
    wanted = wanted | {"flows": [{key: flow[key] for key in keys} for flow in drawn]}
    runs = multihop.run_many(wanted, seeds=ours, workers=1)
    script = ns2.script(runs[0], ns2.defaults(runs[0]))
    there = ns2.run(dict.fromkeys(theirs, script), traced=False, workers=1)
    return runs, np.array([[run.delivered[i] for i in range(len(drawn))] for run in there])


def acked(runs: list[multihop.Result]) -> np.ndarray:
    """Segments acknowledged (runs, flows)."""
    return np.array([[flow["acked_segments"] for flow in run.json["flows"]] for run in runs])


def closer(seed: int) -> str:
    """One static network over DSR, NewReno with a window of 8.

    Each flow's mean of the runs, its standard error, and the least and most.
    """
    runs, theirs = side_by_side(
        scenario("static", seed, "dsr", "newreno", 8),
        seed,
        range(1, REPEATS * CLOSER + 1),
        range(1, CLOSER + 1),
    )
    lines = [["flow", "hops", "here", "ns-2.35"]]
    for flow, both in enumerate(zip(acked(runs).T, theirs.T, strict=True)):
        cells = [
            f"{some.mean():.0f} ± {standard_error(some):.0f} ({some.min():.0f} to {some.max():.0f})"
            for some in both
        ]
        lines.append([str(flow), str(runs[0].json["flows"][flow]["shortest_hops"]), *cells])
    return table_lines(lines)


def read() -> list[Row]:
    """The flows on record."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as file:
        return [_row(*line) for line in list(csv.reader(file))[1:]]


def _row(motion: str, seed: str, routing: str, tcp: str, *numbers: str) -> Row:
    window, flow, hops = (int(number) for number in numbers[:3])
    ours, theirs = (float(number) for number in numbers[3:])
    return Row(motion, int(seed), routing, tcp, window, flow, hops, ours, theirs)


def ratio(rows: list[Row]) -> Estimate | None:
    """Segments here over segments there; the flows of one network stay together."""
    sums: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        both = sums[row.motion, row.seed]
        both[0], both[1] = both[0] + row.ours, both[1] + row.theirs
    ours, theirs = np.array([*sums.values()]).T if sums else (np.zeros(0), np.zeros(0))
    return pooled(ours, theirs) if len(sums) >= FEWEST and theirs.any() and ours.any() else None


def table(rows: list[Row], classes: Callable[[Row], str]) -> list[list[str]]:
    """One line a class, and two columns for each routing and motion: ratio and flows."""
    columns = [*product(ROUTINGS, NETWORKS)]
    lines = [
        ["", *(f"{r.upper()}, {motion}{end}" for r, motion in columns for end in ("", ", flows"))]
    ]
    for name in sorted({classes(row) for row in rows}, key=_natural):
        line = [name]
        for routing, motion in columns:
            cell = [
                row
                for row in rows
                if (row.routing, row.motion, classes(row)) == (routing, motion, name)
            ]
            line += [str(ratio(cell) or "–"), str(len(cell))]
        lines.append(line)
    return lines


def _natural(name: str) -> tuple[int, str]:
    number = name.split()[0]
    return (int(number), "") if number.isdigit() else (0, name)


def page_text(rows: list[Row]) -> str:
    """By distance, by setting of TCP, and what was judged on other networks."""
    first = [row for row in rows if row.motion in NETWORKS]
    hops = table([row for row in first if row.hops], lambda row: row.distance)
    tcp = table(first, lambda row: f"{row.tcp}, window {row.window:2}")
    hops[0][0], tcp[0][0] = "hops", "TCP"
    runs = len({row.run for row in first})
    head = f"{runs} runs of ns-2.35, {runs * REPEATS} of ours, {len(first)} flows."
    others = [["on other networks", "networks", "flows judged", "beside them"], *lines_again(rows)]
    tables = [table_lines(lines) for lines in (hops, tcp, others)]
    return "\n\n".join([head, *tables])


def lines_again(rows: list[Row]) -> Iterator[list[str]]:
    """A line for each of `AGAIN` under each of its routings."""
    for name, again in AGAIN.items():
        for routing in again.routings:
            there = [row for row in rows if (row.motion, row.routing) == (name, routing)]
            judged = [row for row in there if row.flow == 0 or not again.first]
            others = [row for row in there if row.flow > 0 and again.first]
            networks = str(len({row.seed for row in there}))
            title = f"{again.title}, {routing.upper()}"
            yield [title, networks, str(ratio(judged) or "–"), str(ratio(others) or "–")]


@click.command(help=__doc__)
@click.option(
    "--minutes",
    type=click.FloatRange(0),
    default=10.0,
    help="Time for runs that are not on record.",
)
@click.option("--again", type=click.Choice([*AGAIN]), help="Begin with these.")
@click.option("--closer", "seed", type=click.IntRange(0), help="Only look at this network again.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Put the tables into this page.",
)
def main(minutes: float, again: str | None, seed: int | None, page: Path | None) -> None:
    """Run for a while, then print the tables."""
    if seed is not None:
        click.echo(closer(seed))
        return
    until = time.monotonic() + 60 * minutes
    known = {row.run for row in read()}
    with ROWS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not known:
            writer.writerow(Row.__dataclass_fields__)
        for run in chain(planned_again(again) if again else (), planned()):
            if time.monotonic() > until:
                break
            if run not in known:
                for row in measure(*run):
                    fields = (getattr(row, name) for name in Row.__dataclass_fields__)
                    writer.writerow(f"{x:.6g}" if isinstance(x, float) else x for x in fields)
                file.flush()
    text = page_text(read())
    if page is None:
        click.echo(text)
    else:
        put_between(page, MARKERS, text)


if __name__ == "__main__":
    main()
