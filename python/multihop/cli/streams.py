"""The standard streams: what is written shows control characters, which never reach a terminal."""

from __future__ import annotations

import json
import math
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

    A number that is not finite, such as the end of an interval of one network, becomes null.

    Raises:
        OSError: the file can't be written.
    """
    written = json.dumps(_finite(value), allow_nan=False) + "\n"
    if file == "-":
        sys.stdout.write(written)
    else:
        write_atomically(Path(file), written)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
