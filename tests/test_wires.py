"""Wires in explanations, pictures, captures, and where they cannot be."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import Pcap
from multihop.draw.plan import plan_figure
from multihop.lab.nodes import removed
from multihop.peers import ns2, ns3
from multihop.places import Places
from multihop.wires import lines, pairs


def two_sites(**keys: Any) -> dict[str, Any]:
    """A wire of 200 kbit/s between nodes 1 and 2, far apart, and TCP over it from 0 to 2."""
    wire = {"name": "cable", "nodes": [1, 2], "rate_bps": 2e5, "queue_packets": 10, **keys}
    return {
        "duration_s": 10,
        "topology": {"kind": "positions", "positions_m": [[0, 0], [200, 0], [9000, 0]]},
        "wires": [wire],
        "routing": {"scheme": "static"},
        "flows": [{"kind": "ftp", "source": 0, "destination": 2, "start_s": 1}],
    }


def cbr(scenario: dict[str, Any]) -> dict[str, Any]:
    flow = {"kind": "cbr", "source": 0, "destination": 2, "start_s": 1}
    return {**scenario, "flows": [{**flow, "rate_bps": 16e3, "packet_bytes": 1000}]}


def causes(scenario: dict[str, Any]) -> set[str]:
    (flow,) = multihop.explain(scenario).flows
    return {span.cause for silence in flow.silences for span in silence.spans}


def test_a_packet_that_waits_at_a_wire_has_that_cause() -> None:
    slow = two_sites(rate_bps=2e4)
    (flow,) = multihop.explain(slow).flows
    shares = flow.silences[-1].shares()
    assert shares["wire"] > 0.8
    assert "wire 'cable'" in flow.silences[-1].text


def test_what_a_wire_loses_has_that_cause_and_a_cut_one_is_out_of_range() -> None:
    lossy = {**cbr(two_sites(loss=0.8)), "link": {"arp": False}}
    assert "wire" in causes(lossy)
    cut = cbr(two_sites())
    cut["events"] = [
        {"kind": "link-cut", "node": 1, "neighbour": 2, "wire": "cable", "at_s": 4},
    ]
    (flow,) = multihop.explain(cut).flows
    last = flow.silences[-1]
    assert last.shares()["out-of-range"] > 0.8
    assert "their wire had been cut" in last.text or "no path led" in last.text


def test_wires_join_places_until_they_are_cut() -> None:
    cut = cbr(two_sites())
    cut["events"] = [
        {"kind": "link-cut", "node": 1, "neighbour": 2, "wire": "cable", "at_s": 4},
        {"kind": "link-restore", "node": 2, "neighbour": 1, "wire": "cable", "at_s": 6},
        {"kind": "node-kill", "node": 2, "at_s": 8},
    ]
    places = Places(multihop.run(cut))
    reached = [places.reaches(1, 2, at * 10**9) for at in (0, 5, 7, 9)]
    assert reached == [True, False, True, False]
    assert [places.connected(0, 2, at * 10**9) for at in (0, 5, 7)] == [True, False, True]
    assert not places.senses(1, 2, 0)
    assert places.absence(1, 2, 5 * 10**9) == "their wire had been cut"


def test_a_switch_is_drawn_as_a_star_and_a_cable_from_end_to_end() -> None:
    scenario = two_sites()
    scenario["wires"].append({"name": "switch", "nodes": [0, 1, 2], "rate_bps": 1e8})
    places = [(0.0, 0.0), (3.0, 0.0), (0.0, 3.0)]
    drawn = lines(scenario, places)
    assert drawn[0] == [(3.0, 0.0), (0.0, 3.0)]
    assert drawn[1:] == [[end, (1.0, 1.0)] for end in places]
    assert len({*pairs(scenario)}) == 2 + 6
    figure = plan_figure(multihop.run(scenario).scenario)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "wire" in labels


def test_the_replay_page_knows_the_wires(tmp_path: Path) -> None:
    page = multihop.replay(two_sites(), tmp_path / "r.html", seed=1).read_text("utf-8")
    assert '"wires":[[1,2]]' in page.replace(" ", "")


def test_nodes_taken_away_leave_their_wires() -> None:
    tables = two_sites()
    tables["wires"].append({"name": "switch", "nodes": [0, 1, 2], "rate_bps": 1e8})
    changes = removed(tables, tables["topology"]["positions_m"], [1])
    told = {change.path: change.value for change in changes if change.path[0] == "wires"}
    assert ("wires", 0) in told, "one node is left of it"
    assert told["wires", 1, "nodes"] == [0, 1], "those behind have moved up"


@pytest.mark.needs("tshark")
@pytest.mark.parametrize("routing", ["babel", "olsr", "aodv"])
def test_tshark_reads_wires_as_ethernet(routing: str, tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    scenario = {**two_sites(), "routing": {"scheme": routing}}
    result = multihop.run(scenario, pcap=Pcap(file, snap_bytes=None))
    bad = "_ws.malformed || _ws.short || ip.checksum.status==0 || udp.checksum.status==0"
    checks = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]

    def lines_of(keep: str) -> list[str]:
        command = ["tshark", *checks, "-r", str(file), "-Y", keep]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert lines_of(bad) == []
    sent = sum(port["frames"] for port in result.json["wires"])
    assert len(lines_of("eth && frame.packet_flags_direction == 2")) == sent
    assert len(lines_of(f"eth && {routing}")) > 2


def test_where_wires_cannot_be_an_error_says_so(tmp_path: Path) -> None:
    result = multihop.run({**two_sites(), "routing": {"scheme": "aodv"}})
    with pytest.raises(ns2.UnsupportedError, match="has no wires"):
        ns2.script(result, ns2.defaults(result))
    with pytest.raises(ns2.UnsupportedError, match="has no wires"):
        ns3.arguments(result, tmp_path)


def test_the_name_of_a_wire_is_text(tmp_path: Path) -> None:
    name = "[/b]<img src=x>\x1b[31m\u202e"
    hostile = two_sites(rate_bps=2e4, name=name)
    (flow,) = multihop.explain(hostile).flows
    told = "".join(silence.text for silence in flow.silences)
    assert "[/b]<img" in told
    assert "\x1b" not in told
    assert "\u202e" not in told
    file = tmp_path / "run.pcapng"
    multihop.run(hostile, pcap=Pcap(file))
    assert b"\x1b[31m" not in file.read_bytes()
