"""Which exchanges of frames exclude each other: all that the engine's rules leave possible is left.

`docs/use/bound.md` has the argument. Times are those of the data frame, and of the RTS before it
where the rule says so; two links that conflict never have both at once.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from multihop.bound.network import Indices, Kind, Mask, Matrix, Network, Period


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a period, and which of them can be in use together; those of a channel in a row.

    A link is of two stations. Stations on different channels do not hear each other, so only those
    of one channel exclude each other, and the links of wires none.
    """

    senders: Indices
    receivers: Indices
    compatible: Mask
    """Of each two links; false on the diagonal."""
    cleared: tuple[bool, ...]
    """By kind of station: two links that aren't compatible have not even an RTS of one during the
    data of the other."""
    channels: tuple[slice, ...]
    """The links of each channel; those of all wires are the last."""
    clocks: int
    """Of the stations; a port has another for what it receives."""
    sending: Indices
    """The clock by which sending over the link takes time."""
    receiving: Indices
    """The same of receiving."""

    def __len__(self) -> int:
        return len(self.senders)


def is_cleared(network: Network, kind: int = 0) -> bool:
    """Whether each data frame follows an RTS and a CTS that a busy medium withholds.

    So it is in ns-2's profile, where a station counts every frame that it senses as busy, even one
    that a stronger frame hid, if EIFS outlasts what follows an RTS, and no data frame fits between
    another's RTS and data.
    """
    own = network.kinds[kind]
    gap_s = own.cts_s + 2 * own.sifs_s
    return (
        own.channel is not None
        and network.notes_captured
        and own.eifs_s >= max(own.rts_s + own.sifs_s, gap_s)
        and own.difs_s + own.rts_s > own.sifs_s + own.cts_s
        and all(flow.exchanges[kind].is_cleared for flow in network.flows)
    )


def links(network: Network, period: Period) -> Links:
    """The links of a period, and which can be in use together."""
    senders, receivers = np.nonzero(period.decodes)
    own = np.array([_channel(kind) for kind in network.kinds])[network.kind_of[senders]]
    order = np.argsort(own, kind="stable")
    senders, receivers, own = senders[order], receivers[order], own[order]
    cleared = tuple(is_cleared(network, kind) for kind in range(len(network.kinds)))
    by_rts = np.array(cleared)[network.kind_of[senders]]
    is_wire = np.isinf(own)
    shares = _share_a_station(senders, receivers)
    possible = np.zeros_like(shares)
    for is_strict in set(by_rts.tolist()):
        rule = _possible(network, period, (senders, receivers), is_cleared=is_strict)
        possible |= rule & (by_rts == is_strict)[:, None]
    compatible = np.where(is_wire[:, None], ~np.eye(len(own), dtype=np.bool_), possible & ~shares)
    starts = [*np.unique(own, return_index=True)[1].tolist(), len(own)]
    stations = len(network.kind_of)
    return Links(
        senders,
        receivers,
        compatible,
        cleared,
        tuple(slice(*ends) for ends in itertools.pairwise(starts)),
        clocks=2 * stations if is_wire.any() else stations,
        sending=senders,
        receiving=np.where(is_wire, stations + receivers, receivers),
    )


def _channel(kind: Kind) -> float:
    return math.inf if kind.channel is None else kind.channel


def _possible(
    network: Network, period: Period, ends: tuple[Indices, Indices], *, is_cleared: bool
) -> Mask:
    """Which links of different stations can be in use together."""
    senders, receivers = ends
    heard = period.senses[np.ix_(senders, senders)]
    """The two senders sense each other."""
    reaches = period.senses[np.ix_(senders, receivers)]
    """[i, k]: the sender of i is sensed by the receiver of k."""
    survives = _survives(network, period, senders, receivers)
    if is_cleared:
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
    found: Mask = together | first | first.T
    return found


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


def _share_a_station(senders: Indices, receivers: Indices) -> Mask:
    found: Mask = (
        (senders[:, None] == senders)
        | (senders[:, None] == receivers)
        | (receivers[:, None] == senders)
        | (receivers[:, None] == receivers)
    )
    return found
