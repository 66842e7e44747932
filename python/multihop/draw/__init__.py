"""Pictures of networks and runs."""

from multihop.draw.paths import RECORDED_S
from multihop.draw.run import run_figure
from multihop.draw.strings import network_routes
from multihop.draw.style import FLOW_COLOURS, rendered

__all__ = ["FLOW_COLOURS", "RECORDED_S", "network_routes", "rendered", "run_figure"]
