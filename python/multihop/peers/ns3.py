"""Stock ns-3 on a scenario of ours: fixed nodes, AODV, NewReno and bulk flows."""

import hashlib
import importlib.util
import math
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

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
    "applications",
)
_PHYS = ("dsss-1999", "802.11b")
_MODES = {
    1e6: "DsssRate1Mbps",
    2e6: "DsssRate2Mbps",
    5.5e6: "DsssRate5_5Mbps",
    11e6: "DsssRate11Mbps",
}


@dataclass(frozen=True, slots=True)
class Run:
    """What ns-3 printed for one seed."""

    seed: int
    delivered: dict[int, int]
    """Segments received in order at the destination, by flow."""
    events: int


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
    _check(scenario)
    radio, mac, transport = (scenario[key] for key in ("radio", "mac", "transport"))
    places = [f"{x} {y}" for x, y in result.json["positions_m"]]
    flows = [
        f"{flow['source']} {flow['destination']} {flow['start_s']} {flow['stop_s']}"
        for flow in result.json["flows"]
    ]
    nodes_file, flows_file = folder / "nodes.txt", folder / "flows.txt"
    nodes_file.write_text("\n".join(places) + "\n", encoding="utf-8")
    flows_file.write_text("\n".join(flows) + "\n", encoding="utf-8")
    values = {
        "nodes": nodes_file,
        "flows": flows_file,
        "data": _mode(mac["data_rate_bps"]),
        "control": _mode(mac["basic_rate_bps"]),
        "receive": _dbm(threshold_w(radio["receive_range_m"])),
        "sense": _dbm(threshold_w(radio["sense_range_m"])),
        "duration": scenario["duration_s"],
        "seed": result.seed,
        "segment": transport["segment_bytes"],
        "window": transport["window_segments"],
        "retries": mac["short_retry_limit"],
        "queue": mac["queue_packets"],
    }
    return [f"--{name}={value}" for name, value in values.items()]


def run(program: Path, result: Result) -> Run:
    """Run the scenario and seed that `result` came from."""
    with tempfile.TemporaryDirectory(prefix="multihop-ns3-") as name:
        output = _output([str(program)], arguments(result, Path(name)))
    lines = [line.split() for line in output.splitlines()]
    delivered = {int(words[1]): int(words[2]) for words in lines if words[0] == "flow"}
    events = next(int(words[1]) for words in lines if words[0] == "events")
    return Run(result.seed, delivered, events)


def _check(scenario: Tables) -> None:
    needed = {
        "routing.scheme": "aodv",
        "transport.scheme": "newreno",
        "transport.link_failure": "ignore",
        "mac.scheme": "dcf",
        "mac.rate": "fixed",
        "radio.reception": "threshold",
        "radio.propagation": "two-ray-ground",
        "mobility.kind": "static",
    }
    for path, only in needed.items():
        section, key = path.split(".")
        if scenario[section][key] != only:
            raise UnsupportedError(
                f"the ns-3 driver has no {path} = {scenario[section][key]!r}; it has {only}"
            )
    phy = scenario["mac"]["phy"]
    if phy not in _PHYS:
        names = " and ".join(_PHYS)
        raise UnsupportedError(f"the ns-3 driver has no mac.phy = {phy!r}; it has {names}")
    preamble = scenario["mac"].get("preamble", "long")
    if preamble != "long":
        raise UnsupportedError(f"the ns-3 driver has no mac.preamble = {preamble!r}; it has long")
    if scenario["topology"]["kind"] == "links" or scenario.get("events"):
        raise UnsupportedError("the ns-3 driver has neither explicit links nor scripted events")
    for flow in scenario["flows"]:
        if flow["kind"] != "ftp":
            raise UnsupportedError(f"the ns-3 driver has no flows of kind {flow['kind']!r}")


def _mode(rate_bps: float) -> str:
    if rate_bps not in _MODES:
        raise UnsupportedError(f"ns-3 has no rate of {rate_bps:g} bit/s in 802.11b")
    return _MODES[rate_bps]


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
