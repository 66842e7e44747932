"""A progress bar with the time left, on standard error when that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from multihop.foreign import line

if TYPE_CHECKING:
    from rich.console import Console

    from multihop.study.store import Outcome

# Rich takes 0.1 s to import, its bars as long again: each is imported where it is used.


@contextmanager
def counted(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """A bar over `total` pieces of work; call the function it gives after each one."""
    console = _console()
    if not console.is_terminal:
        yield lambda _done: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(line(what), total=total)
        yield lambda _done: bar.advance(task)


@contextmanager
def share(what: str) -> Iterator[Callable[[float], None] | None]:
    """A bar over one piece of work; call the function it gives with the share done, 0 to 1."""
    console = _console()
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(line(what), total=1.0)
        yield lambda finished: bar.update(task, completed=finished)


@contextmanager
def study_progress(
    what: str,
) -> Iterator[tuple[Callable[[int, int], None], Callable[[Outcome], None]]]:
    """A bar over a study's runs with rate, time left and failures.

    Gives two functions: one to call with the runs planned and left to do, again whenever there are
    more, and one to call with each outcome.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    console = _console()
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(line(what), total=None, rate="", failed="")
        failures = 0

        def started(planned: int, to_do: int) -> None:
            bar.update(task, total=planned, completed=planned - to_do)

        def finished(outcome: Outcome) -> None:
            nonlocal failures
            failures += outcome.error is not None
            bar.advance(task)
            speed = bar.tasks[0].speed or 0.0
            failed = f"{failures} failed" if failures else ""
            bar.update(task, rate=f"{speed:.1f} runs/s", failed=failed)

        yield started, finished


def _console() -> Console:
    from multihop.cli import terminal

    return terminal.console(stderr=True)
