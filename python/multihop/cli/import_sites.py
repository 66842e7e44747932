"""`multihop import`: files of real sites as a scenario."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from multihop import engine, scenario
from multihop.cli import progress
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.errors import ScenarioError
from multihop.foreign import line

if TYPE_CHECKING:
    from multihop.sites import Mesh, Options
    from multihop.sites.writing import Text


@click.command(
    "import",
    epilog=ends_with(
        "docs/use/import.md",
        "import meshviewer.json",
        "import nodes.json graph.json --out my-town",
        "import sites.csv links.csv --gateway church",
        "import city.fcd.xml.gz",
        "import sites.csv --terrain N51E012.hgt --profile church school",
    ),
)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "out", "--out", metavar="DIR", type=click.Path(path_type=Path),
    help="A new folder for the scenario; by default the first file's name, in this folder.",
)  # fmt: skip
@click.option(
    "formats", "--format", metavar="NAME", help="The files' format; by default what they look like."
)
@click.option("gateway", "--gateway", metavar="NODE", help="The node that has the uplink.")
@click.option("routing", "--routing", metavar="NAME", help="The routing; by default the files'.")
@click.option(
    "tiles", "--terrain", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
    help="Work out gains from the heights in this .hgt or GeoTIFF; may be repeated.",
)  # fmt: skip
@click.option(
    "model", "--loss", type=click.Choice(["p526", "itm"]),
    help="With --terrain: by knife edges (default) or Longley-Rice.",
)  # fmt: skip
@click.option(
    "outlines", "--buildings", metavar="FILE.geojson", type=click.Path(path_type=Path),
    help="With --terrain: what walls take, from outlines with heights.",
)  # fmt: skip
@click.option(
    "around", "--clutter",
    type=click.Choice(["rural", "suburban", "urban", "forest", "dense-urban"]),
    help="With --terrain: what houses or trees around all antennas take.",
)  # fmt: skip
@click.option(
    "ends", "--profile", metavar="NODE NODE", nargs=2,
    help="With --terrain: draw the ground between two nodes, DIR/profile.png.",
)  # fmt: skip
@click.option(
    "fitted", "--fit", is_flag=True,
    help="Simulate the mesh and move gains until links have the measured qualities.",
)  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Take nodes that no link connects, too.")
def import_sites(
    files: tuple[Path, ...],
    out: Path | None,
    formats: str | None,
    gateway: str | None,
    routing: str | None,
    tiles: tuple[Path, ...],
    model: str | None,
    outlines: Path | None,
    around: str | None,
    ends: tuple[str, str] | None,
    fitted: bool,
    everything: bool,
) -> None:
    """Write a scenario from FILEs of real sites, links or movement, and say what was assumed."""
    from multihop import sites

    folder = out or Path(files[0].name.partition(".")[0])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failure(f"{folder}: is there already; --out names another folder")
    found = [sites.read(file, formats) for file in files]
    told = [f"{line(file.name)} ({one.told()})" for file, one in zip(files, found, strict=True)]
    mesh = sites.joined(found, everything=everything)
    mesh.notes += [f"{line(r[:1].upper() + r[1:])}." for one in found for r in one.remarks]
    pictures = _laid(mesh, tiles, model, outlines, around, ends)
    options = sites.Options(line(folder.resolve().name), told, gateway=gateway, routing=routing)
    if fitted:
        _fit(mesh, options)
    notes = _write(folder, mesh, options, pictures)
    for one in told:
        click.echo(one)
    click.echo("Assumed or left out:")
    for note in notes:
        click.echo(f"- {line(note, None)}")
    file = folder / "scenario.toml"
    click.echo(f"{file}: multihop run {shlex.quote(str(file))}")


def _fit(mesh: Mesh, options: Options) -> None:
    from multihop.sites import learning

    with progress.share("fitting gains") as report:
        learning.fit(mesh, options, progress=report)


def _laid(
    mesh: Mesh,
    paths: tuple[Path, ...],
    model: str | None,
    outlines: Path | None,
    around: str | None,
    ends: tuple[str, str] | None,
) -> Mapping[str, bytes]:
    """Lay the mesh over hills, if there are any; the pictures that were asked for."""
    asked = {"--profile": ends, "--buildings": outlines, "--clutter": around, "--loss": model}
    if not paths:
        for option, value in asked.items():
            if value:
                raise Failure(f"{option} needs --terrain FILE")
        return {}
    if outlines and around:
        raise Failure("--buildings and --clutter: take one, or houses count twice")
    from multihop.sites import hills
    from multihop.sites.buildings import Buildings

    tiles = hills.tiles_of(paths)
    houses = Buildings.read(outlines) if outlines else None
    hills.lay(mesh, tiles, model or "p526", houses, around)
    return {"profile.png": hills.picture(mesh, tiles, ends, around)} if ends else {}


def _write(folder: Path, mesh: Mesh, options: Options, pictures: Mapping[str, bytes]) -> list[str]:
    """Write all files into a new folder, if the engine takes the scenario; else none.

    Where the seed draws no ends for the flows, as few nodes are connected, these are named.
    """
    from multihop import sites

    parent = folder.absolute().parent
    if not parent.is_dir():
        raise Failure(f"{folder}: its folder does not exist")
    with tempfile.TemporaryDirectory(prefix=".multihop-", dir=parent) as held:
        part = Path(held, "part")
        part.mkdir()
        texts, notes = sites.written(mesh, options)
        fault = _fault(part, texts)
        if fault is not None and fault.key.startswith("flows"):
            texts, notes = sites.written(mesh, replace(options, named_ends=True))
            fault = _fault(part, texts)
        if fault is not None and fault.key == "routing.scheme" and options.routing:
            raise Failure(f"--routing {line(options.routing)}: {fault.fault}")
        if fault is not None:
            told = str(fault).replace(f"{part.resolve()}{os.sep}", "")
            raise Failure(f"what was read makes no scenario: {told}")
        for name, content in pictures.items():
            (part / name).write_bytes(content)
        if folder.is_dir():
            folder.rmdir()  # it is empty
        part.rename(folder)
    return notes


def _fault(folder: Path, texts: Mapping[str, Text]) -> ScenarioError | None:
    """What the engine says against a scenario whose files are put into `folder`."""
    from multihop.sites.writing import put

    put(texts, folder)
    source = scenario.load(folder / "scenario.toml")
    try:
        engine.hearing(source.text, source.overrides, syntax=source.syntax)
    except ScenarioError as error:
        return error
    return None
