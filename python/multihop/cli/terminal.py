"""The standard streams: what is written shows control characters, which never reach a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from multihop.foreign import shown


class _Guarded:
    """A stream of text on which control characters are written out."""

    encoding = "utf-8"
    """What is written comes through `write`, however little the stream itself can encode."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(shown(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Console(Console):
    """A console on the stream itself, which gets the console's own sequences and no others."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text), **options)


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the standard streams of this process meanwhile."""
    out, err = sys.stdout, sys.stderr
    for stream in (out, err):
        if isinstance(stream, TextIOWrapper):  # whatever it can't encode is written out, too
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _Guarded(out), _Guarded(err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console for texts of others: it knows no marks such as `[bold]`; see `marked`."""
    stream: Any = sys.stderr if stderr else sys.stdout
    file = stream.stream if isinstance(stream, _Guarded) else stream
    return _Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def marked(text: str) -> Text:
    """Text of our own whose marks, such as `[bold]`, count."""
    return Text.from_markup(text, emoji=False)
