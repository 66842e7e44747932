"""The timeline for Perfetto says what the record of events says."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import multihop
from multihop import Result, Watch
from tests import perfetto_trace
from tests.conftest import CHAIN, Called
from tests.perfetto_trace import Event, Track

NETWORK = """
duration_s = 12
seed = 4
[topology]
kind = "random"
nodes = 40
area_m = [1000, 1000]
[mobility]
kind = "random-waypoint"
speed_mps = [5, 20]
[routing]
scheme = "aodv"
[[flows]]
kind = "ftp"
source = "random"
destination = "random"
count = 4
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.DataFrame, list[Track]]:
    """A record that has every kind of loss, and its timeline."""
    result = multihop.run(NETWORK, events=True)
    return result.events, written(result, tmp_path_factory.mktemp("timeline"))


def written(result: Result, folder: Path) -> list[Track]:
    file = folder / "timeline.pftrace"
    result.write_perfetto(file)
    assert list(folder.iterdir()) == [file]
    return perfetto_trace.read(file)


def of(tracks: list[Track], group: str, name: str) -> dict[int, list[Track]]:
    """The tracks of this name by flow or node."""
    found: dict[int, list[Track]] = {}
    for track in tracks:
        if track.path[0] == group and track.path[2:] == (name,):
            number = int(track.path[1].split()[1].rstrip(":"))
            found.setdefault(number, []).append(track)
    return found


def frames(events: pl.DataFrame, *happenings: str) -> pl.DataFrame:
    """Rows about frames, with when each begins and ends there."""
    airtimes = events.filter(event="transmit").select("frame", airtime="airtime_ns")
    is_end = pl.col("event") != "transmit"
    begin = pl.col("time_ns") - pl.when(is_end).then("airtime").otherwise(0)
    return (
        events.filter(pl.col("event").is_in(happenings))
        .join(airtimes, on="frame")
        .with_columns(begin=begin, end=begin + pl.col("airtime"))
    )


@pytest.mark.parametrize(
    ("track", "happenings"), [("frames", ("transmit", "receive")), ("lost frames", ("miss",))]
)
def test_frames_are_slices_at_their_senders_and_receivers(
    track: str, happenings: tuple[str, ...], recorded: tuple[pl.DataFrame, list[Track]]
) -> None:
    events, tracks = recorded
    columns = ["frame", "packet", "content", "bytes", "flow", "number", "origin", "target"]
    if track == "lost frames":
        columns.append("by_frame")
    rows = frames(events, *happenings).select("node", "begin", "end", *columns)
    slices = Counter(
        (node, one.begin, one.end, *(one.notes.get(column) for column in columns))
        for node, lanes in of(tracks, "nodes", track).items()
        for lane in lanes
        for one in lane.slices
    )
    assert slices == Counter(rows.iter_rows())
    assert slices


def test_a_node_sends_and_receives_one_frame_at_a_time(
    recorded: tuple[pl.DataFrame, list[Track]],
) -> None:
    _, tracks = recorded
    assert {len(lanes) for lanes in of(tracks, "nodes", "frames").values()} == {1}
    assert max(len(lanes) for lanes in of(tracks, "nodes", "lost frames").values()) > 1


def test_an_arrow_leads_to_every_frame_received(
    recorded: tuple[pl.DataFrame, list[Track]],
) -> None:
    events, tracks = recorded
    slices = [
        (node, one)
        for node, (lane,) in of(tracks, "nodes", "frames").items()
        for one in lane.slices
    ]
    leaving = [(arrow, node, one) for node, one in slices for arrow in one.leaving]
    arriving = {arrow: (node, one) for node, one in slices for arrow in one.arriving}
    assert len(leaving) == len(arriving) == len({arrow for arrow, *_ in leaving})
    arrows = []
    for arrow, transmitter, sent in leaving:
        receiver, received = arriving[arrow]
        assert sent.begin <= received.begin
        assert sent.notes == received.notes
        assert sent.name == received.name
        arrows.append((sent.notes["frame"], transmitter, receiver))
    rows = events.filter(event="receive").select("frame", "peer", "node")
    assert Counter(arrows) == Counter(rows.iter_rows())
    of_broadcast = Counter(frame for frame, *_ in arrows)
    assert max(of_broadcast.values()) > 1


