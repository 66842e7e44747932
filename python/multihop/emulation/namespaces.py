"""Network namespaces with a TAP device for each interface: made, entered in a journal, and removed.

A run keeps a folder under /run/multihop with a lock that it holds while it lives and a journal of
the namespaces that it makes. What a dead run left behind is in its journal, so the next start
removes that and nothing else: a namespace goes only if it is still the one that was made.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from multihop.emulation.errors import EmulationError

if sys.platform != "win32":
    import fcntl

RUNS = Path("/run/multihop")
NAMED = Path("/run/netns")
PREFIX_BITS = 16
"""All nodes are in 10.0.0.0/16."""
MOST_NODES = 2**16 - 2
GRACE_S = 1.0
"""Programs are asked to end and given so long before they are made to."""

_TUNSETIFF = 0x400454CA
_TAP_WITHOUT_HEADER = 0x0002 | 0x1000
_CLONE_NEWNET = 0x40000000
_SETTINGS = {
    "net/ipv4/conf/all/rp_filter": "0",
    "net/ipv4/conf/default/rp_filter": "0",
    "net/ipv6/conf/default/router_solicitations": "0",
    "net/ipv6/conf/default/accept_ra": "0",
    "net/ipv6/conf/default/accept_dad": "0",
    "net/ipv4/ping_group_range": "0 2147483647",
}
_FORWARDING = {
    "net/ipv4/ip_forward": "1",
    "net/ipv4/conf/all/send_redirects": "0",
    "net/ipv4/conf/default/send_redirects": "0",
    "net/ipv6/conf/all/forwarding": "1",
}


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a node, and its addresses."""

    name: str
    number: int
    """In the engine."""
    interface: str
    """Its name in the scenario; empty where nodes have one that has none."""
    mac: str
    ipv4: str
    ipv6: str


class Namespaces:
    """The namespaces of one run."""

    def __init__(self) -> None:
        RUNS.mkdir(parents=True, exist_ok=True)
        self.run = secrets.token_hex(3)
        self._folder = RUNS / self.run
        self._folder.mkdir()
        self._lock = _locked(self._folder)
        self._journal = (self._folder / "journal").open("a", encoding="ascii")
        self.devices: dict[int, int] = {}
        """The descriptor of each device, by its number."""
        self._names: dict[int, list[str]] = {}
        """Of the devices of each node."""
        atexit.register(self.close)

    def name(self, node: int) -> str:
        """The namespace of a node."""
        return f"multihop-{self.run}-{node}"

    def make(
        self, nodes: Mapping[int, Sequence[Device]], *, mtu: int, routers: Sequence[int]
    ) -> None:
        """Make namespaces with devices that are up, and have routers forward.

        Raises:
            EmulationError: the kernel refuses.
        """
        names = [self.name(node) for node in nodes]
        self._note(names)
        _ip([f"netns add {name}" for name in names])
        self._note([f"{name} {inode}" for name in names if (inode := _inode(name)) is not None])
        settings = {node: _SETTINGS | (_FORWARDING if node in routers else {}) for node in nodes}
        # In a thread of its own, which changes its namespace and ends.
        with ThreadPoolExecutor(1) as pool:
            self.devices = pool.submit(_open_devices, self.name, settings, nodes).result()
        for node, devices in nodes.items():
            self._names[node] = [device.name for device in devices]
            commands = ["link set lo up"]
            for device in devices:
                commands += [
                    f"link set {device.name} address {device.mac} mtu {mtu}",
                    f"addr add {device.ipv4}/{PREFIX_BITS} dev {device.name}",
                    f"link set {device.name} up",
                    f"-6 addr add {device.ipv6}/64 dev {device.name} nodad",
                ]
            _ip(
                [command for command in commands if mtu >= 1280 or "-6" not in command],
                self.name(node),
            )

    def set_device(self, node: int, *, up: bool) -> None:
        """Switch the devices of a node on or off."""
        state = "up" if up else "down"
        _ip([f"link set {name} {state}" for name in self._names[node]], self.name(node))

    def kill(self, node: int) -> None:
        """End all programs of a node at once."""
        _kill(_processes([self.name(node)]), signal.SIGKILL)

    def close(self) -> None:
        """Remove everything, once: programs are asked to end first."""
        atexit.unregister(self.close)
        for descriptor in self.devices.values():
            with suppress(OSError):
                os.close(descriptor)
        self.devices = {}
        _remove(self._folder)
        self._journal.close()
        if self._lock is not None:
            self._lock.close()

    def _note(self, lines: Iterable[str]) -> None:
        self._journal.write("".join(f"{line}\n" for line in lines))
        self._journal.flush()
        os.fsync(self._journal.fileno())


