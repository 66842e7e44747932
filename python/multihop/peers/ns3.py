"""Stock ns-3 on a scenario of ours.

Fixed nodes, some of which may be killed; the papers' radio with AODV, OLSR, DSDV or HWMP, or radios
of today with reception by signal and noise, the first three or static routes; NewReno and UDP.
"""

import hashlib
import importlib.util
import itertools
import json
import math
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scipy.constants
import scipy.sparse
import scipy.spatial.distance
from scipy.sparse.csgraph import shortest_path

from multihop import engine
from multihop.peers.ns2 import FailedError, UnsupportedError, threshold_w
from multihop.results import Result
from multihop.scenario import Tables

FOLDER_VARIABLE = "MULTIHOP_NS3"
"""Environment variable with the virtual environment that ns-3 is installed in."""

INSTALL_HINT = (
    "ns-3 is not installed: python3 -m venv NS3; NS3/bin/pip install ns3==3.44.post0; "
    f"then set {FOLDER_VARIABLE}=NS3"
)

_SOURCE = Path(__file__).with_name("ns3.cc")
_MODULES = (
    "core",
    "network",
    "internet",
    "mobility",
    "propagation",
    "wifi",
    "aodv",
    "olsr",
    "dsdv",
    "mesh",
    "applications",
)
_MODES = {
    1e6: "DsssRate1Mbps",
    2e6: "DsssRate2Mbps",
    5.5e6: "DsssRate5_5Mbps",
    11e6: "DsssRate11Mbps",
    **{mbps * 1e6: f"OfdmRate{mbps}Mbps" for mbps in (6, 9, 12, 18, 24, 36, 48, 54)},
}
_MANAGERS = {"fixed": "ConstantRate", "minstrel": "Minstrel", "ideal": "Ideal"}
_CHANNELS = {"802.11b": "{1,22,BAND_2_4GHZ,0}", "802.11g": "{1,20,BAND_2_4GHZ,0}"}
_CHANNELS_BY_WIDTH = {
    20: "{36,20,BAND_5GHZ,0}",
    40: "{38,40,BAND_5GHZ,0}",
    80: "{42,80,BAND_5GHZ,0}",
}
"""The channels of the other PHYs by width [MHz]."""
_STANDARDS = {f"802.11{letters}": f"80211{letters}" for letters in ("b", "a", "g", "n", "ac", "ax")}
_NUMBERED = {"802.11n": "HtMcs", "802.11ac": "VhtMcs", "802.11ax": "HeMcs"}
_GUARDS_NS = {
    "802.11n": {"short": 400, "long": 800},
    "802.11ac": {"short": 400, "long": 800},
    "802.11ax": {"short": 800, "medium": 1600, "long": 3200},
}
_AMPDU_BYTES = defaultdict(lambda: 65535, {"802.11ac": 1048575, "802.11ax": 6500631})
"""The longest A-MPDU of each PHY, which ns-3's attribute is set to unless a scenario limits it."""
_CATEGORIES = {
    "voice": ("VO", 0xC0),
    "video": ("VI", 0xB8),
    "best-effort": ("BE", 0x70),
    "background": ("BK", 0x28),
}
"""The access categories: ns-3's names, and types of service that lead there."""
_WINDOWS = (64, 256)
"""MPDUs in A-MPDUs at most, which in ns-3 the window of block acknowledgments limits."""
UDP_BYTES = 8
"""UDP's header: our constant bit rate has IP's only."""
LLC_BYTES = 8
"""The link layer's header, which our frames do not have."""
_LARGEST_FRAME = 4692480
"""The highest RTS threshold that ns-3 takes [bytes]: it stands for none."""


@dataclass(frozen=True, slots=True)
class Run:
    """What ns-3 printed for one seed."""

    seed: int
    delivered: dict[int, int]
    """Packets received at the destination, by flow; in order with TCP."""
    events: int
    routing_packets: int = 0
    """The routing protocol's packets that all nodes sent."""
    routing_bytes: int = 0
    """Their size with IP headers."""
    messages: tuple[int, ...] = ()
    """OLSR's HELLOs, TCs and TCs passed on; HWMP's beacons, peering frames, PREQs, PREPs, PERRs."""
    arrivals: tuple[tuple[int, float, int], ...] = ()
    """Of each UDP packet that arrived the flow, the time [s] and the hops, where asked for."""


