"""What is worked out of the record of events: of hand-made records, and of a study's runs."""

from typing import Any, cast

import polars as pl
import pytest

import multihop
from multihop import engine
from multihop.metrics import METRICS, RunMetric
from multihop.observed import (
    OBSERVATIONS,
    access,
    bursts,
    growth,
    medium,
    observe,
    paths,
    starvation,
)
from multihop.result_types import RunResult
from multihop.study import Study, StudyError
from tests.conftest import CHAIN
from tests.test_study import SCENARIO

COLUMNS = [column.name for column in engine.event_columns()]
SECOND = 1_000_000_000


def record(*rows: dict[str, Any]) -> pl.DataFrame:
    """A record of these events; what a row leaves out is null."""
    return pl.DataFrame([{name: row.get(name) for name in COLUMNS} for row in rows],
                        infer_schema_length=None)  # fmt: skip


def run(**tables: Any) -> RunResult:
    return cast("RunResult", tables)


def held(node: int, content: str, *times: tuple[str, float], packet: int = 1) -> list[Any]:
    """What a node's MAC did with a packet from node 0, and when [s]."""
    return [
        {"time_ns": int(at * SECOND), "event": event, "node": node, "packet": packet,
         "content": content, "origin": 0, "kind": "data" if event == "transmit" else None}
        for event, at in times
    ]  # fmt: skip


def test_a_packet_waits_until_it_is_last_sent_or_given_up() -> None:
    events = record(
        *held(1, "tcp-data", ("serve", 1), ("transmit", 1.25), ("transmit", 1.5)),
        *held(1, "tcp-data", ("serve", 3), ("give-up", 5)),
        *held(2, "tcp-ack", ("serve", 1), ("transmit", 1.125)),
        *held(2, "tcp-ack", ("serve", 9), packet=2),  # the run ends
        *held(0, "tcp-data", ("serve", 1), ("transmit", 9)),  # its source
        *held(1, "rreq", ("serve", 1), ("transmit", 9), packet=3),
    )
    found = access.access_delays(events).sort("node", "turn")
    assert found["delay_s"].to_list() == [0.5, 2, 0.125]
    assert observe(["data_access_delay_s", "ack_access_delay_s"], events, run()) == {
        "data_access_delay_s": 1.25,
        "ack_access_delay_s": 0.125,
    }


def sent(at: float, node: int, origin: int, kind: str = "data", packet: int = 0) -> dict[str, Any]:
    """A frame of a tenth of a second."""
    content = "tcp-data" if kind == "data" else None
    return {"time_ns": round(at * SECOND), "event": "transmit", "node": node, "kind": kind,
            "airtime_ns": SECOND // 10, "content": content, "origin": origin,
            "packet": packet}  # fmt: skip


def standing(**tables: Any) -> RunResult:
    """Ten seconds of nodes in a row; those two places apart are out of sensing range."""
    flow = {"source": 0, "destination": 2, "start_s": 1, "stop_s": 11}
    places = [[200.0 * node, 0.0] for node in range(5)]
    return run(**placed(places, 250), flows=[flow], **tables)


def placed(places_m: list[list[float]], sense_m: float) -> dict[str, Any]:
    """Of a run of 11 s of nodes that stand: where, and how far away they are sensed."""
    scenario = {
        "duration_s": 11,
        "topology": {"kind": "positions", "positions_m": places_m},
        "radio": {"receive_range_m": 250, "sense_range_m": sense_m},
        "flows": [{"kind": "ftp", "source": 0, "destination": 1}],
    }
    tables = dict(multihop.Scenario(scenario))
    return {"scenario": tables, "positions_m": places_m, "seed": 1}


def test_a_node_senses_frames_in_reach_once_however_many_overlap() -> None:
    events = record(
        sent(0.5, 0, 0),  # before the flow
        sent(2, 0, 0, packet=1), sent(2.05, 2, 2, "ack"), sent(3, 1, 0, packet=1),
        sent(4, 1, 0, packet=1), sent(5, 1, 0, packet=2), sent(6, 3, 2),
    )  # fmt: skip
    found = medium.shares(events, standing())
    assert found is not None
    # Node 1 hears 0 and 2, which overlap by half; nobody hears its own.
    assert found.busy == pytest.approx([0.03, 0.015, 0.04, 0.01, 0.01])
    assert found.relayed.tolist() == [0, 2, 0, 1, 0]
    alone = observe(["bystander_busy_share"], events, standing())["bystander_busy_share"]
    assert alone == pytest.approx(0.01)


