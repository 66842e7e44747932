"""Every metric on a run small enough to work out by hand; on real runs, how counters add up."""

from typing import Any

import pytest
from tools import metric_names

import multihop
from multihop.metrics import METRICS, FlowMetric, RunMetric, applications
from multihop.metrics.registry import by_name
from multihop.observed import OBSERVATIONS

TCP: dict[str, Any] = {
    "id": 0,
    "kind": "ftp",
    "source": 0,
    "destination": 2,
    "goodput_bps": 300.0,
    "unique_bps": 310.0,
    "acked_segments": 29,
    "delivered_segments": 30,
    "delivered_bytes": 3000,
    "arrived_segments": 36,
    "mean_rtt_s": 0.3,
    "mean_delay_s": 0.2,
    "delay": {"p50_s": 0.15, "p95_s": 0.4, "p99_s": 0.45, "jitter_s": 0.05},
    "mean_mac_delay_s": 0.1,
    "mean_hops": 4.5,
    "shortest_hops": 3,
    "least_hops": 3,
    "least_observed_hops": 4,
    "acks_sent": 28,
    "fast_retransmits": 4,
    "ecn_reductions": 1,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
    "sent_segments": 40,
    "out_of_order_segments": 9,
    "discoveries": 6,
    "standbys": 2,
    "goodput_variation": 0.7,
    "silent_share": 0.4,
    "longest_silence_s": 7.0,
    "mean_cwnd_segments": 6.5,
    "start_s": 1.0,
    "stop_s": 11.0,
}
CBR: dict[str, Any] = TCP | {
    "id": 1,
    "kind": "cbr",
    "received_packets": 9,
    "source": 3,
    "destination": 4,
    "goodput_bps": 100.0,
    "unique_bps": 100.0,
    "delivered_segments": 9,
    "delivered_bytes": 1000,
    "arrived_segments": 9,
    "mean_rtt_s": None,
    "mean_delay_s": 0.6,
    "delay": None,
    "mean_mac_delay_s": 0.5,
    "mean_hops": 2.5,
    "shortest_hops": 2,
    "least_hops": 2,
    "least_observed_hops": 2,
    "sent_segments": 10,
}


def queue(node: int, data: float, longest: int, *, is_source: bool) -> dict[str, Any]:
    """What one interface queue held."""
    return {
        "node": node,
        "is_source": is_source,
        "mean_data": data,
        "mean_routing": 0.3,
        "max_packets": longest,
        "max_routing": 1,
        "max_data": longest - 1,
        "routing_share": 0.2,
        "nearly_full_share": 0.1,
        "growth_with_routing_per_s": 4.0,
        "growth_without_routing_per_s": -1.0,
    }


def frame(
    kind: str, transmitter: int, receiver: int | None, time_ns: int, packet: str | None = None
) -> dict[str, Any]:
    """A frame of 100 us."""
    ends = {"transmitter": transmitter, "receiver": receiver}
    return {"kind": kind, "packet": packet, "time_ns": time_ns, "airtime_ns": 100_000} | ends


PATHS: dict[str, Any] = {
    "paths_found": 7,
    "paths_lost": 4,
    "life_total_s": 6.0,
    "discoveries_by_paths": [1, 3],
}
SCHEMES: dict[str, Any] = {
    "multipath-aodv": {
        "totals": {"alternate_hops_total": 9, "alternate_shortest_hops_total": 6},
        "flows": [PATHS, PATHS],
        # The first discovery finds two paths, which fail after 4 and 2 s; the second a longer one.
        "paths": [
            {"source": 0, "destination": 2, "request": request, "hops": hops, "nodes": nodes}
            | {"found_s": 1.0, "lost_s": lost}
            for request, hops, nodes, lost in [
                (1, 2, [0, 1, 2], 5.0),
                (1, 2, [0, 3, 2], 3.0),
                (2, 4, [0, 1, 4, 3, 2], None),
            ]
        ],
    },
    "dcar": {"weights_used": 12, "weights_stale_connections": 3, "late_requests": 8},
    "semi-tcp": {"congestions": 4, "congested_s": 6.0},
    "ccar": {
        "choices": [
            {"path": [0, 1, 2], "shortest_hops": 2, "chosen": 0, "bottlenecks": [1.0, 3.0]},
            {"path": [0, 1, 3, 2], "shortest_hops": 2, "chosen": 1, "bottlenecks": [2.0, 4.0]},
        ]
    },
    "copas": {
        "connection_s": 40.0,
        "two_paths_s": 30.0,
        "no_path_s": 4.0,
        "replacements": 5,
    },
}
"""What all schemes that count anything add to a result, as if one run had them all."""