def package() -> Path | None:
    """Folder of an installed ns-3 with its headers and libraries, if any.

    The virtual environment that `MULTIHOP_NS3` names, else the Python package `ns3`.
    """
    if told := os.environ.get(FOLDER_VARIABLE):
        found = sorted(Path(told).glob("lib/python3*/site-packages/ns3"))
        if not found:
            raise FailedError(f"{FOLDER_VARIABLE}={told}: has no Python package ns3")
        return found[-1]
    spec = importlib.util.find_spec("ns3")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def version(package: Path) -> str:
    """Version by the names of the libraries, as in `3.44`."""
    libraries = sorted((package / "lib64").glob("libns3.*-core.so"))
    if not libraries:
        raise FailedError(f"{package}: no ns-3 libraries in lib64")
    return libraries[-1].name.removeprefix("libns").removesuffix("-core.so")


def build(package: Path, folder: Path) -> Path:
    """Compile the driver in `folder`, unless done before; returns the program."""
    source = _SOURCE.read_bytes()
    digest = hashlib.sha256(source + str(package.absolute()).encode()).hexdigest()[:12]
    program = folder.absolute() / f"ns3-{digest}"
    if program.exists():
        return program
    compiler = shutil.which("g++")
    if compiler is None:
        raise FailedError("ns-3 needs g++ to build its driver")
    folder.mkdir(parents=True, exist_ok=True)
    libraries = package.absolute() / "lib64"
    names = [f"-lns{version(package)}-{module}" for module in _MODULES]
    unfinished = program.with_suffix(".part")
    _output(
        [compiler, "-O2", "-std=c++20", f"-I{package / 'include'}", "-o", str(unfinished)],
        [str(_SOURCE), f"-L{libraries}", f"-Wl,-rpath,{libraries}", *names],
    )
    return unfinished.rename(program)


def arguments(result: Result, folder: Path) -> list[str]:
    """Write the places and flows of the run that `result` came from; the driver's arguments."""
    scenario = result.scenario
    by_noise = scenario["radio"]["reception"] == "sinr"
    _check(scenario, _BY_NOISE if by_noise else _BY_THRESHOLD)
    radio, mac = scenario["radio"], scenario["mac"]
    nodes_file, flows_file = folder / "nodes.txt", folder / "flows.txt"
    places = result.json["positions_m"]
    _write(nodes_file, places)
    _write(flows_file, map(_flow, result.json["flows"], _services(scenario)))
    values = {
        "nodes": nodes_file,
        "flows": flows_file,
        "data": _data_mode(mac),
        "control": _mode(mac["basic_rate_bps"], mac["phy"]),
        "duration": scenario["duration_s"],
        "seed": result.seed,
        "segment": _payload_bytes(result, headers=by_noise),
        "window": scenario["transport"].get("window_segments", 1),
        "retries": mac["short_retry_limit"],
        "queue": mac["queue_packets"],
    }
    if kills := [f"{event['node']}:{event['at_s']}" for event in _events(scenario)]:
        values["kills"] = ",".join(kills)
    if scenario["routing"]["scheme"] in _ATTRIBUTES:
        values |= _routing(scenario["routing"])
    if not by_noise:
        values["receive"] = _dbm(threshold_w(radio["receive_range_m"]))
        values["sense"] = _dbm(threshold_w(radio["sense_range_m"]))
    else:
        if scenario["routing"]["scheme"] == "static":
            values["routes"] = folder / "routes.txt"
            _write(values["routes"], _routes(scenario, places, radio["receive_range_m"]))
            if scenario.get("interfaces"):
                values["stations"] = folder / "stations.txt"
                _write(values["stations"], _stations(scenario, len(places)))
        if radio["shadowing_db"] > 0:
            values["losses"] = folder / "losses.txt"
            _write(values["losses"], _losses(result))
        rts = mac["rts_threshold_bytes"]
        values |= {
            "standard": _STANDARDS[mac["phy"]],
            "channel": _channel(mac),
            "streams": mac.get("streams", 1),
            "guard": _GUARDS_NS.get(mac["phy"], {}).get(mac.get("guard_interval"), 800),
            "aggregate": mac.get("aggregate_bytes", _AMPDU_BYTES[mac["phy"]])
            if mac.get("aggregate", 1) > 1
            else 0,
            "blockAck": max(mac.get("aggregate", 1), _WINDOWS[0]),
            "manager": _MANAGERS[mac["rate"]],
            "exponent": radio["path_loss_exponent"],
            "referenceLoss": _loss_over_a_metre_db(radio["frequency_hz"]),
            "power": _dbm(radio["transmit_power_w"]),
            "noiseFigure": radio["noise_figure_db"],
            "rts": _LARGEST_FRAME if rts == "inf" else rts,
        }
        if mac.get("edca"):
            values["edca"] = _edca(mac["categories"])
    return [f"--{name}={value}" for name, value in values.items()]