def test_where_nodes_move_nobody_knows_who_senses_what() -> None:
    moving = standing()
    moving["scenario"]["mobility"] = {"kind": "random-waypoint"}
    assert observe(["load_busy_correlation"], record(sent(2, 0, 0)), moving) == {
        "load_busy_correlation": None
    }


def test_timeouts_are_told_apart_by_what_another_flow_sends() -> None:
    def send(flow: int, *seconds: int) -> list[dict[str, Any]]:
        return [
            {"time_ns": second * SECOND + 1, "event": "send", "content": "tcp-data", "flow": flow}
            for second in seconds
        ]

    def timeout(flow: int, *seconds: int) -> list[dict[str, Any]]:
        return [
            {"time_ns": second * SECOND + 2, "event": "tcp", "detail": "timeout", "flow": flow}
            for second in seconds
        ]

    flows = [{"start_s": 0, "stop_s": 4}, {"start_s": 0, "stop_s": 4}]
    made = run(scenario={"duration_s": 4}, flows=flows)
    # Flow 0 bursts in second 1, in which flow 1 has two of its three timeouts; flow 1 is steady.
    events = record(*send(0, 0, 1, 1, 1), *send(1, 0, 1, 2, 3), *timeout(1, 1, 1, 3))
    assert bursts.rates(events, made) == (2 / 1, 1 / 7)


def test_round_trips_belong_to_the_path_of_their_segment() -> None:
    def segment(number: int, at: float, first_hop: int) -> list[dict[str, Any]]:
        common = {"content": "tcp-data", "flow": 0, "number": number, "node": 0, "origin": 0,
                  "time_ns": int(at * SECOND)}  # fmt: skip
        return [{**common, "event": "send"}, {**common, "event": "route", "peer": first_hop}]

    def answer(number: int, at: float) -> dict[str, Any]:
        return {"event": "deliver", "content": "tcp-ack", "flow": 0, "number": number,
                "time_ns": int(at * SECOND), "node": 0}  # fmt: skip

    events = record(
        *segment(1, 1, 4), answer(1, 1.5),
        *segment(2, 2, 5), *segment(3, 2.25, 4), answer(3, 3),
        *segment(4, 4, 4), *segment(4, 5, 5), answer(4, 6),  # sent twice
        *segment(5, 7, 4),
    )  # fmt: skip
    found = paths.round_trips(events, 0)
    assert found.sort("path", "time_ns").select("path", "rtt_s").rows() == [
        (4, 0.5), (4, 0.75), (5, 1.0),
    ]  # fmt: skip


