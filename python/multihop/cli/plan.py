"""`multihop plan`: where the next router should go, which link to make stronger, what to set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop import scenario as scenarios
from multihop.cli import progress, tables
from multihop.cli.failures import Failure, Interrupted, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    gateway_option,
    scenario_argument,
    seed_option,
    set_option,
    workers_option,
)
from multihop.cli.streams import write_json
from multihop.errors import ScenarioError

if TYPE_CHECKING:
    from multihop.sites.candidates import Candidate
    from multihop.sites.planner import Plan
    from multihop.sites.service import Asked
    from multihop.statistics import Estimate

_MOST_ROWS = 15
_METRES = re.compile(r"(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)")


@click.command(
    epilog=ends_with(
        "docs/use/plan.md",
        "plan town/scenario.toml --grid 150 --house 123.34",
        "plan town/scenario.toml --at roofs.geojson --objective pages --map roofs.png",
        "plan town/scenario.toml --dish 10 --objective goodput --worst",
        "plan town/scenario.toml --try mac.channel_mhz=40 --try routing.scheme=olsr",
    )
)
@scenario_argument
@click.option(
    "at", "--at", metavar="FILE|X,Y", multiple=True,
    help="A router may go there: places in files that `import` reads, or metres; links of theirs "
    "in such files are taken.",
)  # fmt: skip
@click.option(
    "step_m", "--grid", type=click.FloatRange(1), metavar="METRES",
    help="A router may go to each crossing of a grid over the network.",
)  # fmt: skip
@click.option(
    "dish_db", "--dish", type=click.FloatRange(-60, 60), metavar="DB",
    help="One of the measured links may be so much stronger.",
)  # fmt: skip
@click.option(
    "tried", "--try", metavar="KEY=VALUE", multiple=True,
    help="A key of the scenario may be set so; may be repeated.",
)  # fmt: skip
@click.option(
    "objective", "--objective", type=click.Choice(["calls", "pages", "video", "live", "goodput"]),
    default="calls", show_default=True, help="What houses should get more of.",
)  # fmt: skip
@click.option("houses", "--house", metavar="NODE", multiple=True, help="By default all houses.")
@click.option("worst", "--worst", is_flag=True, help="Of each seed the worst house, not the mean.")
@gateway_option
@click.option(
    "probability", "--probability", type=click.FloatRange(0.5, 1, max_open=True), default=0.95,
    show_default=True, help="That the best is named, if it leads by the indifference.",
)  # fmt: skip
@click.option(
    "indifference", "--indifference", default=0.1, show_default=True, metavar="SHARE",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The least lead that matters: 0.1 is 10 points of calls and pages, 10 % of goodput.",
)  # fmt: skip
@click.option(
    "start", "--start", type=click.IntRange(2), default=10, show_default=True, metavar="N",
    help="Seeds before the first is eliminated.",
)  # fmt: skip
@click.option(
    "limit", "--limit", type=click.IntRange(2), default=200, show_default=True, metavar="N",
    help="The most seeds, from --seed on.",
)  # fmt: skip
@seed_option
@set_option
@workers_option
@click.option("bounded", "--bound", is_flag=True, help="Put the bound beside: of goodput alone.")
@click.option(
    "keep", "--keep", metavar="FILE", type=click.Path(path_type=Path),
    help="Keep each seed's values there, and go on from it.",
)  # fmt: skip
@click.option("map_file", "--map", metavar="FILE.png", help="Draw the candidates on the map.")
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def plan(
    scenario: str,
    at: tuple[str, ...],
    step_m: float | None,
    dish_db: float | None,
    tried: tuple[str, ...],
    objective: str,
    houses: tuple[str, ...],
    worst: bool,
    gateway: str | None,
    probability: float,
    indifference: float,
    start: int,
    limit: int,
    seed: int | None,
    settings: dict[str, str],
    workers: int | None,
    bounded: bool,
    keep: Path | None,
    map_file: str | None,
    json_file: str | None,
) -> None:
    """Select the change to SCENARIO that serves its houses best: a router, a dish, a setting."""
    from multihop.sites import planner

    if not (at or step_m or dish_db or tried):
        raise Failure("say what may be changed: --at, --grid, --dish or --try")
    if start > limit:
        raise Failure(f"--start {start}: must not be above --limit {limit}")
    if map_file and Path(map_file).suffix.lower() not in (".png", ".svg"):
        raise Failure(f"--map {map_file}: must end in .png or .svg")
    if bounded and objective != "goodput":
        raise Failure("--bound: is of --objective goodput alone")
    check_folders(json_file, map_file, str(keep) if keep else None)
    effort = planner.Effort(probability, indifference, start, limit)
    options = {key: f"--set {key}={value}" for key, value in settings.items()}
    with naming(scenario, options):
        asked, candidates = candidates_of(
            scenario, at, step_m, dish_db, tried, settings, gateway, seed
        )
        chosen = houses_of(asked, houses)
        if bounded and asked.scenario["radio"]["reception"] != "threshold":
            raise Failure('--bound: needs radio.reception "threshold"; see docs/use/bound.md')
        with progress.share(f"comparing {len(candidates)} candidates") as report:
            found = planner.plan(
                asked, candidates, objective=objective, houses=chosen, worst=worst,
                effort=effort, workers=workers, keep=keep, progress=report,
            )  # fmt: skip
        bounds = _bounds(found) if bounded else {}
    if map_file:
        _draw(found, Path(map_file))
    if json_file:
        write_json(json_file, _json(found, bounds))
    if json_file != "-":
        _show(found, bounds)
    if found.interrupted:
        raise Interrupted(f"interrupted: this is of {found.seeds} seeds")


def candidates_of(
    scenario: str,
    at: tuple[str, ...],
    step_m: float | None,
    dish_db: float | None,
    tried: tuple[str, ...],
    settings: Mapping[str, str],
    gateway: str | None,
    seed: int | None,
) -> tuple[Asked, list[Candidate]]:
    """The network and what may be changed, as the options of the command say it."""
    from dataclasses import replace

    from multihop.sites import candidates, places
    from multihop.sites.service import Asked

    source = scenarios.load(scenario)
    asked = Asked.of(source, gateway=gateway, seed=seed, settings=settings)
    found: list[Candidate] = []
    if at or step_m:
        asked = replace(asked, scenario=candidates.standing(asked.scenario, asked.heard))
    files: list[Path] = []
    for told in at:
        if metres := _METRES.fullmatch(told):
            found += candidates.routers({told: (float(metres[1]), float(metres[2]))})
        else:
            files.append(Path(told))
    if files:
        found += places.routers(files, source, asked)
    if step_m:
        found += candidates.grid(asked.scenario, step_m)
    if dish_db:
        found += candidates.links(asked.scenario, asked.nodes, dish_db)
    for told in tried:
        key, _, value = told.partition("=")
        if not key or not value:
            raise Failure(f"--try {told}: must be KEY=VALUE")
        try:
            found.append(candidates.setting(source, settings, key.strip(), value.strip()))
        except ScenarioError as error:
            raise Failure(f"--try {told}: {error.fault}") from None
    return asked, found


def houses_of(asked: Asked, names: tuple[str, ...]) -> list[int] | None:
    """The nodes of these names; None if all houses count."""
    found = []
    for name in names:
        house = asked.nodes.number(name)
        if house not in asked.houses:
            some = ", ".join(asked.nodes.each(asked.houses[:3]))
            raise Failure(f"--house: no house is called {name[:40]!r}; there are {some}, ...")
        found.append(house)
    return [*dict.fromkeys(found)] or None


def _bounds(found: Plan) -> dict[str, float]:
    """The best mean rate [kbit/s] of the houses, each alone: as it is, and of the first."""
    from multihop.bound import bound

    told = {}
    for row in found.ranked:
        if row.candidate.label in ("as it is", found.ranked[0].candidate.label):
            changed = row.candidate.applied(found.base, [], found.path_loss, found.base["seed"])
            rates = [
                bound(
                    {**changed, "flows": found.test.flows(house, found.gateway, 0.0, 1)},
                    seconds=10.0,
                ).bound
                for house in found.houses
            ]
            best = min(rates) if found.worst else sum(rates) / len(rates)
            told[row.candidate.label] = best / 1e3
    return told


def _draw(found: Plan, file: Path) -> None:
    from multihop.draw import candidates_figure
    from multihop.draw.style import save

    marks = [
        (row.candidate.label, row.candidate.place_m, row.candidate.link,
         row.gain.value if row.gain else 0.0)
        for row in found.ranked
    ]  # fmt: skip
    what = f"{found.test.what}{' of the worst house' if found.worst else ''}"
    unit = found.test.unit or "points of %"
    scale = 1.0 if found.test.unit else 100.0
    figure = candidates_figure(
        found.base, found.gateway, found.houses,
        [(label, place, link, gain * scale) for label, place, link, gain in marks],
        f"more {what} [{unit}]",
    )  # fmt: skip
    save(figure, file)


def _json(found: Plan, bounds: Mapping[str, float]) -> dict[str, Any]:
    def told(value: Estimate | None) -> dict[str, float] | None:
        if value is None:
            return None
        return {"mean": value.value, "low": value.low, "high": value.high}

    return {
        "objective": found.test.what,
        "unit": found.test.unit or "share",
        "of": "worst house" if found.worst else "mean of houses",
        "gateway": found.gateway,
        "houses": found.houses,
        "probability": found.effort.probability,
        "indifference": found.effort.indifference,
        "decided": found.decided,
        "interrupted": found.interrupted,
        "seeds": found.seeds,
        "runs": found.runs,
        "candidates": [
            {
                "label": row.candidate.label,
                "kind": row.candidate.kind,
                "place_m": row.candidate.place_m,
                "link": row.candidate.link,
                "value": told(row.value),
                "gain": told(row.gain),
                "eliminated_after": row.out,
                **(
                    {"bound_kbps": bounds[row.candidate.label]}
                    if row.candidate.label in bounds
                    else {}
                ),
            }
            for row in found.ranked
        ],
    }


def _show(found: Plan, bounds: Mapping[str, float]) -> None:
    out = tables.console()
    unit = found.test.unit or "%"
    scale = 1.0 if found.test.unit else 100.0

    def told(value: Estimate | None, sign: str = "") -> str:
        if value is None:
            return ""
        middle, low, high = (
            f"{scale * number:{sign}z.0f}" for number in (value.value, value.low, value.high)
        )
        return f"{middle} ({low} to {high})"

    heads = [
        tables.Column("rank"),
        tables.Column("candidate", left=True),
        tables.Column(f"{found.test.what} {unit}"),
        tables.Column(f"more than as it is {'' if found.test.unit else 'points'}".strip()),
        tables.Column("seeds"),
        *([tables.Column("bound kbit/s")] if bounds else []),
    ]
    rows = []
    for rank, row in enumerate(found.ranked, 1):
        label = row.candidate.label
        if rank > _MOST_ROWS and label != "as it is":
            continue
        bound = [f"{bounds[label]:.0f}" if label in bounds else ""] if bounds else []
        seeds = str(row.out or found.seeds)
        rows.append([str(rank), label, told(row.value), told(row.gain, "+"), seeds, *bound])
    if (more := len(found.ranked) - len(rows)) > 0:
        rows.append(["", f"and {more} more; --json has all"])
    which = "the worst house of each seed" if found.worst else "the mean of"
    houses = "all houses" if len(found.houses) > 5 else ", ".join(found.nodes.each(found.houses))
    title = f"{found.test.what.capitalize()}, {which} {houses}".replace("seed all", "seed, all")
    out.print(tables.fitted(title, heads, rows, out.width)[0])
    out.print(_verdict(found))
    if (loss := found.path_loss) is not None:
        out.print(
            f"Links of a new router are drawn for each seed from the mesh's own: "
            f"{loss.at_1m_db:.0f} dB at 1 m, exponent {loss.exponent:.1f}, spread "
            f"{loss.sigma_db:.1f} dB ({loss.links} pairs measured, {loss.unheard} that do not "
            "hear each other)."
        )


def _verdict(found: Plan) -> str:
    effort, left = found.effort, [row for row in found.ranked if row.out is None]
    points = f"{100 * effort.indifference:g} points"
    share = f"{100 * effort.indifference:g} % of its mean" if found.test.unit else points
    took = f"{found.runs:,} runs, {found.seeds} seeds, the same for all"
    best = left[0].candidate.label
    if found.decided:
        surely = f"{100 * effort.probability:g} % sure if it leads by {share}"
        gain = left[0].gain
        does = "Leave it as it is" if gain is None else f"Take {best}"
        if gain is not None and gain.low <= 0:
            does = f"{best} leads, but may not help at all"
        return f"{does}: {surely}; {took}. Intervals hold 95 %, each by itself."
    names = ", ".join(row.candidate.label for row in left[:4])
    more = f" and {len(left) - 4} more" if len(left) > 4 else ""
    why = "interrupted" if found.interrupted else f"--limit {effort.limit}"
    return f"Undecided ({why}) among {names}{more}; {took}. --limit or --indifference decide more."
