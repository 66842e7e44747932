"""Why flows were silent: on stages whose cause is known, and what holds of any explanation."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from evidence.explain.radios import RADIOS
from evidence.explain.stages import CHOSEN_ON, STAGES, named, play

import multihop
from multihop import catalogue
from multihop.explain import CAUSES, Cause, Silence, Span
from multihop.explain.record import Record
from multihop.explain.shares import Shares
from multihop.explain.silences import Gap, find, in_order, threshold_s
from multihop.explain.smoothing import smooth
from multihop.explain.waits import Sender, of_stream
from multihop.explain.whereabouts import Ways
from multihop.places import Places
from multihop.scenario import to_toml
from tests.conftest import CHAIN, Called

NETWORK: dict[str, Any] = {
    "duration_s": 30,
    "topology": {"kind": "random", "nodes": 40, "area_m": [1200, 500], "connected": True},
    "flows": [
        {"kind": "ftp", "source": "random", "destination": "random", "count": 3,
         "min_hops": 2, "start_s": 1},
        {"kind": "cbr", "source": "random", "destination": "random", "rate_bps": 5e4,
         "packet_bytes": 500, "start_s": 2},
    ],
}  # fmt: skip


STUDY = """\
title = "Silences"
question = "Why?"
schemes = ["aodv", "dsr"]
metrics = ["goodput_bps"]

[scenario]
duration_s = 15
topology = { kind = "chain", hops = 6 }
flows = [{ kind = "ftp", source = 0, destination = 6, start_s = 1 }]

[scale.quick]
networks = 2
[scale.full]
networks = 2

[[figures]]
name = "goodput"
title = "Goodput"
x = "scheme"
y = "goodput_bps"
"""


JUDGED_FROM = 50
"""The first variation on which the radios' searches that fail are judged (docs/use/explain.md)."""


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """Two schemes on a chain that stalls."""
    file = tmp_path / "silences.toml"
    file.write_text(STUDY)
    return file


@pytest.mark.parametrize("cause", STAGES)
def test_the_largest_share_is_the_cause_that_was_staged(cause: Cause) -> None:
    silences = [play(cause, CHOSEN_ON + place) for place in range(2)]
    assert [named(silence) for silence in silences] == [cause, cause]


@pytest.mark.parametrize(
    ("cause", "radio"), [(cause, radio) for radio, stages in RADIOS.items() for cause in stages]
)
def test_the_largest_share_is_the_cause_that_was_staged_where_metres_tell_nothing(
    cause: Cause, radio: str
) -> None:
    assert named(play(cause, JUDGED_FROM, radio)) == cause


def test_every_cause_but_the_unknown_has_a_stage() -> None:
    staged = {*STAGES, *(cause for stages in RADIOS.values() for cause in stages)}
    assert staged | {"unknown"} == set(CAUSES)


def test_a_one_way_link_is_told_as_one_and_its_requests_are_counted(tmp_path: Path) -> None:
    """2 hears 0, and 0 does not hear 2: each answer of 2 goes the short way, in vain."""
    gains = "from,to,gain_db\n0,1,-80\n1,2,-80\n0,2,-90\n2,0,-130\n"
    (tmp_path / "gains.csv").write_text(gains)
    scenario = {
        "duration_s": 60,
        "profile": "ns2",
        "topology": {"kind": "positions", "positions_m": [[0, 0], [50, 50], [100, 0]]},
        "radio": {
            "reception": "sinr", "propagation": "measured", "file": str(tmp_path / "gains.csv"),
        },
        "mac": {"phy": "802.11g", "data_rate_bps": 6e6, "rts_threshold_bytes": "inf"},
        "routing": {"scheme": "aodv"},
        "flows": [{"kind": "cbr", "source": 0, "destination": 2, "start_s": 1, "stop_s": 55,
                   "packet_bytes": 500, "rate_bps": 4e4}],
    }  # fmt: skip
    result = multihop.run(scenario, events=True)
    requests = result.events.filter(
        pl.col("time_ns") < 55e9, event="transmit", content="rreq", node=0
    ).height
    (silence,) = multihop.explain(result).flows[0].silences
    (span,) = silence.spans
    assert f"0 looked for 2 in 2 searches with {requests} requests, in vain: " in span.told()
    assert "reply lost at 2, as 0 could not hear 2" in span.told()
    assert span.because == ("out-of-range",)


