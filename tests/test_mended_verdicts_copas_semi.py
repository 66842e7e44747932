"""Verdicts of COPAS and semi-TCP on results that a laxer rule would have accepted."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from multihop.metrics.reaction import reactions_s

import multihop
from multihop.metrics import METRICS
from multihop.metrics.registry import RunMetric
from multihop.reproduction import Verdict, judge, load, reproduce
from multihop.reproduction.ledger import Claim
from multihop.reproduction.ownership import StudyOwner, TestOwner, faults, owners
from multihop.study import Study
from tests.made_results import OneLevel, rows


def ledger(name: str) -> Claim:
    return next(claim for claim in load().claim if claim.id == name)


def owner(name: str) -> StudyOwner:
    found = owners()[name]
    assert isinstance(found, StudyOwner), name
    return found


def verdict(name: str, results: Sequence[Any] | Mapping[str, Any], **old: Any) -> Verdict:
    """By the claim's owner, or by one with the keys of the `old` rule."""
    chosen = owner(name).model_copy(update=old)
    parts = results if isinstance(results, Mapping) else dict.fromkeys(chosen.studies, results)
    return judge(ledger(name), chosen, {study: OneLevel(part) for study, part in parts.items()})


def made(expect: Mapping[str, Any], found: Sequence[Any], **keys: Any) -> Verdict:
    """The verdict on a claim made by hand."""
    claim = ledger("copas-low-overhead").model_copy(update={"compare": ["new", "old"]})
    claim = Claim.model_validate(claim.model_dump() | {"expect": dict(expect)})
    chosen = StudyOwner.model_validate({"study": "a", "metric": "goodput_bps", **keys})
    return judge(claim, chosen, {"a": OneLevel(found)})


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"times": 1.2}, "times is for a direction"),
        ({"exceeds": 1.0}, "exceeds is for a direction"),
        ({"within": {"b": "network == 1"}}, "b is none of its studies"),
        ({"within": {"a": "hopps == 1"}}, "hopps"),
        ({"about": 0.1}, None),
    ],
)
def test_keys_of_an_owner_fit_the_expectation(keys: dict[str, Any], fault: str | None) -> None:
    chosen = StudyOwner.model_validate({"study": "a", "metric": "goodput_bps", **keys})
    found = faults("copas-fig3a-mean-90", chosen, ["n_flows", "nodes"])
    assert (found == []) if fault is None else (len(found) == 1 and fault in found[0]), found


def test_about_needs_a_number_of_the_paper() -> None:
    chosen = StudyOwner(study="a", metric="goodput_bps", about=0.1)
    assert any(
        "about needs a value" in fault for fault in faults("copas-fig4-one-flow", chosen, [])
    )


def test_a_smaller_loss_is_no_larger_gain() -> None:
    expect = {"kind": "direction", "higher_at": "n_flows == 1", "lower_at": "n_flows == 2"}

    def found(here: float, there: float) -> str:
        both = rows("goodput_bps", {"new": here, "old": 1.0}, n_flows=1)
        both += rows("goodput_bps", {"new": there, "old": 1.0}, n_flows=2)
        return made(expect, both, relative_to="old", exceeds=1.0).verdict

    assert found(1.4, 1.2) == "reproduced"
    assert found(0.9, 0.8) == "differs"
    assert found(1.2, 1.4) == "differs"


def test_much_more_is_a_factor_and_the_interval_must_reach_it() -> None:
    expect = {"kind": "direction", "higher": ["new"], "lower": ["old"]}

    def found(mean: float) -> tuple[str, str]:
        result = made(expect, rows("goodput_bps", {"new": mean, "old": 1.0}), times=1.2)
        return result.verdict, result.grade

    assert found(1.5) == ("reproduced", "exact")
    assert found(1.2)[0] == "inconclusive"
    assert found(1.07) == ("differs", "sign holds")
    assert found(0.9) == ("differs", "sign differs")


def test_an_order_may_ask_for_a_factor() -> None:
    expect = {"kind": "order", "high_to_low": ["new", "old"]}
    close = rows("goodput_bps", {"new": 1.1, "old": 1.0})
    assert made(expect, close).verdict == "reproduced"
    assert made(expect, close, times=1.2).verdict == "differs"


def test_about_a_number_is_narrower_than_a_range_around_it() -> None:
    expect = {"kind": "ratio", "lo": 2.0, "hi": 3.0, "value": 2.6}
    far = rows("goodput_bps", {"new": 2.05, "old": 1.0}, noise=0.001)
    assert made(expect, far).verdict == "reproduced"
    assert made(expect, far, about=0.1).verdict == "differs"
    near = rows("goodput_bps", {"new": 2.5, "old": 1.0}, noise=0.001)
    assert made(expect, near, about=0.1).verdict == "reproduced"
    value = {"kind": "value", "lo": 0.1, "hi": 9.0, "value": 2.6, "unit": "1"}
    for mean, word in ((2.5, "reproduced"), (2.05, "differs")):
        both = rows("goodput_bps", {"new": mean, "old": mean}, noise=0.001)
        assert made(value, both, about=0.1).verdict == word


