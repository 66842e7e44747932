"""`multihop new-scheme`: a scheme of one's own, its test and its study to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from multihop import catalogue
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.new import write_new

KINDS = ("congestion-control",)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")


@click.command(
    epilog=ends_with(
        "prototypes.md",
        "new-scheme gentle",
        "run scenarios/six-hops.toml --scheme gentle/gentle.py:Gentle",
        "study run gentle/study.toml --scale quick",
    )
)
@click.argument("name", metavar="NAME")
@click.option(
    "--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What it decides."
)
def new_scheme(name: str, kind: str) -> None:
    """Write a scheme in Python, its test, and its study beside the others into a new folder NAME.

    Schemes of routing and of other layers are in Rust: docs/adding-a-scheme.md.
    """
    folder = Path(name)
    if _NAME.fullmatch(folder.name) is None:
        raise Failure(f"{folder.name!r}: must be letters and digits, in words joined by - or _")
    words = re.split("[-_]", folder.name)
    module = "_".join(words).lower()
    of = "".join(word[0].upper() + word[1:] for word in words)
    files = {
        folder / f"{module}.py": ("scheme.py.txt", f"multihop run SCENARIO --scheme FILE:{of}"),
        folder / f"test_{module}.py": ("test_scheme.py.txt", "python -m pytest FILE"),
        folder / "study.toml": ("study.toml", "multihop study run FILE --scale quick"),
    }

    def text(template: str) -> str:
        found = catalogue.scheme_template(kind, template)
        return found.replace("CLASS", of).replace("MODULE", module)

    write_new({file: (text(template), command) for file, (template, command) in files.items()})
