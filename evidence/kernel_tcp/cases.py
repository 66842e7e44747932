"""The connections that are recorded: some picked by hand, others spread over what a wire can be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from scipy.stats import qmc

from evidence.kernel_tcp.case import Case
from evidence.kernel_tcp.wire import drawn

CONGESTION_CONTROLS = ("reno", "cubic", "bbr")
SEGMENT = 1448
"""Bytes of data in a full segment: 1500 less the headers of IPv4 and TCP with timestamps."""
SPREAD = 10
"""Cases drawn beside those picked by hand."""


@dataclass(frozen=True)
class _Wire:
    """Mbit/s, one-way delay in ms, packets, segments sent; and what is lost."""

    rate: float
    delay: float
    buffer: int
    segments: int
    losses: tuple[int, ...] = ()
    again: dict[int, int] = field(default_factory=dict)
    ack_losses: tuple[int, ...] = ()
    blackouts: tuple[tuple[float, float], ...] = ()
    messages: tuple[tuple[float, int], ...] = ()
    auto: bool = False

    def case(self, name: str) -> Case:
        return Case(
            name, "", round(self.rate * 1e6), self.delay, self.buffer, self.segments * SEGMENT,
            losses=self.losses, again=self.again, ack_losses=self.ack_losses,
            blackouts=self.blackouts, messages=self.messages, auto=self.auto,
        )  # fmt: skip


_USUAL = _Wire(2, 25, 100, 200)


def _usual(segments: int = 200, losses: tuple[int, ...] = (), **fields: object) -> _Wire:
    return replace(_USUAL, segments=segments, losses=losses, **fields)  # type: ignore[arg-type]


def _random(
    rate: float, delay: float, buffer: int, segments: int, share: float, seed: int
) -> _Wire:
    return _Wire(rate, delay, buffer, segments, drawn(seed, share, 2 * segments))


def _messages(segments: int, each_s: float, then: int, losses: tuple[int, ...] = ()) -> _Wire:
    """An application that writes so many segments at a time for two seconds, then many at once."""
    times = [0.5 + each_s * count for count in range(round(2 / each_s))]
    written = [(round(at, 6), segments * SEGMENT) for at in times] + [(2.6, then * SEGMENT)]
    if losses:
        written = [(0.1, 100 * SEGMENT), *written]
    total = sum(size for _, size in written) // SEGMENT
    return _Wire(10, 25, 500, total, losses, messages=tuple(written))


_BY_HAND = {
    # Nothing is lost but what the buffer has no room for.
    "plain-0.2m-50ms-b20": _Wire(0.2, 50, 20, 120),
    "plain-0.2m-5ms-b5": _Wire(0.2, 5, 5, 120),
    "plain-0.5m-10ms-b100": _Wire(0.5, 10, 100, 250),
    "plain-1m-100ms-b5": _Wire(1, 100, 5, 250),
    "plain-1m-25ms-b30-long": _Wire(1, 25, 30, 1000),
    "plain-2m-20ms-b30": _Wire(2, 20, 30, 250),
    "plain-2m-50ms-b30-long": _Wire(2, 50, 30, 1200),
    "plain-5m-50ms-b500": _Wire(5, 50, 500, 500),
    "plain-10m-10ms-b10": _Wire(10, 10, 10, 400),
    "plain-20m-5ms-b5": _Wire(20, 5, 5, 400),
    "plain-20m-5ms-b100": _Wire(20, 5, 100, 400),
    "plain-20m-50ms-b50": _Wire(20, 50, 50, 600),
    "plain-20m-100ms-b500": _Wire(20, 100, 500, 1000),
    "short-1": _usual(1),
    "short-7": _usual(7),
    # One loss, and few.
    "loss-first": _usual(60, (1,)),
    "loss-in-first-window": _usual(100, (5,)),
    "loss-one": _usual(losses=(60,)),
    "loss-two": _usual(losses=(60, 62)),
    "loss-two-adjacent": _usual(losses=(60, 61)),
    "loss-burst-8": _usual(losses=tuple(range(60, 68))),
    "loss-burst-30": _Wire(10, 25, 100, 300, tuple(range(100, 130))),
    "loss-every-other-of-20": _Wire(10, 25, 100, 300, tuple(range(100, 120, 2))),
    "loss-first-window-all": _usual(60, tuple(range(1, 11))),
    # At the end, where no acknowledgments follow.
    "tail-only-segment": _usual(1, (1,)),
    "tail-second-of-2": _usual(2, (2,)),
    "tail-last": _usual(100, (100,)),
    "tail-last-3": _usual(100, (98, 99, 100)),
    "tail-last-12": _usual(100, tuple(range(89, 101))),
    "tail-last-and-probe": _usual(100, (), again={100: 1}),
    # Retransmissions.
    "again-once": _usual(again={60: 1}),
    "again-twice": _usual(again={60: 2}),
    "again-three-of-burst": _usual(again={60: 1, 62: 1, 64: 1}),
    # Acknowledgments.
    "acks-every-third": _usual(ack_losses=tuple(range(6, 120, 3))),
    "acks-run-of-15": _usual(ack_losses=tuple(range(30, 45))),
    "acks-run-of-25": _usual(ack_losses=tuple(range(30, 55))),
    "acks-run-of-35": _usual(ack_losses=tuple(range(30, 65))),
    "acks-random-20": _usual(ack_losses=drawn(1, 0.2, 300)),
    # Blackouts.
    "dark-0.1s": _usual(blackouts=((0.5, 0.6),)),
    "dark-0.5s": _usual(blackouts=((0.5, 1.0),)),
    "dark-1s": _usual(blackouts=((0.5, 1.5),)),
    "dark-3s": _usual(blackouts=((0.5, 3.5),)),
    "dark-10s": _usual(blackouts=((0.5, 10.5),)),
    "dark-30s": _usual(blackouts=((0.5, 30.5),)),
    "dark-twice": _usual(300, blackouts=((0.4, 0.7), (1.6, 2.6))),
    "dark-20m-0.3s": _Wire(20, 20, 100, 400, blackouts=((0.25, 0.55),)),
    # The application has less to send than the window lets it, then more: from slow start, and
    # after a loss.
    "app-1-each-100ms": _messages(1, 0.1, 100),
    "app-8-each-60ms": _messages(8, 0.06, 100),
    "app-12-each-60ms": _messages(12, 0.06, 100),
    "app-loss-3-each-60ms": _messages(3, 0.06, 100, (60,)),
    "app-loss-20-each-60ms": _messages(20, 0.06, 100, (60,)),
    # Losses at random.
    "random-0.5pc-5m-20ms": _random(5, 20, 100, 500, 0.005, seed=101),
    "random-1pc-2m-50ms": _random(2, 50, 50, 350, 0.01, seed=102),
    "random-2pc-10m-10ms": _random(10, 10, 50, 400, 0.02, seed=103),
    "random-5pc-0.5m-100ms": _random(0.5, 100, 30, 150, 0.05, seed=104),
    "random-5pc-2m-20ms": _random(2, 20, 40, 250, 0.05, seed=105),
}
_AUTO = ("plain-5m-50ms-b500", "loss-one", "dark-1s")
"""Those that are recorded with a receive buffer of the kernel's size too."""


def recorded() -> dict[str, Case]:
    """All cases that are recorded, by name."""
    wires = _BY_HAND | _spread()
    wires |= {f"auto-{name}": replace(wires[name], auto=True) for name in _AUTO}
    cases = {
        f"{cc}-{name}": replace(wire.case(f"{cc}-{name}"), cc=cc)
        for cc in CONGESTION_CONTROLS
        for name, wire in wires.items()
    }
    return dict(sorted(cases.items()))


def _spread() -> dict[str, _Wire]:
    """A Latin hypercube: rate, delay and buffer by their logarithms, and losses up to 5 %."""
    points = qmc.LatinHypercube(4, rng=21).random(SPREAD).tolist()
    wires = {}
    for place, (rate, delay, buffer, share) in enumerate(points):
        wires[f"spread-{place:02}"] = _random(
            round(0.2 * 100**rate, 2), round(5 * 20**delay, 1), round(5 * 100**buffer),
            200, round(0.05 * share**2, 4), seed=place,
        )  # fmt: skip
    return wires
