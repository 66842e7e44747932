"""Channels for interfaces, and what they come to."""

from itertools import pairwise

import pytest

from multihop import channels, run
from multihop.channels.neighbourhood import neighbourhood
from multihop.errors import ScenarioError


def chain(hops: int) -> dict:
    flow = {"kind": "cbr", "source": 0, "destination": hops, "packet_bytes": 1000, "rate_bps": 6e5}
    return {
        "duration_s": 6,
        "topology": {"kind": "chain", "hops": hops},
        "link": {"arp": False},
        "routing": {"scheme": "static"},
        "flows": [{**flow, "start_s": 1}],
    }


def channels_of(tables: list[dict], nodes: int) -> list[set[int]]:
    everyone = range(nodes)
    return [{t["channel"] for t in tables if node in t.get("nodes", everyone)} for node in everyone]


def test_alike_is_the_first_channels_for_all():
    tables = channels.assign(chain(4), [1, 6, 11], radios=2, scheme="alike")
    assert tables == [{"name": "c1", "channel": 1}, {"name": "c6", "channel": 6}]


@pytest.mark.parametrize("scheme", ["greedy", "ko-2007"])
@pytest.mark.parametrize("radios", [2, 3])
def test_every_node_has_its_radios_and_every_link_of_a_chain_a_channel(scheme: str, radios: int):
    tables = channels.assign(chain(6), [1, 6, 11, 36], radios=radios, scheme=scheme)
    own = channels_of(tables, 7)
    assert [len(one) for one in own] == [radios] * 7
    assert all(a & b for a, b in pairwise(own))


def test_greedy_gives_three_hops_in_a_row_three_channels():
    # Links up to three apart are in each other's way: the fourth is like the first.
    own = channels_of(channels.assign(chain(5), [1, 6, 11], radios=2), 6)
    shared = [a & b for a, b in pairwise(own)]
    for first in range(3):
        assert len(set.union(*shared[first : first + 3])) == 3, shared


def test_ko_ends_where_no_node_gains_by_another_channel():
    near = neighbourhood(chain(7), None)
    own = channels_of(channels.assign(chain(7), [1, 6, 11, 36], scheme="ko-2007"), 8)
    assert all(1 in mine for mine in own), "the common channel"
    for node, mine in enumerate(own):
        (second,) = mine - {1}
        around = [one for other in near.senses[node] - {node} for one in own[other]]
        assert around.count(second) == min(map(around.count, [6, 11, 36]))


def test_greedy_carries_more_than_one_channel():
    scenario = chain(4)
    one = run(scenario, seed=1).json["flows"][0]["received_packets"]
    tables = channels.assign(scenario, [1, 6, 11], radios=2)
    several = run({**scenario, "interfaces": tables}, seed=1).json["flows"][0]["received_packets"]
    assert several > 1.8 * one


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"scheme": "random"}, "scheme: must be one of alike, greedy, ko-2007 (got 'random')"),
        ({"channels": [1, 1]}, "channels: must be different ones (got [1, 1])"),
        ({"channels": []}, "channels: must be different ones (got [])"),
        ({"radios": 4}, "radios: must be 1 to 3, as channels (got 4)"),
        ({"radios": 0}, "radios: must be 1 to 3, as channels (got 0)"),
    ],
)
def test_what_cannot_be_assigned(given: dict, says: str):
    chosen = {"channels": [1, 6, 11], **given}
    with pytest.raises(ScenarioError) as error:
        channels.assign(chain(3), chosen.pop("channels"), **chosen)
    assert str(error.value) == says
