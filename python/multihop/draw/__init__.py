"""Pictures of networks and runs."""

from multihop.draw.candidates import candidates_figure
from multihop.draw.paths import RECORDED_S
from multihop.draw.plan import plan_figure
from multihop.draw.run import run_figure
from multihop.draw.style import rendered

__all__ = ["RECORDED_S", "candidates_figure", "plan_figure", "rendered", "run_figure"]