def test_a_frame_that_fades_is_not_told_as_out_of_reach() -> None:
    """Links that carry data are none that can't, though shadows and fades go by no distance."""
    result = multihop.run(
        catalogue.scenario_file("community-mesh"), set={"duration_s": 22}, events=True
    )
    places = Places(result)
    frames = result.events.filter(pl.col("peer").is_not_null(), event="transmit", kind="data")
    own = result.events.filter(event="receive", kind="data").join(
        frames.select("frame", addressee="peer"), on="frame"
    )
    arrived = own.filter(own["node"] == own["addressee"]).select("peer", "node", "time_ns").rows()
    assert len(arrived) > 500
    assert sum(not places.reaches(*row) for row in arrived) < 0.03 * len(arrived)
    for flow in multihop.explain(result).flows:
        for span in (span for silence in flow.silences for span in silence.spans):
            for a, b in re.findall(r"took its link to (\d+) .*though (\d+) could", span.told()):
                assert a == b
                assert f"{a} was out of range" not in span.told()
                assert f"{a} could not hear" not in span.told()


@pytest.mark.parametrize("scheme", ["aodv", "dsr", "tcp-elfn", "semi-tcp"])
def test_causes_cover_each_silence_and_few_are_unknown(scheme: str) -> None:
    found = multihop.explain(NETWORK, scheme=scheme, seed=3)
    silences = [silence for flow in found.flows for silence in flow.silences]
    assert len(silences) > 3
    for silence in silences:
        edges = [silence.from_ns, *(span.to_ns for span in silence.spans)]
        assert edges == [*(span.from_ns for span in silence.spans), silence.to_ns]
        assert all(span.length_ns > 0 for span in silence.spans)
        assert sum(silence.shares().values()) == pytest.approx(1)
    assert found.shares().get("unknown", 0) < 0.05
    assert "rto-backoff" not in found.flows[3].shares(), "datagrams have no timer"


def test_evidence_is_in_the_record() -> None:
    result = multihop.run(NETWORK, scheme="aodv", seed=3, events=True)
    frames = result.events.filter(event="transmit")
    sent = dict(zip(frames["frame"], frames.select("time_ns", "node", "peer").rows(), strict=True))
    found = multihop.explain(result)
    spans = [span for flow in found.flows for each in flow.silences for span in each.spans]
    evidence = [each for span in spans for each in span.evidence if each.frame is not None]
    assert len(evidence) > 20
    for each in evidence:
        assert each.frame is not None
        assert sent[each.frame] == (each.time_ns, each.node, each.peer)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"kind": "node-kill", "node": 2}, "2 had been killed"),
        (
            {"kind": "link-cut", "node": 1, "neighbour": 2},
            "as it had been cut",
        ),
    ],
)
@pytest.mark.parametrize("topology", ["chain", "links"])
def test_what_an_event_cut_is_not_told_as_out_of_range(
    event: dict[str, Any], told: str, topology: str
) -> None:
    back = event | {"kind": event["kind"].split("-")[0] + "-restore", "at_s": 14}
    places = {
        "chain": {"kind": "chain", "hops": 2},
        "links": {"kind": "links", "nodes": 3, "links": [[0, 1], [1, 2]], "all_sense": True},
    }
    found = multihop.explain(
        {
            "duration_s": 30,
            "topology": places[topology],
            "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
            "events": [event | {"at_s": 6}, back],
        }
    )
    (silence,) = [each for each in found.flows[0].silences if each.from_ns < 6.1e9 < each.to_ns]
    cut = [span for span in silence.spans if span.cause == "out-of-range"]
    assert (cut[0].from_ns, cut[0].to_ns) == (silence.from_ns, 14e9), "until the way is back"
    assert any(told in span.text for span in cut)


