"""`multihop bound`: the best rates that any routing, scheduling and transport could give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from multihop.cli import tables
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import Choice, choice_options, scenario_argument, seed_option
from multihop.cli.streams import write_json
from multihop.nodes import Nodes
from multihop.results import numbered

if TYPE_CHECKING:
    from multihop.bound import Bound

_WHAT = {
    "total": "No run has a higher total",
    "proportional": "No run has rates with a higher geometric mean",
    "max-min": "In no run does every flow get more",
}


@click.command(
    epilog=ends_with(
        "docs/use/bound.md",
        "bound six-hops",
        "bound mesh.toml --objective max-min",
        "bound mesh.toml --seed 7 --curve",
        "bound mesh.toml --objective proportional --json -",
        "bound mesh.toml --scheme tcp-ap --losses",
    )
)
@scenario_argument
@click.option("--objective", type=click.Choice(["total", "proportional", "max-min"]),
    default="total", show_default=True, help="What is to be highest.",
)  # fmt: skip
@seed_option
@choice_options
@click.option("--curve", is_flag=True, help="Trade the total off against the least rate, too.")
@click.option("--losses", is_flag=True, help="Run it, and show where it loses the fairest rates.")
@click.option("--gap", type=click.FloatRange(0, min_open=True), default=0.01, show_default=True,
    metavar="SHARE", help="The bound may be too high by this share.",
)  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
    metavar="SECONDS", help="Stop about then, with a larger gap; the bound holds all the same.",
)  # fmt: skip
@click.option("json_file", "--json", metavar="FILE", help="Write it as JSON; - prints it.")
def bound(
    scenario: str,
    objective: Literal["total", "proportional", "max-min"],
    seed: int | None,
    choice: Choice,
    curve: bool,
    losses: bool,
    gap: float,
    seconds: float,
    json_file: str | None,
) -> None:
    """Bound what any routing, scheduling and transport could give the flows of SCENARIO."""
    from multihop.bound import bound as bound_of

    check_folders(json_file)
    if losses:
        given = click.get_current_context().get_parameter_source("objective")
        if curve or given is not ParameterSource.DEFAULT:
            raise Failure(
                "--losses: is of the proportionally fair rates, without --objective or --curve"
            )
        _losses(scenario, seed, choice, gap, seconds, json_file)
        return
    with naming(scenario, choice.options):
        found = bound_of(
            scenario, objective=objective, seed=seed, **choice.laid,
            curve=curve, gap=gap, seconds=seconds,
        )  # fmt: skip
    if json_file:
        write_json(json_file, found.json)
    if json_file == "-":
        return
    _show(found)


def _losses(
    scenario: str,
    seed: int | None,
    choice: Choice,
    gap: float,
    seconds: float,
    json_file: str | None,
) -> None:
    from multihop import run
    from multihop.bound.losses import WORDS, fairest
    from multihop.bound.losses import losses as losses_of
    from multihop.bound.network import read

    with naming(scenario, choice.options):
        most = fairest(read(scenario, seed=seed, **choice.laid), gap=gap, seconds=seconds)
        made = run(scenario, seed=most.network.seed, **choice.laid, events=True)
    parts = losses_of(most, made).parts
    found = {
        "seed": most.network.seed,
        "gap": most.gap,
        "flows": [
            {"id": flow["id"], "fair_bps": fair_bps, "goodput_bps": flow["goodput_bps"]}
            for flow, fair_bps in zip(made.json["flows"], most.each_bps, strict=True)
        ],
        "losses": parts,
    }
    if json_file:
        write_json(json_file, found)
    if json_file == "-":
        return
    columns = [
        tables.Column("part", left=True),
        tables.Column("share"),
        tables.Column("", left=True),
    ]
    rows = [
        [WORDS[name], f"{share:.1%}", "#" * round(40 * max(share, 0.0))]
        for name, share in parts.items()
    ]
    out = tables.console()
    out.print(tables.fitted("Of the proportionally fair rates", columns, rows, out.width)[0])


def _show(found: Bound) -> None:
    out, nodes = tables.console(), Nodes(found.node_names)
    columns = [
        tables.Column("flow", left=True),
        tables.Column("kind", left=True),
        tables.Column("ends", left=True),
        tables.Column("hops"),
        tables.Column("kbit/s"),
    ]
    rows = [
        [
            numbered(flow.id, flow.name),
            flow.kind,
            " → ".join(nodes.each([flow.source, flow.destination])),
            "-" if flow.hops is None else str(flow.hops),
            f"{flow.rate_bps / 1e3:.1f}",
        ]
        for flow in found.flows
    ]
    rows += [[], ["all", "", "", "", f"{sum(flow.rate_bps for flow in found.flows) / 1e3:.1f}"]]
    shown, _ = tables.fitted(f"Best by {found.objective}", columns, rows, out.width)
    out.print(shown)
    out.print(
        f"{_WHAT[found.objective]} than {found.bound / 1e3:.1f} kbit/s; "
        f"a schedule by the same rules reaches "
        f"{found.reached / 1e3:.1f} (gap {found.gap:.2%}, {found.seconds:.1f} s)."
    )
    if found.exception:
        out.print(found.exception)
    if found.curve:
        points = [
            [f"{p.least_bps / 1e3:.1f}", f"{p.total_bps / 1e3:.1f}", f"{p.jain:.3f}"]
            for p in found.curve
        ]
        heads = [tables.Column(name) for name in ("each at least kbit/s", "total kbit/s", "Jain")]
        out.print(tables.fitted("Total against fairness", heads, points, out.width)[0])
