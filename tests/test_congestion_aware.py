"""What the paper on congestion-aware routing says of plain routing, on small networks."""

import itertools

import multihop

CHAIN = {
    "duration_s": 31,
    "topology": {"kind": "chain", "spacing_m": 240},
    "transport": {"segment_bytes": 1460, "window_segments": 8},
}

NINE_NODES = {
    "duration_s": 12,
    "topology": {
        "kind": "links",
        "nodes": 9,
        "links": [[0, 1], [1, 2], [2, 3], [3, 4], [0, 5], [5, 6], [6, 7], [7, 8], [8, 4]],
    },
    "flows": [
        {"kind": "cbr", "source": 0, "destination": 4, "packet_bytes": 512, "rate_bps": 20e3}
    ],
    "events": [{"kind": "link-failure", "at_s": 6, "node": 0, "next_hop": 1}],
}


def test_each_hop_beyond_four_costs_less() -> None:
    def goodput(hops: int) -> float:
        chain = CHAIN["topology"] | {"hops": hops}
        flow = {"kind": "ftp", "source": 0, "destination": hops, "start_s": 1}
        runs = multihop.run_many(
            CHAIN | {"topology": chain, "flows": [flow]},
            seeds=range(1, 6),
            scheme="shortest-path-aodv",
        )
        return sum(run.json["flows"][0]["goodput_bps"] for run in runs) / len(runs)

    means = {hops: goodput(hops) for hops in range(1, 11)}
    loss = {b: 1 - means[b] / means[a] for a, b in itertools.pairwise(means)}
    early = sum(loss[hops] for hops in (2, 3, 4)) / 3
    late = sum(loss[hops] for hops in range(6, 11)) / 5
    assert late < early / 2


def test_shortest_path_finds_the_broken_way_again() -> None:
    runs = multihop.run_many(
        NINE_NODES,
        seeds=range(1, 41),
        scheme="shortest-path-aodv",
        record=multihop.Recording(routes_interval_s=1),
    )
    broken = [run.json for run in runs if run.json["routing"]["link_failures"]]
    found_again = 0
    for run in broken:
        first_hops = {row["to"] for row in run["routes"] if row["time_s"] > 8 and row["from"] == 0}
        found_again += first_hops == {1}
    assert len(broken) > 10
    assert found_again >= len(broken) / 2
