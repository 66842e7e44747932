"""A mesh as the files of a scenario, with a note of all that was assumed."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from multihop.foreign import line
from multihop.sites import qualities
from multihop.sites.form import SiteError, counted, shortened
from multihop.sites.mesh import FORMULAS, Mesh
from multihop.sites.movement import setdest

_LONGEST_S = 900.0
_STATIC_S = 60.0
_OF_KIND = {
    "gain": "gains as they stand in the file",
    "signal": "signals",
    "delivery": "the shares of frames that arrive",
    "rate": "rates",
    "nothing": "no quality",
}


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


def written(mesh: Mesh, options: Options) -> tuple[dict[str, str], list[str]]:
    """The texts of the scenario's files, by name, and all that was assumed, a sentence each."""
    notes = [*mesh.notes]
    texts: dict[str, str] = {}
    tables = [_topology(mesh, texts, notes)]
    tables += _radio(mesh, texts, notes)
    moving = bool(mesh.ways) and not mesh.gains
    routing = options.routing or mesh.routing or ("aodv" if moving else "babel")
    metric = ""
    if routing.endswith("olsr-etx"):
        routing, metric = "olsr", '\nmetric = "etx"'
    if not options.routing and not mesh.routing:
        name = "AODV" if moving else "Babel"
        notes.append(f"Routing is {name}: what the network runs is not in the files.")
    elif mesh.routing and not options.routing:
        notes.append("Routing is what the network runs, by the files.")
    tables.append(f"[routing]\nscheme = {_quoted(routing)}{metric}")
    if not moving:
        tables.append('[transport]\nscheme = "cubic"            # what Linux hosts run\n'
                      'profile = "linux"')  # fmt: skip
    duration_s = _duration_s(mesh, notes)
    flows = _flows(mesh, options, notes, duration_s)
    top = [
        f"title = {_quoted(options.title)}",
        f"duration_s = {duration_s:g}",
        "seed = 1",
        'profile = "standard"',
    ]
    events = _events(mesh, notes, duration_s)
    comment = [f"{line(options.title)}: real sites, as `multihop import` read them."]
    comment += ["", "Read:", *(f"- {source}" for source in options.sources)]
    comment += ["", "Assumed or left out:", *(f"- {note}" for note in notes)]
    texts["scenario.toml"] = "\n\n".join(
        ["\n".join(_commented(comment)) + "\n" + "\n".join(top), *tables, *flows, *events]
    ) + "\n"  # fmt: skip
    return texts, notes


def _commented(rows: Iterable[str]) -> list[str]:
    """As comments of TOML, wrapped; nothing in them can end a comment."""
    told = []
    for row in rows:
        words, width, begun = line(row, None).split(" "), 0, "#"
        for word in words:
            if width + len(word) > 110 and width:
                told.append(begun)
                begun, width = "#  ", 1
            begun += f" {word}"
            width += len(word) + 1
        told.append(begun.rstrip())
    return told


def _quoted(text: str) -> str:
    return json.dumps(line(text), ensure_ascii=False)


def _topology(mesh: Mesh, texts: dict[str, str], notes: list[str]) -> str:
    if mesh.ways and not mesh.gains:
        places = [place or (0.0, 0.0) for place in mesh.places_m]
        texts["movement.tcl"] = setdest(places, mesh.ways)
        names = ", ".join(_quoted(name) for name in mesh.names)
        own = f"\nnames = [{names}]" if mesh.names != mesh.ids or not _are_numbers(mesh) else ""
        return (
            f'[topology]\nkind = "setdest"\nfile = "movement.tcl"\nnodes = {len(mesh.names)}{own}'
        )
    if all(place is None for place in mesh.places_m):
        notes.append("No places are known: nodes stand at random, which only gives delays.")
        names = ", ".join(_quoted(name) for name in mesh.names)
        return (
            f'[topology]\nkind = "random"             # places only give delays here\n'
            f"nodes = {len(mesh.names)}\narea_m = [600, 600]\nnames = [{names}]"
        )
    if mesh.ways:
        notes.append("Nodes stay where they begin: measured gains do not change.")
    texts["nodes.csv"] = _nodes_csv(mesh)
    return '[topology]\nkind = "positions"\nfile = "nodes.csv"'


def _are_numbers(mesh: Mesh) -> bool:
    return mesh.ids == [str(k) for k in range(len(mesh.ids))]


def _nodes_csv(mesh: Mesh) -> str:
    known = mesh.plane is not None
    rows: list[list[object]] = [["name", "x_m", "y_m", *(["lat", "lon"] if known else []), "node"]]
    for k, name in enumerate(mesh.names):
        x, y = mesh.places_m[k] or (0.0, 0.0)
        degrees = [*(mesh.degrees[k] or ("", ""))] if known else []
        own = line(mesh.ids[k], None)
        rows.append([name, x, y, *degrees, f"'{own}" if own.startswith(FORMULAS) else own])
    return _csv(rows)


def _csv(rows: Iterable[Iterable[object]]) -> str:
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
    return held.getvalue()