def test_names_say_what_frames_carry_and_what_became_of_them(
    recorded: tuple[pl.DataFrame, list[Track]],
) -> None:
    events, tracks = recorded
    sent = {row["frame"]: row for row in events.filter(event="transmit").iter_rows(named=True)}

    def name(frame: int) -> str:
        row = sent[frame]
        what = row["content"] if row["kind"] == "data" else row["kind"].upper()
        return f"{what} {row['node']} → {'all' if row['peer'] is None else row['peer']}"

    losses = {"collided": "collided with", "captured": "captured by"}
    names = set()
    for row in events.filter(event="miss").iter_rows(named=True):
        by = "" if row["by_frame"] is None else f" {name(row['by_frame'])}"
        names.add(f"{name(row['frame'])} lost: {losses.get(row['detail'], row['detail'])}{by}")
    lost = [lane for lanes in of(tracks, "nodes", "lost frames").values() for lane in lanes]
    assert {one.name for lane in lost for one in lane.slices} == names
    whole = [lane for lanes in of(tracks, "nodes", "frames").values() for lane in lanes]
    assert {one.name for lane in whole for one in lane.slices} == {name(frame) for frame in sent}


@pytest.mark.parametrize(
    ("group", "track", "happenings", "column"),
    [
        ("nodes", "queue", ["enqueue", "serve", "queue"], "queue"),
        ("nodes", "contention window", ["mac"], "cw_slots"),
        ("nodes", "backoff", ["mac"], "backoff_slots"),
        ("flows", "cwnd", ["tcp"], "cwnd"),
        ("flows", "ssthresh", ["tcp"], "ssthresh"),
        ("flows", "smoothed RTT", ["tcp"], "srtt_s"),
        ("flows", "RTO", ["tcp"], "rto_s"),
    ],
)
def test_counters_change_as_the_record_does(
    group: str,
    track: str,
    happenings: list[str],
    column: str,
    recorded: tuple[pl.DataFrame, list[Track]],
) -> None:
    events, tracks = recorded
    by = group.removesuffix("s")
    rows = events.filter(pl.col("event").is_in(happenings) & pl.col(column).is_finite())
    changes = rows.filter((pl.col(column) != pl.col(column).shift().over(by)).fill_null(True))
    counters = of(tracks, group, track)
    assert set(counters) == set(rows[by])
    for number, (counter,) in counters.items():
        expected = changes.filter(pl.col(by) == number).select("time_ns", column)
        assert counter.values == expected.rows()
        assert counter.values


def test_states_last_until_the_next(recorded: tuple[pl.DataFrame, list[Track]]) -> None:
    events, tracks = recorded
    last = max(one.end for track in tracks for one in track.slices if one.end is not None)
    for group, track, happening in [("nodes", "MAC", "mac"), ("flows", "sender", "tcp")]:
        by = group.removesuffix("s")
        rows = events.filter(event=happening)
        changes = rows.filter(pl.col("state").ne_missing(pl.col("state").shift().over(by)))
        lasting = changes.with_columns(end=pl.col("time_ns").shift(-1).over(by).fill_null(last))
        for number, (lane,) in of(tracks, group, track).items():
            states = lasting.filter((pl.col(by) == number) & (pl.col("state") != "idle"))
            expected = states.select("time_ns", "end", pl.col("state").cast(str)).rows()
            assert [(one.begin, one.end, one.name) for one in lane.slices] == expected
            assert expected or happening == "mac"


