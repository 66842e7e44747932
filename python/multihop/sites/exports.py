"""A scenario's nodes as files of other tools: ns-2, BonnMotion, GeoJSON, NetJSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from multihop import engine, hearing
from multihop.nodes import Nodes
from multihop.overriding import overrides_of, settings_of
from multihop.scenario import Source
from multihop.sites.form import SiteError
from multihop.sites.formats import table
from multihop.sites.movement import Knots, bonnmotion
from multihop.sites.projection import Plane


@dataclass(frozen=True, slots=True)
class Network:
    """A scenario as it is at the begin of a run."""

    scenario: Mapping[str, Any]
    """As resolved."""
    degrees: list[tuple[float, float]] | None
    """Latitude and longitude of each node, where they are known."""
    heard: hearing.Hearing

    @property
    def ways(self) -> list[Knots]:
        """By node, its knots; one if it stays."""
        return [*self.heard.ways]

    def links(self) -> list[tuple[int, int, float | None]]:
        """Who carries data to whom at the begin, with the gain [dB] where powers mean anything."""
        radio = self.scenario["radio"]
        at = self.heard.at(0)
        has_power = self.heard.has_power and radio["reception"] == "sinr"
        sent_dbm = radio.get("transmit_power_dbm")
        if sent_dbm is None and radio.get("transmit_power_w"):
            sent_dbm = 10 * math.log10(radio["transmit_power_w"]) + 30
        found = []
        for k in at.carries.nonzero()[0].tolist():
            gain = None
            if has_power and sent_dbm is not None:
                gain = round(float(at.mean_power_dbm[k]) - sent_dbm, 1)
            found.append((int(at.sender[k]), int(at.node[k]), gain))
        return found


def exported(network: Network, target: str) -> dict[str, str]:
    """The texts of the files by suffix; an empty suffix is the file that was asked for.

    Raises:
        SiteError: the target can't hold the network; says why.
    """
    match target:
        case "bonnmotion":
            places = [knots[0][1:] for knots in network.ways]
            moving = {node: knots for node, knots in enumerate(network.ways) if len(knots) > 1}
            return bonnmotion(places, moving, network.scenario["duration_s"])
        case "geojson":
            return {"": _text(_geojson(network))}
        case _:
            return {"": _text(_netjson(network))}


def network(
    source: Source, *, seed: int | None = None, settings: Mapping[str, Any] | None = None
) -> Network:
    """A scenario's network, with the degrees of its file of positions if that has them.

    Raises:
        ScenarioError: it can't be run.
    """
    overrides = overrides_of(source, None, settings_of(None, None, settings))
    resolved = json.loads(engine.resolve(source.text, overrides, syntax=source.syntax))
    heard = engine.hearing(source.text, overrides, syntax=source.syntax, seed=seed)
    named = dict(source.overrides).get("topology.file") or _file(source.tables())
    degrees = table.degrees(Path(str(named))) if named else None
    if resolved["topology"]["kind"] != "positions" or len(degrees or ()) != len(heard.ways):
        degrees = None
    return Network(resolved, degrees, hearing.Hearing(heard))


def _file(tables: Mapping[str, Any]) -> object:
    topology = tables.get("topology")
    return topology.get("file") if isinstance(topology, dict) else None


def placed(network: Network, origin: tuple[float, float]) -> Network:
    """The same with nodes in degrees, if (0, 0) is at `origin`."""
    places = [knots[0][1:] for knots in network.ways]
    found = Plane(*origin).degrees(places).round(7).tolist()
    return replace(network, degrees=[(lat, lon) for lat, lon in found])


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _geojson(network: Network) -> dict[str, Any]:
    if network.degrees is None:
        raise SiteError(
            "GeoJSON needs latitudes and longitudes: columns lat and lon of the scenario's file of "
            "positions, or --origin LAT,LON, where (0, 0) is"
        )
    names = Nodes.of(network.scenario)
    points = [[lon, lat] for lat, lon in network.degrees]
    features: list[dict[str, Any]] = [
        _feature("Point", point, {"id": names.short(node), "name": names.name(node)})
        for node, point in enumerate(points)
    ]
    for a, b, gain in network.links():
        told = {"from": names.short(a), "to": names.short(b)}
        features.append(_feature("LineString", [points[a], points[b]], {**told, **_gain(gain)}))
    return {"type": "FeatureCollection", "features": features}


def _feature(kind: str, coordinates: object, told: dict[str, Any]) -> dict[str, Any]:
    shape = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": shape, "properties": told}


def _gain(gain: float | None) -> dict[str, float]:
    return {} if gain is None else {"gain_db": gain}


def _netjson(network: Network) -> dict[str, Any]:
    names = Nodes.of(network.scenario)
    nodes = []
    for node in range(network.heard.nodes):
        told: dict[str, Any] = {"id": names.short(node)}
        if name := names.name(node):
            told["label"] = name
        if network.degrees is not None:
            lat, lon = network.degrees[node]
            told["properties"] = {"location": {"lat": lat, "lng": lon}}
        nodes.append(told)
    links = [
        {
            "source": names.short(a),
            "target": names.short(b),
            "cost": 1.0,
            **({"properties": told} if (told := _gain(gain)) else {}),
        }
        for a, b, gain in network.links()
    ]
    return {
        "type": "NetworkGraph",
        "protocol": network.scenario["routing"]["scheme"],
        "version": None,
        "metric": "hops",
        "nodes": nodes,
        "links": links,
    }
