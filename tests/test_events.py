"""The record of events from Python and the command line."""

from pathlib import Path

import polars as pl
import pytest
from tools import events_page

import multihop
from multihop import Watch, catalogue, engine
from tests.conftest import CHAIN, Called


def test_columns_have_the_types_and_words_that_the_page_says() -> None:
    events = multihop.run(CHAIN, events=True).events
    columns = engine.event_columns()
    assert events.columns == [column.name for column in columns]
    for column in columns:
        if column.words is not None:
            known = [word for word in column.words if word]
            assert events.schema[column.name] == pl.Enum(known)
    assert events["time_ns"].is_sorted()
    assert events["event"].null_count() == 0
    assert events.filter(event="tcp")["cwnd"].null_count() == 0
    assert events.filter(event="transmit", kind="rts")["packet"].null_count() > 0


def test_a_record_leaves_the_run_as_it_is() -> None:
    plain, recorded = (multihop.run(CHAIN, seed=3, events=wanted) for wanted in (False, True))
    assert plain.json["engine"]["fingerprint"] == recorded.json["engine"]["fingerprint"]
    assert plain.json["flows"] == recorded.json["flows"]
    with pytest.raises(ValueError, match="no events were recorded: pass events=True"):
        _ = plain.events


def test_the_way_of_a_packet_is_its_rows() -> None:
    events = multihop.run(CHAIN, events=True).events
    delivered = events.filter(event="deliver", content="tcp-data")["packet"][5]
    way = events.filter(packet=delivered)
    assert way["event"][0] == "send"
    assert way["event"][-1] == "deliver"
    hops = way.filter(event="receive", kind="data").select("peer", "node").rows()
    assert hops == [(0, 1), (1, 2)]


def test_more_rows_than_a_block_holds_stay_in_order() -> None:
    events = multihop.run(CHAIN, set={"duration_s": 60}, events=True).events
    assert events.height > 2**15
    assert events["time_ns"].is_sorted()
    assert events.filter(event="transmit")["frame"].is_sorted()


def test_the_command_writes_a_parquet_file_of_the_window(called: Called, tmp_path: Path) -> None:
    window = ["--from", "2", "--to", "3", "--node", "2"]
    assert called("run", "six-hops", "--trace", "events.parquet", *window).returncode == 0
    events = pl.read_parquet(tmp_path / "events.parquet")
    seconds = events["time_ns"] / 1e9
    assert seconds.is_between(2, 3, closed="left").all()
    assert (events["node"].eq(2) | events["peer"].eq(2)).all()
    whole = multihop.run(
        catalogue.scenario_file("six-hops"), events=Watch(from_s=2, to_s=3, nodes=(2,))
    ).events
    assert events.equals(whole)


def test_a_mac_that_sends_has_counted_its_backoff_down() -> None:
    events = multihop.run(CHAIN, set={"duration_s": 12}, events=True).events
    macs = events.filter(event="mac")
    assert macs.filter(pl.col("backoff_slots") > pl.col("cw_slots")).is_empty()
    drawn = macs.filter(state="contending")["backoff_slots"]
    assert drawn.n_unique() > 20
    sent = macs.filter(pl.col("state").is_in(["awaiting-cts", "awaiting-ack"]))
    assert sent["backoff_slots"].unique().to_list() == [0]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (
            ["--trace", "t.parquet", "--seeds", "2"],
            "--trace records one run: leave --seeds out",
        ),
        (["--from", "2"], "--from, --to, --node and --flow go with --trace, --perfetto or --pcap"),
        (["--trace", "t.parquet", "--node", "99"], "--node: must be a node, 0 to 6 (got 99)"),
        (
            ["--trace", "t.parquet", "--from", "3", "--to", "2"],
            "--to has to be after --from",
        ),
        (["--trace", "no/t.parquet"], "no/t.parquet: its folder does not exist"),
    ],
)
def test_wrong_windows_are_one_line(
    arguments: list[str], fault: str, called: Called, tmp_path: Path
) -> None:
    said = called("run", "six-hops", *arguments)
    assert said.returncode == 2
    assert fault in said.stderr
    assert not list(tmp_path.iterdir())


def test_the_page_has_the_columns_as_they_are() -> None:
    text = events_page.PAGE.read_text(encoding="utf-8")
    begin, end = events_page.MARKERS
    assert text.partition(begin)[2].partition(end)[0].strip() == events_page.tables(), "make schema"
