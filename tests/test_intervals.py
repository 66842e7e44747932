"""Intervals and rates with which a run would not get on are refused before it begins."""

from typing import Any

import pytest

import multihop

CHAIN: dict[str, Any] = {
    "duration_s": 2,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}


@pytest.mark.parametrize(
    ("key", "value", "scheme"),
    [
        ("routing.hello_interval_s", 1e-9, "aodv"),
        ("routing.sweep_interval_s", 1e-9, "aodv"),
        ("routing.request_id_life_s", 1e-9, "aodv"),
        ("routing.probe_interval_s", 1e-9, "aodv-etx"),
        ("routing.tc_interval_s", 1e-9, "olsr"),
        ("routing.update_interval_s", 1e-9, "dsdv"),
        ("routing.trigger_spacing_s", 1e-9, "dsdv"),
        ("routing.beacon_interval_s", 1e-9, "hwmp"),
        ("routing.originator_interval_s", 1e-9, "batman"),
        ("transport.probe_interval_s", 1e-9, "aodv"),
        ("transport.rto_max_s", 1e-9, "aodv"),
        ("mac.slot_s", 1e-9, "aodv"),
        ("mac.sifs_s", 1e-9, "aodv"),
    ],
)
def test_an_interval_of_a_nanosecond_is_refused(key: str, value: float, scheme: str) -> None:
    tables = {**CHAIN, "routing": {"scheme": scheme}}
    with pytest.raises(multihop.ScenarioError) as raised:
        multihop.Scenario(tables, set={key: value})
    assert raised.value.key == key
    assert "must be " in raised.value.fault


@pytest.mark.parametrize("kind", ["cbr", "on-off"])
def test_a_rate_of_more_than_a_million_packets_a_second_is_refused(kind: str) -> None:
    flow = {"kind": kind, "source": 0, "destination": 2, "packet_bytes": 10, "rate_bps": 1e8}
    flow |= {"on_s": 1, "off_s": 1} if kind == "on-off" else {}
    with pytest.raises(multihop.ScenarioError, match=r"rate_bps: must be 1 to 80000000") as raised:
        multihop.Scenario({**CHAIN, "flows": [flow]})
    assert raised.value.key == "flows.0.rate_bps"
    assert multihop.run({**CHAIN, "flows": [{**flow, "rate_bps": 8e5}]}).flows.height == 1


def test_the_shortest_intervals_that_are_taken_let_a_run_get_on() -> None:
    shortest = {"routing.hello_interval_s": 0.001, "routing.sweep_interval_s": 0.001}
    result = multihop.run(CHAIN, set={**shortest, "routing.request_id_life_s": 0.1})
    assert result.json["engine"]["events"] > 1000
