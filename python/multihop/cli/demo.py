"""`multihop demo`: the two-strings network with a picture."""

from pathlib import Path

import click

from multihop import demo as two_strings
from multihop.cli import progress, tables
from multihop.cli.failures import naming
from multihop.cli.options import workers_option
from multihop.extras import need


@click.command()
@click.option(
    "folder", "--out", metavar="DIR", type=click.Path(path_type=Path), default=Path("out/demo"),
    show_default=True, help="Folder for the picture.",
)  # fmt: skip
@workers_option
def demo(folder: Path, workers: int | None) -> None:
    """Run two competing connections on a grid, 20 seeds, and draw the routes they used."""
    need("report", "multihop demo")
    folder.mkdir(parents=True, exist_ok=True)
    with (
        naming("two-strings.toml"),
        progress.counted("two strings", len(two_strings.SEEDS)) as advance,
    ):
        results = two_strings.run(workers, advance)
    columns = ("connection", "multihop, packets", "ns-2.35, packets", "paper, packets")
    title = f"Two strings, {len(results)} seeds: mean ± half of the 95 % interval"
    shown = tables.table(title, columns)
    for row in two_strings.rows(results):
        ours, ns2 = tables.plus_minus(row.ours), tables.plus_minus(row.ns2)
        shown.add_row(row.label, ours, ns2, f"{row.paper:,}")
    out = tables.console()
    out.print(shown)
    out.print(" Paper: Table I of the CCAR/DCAR paper, whose two columns are swapped in print.")
    for path in two_strings.draw(results, folder):
        out.print(f" {path}")
