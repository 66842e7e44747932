"""`multihop new-paper`: a paper's folder to start from, which can be judged as it is."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from multihop import catalogue
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.new import write_new
from multihop.foreign import line

_COMMANDS = {
    "paper.toml": "multihop reproduce {} --scale quick",
    "claims.toml": "multihop list claims --paper {}",
    "headlines.toml": "multihop headlines {} --scale quick",
    "studies/assumptions.toml": "multihop assumptions {} --scale quick",
}
"""What to do with the folder, by the file that it is about."""


@click.command(
    "new-paper",
    epilog=ends_with(
        "papers/README.md",
        "new-paper my-paper",
        "reproduce my-paper --scale quick",
        "headlines my-paper --scale quick",
    ),
)
@click.argument("name", metavar="NAME")
def new_paper(name: str) -> None:
    """Write a paper's folder NAME: claims, headlines, two readings and a study, with comments."""
    from multihop.papers import NAME, NAMES_ARE

    folder = Path(name)
    own = folder.resolve().name
    if NAME.fullmatch(own) is None:
        raise Failure(f"{line(own)!r}: must be {NAMES_ARE}")
    write_new(
        {
            folder / file: (
                text.replace("TITLE", json.dumps(own)[1:-1]).replace("NAME", own),
                _COMMANDS.get(file, "").format(shlex.quote(name)),
            )
            for file, text in catalogue.paper_template().items()
        }
    )
