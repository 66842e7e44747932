"""What the kernel has over a grid of wires: completion times and goodput."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from evidence.kernel_tcp import rig
from evidence.kernel_tcp.case import Case
from evidence.kernel_tcp.cases import CONGESTION_CONTROLS, SEGMENT
from evidence.kernel_tcp.wire import drawn

RATES = (500_000, 2_000_000, 5_000_000, 20_000_000)
DELAYS_MS = (5, 25, 100)
BUFFERS = (10, 50, 300)
LOSSES = (0.0, 0.005, 0.02)
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
AUTO = ((50, 1_000_000), (300, 10_000_000))
"""Buffers and sizes that are measured with a receive buffer of the kernel's size too."""
SECONDS = 15.0
LONGEST_S = 25.0
"""Sizes that would take longer are left out."""
FIRST_LOSSES = 100_000
"""Losses are drawn for so many packets."""
REPEATS = 3
LATE_US = (200.0, 50_000.0)
"""If packets are later than this on the mean, or one is later than that, a run is done again."""
TRIES = 3

COLUMNS = (
    "cc", "rate_bps", "delay_ms", "buffer_packets", "loss", "receive_window", "seed", "bytes",
    "seconds", "measure", "median", "low", "high", "mean_late_us",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A connection of the grid: `bytes` to be sent, or watched for `seconds`."""

    cc: str
    rate_bps: int
    delay_ms: int
    buffer: int
    loss: float
    auto: bool
    """Whether the kernel sizes the receive buffer."""
    seed: int
    bytes: int | None

    def case(self) -> Case:
        """The connection with its exact losses."""
        return Case(
            "", self.cc, self.rate_bps, self.delay_ms, self.buffer, self.bytes,
            seconds=None if self.bytes else SECONDS,
            losses=drawn(self.seed, self.loss, FIRST_LOSSES), auto=self.auto,
        )  # fmt: skip


def cells() -> Iterator[Cell]:
    """A third of all combinations: those whose places in the lists have a sum that 3 divides.

    The seed is the same for all congestion controls, so the same packets are lost.
    """
    places = product(*(range(len(of)) for of in (RATES, DELAYS_MS, BUFFERS, LOSSES)))
    chosen = [
        (RATES[rate], DELAYS_MS[delay], BUFFERS[buffer], LOSSES[loss])
        for rate, delay, buffer, loss in places
        if (rate + delay + buffer + loss) % 3 == 0
    ]
    for number, (rate, delay, buffer, loss) in enumerate(chosen):
        for place, size in enumerate([*SIZES, None]):
            if size and size * 8 / expected_bps(rate, delay, loss) > LONGEST_S:
                continue
            seed = number * 8 + place
            for auto in (False, True) if (buffer, size) in AUTO else (False,):
                for cc in CONGESTION_CONTROLS:
                    yield Cell(cc, rate, delay, buffer, loss, auto, seed, size)


def expected_bps(rate_bps: float, delay_ms: float, loss: float) -> float:
    """About what Reno has: the wire's rate, or what losses leave it (Mathis et al., 1997)."""
    if not loss:
        return rate_bps
    return min(rate_bps, SEGMENT * 8 / (2e-3 * delay_ms) * math.sqrt(1.5 / loss))


def row(cell: Cell) -> dict[str, object]:
    """Run a cell `REPEATS` times. Returns its row of the CSV."""
    values, late = [], []
    for _ in range(REPEATS):
        for _ in range(TRIES):
            run = rig.run(cell.case(), watch=False)
            mean, most = statistics.fmean(run.late_ns) / 1e3, max(run.late_ns) / 1e3
            if mean <= LATE_US[0] and most <= LATE_US[1]:
                break
        late.append(mean)
        if cell.bytes:
            complete = run.received == cell.bytes
            values.append(run.received_ns / 1e9 if complete else float("inf"))
        else:
            values.append(run.received * 8 / SECONDS)
    digits = 6 if cell.bytes else 0
    median, low, high = (
        f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values))
    )
    return {
        "cc": cell.cc,
        "rate_bps": cell.rate_bps,
        "delay_ms": cell.delay_ms,
        "buffer_packets": cell.buffer,
        "loss": cell.loss,
        "receive_window": "auto" if cell.auto else "large",
        "seed": cell.seed,
        "bytes": cell.bytes or "",
        "seconds": "" if cell.bytes else SECONDS,
        "measure": "completion_s" if cell.bytes else "goodput_bps",
        "median": median,
        "low": low,
        "high": high,
        "mean_late_us": f"{max(late):.0f}",
    }


def text(rows: list[dict[str, object]]) -> str:
    """The rows as CSV, in the order of the grid."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
