"""Whether the papers' results hold on other radios, under other transports, and so on.

What is compared, and the word that each cell gets. The studies are those of `studies/worlds`;
`python -m evidence.worlds.page` makes evidence/worlds.md of their runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from pathlib import Path
from typing import Literal

from multihop import catalogue
from multihop.reproduction.headline_verdicts import Tested, tested
from multihop.reproduction.headlines import Comparison
from multihop.statistics import holm
from multihop.study import Study
from multihop.study.results import StudyResults

LEVEL = 0.05
"""Chance of any wrong word among all cells of the map."""
NEAR = 0.1
"""A ratio is said to fade only if it is shown to be within this of 1."""
RADIOS = ("1999", "802.11g", "802.11n")
MOVEMENTS = ("static", "mobile")
TRANSPORTS = ("NewReno", "CUBIC", "BBR")
FLOWS = ("few", "many")

Word = Literal["holds", "fades", "reverses", "undecided", "not run", "not meaningful"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a reader takes away from a paper, as one ratio."""

    name: str
    study: str
    """In `studies/worlds`."""
    scheme: str
    over: str
    metric: str
    at: str | None = None
    """Selector of the flows that it is about."""
    lower: tuple[str, ...] = ()
    """Movements in which the paper says that the ratio is below 1; above it in the others."""
    flows: tuple[str, ...] = FLOWS
    """Numbers of flows for which there is anything to compare."""
    transports: tuple[str, ...] = TRANSPORTS
    """Transports under which there is anything to compare."""

    def wants(self, movement: str) -> Literal["above", "below"]:
        """On which side of 1 the paper has it."""
        return "below" if movement in self.lower else "above"


RATIOS = (
    Ratio("CCAR over AODV, 6 hops and more", "congestion-aware", "ccar-h1", "shortest-path-aodv",
          "goodput_bps", "hops >= 6"),
    Ratio("DCAR over AODV, 6 hops and more", "congestion-aware", "dcar", "shortest-path-aodv",
          "goodput_bps", "hops >= 6"),
    Ratio("EDM over one path, 6 hops and more", "multipath", "edm", "sp", "goodput_bps",
          "hops >= 6"),
    Ratio("NDM over one path, 6 hops and more", "multipath", "ndm", "sp", "goodput_bps",
          "hops >= 6"),
    Ratio("ELFN over TCP on DSR", "elfn", "tcp-elfn", "tcp", "goodput_bps", lower=("static",)),
    Ratio("hop-by-hop rates over TCP on DSR", "elfn", "hop-by-hop-rate", "tcp", "goodput_bps"),
    Ratio("hop-by-hop rates over ELFN, Jain's index", "elfn", "hop-by-hop-rate", "tcp-elfn",
          "jain", flows=("many",)),
    Ratio("COPAS over DSR, all flows", "copas", "copas", "dsr", "total_goodput_bps"),
    # Semi-TCP is a transport: it and TCP-AP are compared as they are.
    Ratio("semi-TCP over TCP-AP, in order", "semi-tcp", "semi-tcp", "tcp-ap", "goodput_bps",
          transports=TRANSPORTS[:1]),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class World:
    """A radio, a transport, how many flows, and whether nodes move."""

    radio: str
    movement: str
    transport: str
    flows: str

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.radio}, {self.transport}, {self.flows} flows, {self.movement}"


WORLDS = tuple(World(*each) for each in product(RADIOS, MOVEMENTS, TRANSPORTS, FLOWS))


@dataclass(frozen=True, slots=True)
class Cell:
    """A ratio in a world."""

    ratio: Ratio
    world: World
    word: Word
    result: Tested | None = None
    """Beside 1, on the side where the paper has it."""
    near: float = 1.0
    """P-value of a ratio further than `NEAR` from 1, where it was found to be so near."""

    @property
    def clear(self) -> bool:
        """Whether its own 95 % interval is clear of 1."""
        return self.result is not None and (self.result.low > 1 or self.result.high < 1)

    @property
    def agrees(self) -> bool:
        """Whether the ratio is on the paper's side of 1, clear of it or not."""
        return self.result is not None and (self.result.value > 1) == (self.result.side == "above")


