"""Whether the bursts of one flow cost the others timeouts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from multihop.observed.observation import Observation, Observer
from multihop.result_types import RunResult

Counts = npt.NDArray[np.float64]


def _per_second(events: pl.DataFrame, chosen: pl.Expr, run: RunResult) -> Counts:
    """How many of the chosen events each flow has in each second: [flow, second]."""
    counts = np.zeros((len(run["flows"]), int(np.ceil(run["scenario"]["duration_s"])) + 1))
    found = events.filter(chosen, pl.col("flow").is_not_null())
    seconds = (found["time_ns"] // 1_000_000_000).to_numpy()
    np.add.at(counts, (found["flow"].to_numpy(), seconds), 1)
    return counts


def rates(events: pl.DataFrame, run: RunResult) -> tuple[float | None, float | None]:
    """Timeouts of a flow a second while another sends above its mean rate, and while it does not.

    Over all pairs of flows and the seconds in which both are active.
    """
    sent = _per_second(events, (pl.col("event") == "send") & (pl.col("content") == "tcp-data"), run)
    timeouts = _per_second(
        events, (pl.col("event") == "tcp") & (pl.col("detail") == "timeout"), run
    )
    during, seconds = [0.0, 0.0], [0, 0]
    flows = run["flows"]
    for one, others in enumerate(flows):
        for other, flow in enumerate(flows):
            first = int(np.ceil(max(others["start_s"], flow["start_s"])))
            last = int(min(others["stop_s"], flow["stop_s"]))
            if one == other or last <= first:
                continue
            rate = sent[one, first:last]
            bursts = rate > rate.mean()
            for place, chosen in enumerate((bursts, ~bursts)):
                during[place] += float(timeouts[other, first:last][chosen].sum())
                seconds[place] += int(chosen.sum())
    found = [count / of if of else None for count, of in zip(during, seconds, strict=True)]
    return found[0], found[1]


OBSERVER = Observer(
    (
        Observation("timeouts_in_bursts_per_s", "1/s",
                    "Timeouts of a flow in a second in which another sends above its mean rate, "
                    "mean over all pairs of flows."),
        Observation("timeouts_outside_bursts_per_s", "1/s",
                    "Timeouts of a flow in a second in which another does not send above its mean "
                    "rate, mean over all pairs of flows."),
    ),
    rates,
)  # fmt: skip
