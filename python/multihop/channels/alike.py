"""The same channels for all nodes: what other assignments are held against."""

from __future__ import annotations

from collections.abc import Sequence

from multihop.channels.neighbourhood import Neighbourhood


def alike(near: Neighbourhood, channels: Sequence[int], radios: int) -> list[set[int]]:
    """The first of `channels` for everybody."""
    return [set(channels[:radios]) for _ in range(near.nodes)]
