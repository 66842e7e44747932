"""Consoles for texts of others; Rich takes 0.1 s to import, so that this is where it is used."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from multihop.cli.streams import Guarded
from multihop.foreign import shown


class _Console(Console):
    """A console on the stream itself, which gets the console's own sequences and no others."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text), **options)


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console for texts of others: it knows no marks such as `[bold]`; see `marked`."""
    stream: Any = sys.stderr if stderr else sys.stdout
    file = stream.stream if isinstance(stream, Guarded) else stream
    return _Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def marked(text: str) -> Text:
    """Text of our own whose marks, such as `[bold]`, count."""
    return Text.from_markup(text, emoji=False)