PLACES_M = [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], [600.0, 100.0], [800.0, 0.0]]

RUN: dict[str, Any] = {
    "scenario": dict(
        multihop.Scenario(
            {
                "duration_s": 20.0,
                "radio": {"sense_range_m": 250.0},
                "topology": {"kind": "positions", "positions_m": PLACES_M},
                "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
            }
        )
    ),
    "seed": 1,
    "positions_m": PLACES_M,
    "queues": [
        queue(0, 6.0, 9, is_source=True),
        queue(1, 2.0, 5, is_source=False),
        queue(2, 0.0, 1, is_source=False),
    ],
    "fullest_relay": 1,
    "flows": [TCP, CBR],
    "mac": {
        "backoffs": 700,
        "backoffs_busy": 150,
        "backoffs_retry": 50,
        "collisions": 13,
        "rts_sent": 90,
        "data_sent": 80,
        "ack_sent": 60,
    },
    "routing": {
        "bytes_sent": 1000,
        "piggyback_bytes": 200,
        "packets_sent": 25,
        "discoveries": 4,
        "replies_originated": 6,
        "errors_originated": 7,
        "link_failures": 6,
        "false_link_failures": 4,
        "stranded_packets": 9,
    },
    "queue": {"mean_packets": 0.4, "drops": 2, "codel_drops": 3, "ecn_marks": 8},
    # Two of the TCP sender's 40 segments still wait for a route, nobody has dropped them.
    "data": {"transmitted_packets": 48, "dropped_packets": 3, "dropping_ratio": 3 / 48},
    "bottleneck": {"node": 2, "sending_share": 0.5, "effective_throughput_bps": 900.0},
    # A quarter of the first flow's packets go round by node 3, which the second flow starts from.
    "links": [
        {"flow": flow, "from": start, "to": end, "packets": packets}
        for flow, start, end, packets in [
            (0, 0, 1, 36),
            (0, 1, 2, 27),
            (0, 1, 3, 9),
            (0, 3, 2, 9),
            (1, 3, 4, 9),
        ]
    ],
    "schemes": SCHEMES,
    # Frames with data over links 0-1 and 2-3 overlap; that over 1-2 is not acknowledged in time.
    "frames": [
        frame("data", 0, 1, 0, "tcp-data"),
        frame("data", 3, 2, 90_000, "tcp-ack"),
        frame("ack", 1, 0, 110_000),
        frame("ack", 2, 3, 200_000),
        frame("data", 1, 2, 300_000, "tcp-data"),
        frame("ack", 2, 1, 500_000),
        frame("data", 0, 1, 600_000, "tcp-data"),
        frame("ack", 1, 0, 710_000),
        frame("data", 0, None, 610_000, "routing"),
    ],
}

# Rows of five nodes; the second flow is on the third row. Of 16 packets of the first flow 4 pass it
# in the first row, 8 in the fifth, 2 in the sixth; 2 leave the sixth row halfway.
GRID: dict[str, Any] = {
    "scenario": {"topology": {"kind": "grid", "columns": 5, "rows": 6}},
    "flows": [
        {"id": 0, "source": 10, "destination": 14},
        {"id": 1, "source": 11, "destination": 13},
    ],
    "links": [
        {"flow": 0, "from": start, "to": start + 1, "packets": packets}
        for start, packets in [(1, 4), (2, 4), (21, 8), (22, 8), (26, 4), (27, 2), (13, 16)]
    ],
}
OF_THE_GRID = ("two_rows_aside_share", "three_rows_below_share", "mostly_above")

