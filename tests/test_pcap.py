"""Packet captures: their blocks by a reader of our own, and what tshark makes of them."""

from __future__ import annotations

import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import multihop
from multihop import Pcap, Watch, catalogue
from multihop.pcap import DISSECTOR
from tests.conftest import CHAIN, Called
from tests.tiers import but_first

SIX_HOPS = catalogue.scenario_file("six-hops")

needs_tshark = pytest.mark.needs("tshark")


@dataclass
class Seen:
    """An enhanced packet block."""

    node: int
    time_ns: int
    data: bytes
    length: int
    options: dict[int, bytes]

    @property
    def frame(self) -> int:
        """Its number in the record of events."""
        return int.from_bytes(self.options[5], "little")

    @property
    def is_sent(self) -> bool:
        """Whether it went out here."""
        return int.from_bytes(self.options[2], "little") & 3 == 2

    @property
    def comment(self) -> str:
        """What became of it."""
        return self.options.get(1, b"").decode()

    @property
    def mac(self) -> bytes:
        """What is behind the radiotap header."""
        return self.data[int.from_bytes(self.data[2:4], "little") :]


def blocks_of(file: Path) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each block of a pcapng file."""
    text, at = file.read_bytes(), 0
    while at < len(text):
        kind, length = struct.unpack_from("<II", text, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", text, at + length - 4) == (length,)
        yield kind, text[at + 8 : at + length - 4]
        at += length


def options_of(body: bytes) -> dict[int, bytes]:
    options = {}
    while body:
        code, length = struct.unpack_from("<HH", body)
        if code == 0:
            assert body == bytes(4)
            return options
        options[code] = body[4 : 4 + length]
        body = body[4 + -(-length // 4) * 4 :]
    raise AssertionError("no end of options")


def seen_in(file: Path) -> list[Seen]:
    found = []
    for kind, body in blocks_of(file):
        if kind == 6:
            node, high, low, kept, length = struct.unpack_from("<5I", body)
            options = options_of(body[20 + -(-kept // 4) * 4 :])
            found.append(Seen(node, high << 32 | low, body[20 : 20 + kept], length, options))
    return found


def on_air(events: pl.DataFrame) -> pl.DataFrame:
    return events.filter(pl.col("event").is_in(["transmit", "receive"]))


def test_every_frame_is_there_where_it_is_sent_and_where_it_is_received(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    events = multihop.run(SIX_HOPS, set={"duration_s": 4}, events=True, pcap=file).events
    kinds = [kind for kind, _ in blocks_of(file)]
    assert kinds[:9] == [0x0A0D0D0A, *[1] * 7, 4]
    assert kinds[-7:] == [5] * 7
    names = [options_of(body[8:]) for kind, body in blocks_of(file) if kind == 1]
    assert [name[2].decode() for name in names] == [f"node-{node}" for node in range(7)]
    assert {name[9] for name in names} == {b"\x09"}

    seen = seen_in(file)
    rows = on_air(events).select("node", "time_ns", "frame", pl.col("event").eq("transmit"))
    assert [(one.node, one.time_ns, one.frame, one.is_sent) for one in seen] == rows.rows()
    kinds_of_frames = {0xB4: "rts", 0xC4: "cts", 0xD4: "ack", 0x08: "data"}
    assert [kinds_of_frames[one.mac[0]] for one in seen] == on_air(events)["kind"].to_list()
    # The same frame has the same bytes at all nodes.
    assert len({(one.frame, one.mac) for one in seen}) == events["frame"].n_unique() - 1


AGGREGATING = """
duration_s = 1
profile = "standard"
[topology]
kind = "chain"
hops = 2
[mac]
phy = "802.11n"
aggregate = 8
[routing]
scheme = "static"
[link]
arp = false
[[flows]]
kind = "cbr"
source = 0
destination = 2
packet_bytes = 1000
rate_bps = 2e7
"""


def test_the_frames_of_an_a_mpdu_are_there_one_by_one(tmp_path: Path) -> None:
    file, mesh = tmp_path / "run.pcapng", tmp_path / "mesh.toml"
    mesh.write_text(AGGREGATING)
    result = multihop.run(mesh, events=True, pcap=file)
    seen = [one for one in seen_in(file) if one.is_sent]
    # QoS data are in A-MPDUs, whose BlockAck is of 32 bytes.
    in_aggregates = [one for one in seen if one.mac[0] == 0x88]
    answers = [one for one in seen if one.mac[0] == 0x94]
    counters = result.json["mac"]
    assert len(in_aggregates) == counters["aggregated_sent"] > 100
    assert len(answers) == counters["block_acks_sent"] > 10
    assert {len(one.mac) for one in answers} == {32}
    kinds = result.events.filter(event="transmit")["kind"].to_list()
    assert kinds.count("block-ack") == len(answers)
    # Compressed; the first numbers of the window have arrived.
    assert {one.mac[16:18] for one in answers} == {b"\x05\0"}
    assert all(one.mac[20] & 3 == 3 for one in answers)


def test_what_became_of_frames_and_packets_is_in_comments(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    result = multihop.run(SIX_HOPS, set={"duration_s": 20}, events=True, pcap=file)
    events = result.events
    sent = {one.frame: one.comment for one in seen_in(file) if one.is_sent}
    misses = events.filter(event="miss").select("frame", "node", "detail", "by_frame").rows()
    assert misses
    for frame, node, why, by in misses:
        other = "" if by is None else f", frame {by}"
        assert f"lost at node {node}: {why}{other}" in sent[frame]
    given_up = [frame for frame, comment in sent.items() if "given up" in comment]
    assert len(given_up) == events.filter(event="give-up").height > 0
    # A frame after which the MAC gave up is the last that it sent before.
    for row in events.filter(event="give-up").iter_rows(named=True):
        before = events.filter(
            pl.col("event").eq("transmit"),
            pl.col("node").eq(row["node"]),
            pl.col("time_ns").lt(row["time_ns"]),
        )
        assert before["frame"][-1] in given_up
    dropped = sum(
        int.from_bytes(options_of(body[12:])[7], "little")
        for kind, body in blocks_of(file)
        if kind == 5
    )
    assert dropped == events.filter(event="drop").height > 0


def test_a_capture_leaves_the_run_as_it_is(tmp_path: Path) -> None:
    plain = multihop.run(CHAIN, seed=3)
    captured = multihop.run(CHAIN, seed=3, pcap=tmp_path / "run.pcapng")
    assert plain.json["engine"]["fingerprint"] == captured.json["engine"]["fingerprint"]
    with pytest.raises(ValueError, match="no events were recorded"):
        _ = captured.events


def test_the_command_keeps_what_is_asked_for(called: Called, tmp_path: Path) -> None:
    window = ["--from", "2", "--to", "3", "--node", "2"]
    assert called("run", "six-hops", "--pcap", "a.pcapng", *window, "--snap", "40").returncode == 0
    cut = seen_in(tmp_path / "a.pcapng")
    watch = Watch(from_s=2, to_s=3, nodes=(2,))
    whole_file = Pcap(tmp_path / "b.pcapng", watch, snap_bytes=None)
    rows = on_air(multihop.run(SIX_HOPS, events=True, pcap=whole_file).events)
    whole = seen_in(tmp_path / "b.pcapng")
    assert len(cut) == len(whole) == rows.height > 100
    assert {node for (node,) in rows.select("node").rows()} == {1, 2, 3}
    for a, b in zip(cut, whole, strict=True):
        assert a.mac == b.mac[:40]
        assert a.length == b.length == len(b.data)
    everything = tmp_path / "c.pcapng"
    multihop.run(SIX_HOPS, set={"duration_s": 4}, pcap=Pcap(everything, snap_bytes=None))
    all_of_them = {one.frame: one.mac for one in seen_in(everything)}
    assert all(one.mac == all_of_them[one.frame] for one in whole)
    assert max(len(one.mac) for one in whole) == 24 + 8 + 40 + 1460 + 4


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--pcap", "t.pcapng", "--seeds", "2"], "--pcap records one run: leave --seeds out"),
        (["--snap", "9"], "--snap goes with --pcap"),
        (["--pcap", "t.pcapng", "--snap", "much"], "must be full or 0 to 2147483647 (got much)"),
        (["--pcap", "t.pcapng", "--snap", "-1"], "must be full or 0 to 2147483647 (got -1)"),
        (["--pcap", "t.pcapng", "--node", "99"], "--node: must be a node, 0 to 6 (got 99)"),
        (["--pcap", "no/t.pcapng"], "no/t.pcapng: its folder does not exist"),
    ],
)
def test_wrong_requests_are_one_line_and_leave_no_file(
    arguments: list[str], fault: str, called: Called, tmp_path: Path
) -> None:
    said = called("run", "six-hops", *arguments)
    assert said.returncode == 2
    assert fault in said.stderr
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    file.write_text("old")

    def interrupt(_share: float) -> None:
        raise KeyboardInterrupt

    long = {"duration_s": 3000, "flows.0.stop_s": 3000}
    with pytest.raises(KeyboardInterrupt):
        multihop.run(SIX_HOPS, pcap=file, progress=interrupt, set=long)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("run.pcapng", "old")]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    monkeypatch.setattr("multihop.files._beside", lambda *_: nullcontext(full))
    with pytest.raises(OSError, match="No space left on device") as caught:
        multihop.run(CHAIN, pcap=tmp_path / "run.pcapng")
    assert caught.value.filename == str(tmp_path / "run.pcapng")


def test_events_and_capture_are_of_one_watch(tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    with pytest.raises(ValueError, match="must have the same Watch"):
        multihop.run(CHAIN, events=Watch(from_s=1), pcap=Pcap(file, Watch(from_s=2)))
    multihop.run(CHAIN, events=Watch(from_s=1), pcap=file)
    assert min(one.time_ns for one in seen_in(file)) >= 1e9


def test_many_runs_have_no_single_capture(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pcap is the file of one run"):
        multihop.run_many(CHAIN, seeds=[1, 2], pcap=tmp_path / "run.pcapng")


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
