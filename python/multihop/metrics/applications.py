"""Metrics of what users wait for: files, responses, pages and messages; and of calls.

A transfer counts if it was complete by its flow's stop; the others are unfinished. Metrics of a run
take the transfers of all flows together, so quantiles are those of transfers, not of flows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from multihop.metrics.access import mean
from multihop.metrics.registry import FlowMetric, Metric, RunMetric
from multihop.result_types import FlowReport, RunResult
from multihop.results import numbers

_QUANTILES = (("p50", 0.5, "half"), ("p95", 0.95, "95 %"), ("p99", 0.99, "99 %"))
_SIZES = (
    ("small", 0, 10_000, "below 10 kB"),
    ("medium", 10_000, 100_000, "of 10 kB and more, below 100 kB"),
    ("large", 100_000, math.inf, "of 100 kB and more"),
)
_KINDS = (
    ("page_load", "web", "Time from a page's request to its last object"),
    ("response", "request-response", "Time from a request to the last byte of its response"),
)


def _times(flow: FlowReport, least: int = 0, below: float = math.inf) -> list[float]:
    """Times of the complete transfers of these sizes [s]."""
    transfers = flow.get("transfers")
    if transfers is None:
        return []
    pairs = zip(transfers["bytes"], transfers["time_s"], strict=True)
    return [time for size, time in pairs if time is not None and least <= size < below]


def _all_times(flows: Iterable[FlowReport], least: int = 0, below: float = math.inf) -> list[float]:
    return [time for flow in flows for time in _times(flow, least, below)]


def _quantile(times: list[float], share: float) -> float | None:
    """The least time that so large a share does not exceed."""
    return sorted(times)[math.ceil(share * len(times)) - 1] if times else None


def _complete(flow: FlowReport) -> float | None:
    return float(len(_times(flow))) if "transfers" in flow else None


def _unfinished(flow: FlowReport) -> float | None:
    transfers = flow.get("transfers")
    return None if transfers is None else float(transfers["time_s"].count(None))


def _total(of: Callable[[FlowReport], float | None]) -> Callable[[RunResult], float | None]:
    """The sum over the flows that have a value."""

    def total(run: RunResult) -> float | None:
        values = [value for flow in run["flows"] if (value := of(flow)) is not None]
        return sum(values) if values else None

    return total


def _of_flow(share: float) -> Callable[[RunResult, FlowReport], float | None]:
    return lambda _run, flow: _quantile(_times(flow), share)


def _of_run(
    share: float, least: int = 0, below: float = math.inf
) -> Callable[[RunResult], float | None]:
    return lambda run: _quantile(_all_times(run["flows"], least, below), share)


def _of_kind(kind: str, share: float | None) -> Callable[[RunResult], float | None]:
    def value(run: RunResult) -> float | None:
        times = _all_times(flow for flow in run["flows"] if flow["kind"] == kind)
        return mean(times) if share is None else _quantile(times, share)

    return value


def _voice(name: str) -> Callable[[RunResult, FlowReport], float | None]:
    def value(_run: RunResult, flow: FlowReport) -> float | None:
        voice = flow.get("voice")
        return None if voice is None else numbers(voice)[name]

    return value


def _by_size() -> Iterator[Metric]:
    for size, least, below, words in _SIZES:
        for name, share, told in _QUANTILES[:2]:
            yield RunMetric(f"{size}_completion_{name}_s", "s",
                            f"The time that {told} of the transfers {words} do not exceed.",
                            _of_run(share, least, below))  # fmt: skip


METRICS: list[Metric] = [
    FlowMetric("transfer_mean_s", "s",
               "Mean time of the flow's complete transfers: of a file from the flow's start, of a "
               "response or page from its request, of a message from when it was given, to the "
               "arrival of the last byte.",
               lambda _run, flow: mean(_times(flow))),
    *(FlowMetric(f"transfer_{name}_s", "s",
                 f"The time that {told} of the flow's complete transfers do not exceed.",
                 _of_flow(share))
      for name, share, told in _QUANTILES),
    FlowMetric("transfers", "", "Complete transfers.", lambda _run, flow: _complete(flow)),
    FlowMetric("unfinished_transfers", "", "Transfers that were not complete at the flow's stop.",
               lambda _run, flow: _unfinished(flow)),
    FlowMetric("mos", "", "Mean opinion score of a call by the E-model (ITU-T G.107), 1 to 4.5.",
               _voice("mos"), least=1.0),
    FlowMetric("r_factor", "", "Rating of a call by the E-model (ITU-T G.107), 0 to 100.",
               _voice("r_factor")),
    FlowMetric("voice_loss", "", "Share of a call's packets that were not played: lost or late.",
               _voice("loss")),
    FlowMetric("voice_jitter_s", "s",
               "Interarrival jitter of a call (RFC 3550, section 6.4.1), mean over its packets.",
               _voice("jitter_s")),
    RunMetric("completion_mean_s", "s", "Mean time of all complete transfers.",
              lambda run: mean(_all_times(run["flows"]))),
    *(RunMetric(f"completion_{name}_s", "s",
                f"The time that {told} of all complete transfers do not exceed.",
                _of_run(share))
      for name, share, told in _QUANTILES),
    *_by_size(),
    *(RunMetric(f"{metric}_mean_s", "s", f"{told}, mean over all.", _of_kind(kind, None))
      for metric, kind, told in _KINDS),
    *(RunMetric(f"{metric}_{name}_s", "s", f"{told}: what {words} of all do not exceed.",
                _of_kind(kind, share))
      for metric, kind, told in _KINDS for name, share, words in _QUANTILES[:2]),
    RunMetric("total_transfers", "", "Complete transfers of all flows.", _total(_complete)),
    RunMetric("total_unfinished_transfers", "",
              "Transfers of all flows that were not complete at their stop.",
              _total(_unfinished)),
]  # fmt: skip
