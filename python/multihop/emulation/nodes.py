"""Nodes of an emulated network, and programs on them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import IO, Any

from multihop.emulation.errors import EmulationError
from multihop.emulation.namespaces import Device

if sys.platform != "win32":
    import pwd

Command = str | Sequence[str]
"""A command: its words, or one line for the shell."""


_AS_USER = str(Path(__file__).with_name("as_user.py"))


def check_user(name: str) -> None:
    """Refuse a user that there is not.

    Raises:
        EmulationError: so.
    """
    try:
        pwd.getpwnam(name)
    except KeyError:
        raise EmulationError(f"there is no user {name}") from None


class Program:
    """A program of `--exec`, whose lines are passed on as it writes them."""

    def __init__(self, node: Node, command: Command, tell: Callable[[int, str], None]) -> None:
        self.node = node.number
        self.command = command if isinstance(command, str) else shlex.join(command)
        self.process: subprocess.Popen[str] = node.popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        self.lines: list[str] = []
        self._tell = tell
        self._reader = Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.process.poll() is not None

    @property
    def status(self) -> int | None:
        """Its exit status if it has ended by itself; negative for a signal."""
        return self.process.poll()

    def close(self) -> None:
        """Wait for the rest of what it has written."""
        self.process.wait()
        self._reader.join(timeout=1)

    def _read(self, out: IO[str]) -> None:
        with out:
            for line in out:
                self.lines.append(line.rstrip("\n"))
                self._tell(self.node, self.lines[-1])


class Node:
    """A node of an emulated network."""

    def __init__(
        self, number: int, namespace: str, devices: Sequence[Device], user: str | None = None
    ) -> None:
        self.number = number
        self.namespace = namespace
        """The name of its network namespace, for `ip netns exec`."""
        self.devices = tuple(devices)
        """Its devices, one for each interface; what follows is of the first."""
        first = self.devices[0]
        self.device = first.name
        """Its name."""
        self.address = first.ipv4
        """Its IPv4 address: 10.0.0.0 and its number and 1."""
        self.ipv6 = first.ipv6
        """Its IPv6 address: fd00:: and its number and 1."""
        self.mac = first.mac
        """Its MAC address: 02:00 and its number."""
        self._user = user
        self._started: list[subprocess.Popen[Any]] = []

    def __repr__(self) -> str:
        return f"Node({self.number}, {self.address})"

    def popen(self, command: Command, **options: Any) -> subprocess.Popen[Any]:
        """Start a program here; `options` are those of `subprocess.Popen`.

        It ends with the emulation at the latest, and keeps its own distance from Ctrl-C.
        """
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("start_new_session", True)
        process = subprocess.Popen(self._words(command), **options)
        self._started = [one for one in self._started if one.poll() is None] + [process]
        return process

    def kill(self) -> None:
        """End at once what `popen` has started, also what has not reached the namespace yet."""
        for process in self._started:
            process.kill()

    def run(self, command: Command, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a program here to its end and return what it wrote, as `subprocess.run` does."""
        options = {"stdin": subprocess.DEVNULL, "text": True, "check": False} | options
        if not {"stdout", "stderr", "capture_output"} & options.keys():
            options["capture_output"] = True
        return subprocess.run(self._words(command), **options)

    def _words(self, command: Command) -> list[str]:
        words = ["sh", "-c", command] if isinstance(command, str) else [*command]
        words = [str(Path(word)) if isinstance(word, Path) else word for word in words]
        return self.entering(words)

    def entering(self, words: Sequence[str]) -> list[str]:
        """The words of a command that runs `words` here, as the user of programs."""
        become = [] if self._user is None else [sys.executable, "-I", _AS_USER, self._user]
        return ["ip", "netns", "exec", self.namespace, *become, *words]
