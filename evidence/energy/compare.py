"""What radios use by state, here and on ns-3.44: `python -m evidence.energy.compare`.

MULTIHOP_NS3 names an environment with ns-3's package. Prints a table for evidence/radios.md.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import multihop
from multihop.peers import ns3

SOURCE = Path(__file__).with_name("ns3.cc")
SCENARIO = """
duration_s = 21
profile = "standard"
[topology]
kind = "positions"
positions_m = [[0, 0], [50, 0], [100, 0]]
[mac]
phy = "802.11a"
data_rate_bps = 6e6
rts_threshold_bytes = 3000
[radio]
reception = "sinr"
propagation = "log-distance"
path_loss_exponent = 3
frequency_hz = 5.15e9
transmit_power_dbm = 16.0206
[radio.energy]
[link]
arp = false
[routing]
scheme = "static"
[[flows]]
kind = "cbr"
packet_bytes = 1000
rate_bps = 1e6
start_s = 1
source = 0
destination = 1
"""
INTERVALS_S = (0.01, 0.002, 0.001)
MODULES = ("core", "network", "internet", "wifi", "mobility", "energy", "applications")


def compiled(package: Path, folder: Path) -> Path:
    """The program of ns-3, compiled in `folder`."""
    libraries = package.absolute() / "lib64"
    names = [f"-lns{ns3.version(package)}-{module}" for module in (*MODULES, "propagation")]
    program = folder / "energy"
    command = ["g++", "-O1", "-std=c++20", f"-I{package / 'include'}", "-o", str(program)]
    command += [str(SOURCE), f"-L{libraries}", f"-Wl,-rpath,{libraries}", *names]
    subprocess.run(command, check=True)
    return program


def rows(program: Path) -> Iterator[str]:
    """The rows of the table."""
    for interval_s in INTERVALS_S:
        done = subprocess.run(
            [program, f"--interval={interval_s}"], check=True, stdout=subprocess.PIPE, text=True
        )
        theirs = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
        ours = multihop.run(SCENARIO, set={"flows.0.rate_bps": 8000 / interval_s}).json["energy"]
        for node, (report, (used_j, *times)) in enumerate(zip(ours, theirs, strict=True)):
            keys = ("used_j", "sending_s", "receiving_s", "idle_s")
            pairs = zip((report[key] for key in keys), (used_j, *times), strict=True)
            cells = [f"{mine:.3f} / {other:.3f}" for mine, other in pairs]
            yield f"| {1 / interval_s:.0f} | {node} | {' | '.join(cells)} |"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        found = ns3.package()
        if found is None:
            sys.exit("ns-3 is not installed: set MULTIHOP_NS3")
        for row in rows(compiled(found, Path(scratch))):
            print(row)
