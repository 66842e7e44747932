"""`multihop lab`: one page to build, run, play and compare scenarios."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path

import click

from multihop import catalogue
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.options import (
    code_option,
    folder_option,
    nodes_option,
    optional_scenario_argument,
    seconds_option,
)
from multihop.files import read_text

_EMPTY = """\
# A new scenario: place nodes on the map, and draw flows from node to node.
title = "my network"
duration_s = 30
seed = 1

[topology]
kind = "positions"
positions_m = [[0, 0], [200, 0], [400, 0]]

[routing]
scheme = "aodv"

[transport]
scheme = "newreno"

[[flows]]
kind = "ftp"
source = 0
destination = 2
start_s = 1
"""


@click.command(epilog=ends_with("docs/use/lab.md", "lab", "lab six-hops", "lab mesh.toml --open"))
@optional_scenario_argument
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@folder_option("Where scenarios are read and saved: that of SCENARIO, or this one.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
    help="The page's port; any that is free by default.",
)  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
    help="The address that is listened to: whoever reaches it and has the link can use the page.",
)  # fmt: skip
@nodes_option
@seconds_option(30, "The most time that a run may take.")
@code_option
def lab(
    scenario: str | None,
    opens: bool,
    folder: Path | None,
    port: int,
    host: str,
    nodes: int,
    seconds: float,
) -> None:
    """Serve a page that builds, runs, plays, explains and compares SCENARIO, until Ctrl-C."""
    from multihop import consent
    from multihop.lab import Lab, Limits
    from multihop.lab.server import Asked

    text, name = _EMPTY, "my network"
    if scenario is not None:
        path = Path(scenario)
        text, name = read_text(path), path.name
        if path.parent != catalogue.scenario_folder():
            folder = folder or path.parent
    asked = Asked(
        text, name, (folder or Path()).resolve(), bool(consent.is_given("")),
        Limits(nodes=nodes, run_s=seconds), port, host,
    )  # fmt: skip
    try:
        server = Lab(asked)
    except OSError as error:
        raise Failure(f"--host {host}, --port {port}: {error.strerror}") from None
    with server:
        click.echo(server.url)
        click.echo("multihop: Ctrl-C ends the page", err=True)
        if opens:
            webbrowser.open(server.url)
        _until_interrupted()


def _until_interrupted() -> None:
    ever = threading.Event()
    try:
        while not ever.wait(3600):
            pass
    except KeyboardInterrupt:
        return
