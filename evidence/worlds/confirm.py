"""Runs what turned round on the map of worlds again, on networks that were not used to find it.

python -m evidence.worlds.confirm --out out/worlds --store out/worlds/store
python -m evidence.worlds.confirm --result COPAS --networks 25      # a part of them
python -m evidence.worlds.confirm --open                      # those that few networks left open
python -m evidence.worlds.confirm --later     # those that all of these left open, on 300 others
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import Any

import click

from evidence.worlds import kept as worlds_kept
from evidence.worlds import worlds
from evidence.worlds.worlds import FLOWS, LEVEL, Cell, Ratio, World
from multihop import catalogue
from multihop.reproduction.headline_verdicts import Tested, tested
from multihop.reproduction.headlines import Comparison
from multihop.statistics import holm
from multihop.study import Study

_AXIS = "turned"


@dataclass(frozen=True)
class Round:
    """Held-out networks on which what turned round is run again."""

    first_seed: int
    networks: int
    folder: str


FIRST = Round(30_001, 100, "confirmed")
LATER = Round(460_001, 300, "confirmed-later")
"""For what the first left open; judged by these networks alone."""


def confirming(ratio: Ratio, turned: Iterable[World], held_out: Round = FIRST) -> Study:
    """The scheme and what it is compared with in these worlds, and in no others."""
    with catalogue.study_file(f"worlds/{ratio.study}").open("rb") as file:
        tables = tomllib.load(file)
    axes = tables["axes"]
    points = [{"label": world.name, "set": settings_of(axes, world)} for world in turned]
    kept = {key: tables[key] for key in ("readings", "scenario", "metrics")}
    return Study(
        title=f"{ratio.name}: what turned round, on other networks",
        question=tables["question"],
        schemes=[ratio.over, ratio.scheme],
        baseline=ratio.over,
        first_seed=held_out.first_seed,
        group=tables.get("group", []),
        axes={_AXIS: {"points": points}},
        scale={"full": {"networks": held_out.networks}},
        **kept,
    )


def settings_of(axes: dict[str, Any], world: World) -> dict[str, Any]:
    """What a study of worlds sets in this one."""
    places = axes["world"]["points"]
    place = next(
        point for point in places
        if point["label"].startswith(world.radio) and point["label"].endswith(world.movement)
    )  # fmt: skip
    found = dict(place["set"])
    if "transport" in axes:
        points = axes["transport"]["points"]
        found |= next(point["set"] for point in points if point["label"] == world.transport)
    flows = axes["n_flows"]
    return found | {flows["key"]: flows["values"][FLOWS.index(world.flows)]}


def by_ratio(turned: Iterable[Cell]) -> list[tuple[Ratio, list[World]]]:
    """The worlds in which each ratio turned round."""
    groups = groupby(turned, lambda cell: cell.ratio)
    return [(ratio, [cell.world for cell in cells]) for ratio, cells in groups]


def folder_of(ratio: Ratio, out: Path, held_out: Round = FIRST) -> Path:
    """Where the runs of a ratio's confirmation are described."""
    return out / held_out.folder / f"{ratio.scheme}-{ratio.metric}"


def confirmed(turned: Iterable[Cell], out: Path, store: Path) -> dict[tuple[Ratio, World], Tested]:
    """What the other networks say, of all cells that have run there; the later round's word."""
    found = {}
    for held_out, (ratio, places) in product((FIRST, LATER), by_ratio(turned)):
        folder = folder_of(ratio, out, held_out)
        if not folder.is_dir():
            continue
        results = confirming(ratio, places, held_out).open(folder, store=store)
        if not results.finished:
            continue
        for world in places:
            at = f"{_AXIS} == '{world.name}'" + (f" and {ratio.at}" if ratio.at else "")
            above = ratio.wants(world.movement) == "above"
            part = Comparison(
                metric=ratio.metric, scheme=ratio.scheme, over=ratio.over, at=at,
                above=1 if above else None, below=None if above else 1,
            )  # fmt: skip
            result = tested(part, results, "")
            if result.networks:
                found[ratio, world] = result
    return found


def words(
    turned: Iterable[Cell], found: dict[tuple[Ratio, World], Tested]
) -> dict[tuple[Ratio, World], bool]:
    """Whether each is confirmed: on the same side of 1 by a one-sided test, Holm over all."""
    chances = []
    for cell in turned:
        result = found.get((cell.ratio, cell.world))
        if result is not None:
            p = result.p_beyond if cell.agrees else result.p_short
            chances.append((p, (cell.ratio, cell.world)))
    passed, _ = holm([p for p, _ in chances], LEVEL)
    return dict(zip((key for _, key in chances), passed, strict=True))


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/worlds"))
@click.option("--store", type=click.Path(path_type=Path), default=Path("out/worlds/store"))
@click.option("--networks", type=click.IntRange(3), help="Fewer than the round has.")
@click.option("--result", "start", default="", help="Only results whose names start so.")
@click.option("--open", "only_open", is_flag=True, help="Only those not confirmed so far.")
@click.option("--later", is_flag=True, help="Those not confirmed so far, on other networks.")
@click.option("--workers", type=click.IntRange(1))
def main(
    out: Path,
    store: Path,
    networks: int | None,
    start: str,
    only_open: bool,
    later: bool,
    workers: int | None,
) -> None:
    """Run each cell that turned round on held-out networks; runs in the store are not repeated."""
    kept, again = worlds_kept.read(worlds_kept.TABLE)
    found = worlds_kept.merged(worlds.cells(worlds.read(out, store)), kept)
    every = [cell for cell, _ in worlds.flips(list(found))]
    turned = [cell for cell in every if cell.ratio.name.startswith(start)]
    if start and not turned:
        names = ", ".join(ratio.name for ratio in worlds.RATIOS)
        raise click.BadParameter(f"nothing that turned round starts so; results are {names}")
    held_out = LATER if later else FIRST
    if only_open or later:
        said = words(every, worlds_kept.joined(confirmed(every, out, store), again))
        turned = [cell for cell in turned if not said.get((cell.ratio, cell.world))]
    for ratio, places in by_ratio(turned):
        click.echo(f"{ratio.name}: {len(places)} worlds")
        study = confirming(ratio, places, held_out)
        folder = folder_of(ratio, out, held_out)
        study.run(folder, networks=networks or held_out.networks, store=store, workers=workers)


if __name__ == "__main__":
    main()