@pytest.mark.parametrize(
    ("scenario", "scheme", "seed"),
    [
        (catalogue.scenario_file("six-hops"), "aodv", 1),
        (catalogue.scenario_file("two-strings"), "aodv", 1),
        (catalogue.scenario_file("moving-50"), "tcp-elfn", 2),
        (NETWORK | {"mobility": {"kind": "random-waypoint", "speed_mps": [5, 20]}}, "dsr", 4),
        (NETWORK | {"events": [{"kind": "node-kill", "node": 3, "at_s": 9}]}, "semi-tcp", 7),
    ],
)
def test_what_shows_a_cause_was_not_later_than_the_silence(
    scenario: Any, scheme: str, seed: int
) -> None:
    found = multihop.explain(scenario, scheme=scheme, seed=seed)
    silences = [silence for flow in found.flows for silence in flow.silences]
    assert sum(len(span.evidence) for silence in silences for span in silence.spans) > 20
    for silence in silences:
        for span in silence.spans:
            assert all(each.time_ns <= silence.to_ns for each in span.evidence), span
            told = re.findall(r"(?:at|since|before|until) (\d+\.\d\d) s", span.told())
            assert all(float(at_s) <= silence.to_ns / 1e9 + 0.005 for at_s in told), span


def test_a_search_is_told_by_its_requests_and_not_by_the_datagrams_that_waited() -> None:
    """Two senders that don't sense each other; what 3 asks, broadcast, is lost where 0 is heard."""
    short = {"duration_s": 15}
    result = multihop.run(catalogue.scenario_file("hidden-pair"), set=short, events=True)
    events = result.events
    requests = events.filter(event="transmit", content="rreq", node=3).height
    drops = events.filter(event="drop", node=3).height
    assert drops > 100 * requests
    found = multihop.explain(result, flow=1).flows[0]
    (silence,) = found.silences
    (span,) = silence.spans
    assert (span.cause, span.because) == ("lost-request-or-reply", ("hidden-terminal",))
    assert f"with {requests} requests, in vain: {requests - 1} x request lost at 2" in span.told()
    assert "collided with 0 -> 1, hidden from 3" in span.told()
    assert str(drops) not in span.told()
    assert found.roots() == {"hidden-terminal": 1.0}


def test_a_flow_is_told_in_a_line_and_its_worst_silence_in_two_sentences() -> None:
    found = multihop.explain(NETWORK, scheme="aodv", seed=3)
    lines = str(found).splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert len(heads) == len(found.flows)
    for flow, head in zip(found.flows, heads, strict=True):
        if not flow.silences:
            assert head.endswith(": never silent")
            continue
        assert f"silent for {flow.silent_s:.1f} s, {len(flow.silences)} times: " in head
        worst = max(flow.silences, key=lambda silence: silence.length_ns)
        assert f"  {worst.brief}" in lines
        assert len(re.findall(r"\.( |$)", worst.brief)) <= 2
    for silence in found.flows[0].silences:
        assert silence.text in found.detail


def test_of_many_flows_the_most_silent_are_told() -> None:
    flows = [{"kind": "ftp", "source": "random", "destination": "random", "count": 12}]
    found = multihop.explain(NETWORK | {"flows": flows}, seed=3)
    lines = str(found).splitlines()
    told = [line for line in lines if line.startswith("  ")]
    assert len(told) == 5
    assert len(lines) == 12 + len(told)


def test_a_hidden_terminal_is_told_with_its_frames() -> None:
    silence = play("hidden-terminal", CHOSEN_ON)
    assert silence is not None
    main = max(silence.spans, key=lambda span: span.length_ns)
    assert "2 -> 3, hidden from 0" in main.text
    assert "2 -> 3" in main.text
    tries = [each for each in main.evidence if each.frame is not None]
    assert {(each.node, each.peer) for each in tries} == {(0, 1), (2, 3)}


def test_a_timer_that_waits_says_why_it_was_set() -> None:
    silence = play("rto-backoff", CHOSEN_ON)
    assert silence is not None
    main = max(silence.spans, key=lambda span: span.length_ns)
    assert main.because[0] == "false-link-failure"
    assert "RTO by then" in main.text
    assert "took its link to 1 for broken" in main.after


def test_a_mac_that_has_a_packet_is_not_idle() -> None:
    """Where packets are, checked by rows that explanations don't use."""
    result = multihop.run(NETWORK, scheme="dsr", seed=3, events=True)
    mac = result.events.filter(event="mac").select("node", "time_ns", "state")
    ways = Ways(Record(result), 0).sent("tcp-data", 0, 10**12)
    stays = [stay for way in ways for stay in way.stays if stay.place in ("queue", "mac")]
    busy = [stay for stay in stays if stay.to_ns - stay.from_ns > 20_000_000]
    assert len(busy) > 20
    for stay in busy:
        own = mac.filter(node=stay.node)
        until = own["time_ns"].shift(-1, fill_value=stay.to_ns).clip(stay.from_ns, stay.to_ns)
        lasting = until - own["time_ns"].clip(stay.from_ns, stay.to_ns)
        assert lasting.filter(own["state"] == "idle").sum() < 100_000


