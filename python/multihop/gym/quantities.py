"""What agents observe and set: names, units, ranges, as the engine has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from multihop import engine

Of = Literal["flow", "node"]
"""What an agent is of: the TCP sender of a flow, or a node."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that an agent observes or sets."""

    of: Of
    name: str
    """With its unit, as in scenarios' keys."""
    about: str
    low: float
    """The ends of its range; what is beyond counts as the end."""
    high: float
    scale: Literal["linear", "logarithmic"]
    """How the range is divided."""
    is_local: bool
    """Whether the agent's own node knows it."""
    is_set: bool
    """Whether agents set it; else they observe it."""

    def share(self, value: float) -> float:
        """`value` as a share of the range, 0 to 1."""
        return engine.share(self.of, self.name, self.is_set, value)

    def value(self, share: float) -> float:
        """The value at `share` of the range, 0 to 1."""
        return engine.value(self.of, self.name, self.is_set, share)


def _read() -> tuple[Quantity, ...]:
    return tuple(
        Quantity(of=cast("Of", of), is_set=side == "set", **entry)
        for of, sides in engine.quantities().items()
        for side, entries in sides.items()
        for entry in entries
    )


QUANTITIES: tuple[Quantity, ...] = _read()
"""All of them."""


def named(of: Of, is_set: bool) -> tuple[Quantity, ...]:
    """Those that agents of a kind set, or observe."""
    return tuple(each for each in QUANTITIES if each.of == of and each.is_set == is_set)
