"""What is known of real sites, whichever file said it: nodes, links and tracks.

A reader of a format fills a `Survey`; what it left out it counts there, in words for people.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from multihop.errors import ScenarioError
from multihop.foreign import line

MOST_NODES = 100_000
MOST_LINKS = 2_000_000
LONGEST_S = 900.0
"""Of the run of moving nodes; what they do later is not kept."""
_CLOCK_S = 1e6
"""Times from here on are those of a clock; the first of them is the begin of the run."""
Points = npt.NDArray[np.float64]
"""Rows of a time [s] and two coordinates, in the order of time."""


class SiteError(ScenarioError):
    """A file that can't be imported; one line with the file, the place and what is allowed."""


@dataclass(slots=True)
class Node:
    """A node as a file has it; all text is the file's."""

    id: str
    name: str = ""
    place: tuple[float, float] | None = None
    """Latitude and longitude [degrees, WGS 84], or x and y [m]: `Survey.in_degrees` says which."""
    height_m: float | None = None
    gateway: bool = False
    aliases: tuple[str, ...] = ()
    """Its other addresses, by which other files may know it."""


@dataclass(slots=True)
class Link:
    """What was measured from `source` to `target`; the other way is another link."""

    source: str
    target: str
    delivery: float | None = None
    """Share of frames that arrive, 0 to 1, as TQ and ETX tell."""
    signal_dbm: float | None = None
    """As `target` receives it."""
    gain_db: float | None = None
    """Received over sent."""
    rate_bps: float | None = None
    """Of the last data frames."""

    @property
    def measured(self) -> bool:
        """Whether anything is known but that it is there."""
        told = (self.delivery, self.signal_dbm, self.gain_db, self.rate_bps)
        return any(value is not None for value in told)


class Track:
    """Where a moving node is: times [s] and coordinates, straight lines between them."""

    __slots__ = ("values",)

    def __init__(self, values: array[float] | None = None) -> None:
        self.values = array("d") if values is None else values

    def __len__(self) -> int:
        return len(self.values) // 3

    def add(self, time_s: float, a: float, b: float) -> None:
        """Go on; a time may come twice, for a jump."""
        self.values.extend((time_s, a, b))

    def points(self) -> Points:
        """All of them, a row each."""
        return np.array(self.values).reshape(-1, 3)


@dataclass(slots=True)
class Survey:
    """All that a file says."""

    what: str
    """The format, in words."""
    file: str = ""
    """From which it was read."""
    nodes: dict[str, Node] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    tracks: dict[str, Track] = field(default_factory=dict)
    in_degrees: bool = False
    """Whether places and tracks are latitude and longitude."""
    present_s: dict[str, tuple[float, float]] = field(default_factory=dict)
    """When nodes come and go, of those that are not there all the time."""
    begins_s: float = 0.0
    """The time of the file that is the begin of the run; 0: see `begin_s`."""
    first_s: float = math.inf
    last_s: float = -math.inf
    """From when and to when nodes move, kept or not."""
    skipped: Counter[str] = field(default_factory=Counter)
    """What was left out, in words such as "link through a tunnel", and how often."""
    remarks: list[str] = field(default_factory=list)
    routing: str = ""
    """The scheme that the network runs, if it is one of ours."""

    def node(self, name: str) -> Node:
        """The node of that id, a new one if there is none."""
        if name not in self.nodes:
            if len(self.nodes) >= MOST_NODES:
                raise SiteError(f"has more than {MOST_NODES} nodes, the most that are imported")
            self.nodes[name] = Node(name)
        return self.nodes[name]

    @property
    def begin_s(self) -> float:
        """The time of the file that is the begin of the run: 0, or the first of a clock."""
        is_clock = _CLOCK_S < self.first_s < math.inf
        return self.begins_s or (self.first_s if is_clock else 0.0)

    def go(self, name: str, time_s: float, a: float, b: float) -> None:
        """Have a node be there then, later than before.

        The first place is kept, and of what is beyond the longest run the next one.
        """
        self.first_s, self.last_s = min(self.first_s, time_s), max(self.last_s, time_s)
        track = self.tracks.get(name)
        if track is None:
            track = self.tracks[name] = Track()
        elif track.values[-3] >= self.begin_s + LONGEST_S:
            return
        track.add(time_s, a, b)

    def way(self, name: str, points: Points) -> None:
        """Have a node go a whole way, of which the same is kept."""
        self.first_s = min(self.first_s, float(points[0, 0]))
        self.last_s = max(self.last_s, float(points[-1, 0]))
        kept = within(points, self.begin_s)
        self.tracks[name] = Track(array("d", np.ascontiguousarray(kept).tobytes()))

    def link(self, link: Link) -> None:
        """Add a link, unless it leads back to its own node."""
        if link.source == link.target:
            self.skipped["link of a node to itself"] += 1
            return
        if len(self.links) >= MOST_LINKS:
            raise SiteError(f"has more than {MOST_LINKS} links, the most that are imported")
        self.links.append(link)

    def told(self) -> str:
        """What was found, and what was skipped, in a sentence."""
        kinds = ((len(self.nodes), "node"), (len(self.links), "link"), (len(self.tracks), "track"))
        text = f"{self.what}: {', '.join(counted(n, kind) for n, kind in kinds if n) or 'nothing'}"
        if self.skipped:
            text += f"; skipped {', '.join(counted(n, k) for k, n in self.skipped.items())}"
        return text


def within(points: Points, begin_s: float) -> Points:
    """Of a way what the longest run sees: to the first point at or beyond its end."""
    return points[: np.searchsorted(points[:, 0], begin_s + LONGEST_S) + 1]


def counted(number: int, what: str) -> str:
    """A number of things: `3 nodes`, `1 link through a tunnel`."""
    head, space, rest = what.partition(" ")
    return f"{number:,} {head}{'' if number == 1 else 's'}{space}{rest}"


def shortened(text: str) -> str:
    """A stranger's text as part of an error."""
    return line(text, 40)