def test_segments_count_once_all_before_them_have_arrived() -> None:
    rows = pl.DataFrame(
        {"number": [0, 2, 3, 1, 1, 5], "time_ns": [10, 20, 30, 40, 50, 60]},
        schema={"number": pl.UInt32, "time_ns": pl.Int64},
    )
    assert in_order(rows, ordered=True).rows() == [(0, 10), (1, 40), (2, 40), (3, 40)]
    assert in_order(rows, ordered=False)["at_ns"].to_list() == [10, 20, 30, 40, 60]


def test_silences_are_long_gaps_of_a_flow_from_start_to_stop() -> None:
    result = multihop.run(CHAIN, events=True)
    flow = result.json["flows"][0]
    at = [flow["start_s"] + gap for gap in (0.01, 0.02, 0.03, 0.04, 2.0)]
    delivered = pl.DataFrame({"number": range(5), "at_ns": [round(each * 1e9) for each in at]})
    gaps = find(flow, delivered, round(result.scenario["duration_s"] * 1e9))
    assert [gap.awaited for gap in gaps] == [4, 5]
    assert gaps[0].from_ns == round(at[3] * 1e9)
    assert gaps[-1].to_ns == round(min(flow["stop_s"], result.scenario["duration_s"]) * 1e9)


@pytest.mark.parametrize(("gap_s", "silence_s"), [(0.001, 0.25), (0.05, 0.5), (3.0, 1.0)])
def test_a_flow_of_short_gaps_is_silent_sooner(gap_s: float, silence_s: float) -> None:
    assert threshold_s(pl.Series([gap_s] * 5).to_numpy()) == pytest.approx(silence_s)


def test_a_packet_is_somewhere_from_its_sending_to_its_end() -> None:
    result = multihop.run(NETWORK, scheme="dsr", seed=4, events=True)
    ways = Ways(Record(result), 0).sent("tcp-data", 0, 10**12)
    assert any(way.delivered for way in ways)
    assert any(way.lost for way in ways)
    delivered = set(result.events.filter(event="deliver", flow=0)["packet"])
    for way in ways:
        assert way.delivered == (way.packet in delivered)
        edges = [way.sent_ns, *(stay.to_ns for stay in way.stays)]
        assert edges[:-1] == [stay.from_ns for stay in way.stays]
        assert edges[-1] == way.end_ns or not way.stays


def test_waits_follow_one_another() -> None:
    record = Record(multihop.run(NETWORK, scheme="aodv", seed=4, events=True))
    gap = Gap(5_000_000_000, 9_000_000_000, 40)
    waits = [*of_stream(gap, Ways(record, 0), Sender(record, 0))]
    edges = [gap.from_ns, *(wait.to_ns for wait in waits)]
    assert edges == [*(wait.from_ns for wait in waits), gap.to_ns]


def test_moments_are_taken_into_their_neighbours() -> None:
    draw = random.Random(5)
    edges = sorted({0, 1_000_000_000, *(draw.randrange(1_000_000_000) for _ in range(60))})
    spans = [
        Span(draw.choice(CAUSES[:4]), begin, end, f"from {begin}")
        for begin, end in pairwise(edges)
        if draw.random() < 0.9
    ]
    smoothed = smooth(spans, 0, 1_000_000_000)
    assert [span.from_ns for span in smoothed] == [0, *(span.to_ns for span in smoothed[:-1])]
    assert smoothed[-1].to_ns == 1_000_000_000
    assert min(span.length_ns for span in smoothed) >= 10_000_000
    assert all(a.cause != b.cause for a, b in pairwise(smoothed))


