"""Reference pages that the site makes of the package: commands, metrics, Python."""

from __future__ import annotations

from collections.abc import Iterator

import click

import multihop
from multihop.cli import cli
from multihop.metrics import OWN
from tools.result_schema import row

WIDTH = 80

COMMANDS_HEAD = """\
# Commands

What `--help` prints. The exit status is 0, or 2 if a file, a name or an option is wrong.

"""

METRICS_HEAD = """\
# Metrics

What a [study](../use/studies.md) can draw, tabulate and rank by; `multihop list metrics` prints
the same. A metric of a flow is a column of `StudyResults.flows`, one of a run a column of
`StudyResults.runs`.

"""

PYTHON_HEAD = """\
# Python

What `import multihop` gives. The [quick start](../quick-start.md#a-mesh-of-your-own) shows it at
work; [results](../use/results.md) lists what a result holds.

"""


def commands() -> str:
    """The help of every command."""
    context = click.Context(cli, info_name="multihop", terminal_width=WIDTH, **cli.context_settings)
    return COMMANDS_HEAD + "\n\n".join(_helps(cli, context))


def _helps(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.commands[name]
            below = click.Context(inner, parent=context, info_name=name)
            yield from _helps(inner, below)


def metrics() -> str:
    """Every metric with its unit and definition."""
    rows = [
        row(f"`{metric.name}`", metric.level, metric.unit, metric.definition)
        for metric in OWN.values()
    ]
    head = ["| Metric | Of a | Unit | Definition |", "|---|---|---|---|"]
    return METRICS_HEAD + "\n".join([*head, *rows]) + "\n"


def python() -> str:
    """The public names of the package, by mkdocstrings."""
    names = sorted(set(multihop.__all__) - {"__version__"})
    return PYTHON_HEAD + "\n\n".join(f"::: multihop.{name}" for name in names)
