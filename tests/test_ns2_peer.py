"""The ns-2 script of a scenario, and ns-2 itself where it is installed."""

import copy
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop import Result
from multihop.peers import ns2
from multihop.peers.comparison import compare, trace_figures
from tests.conftest import Command

SNAPSHOT = Path(__file__).parent / "snapshots" / "two-hops.tcl"

RESOLVED: dict[str, Any] = {
    "title": "two hops",
    "duration_s": 11.5,
    "profile": "ns2",
    "topology": {"kind": "chain", "hops": 2, "spacing_m": 200},
    "mobility": {"kind": "static"},
    "radio": {
        "propagation": "two-ray-ground",
        "receive_range_m": 250.0,
        "sense_range_m": 550.0,
        "capture_db": 10.0,
    },
    "mac": {
        "scheme": "dcf",
        "phy": "dsss-1999",
        "data_rate_bps": 2e6,
        "basic_rate_bps": 1e6,
        "short_retry_limit": 7,
        "long_retry_limit": 4,
        "queue_packets": 50,
    },
    "routing": {"scheme": "aodv", "local_repair": True},
    "transport": {
        "scheme": "newreno",
        "link_failure": "ignore",
        "segment_bytes": 1460,
        "window_segments": 8,
    },
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 2, "start_s": 1.0, "stop_s": 11.0},
        {
            "kind": "cbr",
            "source": 1,
            "destination": 0,
            "start_s": 2.0,
            "stop_s": 12.0,
            "packet_bytes": 500,
            "rate_bps": 1e4,
        },
    ],
}


def result(**changes: Any) -> Result:
    """A finished run of RESOLVED with `section__key` changes."""
    scenario = copy.deepcopy(RESOLVED)
    for path, value in changes.items():
        section, _, key = path.partition("__")
        if key:
            scenario[section][key] = value
        else:
            scenario[section] = value
    ends = [{k: f[k] for k in ("kind", "source", "destination", "start_s", "stop_s")}
            for f in scenario["flows"]]  # fmt: skip
    counts = [
        {"acked_segments": 1000},
        {"received_packets": 25, "packet_bytes": 500, "rate_bps": 1e4},
    ]
    flows = [{"id": i, **ends[i], **counts[i]} for i in range(len(ends))]
    mac = {"rts_sent": 10, "cts_sent": 9, "data_sent": 7, "broadcast_sent": 2, "ack_sent": 7}
    return Result(
        {
            "scenario": scenario,
            "seed": 1,
            "positions_m": [[-200.0, 0.0], [0.0, 0.0], [200.0, 0.0]],
            "flows": flows,
            "mac": {**mac, "retry_drops": 0, "collisions": 3},
            "routing": {"packets_sent": 5},
        }
    )


def test_script_is_as_the_snapshot() -> None:
    text = ns2.script(result(), RESOLVED).replace(str(Path(ns2.__file__).parent), "PEERS")
    assert text == SNAPSHOT.read_text()


WAYPOINT = """\
duration_s = 30
seed = 3
[topology]
kind = "chain"
hops = 2
[mobility]
kind = "random-waypoint"
area_m = [400, 100]
[[flows]]
kind = "ftp"
source = 0
destination = 2
start_s = 1
stop_s = 29
"""


def test_movement_is_in_the_script_above_zero_and_depends_on_the_seed() -> None:
    movement = multihop.movement(WAYPOINT, seed=4)
    assert "$node_(2) set X_ 400.000000000000\n$node_(2) set Y_ 0.000000000000\n" in movement
    moved = ns2._above_zero(movement)[0]
    assert "$node_(2) set X_ 401.000000000000\n$node_(2) set Y_ 1.000000000000\n" in moved
    assert moved.count("setdest") == movement.count("setdest") > 2
    run = multihop.run(WAYPOINT, seed=4)
    assert moved in ns2.script(run, ns2.defaults(run))
    assert moved not in ns2.script(multihop.run(WAYPOINT, seed=5), ns2.defaults(run))


@pytest.mark.parametrize(
    ("range_m", "watts"), [(250, 3.652e-10), (550, 1.559e-11), (500, 2.282e-11)]
)
def test_thresholds_are_those_of_the_known_ranges(range_m: float, watts: float) -> None:
    assert ns2.threshold_w(range_m) == watts


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"routing__scheme": "dcar"}, "routing.scheme = 'dcar'"),
        ({"transport__scheme": "tcp-ap"}, "transport.scheme = 'tcp-ap'"),
        ({"transport__link_failure": "elfn"}, "transport.link_failure = 'elfn'"),
        ({"mac__scheme": "semi-tcp"}, "mac.scheme = 'semi-tcp'"),
        ({"mac__phy": "802.11b"}, "mac.phy = '802.11b'"),
        ({"radio__propagation": "log-distance"}, "radio.propagation = 'log-distance'"),
        ({"radio__propagation": "free-space"}, "radio.propagation = 'free-space'"),
        ({"profile": "standard"}, "profile 'standard'"),
        ({"routing__local_repair": False}, "routing.local_repair = False"),
        ({"radio__receive_range_m": 50.0}, "50 m"),
        ({"topology__kind": "links"}, "explicit links"),
        ({"events": [{"kind": "link-failure"}]}, "scripted events"),
    ],
)
def test_what_ns2_has_not_got_is_named(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ns2.UnsupportedError, match=says) as caught:
        ns2.script(result(**changes), RESOLVED)
    assert "\n" not in str(caught.value)


