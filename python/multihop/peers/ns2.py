"""Stock ns-2.35 on a scenario of ours: a Tcl script from the resolved scenario, run per seed."""

import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from multihop import foreign, simulate
from multihop.result_types import FlowReport
from multihop.results import Result
from multihop.scenario import Tables

INSTALL_HINT = "ns-2 is not installed: apt-get install ns2"

_TEMPLATE = Path(__file__).with_name("ns2.tcl")
_COUNTER = Path(__file__).with_name("ns2-count.awk")

_TRANSMIT_POWER_W = 0.28183815
_ANTENNA_HEIGHT_M = 1.5
_FREE_SPACE_LIMIT_M = 86.14
"""Crossover of two-ray ground at 914 MHz and 1.5 m: below it the fourth-power law does not hold."""

_ROUTING = {"aodv": "AODV", "dsdv": "DSDV", "dsr": "DSR"}
_QUEUE = dict.fromkeys(_ROUTING, "Queue/DropTail/PriQueue") | {"dsr": "CMUPriQueue"}
_TCP = {"reno": "/Reno", "newreno": "/Newreno"}

_TRANSLATED = {
    "radio": {"propagation", "receive_range_m", "sense_range_m", "capture_db"},
    "mac": {
        "scheme",
        "data_rate_bps",
        "basic_rate_bps",
        "short_retry_limit",
        "long_retry_limit",
        "queue_packets",
    },
    "link": set(),
    "routing": {"scheme"},
    "transport": {"scheme", "link_failure", "segment_bytes", "window_segments"},
}
"""Keys that the script translates, by section; any other must have its default."""

_FLOW_KEYS = {
    "id",
    "kind",
    "source",
    "destination",
    "start_s",
    "stop_s",
    "packet_bytes",
    "rate_bps",
    "count",
    "start_spacing_s",
    "start_spread_s",
    "lifetime_s",
    "distinct_ends",
    "min_hops",
    "max_hops",
}
"""Keys of a flow that the script translates, or that the result already resolves."""


_PLACE = re.compile(r"set X_ (?P<x>\S+)|set Y_ (?P<y>\S+)|setdest (?P<to_x>\S+) (?P<to_y>\S+)")
"""The places in a movement file."""


class UnsupportedError(Exception):
    """The scenario uses something that the peer does not have; the message is one line."""


class FailedError(Exception):
    """The peer could not run; the message is one line."""


@dataclass(frozen=True, slots=True)
class Run:
    """What ns-2 printed for one seed."""

    seed: int
    delivered: dict[int, int]
    """Segments acknowledged at the sender, or CBR packets received, by flow."""
    counts: dict[str, int] = field(default_factory=dict)
    """Trace lines by "event layer reason type"; empty when not traced."""


def executable() -> str | None:
    """Path of the installed `ns`, if any."""
    return shutil.which("ns")


def script(result: Result, defaults: Tables) -> str:
    """Write the ns-2 script of the run that `result` came from: its places, movement and flows.

    `defaults` is the resolved scenario with every optional key left out: what differs from it must
    have its place in the script, or the comparison would be between different things.
    """
    scenario = result.scenario
    _check(scenario, defaults)
    radio, mac, transport = (scenario[key] for key in ("radio", "mac", "transport"))
    routing = scenario["routing"]["scheme"]
    positions, size = _positions(result)
    values = {
        "title": foreign.line(scenario.get("title") or "untitled").replace("\\", "/"),
        "data_rate_bps": mac["data_rate_bps"],
        "basic_rate_bps": mac["basic_rate_bps"],
        "short_retry_limit": mac["short_retry_limit"],
        "long_retry_limit": mac["long_retry_limit"],
        "queue_packets": mac["queue_packets"],
        "receive_threshold_w": threshold_w(radio["receive_range_m"]),
        "sense_threshold_w": threshold_w(radio["sense_range_m"]),
        "capture_ratio": 10 ** (radio["capture_db"] / 10),
        "width_m": size[0],
        "height_m": size[1],
        "nodes": len(result.json["positions_m"]),
        "routing": _ROUTING[routing],
        "queue": _QUEUE[routing],
        "tcp": _TCP[transport["scheme"]],
        "positions": positions,
        "flows": "\n".join(_flow_line(flow, transport) for flow in result.json["flows"]),
        "duration_s": scenario["duration_s"],
        "counter": _COUNTER,
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda found: str(values.get(found[1], found[0])), text)


