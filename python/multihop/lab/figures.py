"""What runs come to: means with intervals, and what a change did, in pairs of equal seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multihop.foreign import line
from multihop.lab.network import tables_of
from multihop.results import Result
from multihop.statistics import jain, mean_interval, standard_error, t_quantile

MOST_ROWS = 40
"""Of more flows there is a row for each table of the scenario."""
PRECISE = 0.05
"""Half an interval over its mean that is narrow enough to stop."""
LEAST = 8
"""So many runs at least before an interval may end them."""
WANTED = 0.1
"""Half an interval over its mean, to which a flow's row says how many runs are missing."""
WEIGHTY = 0.05
"""Flows of a smaller share of the goodput may stay imprecise."""
_MOST_MORE = 5000
"""Of more the page says only that it would be thousands."""


def _greatest(values: Iterable[float | None]) -> float:
    return max((value for value in values if value is not None), default=math.nan)


_COUNTS: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "collisions": lambda run: run["mac"]["collisions"],
    "false link failures": lambda run: run["routing"]["false_link_failures"],
    "searches for routes": lambda run: run["routing"]["discoveries"],
    "packets of routing": lambda run: run["routing"]["packets_sent"],
    "timeouts of TCP": lambda run: sum(flow.get("timeouts") or 0 for flow in run["flows"]),
    "mean hops": lambda run: _known_mean(
        np.array([flow.get("mean_hops") or math.nan for flow in run["flows"]])
    ),
    "longest delay [s]": lambda run: _greatest(
        (flow.get("delay") or {}).get("greatest_s") for flow in run["flows"]
    ),
    "longest silence [s]": lambda run: _greatest(
        flow.get("longest_silence_s") for flow in run["flows"]
    ),
}
"""What else the page says of a run, of all nodes and flows together."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The figures of one run by row; a delay that none had is NaN."""

    labels: tuple[str, ...]
    ids: tuple[int, ...]
    """Of each row its flow, or its table where `by_table`."""
    by_table: bool
    goodput_bps: tuple[float, ...]
    delay_s: tuple[float, ...]
    fairness: float
    counts: tuple[float, ...]
    """As `_COUNTS` has them; what a run does not know is NaN."""
    transmissions: int

    @property
    def total_bps(self) -> float:
        """Goodput of all flows together."""
        return sum(self.goodput_bps)

    @property
    def mean_delay_s(self) -> float:
        """Of the flows that had any."""
        known = [delay for delay in self.delay_s if not math.isnan(delay)]
        return sum(known) / len(known) if known else math.nan


def sample(result: Result) -> Sample:
    """The figures of a run."""
    flows, tables = result.json["flows"], result.scenario["flows"]
    goodput = np.array([flow["goodput_bps"] or 0.0 for flow in flows], dtype=float)
    delay = np.array([flow.get("mean_delay_s") or math.nan for flow in flows], dtype=float)
    fairness = jain(goodput) if len(goodput) > 1 else math.nan
    of = [*tables_of(flows, tables)]
    arrive = any(table.get("arrivals_per_s") for table in tables)
    by_table = arrive or len(flows) > MOST_ROWS
    if by_table:
        rows = sorted({*of})
        chosen = [[at for at, table in enumerate(of) if table == row] for row in rows]
        labels = [_label(tables[row], row, len(at)) for row, at in zip(rows, chosen, strict=True)]
        goodputs = [float(goodput[at].sum()) for at in chosen]
        delays = [_known_mean(delay[at]) for at in chosen]
    else:
        rows = [flow["id"] for flow in flows]
        labels = [
            f"{line(flow.get('name') or '') or flow['kind']} {flow['source']} → "
            f"{flow['destination']}"
            for flow in flows
        ]
        goodputs, delays = goodput.tolist(), delay.tolist()
    return Sample(
        tuple(labels), tuple(rows), by_table, tuple(goodputs), tuple(delays), fairness,
        tuple(float(count(result.json)) for count in _COUNTS.values()),
        result.json["engine"]["transmissions"],
    )  # fmt: skip


