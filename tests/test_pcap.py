"""Packet captures: their blocks by a reader of our own."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

import multihop
from multihop import Pcap, Watch, catalogue
from tests.conftest import CHAIN, Called

SIX_HOPS = catalogue.scenario_file("six-hops")


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
