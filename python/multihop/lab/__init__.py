"""The lab page: a scenario built, run, played, explained and compared in the browser."""

from multihop.lab.limits import Limits
from multihop.lab.server import Lab

__all__ = ["Lab", "Limits"]
