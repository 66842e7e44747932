"""A progress bar with the time left, on standard error when that is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from multihop.foreign import line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from multihop.study.store import Outcome

# Rich takes 0.1 s to import, its bars as long again: each is imported where it is used.


@contextmanager
def counted(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """A bar over `total` pieces of work; call the function it gives after each one."""
    if not _console().is_terminal:
        yield lambda _done: None
        return
    with _bar(transient=True) as bar:
        task = bar.add_task(line(what), total=total, rate="", failed="")
        yield lambda _done: bar.advance(task)


@contextmanager
def share(what: str) -> Iterator[Callable[[float], None] | None]:
    """A bar over one piece of work; call the function it gives with the share done, 0 to 1."""
    if not _console().is_terminal:
        yield None
        return
    with _bar(counts=False, transient=True) as bar:
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
    with _bar() as bar:
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


def _bar(*, counts: bool = True, transient: bool = False) -> Progress:
    """A bar with the time left and, if it `counts`, what is done, rate and failures."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = _console()
    numbers = (MofNCompleteColumn(), TextColumn("{task.fields[rate]}")) if counts else ()
    failures = (TextColumn("{task.fields[failed]}"),) if counts else ()
    about = TextColumn("{task.description}", markup=False)
    columns = (about, BarColumn(), *numbers, TimeRemainingColumn(), *failures)
    return Progress(*columns, console=console, transient=transient, disable=not console.is_terminal)


def _console() -> Console:
    from multihop.cli import terminal

    return terminal.console(stderr=True)