def test_trace_counts_become_figures() -> None:
    counts = {
        "s MAC --- RTS": 9,
        "s MAC --- tcp": 4,
        "s MAC --- ARP": 2,
        "s MAC --- ACK": 4,
        "D MAC COL RTS": 3,
        "D MAC COL AODV": 2,
        "D MAC RET RTS": 1,
        "D MAC RET tcp": 1,
        "s RTR --- AODV": 5,
        "f RTR --- AODV": 6,
        "f RTR --- tcp": 7,
    }
    figures = trace_figures(counts)
    assert figures["RTS sent"] == 9
    assert figures["DATA sent"] == 6
    assert figures["collisions"] == 5
    assert figures["retry drops"] == 1
    assert figures["routing packets"] == 11


def test_comparison_gives_what_each_flow_and_all_got_through() -> None:
    runs = [ns2.Run(seed, {0: 1000, 1: count}) for seed, count in ((1, 25), (2, 50))]
    rows = compare([result(), result()], runs)
    assert [row.figure.split()[0] for row in rows] == ["flow", "flow", "total"]
    assert rows[0].ours.value == pytest.approx(1000 * 1460 * 8 / 10 / 1e3)
    assert [row.figure.partition(") ")[2] for row in rows[:2]] == [
        "acked, kbit/s",
        "received, kbit/s",
    ]
    assert rows[2].figure == "total acked or received, kbit/s"
    assert rows[0].verdict == "agrees"
    # Its life ends with the run, at 11.5 s.
    assert rows[1].ours.value == pytest.approx(25 * 500 * 8 / 9.5 / 1e3)
    assert rows[1].difference == pytest.approx(25 / 37.5 - 1)


def test_a_flow_between_other_nodes_with_each_seed_varies() -> None:
    ours = [result(), result()]
    ours[1].json["flows"][0]["source"] += 1
    rows = compare(ours, [ns2.Run(1, {0: 1000, 1: 25})] * 2)
    destination = ours[0].json["flows"][0]["destination"]
    assert rows[0].figure == f"flow 0 (varies→{destination}) acked, kbit/s"
    assert "varies" not in rows[1].figure


def counted(*segments: int) -> list[Result]:
    """Runs in which flow 0 got so many segments acknowledged."""
    runs = [result() for _ in segments]
    for run, count in zip(runs, segments, strict=True):
        run.json["flows"][0]["acked_segments"] = count
    return runs


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ((1000, 1010), (1005, 1015), "agrees"),
        ((1000, 1004, 1008), (1300, 1304, 1308), "differs"),
        ((0, 2000), (900, 1100), "cannot tell"),
        ((10, 10), (0, 3), "cannot tell"),
        ((0, 0), (0, 0), "agrees"),
        # Three standard errors, but those of two seeds: t of one degree of freedom is 12.7.
        ((1000, 1001), (1200, 1300), "cannot tell"),
    ],
)
def test_few_seeds_cannot_tell(
    ours: tuple[int, ...], theirs: tuple[int, ...], verdict: str
) -> None:
    runs = [ns2.Run(seed, {0: count, 1: 25}) for seed, count in enumerate(theirs)]
    row = compare(counted(*ours), runs)[0]
    assert row.word == verdict
    assert row.verdict.startswith(verdict)


def test_a_verdict_that_cannot_tell_says_how_wide_the_interval_is() -> None:
    runs = [ns2.Run(seed, {0: count, 1: 25}) for seed, count in enumerate((900, 1100))]
    sides = counted(0, 2000)
    # Welch: standard errors 1000 and 100, so 1.02 degrees of freedom and t = 12.13.
    assert compare(sides, runs)[0].verdict == "cannot tell (±1219%)"
    assert compare(sides, runs, tolerance=13)[0].verdict == "agrees"


def test_without_ns2_compare_says_how_to_get_it(
    chain: Path, tmp_path: Path, multihop_command: Command
) -> None:
    done = multihop_command("compare", chain, "--with", "ns2", path=str(tmp_path))
    assert done.returncode == 3
    assert done.stderr == "multihop: ns-2 is not installed: apt-get install ns2\n"


needs_ns2 = pytest.mark.needs("ns")


@needs_ns2
def test_ns2_runs_the_script_and_its_counts_are_read() -> None:
    runs = ns2.run(dict.fromkeys((1, 2), ns2.script(result(), RESOLVED)), traced=True)
    assert [run.seed for run in runs] == [1, 2]
    for run in runs:
        assert 300 < run.delivered[0] < 600
        assert 20 <= run.delivered[1] <= 25
        assert trace_figures(run.counts)["RTS sent"] > 1000


@needs_ns2
def test_ns2_takes_our_movement() -> None:
    run = multihop.run(WAYPOINT)
    (peer,) = ns2.run({3: ns2.script(run, ns2.defaults(run))}, traced=False)
    assert peer.delivered[0] > 100


@needs_ns2
def test_a_script_that_fails_is_one_line() -> None:
    with pytest.raises(ns2.FailedError, match="code 1 at seed 7"):
        ns2.run({7: "no-such-command"}, traced=False)


@needs_ns2
def test_compare_prints_a_verdict_a_figure(chain: Path, multihop_command: Command) -> None:
    done = multihop_command("compare", chain, "--with", "ns2", "--seeds", 3)
    assert done.returncode == 0, done.stderr
    for figure in ("flow 0 (0→2) acked", "RTS sent", "collisions", "routing packets"):
        (line,) = [line for line in done.stdout.splitlines() if figure in line]
        assert any(word in line for word in ("agrees", "differs", "cannot tell"))
