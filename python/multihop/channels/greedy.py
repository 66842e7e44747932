"""Link by link, each on the channel with the fewest conflicts so far.

The links of a tree of fewest hops from node 0 come first, so that the network stays connected, then
the others; of these, those in the way of most. Ours, in the manner of the greedy colouring in A. P.
Subramanian et al.: "Minimum Interference Channel Assignment in Multiradio Wireless Mesh Networks",
IEEE Transactions on Mobile Computing 7(12), 2008, whose text was not at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from multihop.channels.neighbourhood import Link, Neighbourhood


def greedy(near: Neighbourhood, channels: Sequence[int], radios: int) -> list[set[int]]:
    """By node, its channels. A node with a radio left over has it on the least used channel."""
    own: list[set[int]] = [set() for _ in range(near.nodes)]
    on: dict[Link, int] = {}
    tree = list(_tree(near))
    others = [link for link in near.links if link not in set(tree)]
    others.sort(key=lambda link: -len(near.conflicts(link)))
    for link in [*tree, *others]:
        allowed = [one for one in channels if all(_may(own[end], one, radios) for end in link)]
        if allowed:
            taken = [on[other] for other in near.conflicts(link) if other in on]
            on[link] = min(allowed, key=taken.count)
            for end in link:
                own[end].add(on[link])
    for node, mine in enumerate(own):
        while len(mine) < radios:
            around = [one for other in near.senses[node] for one in own[other]]
            mine.add(min((one for one in channels if one not in mine), key=around.count))
    return own


def _may(own: set[int], channel: int, radios: int) -> bool:
    return channel in own or len(own) < radios


def _tree(near: Neighbourhood) -> Iterator[Link]:
    """Links by which every node is reached from the first of its part in the fewest hops."""
    seen: set[int] = set()
    for root in range(near.nodes):
        row = [] if root in seen else [root]
        seen.update(row)
        for node in row:
            for other in near.neighbours(node):
                if other not in seen:
                    seen.add(other)
                    row.append(other)
                    yield (min(node, other), max(node, other))
