"""The two-strings network: a long and a short connection, beside published numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from multihop import catalogue
from multihop.result_types import LinkReport
from multihop.results import Result, delivered
from multihop.simulate import run_many
from multihop.statistics import Estimate, mean_interval
from multihop.validation import reference

SCHEME = "aodv"
SEEDS = range(1, 21)
PAPER_PACKETS = (226, 2882)
"""Table I of the CCAR/DCAR paper, connections I and II; its columns are swapped in print."""

_REFERENCE = "grid-two-strings-aodv.json"


@dataclass(frozen=True, slots=True)
class Row:
    """One connection: ours, the paper's and ns-2.35's packets."""

    label: str
    ours: Estimate
    paper: int
    ns2: Estimate


def run(
    workers: int | None = None, finished: Callable[[Result], object] | None = None
) -> list[Result]:
    """Run the scenario once a seed, counting packets by link."""
    path = catalogue.scenario_folder() / "two-strings.toml"
    return run_many(
        path, seeds=SEEDS, workers=workers, finished=finished, scheme=SCHEME, links=True
    )


def rows(results: Sequence[Result]) -> list[Row]:
    """Packets of each connection: acknowledged at the sender, as ns-2.35 counts them."""
    theirs = reference.load(catalogue.reference_folder() / _REFERENCE).delivered
    table = []
    for index, flow in enumerate(results[0].json["flows"]):
        label = f"{'I' * (index + 1)}: {flow['source']} → {flow['destination']}"
        ours = mean_interval([delivered(result.json["flows"][index]) for result in results])
        ns2 = mean_interval([run[index] for run in theirs])
        table.append(Row(label, ours, PAPER_PACKETS[index], ns2))
    return table


def draw(results: Sequence[Result], folder: Path) -> list[Path]:
    """Draw the routes of all runs together as PNG and SVG in `folder`."""
    from multihop.draw import network_routes  # matplotlib takes 0.4 s to import

    first = results[0]
    links: list[LinkReport] = [row for result in results for row in result.json["links"]]
    labels = [
        f"connection {row.label}   {row.ours.value:.0f} ± {row.ours.half_width:.0f} packets"
        for row in rows(results)
    ]
    paths = [folder / "two-strings.png", folder / "two-strings.svg"]
    network_routes(
        first.json["positions_m"],
        links,
        first.json["flows"],
        labels,
        receive_range_m=first.scenario["radio"]["receive_range_m"],
        title="Two connections on one string of a grid",
        subtitle=f"Routes that AODV used, {len(results)} runs together; "
        "line width: packets, against the connection's busiest link",
        paths=paths,
    )
    return paths
