"""Every metric on a run small enough to work out by hand."""

from typing import Any

import pytest

from multihop.study.metrics import METRICS

TCP: dict[str, Any] = {
    "kind": "ftp",
    "goodput_bps": 300.0,
    "acked_segments": 29,
    "delivered_segments": 30,
    "delivered_bytes": 3000,
    "mean_delay_s": 0.2,
    "mean_hops": 4.5,
    "shortest_hops": 3,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
    "sent_segments": 40,
    "mean_rtt_s": 0.4,
    "mean_cwnd_segments": 6.5,
    "longest_stall_s": 7.0,
    "id": 0,
    "source": 0,
    "destination": 2,
}
CBR: dict[str, Any] = TCP | {
    "kind": "cbr",
    "goodput_bps": 100.0,
    "delivered_segments": 10,
    "delivered_bytes": 1000,
    "mean_delay_s": 0.6,
    "mean_hops": 2.5,
    "shortest_hops": 2,
    "sent_segments": 10,
    "id": 1,
    "source": 3,
    "destination": 4,
}


def queue(node: int, data: float, longest: int, *, is_source: bool) -> dict[str, Any]:
    """What one interface queue held."""
    return {
        "node": node,
        "is_source": is_source,
        "mean_data": data,
        "mean_routing": 0.3,
        "max_packets": longest,
        "max_data": longest - 1,
        "routing_share": 0.2,
        "nearly_full_share": 0.1,
        "growth_with_routing_per_s": 4.0,
        "growth_without_routing_per_s": -1.0,
    }


RUN: dict[str, Any] = {
    "scenario": {"duration_s": 20.0, "radio": {"sense_range_m": 550.0}},
    "positions_m": [[0, 0], [200, 0], [400, 0], [800, 0], [1200, 0]],
    "queues": [
        queue(0, 6.0, 9, is_source=True),
        queue(1, 2.0, 5, is_source=False),
        queue(2, 0.0, 1, is_source=False),
    ],
    "fullest_relay": 1,
    "flows": [TCP, CBR],
    "mac": {"backoffs": 700, "collisions": 13},
    "routing": {
        "bytes_sent": 1000,
        "packets_sent": 25,
        "discoveries": 4,
        "link_failures": 6,
        "false_link_failures": 4,
        "stranded_packets": 9,
    },
    "queue": {"mean_packets": 0.4, "drops": 2},
}

OF_THE_FLOW = {
    "goodput_bps": 300.0,
    "acked_segments": 29,
    "delivered_segments": 30,
    "mean_delay_s": 0.2,
    "mean_hops": 4.5,
    "stretch": 1.5,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
    "whole_hops": 4.0,
    "mean_rtt_s": 0.4,
    "mean_cwnd_segments": 6.5,
    "longest_stall_s": 7.0,
    # Node 3 is 400 m from node 2; node 4 is too far from both ends.
    "contenders": 1.0,
}
OF_THE_RUN = {
    "total_goodput_bps": 400.0,
    "tcp_goodput_bps": 300.0,
    "udp_goodput_bps": 100.0,
    "jain": 400.0**2 / (2 * (300.0**2 + 100.0**2)),
    "packet_delay_s": (30 * 0.2 + 10 * 0.6) / 40,
    "path_length": (30 * 4.5 + 10 * 2.5) / 40,
    "backoffs_per_node_s": 700 / (5 * 20),
    "routing_overhead": 1000 / 4000,
    "routing_packets": 25,
    "routing_bytes": 1000,
    "discoveries_per_s": 0.2,
    "link_failures": 6,
    "collisions": 13,
    "queue_packets": 0.4,
    "queue_drops": 2,
    "longest_queue": 9,
    "relay_data": 2.0,
    "relay_routing": 0.3,
    "relay_max_data": 4,
    "relay_routing_share": 0.2,
    "relay_nearly_full_share": 0.1,
    "relay_growth_with_routing": 4.0,
    "relay_growth_without_routing": -1.0,
    "sources_share": 0.75,
    "stranded_packets": 1.5,
    "false_link_failures": 4,
    "best_over_worst": 3.0,
}


@pytest.mark.parametrize(("name", "value"), (OF_THE_FLOW | OF_THE_RUN).items())
def test_a_metric_is_what_its_definition_says(name: str, value: float) -> None:
    metric = METRICS[name]
    assert metric.level == ("flow" if name in OF_THE_FLOW else "run")
    assert metric.of(RUN, TCP if name in OF_THE_FLOW else RUN) == pytest.approx(value)


def test_what_was_not_delivered_has_no_delay_and_no_path() -> None:
    starved = TCP | {
        "goodput_bps": 0.0,
        "delivered_segments": 0,
        "delivered_bytes": 0,
        "mean_delay_s": None,
        "mean_hops": None,
    }
    run = RUN | {"flows": [starved]}
    assert METRICS["stretch"].of(run, starved) is None
    assert METRICS["packet_delay_s"].of(run, run) is None
    assert METRICS["path_length"].of(run, run) is None
    assert METRICS["routing_overhead"].of(run, run) is None


def test_a_pair_out_of_reach_has_no_stretch() -> None:
    assert METRICS["stretch"].of(RUN, TCP | {"shortest_hops": None}) is None


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
        return METRICS["queue_rtt_correlation"].of(run, run)

    assert correlation(0.1, 0.2, 0.3) == pytest.approx(1.0)
    assert correlation(0.3, 0.2, 0.1) == pytest.approx(-1.0)
    assert correlation(0.2, 0.2, 0.2) is None
    assert correlation(0.1, 0.2) is None


def test_queues_that_were_not_recorded_have_no_metric() -> None:
    run = {key: value for key, value in RUN.items() if key not in ("queues", "fullest_relay")}
    for name in ("longest_queue", "relay_data", "sources_share", "queue_rtt_correlation"):
        assert METRICS[name].of(run, run) is None
