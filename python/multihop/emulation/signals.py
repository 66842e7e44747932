"""Signals that end an emulation: the first does, and what it made is removed undisturbed."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = [signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _not_again(_number: int, _frame: object) -> None:
    """A further signal, while the first is obeyed."""


def _end(_number: int, _frame: object) -> None:
    for number in ENDING:
        signal.signal(number, _not_again)
    raise KeyboardInterrupt


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM and a closed terminal end the block as Ctrl-C does; further ones do nothing."""
    with _handled(_end):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """No signal ends the block, which removes what else would be left behind."""
    with _handled(_not_again):
        yield


@contextmanager
def _handled(handler: object) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield
        return
    before = {number: signal.signal(number, handler) for number in ENDING}  # type: ignore[arg-type]
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
