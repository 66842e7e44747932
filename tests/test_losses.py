"""What a run lacks to the fairest rates: closed forms, and one cause at a time."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from click.testing import CliRunner

import multihop
from multihop.bound.losses import WORDS, Losses, fairest, losses
from multihop.bound.network import read
from multihop.cli import cli

# 1460 bytes and 62 of headers with UDP: 192 µs and 1522 bytes at 2 Mbit/s. RTS 352, answers 304 µs.
WHOLE_S = 50e-6 + 352e-6 + 304e-6 + 192e-6 + 8 * 1522 / 2e6 + 304e-6 + 3 * 10e-6
BACKOFF_S = 15.5 * 20e-6
# Two calls; two rounds of 16 places, RTS, CTS and a tone; two data frames; ACK, what is returned,
# ACK. A frame is followed by SIFS, 10 µs.
ROUND_S = 16 * 20e-6 + 10e-6 + 362e-6 + 314e-6 + 30e-6
DATA_S = 2 * (192e-6 + 8 * 1534 / 2e6 + 10e-6)
ANSWERS_S = 2 * 314e-6 + 192e-6 + 8 * 98 / 2e6 + 10e-6
SLOT_S = 2 * 20e-6 + 2 * ROUND_S + DATA_S + ANSWERS_S
SLOTS = {"mac": {"access": "slot-reservation"}}


def network(hops: int, *flows: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {
        "duration_s": 20,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "routing": {"scheme": "static"},
        "link": {"arp": False},
        "flows": [{"start_s": 0, "kind": "ftp", **flow} for flow in flows],
        **keys,
    }


def lost(scenario: dict[str, Any] | str, **run: Any) -> Losses:
    most = fairest(read(scenario, **run), gap=0.01, seconds=10)
    return losses(most, multihop.run(scenario, events=True, **run))


def test_one_hop_that_is_full_lacks_its_backoffs() -> None:
    flow = {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1460, "rate_bps": 1e7}
    found = lost(network(1, flow))
    assert found.within_fair_rates == pytest.approx(WHOLE_S / (WHOLE_S + BACKOFF_S), abs=0.003)
    assert found.backoff == pytest.approx(BACKOFF_S / (WHOLE_S + BACKOFF_S), abs=0.003)
    assert found.tcp_acks == found.retransmissions == found.routing == 0
    assert abs(found.unaccounted) < 0.002


@pytest.mark.parametrize(
    "scheme", [None, "tcp-ap", "semi-tcp", "ez-flow", "diffq", "slot-reservation"]
)
def test_the_parts_add_up_to_the_bound(scheme: str | None) -> None:
    random = {
        "duration_s": 15,
        "topology": {"kind": "random", "nodes": 30, "area_m": [900, 600], "connected": True},
        "flows": [{"kind": "ftp", "source": "random", "destination": "random", "count": 4}],
    }
    found = lost(random, scheme=scheme, seed=3)
    assert abs(found.unaccounted) < 0.01
    credit = {"unaccounted", "uncleared", "together"}
    assert min(part for name, part in found.parts.items() if name not in credit) > -0.002
    assert max(found.uncleared, found.together) <= 0
    assert (found.uncleared < 0) == (scheme == "slot-reservation")
    assert 0.05 < found.within_fair_rates + found.beyond_fair_rates < 1


def test_a_window_of_one_leaves_all_hops_but_one_without_packets() -> None:
    flow = {"source": 0, "destination": 6}
    found = lost(network(6, flow, transport={"window_segments": 1}))
    wide = lost(network(6, flow, transport={"window_segments": 32}))
    assert found.packets_elsewhere > 2 * wide.packets_elsewhere
    assert found.deferral < 0.02 < wide.deferral
    assert found.queueing == pytest.approx(0, abs=0.001)


def test_senders_that_do_not_hear_each_other_try_in_vain() -> None:
    """Without RTS, and with a sense range of one hop."""
    flows = [
        {"kind": "cbr", "source": end, "destination": 1, "packet_bytes": 1000, "rate_bps": 1e6}
        for end in (0, 2)
    ]
    hidden = {"radio": {"sense_range_m": 250}, "mac": {"rts_threshold_bytes": math.inf}}
    assert lost(network(2, *flows, **hidden)).failed_attempts > 0.1
    assert lost(network(2, *flows)).failed_attempts < 0.05


def test_one_hop_that_is_full_lacks_what_its_slots_have_beside_data() -> None:
    flow = {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1460, "rate_bps": 1e7}
    found = lost(network(1, flow, **SLOTS))
    data_s = 192e-6 + 8 * 1522 / 2e6
    expected = {
        "within_fair_rates": 2 * WHOLE_S,
        "uncleared": -2 * (WHOLE_S - data_s),
        "reservation": 2 * 20e-6 + 2 * ROUND_S,
        "mac_acks": ANSWERS_S,
        "partly_filled": DATA_S - 2 * data_s,
    }
    for name, seconds in expected.items():
        assert found.parts[name] == pytest.approx(seconds / SLOT_S, abs=0.005), name
    assert abs(found.unaccounted) < 0.002


def test_slots_of_others_pass_with_nobody_on_the_air() -> None:
    flow = {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1460, "rate_bps": 1e7}
    table = {"slot_s": 0.02, "slots": [0, 1]}
    found = lost(network(1, flow, mac={"access": "tdma", "tdma": table}))
    assert found.backoff > 0.5
    assert found.reservation == found.failed_attempts == found.partly_filled == 0
    assert abs(found.unaccounted) < 0.002


def test_senders_that_sense_each_other_send_together_in_slots_alone() -> None:
    """They are in the middle, their receivers outside."""
    flows = [
        {"kind": "cbr", "source": own, "destination": peer, "packet_bytes": 1460, "rate_bps": 1e7}
        for own, peer in ((1, 0), (2, 3))
    ]
    positions = {"kind": "positions", "positions_m": [[0, 0], [200, 0], [500, 0], [700, 0]]}
    exposed = network(1, *flows) | {"topology": positions}
    found = lost(exposed | SLOTS)
    assert found.together < -0.5
    assert found.within_fair_rates + found.beyond_fair_rates > 1.5
    assert found.deferral < 0.05
    assert lost(exposed).together == 0


def test_a_slot_that_two_ask_for_and_nobody_gets_is_one_in_vain() -> None:
    """Their receiver hears both and grants neither."""
    flows = [
        {"kind": "cbr", "source": end, "destination": 1, "packet_bytes": 1460, "rate_bps": 1e6}
        for end in (0, 2)
    ]
    deaf = {"radio": {"sense_range_m": 250}}
    assert lost(network(2, *flows, **SLOTS, **deaf)).failed_attempts > 0.1
    assert lost(network(2, *flows, **SLOTS)).failed_attempts < 0.05


def test_slots_that_are_open_for_broadcasts_count_as_routing() -> None:
    flow = {"source": 0, "destination": 1}
    babel = {"routing": {"scheme": "babel", "hello_interval_s": 0.25, "update_interval_s": 1}}
    # Some four a second of each of two stations, and as many slots of 16 ms.
    assert 0.05 < lost(network(1, flow, **SLOTS, **babel)).routing < 0.2


def test_announcements_of_routing_cost_what_they_take_of_the_time() -> None:
    """Each of two stations says HELLO at 4 Hz in 0.2 to 1 ms: 0.2 to 0.8 % of the time."""
    flow = {"source": 0, "destination": 1}
    babel = {"routing": {"scheme": "babel", "hello_interval_s": 0.25, "update_interval_s": 1}}
    assert lost(network(1, flow)).routing == 0
    assert 0.001 < lost(network(1, flow, **babel)).routing < 0.02


def test_what_one_flow_has_beyond_its_fair_rate_is_not_counted_as_carried() -> None:
    near, far = {"source": 3, "destination": 4}, {"source": 0, "destination": 6}
    found = lost(network(6, near, far))
    assert found.beyond_fair_rates > 0.2
    assert found.within_fair_rates < 0.6


def test_the_command_shows_each_part_and_gives_them_to_programs() -> None:
    arguments = ["bound", "six-hops", "--losses"]
    shown = CliRunner().invoke(cli, arguments)
    assert shown.exit_code == 0
    assert "backoff and interframe spaces" in shown.stdout
    found = json.loads(CliRunner().invoke(cli, [*arguments, "--json", "-"]).stdout)
    assert abs(found["losses"]["unaccounted"]) < 0.002
    assert {*found["losses"]} == {*WORDS}
    assert found["flows"][0]["fair_bps"] > found["flows"][0]["goodput_bps"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["moving-50"], "nodes must not move"),
        (["cbr-chain"], "what they offer is all that limits them"),
        (["six-hops", "--curve"], "without --objective or --curve"),
        (["six-hops", "--objective", "total"], "without --objective or --curve"),
        (["indoor-grid"], "radio.reception"),
    ],
)
def test_what_cannot_be_broken_down_is_told_in_a_line(arguments: list[str], told: str) -> None:
    ran = CliRunner().invoke(cli, ["bound", *arguments, "--losses"])
    assert ran.exit_code == 2
    assert told in ran.output
    assert ran.output.count("\n") == 1
