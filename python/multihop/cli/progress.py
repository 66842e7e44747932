"""A progress bar with the time left, on standard error when that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def counted(what: str, total: int) -> Iterator[Callable[[object], None]]:
    """Bar over `total` pieces of work; call what it gives once for each one done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda _done: bar.advance(task)


@contextmanager
def share(what: str) -> Iterator[Callable[[float], None] | None]:
    """Bar over one piece of work; call what it gives with the finished share, 0 to 1."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda finished: bar.update(task, completed=finished)