def sweep() -> list[str]:
    """Remove what runs left that did not end by themselves; the names of their namespaces."""
    removed = []
    for folder in sorted(RUNS.iterdir()) if RUNS.is_dir() else []:
        lock = _locked(folder) if folder.is_dir() else None
        if lock is not None:
            removed += _remove(folder)
            lock.close()
    return removed


def _locked(folder: Path) -> IO[str] | None:
    """The lock of a run's folder, unless a living run holds it. A process that dies lets it go."""
    lock = (folder / "lock").open("w", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def _remove(folder: Path) -> list[str]:
    """Remove the namespaces in a run's journal, with their programs, and its folder."""
    made: dict[str, int | None] = {}
    journal = folder / "journal"
    for line in journal.read_text(encoding="ascii").splitlines() if journal.exists() else []:
        name, *inode = line.split()
        made[name] = int(inode[0]) if inode else made.get(name)
    # One that was being made when the run died has no number yet: its name has the run's in it.
    ours = [
        name
        for name, inode in made.items()
        if name.startswith(f"multihop-{folder.name}-")
        and (now := _inode(name)) is not None
        and inode in (None, now)
    ]
    _end(ours)
    if ours:
        _ip([f"netns del {name}" for name in ours], force=True)
    shutil.rmtree(folder, ignore_errors=True)
    return ours


def _end(names: Sequence[str]) -> None:
    """End the programs in namespaces: asked first, then made to."""
    processes = _processes(names)
    _kill(processes, signal.SIGTERM)
    until = time.monotonic() + GRACE_S
    while processes and time.monotonic() < until:
        time.sleep(0.02)
        processes = _processes(names)
    _kill(processes, signal.SIGKILL)
    while processes and time.monotonic() < until + GRACE_S:
        time.sleep(0.02)
        processes = _processes(names)


def _kill(processes: Iterable[int], by: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, by)


def _processes(names: Iterable[str]) -> list[int]:
    """The living processes in namespaces."""
    inodes = {_inode(name) for name in names} - {None}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if (entry / "ns" / "net").stat().st_ino in inodes:
                    found.append(int(entry.name))
    return found


def _inode(name: str) -> int | None:
    try:
        return (NAMED / name).stat().st_ino
    except OSError:
        return None


def _open_devices(
    name: Callable[[int], str],
    settings: dict[int, dict[str, str]],
    nodes: Mapping[int, Sequence[Device]],
) -> dict[int, int]:
    """Make the devices in each namespace; in a thread that does nothing else."""
    libc = ctypes.CDLL(None, use_errno=True)
    devices: dict[int, int] = {}
    try:
        for node, values in settings.items():
            with (NAMED / name(node)).open("rb") as namespace:
                if libc.setns(namespace.fileno(), _CLONE_NEWNET) != 0:
                    error = ctypes.get_errno()
                    raise EmulationError(f"{name(node)}: {os.strerror(error)}")
            for key, value in values.items():
                with suppress(FileNotFoundError):  # a kernel without IPv6
                    Path("/proc/sys", key).write_text(value, encoding="ascii")
            for device in nodes[node]:
                devices[device.number] = _open_device(device.name)
    except OSError as error:
        for descriptor in devices.values():
            os.close(descriptor)
        raise EmulationError(f"{error.filename or 'TAP device'}: {error.strerror}") from None
    return devices


def _open_device(name: str) -> int:
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        request = struct.pack("16sH22x", name.encode(), _TAP_WITHOUT_HEADER)
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _ip(commands: Sequence[str], namespace: str | None = None, *, force: bool = False) -> None:
    """Have the program ip carry out commands.

    Raises:
        EmulationError: it can't, unless `force` has it go on with the next.
    """
    command = ["ip", *(["-n", namespace] if namespace else []), *(["-force"] if force else [])]
    batch = "".join(f"{line.removeprefix('-6 ')}\n" for line in commands)
    done = subprocess.run(
        [*command, "-batch", "-"],
        input=batch,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # Ctrl-C in a terminal does not reach it
    )
    if done.returncode != 0 and not force:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise EmulationError(f"ip: {said[0]}")
