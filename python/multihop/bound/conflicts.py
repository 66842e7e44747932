"""Which exchanges of frames exclude each other: all that the engine's rules leave possible is left.

`docs/use/bound.md` has the argument. Times are those of the data frame, and of the RTS before it
where the rule says so; two links that conflict never have both at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multihop.bound.network import Mask, Matrix, Network, Period

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a period, and which of them can be in use together."""

    senders: Indices
    receivers: Indices
    compatible: Mask
    """Of each two links; false on the diagonal."""
    is_cleared: bool
    """Two that aren't compatible have not even an RTS of one during the data of the other."""

    def __len__(self) -> int:
        return len(self.senders)


def is_cleared(network: Network) -> bool:
    """Whether each data frame follows an RTS and a CTS that a busy medium withholds.

    So it is in ns-2's profile, where a station counts every frame that it senses as busy, even one
    that a stronger frame hid, if EIFS outlasts what follows an RTS, and no data frame fits between
    another's RTS and data.
    """
    spaces = network.spaces
    gap_s = spaces.cts_s + 2 * spaces.sifs_s
    return (
        network.notes_captured
        and spaces.eifs_s >= max(spaces.rts_s + spaces.sifs_s, gap_s)
        and spaces.difs_s + spaces.rts_s > spaces.sifs_s + spaces.cts_s
        and all(flow.exchange.is_cleared for flow in network.flows)
    )


def links(network: Network, period: Period) -> Links:
    """The links of a period, and which can be in use together."""
    senders, receivers = np.nonzero(period.decodes)
    cleared = is_cleared(network)
    heard = period.senses[np.ix_(senders, senders)]
    """The two senders sense each other."""
    reaches = period.senses[np.ix_(senders, receivers)]
    """[i, k]: the sender of i is sensed by the receiver of k."""
    survives = _survives(network, period, senders, receivers)
    if cleared:
        together = ~reaches & ~reaches.T
        first = ~heard & ~reaches & survives
    else:
        hidden = _hidden(network, period)
        unheard = ~reaches | hidden[np.ix_(senders, receivers)]
        unaware = ~heard
        if not network.notes_captured:
            unaware = unaware | hidden[np.ix_(senders, senders)]
        together = survives & survives.T
        first = unaware & unheard & survives
    compatible = (together | first | first.T) & ~_share_a_node(senders, receivers)
    return Links(senders, receivers, compatible, cleared)


def _survives(network: Network, period: Period, senders: Indices, receivers: Indices) -> Mask:
    """[i, k]: a frame over i may survive a later one of the sender of k."""
    own_w = period.strongest_w[senders, receivers]
    other_w = period.weakest_w[np.ix_(senders, receivers)].T
    sensed = period.senses[np.ix_(senders, receivers)].T
    found: Mask = ~sensed | (own_w[:, None] >= _outdone_w(network, other_w))
    return found


def _hidden(network: Network, period: Period) -> Mask:
    """[a, b]: a frame of a may go unnoticed at b, behind a stronger one of some other node."""
    strongest_w = np.sort(period.strongest_w, axis=0)[::-1]
    """Of each hearer, strongest sender first."""
    best_w, second_w = strongest_w[0], strongest_w[min(1, len(strongest_w) - 1)]
    is_best = period.strongest_w == best_w
    other_w = np.where(is_best, second_w, best_w)
    found: Mask = (other_w >= _outdone_w(network, period.weakest_w)) & (other_w > 0)
    return found


def _outdone_w(network: Network, power_w: Matrix) -> Matrix:
    """How strong a frame has to be to survive one of this power; infinite where none does."""
    return np.where(power_w > 0, network.capture_ratio * np.maximum(power_w, 1e-300), 0.0)


def _share_a_node(senders: Indices, receivers: Indices) -> Mask:
    found: Mask = (
        (senders[:, None] == senders)
        | (senders[:, None] == receivers)
        | (receivers[:, None] == senders)
        | (receivers[:, None] == receivers)
    )
    return found