def _radio(mesh: Mesh, texts: dict[str, str], notes: list[str]) -> list[str]:
    if mesh.gains:
        texts["links.csv"] = _csv(
            [
                ("from", "to", "gain_db", "from_what"),
                *(
                    (mesh.names[a], mesh.names[b], round(g, 1), kind)
                    for a, b, g, kind in mesh.gains
                ),
            ]
        )
        _say_gains(mesh, notes)
        return [
            '[radio]\nreception = "sinr"\npropagation = "measured"\nfile = "links.csv"\n'
            f"transmit_power_dbm = {qualities.POWER_DBM:g}     # what the gains were derived with, "
            "as are carrier_sense_dbm and fading\n"
            f"carrier_sense_dbm = {qualities.SENSE_DBM:g}\n"
            'fading = "rayleigh"\n'
            "coherence_s = 1e-3          # nothing is known of how long a link stays bad",
            _MAC,
        ]
    if mesh.ways:
        notes.append(
            "Radios are the default: a range of 250 m, 2 Mbit/s; nothing in the file says it."
        )
        return []
    notes.append(
        "No link was measured: power falls as from roof to roof (log-distance, exponent 2.8, "
        "shadowing of 6 dB, 20 dBm sent); which roofs see each other is drawn from the seed."
    )
    return [
        '[radio]\nreception = "sinr"\npropagation = "log-distance"\npath_loss_exponent = 2.8\n'
        f'transmit_power_dbm = {qualities.POWER_DBM:g}\nshadowing_db = 6\nfading = "rician"',
        _MAC,
    ]


_MAC = (
    '[mac]\nphy = "802.11n"\nband_ghz = 2.4\nstreams = 1\nrate = "minstrel"\n'
    'rts_threshold_bytes = "inf"'
)


def _say_gains(mesh: Mesh, notes: list[str]) -> None:
    kinds = Counter(kind for *_, kind in mesh.gains)
    told = ", ".join(f"{number:,} from {_OF_KIND[kind]}" for kind, number in kinds.items())
    notes.append(f"Gains of {counted(len(mesh.gains), 'link')}, each way by itself: {told}.")
    if kinds.keys() - {"gain"}:
        notes.append(
            f"Every router sends {qualities.POWER_DBM:g} dBm, antennas included: powers are not in "
            "the files. Gain and power only count together."
        )
    if "delivery" in kinds:
        notes.append(
            "A share of frames that arrive becomes a gain under Rayleigh fading (share = "
            f"exp(-least / mean power), {qualities.SENSE_DBM:g} dBm the least); how good links "
            "above 99 % are is not known."
        )
    if "rate" in kinds:
        notes.append("A rate says that the link is at least so good (IEEE 802.11-2020, 19-18).")
    if "nothing" in kinds:
        notes.append("Links without a quality are taken to lose one frame in 510.")
    ways = {(a, b) for a, b, *_ in mesh.gains}
    lone = sum((b, a) not in ways for a, b in ways)
    if lone:
        notes.append(f"{counted(lone, 'link')} known one way only: the way back has the same gain.")
    notes.append("Pairs without a link do not hear each other, and do not interfere.")
    notes.append("All radios are on one channel: 802.11n in 2.4 GHz, one stream, Minstrel.")


def _duration_s(mesh: Mesh, notes: list[str]) -> float:
    if not mesh.ways or mesh.gains:
        return _STATIC_S
    last_s = max(way[-1][0] for way in mesh.ways.values())
    if last_s > _LONGEST_S:
        notes.append(f"The run ends after {_LONGEST_S:g} s; the file goes on to {last_s:g} s.")
    return max(1.0, float(math.ceil(min(last_s, _LONGEST_S))))


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


def _flows(mesh: Mesh, options: Options, notes: list[str], duration_s: float) -> list[str]:
    if mesh.ways and not mesh.gains:
        flows = min(10, len(mesh.names) // 2)
        start_s = min(1.0, duration_s / 4)
        notes.append(f"Load: {counted(flows, 'call')} between nodes at random, 8 packets a second.")
        return [
            '[[flows]]\nkind = "cbr"\nsource = "random"\ndestination = "random"\n'
            f"count = {flows}\nstart_s = {start_s:g}\npacket_bytes = 512\nrate_bps = 32768"
        ]
    chosen = _uplink(mesh, options, notes)
    uplink = _quoted(mesh.names[chosen])
    readers = min(4, len(mesh.names) - 1)
    others = [name for k, name in enumerate(mesh.names) if k != chosen][:readers]
    who = ", ".join(others) if options.named_ends else counted(readers, "node") + " at random"
    notes.append(
        f"Load: {who} read pages through it, {'the first' if options.named_ends else 'one'} "
        "fetches a file; all begins after 15 s, when routing knows the links."
    )
    ends = [(_quoted(name), "") for name in others]
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


def _events(mesh: Mesh, notes: list[str], duration_s: float) -> list[str]:
    """Nodes that are not there yet, or no more, are killed and restored."""
    if mesh.gains:
        return []
    events = []
    for node, (first_s, last_s) in sorted(mesh.present_s.items()):
        if first_s > 0:
            events.append((0.0, "kill", node))
            events.append((first_s, "restore", node))
        if last_s < duration_s:
            events.append((last_s, "kill", node))
    kept = [event for event in events if event[0] < duration_s]
    if kept:
        notes.append(
            f"{counted(len(mesh.present_s), 'node')} not there all the time: switched off until "
            "they come and after they go."
        )
    return [
        f'[[events]]\nkind = "node-{what}"\nnode = {node}\nat_s = {at_s:.9g}'
        for at_s, what, node in kept
    ]
