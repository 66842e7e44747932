"""What a scenario of real sites does: how long, which flows, who comes and goes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from multihop.foreign import line
from multihop.sites.form import LONGEST_S, SiteError, counted, shortened
from multihop.sites.mesh import Mesh

_STATIC_S = 60.0


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose."""

    title: str
    sources: Sequence[str] = ()
    """What was read, in a sentence each."""
    named_ends: bool = False
    """Flows begin at nodes that are named, not at ones drawn from the seed."""
    gateway: str | None = None
    """The node that has the uplink, by name or id."""
    routing: str | None = None


def quoted(text: str) -> str:
    """A text of a stranger as TOML has it."""
    return json.dumps(line(text), ensure_ascii=False)


def duration_s(mesh: Mesh, notes: list[str]) -> float:
    """How long the run is: of moving nodes as long as their ways."""
    if not mesh.tracks or mesh.gains:
        return _STATIC_S
    if mesh.last_s > LONGEST_S:
        notes.append(
            f"The run ends after {LONGEST_S:g} s; the file goes on to {mesh.last_s:g} s, which is "
            "left out."
        )
    return max(1.0, float(math.ceil(min(mesh.last_s, LONGEST_S))))


def _uplink(mesh: Mesh, options: Options, notes: list[str]) -> int:
    """The node that has the uplink."""
    if options.gateway is not None:
        for names in (mesh.names, mesh.ids):
            if options.gateway in names:
                return names.index(options.gateway)
        raise SiteError(
            f"--gateway: no node that is taken is called {shortened(options.gateway)}; "
            f"nodes are {', '.join(mesh.names[:3])}, ..."
        )
    degree = mesh.degree()
    flagged = mesh.gateways
    chosen = max(flagged or range(len(mesh.names)), key=lambda k: (degree[k], -k))
    told = (
        "the only node with an uplink by the files"
        if len(flagged) == 1
        else f"of {counted(len(flagged), 'node')} with an uplink the one of the most links"
        if flagged
        else "the node of the most links; no uplink is in the files"
    )
    notes.append(f"{mesh.names[chosen]} has the uplink: {told}. --gateway names another.")
    return chosen


def flows(mesh: Mesh, options: Options, notes: list[str], lasts_s: float) -> list[str]:
    """The tables of the flows."""
    if mesh.tracks and not mesh.gains:
        calls = min(10, len(mesh.names) // 2)
        start_s = min(1.0, lasts_s / 4)
        notes.append(f"Load: {counted(calls, 'call')} between nodes at random, 8 packets a second.")
        return [
            '[[flows]]\nkind = "cbr"\nsource = "random"\ndestination = "random"\n'
            f"count = {calls}\nstart_s = {start_s:g}\npacket_bytes = 512\nrate_bps = 32768"
        ]
    chosen = _uplink(mesh, options, notes)
    uplink = quoted(mesh.names[chosen])
    readers = min(4, len(mesh.names) - 1)
    others = [name for k, name in enumerate(mesh.names) if k != chosen][:readers]
    who = ", ".join(others) if options.named_ends else counted(readers, "node") + " at random"
    notes.append(
        f"Load: {who} read pages through it, {'the first' if options.named_ends else 'one'} "
        "fetches a file; all begins after 15 s, when routing knows the links."
    )
    ends = [(quoted(name), "") for name in others]
    if not options.named_ends:
        ends = [('"random"', f"count = {readers}\n")]
    return [
        *(
            f'[[flows]]\nname = "reader"\nkind = "web"\nsource = {source}\n'
            f"destination = {uplink}\n{count}start_s = 15\n"
            'reading_s = { kind = "exponential", mean = 5 }'
            for source, count in ends
        ),
        '[[flows]]\nname = "download"\nkind = "file"\n'
        f"source = {uplink}\ndestination = {ends[0][0]}\nstart_s = 15\nbytes = 1e6",
    ]


def events(mesh: Mesh, notes: list[str], lasts_s: float) -> list[str]:
    """Tables of events: nodes that are not there yet, or no more, are killed and restored."""
    if mesh.gains:
        return []
    changes = []
    for node, (first_s, last_s) in sorted(mesh.present_s.items()):
        if first_s > 0:
            changes.append((0.0, "kill", node))
            changes.append((first_s, "restore", node))
        if last_s < lasts_s:
            changes.append((last_s, "kill", node))
    kept = [event for event in changes if event[0] < lasts_s]
    if kept:
        notes.append(
            f"{counted(len(mesh.present_s), 'node')} not there all the time: switched off until "
            "they come and after they go."
        )
    return [
        f'[[events]]\nkind = "node-{what}"\nnode = {node}\nat_s = {at_s:.9g}'
        for at_s, what, node in kept
    ]
