"""What is known of real sites, whichever file said it: nodes, links and tracks.

A reader of a format fills a `Survey`; what it left out it counts there, in words for people.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

from multihop.errors import ScenarioError
from multihop.foreign import line

MOST_NODES = 100_000
MOST_LINKS = 2_000_000


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

    def __init__(self) -> None:
        self.values = array("d")

    def __len__(self) -> int:
        return len(self.values) // 3

    def add(self, time_s: float, a: float, b: float) -> None:
        """Go on; a time may come twice, for a jump."""
        self.values.extend((time_s, a, b))

    def points(self) -> list[tuple[float, float, float]]:
        """All of them, in the order of time."""
        flat = self.values
        return [(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 3)]


@dataclass(slots=True)
class Survey:
    """All that a file says."""

    what: str
    """The format, in words."""
    nodes: dict[str, Node] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    tracks: dict[str, Track] = field(default_factory=dict)
    in_degrees: bool = False
    """Whether places and tracks are latitude and longitude."""
    present_s: dict[str, tuple[float, float]] = field(default_factory=dict)
    """When nodes come and go, of those that are not there all the time."""
    begins_s: float = 0.0
    """The time of the file that is the begin of the run."""
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


def counted(number: int, what: str) -> str:
    """A number of things: `3 nodes`, `1 link through a tunnel`."""
    head, space, rest = what.partition(" ")
    return f"{number:,} {head}{'' if number == 1 else 's'}{space}{rest}"


def shortened(text: str) -> str:
    """A stranger's text as part of an error."""
    return line(text, 40)
