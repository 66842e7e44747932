"""`multihop new-scheme`: a scheme of one's own, its test and its study to start from."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click

from multihop import catalogue, crates
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.new import write_new

KINDS = ("congestion-control", "routing", "dsr", "rate-control")
"""What a scheme in Python can decide."""
_OPTIONS = {
    "congestion-control": "--scheme ",
    "routing": "--scheme ",
    "dsr": "--scheme ",
    "rate-control": "--set mac.rate=",
}
"""How a run names the class of each kind."""
_BASELINES = {"routing": "aodv", "dsr": "dsr"}
"""What policies are compared with, in a study that is the same for all of them."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")


@click.command(
    epilog=ends_with(
        "docs/extend/python.md",
        "new-scheme gentle",
        "new-scheme mine --kind routing",
        "run scenarios/six-hops.toml --scheme gentle/gentle.py:Gentle",
        "study run gentle/study.toml --scale quick --allow-code",
    )
)
@click.argument("name", metavar="NAME")
@click.option(
    "--kind",
    type=click.Choice([*dict.fromkeys([*KINDS, *crates.KINDS])]),
    default=KINDS[0],
    show_default=True,
    help="What it decides: routing is a policy over AODV, dsr one over DSR, protocol the whole.",
)
@click.option(
    "--rust", is_flag=True, help="In Rust, in a crate; kinds after the first four always."
)
def new_scheme(name: str, kind: str, rust: bool) -> None:
    """Write a scheme, its test, and its study beside the others into a new folder NAME.

    A congestion control, a policy over AODV or DSR, or a rate control is a file of Python, which
    needs no build, or a crate in Rust; schemes of the other kinds are crates. `pip install -e NAME`
    builds one, and multihop finds it then.
    """
    folder = Path(name)
    if _NAME.fullmatch(folder.name) is None:
        raise Failure(f"{folder.name!r}: must be letters and digits, in words joined by - or _")
    if rust or kind not in KINDS:
        _write_crate(folder, kind)
        return
    words = re.split("[-_]", folder.name)
    module = "_".join(words).lower()
    of = "".join(word[0].upper() + word[1:] for word in words)
    try:
        crates.check_module(module)
    except ValueError as error:
        raise Failure(f"{folder.name!r}: {error}") from None
    files = {
        folder / f"{module}.py": (
            "scheme.py.txt",
            f"multihop run SCENARIO {_OPTIONS[kind]}FILE:{of}",
        ),
        folder / f"test_{module}.py": ("test_scheme.py.txt", "python -m pytest FILE"),
        folder / "study.toml": ("study.toml", "multihop study run FILE --scale quick --allow-code"),
    }

    def text(template: str) -> str:
        is_shared = template == "study.toml" and kind in _BASELINES
        found = catalogue.scheme_template("routing" if is_shared else kind, template)
        found = found.replace("BASELINE", _BASELINES.get(kind, ""))
        found = found.replace("FOLDER", folder.name)
        return found.replace("CLASS", of).replace("MODULE", module)

    write_new({file: (text(template), command) for file, (template, command) in files.items()})


def _write_crate(folder: Path, kind: str) -> None:
    """Write a crate, whose files are many: say what to do with those that have a command."""
    commands = {
        "Cargo.toml": f"pip install -e {shlex.quote(str(folder))}",
        "src/lib.rs": "the scheme",
        "src/tests.rs": f"cd {shlex.quote(str(folder))} && cargo test",
        "scenario.toml": "multihop run FILE",
        "study.toml": "multihop study run FILE --scale quick",
    }
    try:
        files = crates.new_crate(folder.name, kind)
    except FileNotFoundError as error:
        raise Failure(str(error)) from None
    except ValueError as error:
        raise Failure(f"{folder.name}: {error}") from None
    write_new({folder / file: (text, commands.get(file, "")) for file, text in files.items()})
