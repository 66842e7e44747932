"""`multihop service`: what each house of a mesh gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from multihop import scenario as scenarios
from multihop.cli import progress, tables
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    gateway_option,
    scenario_argument,
    seed_option,
    set_option,
    workers_option,
)
from multihop.cli.streams import write_json

if TYPE_CHECKING:
    from multihop.sites.service import House, Service, Share
    from multihop.sites.uses import Test
    from multihop.statistics import Estimate


@click.command(
    epilog=ends_with(
        "docs/use/plan.md",
        "service town/scenario.toml",
        "service mesh.toml --gateway tower --test video --test download",
        "service town/scenario.toml --demand 453 --hour 21 --seeds 20",
    )
)
@scenario_argument
@gateway_option
@click.option(
    "names", "--test", type=click.Choice(["calls", "pages", "video", "live", "download"]),
    multiple=True,
    help="What each house does; may be repeated. By default calls, and pages.",
)  # fmt: skip
@click.option(
    "minutes", "--within", type=click.FloatRange(0, 1440, min_open=True), metavar="MINUTES",
    help="With --test download: in which 100 MB have to come; 10 by default.",
)  # fmt: skip
@click.option(
    "gb_per_month", "--demand", type=click.FloatRange(0, 1e4), metavar="GB",
    help="Each seed is a moment of a day on which every house uses as much as that a month, in "
    "place of the scenario's flows; households use 453.",
)  # fmt: skip
@click.option(
    "hour", "--hour", type=click.IntRange(0, 23), metavar="0-23",
    help="With --demand: the hour of all days; by default drawn by what is used.",
)  # fmt: skip
@click.option(
    "seeds", "--seeds", type=click.IntRange(2), default=5, show_default=True, metavar="N",
    help="Run N seeds from --seed on.",
)  # fmt: skip
@seed_option
@set_option
@workers_option
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def service(
    scenario: str,
    gateway: str | None,
    names: tuple[str, ...],
    minutes: float | None,
    gb_per_month: float | None,
    hour: int | None,
    seeds: int,
    seed: int | None,
    settings: dict[str, str],
    workers: int | None,
    json_file: str | None,
) -> None:
    """Say what each house of SCENARIO gets: good calls, pages in time, a video, a download."""
    from multihop.sites import service as services
    from multihop.sites import uses
    from multihop.sites.days import Demand

    if hour is not None and gb_per_month is None:
        raise Failure("--hour needs --demand GB")
    if minutes is not None and "download" not in names:
        raise Failure("--within needs --test download")
    all_tests = {**uses.TESTS, "download": uses.download(minutes or 10.0)}
    tests = {name: all_tests[name] for name in dict.fromkeys(names or ("calls", "pages"))}
    demand = None if gb_per_month is None else Demand(gb_per_month, hour)

    check_folders(json_file)
    options = {key: f"--set {key}={value}" for key, value in settings.items()}
    with naming(scenario, options), progress.share("asking the houses") as report:
        found = services.service(
            scenarios.load(scenario), tests=tests, demand=demand, gateway=gateway, seed=seed,
            seeds=seeds, settings=settings, workers=workers, progress=report,
        )  # fmt: skip
    if json_file:
        write_json(json_file, _json(found))
    if json_file == "-":
        return
    _show(found, tests)


def _json(found: Service) -> dict[str, object]:
    def told(share: Share | Estimate) -> dict[str, float]:
        return {"mean": share.value, "low": share.low, "high": share.high}

    days = {}
    if found.days is not None:
        days["days"] = [{"hour": day.hour, "videos": day.videos} for day in found.days]
    return {
        "gateway": found.gateway,
        "seeds": found.seeds,
        **days,
        "houses": [
            {
                "node": one.node,
                **{
                    name: share and {**told(share), **one.details.get(name, {})}
                    for name, share in one.got.items()
                },
            }
            for one in found.houses
        ],
        "all": {name: mean and told(mean) for name, mean in found.all.items()},
    }


def _show(found: Service, tests: Mapping[str, Test]) -> None:
    out = tables.console()
    heads = [tables.Column("house", left=True)]
    heads += [tables.Column(f"{test.what} %") for test in tests.values()]

    def rank(house: House) -> list[float]:
        return [-1.0 if share is None else share.value for share in house.got.values()]

    watched = "video" in tests
    if watched:
        heads += [tables.Column("begins after s"), tables.Column("stalls")]
    rows = [
        [
            found.nodes(one.node),
            *map(_share, one.got.values()),
            *(_details(one.details["video"]) if watched else []),
        ]
        for one in sorted(found.houses, key=rank)
    ]
    rows.append(["all houses", *map(_share, found.all.values()), *["", ""] * watched])
    title = f"What each house gets through {found.nodes(found.gateway)}, the worst first"
    out.print(tables.fitted(title, heads, rows, out.width)[0])
    out.print(_told(found, tests))


def _told(found: Service, tests: Mapping[str, Test]) -> str:
    """How the houses were asked."""
    from multihop.sites import live_video, uses
    from multihop.sites.video_on_demand import BUFFER_S, SOON_S

    begins_s = live_video.BEGINS_AFTER * live_video.SEGMENT_S
    how = {
        "calls": f"{found.calls} calls of {uses.CALL_S:g} s a seed, good from a MOS of "
        f"{uses.GOOD_MOS:g} both ways",
        "pages": "a page each 5 s",
        "video": f"a video fetched {BUFFER_S:g} s ahead, which plays if it begins within "
        f"{SOON_S:g} s and never stalls to the end of the run; begin and stalls are means of "
        "seeds in which it begins",
        "live": f"a live video, played when {begins_s:g} s are there; "
        "the rest of the time it stalls",
        "download": "100 MB, in runs that last as long as they may take",
    }
    load = "the scenario's load"
    if found.days is not None:
        hours = sorted({day.hour for day in found.days})
        watched = sum(day.videos for day in found.days) / len(found.days)
        load = (
            f"drawn days at {', '.join(map(str, hours))} o'clock, when {watched:.1f} videos of "
            f"{live_video.RATE_BPS / 1e6:g} Mbit/s are on"
        )
    return (
        f"Mean of {found.seeds} {'days' if found.days else 'seeds'} (95 % interval). Each house by "
        f"itself and each test in runs of its own, beside {load}: "
        f"{'; '.join(how[name] for name in tests)}."
    )


def _details(video: Mapping[str, float | None]) -> list[str]:
    """When a video begins, and how often it stalls."""
    return [
        "-" if (value := video[name]) is None else f"{value:.1f}"
        for name in ("begins_after_s", "stalls")
    ]


def _share(share: Share | Estimate | None) -> str:
    if share is None:
        return "-"
    low, high = 100 * max(share.low, 0.0), 100 * min(share.high, 1.0)
    return f"{100 * share.value:.0f} ({low:.0f} to {high:.0f})"
