"""Ends a run before the machine's memory does: the system would end the whole study, wordlessly."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

if sys.platform != "win32":
    import resource

LEAST_FREE_BYTES = 256 << 20
BETWEEN_S = 1.0
"""So long is waited for the memory of one ended run before another is ended."""

_GROUP = Path("/sys/fs/cgroup")


class MemoryGuard:
    """Looks now and then, for all runs of a process, whether there is memory to go on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0

    def check(self) -> None:
        """Go on, or not.

        Raises:
            MemoryError: the run that asks is to end; the others may get on with its memory.
        """
        with self._lock:
            now = time.monotonic()
            if now < self._next:
                return
            self._next = now + BETWEEN_S
            free = free_bytes()
        if free is not None and free < LEAST_FREE_BYTES:
            raise MemoryError(
                f"ended because only {free >> 20} MB of memory are free; "
                "record less, or use fewer --workers"
            )


def free_bytes() -> int | None:
    """Memory that this process may still take; None where the system does not tell."""
    found = [free for free in (_of_machine(), _of_group(), _of_limit()) if free is not None]
    return max(0, min(found)) if found else None


def _of_machine() -> int | None:
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _of_group() -> int | None:
    most, used = (_text(_GROUP / f"memory.{name}").strip() for name in ("max", "current"))
    if not (most.isdigit() and used.isdigit()):
        return None
    told = dict(line.split() for line in _text(_GROUP / "memory.stat").splitlines())
    files = sum(int(told.get(name, 0)) for name in ("active_file", "inactive_file"))
    return int(most) - int(used) + files  # what files are kept in memory gives way


def _of_limit() -> int | None:
    if sys.platform == "win32":
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(Path("/proc/self/statm")).split()
    if most == resource.RLIM_INFINITY or not pages:
        return None
    addressed, resident = (int(number) * resource.getpagesize() for number in pages[:2])
    return most - addressed - resident  # a list that grows asks for its size again


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
