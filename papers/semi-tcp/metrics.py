"""Semi-TCP and TCP-AP: the busiest relay of all flows, congestion, and how soon relays react.

How soon less arrives at a relay that has become congested is told from the record of every frame.
A relay is congested once it has accepted two packets without having sent one: semi-TCP's rule with
T_c = m = 1, which can be told from frames under any scheme. It is so until it has sent all but one
of these and of those that came after them. The time of reaction is that from the second packet to
the last one that still came, zero if none did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from multihop.metrics.access import mean, ratio
from multihop.metrics.registry import Metric, RunMetric
from multihop.result_types import FrameReport, RunResult
from multihop.results import numbers


def _busiest_relay(name: str) -> Callable[[RunResult], float | None]:
    """A number of the busiest relay; None where no flow has a relay."""
    return lambda run: numbers(run["bottleneck"])[name] if run.get("bottleneck") else None


def _busiest_relay_flows(run: RunResult) -> float | None:
    if not run.get("bottleneck") or not run.get("links"):
        return None
    node = run["bottleneck"]["node"]
    return float(len({link["flow"] for link in run["links"] if link["from"] == node}))


def _congested_spell(run: RunResult) -> float | None:
    counted = run["schemes"].get("semi-tcp")
    return ratio(counted["congested_s"], counted["congestions"]) if counted else None


CONGESTED = 2
"""Packets with which a relay is congested."""


@dataclass(slots=True)
class _Relay:
    """Packets that a relay has accepted and not sent."""

    packets: int = 0
    onset_ns: int | None = None
    last_ns: int = 0

    def accept(self, now: int) -> None:
        self.packets += 1
        self.last_ns = now
        if self.packets == CONGESTED and self.onset_ns is None:
            self.onset_ns = now

    def send(self) -> int | None:
        """The time of reaction, if that ends its congestion."""
        if self.onset_ns is None:
            self.packets = 0
            return None
        self.packets -= 1
        if self.packets >= CONGESTED:
            return None
        reaction, self.onset_ns, self.packets = self.last_ns - self.onset_ns, None, 0
        return reaction


def reactions_s(run: RunResult) -> list[float]:
    """The time of reaction to each congestion of a relay [s]."""
    ends = {node for flow in run["flows"] for node in (flow["source"], flow["destination"])}
    relays: dict[int, _Relay] = {}
    found = []
    for now, sender, receiver in _handed_over(run.get("frames", ())):
        reaction = relays[sender].send() if sender in relays else None
        if reaction is not None:
            found.append(reaction / 1e9)
        if receiver not in ends:
            relays.setdefault(receiver, _Relay()).accept(now)
    return found


def _handed_over(frames: Iterable[FrameReport]) -> Iterator[tuple[int, int, int]]:
    """Each packet of a transport that a MAC acknowledged: when, from whom, to whom.

    Of an A-MPDU the first.
    """
    unanswered: dict[int, int] = {}
    for frame in frames:
        receiver = frame["receiver"]
        if receiver is None:
            continue
        is_data = frame["kind"] in ("data", "aggregate")
        is_answer = frame["kind"] in ("ack", "block-ack")
        if is_data and frame["packet"] in ("tcp-data", "tcp-ack", "udp"):
            unanswered[receiver] = frame["transmitter"]
        elif is_answer and unanswered.get(frame["transmitter"]) == receiver:
            del unanswered[frame["transmitter"]]
            yield frame["time_ns"], receiver, frame["transmitter"]


METRICS: list[Metric] = [
    RunMetric("bottleneck_throughput_bps", "bit/s",
              "Payload of data packets that the busiest relay's MAC got acknowledged, per second: "
              "its effective throughput.", _busiest_relay("effective_throughput_bps")),
    RunMetric("busiest_relay_share", "",
              "Share of the time in which the busiest relay was transmitting.",
              _busiest_relay("sending_share")),
    RunMetric("busiest_relay_flows", "",
              "Flows whose data pass the busiest relay; needs the links recorded.",
              _busiest_relay_flows),
    RunMetric("congested_spell_s", "s",
              "Mean time for which a node stays congested (semi-TCP).", _congested_spell),
    RunMetric("reaction_s", "s",
              "From when a relay has accepted two packets without sending one to the last that "
              "still arrives before that congestion ends, mean over all; needs the frames "
              "recorded.", lambda run: mean(reactions_s(run))),
]  # fmt: skip
