"""Gains that are fitted to measured qualities."""

import math

import pytest

from multihop.sites import SiteError, learning
from multihop.sites.load import Options
from multihop.sites.mesh import Mesh
from multihop.sites.qualities import gain_of_delivery


def a_star(leaves: int, share: float, kind: str = "delivery") -> Mesh:
    """A node in the middle of others that do not hear each other."""
    names = [f"n{k}" for k in range(leaves + 1)]
    mesh = Mesh(names=names, ids=[*names], degrees=[None] * len(names))
    mesh.masts_m = [None] * len(names)
    mesh.places_m = [(50 * math.cos(k), 50 * math.sin(k)) for k in range(len(names))]
    gain = gain_of_delivery(share)
    mesh.gains = sorted(
        way for k in range(1, leaves + 1) for way in ((0, k, gain, kind), (k, 0, gain, kind))
    )
    return mesh


def test_a_gain_in_closed_form_is_the_share_that_it_came_from() -> None:
    assert learning.share_of(gain_of_delivery(0.37)) == pytest.approx(0.37)


def test_what_collisions_take_is_made_up_for() -> None:
    mesh = a_star(24, 0.8)
    found = learning.fit(mesh, Options("star"), steps=2)
    assert found.before > 0.02  # leaves that do not hear each other collide in the middle
    assert found.after < 0.6 * found.before
    assert len(found.missed) <= 2
    gains = {(a, b): gain for a, b, gain, _ in mesh.gains}
    first = gain_of_delivery(0.8)
    to_middle = [gains[k, 0] - first for k in range(1, 25)]
    from_middle = [gains[0, k] - first for k in range(1, 25)]
    assert sum(to_middle) / 24 > 0.3 > abs(sum(from_middle) / 24)
    assert "Gains are fitted" in mesh.notes[0]


def test_what_has_no_share_of_frames_can_not_be_fitted() -> None:
    with pytest.raises(SiteError, match="no link has a share of frames"):
        learning.fit(a_star(3, 0.9, "signal"), Options("star"))