OF_THE_FLOW = {
    "goodput_bps": 300.0,
    "throughput_bps": 310.0,
    "acked_segments": 29,
    "delivered_segments": 30,
    "mean_rtt_s": 0.3,
    "mean_delay_s": 0.2,
    "delay_p50_s": 0.15,
    "delay_p95_s": 0.4,
    "delay_p99_s": 0.45,
    "jitter_s": 0.05,
    "mean_mac_delay_s": 0.1,
    "mean_hops": 4.5,
    "least_observed_hops": 4,
    "window_cuts": 7,
    "acks_sent": 28,
    "stretch": 1.5,
    "straight_share": 0.75,
    "endpoint_in_congestion": 1.0,
    "two_rows_aside_share": 0.75,
    "three_rows_below_share": 0.125,
    "mostly_above": 0.0,
    "sent_while_active_per_s": 40 / (10.0 - 0.5),
    "sent_segments": 40,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
    "out_of_order_share": 0.25,
    "discoveries": 6,
    "standbys": 2,
    "path_failures": 4,
    "paths_per_discovery": 7 / 4,
    "path_life_s": 1.5,
    "longest_life_s": 4.0,
    "shortest_life_s": 2.0,
    "coupled_share": 1.0,
    "rediscovered_shortest": 0.0,
    "goodput_variation": 0.7,
    "silent_share": 0.4,
    "longest_silence_s": 7.0,
    "rounded_hops": 4.0,
    "mean_cwnd_segments": 6.5,
    # Node 3 is 224 m from node 2; node 4 is too far from both ends.
    "contenders": 1.0,
}
OF_THE_RUN = {
    "total_goodput_bps": 400.0,
    "carried_bps": 4000 * 8 / 20,
    "tcp_goodput_bps": 300.0,
    "udp_goodput_bps": 100.0,
    "total_throughput_bps": 410.0,
    "bottleneck_throughput_bps": 900.0,
    "jain": 400.0**2 / (2 * (300.0**2 + 100.0**2)),
    "packet_delay_s": (36 * 0.2 + 9 * 0.6) / 45,
    "packet_mac_delay_s": (36 * 0.1 + 9 * 0.5) / 45,
    "path_length": (36 * 4.5 + 9 * 2.5) / 45,
    "alternate_stretch": 1.5,
    "backoffs_per_node_s": 700 / (5 * 20),
    "contention_backoffs_per_node_s": 200 / (5 * 20),
    "dropping_ratio": 3 / 48,
    "routing_overhead": 1200 / 4000,
    "two_paths_share": 0.75,
    "no_path_share": 0.1,
    "replacements": 5,
    "routing_packets": 25,
    "routing_bytes": 1000,
    "discoveries_per_s": 0.2,
    "link_failures": 6,
    "rts_per_frame": 1.5,
    "frames_per_s": 4.0,
    "busiest_relay_share": 0.5,
    "busiest_relay_flows": 0,
    "congested_spell_s": 1.5,
    "collisions": 13,
    "queue_packets": 0.4,
    "queue_drops": 2,
    "codel_drops": 3,
    "ecn_marks": 8,
    "interfering_pairs": 1,
    "shortest_choices": 0.5,
    "lightest_choices": 0.5,
    "chosen_bottleneck": 2.5,
    "bottleneck_spread": (2 / 2 + 2 / 3) / 2,
    "weight_error": 0.25,
    "late_requests": 8,
    "longest_queue": 9,
    "relay_data": 2.0,
    "relay_routing": 0.3,
    "relay_max_data": 4,
    "relay_max_routing": 1,
    "links_at_once": 2,
    "overlapping_share": 2 / 3,
    "frames_per_hop": 3 / (30 * 3 + 9 * 2),
    "relay_routing_share": 0.2,
    "relay_nearly_full_share": 0.1,
    "relay_growth_with_routing": 4.0,
    "relay_growth_without_routing": -1.0,
    "sources_share": 0.75,
    "stranded_packets": 1.5,
    "false_link_failures": 4,
    "best_over_worst": 30 / 9,
    "route_errors_sent": 7,
    "replies_per_discovery": 1.5,
    "rts_success": 8 / 9,
    "rts_unanswered": 1 / 9,
    "one_hop_share": 0.0,
}