def cells(results: Mapping[str, StudyResults]) -> list[Cell]:
    """Every ratio in every world before its word, from results of the studies by name."""
    return [cell_of(ratio, world, results.get(ratio.study)) for ratio, world in
            product(RATIOS, WORLDS)]  # fmt: skip


def flips(found: Sequence[Cell]) -> list[tuple[Cell, str]]:
    """What turns round, by the intervals alone, and beside what: to be confirmed elsewhere.

    A cell turns round beside the paper, and beside the same cell on the radio of 1999 under
    NewReno if that is clear of 1 on the other side.
    """
    known = {(cell.ratio, cell.world): cell for cell in found}
    turned = []
    for cell in filter(lambda cell: cell.clear, found):
        home = known[cell.ratio, replace(cell.world, radio=RADIOS[0], transport=TRANSPORTS[0])]
        beside = [] if cell.agrees else ["the paper"]
        beside += ["1999, NewReno"] if home.clear and home.agrees != cell.agrees else []
        if beside:
            turned.append((cell, " and ".join(beside)))
    return turned


def cell_of(ratio: Ratio, world: World, study: StudyResults | None) -> Cell:
    """A ratio in a world before its word: undecided, or why there is nothing to decide."""
    if world.transport not in ratio.transports or world.flows not in ratio.flows:
        return Cell(ratio, world, "not meaningful")
    if study is None:
        return Cell(ratio, world, "not run")
    axes = study.study.table.axes
    places = [str(label) for label in axes["world"].labels]
    place = next(
        label for label in places
        if label.startswith(world.radio) and label.endswith(world.movement)
    )  # fmt: skip
    flows = axes["n_flows"].labels[FLOWS.index(world.flows)]
    where = [f"world == '{place}'", f"n_flows == {flows}"]
    where += [f"transport == '{world.transport}'"] if "transport" in axes else []
    where += [ratio.at] if ratio.at else []

    def beside(side: str, line: float) -> Tested:
        part = Comparison(
            metric=ratio.metric,
            scheme=ratio.scheme,
            over=ratio.over,
            at=" and ".join(where),
            above=line if side == "above" else None,
            below=line if side == "below" else None,
        )
        return tested(part, study, "")

    result = beside(ratio.wants(world.movement), 1)
    if not result.networks:
        return Cell(ratio, world, "not run")
    low, high = beside("above", 1 - NEAR), beside("below", 1 + NEAR)
    return Cell(ratio, world, "undecided", result, max(low.p_beyond, high.p_beyond))


def worded(found: Sequence[Cell]) -> list[Cell]:
    """The words that Holm's procedure allows.

    Each cell has two questions: is the ratio 1, and is it further than `NEAR` from it? One that is
    both clear of 1 and near it holds, or reverses.
    """
    asked: list[tuple[float, int, Word]] = []
    for place, cell in enumerate(found):
        if cell.result is None:
            continue
        beyond, short = cell.result.p_beyond, cell.result.p_short
        word: Word = "holds" if beyond < short else "reverses"
        asked += [(min(1.0, 2 * min(beyond, short)), place, word), (cell.near, place, "fades")]
    words: dict[int, Word] = {}
    passed, _ = holm([p for p, _, _ in asked], LEVEL)
    for _, place, word in compress(asked, passed):
        if words.get(place, "fades") == "fades":
            words[place] = word
    return [
        replace(cell, word=words.get(place, "undecided" if cell.result else cell.word))
        for place, cell in enumerate(found)
    ]


def read(out: Path, store: Path) -> dict[str, StudyResults]:
    """The runs so far of the studies of which any has finished with today's engine, by name."""
    found = {}
    for name in dict.fromkeys(ratio.study for ratio in RATIOS):
        if (out / name).is_dir():
            study = Study.read(catalogue.study_file(f"worlds/{name}"))
            results = study.open(out / name, store=store)
            if results.finished:
                found[name] = results
    return found


def failures(results: Iterable[StudyResults]) -> list[str]:
    """Runs that stopped with an error, a line each."""
    return [
        f"{scheme}, network {seed}: {error}"
        for study in results
        for (scheme, seed), error in study.failures.items()
    ]