def defaults(result: Result) -> Tables:
    """Resolve a scenario of the same schemes in which every other key has its default."""
    told = result.scenario
    schemes = {
        section: {"scheme": told[section]["scheme"]}
        for section, keys in _TRANSLATED.items()
        if "scheme" in keys
    }
    flow = {"kind": "ftp", "source": 0, "destination": 1, "start_s": 0, "stop_s": 0.001}
    chain = {"kind": "chain", "hops": 1, "spacing_m": 100}
    return simulate.run(
        {"title": "defaults", "duration_s": 0.001, "topology": chain, **schemes, "flows": [flow]}
    ).scenario


def run(
    scripts: Mapping[int, str],
    *,
    traced: bool,
    workers: int | None = None,
    finished: Callable[[Run], object] | None = None,
) -> list[Run]:
    """Run each seed's script, in parallel; `traced` also counts trace lines, which is slower."""
    running: set[subprocess.Popen[str]] = set()
    with (
        tempfile.TemporaryDirectory(prefix="multihop-ns2-") as name,
        ThreadPoolExecutor(workers or os.cpu_count()) as pool,
    ):
        folder = Path(name)
        futures = []
        for seed, text in scripts.items():
            path = folder / f"{seed}.tcl"
            path.write_text(text, encoding="utf-8")
            futures.append(pool.submit(_run_seed, path, seed, traced, running))
        try:
            for future in as_completed(futures):
                outcome = future.result()
                if finished is not None:
                    finished(outcome)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.terminate()
            raise
        return [future.result() for future in futures]


def threshold_w(range_m: float) -> float:
    """Power at which two-ray ground reaches `range_m` and no further, watts.

    Cut to four digits, as ns-2's own thresholds are: a node at exactly that distance is in range.
    """
    if range_m <= _FREE_SPACE_LIMIT_M:
        raise UnsupportedError(
            f"a range of {range_m:g} m is not translated: at least {_FREE_SPACE_LIMIT_M} m for ns-2"
        )
    power = _TRANSMIT_POWER_W * _ANTENNA_HEIGHT_M**4 / range_m**4
    exponent = math.floor(math.log10(power)) - 3
    return float(f"{math.floor(power / 10.0**exponent)}e{exponent}")


