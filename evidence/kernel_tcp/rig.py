"""One connection of the kernel over a wire: one thread is the wire and both applications.

So nothing ever runs beside the kernel's TCP: a packet handed to a device is worked on within that
system call, what it lets the kernel send can be read at once, and the state that is read after it
is the state after that packet.
"""

from __future__ import annotations

import fcntl
import gc
import os
import select
import socket
import statistics
import sys
import time
from collections import deque
from dataclasses import dataclass, field

from evidence.kernel_tcp import namespaces, tcp_info
from evidence.kernel_tcp.case import Case
from evidence.kernel_tcp.packet import payload_and_sequence
from evidence.kernel_tcp.wire import NS, Fate, Line, Losses, dark

HEADERS = 120
"""Bytes of a packet that are kept: as long as its headers can be."""
CHUNK = 1448 * 100
UNSENT = 1 << 20
"""Bytes that are kept in the send buffer beyond those that were sent."""
SPIN_NS = 60_000
"""The last of a wait is spent looking, as the kernel wakes nobody to the microsecond; not so
where segments are not recorded, as many connections run at once there."""
GLANCE_S = 0.01
"""How often the state is read while nothing happens."""
LONGEST_S = 240.0
_SIOCOUTQNSD = 0x894B


@dataclass
class Run:
    """What happened; times in ns after the SYN."""

    case: Case
    settings: str
    sends: list[tuple[int, bytes, int, Fate]] = field(default_factory=list)
    """Time, headers, size, fate: of what the client handed to its device."""
    acks: list[tuple[int, bytes]] = field(default_factory=list)
    """Time, headers: of what was handed to the client."""
    states: list[tuple[int, tcp_info.State]] = field(default_factory=list)
    late_ns: list[int] = field(default_factory=list)
    """How late each packet came out of the wire."""
    ack_losses: list[int] = field(default_factory=list)
    losses: list[int] = field(default_factory=list)
    received: int = 0
    """Bytes that the server's application has read."""
    received_ns: int = 0
    """When it read the last of them."""
    acknowledged: bool = False
    """Whether all bytes were, before the end."""

    def late_us(self) -> tuple[float, float, float]:
        """Lateness of the wire: median, 99th percentile and maximum."""
        cuts = statistics.quantiles(self.late_ns, n=100, method="inclusive")
        return cuts[49] / 1e3, cuts[98] / 1e3, max(self.late_ns) / 1e3


def run(case: Case, watch: bool = True) -> Run:
    """Run a connection, and `watch` its segments and state. Needs root.

    Raises OSError if the kernel has no memory to spare for TCP, as that is not what is measured.
    """
    if namespaces.short_of_memory():
        raise OSError("the kernel's TCP is short of memory")
    ends = namespaces.make(case.cc, case.auto)
    try:
        return _Rig(case, ends, watch).run()
    finally:
        ends.close()


