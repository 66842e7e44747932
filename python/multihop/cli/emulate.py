"""`multihop emulate`: real programs over the mesh, in real time."""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from multihop.cli import tables
from multihop.cli.failures import Failure, check_folders, naming
from multihop.cli.help import ends_with
from multihop.cli.options import (
    Choice,
    choice_options,
    say_load,
    say_overridden,
    scenario_argument,
    seed_option,
    watch_options,
)
from multihop.emulation import EmulationError, Network
from multihop.emulation.signals import ended_by_signals
from multihop.events import Watch
from multihop.files import write_atomically
from multihop.pcap import SNAP_BYTES, Pcap
from multihop.recording import Recording
from multihop.results import Result
from multihop.scenario import load

if TYPE_CHECKING:
    from multihop.playback import Live

MOST_ROWS = 20
"""Longer tables of flows are not printed."""


@click.command(
    epilog=ends_with(
        "docs/use/emulation.md",
        'emulate six-hops --exec 0 "ping -c 5 10.0.0.7" --seconds 10',
        'emulate six-hops --exec 6 "iperf3 -s -1" --exec 0 "sleep 1; iperf3 -c 10.0.0.7 -C bbr"',
        "emulate mesh.toml --routing none --script babel.py --pcap run.pcapng",
        "emulate six-hops --shell 0 --live",
    )
)
@scenario_argument
@click.option("--seconds", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
    help="How long, with --script and --shell at most; without, until the programs of --exec have "
    "ended, at most the scenario's duration_s.",
)  # fmt: skip
@click.option("commands", "--exec", type=(click.IntRange(0), str), multiple=True,
    metavar="NODE COMMAND", help="Run a shell command on a node; may be repeated.",
)  # fmt: skip
@click.option("script", "--script", metavar="FILE.py",
    help="Run a Python script, which finds the network as `net`.",
)  # fmt: skip
@click.option("shell", "--shell", type=click.IntRange(0), metavar="NODE",
    help="Give a shell on a node; its end is that of the run.",
)  # fmt: skip
@click.option("devices", "--device", type=click.IntRange(0), multiple=True, metavar="NODE",
    help="Give this node a device, and only those named; all where absent.",
)  # fmt: skip
@click.option("routers", "--router", type=click.IntRange(0), multiple=True, metavar="NODE",
    help="Leave routing at this node to its own programs, such as babeld; may be repeated.",
)  # fmt: skip
@click.option("background", "--flows", is_flag=True,
    help="Run the scenario's flows beside the programs.",
)  # fmt: skip
@click.option("--mtu", type=int, default=1500, show_default=True, metavar="BYTES",
    help="Largest packet of the devices.",
)  # fmt: skip
@seed_option
@choice_options
@click.option("json_file", "--json", metavar="FILE", help="Write the result as JSON; - prints it.")
@click.option("series_file", "--series", metavar="FILE.csv", help="Write each flow over time.")
@click.option("trace_file", "--trace", metavar="FILE.parquet", help="Write the record of events.")
@click.option("pcap_file", "--pcap", metavar="FILE.pcapng",
    help="Write a packet capture, for Wireshark.",
)  # fmt: skip
@click.option("live_port", "--live", type=click.IntRange(0, 65535), is_flag=False, flag_value=0,
    metavar="[PORT]",
    help="Show the run in a browser while it goes on; at any free port where none is given.",
)  # fmt: skip
@click.option("--user", metavar="NAME",
    help="Run programs as this user; as root where absent, with all that root may.",
)  # fmt: skip
@watch_options
def emulate(
    scenario: str,
    seconds: float | None,
    commands: tuple[tuple[int, str], ...],
    script: str | None,
    shell: int | None,
    devices: tuple[int, ...],
    routers: tuple[int, ...],
    background: bool,
    mtu: int,
    seed: int | None,
    choice: Choice,
    json_file: str | None,
    series_file: str | None,
    trace_file: str | None,
    pcap_file: str | None,
    live_port: int | None,
    watch: Watch | None,
    user: str | None,
) -> None:
    """Run real programs over SCENARIO's mesh, in real time.

    Every node is a network namespace with a device; node K has the address 10.0.0.0 + K + 1. The
    scenario's flows do not run unless --flows says so.
    """
    check_folders(json_file, series_file, trace_file, pcap_file)
    if watch is not None and not (trace_file or pcap_file or live_port is not None):
        raise click.UsageError("--from, --to, --node and --flow go with --trace, --pcap or --live")
    if script is not None and not Path(script).is_file():
        raise Failure(f"{script}: no such file")
    options: dict[str, Any] = choice.laid
    if trace_file or live_port is not None:
        options["events"] = watch or True
    if pcap_file:
        options["pcap"] = Pcap(pcap_file, watch or Watch(), SNAP_BYTES)
    say_overridden(scenario, choice)
    # What programs write goes where the result does not.
    quiet = json_file == "-"
    try:
        with naming(scenario, choice.options):
            if load(scenario).tables().get("flows"):
                say_load(scenario, choice, seed)
            net = Network(
                scenario, seconds=seconds, nodes=devices or None, routers=routers,
                flows=background, mtu=mtu,
                seed=seed, record=Recording(series_interval_s=0.1 if series_file else None),
                warn=_warn, user=user, **options,
            )  # fmt: skip
        with ended_by_signals(), ExitStack() as stack:
            if live_port is not None:
                live = _opened(net, live_port)
            stack.enter_context(net)
            _say_start(net)
            if live_port is not None:
                _note(f"live at {stack.enter_context(live).url}")
            for node, command in commands:
                net.start(node, command, lambda at, line: _tell(at, line, err=quiet))
            _use(net, script, shell)
            if script or shell is not None or (commands and seconds is None):
                net.wait_for_programs()
            else:
                net.wait()
    except EmulationError as error:
        raise Failure(str(error)) from None
    _report(net.result, json_file, series_file, trace_file)