def test_a_geometric_mean_of_ratios_is_not_carried_by_one() -> None:
    found = [
        row
        for n, gain in ((1, 0.5), (2, 0.5), (3, 4.0))
        for row in rows("goodput_bps", {"new": gain, "old": 1.0}, noise=0.001, n_flows=n)
    ]
    expect = {"kind": "ratio", "lo": 1.1}
    assert made(expect, found, reduce="mean over n_flows").verdict == "reproduced"
    geometric = made(expect, found, reduce="geometric mean over n_flows")
    assert (geometric.verdict, geometric.measured) == ("differs", pytest.approx(1.0, rel=0.01))


def test_fewer_unanswered_rts_support_separate_paths() -> None:
    found = rows("rts_success", {"copas-no-replacement": 0.8, "dsr": 0.7}, nodes=50)
    found = [row | {"rts_unanswered": 1 - row["rts_success"]} for row in found]
    name = "copas-disjoint-helps"
    assert verdict(name, found, metric="rts_success").verdict == "differs"
    assert verdict(name, found).verdict == "reproduced"


def test_what_lies_below_dsr_on_200_networks_is_no_higher_throughput() -> None:
    found = [
        row
        for n_flows in (1, 5, 15)
        for row in rows("total_goodput_bps", {"copas": 1.05, "dsr": 1.0}, n_flows=n_flows)
    ]
    old = {"study": "copas/disjoint-paths", "times": None}
    assert verdict("copas-fig3a-higher", found, **old).verdict == "reproduced"
    assert verdict("copas-fig3a-higher", found).verdict == "differs"
    for name in ("copas-fig3a-higher", "copas-fig4-one-flow"):
        assert owner(name).studies == ["copas/many-networks"]


def test_without_a_gain_there_is_no_smaller_one_with_100_nodes() -> None:
    found = [
        row
        for nodes, mean in ((50, 0.97), (100, 0.88))
        for n in (1, 15)
        for row in rows("total_goodput_bps", {"copas": mean, "dsr": 1.0}, nodes=nodes, n_flows=n)
    ]
    name = "copas-fig3b-smaller-gain"
    assert verdict(name, found, exceeds=None).verdict == "reproduced"
    assert verdict(name, found).verdict == "differs"


def test_many_more_replies_are_not_seven_in_a_hundred_more() -> None:
    found = rows("replies_per_discovery", {"dsr": 10.7}, cached_replies="on")
    found += rows("replies_per_discovery", {"dsr": 10.0}, cached_replies="off")
    name = "copas-cached-replies-more"
    assert verdict(name, found, times=None).verdict == "reproduced"
    assert (verdict(name, found).verdict, verdict(name, found).grade) == ("differs", "sign holds")


def test_that_dsr_answers_every_copy_is_shown_by_a_discovery() -> None:
    found = owners()["copas-dsr-replies-all"]
    assert isinstance(found, TestOwner)
    assert any("discovery.rs::" in test for test in found.tests)


def test_silence_without_a_route_is_not_taken_for_capture() -> None:
    found = rows("starved_with_route_s", {"dsr": 10.0}, speed=0)
    found += rows("starved_with_route_s", {"dsr": 6.0}, speed=20)
    name = "copas-static-worst"
    assert verdict(name, found, times=None).verdict == "reproduced"
    # Six tenths are left: capture has not mostly vanished.
    assert verdict(name, found).verdict == "differs"


@pytest.mark.parametrize("spacing_m", [140, 200])
@pytest.mark.parametrize(("scheme", "relays"), [("one-path", 4), ("two-paths", 8)])
def test_the_ring_has_one_path_or_two_that_share_no_relay(
    spacing_m: int, scheme: str, relays: int
) -> None:
    cells = Study.read(reproduce.study_file("copas/ring")).cells("quick")
    point = ("spacing_m", spacing_m)
    cell = next(cell for cell in cells if cell.scheme == scheme and point in cell.point)
    frames = multihop.run(json.loads(cell.text) | {"duration_s": 5}, frames=True).json["frames"]
    kinds = ("tcp-data", "tcp-ack")
    senders = {
        kind: {frame["transmitter"] for frame in frames if frame["packet"] == kind}
        for kind in kinds
    }
    data, acks = (senders[kind] - senders[other] for kind, other in (kinds, kinds[::-1]))
    passed = senders["tcp-data"] | senders["tcp-ack"]
    assert len(passed) == relays + 2
    assert (len(data), len(acks)) == ((1, 1) if relays == 4 else (5, 5))


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


