"""What several formats share."""

from __future__ import annotations

from multihop.sites.content import Part
from multihop.sites.form import Link, Survey

WIRED = "link by cable, through a tunnel or of an unknown kind"
NO_PLACE = "place at 0, 0, which stands for none"


def place(
    found: Survey, latitude: Part | None, longitude: Part | None
) -> tuple[float, float] | None:
    """Latitude and longitude; none where one is missing, or both are 0, as forms leave them."""
    if latitude is None or longitude is None:
        return None
    pair = (latitude.number(-90, 90, "degrees"), longitude.number(-180, 180, "degrees"))
    if pair == (0.0, 0.0):
        found.skipped[NO_PLACE] += 1
        return None
    return pair


def both_ways(found: Survey, a: str, b: str, there: float | None, back: float | None) -> None:
    """A link and the way back, by the share of frames that arrive; none known: there all the same.

    A share of 0 is no link.
    """
    for source, target, delivery in ((a, b, there), (b, a, back)):
        if delivery is None or delivery > 0:
            found.link(Link(source, target, delivery=delivery))
        else:
            found.skipped["link that nothing arrives over"] += 1


def share_of_tq(tq: float) -> float:
    """TQ as a share of 1; some tools write it as B.A.T.M.A.N. counts it, of 255."""
    return tq / 255 if tq > 1 else tq


def delivery_of_cost(cost: float) -> float:
    """The share that arrives one way, of expected transmissions one way (at least 1)."""
    return 1.0 / max(cost, 1.0)


def each_way_of_etx(etx: float) -> float:
    """The share one way, of expected transmissions both ways, if both ways are alike.

    ETX is 1 / (there x back): De Couto et al. 2003, section 3.1.
    """
    return float(max(etx, 1.0) ** -0.5)
