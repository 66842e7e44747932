"""Semi-TCP: the busiest relay, and how long nodes stay congested."""

from __future__ import annotations

from collections.abc import Callable

from multihop.metrics.access import ratio
from multihop.metrics.registry import Metric, RunMetric
from multihop.result_types import RunResult
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
]  # fmt: skip
