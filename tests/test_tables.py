"""Tables of results in a terminal."""

import io
import re

import pytest
from rich.console import Console

import multihop
from multihop import Result
from multihop.cli import tables
from multihop.cli.listing import listed
from multihop.cli.tables import Column
from tests.conftest import CHAIN

FLOW = {
    "id": 17, "kind": "ftp", "source": 103, "destination": 117, "shortest_hops": 6,
    "goodput_bps": 1_234_567.0, "delivered_segments": 12_345, "acked_segments": 12_340,
    "sent_segments": 13_456, "retransmits": 1_111, "timeouts": 222, "mean_delay_s": 0.1234,
    "mean_hops": 6.04,
}  # fmt: skip
CBR = {
    "id": 18, "kind": "cbr", "source": 3, "destination": 9, "shortest_hops": None,
    "goodput_bps": 100.0, "received_packets": 77, "sent_packets": 99, "mean_delay_s": None,
    "mean_hops": None,
}  # fmt: skip


def result(seed: int = 1) -> Result:
    return Result(
        {
            "scenario": {
                "title": "a mesh of forty nodes, and one more",
                "routing": {"scheme": "multipath-aodv"},
                "transport": {"scheme": "newreno"},
                "mac": {"scheme": "dcf"},
            },
            "seed": seed,
            "flows": [{**FLOW, "goodput_bps": FLOW["goodput_bps"] * seed}, CBR],
            "mac": {"rts_sent": 123_456, "cts_sent": 0},
            "routing": {"packets_sent": 7, "hello_packets": 0, "hello_bytes": 0},
            "queue": {"drops": 0, "codel_drops": 0, "ecn_marks": 0, "mean_packets": 0.25},
            "engine": {"events": 1_000_000, "wall_s": 1.0},
        }
    )


def printed(width: int, *, seeds: int = 1, verbose: bool = False) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False, force_terminal=True)
    if seeds == 1:
        tables.show_result(result(), out, verbose=verbose)
    else:
        tables.show_results([result(seed) for seed in range(1, seeds + 1)], out, verbose=verbose)
    text = re.sub(r"\x1b\[[0-9;]*m", "", out.file.getvalue())  # type: ignore[attr-defined]
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    return text


@pytest.mark.parametrize("width", [60, 80, 110])
def test_a_flow_keeps_its_number_ends_and_goodput_at_any_width(width: int) -> None:
    text = printed(width)
    for cell in ("17", "103 → 117", "1,234.6", "12,345"):
        assert cell in text
    assert "12,340" not in text, "what was acknowledged is not what was delivered"


def test_columns_give_way_by_rank_and_are_named() -> None:
    wide = printed(110)
    assert "wider terminal" not in wide
    for cell in ("13,456", "1,111", "222", "0.123", "6.04", "ftp", "cbr"):
        assert cell in wide
    narrow = printed(80)
    assert "222" in narrow
    assert "6.04" not in narrow
    (note,) = [line for line in narrow.splitlines() if "wider terminal" in line]
    assert "shortest hops" in note
    assert "mean hops" in note


@pytest.mark.parametrize("width", [80, 110])
def test_means_over_seeds_fit(width: int) -> None:
    text = printed(width, seeds=3)
    assert "103 → 117" in text
    assert "2,469.1 ±" in text
    assert "12,345 ± 0" in text


def test_counters_are_for_who_asks_and_zeros_are_left_out() -> None:
    assert "rts sent" not in printed(80)
    assert "mean packets 0.25, all other counters 0" in printed(80)
    verbose = printed(80, verbose=True)
    assert "rts sent 123,456, all other counters 0" in verbose
    assert "hello" not in verbose


def test_a_text_column_wraps_before_another_is_left_out() -> None:
    columns = (Column("figure", left=True, wraps=True), Column("value"), Column("bar", 1))
    rows = [["packets that reached their destination in order", "1,234 ± 5", "10 %"]]
    made, without = tables.fitted(None, columns, rows, 40)
    assert without == []
    out = Console(file=io.StringIO(), width=40)
    out.print(made)
    assert "1,234 ± 5" in out.file.getvalue()  # type: ignore[attr-defined]


