"""A study's progress in a notebook: a line that is drawn again as runs finish."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from multihop.foreign import in_html, line
from multihop.study.store import Outcome

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

_INTERVAL_S = 0.25


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this, which shows HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


class Bar:
    """Runs done of those planned, with rate and time left; a notebook shows it."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.planned = self.done = self.failed = 0
        self._here = 0
        self._begun = self._shown = time.monotonic()
        self._handle: DisplayHandle | None = None

    def started(self, planned: int, to_do: int) -> None:
        """Runs are planned, and so many left to do."""
        self.planned, self.done = planned, planned - to_do
        if to_do:
            self._show()

    def finished(self, outcome: Outcome) -> None:
        """A run has finished."""
        self.done += 1
        self._here += 1
        self.failed += outcome.error is not None
        if self.done == self.planned or time.monotonic() - self._shown >= _INTERVAL_S:
            self._show()

    def __repr__(self) -> str:
        taken = time.monotonic() - self._begun
        parts = [f"{line(self.title)}: {self.done:,} of {self.planned:,} runs"]
        if self._here:
            rate, left = self._here / max(taken, 1e-9), self.planned - self.done
            parts += [f"{rate:.1f} runs/s"]
            parts += [f"{_time(left / rate)} left"] if left else [f"took {_time(taken)}"]
        if self.failed:
            parts += [f"{self.failed:,} failed"]
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{max(self.planned, 1)}"></progress>'
        return f"{bar} {in_html(repr(self))}"

    def _show(self) -> None:
        from IPython.display import display

        self._shown = time.monotonic()
        if self._handle is None:
            self._handle = display(self, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(self)  # type: ignore[no-untyped-call]


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return (
        f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
    )
