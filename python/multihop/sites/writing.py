"""A mesh as the files of a scenario, with a note of all that was assumed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from multihop.foreign import line
from multihop.sites import load, qualities
from multihop.sites.form import counted
from multihop.sites.load import Options, quoted
from multihop.sites.mesh import FORMULAS, Mesh
from multihop.sites.movement import Setdest

_OF_KIND = {
    "gain": "gains as they stand in the file",
    "signal": "signals",
    "delivery": "the shares of frames that arrive",
    "rate": "rates",
    "terrain": "the ground between",
    "nothing": "no quality",
}


Text = str | Iterable[str]
"""A text, or its pieces, where the whole would be too large to hold."""


def put(texts: Mapping[str, Text], folder: Path) -> None:
    """Write the files of a scenario."""
    for name, text in texts.items():
        with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)


def written(mesh: Mesh, options: Options) -> tuple[dict[str, Text], list[str]]:
    """The texts of the scenario's files, by name, and all that was assumed, a sentence each."""
    notes = [*mesh.notes]
    kinds = {kind for *_, kind in mesh.gains}
    if any(mast is not None for mast in mesh.masts_m) and kinds != {"terrain"}:
        notes.append("Heights are left out: the network is flat.")
    texts: dict[str, Text] = {}
    tables = [_topology(mesh, texts, notes)]
    tables += _radio(mesh, texts, notes)
    moving = bool(mesh.tracks) and not mesh.gains
    routing = options.routing or mesh.routing or ("aodv" if moving else "babel")
    metric = ""
    if routing.endswith("olsr-etx"):
        routing, metric = "olsr", '\nmetric = "etx"'
    if not options.routing and not mesh.routing:
        name = "AODV" if moving else "Babel"
        notes.append(f"Routing is {name}: what the network runs is not in the files.")
    elif mesh.routing and not options.routing:
        told = "B.A.T.M.A.N. IV, whose measure TQ is" if routing == "batman" else routing
        notes.append(
            f"Routing is what the network runs, by the files: {told}. --routing changes it."
        )
    tables.append(f"[routing]\nscheme = {quoted(routing)}{metric}")
    if not moving:
        tables.append('[transport]\nscheme = "cubic"            # what Linux hosts run\n'
                      'profile = "linux"')  # fmt: skip
    duration_s = load.duration_s(mesh, notes)
    flows = load.flows(mesh, options, notes, duration_s)
    top = [
        f"title = {quoted(options.title)}",
        f"duration_s = {duration_s:g}",
        "seed = 1",
        'profile = "standard"',
    ]
    events = load.events(mesh, notes, duration_s)
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


def _topology(mesh: Mesh, texts: dict[str, Text], notes: list[str]) -> str:
    if mesh.tracks and not mesh.gains:
        places = [place or (0.0, 0.0) for place in mesh.places_m]
        texts["movement.tcl"] = Setdest(places, mesh.tracks)
        names = ", ".join(quoted(name) for name in mesh.names)
        own = f"\nnames = [{names}]" if mesh.names != mesh.ids or not _are_numbers(mesh) else ""
        return (
            f'[topology]\nkind = "setdest"\nfile = "movement.tcl"\nnodes = {len(mesh.names)}{own}'
        )
    if all(place is None for place in mesh.places_m):
        notes.append("No places are known: nodes stand at random, which only gives delays.")
        names = ", ".join(quoted(name) for name in mesh.names)
        return (
            f'[topology]\nkind = "random"             # places only give delays here\n'
            f"nodes = {len(mesh.names)}\narea_m = [600, 600]\nnames = [{names}]"
        )
    if mesh.tracks:
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


def _radio(mesh: Mesh, texts: dict[str, Text], notes: list[str]) -> list[str]:
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
        fading = (
            'fading = "rician"           # antennas mostly see each other'
            if {kind for *_, kind in mesh.gains} == {"terrain"}
            else 'fading = "rayleigh"\n'
            "coherence_s = 1e-3          # nothing is known of how long a link stays bad"
        )
        return [
            '[radio]\nreception = "sinr"\npropagation = "measured"\nfile = "links.csv"\n'
            f"transmit_power_dbm = {qualities.POWER_DBM:g}     # what the gains were derived with, "
            "as are carrier_sense_dbm and fading\n"
            f"carrier_sense_dbm = {qualities.SENSE_DBM:g}\n{fading}",
            _MAC,
        ]
    if mesh.tracks:
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
