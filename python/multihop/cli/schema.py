"""`multihop schema`: what a key of the scenario file means, or the JSON Schema of all."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

import multihop
from multihop.cli import keys
from multihop.cli.failures import Failure
from multihop.cli.help import ends_with
from multihop.cli.keys import Key

_MOST_WIDE = 100


def complete_key(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Complete the path of a key."""
    found = {key.path: key.about for key in keys.all_keys() if key.path.startswith(begun)}
    return [CompletionItem(path, help=about) for path, about in found.items()]


@click.command(
    epilog=ends_with("docs/model/model.md", "schema transport.recovery", "schema routing", "schema")
)
@click.argument("key", metavar="[KEY]", required=False, shell_complete=complete_key)
def schema(key: str | None) -> None:
    """Say what KEY of the scenario file means; without it, print the JSON Schema of all.

    KEY is a path such as transport.window_segments, as --set takes it, or a table such as radio.
    """
    if key is None:
        click.echo(json.dumps(multihop.schema(), indent=2))
        return
    found = keys.keys_at(key)
    if not found:
        near = keys.near(key)
        hint = f"did you mean {' or '.join(near)}?" if near else "multihop schema lists all"
        raise Failure(f"{key}: no such key; {hint}")
    width = min(_MOST_WIDE, shutil.get_terminal_size().columns)
    for each in found:
        click.echo("\n".join(_told(each, width)))


def _told(key: Key, width: int) -> Iterator[str]:
    """What a key is, its choices, and the keys below it."""
    yield from _filled(f"{key.path}: {_takes(key)}", width, "")
    yield from _filled(key.about, width, "  ")
    for name, text in key.choices:
        if text:
            yield f"  {name}"
            yield from _filled(text, width, "      ")
    below = [
        each
        for each in keys.all_keys()
        if each.path.startswith(f"{key.path}.") and "." not in each.path[len(key.path) + 1 :]
    ]
    for each in below:
        yield from _filled(f"{each.path.rpartition('.')[2]}: {_takes(each)}", width, "  ")
        yield from _filled(each.about, width, "      ")


def _takes(key: Key) -> str:
    """What a key takes, its default, and in which forms of its table it stands."""
    default = [f"default {key.default}"] if key.default else []
    return "; ".join([key.takes or "table", *default, *([f"with {key.of}"] if key.of else [])])


def _filled(text: str, width: int, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
