"""A recording: the text form of a run, and its reading."""

from __future__ import annotations

import gzip
import platform
from dataclasses import dataclass, replace
from pathlib import Path

from evidence.kernel_tcp import namespaces
from evidence.kernel_tcp.packet import PUSH, SYN, Segment, parse
from evidence.kernel_tcp.rig import Run
from evidence.kernel_tcp.tcp_info import State
from evidence.kernel_tcp.wire import Fate

LARGE_WINDOW = 2 << 20
"""A window of so many bytes is written as -."""
COLUMNS = "# evidence/kernel-tcp.md tells what the columns are."


@dataclass(frozen=True)
class Send:
    """A segment that the kernel handed to the client's device."""

    time_us: int
    sequence: int
    length: int
    timestamp: int
    push: bool
    fate: Fate


@dataclass(frozen=True)
class Ack:
    """An acknowledgment that was handed to the client."""

    time_us: int
    acknowledgment: int
    window: int | None
    """None if it is so large that nothing waits for it."""
    echo: int
    sack: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Recording:
    """A recording as it was read."""

    head: dict[str, str]
    sends: list[Send]
    acks: list[Ack]
    states: list[tuple[int, State]]

    def retransmissions(self) -> list[Send]:
        """What was sent of data that had been sent before."""
        sent, found = 1, []
        for send in self.sends:
            if send.length and send.sequence < sent:
                found.append(send)
            sent = max(sent, send.sequence + send.length)
        return found


def write(run: Run, tries: int) -> str:
    """The text of a recording."""
    case, segments = run.case, [parse(packet, size) for _, packet, size, _ in run.sends]
    late = run.late_us()
    head = {
        "kernel": kernel(),
        "command": f"python -m evidence.kernel_tcp record {case.name}",
        "cc": case.cc,
        "rate_bps": case.rate_bps,
        "delay_ms": case.delay_ms,
        "buffer_packets": case.buffer,
        "bytes": case.bytes or "",
        "seconds": case.seconds or "",
        "losses": " ".join(map(str, run.losses)),
        "ack_losses": " ".join(map(str, run.ack_losses)),
        "blackouts_s": " ".join(f"{start:g}-{end:g}" for start, end in case.blackouts),
        "messages": " ".join(f"{at:g}:{size}" for at, size in case.messages),
        "receive_window": "auto" if case.auto else namespaces.RECEIVE_WINDOW,
        "send_buffer": namespaces.SEND_BUFFER,
        "mtu": namespaces.MTU,
        "late_us": " ".join(f"{value:.0f}" for value in late),
        "tries": tries,
        "sysctl": run.settings,
    }
    syn = segments[0]
    assert syn.timestamp
    lines = [
        (at, _send(at, segment, fate, syn))
        for (at, *_, fate), segment in zip(run.sends, segments, strict=True)
    ]
    scale = 0
    for at, packet in run.acks:
        segment = parse(packet, len(packet))
        if segment.flags & SYN:
            scale = segment.scale or 0
            text = f"syn-ack {at // 1000} {segment.window} mss {segment.mss} scale {scale}"
        else:
            text = _ack(at, segment, syn, scale)
        lines.append((at, text))
    lines += [(at, _state(at, state)) for at, state in thin(run.states)]
    lines.sort(key=lambda line: line[0])
    said = "\n".join(f"{key} = {value}".rstrip() for key, value in head.items())
    body = "\n".join(text for _, text in lines)
    return f"{said}\n{COLUMNS}\n\n{body}\n"


def thin(states: list[tuple[int, State]]) -> list[tuple[int, State]]:
    """Those states in which a window, the phase, the losses or BBR's model are new."""
    kept: list[tuple[int, State]] = []
    last = None
    for at, state in states:
        if state.srtt_us == 0:
            continue
        now = (state.cwnd, state.ssthresh, state.ca_state, state.lost, state.bbr)
        if now != last:
            kept.append((at, state))
        last = now
    return kept