def _known_mean(values: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _label(table: Mapping[str, Any], row: int, count: int) -> str:
    name = line(table.get("name") or "") or f"{table['kind']} {row}"
    return f"{name}: {count} flows" if count > 1 else name


Samples = Mapping[int, Sample]
"""By seed."""


def told(samples: Samples, before: Samples | None) -> dict[str, Any]:
    """Rows of figures as the page shows them, beside what they were before."""
    first = next(iter(samples.values()))
    seeds = [seed for seed in samples if samples[seed].ids == first.ids]
    random_ends = len({samples[seed].labels for seed in seeds}) > 1
    old = before or {}
    shared = [seed for seed in seeds if seed in old]
    same = bool(shared) and all(old[seed].ids == first.ids for seed in shared)
    rows = []
    for place, number in enumerate(first.ids):
        label = f"flow {number}" if random_ends and not first.by_table else first.labels[place]
        rows.append(
            {
                "id": number,
                "label": label,
                "goodput_bps": estimate([samples[s].goodput_bps[place] for s in seeds]),
                "delay_s": estimate([samples[s].delay_s[place] for s in seeds]),
                "missing": missing([samples[s].goodput_bps[place] for s in seeds]),
                "change": change(
                    [samples[s].goodput_bps[place] for s in shared],
                    [old[s].goodput_bps[place] for s in shared],
                )
                if same
                else None,
            }
        )
    sums = {
        name: {
            "now": estimate([getattr(samples[seed], name) for seed in seeds]),
            "change": change(
                [getattr(samples[seed], name) for seed in shared],
                [getattr(old[seed], name) for seed in shared],
            ),
        }
        for name in ("total_bps", "mean_delay_s", "fairness")
    }
    counts = [
        {
            "name": name,
            "now": estimate([samples[seed].counts[place] for seed in seeds]),
            "change": change(
                [samples[seed].counts[place] for seed in shared],
                [old[seed].counts[place] for seed in shared],
            ),
        }
        for place, name in enumerate(_COUNTS)
    ]
    return {"runs": len(seeds), "by_table": first.by_table, "rows": rows, "counts": counts, **sums}


def estimate(values: Sequence[float]) -> dict[str, float | None]:
    """The mean and half of its 95 % interval (Student's t); none where nothing is known."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return {"mean": None, "half": None}
    found = mean_interval(known)
    return {"mean": found.value, "half": _finite(found.half_width)}


def change(new: Sequence[float], old: Sequence[float]) -> dict[str, Any] | None:
    """What became of a figure: share of the old, half its interval, networks until it is told.

    The interval is that of a ratio of means of pairs with equal seeds (linearised: Cochran,
    Sampling Techniques, 1977, section 6.4), so that an old mean known badly widens it. Whether
    anything changed is told by the mean difference of the pairs.
    """
    pairs = [(a, b) for a, b in zip(new, old, strict=True) if not (math.isnan(a) or math.isnan(b))]
    if not pairs:
        return None
    base = sum(b for _, b in pairs) / len(pairs)
    differences = [a - b for a, b in pairs]
    mean = sum(differences) / len(pairs)
    if base == 0.0:
        return None if mean else {"share": 0.0, "half": 0.0, "more": 0}
    ratio = 1 + mean / base
    return {
        "share": mean / base,
        "half": _finite(_half([a - ratio * b for a, b in pairs]) / abs(base)),
        "more": more_networks(len(pairs), mean, _half(differences)),
    }


def _half(values: Sequence[float]) -> float:
    """Half the 95 % interval of a mean; NaN of a single value."""
    error = standard_error(values)
    return math.nan if math.isnan(error) else t_quantile(len(values) - 1, 0.95) * error


def more_networks(count: int, mean: float, half: float) -> int | None:
    """How many more runs would tell the sign, if mean and spread stay; none if no end is seen."""
    if math.isnan(half):
        return LEAST - count if count < LEAST else 1
    if half == 0.0 or abs(mean) > half:
        return 0
    if mean == 0.0:
        return None
    # The interval narrows with the square root of the number.
    needed = math.ceil(count * (half / abs(mean)) ** 2) + 1 - count
    return max(1, needed) if needed <= _MOST_MORE else None


def missing(values: Sequence[float]) -> int | None:
    """How many more runs would bring a mean within `WANTED`, if mean and spread stay.

    None where they would be thousands, or too few runs are known to say.
    """
    if len(values) < 3:
        return None
    found = mean_interval(values)
    wanted = WANTED * abs(found.value)
    if found.half_width <= wanted:
        return 0
    if wanted == 0.0:
        return None
    needed = math.ceil(len(values) * (found.half_width / wanted) ** 2) - len(values)
    return max(1, needed) if needed <= _MOST_MORE else None


def is_precise(samples: Samples) -> bool:
    """Whether all of it is known well enough: the total, and each flow of some weight."""
    if len(samples) < LEAST:
        return False
    first = next(iter(samples.values()))
    same = [each for each in samples.values() if each.ids == first.ids]
    series = [[each.total_bps for each in same]]
    series += [[each.goodput_bps[place] for each in same] for place in range(len(first.ids))]
    total = sum(series[0]) / len(same)
    for values in series:
        found = mean_interval(values)
        if found.value > WEIGHTY * total and not found.half_width <= PRECISE * found.value:
            return False
    return True


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
