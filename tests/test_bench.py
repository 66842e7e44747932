"""The table that `make bench` writes."""

from pathlib import Path

import numpy as np
import pytest
from benches.bound_certificates import scenario
from benches.known_rates import LEAST_BPS, held
from benches.peers import FAMILIES, MARKERS, Family, Peer, Run, Timings, table
from benches.where import by_layer

import multihop
from multihop.files import PageError, put_between
from multihop.peers import ns3


def test_every_family_has_its_reference_cases() -> None:
    assert [len(family.names("*")) for family in FAMILIES] == [5, 5, 5, 1, 3, 3, 1, 1, 1, 3]


def test_the_network_of_today_is_one_that_ns3_can_be_given(tmp_path: Path) -> None:
    result = multihop.run(FAMILIES[-1].scenario("today-2"), seed=1, set={"duration_s": 2.5})
    told = dict(text.removeprefix("--").split("=") for text in ns3.arguments(result, tmp_path))
    assert (told["standard"], told["data"]) == ("80211g", "ErpOfdmRate24Mbps")
    assert len(Path(told["nodes"]).read_text().splitlines()) == 200
    assert len(Path(told["flows"]).read_text().splitlines()) == 10


def test_a_row_has_medians_and_the_spread_of_ratios() -> None:
    timings = Timings(Family("grid", "grid-*"), 1)
    timings.ours = [Run(0.1, 9.0, 90), Run(0.2, 9.0, 100), Run(0.3, 9.0, 110)]
    timings.peers = {"ns2": [Run(2.0, 9.0, 80), Run(4.0, 9.0, 120)]}
    timings.ratios = {"ns2": [10.0, 40.0]}
    peers = [Peer(key, title, lambda _: lambda: 0) for key, title in (("ns2", "A"), ("ns3", "B"))]
    row = table([timings], peers).splitlines()[-1]
    expected = "| grid | 1 | 0.200 | 3.00 | **25.0** (10.0 to 40.0) | – | – | 100 / 100 / – |"
    assert row == expected


def test_inlined_library_counts_for_the_layer_that_calls_it_and_a_call_where_it_goes() -> None:
    engine = "/here/crates/multihop/src"
    lines = f"""
fl=(1) {engine}/mac/dcf.rs
fn=(1) starts
10 5
fi=(2) /rust/library/core/src/cmp.rs
+3 7
fi=(3) {engine}/kernel/queue.rs
-2 11
fe=(1)
* 13
cfi=(4) /rust/library/alloc/src/vec/mod.rs
cfn=(2) grow
calls=3 1
12 1000
fl=(4)
fn=(2)
1 17
fi=(1)
4 19
""".splitlines()
    assert by_layer(lines) == {"MAC": 5 + 7 + 13 + 19, "event queue": 11, "library and rest": 17}


def test_a_page_keeps_what_is_outside_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = MARKERS
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    put_between(page, MARKERS, "new")
    assert page.read_text() == f"before\n{begin}\nnew\n{end}\nafter\n"
    page.write_text("no markers\n")
    with pytest.raises(PageError):
        put_between(page, MARKERS, "new")


@pytest.mark.parametrize("over", ["tcp", "udp"])
def test_flows_that_know_their_rates_are_those_that_did_not(over: str) -> None:
    asked = {**scenario(4), "seed": 3, "duration_s": 20, "routing": {"scheme": "static"}}
    rates_bps = np.array([2e4, 0.0, 5e4, 1e4])
    drawn = multihop.run(asked).json["flows"]
    flows = multihop.run({**asked, "flows": held(asked, rates_bps, over)}).json["flows"]
    a_packet_more_bps = 1460 * 8 / 14  # the first leaves at once; each runs for 15 s or more
    for flow, before, rate_bps in zip(flows, drawn, rates_bps, strict=True):
        for key in ("source", "destination", "start_s"):
            assert flow[key] == before[key]
        assert flow["goodput_bps"] <= max(rate_bps, LEAST_BPS) + a_packet_more_bps
