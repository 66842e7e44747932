"""Slots that neighbours share out: who gets how many, and never beside whom it may not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from evidence.gap.slots import SCENARIO, conflicts, hops, routes, table

from multihop.bound.network import read


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_short_flow_has_as_many_more_slots_a_node_as_its_way_is_shorter(seed: int) -> None:
    """One hop beside four, all in one another's way: 8 slots, and 2 for each of four nodes."""
    links = hops([[0, 1], [2, 3, 4, 5, 6], [1, 0], [6, 5, 4, 3, 2]])
    nodes = {hop.sender for hop in links}
    all_of_them = {node: nodes - {node} for node in nodes}
    slots = table(links, all_of_them, np.random.default_rng(seed))
    given = {node: sum(node in slot for slot in slots) for node in nodes}
    assert all(len(slot) == 1 for slot in slots)
    assert given[0] == 8
    assert [given[node] for node in (2, 3, 4, 5)] == [2, 2, 2, 2]
    assert given[1] == 2, "acknowledgments have a quarter of the data's slots"
    assert given[6] == 1, "and at least one"


def test_slots_that_are_free_are_given_to_those_who_fit() -> None:
    """Two strings that do not hear each other: each is on the air in every slot."""
    links = hops([[0, 1], [2, 3, 4], [1, 0], [4, 3, 2]])
    strings = ({0, 1}, {2, 3, 4})
    beside = {node: string - {node} for string in strings for node in string}
    for slot in table(links, beside, np.random.default_rng(1)):
        assert len(set(slot) & strings[0]) == len(set(slot) & strings[1]) == 1


def test_nobody_sends_beside_whom_it_would_spoil() -> None:
    network = read(SCENARIO, seed=7)
    links = hops(routes(network, 7))
    beside = conflicts(network, links)
    for slot in table(links, beside, np.random.default_rng(7)):
        for one, other in itertools.combinations(slot, 2):
            assert other not in beside[one]
    for one, other in itertools.combinations(links, 2):
        if one.sender != other.sender and one.receiver == other.receiver:
            assert other.sender in beside[one.sender]
