"""Packet captures: what tshark makes of them."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multihop
from multihop import Pcap, catalogue
from multihop.pcap import DISSECTOR
from tests.test_pcap import on_air
from tests.tiers import but_first

SIX_HOPS = catalogue.scenario_file("six-hops")

needs_tshark = pytest.mark.needs("tshark")


def shark(*arguments: object) -> str:
    checks = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp", "wlan")]
    command = ["tshark", *(part for check in checks for part in ("-o", check))]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return done.stdout


def fields(file: Path, keep: str, *names: str, options: tuple[object, ...] = ()) -> list[list[str]]:
    columns = [part for name in names for part in ("-e", name)]
    text = shark("-r", file, *options, "-Y", keep, "-T", "fields", *columns)
    return [line.split("\t") for line in text.splitlines()]


BAD = (
    "_ws.malformed || _ws.short || ip.checksum.status==0 || tcp.checksum.status==0 || "
    "udp.checksum.status==0 || wlan.fcs.status==0 || aodv.ext_length.invalid || "
    "_ws.expert.severity==0x800000"
)

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "static": ("two-strings", {"scheme": "static"}),
    "aodv": ("contended-middle", {"scheme": "aodv"}),
    "dsr": ("contended-middle", {"scheme": "dsr"}),
    "dsr with flow state, moving": (
        "moving-50",
        {"scheme": "tcp-elfn", "set": {"routing.flow_state": True}},
    ),
    "dcar": ("moving-50", {"scheme": "dcar-wide-hello"}),
    "ccar": ("contended-middle", {"scheme": "ccar-h1"}),
    "multipath, moving": ("moving-50", {"scheme": "ndm"}),
    "copas, moving": ("moving-50", {"scheme": "copas"}),
    "etx": ("contended-middle", {"scheme": "aodv-etx"}),
    "olsr, moving": ("moving-50", {"scheme": "olsr"}),
    "olsr by etx": ("contended-middle", {"scheme": "olsr-etx"}),
    "olsrv2, moving": ("moving-50", {"scheme": "olsrv2"}),
    "olsrv2 by airtime": ("contended-middle", {"scheme": "olsrv2-dat"}),
    "dsdv": ("contended-middle", {"scheme": "dsdv"}),
    "hwmp": ("contended-middle", {"scheme": "hwmp"}),
    "hwmp, a root": ("six-hops", {"scheme": "hwmp-root"}),
    "batman": ("contended-middle", {"scheme": "batman"}),
    "dsr by airtime": ("contended-middle", {"scheme": "dsr-airtime"}),
    "babel": ("contended-middle", {"scheme": "babel"}),
    "semi-tcp": ("six-hops", {"scheme": "semi-tcp", "set": {"transport.semi.answer_every": 2}}),
    "selective": ("six-hops", {"scheme": "semi-tcp-author"}),
    "cbr": ("cbr-chain", {}),
    "802.11b": (
        "six-hops",
        {"set": {"profile": "standard", "mac.phy": "802.11b", "mac.preamble": "short"}},
    ),
    "802.11g": (
        "six-hops",
        {"set": {"mac.phy": "802.11g", "mac.protection": "cts-to-self", "mac.rate": "arf"}},
    ),
    "802.11n": (
        "six-hops",
        {"set": {"mac.phy": "802.11n", "mac.channel_mhz": 40, "mac.guard_interval": "short"}},
    ),
}


@needs_tshark
@pytest.mark.parametrize("case", but_first(CASES, "reads a capture with tshark", quick=3))
def test_tshark_finds_nothing_wrong(case: str, tmp_path: Path) -> None:
    name, options = CASES[case]
    file = tmp_path / "run.pcapng"
    options = {**options, "set": {"duration_s": 13, **options.get("set", {})}}
    capture = Pcap(file, snap_bytes=None)
    events = multihop.run(
        catalogue.scenario_file(name), events=True, pcap=capture, **options
    ).events
    sent = fields(file, "frame", "frame.packet_flags_direction", "ip.checksum.status")
    assert len(sent) == on_air(events).height
    assert sum(status == "1" for _, status in sent) > 20, "no checksum was checked"
    assert fields(file, BAD, "frame.number", "_ws.expert") == []


@needs_tshark
@pytest.mark.parametrize(
    ("mac", "expected"),
    [
        (
            {"phy": "802.11ac", "channel_mhz": 80, "guard_interval": "short", "streams": 2},
            {
                "radiotap.vht.bw": "4",
                "radiotap.vht.mcs.0": "4",
                "radiotap.vht.nss.0": "2",
                "wlan_radio.data_rate": "390",
            },
        ),
        (
            {"phy": "802.11ax", "channel_mhz": 40, "guard_interval": "medium"},
            {
                "radiotap.he.data_5.data_bw_ru_allocation": "0x0001",
                "radiotap.he.data_3.data_mcs": "0x0004",
                "radiotap.he.data_5.gi": "0x0001",
                "radiotap.he.data_6.nsts": "0x0001",
            },
        ),
    ],
    ids=["802.11ac", "802.11ax"],
)
def test_tshark_reads_number_width_and_streams(
    mac: dict[str, object], expected: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "run.pcapng"
    one = {"kind": "ftp", "source": 0, "destination": 1, "start_s": 0}
    more = {"mcs": 4, "aggregate": 8, "rts_threshold_bytes": "inf"}
    few = {"duration_s": 0.02, "profile": "standard", "flows": [one], "mac": {**mac, **more}}
    few["topology"] = {"kind": "chain", "hops": 1, "spacing_m": 10}
    few["transport"] = {"window_segments": 32}
    multihop.run(few, pcap=Pcap(file, snap_bytes=None))
    data = "wlan.fc.type_subtype == 40 && frame.packet_flags_direction == 2"
    told = fields(file, data, *expected)
    assert len(told) > 20
    assert set(map(tuple, told)) == {tuple(expected.values())}
    assert fields(file, BAD, "frame.number", "_ws.expert") == []


@pytest.mark.slow("reads captures of many runs with tshark")
@needs_tshark
def test_tshark_reads_babel_s_hellos_updates_and_requests(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    # Nothing else is sent, so that no packet waits or is lost.
    one = {"kind": "cbr", "source": 0, "destination": 6, "packet_bytes": 100, "rate_bps": 800}
    quiet = {"duration_s": 60, "flows": [one | {"start_s": 59}]}
    result = multihop.run(SIX_HOPS, scheme="babel", set=quiet, pcap=Pcap(file, snap_bytes=None))
    sent = "babel && frame.packet_flags_direction==2"
    packets = fields(file, sent, "ipv6.dst", "udp.dstport", "babel.message.type", "udp.length")
    report = result.json["schemes"]["babel"]
    assert len(packets) == report["packets_sent"]
    assert {port for _, port, _, _ in packets} == {"6696"}
    assert "ff02::1:6" in {group for group, _, _, _ in packets}
    assert sum(40 + int(length) for *_, length in packets) == report["bytes_sent"]
    kinds = [kind for _, _, kinds, _ in packets for kind in kinds.split(",")]
    assert kinds.count("4") == report["hellos_sent"] > 60
    assert kinds.count("5") == report["ihus_sent"] > 60
    assert kinds.count("8") == report["updates_sent"] > 100
    assert kinds.count("9") == report["route_requests_sent"] >= 12
    assert fields(file, f"babel && ({BAD})", "frame.number") == []


@needs_tshark
def test_tshark_reads_the_mesh_frames_of_hwmp(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    one = {"kind": "cbr", "source": 0, "destination": 6, "packet_bytes": 100, "rate_bps": 800}
    quiet = {"duration_s": 20, "flows": [one | {"start_s": 10}]}
    result = multihop.run(SIX_HOPS, scheme="hwmp", set=quiet, pcap=Pcap(file, snap_bytes=None))
    report = result.json["schemes"]["hwmp"]
    sent = "frame.packet_flags_direction==2 && wlan.fc.retry==0"
    elements = fields(file, f"{sent} && wlan.fc.type_subtype==13", "wlan.tag.number")
    of = Counter(numbers.rsplit(",", 1)[-1] for (numbers,) in elements)
    assert of["130"] == report["preqs_originated"] + report["preqs_forwarded"] >= 6
    assert of["131"] == report["preps_originated"] + report["preps_forwarded"] >= 6
    assert of["117"] == report["peering_frames_sent"] >= 24
    beacons = fields(file, f"{sent} && wlan.fc.type_subtype==8", "wlan.mesh.id")
    assert len(beacons) == report["beacons_sent"]
    asked = fields(file, f"{sent} && wlan.hwmp.pdid", "wlan.hwmp.targ_sta", "wlan.hwmp.orig_sta")
    assert {tuple(ends) for ends in asked} == {("02:00:00:00:00:06", "02:00:00:00:00:00")}
    assert fields(file, f"wlan.fc.type==0 && ({BAD})", "frame.number") == []


@needs_tshark
def test_tshark_reads_olsrv2_s_hellos_and_tcs(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    one = {"kind": "cbr", "source": 0, "destination": 6, "packet_bytes": 100, "rate_bps": 800}
    quiet = {"duration_s": 20, "flows": [one | {"start_s": 19.9}]}
    scheme = "olsrv2-dat"
    result = multihop.run(SIX_HOPS, scheme=scheme, set=quiet, pcap=Pcap(file, snap_bytes=None))
    report = result.json["schemes"]["olsrv2"]
    assert report["tcs_forwarded"] > report["tcs_originated"] > 0
    sent = "packetbb && frame.packet_flags_direction==2"
    kinds = Counter(
        kind
        for (of_packet,) in fields(file, sent, "packetbb.msg.type")
        for kind in of_packet.split(",")
    )
    assert kinds["0"] == report["hellos_sent"]
    waiting = report["tcs_originated"] + report["tcs_forwarded"] - kinds["1"]
    assert 0 <= waiting <= 6, "at the end of the run"
    lengths = [int(length) for (length,) in fields(file, sent, "ip.len")]
    assert (len(lengths), sum(lengths)) == (report["packets_sent"], report["control_bytes"])
    willing = fields(file, f"{sent} && packetbb.msg.type==0", "packetbb.tlv.mprwillingnessflooding")
    assert {value for (of_packet,) in willing for value in of_packet.split(",")} == {"7"}
    last = "ip.src==10.1.0.0 && packetbb.msg.type==0 && frame.time_relative>15"
    links = fields(file, f"{sent} && {last}", "packetbb.msg.addr.value4", "packetbb.tlv.mpr")
    assert {tuple(told) for told in links} == {("10.1.0.1", "3")}, "its relay for all"
    assert fields(file, f"packetbb && (packetbb.error || {BAD})", "frame.number") == []


@needs_tshark
def test_tshark_reads_batman_s_originator_messages(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    one = {"kind": "cbr", "source": 0, "destination": 6, "packet_bytes": 100, "rate_bps": 800}
    quiet = {"duration_s": 20, "flows": [one | {"start_s": 19.9}]}
    result = multihop.run(SIX_HOPS, scheme="batman", set=quiet, pcap=Pcap(file, snap_bytes=None))
    report = result.json["schemes"]["batman"]
    frames = fields(file, "batadv && frame.packet_flags_direction==2", "batadv.iv_ogm.tq")
    assert len(frames) == report["frames_sent"]
    qualities = [int(tq) for (of_frame,) in frames for tq in of_frame.split(",")]
    assert 24 * len(qualities) == report["control_bytes"]
    assert qualities.count(255) >= report["ogms_originated"]
    # Those of neighbours go on with the hop penalty taken twice.
    assert {255, 225} <= set(qualities)
    assert fields(file, f"batadv && ({BAD})", "frame.number") == []


@needs_tshark
def test_tshark_counts_retransmissions_duplicates_and_round_trips_as_the_record(
    tmp_path: Path,
) -> None:
    file, own = tmp_path / "run.pcapng", tmp_path / "own.pcapng"
    result = multihop.run(SIX_HOPS, set={"duration_s": 30}, events=True, pcap=file)
    # What the sender's transport has seen: its own frames but for the MAC's retries, and what came.
    mine = (
        'frame.interface_name=="node-0" && (ip.src==10.1.0.0 && frame.packet_flags_direction==2 '
        "&& wlan.fc.retry==0 || ip.dst==10.1.0.0 && frame.packet_flags_direction==1 "
        '&& !(frame.comment contains "duplicate")) && tcp'
    )
    shark("-r", file, "-Y", mine, "-w", own)
    again = fields(own, "tcp.analysis.retransmission", "tcp.seq")
    duplicates = fields(own, "tcp.analysis.duplicate_ack", "tcp.ack")
    round_trips = fields(own, "tcp.analysis.ack_rtt && ip.src==10.1.0.6", "tcp.analysis.ack_rtt")

    events = result.events
    assert len(again) == result.json["flows"][0]["retransmits"] > 10
    assert len(duplicates) == events.filter(event="tcp", detail="duplicate-ack").height > 10
    first_sent: dict[int, int] = {}
    times, acked = [], -1
    is_mine = pl.col("node").eq(0) & pl.col("event").is_in(["transmit", "receive"])
    rows = events.filter(is_mine, pl.col("content").is_in(["tcp-data", "tcp-ack"]))
    for row in rows.iter_rows(named=True):
        if row["event"] == "transmit":
            first_sent.setdefault(row["number"], row["time_ns"])
        elif row["number"] > acked:
            acked = row["number"]
            times.append((row["time_ns"] - first_sent[acked]) / 1e9)
    assert [float(time) for (time,) in round_trips] == pytest.approx(times, abs=2e-9)
    assert len(times) > 100


def address(node: int) -> str:
    return f"10.1.{node // 256}.{node % 256}"


@pytest.mark.slow("reads captures of many runs with tshark")
@needs_tshark
def test_the_fields_of_aodv_are_those_of_the_record(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    options = {"scheme": "aodv", "set": {"duration_s": 14}, "events": True, "pcap": file}
    events = multihop.run(catalogue.scenario_file("contended-middle"), **options).events
    for content, kind, named in [
        ("rreq", 1, ["aodv.rreq_id", "aodv.orig_ip", "aodv.dest_ip"]),
        ("rrep", 2, ["ip.version", "aodv.orig_ip", "aodv.dest_ip"]),
    ]:
        keep = f"frame.packet_flags_direction==2 && aodv.type=={kind}"
        found = fields(file, keep, "frame.packet_id", *named)
        rows = events.filter(event="transmit", kind="data", content=content)
        expected = [
            [str(frame), str(number or 4), address(origin), address(target)]
            for frame, number, origin, target in rows.select(
                "frame", "number", "origin", "target"
            ).rows()
        ]
        assert found == expected
        assert expected
    # RFC 3561: the originator sends 0 hops, each relay one more.
    hops = fields(
        file, "aodv.type==1 && aodv.rreq_id==1", "aodv.hopcount", "ip.src", "aodv.orig_ip"
    )
    assert {count == "0" for count, source, origin in hops if source == origin} == {True}
    assert {int(count) > 0 for count, source, origin in hops if source != origin} == {True}


@needs_tshark
def test_the_fields_of_dsr_are_those_of_the_record(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    options = {"scheme": "dsr", "set": {"duration_s": 14}, "events": True, "pcap": file}
    events = multihop.run(catalogue.scenario_file("contended-middle"), **options).events
    rows = events.filter(event="transmit", kind="data")
    asked = rows.filter(content="rreq").select("frame", "number", "origin", "target").rows()
    keep = "frame.packet_flags_direction==2 && dsr.option.type==1"
    names = ["dsr.option.rreq.id", "ip.src", "dsr.option.rreq.targetaddress"]
    found = [
        (int(frame), int(number, 0), source, target)
        for frame, number, source, target in fields(file, keep, "frame.packet_id", *names)
    ]
    assert found == [(f, n % 2**16, address(o), address(t)) for f, n, o, t in asked]
    assert found
    # A source route says how many relays are left: fewer by one at each of them.
    way = fields(
        file,
        "frame.packet_flags_direction==2 && tcp.len>0 && dsr.option.srcrt.salvage==0",
        "dsr.option.srcrt.segsleft", "wlan.ta", "ip.src",
    )  # fmt: skip
    left = [int(count) for count, _, _ in way]
    assert set(left) == set(range(max(left) + 1))
    from_source = {left for left, mac, ip in way if int(mac[-2:], 16) == int(ip.split(".")[-1])}
    assert from_source == {str(max(left))}


@pytest.mark.slow("reads captures of many runs with tshark")
@needs_tshark
def test_the_dissector_shows_what_schemes_add(tmp_path: Path) -> None:
    if "with Lua" not in shark("-v"):
        pytest.skip("tshark has no Lua")
    lua = ("-X", f"lua_script:{DISSECTOR}")

    def shown(
        name: str, scheme: str, keep: str, *names: str, **options: Any
    ) -> set[tuple[str, ...]]:
        file = tmp_path / f"{scheme}.pcapng"
        options = {"duration_s": 13, **options}
        multihop.run(catalogue.scenario_file(name), scheme=scheme, set=options, pcap=file)
        assert fields(file, "_ws.lua.error || _ws.malformed", "frame.number", options=lua) == []
        found = {tuple(row) for row in fields(file, keep, *names, options=lua)}
        assert found
        return found

    path, request = "multihop.route_id.path", "multihop.route_id.request"
    paths = shown("moving-50", "edm", path, path, request)
    assert all(1 <= int(number) <= 15 and int(asked) >= 1 for number, asked in paths)
    load = shown(
        "moving-50", "dcar-wide-hello", "multihop.load.connections", "multihop.load.connections",
        "multihop.neighbour", "multihop.neighbour.count",
    )  # fmt: skip
    assert any(len(nodes.split(",")) == len(counts.split(",")) > 1 for _, nodes, counts in load)
    probes = shown(
        "contended-middle",
        "aodv-etx",
        "multihop.kind==132",
        "multihop.length",
        "multihop.neighbour",
    )
    assert all(
        int(length) == 8 * len([n for n in nodes.split(",") if n]) for length, nodes in probes
    )
    contention = shown(
        "moving-50", "copas", "multihop.copas.gathered && dsr.option.rreq.address",
        "multihop.copas.gathered", "dsr.option.rreq.address",
    )  # fmt: skip
    assert all(len(values.split(",")) == len(nodes.split(",")) for values, nodes in contention)
    notices = shown("six-hops", "semi-tcp", "multihop.notice", "multihop.notice")
    assert ("1",) in notices
