"""The tournament's routings under the kernel's TCP: the flows' programs, and the tables."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from benches.bound_certificates import scenario
from evidence.emulation import bulk, routings

import multihop

BULK = Path(bulk.__file__)


def started(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-I", "-S", str(BULK), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def free_port() -> int:
    with socket.create_server(("", 0)) as server:
        return int(server.getsockname()[1])


def test_a_sink_counts_what_a_source_sends_until_the_time_is_over() -> None:
    port, until = free_port(), time.monotonic() + 3
    source = started("source", "127.0.0.1", str(port), "cubic", str(until - 1))
    sink = started("sink", str(port), str(until))
    received = int(sink.communicate(timeout=20)[0])
    assert source.communicate(timeout=20)[0] == ""
    assert source.returncode == 0
    assert received > 10 * len(bulk.BLOCK)
    assert time.monotonic() < until + 5


def test_a_sink_that_nobody_reaches_has_nothing() -> None:
    sink = started("sink", str(free_port()), str(time.monotonic() + 0.5))
    assert sink.communicate(timeout=20)[0] == "0\n"


@pytest.mark.parametrize("movement", routings.MOVEMENTS)
@pytest.mark.parametrize("scheme", routings.SCHEMES)
def test_every_scheme_can_be_run(movement: str, scheme: str) -> None:
    asked = scenario(2) | routings.MOVEMENTS[movement] | dict(routings.SCHEMES[scheme])
    transport = {**routings.TCP, "scheme": "cubic"}
    result = multihop.run({**asked, "transport": transport, "duration_s": 6, "seed": 1})
    assert len(result.json["flows"]) == 2


def row(scheme: str, seed: int, kernel: list[float], ours: list[float]) -> dict[str, Any]:
    return {"scheme": scheme, "seed": seed, "kernel": kernel, "simulated": ours}


def test_totals_are_compared_network_by_network() -> None:
    found = [row("aodv", 60001 + n, [1000.0 * n, 3000.0 * n], [4000.0 * n, 0]) for n in (3, 1, 2)]
    found += [row("dsr", 60001 + n, [500.0 * n, 1500.0 * n], [0, 8000.0 * n]) for n in (1, 2, 3)]
    *_, aodv, dsr = routings.table(found)
    assert [cell.strip() for cell in aodv.split("|")[1:-1]] == [
        "aodv", "8", "1.00 (1.00 to 1.00)", "0.80 (0.80 to 0.80)",
        "8", "1.00 (1.00 to 1.00)", "0.50 (0.50 to 0.50)", "1.00 (1.00 to 1.00)",
    ]  # fmt: skip
    assert [cell.strip() for cell in dsr.split("|")[1:-1]][2] == "0.50 (0.50 to 0.50)"
    assert [cell.strip() for cell in dsr.split("|")[1:-1]][-1] == "0.25 (0.25 to 0.25)"


def test_a_ratio_is_of_the_networks_that_both_ran_on() -> None:
    found = [row("aodv", 60001 + n, [1000.0 * n], [1.0]) for n in (1, 2, 3)]
    found += [row("dsr", 60001 + n, [2000.0 * n], [1.0]) for n in (1, 2)]
    *_, dsr = routings.table(found)
    assert "| 2.00 (2.00 to 2.00) |" in dsr
