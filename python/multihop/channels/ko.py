"""Each node by itself, on the channel that the fewest of those around it use.

After B. J. Ko, V. Misra, J. Padhye, D. Rubenstein: "Distributed Channel Assignment in Multi-Radio
802.11 Mesh Networks", WCNC 2007. Only its abstract was at hand to compare with: a distributed,
self-stabilizing mechanism, apart from forwarding. The rest is from memory, and the order of turns
is ours: one radio of every node is on a common channel, which keeps the network connected; each
node chooses for another the channel that costs least by what it knows of the nodes in its
interference range, and again when these have changed. Each change lowers the sum of costs over the
network, so that it ends. Channels here overlap not at all, so that the cost of a channel is the
number of nodes in range that are on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from multihop.channels.neighbourhood import Neighbourhood


def ko(near: Neighbourhood, channels: Sequence[int], radios: int) -> list[set[int]]:
    """By node, the common channel, which is the first, and those that it has chosen.

    Nodes take turns in their order until nobody changes.
    """
    common, rest = channels[0], channels[1:]
    chosen: list[list[int]] = [list(rest[: radios - 1]) for _ in range(near.nodes)]
    has_changed = True
    while has_changed:
        has_changed = False
        for node, mine in enumerate(chosen):
            around = [one for other in near.senses[node] - {node} for one in chosen[other]]
            for place, present in enumerate(mine):
                free = [one for one in rest if one == present or one not in mine]
                best = min(free, key=lambda one: (around.count(one), one != present))
                if around.count(best) < around.count(present):
                    mine[place] = best
                    has_changed = True
    return [{common, *mine} for mine in chosen]