def test_a_time_and_a_flow_choose_silences() -> None:
    result = multihop.run(NETWORK, scheme="aodv", seed=3, events=True)
    every = multihop.explain(result).flows[1].silences
    wanted = every[len(every) // 2]
    middle_s = (wanted.from_ns + wanted.to_ns) / 2e9
    assert multihop.explain(result, flow=1, at_s=middle_s).flows[0].silences == [wanted]
    quiet = multihop.explain(result, flow=1, at_s=0.5)
    assert str(quiet).endswith(": not silent then")
    later = multihop.explain(result, flow=1, from_s=middle_s).flows[0].silences
    assert later == [silence for silence in every if silence.to_ns > middle_s * 1e9]


def test_the_command_prints_what_python_gives(called: Called) -> None:
    said = called("explain", "two-strings", "--flow", "0", "--json", "-")
    found = multihop.explain(catalogue.scenario_file("two-strings"), flow=0)
    assert json.loads(said.stdout) == found.json
    silence = found.json["flows"][0]["silences"][0]
    assert set(silence) == {"from_s", "to_s", "text", "brief", "causes"}
    assert set(silence["causes"][0]) == {
        "cause", "because", "from_s", "to_s", "share", "text", "counts", "evidence",
    }  # fmt: skip
    text = called("explain", "two-strings", "--flow", "0").stdout
    assert text.startswith("flow 0, 20 -> 29: silent for ")
    assert text.count("no segment delivered from ") == 1
    whole = called("explain", "two-strings", "--flow", "0", "--detail").stdout
    assert whole.count("no segment delivered from ") == len(found.flows[0].silences)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--flow", "7"], "--flow: must be 0 to 0 (got 7)"),
        (["--at", "500"], "--at: must be 0 to 101.5 s, the end of the run (got 500)"),
        (["--at", "5", "--from", "3"], "--at is one time: leave --from and --to out"),
        (["--json", "no/such.json"], "no/such.json: its folder does not exist"),
        (["--set", "duration_s=0"], "duration_s"),
    ],
)
def test_wrong_questions_are_one_line(
    arguments: list[str], fault: str, called: Called, tmp_path: Path
) -> None:
    said = called("explain", "six-hops", *arguments)
    assert said.returncode == 2
    assert fault in said.stderr
    assert not said.stdout
    assert not [*tmp_path.iterdir()]


def test_a_result_needs_its_events() -> None:
    with pytest.raises(ValueError, match="pass events=True"):
        multihop.explain(multihop.run(CHAIN))
    with pytest.raises(TypeError, match="recorded already: leave out seed"):
        multihop.explain(multihop.run(CHAIN, events=True), seed=3)


def test_a_record_is_explained_as_the_run_is(tmp_path: Path, called: Called) -> None:
    moving = NETWORK | {"mobility": {"kind": "random-waypoint", "speed_mps": [1, 20]}}
    (tmp_path / "moving.toml").write_text(to_toml(moving))
    assert called("run", "moving.toml", "--trace", "e.parquet", "--from", "10").returncode == 0
    from_record, from_run = (
        called("explain", source, "--json", "-").stdout for source in ("e.parquet", "moving.toml")
    )
    part = multihop.run(moving, events=multihop.Watch(from_s=10))
    assert json.loads(from_record) == multihop.explain(part).json
    assert from_record != from_run


def test_what_is_not_recorded_is_unknown() -> None:
    part = multihop.run(NETWORK, scheme="aodv", seed=3, events=multihop.Watch(from_s=20))
    silence = multihop.explain(part, flow=0).flows[0].silences[0]
    assert silence.spans[0].cause == "unknown"
    assert silence.spans[0].to_ns >= 19_000_000_000
    early = multihop.run(NETWORK, scheme="aodv", seed=3, events=multihop.Watch(to_s=10))
    last = multihop.explain(early, flow=0).flows[0].silences[-1].spans[-1]
    assert (last.cause, last.to_ns) == ("unknown", 30_000_000_000)
    other = multihop.run(NETWORK, scheme="aodv", seed=3, events=multihop.Watch(flows=(1,)))
    assert multihop.explain(other, flow=0).shares() == {"unknown": 1.0}
    nodes = multihop.run(NETWORK, scheme="aodv", seed=3, events=multihop.Watch(nodes=(1,)))
    with pytest.raises(ValueError, match="leave nodes of Watch empty"):
        multihop.explain(nodes)


def test_given_links_need_no_positions() -> None:
    links = {
        "duration_s": 20,
        "topology": {"kind": "links", "nodes": 4, "links": [[0, 1], [1, 2], [2, 3]]},
        "flows": [{"kind": "ftp", "source": 0, "destination": 3, "start_s": 1}],
    }
    found = multihop.explain(links)
    assert found.shares()
    assert "hidden from 0" in str(found) or "in range" in str(found)


