"""What this machine needs for an emulation, and which of it is missing."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from multihop.emulation.errors import EmulationError

_TUN = Path("/dev/net/tun")
_NEEDED = {12: "CAP_NET_ADMIN", 21: "CAP_SYS_ADMIN"}
"""Bits of capability masks: devices and addresses, and namespaces with names."""


def missing() -> list[str]:
    """What is missing here, a phrase each."""
    if not sys.platform.startswith("linux"):
        return ["Linux: only it has network namespaces"]
    found = []
    if shutil.which("ip") is None:
        found.append("the program ip (Debian's iproute2)")
    if not _TUN.exists():
        found.append(f"{_TUN} (modprobe tun, or the container's --device {_TUN})")
    elif not os.access(_TUN, os.R_OK | os.W_OK):
        found.append(f"permission to open {_TUN}")
    held = _capabilities()
    lacking = [name for bit, name in _NEEDED.items() if not held >> bit & 1]
    if lacking:
        found.append(f"{' and '.join(lacking)} (run as root)")
    elif not os.access("/run", os.W_OK):
        found.append("permission to write /run, where namespaces have their names")
    return found


def check() -> None:
    """Refuse to go on where something is missing.

    Raises:
        EmulationError: it says what.
    """
    if lacking := missing():
        raise EmulationError(f"emulation needs {'; '.join(lacking)}")


def _capabilities() -> int:
    """The effective capabilities of this process, as a mask."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
