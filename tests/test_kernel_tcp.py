"""The rig's wire, its parser, and the recordings that it made."""

import csv
import struct
from collections import Counter
from pathlib import Path

import pytest
from evidence.kernel_tcp import cases, grid
from evidence.kernel_tcp.packet import ACK, SYN, Segment, parse, payload_and_sequence
from evidence.kernel_tcp.recording import Recording, read, thin
from evidence.kernel_tcp.tcp_info import State
from evidence.kernel_tcp.wire import Fate, Line, Losses, dark, drawn, split_mix

RECORDINGS = (
    Path(__file__).parents[1] / "crates" / "multihop" / "src" / "transport" / "tests" / "kernel"
)
MS = 1_000_000


def test_a_packet_takes_its_transmission_and_the_delay() -> None:
    line = Line(12_000_000, 10 * MS, 5)
    assert line.enter(0, 1500) == 11 * MS
    assert line.enter(0, 1500) == 12 * MS  # after the first
    assert line.enter(50 * MS, 750) == 60 * MS + MS // 2  # nothing is there any more


def test_the_buffer_does_not_count_the_packet_that_is_sent() -> None:
    line = Line(12_000_000, 0, 2)
    assert [line.enter(0, 1500) for _ in range(4)] == [MS, 2 * MS, 3 * MS, None]
    assert line.enter(MS - 1, 1500) is None
    assert line.enter(MS, 1500) == 4 * MS  # the second begins, and leaves the buffer


def test_a_line_without_a_rate_only_delays() -> None:
    line = Line(None, 7 * MS)
    assert [line.enter(3, 1500), line.enter(3, 40)] == [7 * MS + 3] * 2


def test_losses_count_from_1_and_follow_retransmissions() -> None:
    losses = Losses([2], {4: 2})
    sequences = [10, 20, 30, 40, 50, 40, 20, 40, 40]
    lost = [losses.next_is_lost(sequence) for sequence in sequences]
    assert lost == [False, True, False, True, False, True, False, True, False]
    assert losses.lost == [2, 4, 6, 8]


def test_a_blackout_ends_before_its_end() -> None:
    assert [dark(now, [(5, 7), (9, 10)]) for now in range(4, 11)] == [
        False, True, True, False, False, True, False,
    ]  # fmt: skip


def test_losses_are_drawn_by_a_rule_that_others_can_follow() -> None:
    # The reference implementation's first outputs for the seeds 0 and 1234567.
    assert split_mix(0) == 0xE220A8397B1DCDAF
    assert split_mix(1234567) == 6457827717110365317
    assert drawn(1, 0.0, 1000) == ()
    assert drawn(1, 1.0, 3) == (1, 2, 3)
    assert drawn(7, 0.02, 500) == drawn(7, 0.02, 1000)[: len(drawn(7, 0.02, 500))]
    assert drawn(7, 0.02, 500) != drawn(8, 0.02, 500)
    assert len(drawn(3, 0.05, 100_000)) == pytest.approx(5000, rel=0.05)


def packet(flags: int, options: bytes, data: int) -> bytes:
    offset = 20 + len(options)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + offset + data, 0, 0, 64, 6, 0, b"", b"")
    tcp = struct.pack("!HHIIBBHHH", 1, 2, 1000, 2000, offset // 4 << 4, flags, 512, 0, 0)
    return ip + tcp + options + bytes(data)


def test_a_segment_is_read_with_its_options() -> None:
    stamps = b"\1\1\x08\x0a" + struct.pack("!II", 7, 8)
    sack = b"\1\1\5\x12" + struct.pack("!IIII", 3000, 4000, 5000, 6000)
    raw = packet(ACK, stamps + sack, 100)
    expected = Segment(
        1000, 2000, ACK, 512, 100, len(raw), ((3000, 4000), (5000, 6000)), (7, 8)
    )  # fmt: skip
    assert parse(raw) == expected
    assert parse(raw[:80], len(raw)) == expected
    assert payload_and_sequence(raw) == (100, 1000)
    syn = parse(packet(SYN, b"\2\4\x05\xb4\4\2\1\3\3\7\0\0", 0))
    assert (syn.mss, syn.scale, syn.sack_allowed, syn.timestamp) == (1460, 7, True, None)


@pytest.mark.parametrize(
    "raw",
    [b"", bytes(60), packet(ACK, b"\x08\x0a\0\0", 0), packet(ACK, b"\x08\0\0\0", 0)],
)
def test_what_is_no_segment_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"not an IPv4|no proper length"):
        parse(raw)


