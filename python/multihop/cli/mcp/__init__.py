"""`multihop mcp`: the commands as tools of the Model Context Protocol, over standard input."""

from __future__ import annotations

from pathlib import Path

import click

from multihop.cli.help import ends_with


@click.command(epilog=ends_with("docs/use/agents.md", "mcp", "mcp --folder meshes --seconds 60"))
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR", help="Where scenarios, and the files that they name, are read: this one.",
)  # fmt: skip
@click.option("--nodes", type=click.IntRange(2), default=1000, show_default=True, metavar="N",
    help="The most nodes of a network.",
)  # fmt: skip
@click.option("--seconds", type=click.FloatRange(0, min_open=True), default=60, show_default=True,
    metavar="S", help="The most time that a call may take.",
)  # fmt: skip
def mcp(folder: Path | None, nodes: int, seconds: float) -> None:
    """Serve check, run, explain, compare, study, list and schema to programs, until input ends."""
    from multihop.extras import need

    need("mcp", "multihop mcp")
    from multihop.cli.mcp.server import serve
    from multihop.cli.mcp.tools import Tools
    from multihop.lab.limits import Limits

    serve(Tools((folder or Path()).resolve(), Limits(nodes=nodes, run_s=seconds)))
