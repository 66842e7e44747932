"""The bound where nodes have several radios, cells and wires: hand-worked cases, certificates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import multihop
from multihop.bound import bound
from multihop.bound.losses import fairest
from multihop.bound.network import Network, read
from multihop.bound.objectives import plain
from multihop.bound.region import Cut, Region
from tests.test_bound import BITS, CORE_S, SLACK, WHOLE_S, chain, scenario

FRAME_S = 8 * (1500 + 38) / 1e8
"""Of a packet of 1460 bytes at 100 Mbit/s, with the gap after it."""


def radio(channel: int, nodes: list[int] | None = None, **keys: Any) -> dict[str, Any]:
    given = {} if nodes is None else {"nodes": nodes}
    return {"name": f"on {channel} {keys.get('role', '')}", "channel": channel, **given, **keys}


def total(*arguments: Any, **keys: Any) -> float:
    found = bound(scenario(*arguments, **keys), gap=0.003)
    assert -1e-9 <= found.gap <= 0.003 + 1e-9
    return found.bound


@pytest.mark.parametrize("hops", [1, 2, 3, 5])
@pytest.mark.parametrize("channels", [2, 3])
def test_channels_without_overlap_carry_as_many_times_as_much(hops: int, channels: int) -> None:
    radios = [radio(1 + 5 * k) for k in range(channels)]
    one, several = (
        total(chain(hops), (0, hops), interfaces=given) for given in (radios[:1], radios)
    )
    assert one == total(chain(hops), (0, hops))
    assert several == pytest.approx(channels * one, rel=1e-6)


DIFS_S = 50e-6
FIVE_S = (5 * WHOLE_S - 4 * DIFS_S) / (1 + 2 * (WHOLE_S - DIFS_S) / CORE_S)


@pytest.mark.parametrize(
    ("hops", "packet_s"),
    [(1, WHOLE_S), (2, WHOLE_S), (3, 2 * CORE_S), (4, 2 * CORE_S), (5, FIVE_S)],
)
def test_a_chain_whose_channels_alternate_is_at_its_limit(hops: int, packet_s: float) -> None:
    """Both ends have the channel of their hop alone, the relays both.

    Three hops in a row exclude each other on a channel. Of three and four hops the first and the
    last share the time of a channel with hops between. Of five, let shares s of the third and t of
    the fourth be on the ends' channel. A packet takes L where the last relay has time for it,
    t (T - DIFS) + T, so have the last three there, (1 + t + s) C, and the middle ones on the other,
    (3 - 2 t - s) C but for what the second may have more.
    """
    relays = list(range(1, hops))
    at_last = hops % 2 == 0
    own = [[0, *relays, *([] if at_last else [hops])], [*relays, *([hops] if at_last else [])]]
    radios = [radio(number, nodes) for number, nodes in zip((1, 6), own, strict=True) if nodes]
    found = total(chain(hops), (0, hops), interfaces=radios)
    assert found == pytest.approx(BITS / packet_s, rel=SLACK)


def test_a_channel_has_the_times_of_its_own_phy() -> None:
    """DSSS beside OFDM at 54 Mbit/s: what each of them carries alone adds up."""
    radios = [radio(1), radio(36, phy="802.11a")]
    alone = [total(chain(1), (0, 1), interfaces=[own]) for own in radios]
    assert alone[1] > 10 * alone[0]
    assert total(chain(1), (0, 1), interfaces=radios) == pytest.approx(sum(alone), rel=1e-6)


def test_a_wire_carries_its_rate_each_way_beside_the_air() -> None:
    wire = {"name": "cable", "nodes": [0, 1], "rate_bps": 1e8}
    given = scenario(chain(1), (0, 1), (1, 0), wires=[wire])
    # The frame that is under way at the end needs no gap: 10 s have room for 0.96 us more.
    each = BITS / FRAME_S * (1 + 0.96e-6 / 10)
    found = bound(given, objective="max-min", gap=0.003)
    assert found.bound == pytest.approx(each + BITS / CORE_S / 2, rel=SLACK)
    given["flows"] = [
        {"kind": "cbr", "source": 0, "destination": 1, "packet_bytes": 1460, "rate_bps": 2e8}
    ]
    for link in ({"arp": True}, {"arp": False}):
        run = multihop.run({**given, "link": link}).json
        carried = 8 * run["flows"][0]["delivered_bytes"] / 10
        most = bound({**given, "link": link}).bound
        # UDP's header is 12 bytes shorter than TCP's, and the run does not use the air.
        assert 0.97 * most < carried < most


def test_a_port_of_a_switch_receives_no_more_than_its_rate() -> None:
    far = [(0.0, 0.0), (5000.0, 0.0), (10000.0, 0.0)]
    wire = {"name": "switch", "nodes": [0, 1, 2], "rate_bps": 1e8}
    assert total(far, (0, 2), (1, 2), wires=[wire]) == pytest.approx(BITS / FRAME_S, rel=SLACK)
    assert total(far, (0, 2), (1, 0), wires=[wire]) == pytest.approx(2 * BITS / FRAME_S, rel=SLACK)


def cells(*ends: tuple[int, int], mesh: list[int]) -> dict[str, Any]:
    """Two roofs 400 m apart, a client of either between them and one more below."""
    places = [(0.0, 0.0), (400.0, 0.0), (200.0, 0.0), (200.0, 100.0)]
    radios = [
        radio(36, mesh, radio={"receive_range_m": 500}),
        radio(1, [0, 1], role="access-point"),
        radio(1, [2, 3], role="client"),
    ]
    return dict(scenario(places, *ends, interfaces=radios, routing={"scheme": "babel"}))


def test_clients_have_their_access_points_and_carry_nothing_for_others() -> None:
    two_frames = BITS / (2 * CORE_S)
    assert bound(cells((2, 3), mesh=[0, 1])).bound == pytest.approx(two_frames, rel=0.01)
    # From roof to roof there is no way but by the mesh: not through a client.
    apart = cells((0, 1), (0, 2), mesh=[0, 1])
    apart["interfaces"][0]["radio"]["receive_range_m"] = 250
    found = bound(apart)
    assert [flow.rate_bps > 0 for flow in found.flows] == [False, True]
    assert bound(cells((0, 1), mesh=[0, 1])).bound == pytest.approx(BITS / WHOLE_S, rel=0.01)


WORLDS: list[dict[str, Any]] = [
    {"interfaces": [radio(1), radio(6)]},
    {"interfaces": [radio(1), radio(36, [0, 2, 4, 6], phy="802.11a")]},
    {"interfaces": [radio(1, [0, 1, 2, 3]), radio(6, [3, 4, 5]), radio(11, [0, 3, 5, 6])]},
    {"wires": [{"name": "w", "nodes": [0, 3, 5], "rate_bps": 3e6}]},
]


@pytest.mark.parametrize("world", WORLDS)
def test_a_certificate_holds_by_other_means(world: dict[str, Any]) -> None:
    """Each limit in it by all sets of links there are, each cost by all the links of all paths."""
    places = [(0, 0), (180, 60), (150, 220), (330, 150), (420, 330), (500, 100), (40, 180)]
    network = read(scenario(places, (0, 4), (6, 5), **world))
    region = Region(network, network.periods[0])
    for name in ("total", "max-min"):
        region.best(plain(name, len(region.served)), gap=0.01, seconds=5.0)  # type: ignore[arg-type]
    cut = region.tightest(plain("total", len(region.served)))
    assert cut is not None
    assert cut.limit == pytest.approx(cut.worth.sum() + cut.clocks.sum())
    senders, receivers = region.links.senders.tolist(), region.links.receivers.tolist()
    ends = list(zip(senders, receivers, strict=True))
    rows = cut.rows.toarray()
    for channel in {network.kinds[kind].channel for kind in network.kind_of} - {None}:
        own = [place for place, (a, _) in enumerate(ends) if channel_of(network, a) == channel]
        for row in rows:
            weighed = [place for place in own if row[place] > 1e-9]
            sets = together(network, [ends[place] for place in weighed])
            most = max(sum(row[weighed[place]] for place in one) for one in sets)
            assert most <= 1 + 1e-5
    for row in rows:
        on = {channel_of(network, senders[place]) for place in np.flatnonzero(row > 1e-9)}
        assert len(on) == 1, "a limit is of one channel"
    check_costs(network, region, cut, ends)


def channel_of(network: Network, station: int) -> int | None:
    return network.kinds[network.kind_of[station]].channel


def together(network: Network, ends: list[tuple[int, int]]) -> Iterator[list[int]]:
    """Places of links that the table of docs/use/bound.md lets be on the air at once."""
    period = network.periods[0]
    senses, power_w = period.senses, period.strongest_w

    def is_first(one: tuple[int, int], other: tuple[int, int]) -> bool:
        (u, v), (w, z) = one, other
        weak = not senses[w, v] or power_w[u, v] >= network.capture_ratio * power_w[w, v]
        return not senses[u, w] and not senses[u, z] and weak

    def fits(one: tuple[int, int], other: tuple[int, int]) -> bool:
        if set(one) & set(other):
            return False
        at_once = not senses[other[0], one[1]] and not senses[one[0], other[1]]
        return bool(at_once or is_first(one, other) or is_first(other, one))

    def grow(chosen: list[int], start: int) -> Iterator[list[int]]:
        yield chosen
        for place in range(start, len(ends)):
            if all(fits(ends[place], ends[old]) for old in chosen):
                yield from grow([*chosen, place], place + 1)

    return grow([], 0)


def check_costs(network: Network, region: Region, cut: Cut, ends: list[tuple[int, int]]) -> None:
    """No path costs a flow less than the certificate says (Bellman and Ford)."""
    prices = cut.rows.T @ cut.worth
    stations = len(network.kind_of)
    for place, costs in zip(region.served, cut.costs, strict=True):
        flow = network.flows[place]
        reached = {flow.source: 0.0}
        for _ in range(network.nodes):
            for link, (a, b) in enumerate(ends):
                kind = network.kind_of[a]
                exchange = flow.exchanges[kind]
                if network.kinds[kind].channel is None:
                    frame_s = exchange.whole_s
                    own = frame_s * (prices[link] + cut.clocks[a] + cut.clocks[stations + b])
                else:
                    own = (
                        exchange.core_s * prices[link]
                        + exchange.whole_s * cut.clocks[a]
                        + exchange.answered_s * cut.clocks[b]
                    )
                before = reached.get(int(network.node_of[a]), np.inf)
                node = int(network.node_of[b])
                reached[node] = min(reached.get(node, np.inf), before + own)
        per_bps = reached[flow.destination] / (8 * flow.payload_bytes)
        assert costs <= per_bps * (1 + 1e-6)


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_run_is_above_any_limit(channels: int, seed: int) -> None:
    draw = np.random.default_rng(10 * channels + seed)
    places = [(float(x), float(y)) for x, y in draw.uniform(0, 500, (10, 2))]
    ends = [tuple(map(int, draw.choice(10, 2, replace=False))) for _ in range(3)]
    first = radio(1)
    others = [
        radio(6 * k, sorted(draw.choice(10, 6, replace=False).tolist()), **keys)
        for k, keys in ((1, {}), (6, {"phy": "802.11a"}))
    ]
    given = scenario(places, *ends, interfaces=[first, *others[: channels - 1]])  # type: ignore[arg-type]
    given["duration_s"] = 4
    if seed == 1:
        given["wires"] = [{"name": "w", "nodes": [0, 4, 7], "rate_bps": 4e6}]
    network = read(given)
    region = Region(network, network.periods[0])
    region.best(plain("total", len(region.served)), gap=0.01, seconds=1.0)
    for routing in ("static", "aodv", "babel"):
        for transport in ("newreno", "cubic"):
            keys = {"routing.scheme": routing, "transport.scheme": transport}
            run = multihop.run(given, set=keys).json
            delivered = [run["flows"][place]["delivered_bytes"] for place in region.served]
            share = region.highest_share(8 * np.array(delivered) / network.span_s)
            assert share < 1.0, (routing, transport, share)


def test_losses_are_of_one_radio_a_node() -> None:
    given = scenario(chain(1), (0, 1), interfaces=[radio(1), radio(6)])
    with pytest.raises(multihop.ScenarioError, match="interfaces: must be one"):
        fairest(read(given), gap=0.01, seconds=1.0)
