"""`multihop new`: a scenario and a study to start from."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from multihop import catalogue
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.files import write_atomically


@click.command(
    epilog=ends_with("studies.md", "new my-mesh", "study run my-mesh/study.toml --scale quick")
)
@click.argument("name", metavar="NAME")
@click.option("only", "--scenario", flag_value="scenario", help="A scenario only.")
@click.option("only", "--study", flag_value="study", help="A study only, which needs a scenario.")
def new(name: str, only: str | None) -> None:
    """Write a scenario and a study of it, with comments, into a new folder NAME."""
    folder = Path(name)
    kinds = [only] if only else ["scenario", "study"]
    files = {kind: folder / f"{kind}.toml" for kind in kinds}
    for file in files.values():
        if file.exists():
            raise Failure(f"{file}: is there already")
    folder.mkdir(parents=True, exist_ok=True)
    title = json.dumps(folder.resolve().name, ensure_ascii=False)[1:-1]
    for kind, file in files.items():
        write_atomically(file, catalogue.template(kind).replace("TITLE", title, 1))
        command = "run" if kind == "scenario" else "study run"
        click.echo(f"{file}: multihop {command} {shlex.quote(str(file))}")
