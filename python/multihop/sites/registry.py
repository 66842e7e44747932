"""The formats that are imported, and how one is told from another: by content, not by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from multihop.sites import content
from multihop.sites.content import Part
from multihop.sites.form import SiteError, Survey
from multihop.sites.formats import (
    babeld,
    bonnmotion,
    eel,
    geojson,
    gpx,
    iwinfo,
    kml,
    meshviewer,
    netjson,
    nodes_graph,
    ns2,
    olsrd,
    sumo,
    table,
)


@dataclass(frozen=True, slots=True)
class Format:
    """A format, and its reader by the kind of file that it is."""

    name: str
    """As `--format` takes it."""
    of_json: tuple[Callable[[Part], bool], Callable[[Part, str], Survey]] | None = None
    root: str = ""
    of_xml: Callable[[Path], Survey] | None = None
    matches: Callable[[Path, str], bool] | None = None
    """Whether a text that begins so is one."""
    of_text: Callable[[str, str], Survey] | None = None
    of_path: Callable[[Path], Survey] | None = None


def _begins(matches: Callable[[str], bool]) -> Callable[[Path, str], bool]:
    return lambda _path, begin: matches(begin)


FORMATS = (
    Format("netjson", (netjson.matches, netjson.read)),
    Format("geojson", (geojson.matches, geojson.read)),
    Format("graph.json", (nodes_graph.matches_graph, nodes_graph.read_graph)),
    Format("nodes.json", (nodes_graph.matches_nodes, nodes_graph.read_nodes)),
    Format("jsoninfo", (olsrd.matches_json, olsrd.read_json)),
    Format("meshviewer", (meshviewer.matches, meshviewer.read)),
    Format("kml", root=kml.ROOT, of_xml=kml.read),
    Format("gpx", root=gpx.ROOT, of_xml=gpx.read),
    Format("sumo", root=sumo.ROOT, of_xml=sumo.read),
    Format("babeld", matches=_begins(babeld.matches), of_text=babeld.read),
    Format("txtinfo", matches=_begins(olsrd.matches), of_text=olsrd.read),
    Format("iwinfo", matches=_begins(iwinfo.matches), of_text=iwinfo.read),
    Format("eel", matches=_begins(eel.matches), of_path=eel.read),
    Format("ns2", matches=_begins(ns2.matches), of_path=ns2.read),
    Format("bonnmotion", matches=_begins(bonnmotion.matches), of_path=bonnmotion.read),
    Format("csv", matches=table.matches, of_path=table.read),
)
"""In the order in which they are tried."""


def read(path: Path, name: str | None = None) -> Survey:
    """What a file holds, in the format of that name or the one that it looks like.

    Raises:
        SiteError: naming the file, the place, what is wrong and what is allowed.
        OSError: it can't be read, is no regular file or too large.
    """
    asked = _named(name) if name else None
    try:
        found = _read(path, asked)
    except SiteError as error:
        raise SiteError(f"{path}: {error}") from None
    found.file = str(path)
    return found


def _named(name: str) -> Format:
    found = next((one for one in FORMATS if one.name == name), None)
    if found is None:
        names = [one.name for one in FORMATS]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        raise SiteError(f"no format is called {name!r}; {hint}")
    return found


def _read(path: Path, asked: Format | None) -> Survey:
    begun = content.head(path)
    if not begun:
        raise SiteError("is empty")
    begin = content.decoded(begun).lstrip("\n ")
    tried = [asked] if asked else [*FORMATS]
    if (root := content.root_tag(begun)) is not None:
        for one in tried:
            if one.of_xml and (one.root == root or asked):
                return one.of_xml(path)
    elif begin.startswith(("{", "[")) and any(one.of_json for one in tried):
        whole = Part.of(content.text(path))
        for one in tried:
            if one.of_json and (asked or one.of_json[0](whole)):
                return one.of_json[1](whole, _stem(path))
    else:
        for one in tried:
            if one.matches and (asked or one.matches(path, begin)):
                if one.of_path:
                    return one.of_path(path)
                assert one.of_text is not None
                return one.of_text(content.text(path), _stem(path))
    if asked:
        raise SiteError(f"can't be of the format {asked.name}")
    raise SiteError(f"is of no known format: {', '.join(one.name for one in FORMATS)}")


def _stem(path: Path) -> str:
    return path.name.partition(".")[0] or path.name
