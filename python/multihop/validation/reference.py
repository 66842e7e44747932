"""Reference cases: what stock ns-2.35 gave on fixed inputs, and the same input as our scenario."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop.peers.comparison import trace_figures


@dataclass(frozen=True, slots=True)
class Case:
    """One reference file."""

    name: str
    scenario: dict[str, Any]
    delivered: list[list[int]]
    """By run, then by flow: segments acknowledged, then CBR packets received."""
    figures: list[dict[str, int]]
    """By run: counters from the packet trace; empty where the case was not traced."""


def load(path: Path) -> Case:
    """Read one reference file."""
    tables = json.loads(path.read_text(encoding="utf-8"))
    runs = tables["runs"]
    traces = [run["trace_counts"] for run in runs if run.get("trace_counts")]
    return Case(
        name=tables["name"],
        scenario=scenario(tables, path.parent),
        delivered=[
            [flow["acked_segments"] for flow in run["tcp"]]
            + [flow["received"] for flow in run["cbr"]]
            for run in runs
        ],
        figures=[trace_figures(trace) for trace in traces],
    )


def scenario(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Our scenario of the input of a reference file in `folder`."""
    params = tables["params"]
    return {
        "title": tables["name"],
        "duration_s": tables["duration_s"],
        "topology": _topology(tables, folder),
        "radio": {
            "receive_range_m": params["rx_range_m"],
            "sense_range_m": params["cs_range_m"],
            "capture_db": params["capture_db"],
        },
        "mac": {
            "data_rate_bps": params["datarate"],
            "basic_rate_bps": params["basicrate"],
            "short_retry_limit": params["srl"],
            "long_retry_limit": params["lrl"],
            "queue_packets": params["ifqlen"],
        },
        "routing": {"scheme": params["rp"].lower()},
        "transport": {
            "scheme": params["tcp"].lower(),
            "link_failure": "ignore",
            "segment_bytes": params["pkt"],
            "window_segments": params["win"],
        },
        "flows": [_ftp(flow) for flow in tables["flows"]] + [_cbr(flow) for flow in tables["cbr"]],
    }


def _topology(tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    if "movement_file" not in tables:
        return {"kind": "positions", "positions_m": tables["positions"]}
    return {
        "kind": "setdest",
        "file": str(folder / tables["movement_file"]),
        "nodes": tables["move"]["n"],
        "area_m": tables["area"],
    }


def _ftp(flow: list[float]) -> dict[str, Any]:
    source, destination, start, stop = flow
    return {
        "kind": "ftp",
        "source": source,
        "destination": destination,
        "start_s": start,
        "stop_s": stop,
    }


def _cbr(flow: list[float]) -> dict[str, Any]:
    *ends, size, rate = flow
    return {**_ftp(ends), "kind": "cbr", "packet_bytes": size, "rate_bps": rate}