def value(name: str, run: dict[str, Any], flow: dict[str, Any] | None = None) -> float | None:
    """A metric of a run, or of one of its flows."""
    metric = METRICS[name]
    if flow is None:
        assert isinstance(metric, RunMetric)
        return metric.of(run)
    assert isinstance(metric, FlowMetric)
    return metric.of(run, flow)


ELSEWHERE = {
    "over_baseline", "share_of_bound", "queue_rtt_correlation", "reaction_s", "flows_in_reach",
    *OBSERVATIONS,
    *(metric.name for metric in applications.METRICS),
}  # fmt: skip
"""Metrics that have tests of their own."""


def test_every_metric_is_worked_out_below() -> None:
    assert {*METRICS} == {*OF_THE_FLOW} | {*OF_THE_RUN} | ELSEWHERE


@pytest.mark.parametrize(("name", "expected"), OF_THE_FLOW.items())
def test_a_metric_of_a_flow_is_what_its_definition_says(name: str, expected: float) -> None:
    assert METRICS[name].level == "flow"
    if name in OF_THE_GRID:
        assert value(name, GRID, GRID["flows"][0]) == pytest.approx(expected)
        assert value(name, RUN, TCP) is None
    else:
        assert value(name, RUN, TCP) == pytest.approx(expected)


@pytest.mark.parametrize(("name", "expected"), OF_THE_RUN.items())
def test_a_metric_of_a_run_is_what_its_definition_says(name: str, expected: float) -> None:
    assert METRICS[name].level == "run"
    assert value(name, RUN) == pytest.approx(expected)


def test_the_names_as_a_type_are_those_of_the_tables() -> None:
    assert metric_names.FILE.read_text("utf-8") == metric_names.text(), "make schema"


def test_two_metrics_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two metrics are called jain"):
        by_name([METRICS["jain"]], [METRICS["collisions"], METRICS["jain"]])


def test_what_was_not_delivered_has_no_delay_and_no_path() -> None:
    starved = TCP | {
        "goodput_bps": 0.0,
        "delivered_segments": 0,
        "delivered_bytes": 0,
        "arrived_segments": 0,
        "mean_delay_s": None,
        "mean_hops": None,
        "least_observed_hops": None,
    }
    lost_none = {"flows": [{"paths_lost": 0, "life_total_s": 0.0}]}
    data = {"transmitted_packets": 0, "dropped_packets": 0}
    run = RUN | {"flows": [starved], "data": data}
    assert value("stretch", run, starved) is None
    assert value("least_observed_hops", run, starved) is None
    assert value("packet_delay_s", run) is None
    assert value("path_length", run) is None
    assert value("routing_overhead", run) is None
    assert value("dropping_ratio", run) is None
    assert value("path_life_s", run | {"schemes": {"multipath-aodv": lost_none}}, starved) is None


def test_what_a_scheme_does_not_count_is_missing() -> None:
    plain = {key: RUN[key] for key in RUN if key not in ("bottleneck", "links")} | {"schemes": {}}
    for name in (
        "two_paths_share",
        "replacements",
        "alternate_stretch",
        "bottleneck_throughput_bps",
        "interfering_pairs",
        "shortest_choices",
        "weight_error",
        "congested_spell_s",
    ):
        assert value(name, plain) is None
    assert value("path_life_s", plain, TCP) is None
    assert value("path_failures", plain, TCP) == TCP["route_errors"]
    assert value("late_requests", plain) == 0.0
    assert value("straight_share", plain, TCP) is None


