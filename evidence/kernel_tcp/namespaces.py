"""Two network namespaces of this process, a TUN device in each, and nothing on them but TCP."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
MTU = 1500
SEND_BUFFER = 16 << 20
"""So that the application never is what a connection waits for."""
RECEIVE_BUFFER, RECEIVE_WINDOW = 16 << 20, 4 << 20
"""So that the receiver's window is not either, unless its size is left to the kernel. The window
has a bound as well: while it may grow, the kernel acknowledges every segment."""

AT_ONCE = struct.pack("ii", 1, 0)
"""Closing a socket frees its buffers, rather than try to send them for minutes."""

SET = {"tcp_no_metrics_save": "1"}
"""What is set in both namespaces, of net.ipv4; else the kernel's defaults hold."""
TOLD = (
    "tcp_no_metrics_save", "tcp_sack", "tcp_dsack", "tcp_timestamps", "tcp_window_scaling",
    "tcp_recovery", "tcp_early_retrans", "tcp_frto", "tcp_reordering", "tcp_rto_min_us",
    "tcp_slow_start_after_idle", "tcp_moderate_rcvbuf", "tcp_rmem", "tcp_ecn",
    "tcp_tso_win_divisor", "tcp_comp_sack_delay_ns", "tcp_comp_sack_nr", "tcp_min_rtt_wlen",
)  # fmt: skip
"""What a recording's head tells of net.ipv4."""

_NEW_NETWORK = 0x40000000
_TUNSETIFF, _TUN_WITHOUT_HEADER = 0x400454CA, 0x1001
_SO_SNDBUFFORCE, _SO_RCVBUFFORCE = 32, 33
_SYSCTL = Path("/proc/sys/net")


@dataclass(frozen=True)
class Ends:
    """The two hosts: file descriptors of their devices, and their sockets."""

    client_device: int
    server_device: int
    client: socket.socket
    listener: socket.socket
    settings: str
    """Of the client's namespace, as `name=value` with ; between them."""

    def close(self) -> None:
        """Let go of both namespaces, which end with their last device and socket."""
        self.client.close()
        self.listener.close()
        os.close(self.client_device)
        os.close(self.server_device)


def make(cc: str, auto: bool, port: int = 5001) -> Ends:
    """Both hosts, as root; the client isn't connected yet. OSError if that isn't allowed.

    The server's kernel sizes its receive buffer if `auto`.
    """
    client_device = _host(CLIENT, SERVER)
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cc.encode())
    client.setsockopt(socket.SOL_SOCKET, _SO_SNDBUFFORCE, SEND_BUFFER)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    settings = "; ".join(f"{name}={' '.join(_ipv4(name).read_text().split())}" for name in TOLD)
    server_device = _host(SERVER, CLIENT)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    if not auto:
        listener.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, RECEIVE_BUFFER)
        bound_window(listener)
    listener.bind((SERVER, port))
    listener.listen()
    return Ends(client_device, server_device, client, listener, settings)


def bound_window(server: socket.socket) -> None:
    """Hold the advertised window to its bound, which the kernel forgets at the first segment."""
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, RECEIVE_WINDOW)


def short_of_memory() -> bool:
    """Whether the kernel's TCP, in any namespace, has more in its buffers than it likes.

    Receivers acknowledge otherwise then.
    """
    lines = Path("/proc/net/protocols").read_text("utf-8").splitlines()
    return any(line.split()[0] == "TCP" and line.split()[4] == "yes" for line in lines)


def _host(own: str, peer: str) -> int:
    """Move this thread to a new namespace with one device; its file descriptor."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "cannot make a network namespace (not root?)")
    for name in ("all", "default"):
        switch = _SYSCTL / "ipv6/conf" / name / "disable_ipv6"
        if switch.exists():
            switch.write_text("1")
    for name, value in SET.items():
        _ipv4(name).write_text(value)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH22x", b"wire", _TUN_WITHOUT_HEADER))
    for command in (
        f"address add {own} peer {peer} dev wire",
        f"link set wire mtu {MTU} gso_max_segs 1 txqueuelen 10000 up",
    ):
        subprocess.run(["ip", *command.split()], check=True)
    return device


def _ipv4(name: str) -> Path:
    return _SYSCTL / "ipv4" / name
