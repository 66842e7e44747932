"""The bound: the best rates that any routing, scheduling and transport could give.

`network.py` asks the engine for the network, `conflicts.py` says which links can be in use
together, `region.py` finds the rates that this allows, `moving.py` their mean over time,
`objectives.py` what is maximised; `solve.py` puts it together.
"""

from __future__ import annotations

from multihop.bound.solve import Bound, FlowBound, Point, bound

__all__ = ["Bound", "FlowBound", "Point", "bound"]
