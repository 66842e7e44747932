"""QUIC as users meet it: on the command line, in results, and in captures."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CHAIN, Called


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """Two hops."""
    file = tmp_path / "chain.toml"
    file.write_text(CHAIN, "utf-8")
    return file


def test_the_command_line_runs_it_and_a_run_is_the_same_with_a_capture(
    called: Called, chain: Path
) -> None:
    assert "quic-cubic" in called("list", "schemes").stdout
    runs = [
        json.loads(called("run", chain, "--scheme", "quic", "--json", "-", *options).stdout)
        for options in [[], ["--pcap", "run.pcapng"]]
    ]
    plain, captured = (run[0] if isinstance(run, list) else run for run in runs)
    assert plain["engine"]["fingerprint"] == captured["engine"]["fingerprint"]
    flow = plain["flows"][0]
    assert flow["delivered_bytes"] > 300_000
    assert flow["acks_sent"] > 0
    assert "acked_segments" not in flow, "TCP's"


def test_a_key_of_tcp_is_refused_in_a_line(called: Called, chain: Path) -> None:
    keys = ["--scheme", "quic", "--set", "transport.rto_min_s=0.5"]
    refused = called("run", chain, *keys)
    assert refused.returncode == 2
    assert "transport.rto_min_s=0.5: has no effect with scheme" in refused.stderr
    small = called("run", chain, "--scheme", "quic", "--set", "transport.segment_bytes=1000")
    assert small.returncode == 2
    assert "must be 1200 or more" in small.stderr


@pytest.mark.needs("tshark")
def test_wireshark_knows_its_datagrams(called: Called, chain: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.pcapng"
    done = called("run", chain, "--scheme", "quic", "--pcap", file, "--snap", "full")
    assert done.returncode == 0
    kinds = subprocess.run(
        ["tshark", "-r", str(file), "-Y", "quic", "-T", "fields", "-e", "quic.long.packet_type"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert kinds[0] == "0", "an Initial packet opens the connection"
    assert kinds.count("") > 300, "then short headers"
