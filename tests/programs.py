"""Programs that some tests need and a fresh machine lacks.

`@pytest.mark.needs("tshark")` skips a test where the program is missing. A test that starts one
without the mark fails, also where the program is there.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from multihop.emulation import requirements

PACKAGES = {
    "babeld": "babeld", "bird": "bird2", "chromium": "chromium", "ip": "iproute2",
    "iperf3": "iperf3", "mount": "mount", "node": "nodejs", "ns": "ns2", "ping": "iputils-ping",
    "tshark": "tshark", "valgrind": "valgrind",
}  # fmt: skip
"""The programs, and the package of Debian that has each."""
FRESH = {
    "bash", "cargo", "cc", "echo", "g++", "gcc", "git", "ldconfig", "ld", "make", "multihop",
    "objdump", "rustc", "sh", "sleep", "true", "uname", "unshare",
}  # fmt: skip
"""What a machine with Rust, Python, make, git and a C toolchain has, and multihop itself."""
DONE_WITHOUT = {"fc-list", "system_profiler"}
"""What Matplotlib asks for fonts at its first start, where it is there."""
EMULATION = "emulation"
"""Stands for all that real programs over a mesh need."""
BEFORE = "multihop/skipped"
"""Where pytest's cache keeps the tests that the last run skipped."""


def of(item: pytest.Item) -> set[str]:
    """What a test needs."""
    named = {program for mark in item.iter_markers("needs") for program in mark.args}
    if unknown := named - PACKAGES.keys() - {EMULATION}:
        raise pytest.UsageError(f"{item.nodeid}: tests/programs.py lacks {', '.join(unknown)}")
    return named | ({"chromium"} if "browser" in getattr(item, "fixturenames", ()) else set())


def missing(needed: Iterable[str]) -> list[str]:
    """What of it is not here, a phrase each."""
    said = []
    for name in sorted(needed):
        if name == EMULATION:
            said += requirements.missing()
        elif shutil.which(name) is None:
            said.append(f"the program {name} (Debian's {PACKAGES[name]})")
    return said


def summary(reasons: Sequence[str]) -> str:
    """One line on the tests that were skipped and how to have them; empty if none was."""
    if not reasons:
        return ""
    packages = sorted(
        {
            package
            for package in PACKAGES.values()
            for why in reasons
            if f"Debian's {package})" in why
        }
    )
    others = sorted({why.removeprefix("Skipped: ") for why in reasons if "Debian's" not in why})
    have = [f"apt-get install {' '.join(packages)}"] if packages else []
    return f"{len(reasons)} skipped; to have them: {'; '.join(have + others)}"


class Guard:
    """Watches which programs a test starts."""

    def __init__(self) -> None:
        self._test: str | None = None
        self._needed: set[str] = set()
        sys.addaudithook(self._hear)

    def begin(self, item: pytest.Item, needed: set[str]) -> None:
        """From here on `item` runs."""
        self._test = item.nodeid
        self._needed = needed | ({"ip"} if EMULATION in needed else set())

    def end(self) -> None:
        """No test runs."""
        self._test = None

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "subprocess.Popen" or self._test is None:
            return
        for name in started(arguments[1]):
            if name in PACKAGES and name not in self._needed:
                raise AssertionError(f'{self._test} starts {name}: @pytest.mark.needs("{name}")')
            if name not in PACKAGES.keys() | FRESH | DONE_WITHOUT:
                raise AssertionError(f"{self._test} starts {name}: list it in tests/programs.py")


def started(command: str | bytes | Sequence[str | bytes | os.PathLike[str]]) -> list[str]:
    """The programs that a command starts, but Python, its environment's, and what a test built."""
    given = [command] if isinstance(command, (str, bytes)) else command
    words = [os.fsdecode(word) for word in given]
    first = Path(words[0])
    if words[1:3] == ["netns", "exec"]:
        return [first.name, *started(words[4:])]
    if first.name == "unshare":
        return [first.name, *started(words[2:])]
    if words[1:2] == ["-c"] and first.name == "sh":
        return [first.name, *started(words[2].split())]
    built = first.as_posix().startswith(f"{tempfile.gettempdir()}/pytest-of-")
    if first.name.startswith("python") or first.is_relative_to(sys.prefix) or built:
        return []
    return [first.name]