def read(path: Path) -> Recording:
    """Read a recording; ValueError with the line's number if one isn't understood."""
    head: dict[str, str] = {}
    sends: list[Send] = []
    acks: list[Ack] = []
    states: list[tuple[int, State]] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        word, _, rest = line.partition(" ")
        fields = rest.split()
        try:
            if word == "send":
                at, sequence, length, timestamp = map(int, fields[:4])
                push = "push" in fields[4:]
                fate = Fate(" ".join(fields[4 + push :]))
                sends.append(Send(at, sequence, length, timestamp, push, fate))
            elif word == "ack":
                at, acknowledgment, echo = int(fields[0]), int(fields[1]), int(fields[3])
                window = None if fields[2] == "-" else int(fields[2])
                pairs = [block.split("-") for block in fields[5:]]
                sack = tuple((int(first), int(end)) for first, end in pairs)
                acks.append(Ack(at, acknowledgment, window, echo, sack))
            elif word == "state":
                states.append(_read_state(fields))
            elif " = " in line or line.endswith(" ="):
                key, _, value = line.partition(" =")
                head[key] = value.strip()
            elif line and word not in ("#", "syn", "syn-ack"):
                raise ValueError("not a line of a recording")
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return Recording(head, sends, acks, states)


def kernel() -> str:
    """Release and machine, and the frequency of its clock tick if it tells."""
    try:
        config = gzip.decompress(Path("/proc/config.gz").read_bytes()).decode()
    except OSError:
        config = ""
    ticks = [line.split("=")[1] for line in config.splitlines() if line.startswith("CONFIG_HZ=")]
    said = f"Linux {platform.release()} {platform.machine()}"
    return f"{said}, HZ {ticks[0]}" if ticks else said


def _send(at: int, segment: Segment, fate: Fate, syn: Segment) -> str:
    if segment.flags & SYN:
        return f"syn {at // 1000} {fate.value}".rstrip()
    sequence = _relative(segment.sequence, syn.sequence)
    words = ["send", at // 1000, sequence, segment.payload, _stamp(segment, syn, 0)]
    if segment.flags & PUSH:
        words.append("push")
    if fate is not Fate.ARRIVES:
        words.append(fate.value)
    return " ".join(map(str, words))


def _ack(at: int, segment: Segment, syn: Segment, scale: int) -> str:
    window = segment.window << scale
    said = (
        f"ack {at // 1000} {_relative(segment.acknowledgment, syn.sequence)} "
        f"{window if window < LARGE_WINDOW else '-'} {_stamp(segment, syn, 1)}"
    )
    blocks = [
        f"{_relative(first, syn.sequence)}-{_relative(end, syn.sequence)}"
        for first, end in segment.sack
    ]
    return " ".join([said, "sack", *blocks]) if blocks else said


def _state(at: int, state: State) -> str:
    fields = [
        at // 1000, state.cwnd, "inf" if state.ssthresh is None else state.ssthresh,
        state.srtt_us, state.rttvar_us, state.rto_us, state.ca_state, state.pacing_bps,
        state.min_rtt_us, state.out, state.sacked, state.lost, state.retransmitted,
        *(state.bbr or ()),
    ]  # fmt: skip
    return " ".join(["state", *map(str, fields)])


def _read_state(fields: list[str]) -> tuple[int, State]:
    at, cwnd = int(fields[0]), int(fields[1])
    ssthresh = None if fields[2] == "inf" else int(fields[2])
    srtt, rttvar, rto = map(int, fields[3:6])
    pacing, min_rtt, out, sacked, lost, retransmitted = map(int, fields[7:13])
    state = State(
        cwnd, ssthresh, srtt, rttvar, rto, fields[6],
        pacing, min_rtt, out, sacked, lost, retransmitted,
    )  # fmt: skip
    if fields[13:]:
        bandwidth, pacing_gain, cwnd_gain = map(int, fields[13:16])
        state = replace(state, bbr=(bandwidth, pacing_gain, cwnd_gain))
    return at, state


def _relative(number: int, first: int) -> int:
    return (number - first) & 0xFFFFFFFF


def _stamp(segment: Segment, syn: Segment, which: int) -> int:
    if segment.timestamp is None or syn.timestamp is None:
        raise ValueError("a segment without a timestamp")
    return _relative(segment.timestamp[which], syn.timestamp[0])