def test_instants_are_what_takes_no_time(recorded: tuple[pl.DataFrame, list[Track]]) -> None:
    events, tracks = recorded

    def instants(group: str, name: str) -> Counter[tuple[int, int, str]]:
        found: list[tuple[int, list[Event]]] = [
            (number, lane.instants) for number, (lane,) in of(tracks, group, name).items()
        ]
        return Counter((number, one.begin, one.name) for number, ones in found for one in ones)

    def rows(by: str, chosen: pl.Expr, name: pl.Expr) -> Counter[tuple[int, int, str]]:
        return Counter(events.filter(chosen).select(by, "time_ns", name.cast(str)).iter_rows())

    event, detail = pl.col("event").cast(str), pl.col("detail").cast(str)
    said = pl.concat_str(event, detail, separator=": ").fill_null(event)
    of_node = [
        "give-up",
        "next-hop",
        "arp-wait",
        "link-failure",
        "discovery",
        "route-error",
        "drop",
    ]
    assert instants("nodes", "events") == rows("node", event.is_in(of_node), said)
    assert instants("flows", "deliveries") == rows("flow", event == "deliver", pl.col("content"))
    of_packet = event.is_in(["drop", "next-hop", "link-failure"]) & pl.col("flow").is_not_null()
    of_call = (event == "tcp") & detail.is_in(["start", "stop", "timeout", "route-error"])
    of_flow = rows("flow", of_packet, said) + rows("flow", of_call, detail)
    assert instants("flows", "events") == of_flow
    assert {"timeout", "drop: no-route"} <= {name for *_, name in of_flow}


def test_groups_are_in_the_order_of_their_numbers(
    recorded: tuple[pl.DataFrame, list[Track]],
) -> None:
    events, tracks = recorded
    ends = events.filter(event="send", content="tcp-data").unique("flow").sort("flow")
    flows = [f"flow {flow}: {a} → {b}" for flow, a, b in ends["flow", "origin", "target"].rows()]
    groups = sorted((t for t in tracks if len(t.path) == 2), key=lambda t: (t.path[0], t.rank))
    assert [track.path[1] for track in groups if track.path[0] == "flows"] == flows
    nodes = [track.path[1] for track in groups if track.path[0] == "nodes"]
    assert nodes == [f"node {node}" for node in range(40)]


def test_the_command_writes_the_window(called: Called, tmp_path: Path) -> None:
    window = ["--from", "2", "--to", "3", "--node", "2"]
    both = ["--perfetto", "t.pftrace", "--trace", "events.parquet"]
    assert called("run", "six-hops", *both, *window).returncode == 0
    tracks = perfetto_trace.read(tmp_path / "t.pftrace")
    events = pl.read_parquet(tmp_path / "events.parquet")
    slices = sum(len(track.slices) for track in of(tracks, "nodes", "frames")[2])
    about_frames = pl.col("event").is_in(["transmit", "receive"]) & (pl.col("node") == 2)
    assert slices == events.filter(about_frames).height > 0
    leaving = [n for t in tracks for one in t.slices for n in one.leaving]
    arriving = [n for t in tracks for one in t.slices for n in one.arriving]
    assert sorted(leaving) == sorted(arriving)


def test_a_record_of_nothing_is_a_timeline_of_nothing(tmp_path: Path) -> None:
    result = multihop.run(CHAIN, events=Watch(from_s=1e6))
    file = tmp_path / "none.pftrace"
    result.write_perfetto(file)
    assert file.read_bytes() == b""


def test_a_timeline_needs_a_record_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no events were recorded: pass events=True"):
        multihop.run(CHAIN).write_perfetto(tmp_path / "t.pftrace")
    with pytest.raises(OSError, match=r"no.t\.pftrace"):
        multihop.run(CHAIN, events=True).write_perfetto(tmp_path / "no" / "t.pftrace")
    assert not list(tmp_path.iterdir())


def test_perfettos_own_messages_hold_all_that_is_written(tmp_path: Path) -> None:
    reason = "needs the package perfetto"
    trace_pb2 = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason=reason
    )
    unknown_fields = pytest.importorskip("google.protobuf.unknown_fields", reason=reason)
    result = multihop.run(CHAIN, events=True)
    tracks = written(result, tmp_path)
    trace = trace_pb2.Trace.FromString((tmp_path / "timeline.pftrace").read_bytes())

    def known(message: object) -> None:
        assert not len(unknown_fields.UnknownFieldSet(message))
        for field, value in message.ListFields():  # type: ignore[attr-defined]
            if field.message_type is not None:
                for inner in value if field.is_repeated else [value]:
                    known(inner)

    for packet in trace.packet:
        known(packet)
    begun = trace_pb2.TrackEvent.TYPE_SLICE_BEGIN
    slices = sum(packet.track_event.type == begun for packet in trace.packet)
    assert slices == sum(len(track.slices) for track in tracks)