def _opened(net: Network, port: int) -> Live:
    from multihop.playback import Live  # Polars takes 0.2 s to import

    try:
        return Live(net.plan, net.look, port)
    except OSError as error:
        raise Failure(f"--live {port}: {error.strerror}") from None


def _use(net: Network, script: str | None, shell: int | None) -> None:
    if script is not None:
        runpy.run_path(script, init_globals={"net": net}, run_name="__main__")
    if shell is not None:
        node = net[shell]
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            program = os.environ.get("SHELL", "/bin/sh")
            subprocess.run(node.entering([program]), check=False)
        finally:
            signal.signal(signal.SIGINT, before)


def _say_start(net: Network) -> None:
    if net.swept:
        _note(f"removed {len(net.swept)} namespaces of a run that did not end by itself")
    _note(f"namespaces multihop-{net.run}-NODE; a shell: ip netns exec multihop-{net.run}-0 sh")


def _report(
    result: Result, json_file: str | None, series_file: str | None, trace_file: str | None
) -> None:
    for warning in result.warnings:
        _warn(warning)
    if trace_file:
        from multihop import traces  # takes 0.2 s to import

        write_atomically(Path(trace_file), traces.to_parquet(result))
    if series_file:
        write_atomically(Path(series_file), result.series.write_csv())
    if json_file == "-":
        sys.stdout.write(json.dumps(result.json) + "\n")
        return
    if json_file:
        write_atomically(Path(json_file), json.dumps(result.json) + "\n")
    if len(result.json["flows"]) > MOST_ROWS:
        _note(f"{len(result.json['flows'])} pairs of nodes sent to each other; --json has them")
    elif result.json["flows"]:
        tables.show_result(result, tables.console(), verbose=False)
    emulation = result.emulation or {}
    click.echo(_summary(emulation))
    for program in emulation["programs"]:
        if program["status"] not in (0, None):
            node = result.nodes(program["node"])
            _note(f"node {node}: {program['command']}: status {program['status']}")


def _summary(emulation: dict[str, Any]) -> str:
    frames, lateness = emulation["frames"], emulation["lateness"]
    said = f"{emulation['seconds']:.1f} s, {frames['delivered']} frames delivered"
    if lateness is None:
        return said
    return (
        f"{said}; late by {1000 * lateness['p50_s']:.3f} ms (median), "
        f"{1000 * lateness['p99_s']:.3f} ms (99 %), {1000 * lateness['worst_s']:.1f} ms (worst), "
        f"{100 * lateness['late_share']:.2g} % more than 1 ms"
    )


def _tell(node: int, line: str, *, err: bool) -> None:
    click.echo(f"{node}: {line}", err=err)


def _warn(text: str) -> None:
    click.echo(f"multihop: warning: {text}", err=True)


def _note(text: str) -> None:
    click.echo(f"multihop: {text}", err=True)
