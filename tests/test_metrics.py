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
    "unique_bps": 320.0,
    "mean_delay_s": 0.2,
    "mean_mac_delay_s": 0.1,
    "mean_hops": 4.5,
    "shortest_hops": 3,
    "acks_sent": 28,
    "fast_retransmits": 4,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
    "sent_segments": 40,
}
CBR: dict[str, Any] = TCP | {
    "kind": "cbr",
    "goodput_bps": 100.0,
    "unique_bps": 100.0,
    "delivered_segments": 10,
    "delivered_bytes": 1000,
    "mean_delay_s": 0.6,
    "mean_mac_delay_s": 0.3,
    "mean_hops": 2.5,
    "shortest_hops": 2,
    "sent_segments": 10,
}
RUN: dict[str, Any] = {
    "scenario": {"duration_s": 20.0},
    "positions_m": [[0, 0]] * 5,
    "flows": [TCP, CBR],
    "mac": {
        "backoffs": 700,
        "collisions": 13,
        "rts_sent": 90,
        "data_sent": 80,
        "ack_sent": 60,
        "admission": {"congestions": 4, "congested_s": 6.0},
    },
    "data": {"dropping_ratio": 0.02},
    "bottleneck": {"node": 2, "sending_share": 0.3, "effective_throughput_bps": 350.0},
    "links": [
        {"flow": 0, "from": 2, "to": 3, "packets": 30},
        {"flow": 1, "from": 2, "to": 4, "packets": 9},
        {"flow": 1, "from": 4, "to": 1, "packets": 9},
    ],
    "routing": {
        "bytes_sent": 1000,
        "packets_sent": 25,
        "discoveries": 4,
        "link_failures": 6,
    },
    "queue": {"mean_packets": 0.4, "drops": 2},
}

OF_THE_FLOW = {
    "goodput_bps": 300.0,
    "acked_segments": 29,
    "delivered_segments": 30,
    "unique_bps": 320.0,
    "mean_delay_s": 0.2,
    "mean_mac_delay_s": 0.1,
    "mean_hops": 4.5,
    "window_cuts": 6,
    "acks_sent": 28,
    "stretch": 1.5,
    "timeouts": 2,
    "retransmits": 5,
    "freezes": 1,
    "suspended_s": 0.5,
    "route_errors": 3,
}
OF_THE_RUN = {
    "total_goodput_bps": 400.0,
    "total_unique_bps": 420.0,
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
    "dropping_ratio": 0.02,
    "mac_delay_s": (30 * 0.1 + 10 * 0.3) / 40,
    "rts_per_frame": 1.5,
    "frames_per_s": 4.0,
    "busiest_relay_bps": 350.0,
    "busiest_relay_share": 0.3,
    "busiest_relay_flows": 2,
    "congested_spell_s": 1.5,
    "collisions": 13,
    "queue_packets": 0.4,
    "queue_drops": 2,
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
