"""Playing a run: one page with the map, the frames as they fly, and series over time."""

from multihop.playback.causes import CausesError
from multihop.playback.live import Live
from multihop.playback.page import ReplayError
from multihop.playback.replay import replay

__all__ = ["CausesError", "Live", "ReplayError", "replay"]
