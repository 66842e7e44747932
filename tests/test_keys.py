"""One key's meaning, and the completion of keys and values."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from multihop import engine
from multihop.cli.keys import all_keys, keys_at, near
from tests.conftest import Called


def completed(line: str, shell: str = "bash") -> list[str]:
    """What is offered at the end of a line, whose words are split as Bash splits them."""
    words = line.replace("=", " = ").split() + ([""] if line.endswith(" ") else [])
    words = words if shell == "bash" else line.split()
    told = {
        "_MULTIHOP_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    program = "import sys; sys.argv = ['multihop']; import multihop.cli; multihop.cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, **told},
    )  # fmt: skip
    if shell == "zsh":
        return done.stdout.splitlines()
    return [item.partition(",")[2] for item in done.stdout.splitlines()]


def test_every_key_has_a_type_and_a_meaning() -> None:
    for key in all_keys():
        assert key.takes or key.is_table, key
        assert key.about, key


@pytest.mark.parametrize(
    ("path", "takes", "default"),
    [
        ("transport.window_segments", "whole number", "8"),
        ("mac.data_rate_bps", "number [bit/s]", "2000000.0"),
        ("radio.propagation", "one of two-ray-ground, free-space, log-distance, measured",
         '"two-ray-ground"'),
        ("transport.recovery.scheme", "one of duplicate-acks, sack, rack-tlp", ""),
        ("routing.expanding_ring", "one of true, false", "true"),
        ("topology.positions_m", "list of lists [m]", "[]"),
        ("flows", "list of tables", ""),
    ],
)  # fmt: skip
def test_a_key_says_what_it_takes(path: str, takes: str, default: str) -> None:
    (key,) = keys_at(path)[:1]
    assert key.takes.startswith(takes)
    assert key.default == default


def test_a_key_of_some_schemes_names_them() -> None:
    (key,) = keys_at("routing.expanding_ring")
    assert 'scheme "aodv"' in key.of
    assert "dsr" not in key.of
    assert {name for name, _ in keys_at("routing.scheme")[0].choices} >= {"aodv", "dsr", "none"}


def test_a_flow_is_found_by_its_place_or_name() -> None:
    assert keys_at("flows.0.bytes") == keys_at("flows.upload.bytes") == keys_at("flows.bytes")
    assert keys_at("flows.0.transport.scheme") == keys_at("flows.transport.scheme")
    assert keys_at("flows.0.bites") == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("transport.windw_segments", "transport.window_segments"),
        ("window_segments", "transport.window_segments"),
        ("rotuing", "routing"),
        ("transport.data_rate_bps", "mac.data_rate_bps"),
    ],
)
def test_a_wrong_key_is_told_the_nearest(wrong: str, right: str, called: Called) -> None:
    assert right in near(wrong)
    done = called("schema", wrong)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"multihop: {wrong}: no such key; did you mean ")
    assert right in line


def test_schema_tells_a_table_s_keys(called: Called) -> None:
    said = called("schema", "transport.recovery").stdout
    assert said.startswith("transport.recovery: table or text")
    assert "scheme: one of duplicate-acks, sack, rack-tlp" in said
    assert "RFC 6937" in said
    assert "RFC 6675" in called("schema", "transport.recovery.scheme").stdout


def test_schema_alone_is_the_json_schema(called: Called) -> None:
    import json

    assert json.loads(called("schema").stdout) == engine.schema()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_offers_keys_and_values_of_set(shell: str) -> None:
    def offered(line: str) -> str:
        return " ".join(completed(line, shell))

    assert "transport.window_segments=" in offered("multihop run six-hops --set transport.w")
    values = offered("multihop run six-hops --set transport.recovery.scheme=")
    assert "sack" in values
    assert "rack-tlp" in values
    assert ("scheme=sack" in values) == (shell == "zsh")
    begun = offered("multihop run six-hops --set transport.recovery.scheme=du")
    assert "duplicate-acks" in begun
    assert "sack" not in begun.replace("duplicate-acks", "").replace("recovery.scheme", "")
    assert "dsr" in offered("multihop run six-hops --routing d")
    assert "routing.scheme" in offered("multihop schema routing.s")
