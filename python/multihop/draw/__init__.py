"""Pictures of networks and runs."""

from multihop.draw.paths import RECORDED_S
from multihop.draw.plan import plan_figure
from multihop.draw.run import run_figure
from multihop.draw.style import rendered

__all__ = ["RECORDED_S", "plan_figure", "rendered", "run_figure"]
