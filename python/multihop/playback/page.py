"""The page that plays a run: one file, which asks for nothing."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from multihop import engine, hearing
from multihop.foreign import in_html, in_script, line, script
from multihop.palette import COLOURS
from multihop.places import has_metres
from multihop.playback.causes import checked
from multihop.playback.columns import encode, words
from multihop.playback.heard import heard_facts
from multihop.results import Result, schemes_of, title_of
from multihop.wires import members

MOST_BYTES = 300_000_000
"""What a browser still takes as one text."""


class ReplayError(ValueError):
    """A run that can't be played; the message is one line."""


def page(result: Result, causes: Mapping[str, Any] | str | None = None) -> str:
    """The page of a result that was run with `events`.

    Args:
        result: the run.
        causes: why flows were silent, as `multihop explain` says it.

    Raises:
        ReplayError: nothing happened, or too much.
        CausesError: `causes` is of another form.
        ValueError: no events were recorded.
    """
    facts, record = packed(result, causes)
    return _filled(facts, record=record)


def packed(
    result: Result, causes: Mapping[str, Any] | str | None = None
) -> tuple[dict[str, Any], str]:
    """What a page knows of a result besides its events, and these, compressed, in base64.

    Raises:
        ReplayError, CausesError, ValueError: as `page` does.
    """
    events = result.events
    if events.is_empty():
        raise ReplayError("the record holds no events: widen its window")
    columns = encode(events)
    data = base64.b64encode(columns.compressed())
    if len(data) > MOST_BYTES:
        fault = f"{len(data) / 1e6:,.0f} MB, more than a browser takes: record less of the run"
        raise ReplayError(fault)
    told = {
        "words": words(events),
        "columns": columns.layout,
        "causes": [] if causes is None else checked(causes),
    }
    return _facts(result, told), data.decode()


def live_page(plan: Result, first: int) -> str:
    """The page of a run that goes on: it asks its server for the record, from part `first` on."""
    known = {name: [word for word in each if word] for name, each in engine.event_words().items()}
    told = {"words": known, "columns": [], "causes": [], "live": first}
    return _filled(_facts(plan, told), sources="; connect-src 'self'")


def _filled(facts: Mapping[str, Any], *, record: str = "", sources: str = "") -> str:
    parts = {
        "title": in_html(facts["title"]),
        "player": _file("player.html").replace("<!-- head -->", ""),
        "sources": sources,
        "style": _file("replay.css"),
        "facts": in_script(facts),
        "record": record,
        "script": script(_file("replay.js")),
    }
    return re.sub(r"<!-- (\w+) -->", lambda found: parts[found[1]], _file("page.html"))


def _facts(result: Result, told: Mapping[str, Any]) -> dict[str, Any]:
    """What the page knows of the run besides its events; `told` is of the record."""
    scenario, flows = result.scenario, result.json["flows"]
    heard = hearing.of(result)
    return {
        "title": title_of(scenario),
        "schemes": schemes_of(scenario),
        "seed": result.seed,
        "version": result.version,
        "duration_s": scenario["duration_s"],
        "ways": _ways(heard),
        "heard": heard_facts(heard, scenario["duration_s"]),
        "wires": members(scenario),
        "receive_m": scenario["radio"]["receive_range_m"] if heard.by_distance else None,
        "sense_m": scenario["radio"]["sense_range_m"] if heard.by_distance else None,
        "has_metres": has_metres(scenario),
        "queue_packets": scenario["mac"]["queue_packets"],
        "flows": flow_facts(flows),
        "names": [result.nodes.name(node) for node in range(len(result.nodes.names))],
        "palette": COLOURS,
        "about": {column.name: column.words for column in engine.event_columns() if column.words},
        **told,
    }


def flow_facts(flows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the page knows of flows; theirs are as those of a result."""
    return [
        {
            "id": flow["id"],
            "kind": flow["kind"],
            **({"name": line(flow["name"])} if flow.get("name") else {}),
            "source": flow["source"],
            "destination": flow["destination"],
            "payload": flow["delivered_bytes"] / max(1, flow["delivered_segments"]),
        }
        for flow in flows
    ]


def _ways(heard: hearing.Hearing) -> list[list[float]]:
    """Each node's way, flat: time_s, x_m, y_m of each knot; to a centimetre."""
    return [
        [number for time_s, x, y in way for number in (round(time_s, 6), round(x, 2), round(y, 2))]
        for way in heard.ways
    ]


def _file(name: str) -> str:
    return resources.files("multihop.playback").joinpath("page", name).read_text("utf-8")