def test_a_pair_out_of_reach_has_no_stretch() -> None:
    assert value("stretch", RUN, TCP | {"shortest_hops": None}) is None


RELAY = [name for name in METRICS if name.startswith("relay_")]


def test_every_metric_can_be_had_of_a_real_run() -> None:
    flows = [{"kind": "ftp", "source": 0, "destination": 3, "start_s": 0, "stop_s": 20}]
    chain = {"kind": "chain", "hops": 3, "spacing_m": 200}
    scenario = {"duration_s": 20, "topology": chain, "flows": flows}
    run = multihop.run(
        scenario, scheme="ap", record=multihop.Recording(links=True, paths=True, frames=True)
    ).json
    (flow,) = run["flows"]
    found = {
        name: value(name, run, flow if metric.level == "flow" else None)
        for name, metric in METRICS.items()
        if name not in ("over_baseline", "share_of_bound")
    }
    assert {name for name in found if found[name] is None} <= {
        "two_paths_share", "no_path_share", "replacements", "path_life_s", "weight_error",
        "endpoint_in_congestion", "shortest_choices", "lightest_choices", "chosen_bottleneck",
        "bottleneck_spread", "congested_spell_s", "alternate_stretch", "longest_life_s",
        "shortest_life_s", "coupled_share", "rediscovered_shortest",
        "mean_cwnd_segments", "longest_queue", "sources_share", "queue_rtt_correlation",
        "reaction_s", *OF_THE_GRID, *RELAY, *OBSERVATIONS,
        *(metric.name for metric in applications.METRICS),
    }  # fmt: skip
    assert found["throughput_bps"] >= found["goodput_bps"] > 0
    assert found["mean_mac_delay_s"] <= found["mean_delay_s"]
    # What has neither arrived nor been dropped is on its way. A packet can do both: the MAC gives
    # up one that arrived if the ACKs are lost.
    on_the_way = flow["sent_segments"] - flow["arrived_segments"] - run["data"]["dropped_packets"]
    assert -5 <= on_the_way <= flow["sent_segments"] * 0.1
    assert 0 <= found["dropping_ratio"] < 0.2


def test_a_chain_without_losses_drops_nothing() -> None:
    flows = [{"kind": "ftp", "source": 0, "destination": 1, "start_s": 0, "stop_s": 5}]
    chain = {"kind": "chain", "hops": 1, "spacing_m": 200}
    run = multihop.run({"duration_s": 5, "topology": chain, "flows": flows}, scheme="static").json
    assert run["data"]["transmitted_packets"] > 100
    assert value("dropping_ratio", run) == 0.0
    assert value("path_length", run) == 1.0
    (flow,) = run["flows"]
    assert value("throughput_bps", run, flow) == value("goodput_bps", run, flow)


def test_round_trips_go_with_the_data_in_the_queues_on_the_way() -> None:
    def correlation(*round_trips_s: float) -> float | None:
        flows = [
            TCP | {"id": i, "mean_rtt_s": rtt_s, "mean_hops": 2.0}
            for i, rtt_s in enumerate(round_trips_s)
        ]
        # Flow i finds 6 packets at node 0 and 2 at node 1, in shares that change with i.
        links = [
            {"flow": i, "from": node, "packets": packets}
            for i in range(len(flows))
            for node, packets in ((0, 10 * i), (1, 30 - 10 * i))
        ]
        run = RUN | {"flows": flows, "links": links}
        return value("queue_rtt_correlation", run)

    assert correlation(0.1, 0.2, 0.3) == pytest.approx(1.0)
    assert correlation(0.3, 0.2, 0.1) == pytest.approx(-1.0)
    assert correlation(0.2, 0.2, 0.2) is None
    assert correlation(0.1, 0.2) is None


def test_queues_that_were_not_recorded_have_no_metric() -> None:
    run = {key: value for key, value in RUN.items() if key not in ("queues", "fullest_relay")}
    for name in ("longest_queue", "relay_data", "sources_share", "queue_rtt_correlation"):
        assert value(name, run) is None
