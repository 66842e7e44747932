"""Metrics that papers bring, on runs whose numbers are known by hand."""

from typing import Any

import pytest

import multihop
from multihop.metrics import METRICS, FlowMetric
from multihop.metrics.registry import Registry, RunMetric
from tests.papers_here import program

reactions_s = program("semi-tcp", "metrics").reactions_s


def test_a_hop_costs_a_frame_with_data_whatever_acknowledgments_cost() -> None:
    run: dict[str, Any] = {
        "flows": [{"delivered_segments": 1, "shortest_hops": 2}],
        "frames": [{"packet": "tcp-data"}, *[{"packet": "tcp-ack"}] * 9],
    }
    metric = METRICS["frames_per_hop"]
    assert isinstance(metric, RunMetric)
    assert metric.of(run) == 0.5  # type: ignore[arg-type]

    run: dict[str, Any] = {
        "flows": [{"delivered_segments": 1, "shortest_hops": 2}],
        "frames": [{"packet": "tcp-data"}, *[{"packet": "tcp-ack"}] * 9],
    }
    assert METRICS["frames_per_hop"].of(run) == 0.5  # type: ignore[attr-defined]


def test_an_end_is_near_each_other_path_and_not_near_any() -> None:
    """Flow 0 goes along y = 0; an end of it is near flow 1, only its middle is near flow 2."""
    places_m = [[0, 0], [500, 0], [1000, 0], [0, 300], [0, 500], [500, 500], [500, 700]]
    scenario = {
        "duration_s": 9,
        "topology": {"kind": "positions", "positions_m": places_m},
        "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
    }
    run: dict[str, Any] = {
        "scenario": dict(multihop.Scenario(scenario)),
        "seed": 1,
        "positions_m": places_m,
        "flows": [
            {"id": 0, "source": 0, "destination": 2},
            {"id": 1, "source": 3, "destination": 4},
            {"id": 2, "source": 5, "destination": 6},
        ],
        "links": [
            {"flow": flow, "from": start, "to": end, "packets": 5}
            for flow, start, end in ((0, 0, 1), (0, 1, 2), (1, 3, 4), (2, 5, 6))
        ],
    }  # fmt: skip
    metric = METRICS["endpoint_in_congestion"]
    assert isinstance(metric, FlowMetric)
    assert metric.of(run, run["flows"][0]) == 0.5  # type: ignore[arg-type]


def test_the_share_of_flows_between_neighbours() -> None:
    cbr = {"kind": "cbr", "source": 0, "packet_bytes": 500}
    scenario = {
        "duration_s": 4,
        "topology": {"kind": "chain", "hops": 3},
        "flows": [
            {"destination": 1, "rate_bps": 80_000, **cbr},
            {"destination": 3, "rate_bps": 40_000, **cbr},
        ],
    }
    run = multihop.run(scenario, scheme="static", seed=1).json
    near, far = (flow["delivered_bytes"] for flow in run["flows"])
    metric = METRICS["one_hop_share"]
    assert isinstance(metric, RunMetric)
    assert metric.of(run) == pytest.approx(near / (near + far))
    assert 0.5 < near / (near + far) < 1


def handed_over(*packets: tuple[int, int, int]) -> Any:
    """A run of one flow from node 0 to node 3: packets as time [ms], sender and receiver."""
    about = {"airtime_ns": 1, "duration_us": 0, "notice": "none"}
    frames = []
    for ms, sender, receiver in packets:
        data = {"transmitter": sender, "receiver": receiver, "kind": "data", "packet": "tcp-data"}
        ack = {"transmitter": receiver, "receiver": sender, "kind": "ack", "packet": None}
        frames += [about | {"time_ns": ms * 1_000_000} | frame for frame in (data, ack)]
    return {"flows": [{"source": 0, "destination": 3}], "frames": frames}


@pytest.mark.parametrize(
    ("packets", "reactions"),
    [
        # One packet in, one out: never congested.
        ([(0, 0, 1), (5, 1, 2), (10, 0, 1), (15, 1, 2)], []),
        # Two in, then one out and none in between.
        ([(0, 0, 1), (5, 0, 1), (30, 1, 2)], [0.0]),
        # A third 12 ms after the second; only when two have left is the congestion over.
        ([(0, 0, 1), (5, 0, 1), (17, 0, 1), (30, 1, 2), (40, 1, 2)], [0.012]),
        # Packets of both directions count, those at the ends do not.
        ([(0, 0, 1), (2, 2, 1), (9, 2, 1), (12, 2, 3), (20, 1, 0), (21, 1, 2)], [0.007]),
        # Still congested at the end.
        ([(0, 0, 1), (5, 0, 1), (17, 0, 1)], []),
    ],
)
def test_a_relay_reacts_with_the_last_packet_that_still_comes(
    packets: list[tuple[int, int, int]], reactions: list[float]
) -> None:
    run = handed_over(*packets)
    assert reactions_s(run) == pytest.approx(reactions)
    metric = METRICS["reaction_s"]
    assert isinstance(metric, RunMetric)
    found = metric.of(run)
    assert found == (pytest.approx(sum(reactions)) if reactions else None)


def test_a_frame_that_is_not_acknowledged_has_not_arrived() -> None:
    run = handed_over((0, 0, 1), (5, 0, 1), (30, 1, 2))
    del run["frames"][3]
    assert reactions_s(run) == []


def test_metrics_that_a_paper_adds_later_are_there_too_and_replace_those_it_had() -> None:
    made = {name: RunMetric(name, "", "", lambda _: None) for name in ("own", "first", "second")}
    metrics = Registry({"own": made["own"]}, lambda of: of.add("paper", [made["first"]]))
    assert list(metrics) == ["own", "first"]
    metrics.add("paper", [made["second"]])
    assert list(metrics) == ["own", "second"]
    metrics.add("another", [made["first"]])
    assert list(metrics) == ["own", "second", "first"]
