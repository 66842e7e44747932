"""Shares of causes in networks that were built for other questions.

python -m evidence.explain.networks papers --networks 10   # the tables of evidence/explain.md
python -m evidence.explain.networks random                 # how much stays unknown
python -m evidence.explain.networks world "ELFN over TCP on DSR" "1999, CUBIC, many flows, mobile"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import click

import multihop
from evidence.worlds import confirm as worlds_confirm
from evidence.worlds.confirm import settings_of
from evidence.worlds.worlds import RATIOS, WORLDS
from multihop import catalogue
from multihop.explain import CAUSES, FlowExplanation
from multihop.explain.shares import Shares

FIRST_SEED = 10_001
"""As of the headlines: these networks were used for no choice."""


@dataclass(frozen=True)
class Comparison:
    """Two schemes on the networks of a study."""

    study: str
    schemes: tuple[str, ...]
    set: Mapping[str, Any] = field(default_factory=dict)
    hops: tuple[tuple[str, int, int], ...] = (("all", 0, 99),)
    """Groups of flows by the hops of a shortest path: name, least, most."""
    reading: str = ""
    """What both are under."""


COMPARISONS = (
    Comparison("headlines/multipath", ("sp", "edm"),
               hops=(("1 to 4 hops", 1, 4), ("5 hops and more", 5, 99)), reading="multipath/ours"),
    Comparison("headlines/elfn-moving", ("tcp", "tcp-elfn"), {"duration_s": 300},
               reading="elfn/ours"),
    Comparison("headlines/copas", ("dsr", "copas"), {"duration_s": 150}, reading="copas/ours"),
)  # fmt: skip


def explained(
    scenario: Mapping[str, Any],
    scheme: str | None,
    seeds: Iterable[int],
    settings: Mapping[str, Any],
    reading: str | None = None,
) -> Iterable[tuple[Mapping[str, Any], FlowExplanation]]:
    """Each flow of each network with its explanation."""
    for seed in seeds:
        result = multihop.run(
            scenario, seed=seed, scheme=scheme, reading=reading, set=settings, events=True
        )
        yield from zip(result.json["flows"], multihop.explain(result).flows, strict=True)


def rows(sums: Mapping[str, Shares]) -> Iterable[str]:
    """A table in Markdown: a line for each sum, a column for each cause that there is."""
    kept = [cause for cause in CAUSES if any(each.lengths_s[cause] for each in sums.values())]
    yield "| | goodput kbit/s | silent | " + " | ".join(kept) + " | hidden terminal at the root |"
    yield "| --- |" + " ---: |" * (len(kept) + 3)
    for name, each in sums.items():
        goodput = each.delivered_bits / each.lived_s / 1e3
        shares = [f"{each.share(cause):.1%}" for cause in kept]
        shares.append(f"{each.roots_s['hidden-terminal'] / each.silent_s:.1%}")
        yield f"| {name} | {goodput:.1f} | {each.silent_share:.1%} | " + " | ".join(shares) + " |"


@click.group()
def main() -> None:
    """Print shares of causes."""


@main.command()
@click.option("--networks", default=10, show_default=True)
@click.option("--study", "only", multiple=True, help="Only of this study.")
def papers(networks: int, only: tuple[str, ...]) -> None:
    """Two schemes of a paper, on the networks of its headlines."""
    for comparison in COMPARISONS:
        if only and comparison.study not in only:
            continue
        file = catalogue.study_file(comparison.study)
        scenario = tomllib.loads(file.read_text(encoding="utf-8"))["scenario"]
        sums: dict[str, Shares] = {}
        for scheme in comparison.schemes:
            seeds = range(FIRST_SEED, FIRST_SEED + networks)
            for report, found in explained(
                scenario, scheme, seeds, comparison.set, comparison.reading
            ):
                for name, least, most in comparison.hops:
                    if least <= (report["shortest_hops"] or 0) <= most:
                        key = scheme if name == "all" else f"{scheme}, {name}"
                        sums.setdefault(key, Shares()).add(report, found)
        click.echo(f"{comparison.study}, {networks} networks")
        click.echo("\n".join(rows(dict(sorted(sums.items())))))


@main.command()
@click.option("--networks", default=10, show_default=True)
def random(networks: int) -> None:
    """Random networks, still and moving, under AODV and DSR: stalls, and what stays unknown."""
    sums: dict[str, Shares] = {}
    for moving in (False, True):
        for routing in ("aodv", "dsr"):
            seeds = range(FIRST_SEED, FIRST_SEED + networks)
            name = f"{routing}, {'moving' if moving else 'still'}"
            for report, found in explained(_network(moving), routing, seeds, {}):
                sums.setdefault(name, Shares()).add(report, found)
    click.echo("\n".join(rows(sums)))
    silences = sum(each.silences for each in sums.values())
    silent_s = sum(each.silent_s for each in sums.values())
    unknown_s = sum(each.lengths_s["unknown"] for each in sums.values())
    click.echo(f"{silences} silences, {silent_s:.0f} s; unknown {unknown_s / silent_s:.2%}")


@main.command()
@click.argument("result", type=click.Choice([each.name for each in RATIOS]), metavar="RESULT")
@click.argument("world", type=click.Choice([each.name for each in WORLDS]), metavar="WORLD")
@click.option("--networks", default=10, show_default=True)
def world(result: str, world: str, networks: int) -> None:
    """All flows of both schemes of a RESULT of evidence/worlds.md, in a WORLD.

    On networks of its confirmation.
    """
    ratio = next(each for each in RATIOS if each.name == result)
    place = next(each for each in WORLDS if each.name == world)
    with catalogue.study_file(f"worlds/{ratio.study}").open("rb") as file:
        tables = tomllib.load(file)
    settings, (reading,) = settings_of(tables["axes"], place), tables["readings"]
    sums: dict[str, Shares] = {}
    first = worlds_confirm.FIRST.first_seed
    for scheme in (ratio.over, ratio.scheme):
        seeds = range(first, first + networks)
        for report, found in explained(tables["scenario"], scheme, seeds, settings, reading):
            sums.setdefault(scheme, Shares()).add(report, found)
    click.echo("\n".join(rows(sums)))


def _network(moving: bool) -> dict[str, Any]:
    scenario: dict[str, Any] = {
        "title": "random",
        "duration_s": 60,
        "topology": {"kind": "random", "nodes": 50, "area_m": [1200, 600], "connected": not moving},
        "flows": [
            {"kind": "ftp", "source": "random", "destination": "random", "count": 4,
             "start_s": 1, "start_spacing_s": 1, "min_hops": 2, "distinct_ends": True}
        ],
    }  # fmt: skip
    if moving:
        scenario["mobility"] = {"kind": "random-waypoint", "speed_mps": [1, 20],
                                "steady_state": True}  # fmt: skip
    return scenario


if __name__ == "__main__":
    main()