@pytest.mark.slow("runs networks again for a report")
def test_a_report_says_why_flows_were_silent(
    study_file: Path, called: Called, tmp_path: Path
) -> None:
    assert called("study", "run", study_file, "--out", "out", "--workers", "1").returncode == 0
    page = tmp_path / "out" / "report.html"
    assert "Why flows were silent" not in page.read_text()
    assert called("study", "report", "out", "--explain", "1").returncode == 0
    section = page.read_text().split('<section id="silences">')[1].split("</section>")[0]
    assert section.count("<tr>") == 3
    assert "1 network, run again" in section
    assert "no segment delivered from" in section
    assert 'href="#silences"' in page.read_text()


def test_flows_add_up() -> None:
    result = multihop.run(NETWORK, scheme="aodv", seed=3, events=True)
    found, together = multihop.explain(result), Shares()
    for report, flow in zip(result.json["flows"], found.flows, strict=True):
        together.add(report, flow)
    assert together.silent_s == pytest.approx(sum(flow.silent_s for flow in found.flows))
    assert {cause: together.share(cause) for cause in found.shares()} == pytest.approx(
        found.shares()
    )
    assert sum(together.roots_s.values()) == pytest.approx(together.silent_s)
    assert together.roots_s["hidden-terminal"] > together.lengths_s["hidden-terminal"]
    assert together.longest in [each for flow in found.flows for each in flow.silences]


def test_shares_are_of_the_length() -> None:
    spans = [Span("arp", 0, 30, ""), Span("contention", 30, 90, ""), Span("arp", 90, 100, "")]
    assert Silence(0, 100, spans, "", "").shares() == {"contention": 0.6, "arp": 0.4}


def test_a_packet_that_may_not_go_far_enough_is_no_circle() -> None:
    """Five hops are allowed, and six are needed: node 5 has it last."""
    chain = catalogue.scenario_file("six-hops")
    short = {"duration_s": 20, "flows.0.stop_s": 19, "routing.time_to_live": 5}
    (flow,) = multihop.explain(chain, set=short).flows
    (silence,) = flow.silences
    assert silence.spans[0].cause == "hop-limit"
    assert "dropped at 5" in silence.text
    assert "after 5 hops" in silence.text
    assert "circles" not in silence.text


def test_a_client_that_has_lost_its_access_point_is_not_associated() -> None:
    """Node 1 sends to node 2 over access point 0, which is killed; there is no other."""
    cell = {
        "duration_s": 12,
        "topology": {"kind": "positions", "positions_m": [[0, 0], [30, 0], [-30, 0]]},
        "interfaces": [
            {"name": "cell", "channel": 1, "nodes": [0], "role": "access-point"},
            {"name": "phone", "channel": 1, "nodes": [1, 2], "role": "client"},
        ],
        "routing": {"scheme": "static"},
        "flows": [
            {"kind": "cbr", "source": 1, "destination": 2, "rate_bps": 1e5, "packet_bytes": 500,
             "start_s": 1},
        ],
        "events": [{"kind": "node-kill", "node": 0, "at_s": 4}],
    }  # fmt: skip
    (flow,) = multihop.explain(cell).flows
    shares = flow.silences[-1].shares()
    assert shares["not-associated"] > 0.8
    assert "belonged to no access point" in flow.silences[-1].text


def test_data_of_a_reserved_slot_are_answered_by_the_ack_at_its_end() -> None:
    scenario: dict[str, Any] = {
        "duration_s": 6,
        "topology": {"kind": "chain", "hops": 1},
        "routing": {"scheme": "static"},
        "mac": {"access": "slot-reservation"},
        "link": {"arp": False},
        "flows": [{"kind": "ftp", "source": 0, "destination": 1, "start_s": 1}],
    }
    record = Record(multihop.run(scenario, events=True))
    data = [
        place for place in range(len(record.sent_ns))
        if record.word(place) == "data" and record.received[place]
    ]  # fmt: skip
    answers = [record.answer(place, 20_000_000) for place in data]
    assert len(data) > 300
    assert all(record.word(place) == "ACK" for place in answers[:-4])
    # Two frames a slot mostly share one.
    assert len(set(answers)) < 0.7 * len(answers)