def _write(path: Path, rows: Iterable[Iterable[float]]) -> None:
    lines = (" ".join(map(str, row)) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def _services(scenario: Tables) -> Iterator[int]:
    """The type of service of each flow."""
    if not scenario["mac"].get("edca"):
        yield from itertools.repeat(0)
    for flow in scenario["flows"]:
        if flow["count"] > 1:
            raise UnsupportedError("the ns-3 driver has one flow a table with mac.edca")
        yield _CATEGORIES[flow.get("class", "best-effort")][1]


def _flow(flow: Mapping[str, Any], service: int) -> tuple[float, ...]:
    """Ends, times, the interval between UDP packets, 0 for TCP, and their type of service."""
    interval = 8 * flow["packet_bytes"] / flow["rate_bps"] if flow["kind"] == "cbr" else 0
    times = flow["start_s"], flow["stop_s"]
    return flow["source"], flow["destination"], *times, interval, service


def _payload_bytes(result: Result, *, headers: bool) -> int:
    """What ns-3 is to send, so that frames have one size if `headers` make up for its own."""
    sizes = {flow["packet_bytes"] for flow in result.json["flows"] if flow["kind"] == "cbr"}
    if len(sizes) > 1:
        raise UnsupportedError("the ns-3 driver has packets of one size")
    if sizes:
        return int(sizes.pop()) - (UDP_BYTES + LLC_BYTES if headers else 0)
    return int(result.scenario["transport"]["segment_bytes"]) - (LLC_BYTES if headers else 0)


def _stations(scenario: Tables, nodes: int) -> Iterator[tuple[int, int]]:
    """Each radio: its node and its place among the interfaces."""
    for kind, table in enumerate(scenario["interfaces"]):
        for node in table.get("nodes", range(nodes)):
            yield node, kind


def _routes(
    scenario: Tables, places: Sequence[Sequence[float]], reach_m: float
) -> Iterator[tuple[int, int, int, int]]:
    """The next hop of each node towards each other, and the place of the interface to it.

    By the fewest hops over the first interface that two nodes share, but for routes that are given.
    """
    tables = scenario.get("interfaces") or [{"name": "", "channel": 0}]
    kinds = [set(table.get("nodes", range(len(places)))) for table in tables]
    names = [table["name"] for table in tables]
    routes = scenario["routing"].get("routes", ())
    given = {(one["node"], one["destination"]): one for one in routes}

    def shared(a: int, b: int) -> int:
        return next((place for place, kind in enumerate(kinds) if {a, b} <= kind), -1)

    apart = scipy.spatial.distance.cdist(places, places)
    near = (apart > 0) & (apart <= reach_m)
    for a, b in zip(*near.nonzero(), strict=True):
        near[a, b] = shared(a, b) >= 0
    links = scipy.sparse.csr_array(near)
    # The tree to a destination: who comes before each node on the way from it.
    _, before = shortest_path(links, unweighted=True, return_predecessors=True)
    for destination, nodes in enumerate(before):
        for node, following in enumerate(nodes):
            if route := given.get((node, destination)):
                name, next_hop = route.get("interface"), route["next_hop"]
                kind = names.index(name) if name else shared(node, next_hop)
                yield node, destination, next_hop, kind
            elif following >= 0:
                yield node, destination, int(following), shared(node, int(following))


def _losses(result: Result) -> Iterator[tuple[int, int, float]]:
    """Each link's loss in decibels, the same both ways: by distance, and its shadowing."""
    text = json.dumps(result.scenario)
    for a, b, gain_db in engine.gains_db(text, syntax="json", seed=result.seed):
        if a < b:
            yield a, b, -gain_db


def _loss_over_a_metre_db(frequency_hz: float) -> float:
    return 20 * math.log10(4 * math.pi * frequency_hz / scipy.constants.c)


def _routing(routing: Tables) -> dict[str, str]:
    """The protocol, and the attributes that its keys are in ns-3."""
    scheme = routing["scheme"]
    attributes, fixed = _ATTRIBUTES[scheme]
    for key, value in routing.items():
        if key != "scheme" and key not in attributes and value != fixed.get(key, value):
            raise UnsupportedError(
                f"the ns-3 driver has no routing.{key} = {value!r}; it has {fixed[key]!r}"
            )
    # ns-3 sends at the interval and jitters each message behind it; the RFC shortens the interval.
    earlier_s = {
        f"{kind}_interval_s": routing.get("max_jitter_s", 0) / 2 for kind in ("hello", "tc")
    }
    told = {
        name: form.format(routing[key] - earlier_s.get(key, 0))
        for key, (name, form) in attributes.items()
    }
    if scheme == "hwmp":
        lost = round(routing["peer_hold_s"] / routing["beacon_interval_s"])
        told["dot11s::PeerLink::MaxBeaconLoss"] = str(lost)
    text = ",".join(f"{name}={value}" for name, value in told.items())
    return {"routing": scheme, "attributes": text}


def run(program: Path, result: Result, *, arrivals: bool = False) -> Run:
    """Run the scenario and seed that `result` came from; record each UDP packet's `arrivals`."""
    with tempfile.TemporaryDirectory(prefix="multihop-ns3-") as name:
        told = [*arguments(result, Path(name)), f"--arrivals={int(arrivals)}"]
        output = _output([str(program)], told)
    lines = [line.split() for line in output.splitlines()]
    delivered = {int(words[1]): int(words[2]) for words in lines if words[0] == "flow"}
    counts = {words[0]: list(map(int, words[1:])) for words in lines if words[0] in _COUNTS}
    packets, sent_bytes = counts["routing"]
    came = (words[1:] for words in lines if words[0] == "arrival")
    return Run(
        result.seed,
        delivered,
        events=counts["events"][0],
        routing_packets=packets,
        routing_bytes=sent_bytes,
        messages=tuple(counts.get("messages", ())),
        arrivals=tuple((int(flow), float(time_s), int(hops)) for flow, time_s, hops in came),
    )


_HWMP = "dot11s::HwmpProtocol::"
_COUNTS = ("routing", "messages", "events")
_ATTRIBUTES: dict[str, tuple[dict[str, tuple[str, str]], dict[str, object]]] = {
    "olsr": (
        {"hello_interval_s": ("HelloInterval", "{}s"), "tc_interval_s": ("TcInterval", "{}s")},
        {
            "metric": "hops",
            "hysteresis": False,
            "willingness": 3,
            "mpr_coverage": 1,
            "tc_redundancy": 0,
            "link_layer_notification": False,
        },
    ),
    "dsdv": (
        {
            "update_interval_s": ("PeriodicUpdateInterval", "{}s"),
            "settling_time_s": ("SettlingTime", "{}s"),
            "settling_weight": ("WeightedFactor", "{}"),
            "missed_updates": ("Holdtimes", "{}"),
            "buffer_packets": ("MaxQueuedPacketsPerDst", "{}"),
        },
        {"triggers_on_sequence": True, "update_jitter": 0, "link_layer_notification": False},
    ),
    "hwmp": (
        {
            "active_path_timeout_s": (_HWMP + "Dot11MeshHWMPactivePathTimeout", "{}s"),
            "max_preq_retries": (_HWMP + "Dot11MeshHWMPmaxPREQretries", "{}"),
            "net_diameter": (_HWMP + "MaxTtl", "{}"),
            "net_diameter_traversal_time_s": (
                _HWMP + "Dot11MeshHWMPnetDiameterTraversalTime",
                "{}s",
            ),
            "preq_min_interval_s": (_HWMP + "Dot11MeshHWMPpreqMinInterval", "{}s"),
            "perr_min_interval_s": (_HWMP + "Dot11MeshHWMPperrMinInterval", "{}s"),
            "buffer_packets": (_HWMP + "MaxQueueSize", "{}"),
            "target_only": (_HWMP + "DoFlag", "{}"),
            "beacon_interval_s": ("MeshWifiInterfaceMac::BeaconInterval", "{}s"),
            "max_peering_retries": ("dot11s::PeerLink::MaxRetries", "{}"),
            "peering_retry_timeout_s": ("dot11s::PeerLink::RetryTimeout", "{}s"),
        },
        {"root_mode": "none"},
    ),
}
"""The attributes that keys are, with the form of their values; what other keys must be."""


_BY_THRESHOLD: dict[str, tuple[object, ...]] = {
    "routing.scheme": ("aodv", "olsr", "dsdv", "hwmp"),
    "transport.scheme": ("newreno",),
    "transport.link_failure": ("ignore",),
    "mac.scheme": ("dcf",),
    "mac.access": ("dcf",),
    "mac.rate": ("fixed",),
    "mac.phy": ("dsss-1999", "802.11b", "802.11a"),
    "mac.preamble": ("long",),
    "radio.reception": ("threshold",),
    "radio.propagation": ("two-ray-ground",),
    "mobility.kind": ("static",),
    "flows.kind": ("ftp", "cbr"),
}
"""What a scenario of the papers' radio may have."""
_BY_NOISE: dict[str, tuple[object, ...]] = {
    "routing.scheme": ("static", "aodv", "olsr", "dsdv"),
    "transport.scheme": ("newreno",),
    "transport.link_failure": ("ignore",),
    "mac.scheme": ("dcf",),
    "mac.access": ("dcf",),
    "mac.rate": tuple(_MANAGERS),
    "mac.phy": tuple(_STANDARDS),
    "mac.protection": ("none",),
    "mac.band_ghz": (5,),
    "mac.aggregate": (1, *_WINDOWS),
    "radio.propagation": ("log-distance",),
    "radio.fading": ("none",),
    "radio.capture_db": ("inf",),
    "mobility.kind": ("static",),
    "flows.kind": ("ftp", "cbr"),
}
"""What a scenario of today's radios may have."""


def _check(scenario: Tables, allowed: Mapping[str, tuple[object, ...]]) -> None:
    if scenario.get("wires"):
        raise UnsupportedError("the ns-3 driver has no wires")
    for path, choices in allowed.items():
        section, key = path.split(".")
        tables = scenario["flows"] if section == "flows" else [scenario[section]]
        for table in tables:
            if table.get(key, choices[0]) not in choices:
                names = " and ".join(str(choice) for choice in choices)
                raise UnsupportedError(
                    f"the ns-3 driver has no {path} = {table[key]!r}; it has {names}"
                )
    if scenario["topology"]["kind"] == "links":
        raise UnsupportedError("the ns-3 driver has no explicit links")
    if any(event["kind"] != "node-kill" for event in _events(scenario)):
        raise UnsupportedError("the ns-3 driver has no scripted events but node-kill")
    several, routing = scenario.get("interfaces") or [], scenario["routing"]
    if (several or routing.get("routes")) and scenario["radio"]["reception"] != "sinr":
        raise UnsupportedError("the ns-3 driver has interfaces with radio.reception = 'sinr' alone")
    if several and scenario["radio"]["shadowing_db"] > 0:
        raise UnsupportedError("the ns-3 driver has interfaces without shadowing alone")
    if several and (routing["scheme"] != "static" or any("phy" in table for table in several)):
        raise UnsupportedError("the ns-3 driver has interfaces of one PHY and static routes alone")


def _events(scenario: Tables) -> Sequence[Mapping[str, Any]]:
    return scenario.get("events") or ()


def _data_mode(mac: Mapping[str, Any]) -> str:
    if mac.get("mcs") is not None:
        return f"{_NUMBERED[mac['phy']]}{mac['mcs']}"
    return _mode(mac["data_rate_bps"], mac["phy"])


def _edca(categories: Mapping[str, Any]) -> str:
    """The parameters of each access category."""

    def told(access: str, name: str) -> str:
        own = categories[access]
        txop_us = round(own["txop_limit_s"] * 1e6)
        return f"{name}:{own['aifsn']}:{own['cw_min']}:{own['cw_max']}:{txop_us}"

    return ",".join(told(access, name) for access, (name, _) in _CATEGORIES.items())


def _channel(mac: Mapping[str, Any]) -> str:
    phy = mac["phy"]
    return _CHANNELS.get(phy) or _CHANNELS_BY_WIDTH[mac.get("channel_mhz", 20)]


def _mode(rate_bps: float, phy: str) -> str:
    if rate_bps not in _MODES:
        raise UnsupportedError(f"the ns-3 driver has no rate of {rate_bps:g} bit/s")
    mode = _MODES[rate_bps]
    return f"Erp{mode}" if phy == "802.11g" and mode.startswith("Ofdm") else mode


def _dbm(power_w: float) -> float:
    return 10 * math.log10(power_w * 1e3)


def _output(command: list[str], arguments: list[str]) -> str:
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise FailedError(
            f"{Path(command[0]).name} ended with code {done.returncode}: {lines[-1].strip()}"
        )
    return done.stdout
