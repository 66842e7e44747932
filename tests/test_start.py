"""What the command line imports before it does anything, and what it says of its commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import multihop
from multihop.cli import cli
from multihop.cli.commands import SECTIONS
from tests.conftest import Called

LIBRARIES = {"numpy", "polars", "pydantic", "scipy", "altair", "matplotlib", "jinja2"}
"""Each takes 0.1 s to import, or more, which is longer than many a run."""
ENTRIES = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
CONTEXT = click.Context(cli, info_name="multihop")


def imported(*arguments: str, completing: str | None = None) -> set[str]:
    """The libraries that a call of the command line has imported at its end."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr))\n"
        f"sys.argv = {['multihop', *arguments]}\n"
        "import multihop.cli; multihop.cli.main()"
    )
    words = (
        {}
        if completing is None
        else {
            "_MULTIHOP_COMPLETE": "bash_complete",
            "COMP_WORDS": completing,
            "COMP_CWORD": str(len(completing.split()) - (not completing.endswith(" "))),
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, **words},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_the_command_is_needs_no_library_but_that_of_the_command_line(option: str) -> None:
    assert not imported(option) & {*LIBRARIES, "rich", "concurrent", "tomllib"}


@pytest.mark.parametrize(
    "call", [*(f"{name} --help" for name in ENTRIES), "study run --help", "study report --help"]
)
def test_help_needs_no_library(call: str) -> None:
    assert not imported(*call.split()) & LIBRARIES


@pytest.mark.parametrize(
    "call",
    ["run CHAIN", "run CHAIN --routing dsr --set mac.queue_packets=9 --json -", "check CHAIN"],
)
def test_a_run_needs_no_library_but_that_of_its_table(call: str, chain: Path) -> None:
    assert not imported(*call.replace("CHAIN", str(chain)).split()) & LIBRARIES


@pytest.mark.parametrize("begun", ["multihop r", "multihop run s", "multihop run six-hops --s"])
def test_completion_needs_no_library(begun: str) -> None:
    assert not imported(completing=begun) & {*LIBRARIES, "rich"}


def test_every_command_is_listed_once_and_says_the_same_of_itself() -> None:
    """The sentences of the list stand beside it, so that it is shown without the commands."""
    for name, entry in ENTRIES.items():
        first = (cli.commands[name].help or "").partition("\n\n")[0]
        assert " ".join(first.split()) == entry.does


def test_the_list_has_whole_sentences_in_sections() -> None:
    text = cli.get_help(CONTEXT)
    assert "..." not in text.partition("Simulate:")[2]
    flat = " ".join(text.split())
    for title, entries in SECTIONS.items():
        assert f"{title}: " in flat
        for name, entry in entries.items():
            assert f" {name} {entry.does}" in flat


def test_a_wrong_command_is_told_the_nearest(called: Called) -> None:
    done = called("rum")
    assert done.returncode == 2
    assert "run" in done.stderr


def test_every_name_of_the_package_can_be_had() -> None:
    """Names are imported at their first use, `explain` although a folder has that name."""
    for name in multihop.__all__:
        assert name in dir(multihop)
        assert getattr(multihop, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        multihop.no_such_name  # noqa: B018
    program = (
        "import multihop, multihop.explain.causes\nassert multihop.explain.__name__ == 'explain'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