def test_the_reaction_is_measured_and_not_taken_from_a_rule() -> None:
    quick = rows("reaction_s", {"semi-tcp": 2e-3, "tcp-ap": 5e-3}, n=4)
    assert verdict("semitcp-hop-reaction", quick).verdict == "reproduced"
    slow = rows("reaction_s", {"semi-tcp": 5e-3, "tcp-ap": 2e-3}, n=4)
    assert verdict("semitcp-hop-reaction", slow).verdict == "differs"


def throughput(means: Mapping[str, float], **axes: Any) -> list[Any]:
    """Results in which all that arrives is in order."""
    found = rows("throughput_bps", means, 0.002, **axes)
    return [row | {"goodput_bps": row["throughput_bps"]} for row in found]


def test_about_2_6_is_not_1_97() -> None:
    found = [
        row
        for n_tcp, gain in ((1, 1.2), (25, 1.97))
        for row in throughput({"semi-tcp": gain, "tcp-ap": 1.0}, n_tcp=n_tcp, sender="as-read")
    ]
    name = "semitcp-fig12a-2.6"
    assert verdict(name, found, about=None).verdict == "reproduced"
    assert (verdict(name, found).verdict, verdict(name, found).grade) == ("differs", "sign holds")


def test_claims_on_the_number_of_flows_are_about_the_sender_of_the_paper() -> None:
    found = [
        row
        for sender, gain in (("as-read", 1.5), ("window-40", 3.7))
        for row in throughput({"semi-tcp": gain, "tcp-ap": 1.0}, n_tcp=25, sender=sender)
    ]
    name = "semitcp-fig12a-2.6"
    assert verdict(name, found, at=None).verdict == "reproduced"
    assert verdict(name, found).verdict == "differs"


def test_the_overall_gain_is_geometric_and_has_the_mobile_scenario_in_it() -> None:
    name = "semitcp-significant-gain"
    gains = dict.fromkeys(owner(name).studies, 1.4) | {"semi-tcp/tcp-flows": 0.7}
    gains |= {"semi-tcp/path-length-cross": 1.0}
    found = {
        study: throughput({"semi-tcp": gain, "tcp-ap": 1.0}, n=4, sender="as-read")
        for study, gain in gains.items()
    }
    found["semi-tcp/tcp-flows"] += throughput({"semi-tcp": 9.0, "tcp-ap": 1.0}, n=4, sender="holes")
    limits = [("S1", 9, 0.6), ("S1", 20, 9.0), ("chain", 9, 9.0)]
    found["semi-tcp/retry-limit"] = [
        row
        for topology, ssrl, gain in limits
        for row in throughput({"semi-tcp": gain, "tcp-ap": 1.0}, topology=topology, ssrl=ssrl)
    ]
    new = verdict(name, found)
    geometric = (1.4 * 1.4 * 1.0 * 0.6 * 0.7) ** (1 / 5)
    assert (new.verdict, new.measured) == ("differs", pytest.approx(geometric, rel=0.01))
    four = [study for study in owner(name).studies if study != "semi-tcp/retry-limit"]
    within = {"semi-tcp/tcp-flows": "sender == as-read"}
    old = {"study": four, "within": within, "reduce": "mean over study"}
    assert verdict(name, found, **old).verdict == "reproduced"


def test_the_gain_among_moving_nodes_does_not_rest_on_what_hardly_arrives() -> None:
    means = {"S1": (300.0, 200.0), "S2-short": (280.0, 200.0), "S2": (2.0, 0.95)}
    found = [
        row
        for topology, (semi, ap) in means.items()
        for ssrl in (4, 9)
        for row in throughput({"semi-tcp": semi, "tcp-ap": ap}, topology=topology, ssrl=ssrl)
    ]
    name = "semitcp-fig7c-gain-120"
    old = "topology != chain and topology != parallel and topology != S2-short"
    assert verdict(name, found, at=old).verdict == "reproduced"
    assert verdict(name, found).verdict == "differs"


def test_repairs_are_shown_with_several_segments_lost() -> None:
    found = owners()["semitcp-rto-retransmit"]
    assert isinstance(found, TestOwner)
    assert any("every_lost_segment" in test for test in found.tests)


@pytest.mark.parametrize("study", ["semi-tcp/tcp-flows", "semi-tcp/rules"])
def test_senders_differ_in_how_they_repair_and_only_semi_tcp_has_them(study: str) -> None:
    keys = ("repair", "answer_every", "max_unacknowledged_segments")
    senders = set()
    for cell in Study.read(reproduce.study_file(study)).cells("quick"):
        sender = dict(cell.point)["sender"]
        assert cell.scheme == "semi-tcp" or sender == "as-read"
        if cell.scheme == "semi-tcp":
            semi = json.loads(cell.text)["transport"]["semi"]
            senders.add((sender, *(semi[key] for key in keys)))
    assert len(senders) == 6
    assert {sender for sender, *_ in senders} >= {"timeout", "partial", "holes", "window-40"}
    assert ("holes", "timeout", 8) in {found[:3] for found in senders}
    assert ("window-40", "timeout", 0, 40) in senders