def test_states_are_kept_where_something_is_new() -> None:
    def state(cwnd: int, srtt: int) -> State:
        return State(cwnd, None, srtt, 0, 0, "open", 0, 0, 0, 0, 0, 0)

    states = [(0, state(10, 0)), (1, state(10, 5)), (2, state(10, 6)), (3, state(11, 6))]
    assert thin(states) == [states[1], states[3]]


def test_a_line_that_is_not_understood_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text("cc = reno\n\nsend 1 2 three 4\n")
    with pytest.raises(ValueError, match=r"bad\.txt, line 3"):
        read(path)


@pytest.fixture(scope="module")
def recordings() -> dict[str, Recording]:
    return {path.stem: read(path) for path in RECORDINGS.glob("*.txt")}


def test_each_case_is_recorded_and_45_of_each_congestion_control(
    recordings: dict[str, Recording],
) -> None:
    assert set(recordings) == set(cases.recorded())
    counts = Counter(recording.head["cc"] for recording in recordings.values())
    assert set(counts) == set(cases.CONGESTION_CONTROLS)
    assert min(counts.values()) >= 45


def test_recordings_are_of_a_wire_that_was_on_time(recordings: dict[str, Recording]) -> None:
    for recording in recordings.values():
        assert int(recording.head["late_us"].split()[2]) <= 1000


def test_recordings_lost_what_they_say(recordings: dict[str, Recording]) -> None:
    for recording in recordings.values():
        data = [send for send in recording.sends if send.length]
        lost = [number for number, send in enumerate(data, 1) if send.fate is Fate.LOST]
        assert lost == [int(number) for number in recording.head["losses"].split()]


def test_recordings_agree_with_the_wires_arithmetic(recordings: dict[str, Recording]) -> None:
    """Nothing is acknowledged that the wire cannot have brought yet."""
    header = 52
    for name, recording in recordings.items():
        delay = round(float(recording.head["delay_ms"]) * 1000)
        line = Line(int(recording.head["rate_bps"]), delay * 1000)
        out = {}
        for send in recording.sends:
            if send.fate is Fate.ARRIVES:
                at = line.enter(send.time_us * 1000, send.length + header) or 0
                out.setdefault(send.sequence + send.length, at // 1000)
        for ack in recording.acks:
            assert ack.time_us >= out[ack.acknowledgment] + delay - 100, (name, ack)


def test_the_grid_is_a_third_of_all_and_repeats_its_losses() -> None:
    cells = list(grid.cells())
    wires = {(cell.rate_bps, cell.delay_ms, cell.buffer, cell.loss) for cell in cells}
    assert len(wires) == 4 * 3 * 3 * 3 // 3
    seeds: dict[tuple[object, ...], set[int]] = {}
    for cell in cells:
        key = (cell.rate_bps, cell.delay_ms, cell.buffer, cell.loss, cell.bytes)
        seeds.setdefault(key, set()).add(cell.seed)
    assert all(len(found) == 1 for found in seeds.values())
    assert len({min(found) for found in seeds.values()}) == len(seeds)


def test_the_grid_is_whole_and_no_faster_than_its_wire() -> None:
    with (Path(grid.__file__).parent / "grid.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    keys = ("cc", "rate_bps", "delay_ms", "buffer_packets", "loss", "seed", "bytes")
    cells = [
        (cell.cc, cell.rate_bps, cell.delay_ms, cell.buffer, cell.loss, cell.seed, cell.bytes or "")
        for cell in grid.cells()
    ]
    assert [tuple(row[key] for key in keys) for row in rows] == [
        tuple(map(str, cell)) for cell in cells
    ]
    for row in rows:
        rate, low, high = float(row["rate_bps"]), float(row["low"]), float(row["high"])
        assert low <= float(row["median"]) <= high
        if row["bytes"]:
            least = int(row["bytes"]) * 1500 / 1448 * 8 / rate + 3e-3 * float(row["delay_ms"])
            assert least < low < high + 1e-9 < 240, row
        else:
            assert 0 < low <= high < rate * 1448 / 1500, row
