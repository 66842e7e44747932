"""What may come of an input: it is taken, or refused in one line; in time, and nothing else."""

from __future__ import annotations

import contextlib
import io
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import multihop
from multihop import ScenarioError
from multihop.cli import main
from multihop.study.store import StoreError

LONGEST_S = 10.0
"""What an input of at most 64 kB may take, runs cut short."""
LONGEST_LINE = 4100
"""Of the command line; what the package raises may be as long as the value at fault."""
SIMULATED_S, RUN_S = 3.0, 0.2
"""A run ends after so long of its own time, or of ours."""

MULTIHOP = str(Path(multihop.__file__).parent)


class Finding(Exception):
    """An input that was neither taken nor refused in one line."""


def command(*arguments: object) -> bool:
    """Call the command line in this process; whether it took its input.

    Raises:
        Finding: it ended otherwise than with 0 or 2, or said more than a line.
    """
    told, faults = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["multihop", *map(str, arguments)]),
        contextlib.redirect_stdout(told),
        contextlib.redirect_stderr(faults),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    if code not in (0, 2):
        raise Finding(f"exit status {code}: {faults.getvalue()}")
    lines = (told.getvalue() + faults.getvalue()).removesuffix("\n").split("\n")
    warnings = [said for said in lines if said.startswith("multihop: warning: ")]
    one_line("\n".join(said for said in lines if said not in warnings) or "-")
    for warning in warnings:
        one_line(warning)
    return code == 0


def refused(work: Callable[[], object]) -> bool:
    """Whether `work` is refused by an error of the package, in one line.

    Raises:
        Finding: the error has more than a line.
    """
    try:
        work()
    except (ScenarioError, StoreError) as error:
        one_line(str(error)[:LONGEST_LINE])
        return True
    return False


def one_line(text: str) -> None:
    """Refuse what is no clear line."""
    if not text.strip() or "\n" in text or len(text) > LONGEST_LINE:
        raise Finding(f"not a clear line: {len(text)} characters, {text[:500]!r}")


def short_run(file: Path) -> None:
    """Run a scenario that is right for a moment."""
    begun = time.monotonic()

    def enough(_share: float) -> None:
        if time.monotonic() - begun > RUN_S:
            raise _Enough

    with contextlib.suppress(_Enough):
        refused(lambda: multihop.run(file, set={"duration_s": SIMULATED_S}, progress=enough))


class _Enough(Exception):
    pass


@contextlib.contextmanager
def timed() -> Iterator[None]:
    """Refuse what takes too long."""
    begun = time.monotonic()
    yield
    took = time.monotonic() - begun
    if took > LONGEST_S:
        raise Finding(f"took {took:.0f} s")


def place(error: BaseException) -> str:
    """Where in the package an error arose: the same finding has the same place."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(MULTIHOP)]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    words = "".join(letter for letter in str(error)[:60] if not letter.isdigit())
    return f"{type(error).__name__} {where} {words if isinstance(error, Finding) else ''}"
