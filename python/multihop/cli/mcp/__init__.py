"""`multihop mcp`: the commands as tools of the Model Context Protocol, over standard input."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.help import ends_with
from multihop.cli.options import folder_option, nodes_option, seconds_option


@click.command(epilog=ends_with("docs/use/agents.md", "mcp", "mcp --folder meshes --seconds 60"))
@folder_option("Where scenarios, and the files that they name, are read: this one.")
@nodes_option
@seconds_option(60, "The most time that a call may take.")
def mcp(folder: Path | None, nodes: int, seconds: float) -> None:
    """Serve check, run, explain, compare, study, list and schema to programs, until input ends."""
    from multihop.extras import need

    need("mcp", "multihop mcp")
    from multihop.cli.mcp.server import serve
    from multihop.cli.mcp.tools import Tools
    from multihop.lab.limits import Limits

    limits = Limits(nodes=nodes, run_s=seconds, asker="a call", program="multihop mcp")
    serve(Tools((folder or Path()).resolve(), limits))