def test_paths_that_slow_each_other_correlate() -> None:
    """The slower one path, the slower the other, second by second."""
    rows = []
    for number in range(80):
        path, rtt = 4 + number % 2, 0.1 + 0.05 * ((number // 8) % 3)
        common = {"content": "tcp-data", "flow": 0, "number": number, "node": 0, "origin": 0}
        at = number * SECOND // 2
        rows += [
            {**common, "event": "send", "time_ns": at},
            {**common, "event": "route", "peer": path, "time_ns": at},
            {"event": "deliver", "content": "tcp-ack", "flow": 0, "number": number,
             "time_ns": at + int(rtt * SECOND), "node": 0},
        ]  # fmt: skip
    (together,) = paths.correlations(record(*rows), 0)
    assert together > 0.95


def at_end(node: int, event: str, at: float, **more: Any) -> dict[str, Any]:
    """What happens to flow 0, of nodes 0 and 2, at one of its ends."""
    return {"time_ns": int(at * SECOND), "node": node, "event": event, "peer": 2 - node,
            "flow": None if event in ("discovery", "route-error") else 0, "origin": node,
            **more}  # fmt: skip


def longest(*rows: dict[str, Any], stop_s: float = 100) -> float | None:
    flow = {"source": 0, "destination": 2, "start_s": 1, "stop_s": stop_s}
    return starvation.longest_s(record(*rows), run(flows=[flow]), 0)


def delivery(at: float) -> dict[str, Any]:
    return at_end(2, "deliver", at, origin=0)


def test_a_flow_starves_only_while_it_has_a_route() -> None:
    begin = [at_end(0, "discovery", 1), at_end(0, "route", 3), delivery(4)]
    # The search, from 1 to 3 s, is no starvation; the wait until the end is.
    assert longest(*begin, stop_s=10) == 6
    # A search of the source's cuts the wait in two, of 4 and 2 s.
    assert longest(*begin, at_end(0, "discovery", 8), at_end(0, "route", 18), stop_s=20) == 4
    # So does a break that it learns of, and a search of the destination's.
    assert longest(*begin, at_end(0, "route-error", 7), at_end(0, "route", 8), stop_s=13) == 5
    assert longest(*begin, at_end(2, "discovery", 9), at_end(2, "route", 10), stop_s=12) == 5
    # Another destination's route is nothing to it.
    assert longest(*begin, at_end(0, "discovery", 8, peer=5), stop_s=20) == 16
    # A delivery ends a wait, also one by an old packet while there is no route.
    assert longest(*begin, delivery(7), at_end(0, "discovery", 9), delivery(12), stop_s=40) == 3


def test_a_flow_that_never_has_a_route_does_not_starve() -> None:
    assert longest(at_end(0, "discovery", 1)) is None
    assert observe(["starved_with_route_s"], record(at_end(0, "discovery", 1)), run(
        flows=[{"source": 0, "destination": 2, "start_s": 1, "stop_s": 9}]
    )) == {"starved_with_route_s": None}  # fmt: skip


def test_a_window_opens_when_it_first_holds_eight_segments() -> None:
    def call(flow: int, at: float, cwnd: float, detail: str = "new-ack") -> dict[str, Any]:
        return {"time_ns": int(at * SECOND), "event": "tcp", "flow": flow, "cwnd": cwnd,
                "detail": detail}  # fmt: skip

    events = record(
        call(0, 1, 1, "start"), call(0, 2, 7.5), call(0, 3, 8), call(0, 4, 2), call(0, 9, 8),
        call(1, 5, 1, "start"), call(1, 9, 16), call(2, 1, 1, "start"), call(2, 90, 7),
    )  # fmt: skip
    assert growth.opening_times(events).rows() == [(0, 2.0), (1, 4.0)]
    assert observe(["window_opening_s"], events, run()) == {"window_opening_s": 3.0}


def test_what_is_observed_is_part_of_a_run_s_key() -> None:
    def key(**record: Any) -> str:
        study = Study(
            title="t", question="q", scenario=SCENARIO, schemes=["aodv"], record=record,
            scale={"full": {"networks": 1}},
        )  # fmt: skip
        (cell,) = study.cells("full")
        return cell.key(1)

    assert len({key(), key(observe=["data_access_delay_s"]), key(observe=[*OBSERVATIONS])}) == 3


def test_observations_of_a_study_are_those_of_the_run(tmp_path: Any) -> None:
    study = Study(
        title="observed", question="What?", scenario=SCENARIO, schemes=["aodv"],
        metrics=["data_access_delay_s"], record={"observe": ["data_access_delay_s"]},
        scale={"full": {"networks": 1}},
    )  # fmt: skip
    results = study.run(tmp_path)
    result = multihop.run(SCENARIO, scheme="aodv", seed=1, events=True)
    alone = observe(["data_access_delay_s"], result.events, result.json)
    assert results.runs["data_access_delay_s"].to_list() == [alone["data_access_delay_s"]]


def test_an_unknown_observation_is_named() -> None:
    with pytest.raises(StudyError, match=r"record\.observe: must be one of .* \(got 'delay'\)"):
        Study(
            title="t", question="q", scenario=SCENARIO, schemes=["aodv"],
            record={"observe": ["delay"]}, scale={"full": {"networks": 1}},
        )  # fmt: skip


def test_real_records_have_what_observations_read() -> None:
    """One flow over a chain of two hops, of which every node relays or ends it."""
    tables = {"flows.0.stop_s": 11}
    result = multihop.run(CHAIN, scheme="aodv", set=tables, events=True)
    found = observe(OBSERVATIONS, result.events, result.json)
    assert found["bystander_busy_share"] is None
    assert 0 < (found["ack_access_delay_s"] or 0) < (found["data_access_delay_s"] or 0) < 1
    assert paths.round_trips(result.events, 0)["rtt_s"].mean() == pytest.approx(
        result.flows["mean_rtt_s"][0], rel=0.05
    )


def test_flows_are_in_reach_where_any_of_their_nodes_are() -> None:
    places = [[0.0, 0.0], [200.0, 0.0], [400.0, 0.0], [900.0, 0.0], [1100.0, 0.0], [2000.0, 0.0]]
    links = [(0, 0, 1), (0, 1, 2), (1, 3, 4), (2, 5, 5)]
    made = run(
        **placed(places, 550),
        links=[{"flow": flow, "from": a, "to": b} for flow, a, b in links],
    )  # fmt: skip
    found = METRICS["flows_in_reach"]
    assert isinstance(found, RunMetric)
    # The first two flows are 500 m apart; the third is alone.
    assert found.of(made) == pytest.approx(2 / 3)
    assert found.of(run(links=[])) is None