def test_one_word_has_one_meaning() -> None:
    run = multihop.run(CHAIN)
    flow = run.json["flows"][0]
    out = Console(file=io.StringIO(), width=110)
    tables.show_result(run, out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    payload_bits = 8 * flow["delivered_segments"] * run.scenario["transport"]["segment_bytes"]
    assert f"{payload_bits / (flow['stop_s'] - flow['start_s']) / 1e3:.1f}" in text
    assert f" {flow['delivered_segments']:,} " in text


def test_a_long_word_is_broken_and_not_cut() -> None:
    out = Console(file=io.StringIO(), width=30, highlight=False)
    name = "chain-aodv-newreno-w8-512B-200m-1hop"
    tables.show(
        None, [Column("case", left=True, wraps=True), Column("verdict")], [[name, "pass"]], out
    )
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert "".join(line.replace("pass", "").strip() for line in text.splitlines()[3:]) == name


def test_a_list_hangs_its_last_column_in_a_terminal_and_loses_nothing() -> None:
    rows = [("a-name", "unit", "What it is, in more words than fit."), ("b", "", "Short.")]
    narrow = [*listed(rows, 40)]
    assert max(map(len, narrow)) <= 40
    first, second, other = narrow
    text = first.index("What")
    assert second[:text].isspace()
    assert other.index("Short") == text
    assert f"{first[text:]} {second[text:]}" == rows[0][2]
    assert next(listed(rows, None)).endswith(rows[0][2])


@pytest.mark.parametrize("title", ["a title " * 9, "short"])
def test_a_title_has_the_width_of_the_screen_and_not_of_its_table(title: str) -> None:
    out = Console(file=io.StringIO(), width=100, highlight=False)
    out.print(tables.table(title, ["flow", "goodput"]))
    assert out.file.getvalue().splitlines()[0].strip() == title.strip()  # type: ignore[attr-defined]


FILES = """
duration_s = 30
[topology]
kind = "chain"
hops = 2
[[flows]]
name = "upload"
kind = "file"
source = 0
destination = 2
bytes = 100000
[[flows]]
name = "huge"
kind = "file"
source = 2
destination = 0
bytes = 900000000
[[flows]]
name = "call"
kind = "voice"
source = 0
destination = 2
"""


def shown(results: list[Result], width: int) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False)
    if len(results) == 1:
        tables.show_result(results[0], out)
    else:
        tables.show_results(results, out)
    return str(out.file.getvalue())  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [80, 120])
def test_a_flow_has_its_name_wherever_it_stands(width: int) -> None:
    text = shown([multihop.run(FILES)], width)
    for cell in ("0 upload", "1 huge", "2 call", "flow 2 (call): MOS"):
        assert cell in text


def test_a_file_says_when_it_was_complete() -> None:
    """Its time is that from its start to the last byte, which the transfers have as well."""
    run = multihop.run(FILES)
    upload, huge, call = run.json["flows"]
    assert upload["completion_s"] == upload["transfers"]["time_s"][0] == upload["stop_s"]
    assert "completion_s" not in huge
    assert "completion_s" not in call
    text = shown([run], 140)
    assert f"{upload['completion_s']:.3f}" in text
    assert "never" in text
    assert "1 of 1 complete" not in text


def test_several_seeds_keep_scores_and_times() -> None:
    runs = multihop.run_many(FILES, seeds=[1, 2, 3], workers=1)
    text = shown(runs, 120)
    assert "flow 0 (upload): complete with 3 of 3 seeds, in " in text
    assert "flow 1 (huge): complete with 0 of 3 seeds" in text
    lost = [run.json["flows"][2]["voice"]["loss"] for run in runs]
    (score,) = [line for line in text.splitlines() if "flow 2 (call): MOS" in line]
    assert f"{100 * sum(lost) / 3:.1f} ± " in score


MANY = """
duration_s = 12
[topology]
kind = "chain"
hops = 1
[[flows]]
name = "short"
kind = "file"
source = 0
destination = 1
bytes = 3000
arrivals_per_s = 2
stop_s = 10
[[flows]]
name = "reader"
kind = "web"
source = 0
destination = 1
"""


def test_times_of_several_seeds_are_those_of_each_seed_s_transfers() -> None:
    runs = multihop.run_many(MANY, seeds=[1, 2], workers=1)
    counts = [sum(flow["kind"] == "file" for flow in run.json["flows"]) for run in runs]
    assert counts[0] != counts[1]
    text = shown(runs, 160)
    half = abs(counts[0] - counts[1]) / 2 * 12.706  # Student's t with one degree of freedom
    assert f"short (file): {sum(counts) / 2:.1f} ± {half:.1f} of " in text
    assert "many × short" in text
    # Its number depends on how many came before it.
    assert "\n reader " in text.replace("  ", " ")
