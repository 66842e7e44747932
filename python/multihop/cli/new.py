"""`multihop new`: a scenario and a study to start from."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from multihop import catalogue
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.files import write_atomically
from multihop.foreign import line


@click.command(
    epilog=ends_with(
        "docs/use/studies.md", "new my-mesh", "study run my-mesh/study.toml --scale quick"
    )
)
@click.argument("name", metavar="NAME")
@click.option("only", "--scenario", flag_value="scenario", help="A scenario only.")
@click.option("only", "--study", flag_value="study", help="A study only, which needs a scenario.")
def new(name: str, only: str | None) -> None:
    """Write a scenario and a study of it, with comments, into a new folder NAME."""
    folder = Path(name)
    if folder.suffix == ".toml":
        raise Failure(f"{name}: is to be a folder; try `multihop new {folder.with_suffix('')}`")
    kinds = [only] if only else ["scenario", "study"]
    files = {kind: folder / f"{kind}.toml" for kind in kinds}
    title = json.dumps(line(folder.resolve().name), ensure_ascii=False)[1:-1]
    commands = {"scenario": "multihop run FILE", "study": "multihop study run FILE"}
    write_new(
        {
            file: (catalogue.template(kind).replace("TITLE", title, 1), commands[kind])
            for kind, file in files.items()
        }
    )


def write_new(files: Mapping[Path, tuple[str, str]]) -> None:
    """Write these texts, none of whose files may be there, and say what to do with each FILE.

    Of a file without anything to do nothing is said.
    """
    for file in files:
        if file.exists():
            raise Failure(f"{file}: is there already")
    for file, (text, command) in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, text)
        if command:
            click.echo(f"{file}: {command.replace('FILE', shlex.quote(str(file)))}")
