"""`multihop service`: what each house of a mesh gets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop import scenario as scenarios
from multihop.cli import progress, tables
from multihop.cli.failures import check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    gateway_option,
    scenario_argument,
    seed_option,
    set_option,
    workers_option,
)
from multihop.files import write_atomically

if TYPE_CHECKING:
    from multihop.sites.service import Service, Share


@click.command(
    epilog=ends_with(
        "docs/use/import.md", "service town/scenario.toml", "service mesh.toml --gateway tower"
    )
)
@scenario_argument
@gateway_option
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
    seeds: int,
    seed: int | None,
    settings: dict[str, str],
    workers: int | None,
    json_file: str | None,
) -> None:
    """Say what each house of SCENARIO gets: how many calls are good, and pages come soon."""
    from multihop.sites import service as services

    check_folders(json_file)
    options = {key: f"--set {key}={value}" for key, value in settings.items()}
    with naming(scenario, options), progress.share("asking the houses") as report:
        found = services.service(
            scenarios.load(scenario), gateway=gateway, seed=seed, seeds=seeds, settings=settings,
            workers=workers, progress=report,
        )  # fmt: skip
    if json_file:
        written = json.dumps(_json(found)) + "\n"
        if json_file == "-":
            sys.stdout.write(written)
            return
        write_atomically(Path(json_file), written)
    _show(found)


def _json(found: Service) -> dict[str, object]:
    def told(share: Share | None) -> dict[str, float] | None:
        if share is None:
            return None
        return {"mean": share.value, "low": share.low, "high": share.high}

    return {
        "gateway": found.gateway,
        "seeds": found.seeds,
        "houses": [
            {"node": one.node, "calls": told(one.calls), "pages": told(one.pages)}
            for one in found.houses
        ],
    }


def _show(found: Service) -> None:
    from multihop.sites.service import CALL_S, GOOD_MOS, SOON_S

    out = tables.console()
    heads = [
        tables.Column("house", left=True),
        tables.Column("good calls %"),
        tables.Column(f"pages in {SOON_S:g} s %"),
    ]
    worst = sorted(
        found.houses, key=lambda one: (one.calls.value, one.pages.value if one.pages else -1)
    )
    rows = [[found.nodes(one.node), _share(one.calls), _share(one.pages)] for one in worst]
    title = f"What each house gets through {found.nodes(found.gateway)}, the worst first"
    out.print(tables.fitted(title, heads, rows, out.width)[0])
    out.print(
        f"Mean of {found.seeds} seeds (95 % interval). Each house by itself, beside the scenario's "
        f"load: {found.calls} calls of {CALL_S:g} s a seed, good from a MOS of {GOOD_MOS:g} both "
        "ways; in runs of their own a page each 5 s."
    )


def _share(share: Share | None) -> str:
    if share is None:
        return "-"
    low, high = 100 * share.low, 100 * share.high
    return f"{100 * share.value:.0f} ({low:.0f} to {high:.0f})"
