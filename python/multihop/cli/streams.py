"""The standard streams: what is written shows control characters, which never reach a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from multihop.files import write_atomically
from multihop.foreign import shown


class Guarded:
    """A stream of text on which control characters are written out."""

    encoding = "utf-8"
    """What is written comes through `write`, however little the stream itself can encode."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write text with its control characters shown."""
        self.stream.write(shown(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the standard streams of this process meanwhile."""
    out, err = sys.stdout, sys.stderr
    for stream in (out, err):
        if isinstance(stream, TextIOWrapper):  # whatever it can't encode is written out, too
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = Guarded(out), Guarded(err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def write_json(file: str, value: Any) -> None:
    """Write a value as JSON into a file, or on standard output if that is `-`.

    Raises:
        OSError: the file can't be written.
    """
    written = json.dumps(value) + "\n"
    if file == "-":
        sys.stdout.write(written)
    else:
        write_atomically(Path(file), written)