class _Rig:
    def __init__(self, case: Case, ends: namespaces.Ends, watch: bool) -> None:
        self._case, self._ends, self._watch = case, ends, watch
        self._out = Run(case, ends.settings)
        delay = round(case.delay_ms * 1e6)
        self._to_server = Line(case.rate_bps, delay, case.buffer)
        self._to_client = Line(None, delay)
        self._losses = Losses(case.losses, case.again)
        self._ack_losses = Losses(case.ack_losses)
        self._server_due: deque[tuple[int, bytes]] = deque()
        self._client_due: deque[tuple[int, bytes]] = deque()
        self._server: socket.socket | None = None
        self._messages = deque((round(at * NS), size) for at, size in case.messages)
        self._bytes_left = 0 if case.messages else case.bytes
        self._hungry = False
        self._data = memoryview(bytes(CHUNK))
        self._sink = bytearray(1 << 18)
        self._begin = 0
        self._last_ack: int | None = None
        self._blackouts: list[tuple[int, int]] = []

    def run(self) -> Run:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        gc.collect()
        gc.disable()
        try:
            self._connect()
            self._loop()
        finally:
            gc.enable()
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            if self._server:
                self._server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, namespaces.AT_ONCE)
                self._server.close()
        self._out.losses = self._losses.lost
        self._out.ack_losses = self._ack_losses.lost
        return self._out

    def _connect(self) -> None:
        self._begin = time.monotonic_ns()
        self._ends.client.connect_ex((namespaces.SERVER, 5001))
        syn = os.read(self._ends.client_device, 2048)
        self._begin = time.monotonic_ns()
        if self._case.bytes is not None:
            first = payload_and_sequence(syn)[1] + 1
            self._last_ack = first + self._case.bytes & 0xFFFFFFFF
        self._blackouts = [
            (self._begin + round(start * NS), self._begin + round(end * NS))
            for start, end in self._case.blackouts
        ]
        self._leave_client(syn, self._begin)

    def _loop(self) -> None:
        seconds = self._case.seconds or LONGEST_S
        end = self._begin + round(seconds * NS)
        spin = SPIN_NS if self._watch else 0
        devices = [self._ends.client_device, self._ends.server_device]
        while not self._out.acknowledged:
            now = time.monotonic_ns()
            if now >= end:
                break
            self._write(now - self._begin)
            server_due = self._server_due[0][0] if self._server_due else end
            client_due = self._client_due[0][0] if self._client_due else end
            message_due = self._begin + self._messages[0][0] if self._messages else end
            due = min(server_due, client_due)
            if due <= now and due < end:
                if server_due <= client_due:
                    self._reach_server(due)
                else:
                    self._reach_client(due)
                continue
            wait = max(min(due, message_due) - now - spin, 0)
            if self._hungry and wait > 300_000:
                self._feed()
                continue
            ready = select.select(devices, [], [], min(wait / 1e9, GLANCE_S))[0]
            if self._ends.client_device in ready:
                self._read_client()
                self._look()
            elif wait > GLANCE_S * NS:
                self._look()
            if self._ends.server_device in ready:
                self._read_server()

    def _reach_server(self, due: int) -> None:
        packet = self._server_due.popleft()[1]
        self._out.late_ns.append(time.monotonic_ns() - due)
        os.write(self._ends.server_device, packet)
        self._read_server()
        if self._server is None:
            try:
                self._server = self._ends.listener.accept()[0]
            except BlockingIOError:
                return
            self._server.setblocking(False)
        if not self._out.received and not self._case.auto:
            namespaces.bound_window(self._server)
        try:
            while count := self._server.recv_into(self._sink):
                self._out.received += count
                self._out.received_ns = time.monotonic_ns() - self._begin
        except BlockingIOError:
            pass
        self._read_server()

    def _reach_client(self, due: int) -> None:
        packet = self._client_due.popleft()[1]
        now = time.monotonic_ns()
        self._out.late_ns.append(now - due)
        os.write(self._ends.client_device, packet)
        if self._watch:
            self._out.acks.append((now - self._begin, packet[:HEADERS]))
        self._read_client()
        if self._bytes_left != 0:
            self._feed()
        self._look()
        self._out.acknowledged = int.from_bytes(packet[28:32]) == self._last_ack

    def _write(self, now: int) -> None:
        """Have the application write what it has to send by now."""
        while self._messages and self._messages[0][0] <= now:
            self._bytes_left = (self._bytes_left or 0) + self._messages.popleft()[1]
            self._feed()
            self._look()

    def _feed(self) -> None:
        """Give the client more to send, if it takes it."""
        unsent = fcntl.ioctl(self._ends.client, _SIOCOUTQNSD, b"\0\0\0\0")
        self._hungry = int.from_bytes(unsent, sys.byteorder) < UNSENT
        if not self._hungry:
            return
        size = CHUNK if self._bytes_left is None else min(CHUNK, self._bytes_left)
        sent = self._ends.client.send(self._data[:size])
        if self._bytes_left is not None:
            self._bytes_left -= sent
            self._hungry = self._bytes_left != 0
        self._read_client()

    def _look(self) -> None:
        if self._watch:
            now = time.monotonic_ns() - self._begin
            state = tcp_info.read(self._ends.client, self._case.cc == "bbr")
            self._out.states.append((now, state))

    def _read_client(self) -> None:
        try:
            while packet := os.read(self._ends.client_device, 2048):
                self._leave_client(packet, time.monotonic_ns())
        except BlockingIOError:
            pass

    def _leave_client(self, packet: bytes, now: int) -> None:
        payload, sequence = payload_and_sequence(packet)
        fate = Fate.ARRIVES
        if payload and self._losses.next_is_lost(sequence):
            fate = Fate.LOST
        elif dark(now, self._blackouts):
            fate = Fate.DARK
        elif (due := self._to_server.enter(now, len(packet))) is None:
            fate = Fate.FULL
        else:
            self._server_due.append((due, packet))
        if self._watch:
            self._out.sends.append((now - self._begin, packet[:HEADERS], len(packet), fate))

    def _read_server(self) -> None:
        try:
            while packet := os.read(self._ends.server_device, 2048):
                now = time.monotonic_ns()
                syn = packet[33] & 2
                lost = not syn and self._ack_losses.next_is_lost(0)
                if not lost and not dark(now, self._blackouts):
                    self._client_due.append(
                        (self._to_client.enter(now, len(packet)) or now, packet)
                    )
        except BlockingIOError:
            pass
