"""What replay, pictures and explanations tell of nodes with two radios: nodes, never stations."""

from typing import Any

import pytest

import multihop
from multihop import Recording, Result
from multihop.draw import rendered, run_figure
from multihop.explain import explain
from multihop.explain.causes import Run
from multihop.playback.page import page
from tests.test_draw import texts
from tests.test_replay import facts_of, linked


@pytest.fixture(scope="module")
def result() -> Result:
    """Hops on two channels in turn, and loads for two seconds.

    One load is on node 1's second radio, which is station 5; the other, of node 3 on the first
    channel, is no business of that radio.
    """

    def route(node: int, to: int, following: int, interface: str) -> dict[str, Any]:
        return {"node": node, "destination": to, "next_hop": following, "interface": interface}

    def cbr(source: int, rate_bps: float, **rest: float) -> dict[str, Any]:
        ends = {"kind": "cbr", "source": source, "destination": 2}
        return {**ends, "rate_bps": rate_bps, "packet_bytes": 500, **rest}

    scenario = {
        "duration_s": 8,
        "topology": {"kind": "chain", "hops": 3},
        "interfaces": [{"name": "a", "channel": 1}, {"name": "b", "channel": 6}],
        "routing": {
            "scheme": "static",
            "routes": [
                route(0, 2, 1, "a"), route(1, 2, 2, "b"), route(2, 0, 1, "b"), route(1, 0, 0, "a"),
            ],
        },
        "flows": [
            cbr(0, 8e3, start_s=0.5),
            cbr(1, 1e7, start_s=3, stop_s=5),
            cbr(3, 2e5, start_s=3, stop_s=5),
        ],
    }  # fmt: skip
    return multihop.run(scenario, events=True, record=Recording(routes_interval_s=0.5))


def test_the_page_has_nodes_and_their_links(result: Result) -> None:
    facts = facts_of(page(result))
    assert facts["ways"] == [[0, 200 * node, 0] for node in range(4)]
    assert linked(facts, 0)[0] == {(0, 1), (1, 2), (2, 3)}


def test_a_picture_has_the_nodes_of_paths(result: Result) -> None:
    told = texts(rendered(run_figure(result.json, 0.5), "svg"))
    assert {"2 hops:  0–1–2", "1 hop:  1–2", "1 hop:  3–2"} <= set(told)


def test_silences_are_told_by_nodes(result: Result) -> None:
    (flow,) = explain(result, flow=0).json["flows"]
    causes = [cause for silence in flow["silences"] for cause in silence["causes"]]
    full = [cause for cause in causes if cause["cause"] == "queue-overflow"]
    assert {seen["node"] for cause in full for seen in cause["evidence"]} == {1}
    assert all("dropped at 1" in cause["text"] for cause in full)


def test_a_radio_waits_for_frames_on_its_own_channel(result: Result) -> None:
    channel = Run(result).channel
    by_a, by_b = (
        {service.text for service in channel.services(1, interface, 3_500_000_000, 3_600_000_000)}
        for interface in (0, 1)
    )
    assert len(by_a) == 1
    assert by_a.pop().endswith("frames of others by 2 and 3")
    assert by_b == {"1 had other packets to send first"}
