"""What multipath AODV finds of the paths that a graph has, counted by NetworkX's maximum flows."""

import itertools
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multihop
from multihop.metrics import METRICS

LONG_PATHS = {"routing.length_factor": 100}
EVERY_PATH = {"routing.max_paths": 15, "routing.length_factor": 100}


def possible(graph: nx.Graph, scheme: str) -> int:
    """How many disjoint paths there are from node 0 to the last: the maximum flow (Menger)."""
    last = len(graph) - 1
    if scheme != "ndm":
        return int(nx.edge_connectivity(graph, 0, last))
    others = graph.copy()
    direct = graph.has_edge(0, last)
    if direct:
        others.remove_edge(0, last)
    return int(nx.node_connectivity(others, 0, last)) + direct


def discovered(graph: nx.Graph, scheme: str, **keys: Any) -> list[list[int]]:
    """The paths of one discovery from node 0 to the last, where everyone senses everyone.

    So no two nodes send at once unless they draw the same slot: as good as a perfect medium.
    """
    last = len(graph) - 1
    links = [list(link) for link in graph.edges]
    scenario = {
        "title": "a random graph",
        "duration_s": 3,
        "topology": {"kind": "links", "nodes": len(graph), "links": links, "all_sense": True},
        "flows": [
            {"kind": "cbr", "source": 0, "destination": last, "start_s": 0.1, "stop_s": 2.5}
            | {"packet_bytes": 512, "rate_bps": 4096}
        ],
    }
    result = multihop.run(
        scenario,
        scheme=scheme,
        reading="multipath/ours",
        seed=1,
        set=keys,
        record=multihop.Recording(paths=True),
    )
    asked = [path for path in result.paths.to_dicts() if path["source"] == 0]
    first = min((path["request"] for path in asked), default=None)
    return [path["nodes"] for path in asked if path["request"] == first]


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph:
    """A random tree of 4 to 14 nodes and more links, so that there may be several paths."""
    n = draw(st.integers(4, 14))
    graph = nx.Graph((draw(st.integers(0, node - 1)), node) for node in range(1, n))
    nodes = st.integers(0, n - 1)
    more = draw(st.lists(st.tuples(nodes, nodes), min_size=3, max_size=2 * n))
    graph.add_edges_from((a, b) for a, b in more if a != b)
    return nx.relabel_nodes(graph, {node: node for node in range(n)})


def links(path: list[int]) -> set[frozenset[int]]:
    return {frozenset(link) for link in itertools.pairwise(path)}


@pytest.mark.parametrize("scheme", ["ap", "edm", "ndm"])
@given(graph=graphs(), limited=st.booleans())
@settings(max_examples=60)
def test_discovered_paths_are_paths_disjoint_and_within_the_limits(
    scheme: str, graph: nx.Graph, limited: bool
) -> None:
    paths = discovered(graph, scheme, **({} if limited else EVERY_PATH))
    assert 1 <= len(paths) <= possible(graph, scheme)
    for path in paths:
        assert nx.is_simple_path(graph, path)
        assert (path[0], path[-1]) == (0, len(graph) - 1)
    for one, other in itertools.combinations(paths, 2):
        assert not links(one) & links(other)
        assert scheme != "ndm" or not {*one[1:-1]} & {*other[1:-1]}
    if limited:
        hops = [len(path) - 1 for path in paths]
        assert len(hops) <= 3
        assert max(hops) <= 1.3 * min(hops) + 1e-9


def totals(graphs: list[nx.Graph], scheme: str, most: int = 15, **keys: Any) -> tuple[int, int]:
    """Paths found in one discovery on each graph, and how many there are: `most` at most."""
    found = sum(len(discovered(graph, scheme, **keys)) for graph in graphs)
    return found, sum(min(most, possible(graph, scheme)) for graph in graphs)


def sparse_graphs() -> list[nx.Graph]:
    """12 nodes of two to four neighbours on average."""
    graphs = [nx.gnm_random_graph(12, 12 + seed % 15, seed=seed) for seed in range(60)]
    return [graph for graph in graphs if nx.has_path(graph, 0, 11)]


def dense_graphs() -> list[nx.Graph]:
    """60 nodes at random places, with 13 neighbours on average; ends three hops apart or more."""
    graphs = [nx.random_geometric_graph(60, 0.3, seed=seed) for seed in range(40)]
    return [
        graph
        for graph in graphs
        if nx.has_path(graph, 0, 59) and nx.shortest_path_length(graph, 0, 59) >= 3
    ]


@pytest.mark.parametrize(("scheme", "share"), [("edm", 0.85), ("ndm", 0.9)])
def test_in_sparse_graphs_most_of_the_possible_paths_are_found(scheme: str, share: float) -> None:
    found, there = totals(sparse_graphs(), scheme, **EVERY_PATH)
    assert share * there <= found < there


def test_in_dense_graphs_overhearing_leaves_few_node_disjoint_paths() -> None:
    graphs = dense_graphs()
    edge_disjoint, there = totals(graphs, "edm", 3, **LONG_PATHS)
    node_disjoint, _ = totals(graphs, "ndm", 3, **LONG_PATHS)
    assert edge_disjoint > 0.75 * there
    assert len(graphs) <= node_disjoint < 0.6 * there


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_up_to_three_hops_one_link_of_a_connection_is_active_at_a_time(hops: int) -> None:
    scenario = {
        "title": "a chain",
        "duration_s": 4,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 240},
        "flows": [{"kind": "ftp", "source": 0, "destination": hops, "start_s": 1}],
    }
    run = multihop.run(scenario, scheme="sp", seed=1, record=multihop.Recording(frames=True)).json
    assert METRICS["links_at_once"].of(run) == 1
