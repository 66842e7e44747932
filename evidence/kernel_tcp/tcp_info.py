"""The kernel's account of a connection: `getsockopt` of TCP_INFO and TCP_CC_INFO."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

_INFO = struct.Struct("=8B24I4Q6I")
_CC_INFO = 26
_BBR = struct.Struct("=5I")
_INFINITE = 0x7FFFFFFF
CA_STATES = ("open", "disorder", "cwr", "recovery", "loss")


@dataclass(frozen=True)
class State:
    """What of it a recording holds; windows and counts in segments."""

    cwnd: int
    ssthresh: int | None
    """None is infinite."""
    srtt_us: int
    rttvar_us: int
    """The smoothed mean deviation. The kernel's timeout is worked out of another, larger one."""
    rto_us: int
    ca_state: str
    pacing_bps: int
    min_rtt_us: int
    out: int
    sacked: int
    lost: int
    retransmitted: int
    bbr: tuple[int, int, int] | None = None
    """Bandwidth in bit/s, pacing gain and window gain in 1/256."""


def read(client: socket.socket, bbr: bool) -> State:
    """The state of a connection now."""
    raw = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    info = _INFO.unpack_from(raw)
    words = info[8:32]
    ssthresh = words[17]
    more = None
    if bbr:
        low, high, _, pacing_gain, cwnd_gain = _BBR.unpack_from(
            client.getsockopt(socket.IPPROTO_TCP, _CC_INFO, _BBR.size).ljust(_BBR.size, b"\0")
        )
        more = ((high << 32 | low) * 8, pacing_gain, cwnd_gain)
    return State(
        cwnd=words[18],
        ssthresh=None if ssthresh >= _INFINITE else ssthresh,
        srtt_us=words[15],
        rttvar_us=words[16],
        rto_us=words[0],
        ca_state=CA_STATES[info[1]],
        pacing_bps=min(info[32], 2**40) * 8,
        min_rtt_us=info[39],
        out=words[4],
        sacked=words[5],
        lost=words[6],
        retransmitted=words[7],
        bbr=more,
    )