def _run_seed(path: Path, seed: int, traced: bool, running: set[subprocess.Popen[str]]) -> Run:
    counts = path.with_suffix(".counts")
    command = ["ns", str(path), str(seed), *([str(counts)] if traced else [])]
    with subprocess.Popen(
        command, cwd=path.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        running.add(process)
        try:
            output, errors = process.communicate()
        finally:
            running.discard(process)
    if process.returncode != 0:
        last = _one_line(errors.strip().splitlines()[-1] if errors.strip() else "no message")
        raise FailedError(f"ns-2 ended with code {process.returncode} at seed {seed}: {last}")
    lines = [line.split() for line in output.splitlines() if line.startswith(("tcp ", "cbr "))]
    delivered = {int(words[1]): max(int(words[2]), 0) for words in lines}
    return Run(seed, delivered, _read_counts(counts) if traced else {})


def _read_counts(path: Path) -> dict[str, int]:
    pairs = (line.rsplit(" ", 1) for line in path.read_text(encoding="utf-8").splitlines())
    return {key: int(count) for key, count in pairs}


def _check(scenario: Tables, defaults: Tables) -> None:
    choices = [
        ("routing", "scheme", set(_ROUTING)),
        ("transport", "scheme", set(_TCP)),
        ("transport", "link_failure", {"ignore"}),
        ("mac", "scheme", {"dcf"}),
        ("radio", "propagation", {"two-ray-ground"}),
    ]
    for section, key, allowed in choices:
        value = scenario[section][key]
        if value not in allowed:
            names = ", ".join(sorted(allowed))
            raise UnsupportedError(
                f"stock ns-2.35 has no {section}.{key} = {value!r}; it has {names}"
            )
    if scenario.get("profile", "ns2") != "ns2":
        raise UnsupportedError(f"stock ns-2.35 has no profile {scenario['profile']!r}; it has ns2")
    if scenario["topology"]["kind"] == "links" or scenario.get("events"):
        raise UnsupportedError("ns-2.35 has neither explicit links nor scripted events")
    if scenario.get("wires"):
        raise UnsupportedError("the ns-2 script has no wires")
    if scenario.get("interfaces"):
        raise UnsupportedError("the ns-2 script has one interface a node")
    for section, translated in _TRANSLATED.items():
        for key, value in scenario.get(section, {}).items():
            if key not in translated and value != defaults.get(section, {}).get(key):
                raise UnsupportedError(
                    f"{section}.{key} = {value!r} has no counterpart in the ns-2 script"
                )
    for index, flow in enumerate(scenario["flows"]):
        for key, value in flow.items():
            if key not in _FLOW_KEYS and value is not None:
                raise UnsupportedError(
                    f"flows.{index}.{key} = {value!r} has no counterpart in the ns-2 script"
                )


def _positions(result: Result) -> tuple[str, tuple[float, float]]:
    """Lines that place the nodes and move them, and the size of the area, metres.

    ns-2 wants positions above zero: everything is shifted by the same amount, except what comes
    from a movement file.
    """
    topology, mobility = result.scenario["topology"], result.scenario["mobility"]
    if topology["kind"] == "setdest" and mobility.get("file") == topology["file"]:
        width, height = topology["area_m"]
        return f"source {{{Path(topology['file']).resolve()}}}", (width + 1, height + 1)
    if mobility["kind"] != "static":
        return _above_zero(simulate.movement(result.scenario, seed=result.seed))
    positions = result.json["positions_m"]
    shift = [_shift(point[axis] for point in positions) for axis in (0, 1)]
    moved = [(x + shift[0], y + shift[1]) for x, y in positions]
    lines = [f"place {node} {x:.12g} {y:.12g}" for node, (x, y) in enumerate(moved)]
    width, height = (math.ceil(max(point[axis] for point in moved)) + 1 for axis in (0, 1))
    return "\n".join(lines), (width, height)


def _above_zero(movement: str) -> tuple[str, tuple[float, float]]:
    """Shift all places of a movement file above zero; also the size of the area that they need."""
    found = list(_PLACE.finditer(movement))
    xs = [float(match["x"] or match["to_x"]) for match in found if not match["y"]]
    ys = [float(match["y"] or match["to_y"]) for match in found if not match["x"]]
    shift_x, shift_y = _shift(xs), _shift(ys)

    def moved(match: re.Match[str]) -> str:
        if match["x"]:
            return f"set X_ {float(match['x']) + shift_x:.12f}"
        if match["y"]:
            return f"set Y_ {float(match['y']) + shift_y:.12f}"
        x, y = float(match["to_x"]) + shift_x, float(match["to_y"]) + shift_y
        return f"setdest {x:.12f} {y:.12f}"

    size = (math.ceil(max(xs) + shift_x) + 1, math.ceil(max(ys) + shift_y) + 1)
    return _PLACE.sub(moved, movement.rstrip()), size


def _shift(coordinates: Iterable[float]) -> float:
    return 1.0 - min(0.0, *coordinates)


def _flow_line(flow: FlowReport, transport: Tables) -> str:
    ends = f"{flow['id']} {flow['source']} {flow['destination']} {flow['start_s']} {flow['stop_s']}"
    if flow["kind"] == "ftp":
        return f"ftp {ends} {transport['window_segments']} {transport['segment_bytes']}"
    if flow["kind"] == "cbr":
        return f"cbr {ends} {flow['packet_bytes']} {flow['rate_bps']}"
    raise UnsupportedError(f"flows of kind {flow['kind']!r} are not translated for ns-2")


def _one_line(text: str) -> str:
    return " ".join(text.split())
