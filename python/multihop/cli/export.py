"""`multihop export`: a scenario's nodes, links and movement for other tools."""

from __future__ import annotations

from pathlib import Path

import click

import multihop
from multihop import scenario as scenarios
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import scenario_argument, seed_option, set_option
from multihop.files import write_atomically


@click.command(
    epilog=ends_with(
        "docs/use/import.md",
        "export freifunk-leipzig --to geojson --out leipzig.geojson",
        "export street --to bonnmotion --out street.movements",
    )
)
@scenario_argument
@click.option(
    "target", "--to", required=True,
    type=click.Choice(["geojson", "netjson", "bonnmotion", "ns2"]), help="The format.",
)  # fmt: skip
@click.option("--out", "file", metavar="FILE", required=True, help="Write it here.")
@click.option(
    "origin", "--origin", metavar="LAT,LON", help="Where (0, 0) is, if the scenario does not say."
)
@seed_option
@set_option
def export(
    scenario: str,
    target: str,
    file: str,
    origin: str | None,
    seed: int | None,
    settings: dict[str, str],
) -> None:
    """Write SCENARIO's nodes for other tools: GeoJSON, NetJSON, BonnMotion or ns-2."""
    from multihop.sites import exports

    check_folders(file)
    options = {key: f"--set {key}={value}" for key, value in settings.items()}
    with naming(scenario, options):
        if target == "ns2":
            text = multihop.movement(scenario, seed=seed, set=settings)
            write_atomically(Path(file), text)
            return
        network = exports.network(scenarios.load(scenario), seed=seed, settings=settings)
        if origin is not None:
            network = exports.placed(network, _origin(origin))
        texts = exports.exported(network, target)
    path = Path(file)
    for suffix, text in texts.items():
        write_atomically(path.with_name(path.name.removesuffix(".movements") + suffix), text)


def _origin(told: str) -> tuple[float, float]:
    from multihop.sites.content import number

    pair = [number(part) for part in told.split(",")]
    if len(pair) != 2 or pair[0] is None or pair[1] is None or abs(pair[0]) > 90:
        raise Failure(f"--origin: must be a latitude and a longitude, as 51.34,12.37 (got {told})")
    return pair[0], pair[1]
