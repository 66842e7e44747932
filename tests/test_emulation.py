"""Real programs over a simulated mesh: needs root and /dev/net/tun, and says so where skipped."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import multihop
from multihop.emulation import EmulationError, Network, requirements
from multihop.emulation.namespaces import NAMED, RUNS, Namespaces, sweep

pytestmark = [pytest.mark.needs("emulation"), pytest.mark.slow("programs run in real time")]

PING = [sys.executable, str(Path(__file__).with_name("pinger.py"))]


def chain(hops: int, routing: str = "static", **more: Any) -> dict[str, Any]:
    return {
        "duration_s": 30,
        "topology": {"kind": "chain", "hops": hops, "spacing_m": 200},
        "routing": {"scheme": routing},
        **more,
    }


def of(run: str) -> set[str]:
    """The namespaces of a run."""
    found = NAMED.iterdir() if NAMED.is_dir() else []
    return {path.name for path in found if path.name.startswith(f"multihop-{run}-")}


def runs() -> set[str]:
    return {path.name for path in RUNS.iterdir()} if RUNS.is_dir() else set()


@pytest.fixture(autouse=True)
def _nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every network that a test makes in this process is gone after it."""
    made: list[str] = []
    make = Namespaces.make

    def noted(self: Namespaces, *arguments: Any, **options: Any) -> None:
        made.append(self.run)
        make(self, *arguments, **options)

    monkeypatch.setattr(Namespaces, "make", noted)
    yield
    assert all(not of(run) and run not in runs() for run in made)


def cli(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "multihop", "emulate", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    file = tmp_path / "chain.toml"
    file.write_text(
        'duration_s = 30\n[topology]\nkind = "chain"\nhops = 4\n[routing]\nscheme = "static"\n'
    )
    return str(file)


def round_trips_ms(out: str) -> list[float]:
    return [
        float(line.split("time=")[1].split()[0]) for line in out.splitlines() if "time=" in line
    ]


@pytest.mark.parametrize("routing", ["static", "aodv", "dsr"])
def test_a_ping_crosses_four_hops(routing: str) -> None:
    with Network(chain(4, routing)) as net:
        done = net[0].run([*PING, net[4].address, "--count", "3"])
    assert done.returncode == 0, done.stdout
    assert len(round_trips_ms(done.stdout)) == 3
    flows = {(flow["source"], flow["destination"]): flow for flow in net.result.json["flows"]}
    assert {(0, 4), (4, 0)} == flows.keys()
    assert flows[0, 4]["kind"] == "programs"
    assert flows[0, 4]["mean_hops"] == 4
    emulation = net.result.emulation
    assert emulation is not None
    assert emulation["frames"]["delivered"] >= 6
    assert emulation["frames"]["answered"] >= 2, "ARP is answered without crossing the mesh"


def test_no_frame_comes_early() -> None:
    """A packet of 84 bytes takes four hops there and back: its frames alone last 2 x 4 x 1.1 ms."""
    simulated = multihop.run(
        chain(
            4,
            flows=[
                {"kind": "cbr", "source": 0, "destination": 4, "packet_bytes": 64,
                 "rate_bps": 512, "start_s": 1, "stop_s": 29}
            ],
        )
    )  # fmt: skip
    least_s = simulated.json["flows"][0]["delay"]["least_s"]
    with Network(chain(4)) as net:
        done = net[0].run([*PING, net[4].address, "--count", "10"])
    assert min(round_trips_ms(done.stdout)[1:]) > 2000 * least_s


def test_neighbours_alone_hear_a_node_without_routing() -> None:
    with Network(chain(3, "none")) as net:
        near = net[1].run([*PING, net[2].address, "--wait", "2"])
        far = net[0].run([*PING, net[2].address])
        table = net[1].run(["ip", "neigh", "show", net[2].address]).stdout
    assert near.returncode == 0, near.stdout
    assert far.returncode != 0
    assert net[2].mac in table, "the kernel's own ARP"
    frames = (net.result.emulation or {})["frames"]
    assert frames["broadcast"] >= 1
    assert frames["answered"] == 0


@pytest.mark.parametrize("routing", ["aodv", "none"])
def test_ipv6_finds_its_neighbours(routing: str) -> None:
    with Network(chain(2, routing)) as net:
        done = net[0].run([*PING, net[1].ipv6, "--count", "2", "--wait", "2"])
        link_local = net[0].run([*PING, "fe80::ff:fe00:1%mesh0", "--wait", "2"])
    assert done.returncode == 0, done.stdout
    assert link_local.returncode == 0, link_local.stdout


def test_a_group_is_reached_everywhere_or_by_neighbours() -> None:
    listen = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5000));"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('239.1.2.3')"
        " + socket.inet_aton('{}')); s.settimeout(2);"
        "print('ready', flush=True); print(s.recv(99).decode())"
    )
    say = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton('{}'));"
        "s.sendto(b'hello', ('239.1.2.3', 5000))"
    )
    heard = {}
    for routing in ("aodv", "none"):
        with Network(chain(3, routing)) as net:
            listeners = [
                net[k].popen([sys.executable, "-c", listen.format(net[k].address)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for k in (1, 2, 3)
            ]  # fmt: skip
            for listener in listeners:
                assert listener.stdout is not None
                assert listener.stdout.readline() == "ready\n"
            net[0].run([sys.executable, "-c", say.format(net[0].address)])
            heard[routing] = [listener.communicate()[0].strip() for listener in listeners]
    assert heard == {"aodv": ["hello"] * 3, "none": ["hello", "", ""]}


def test_a_cut_link_and_a_killed_node_carry_nothing() -> None:
    with Network(chain(2)) as net:

        def reached() -> bool:
            return net[0].run([*PING, net[2].address]).returncode == 0

        assert reached()
        net.cut(1, 2)
        assert not reached()
        net.restore(1, 2)
        assert reached()
        sleeper = net[1].popen(["sleep", "60"])
        net.kill(1)
        assert sleeper.wait(timeout=2) == -signal.SIGKILL
        assert not reached()
        net.restore(1)
        assert reached()


def test_events_of_the_scenario_cut_links_and_kill_nodes() -> None:
    """Pings every 0.1 s, by their number: which have an answer follows from the events."""
    events = [
        {"kind": "link-cut", "node": 2, "neighbour": 1, "at_s": 1},
        {"kind": "link-restore", "node": 1, "neighbour": 2, "at_s": 2},
        {"kind": "node-kill", "node": 1, "at_s": 3},
        {"kind": "node-restore", "node": 1, "at_s": 4},
    ]
    with Network(chain(2, link={"arp": False}, events=events), seconds=6) as net:
        sleeper = net[1].popen(["sleep", "60"])
        words = [*PING, net[2].address, "--count", "48", "--interval", "0.1", "--wait", "0.3"]
        began = time.time() - net.now_s
        out = net[0].run(words).stdout
        assert sleeper.wait(timeout=1) == -signal.SIGKILL
        assert net[1].run(["true"]).returncode == 0, "its namespace is there"
        shown = net[1].run(["ip", "link", "show", "mesh0"]).stdout
        assert "state DOWN" not in shown, shown
    answered = [float(line.split()[0]) - began for line in out.splitlines() if "time=" in line]

    def between(start: float, stop: float) -> int:
        return sum(start <= at < stop for at in answered)

    assert between(1.1, 2.0) == between(3.1, 4.0) == 0, answered
    assert min(between(0.0, 1.0), between(2.1, 3.0), between(4.1, 5.1)) >= 4, answered


def test_silences_of_programs_are_explained_and_their_rests_told() -> None:
    with Network(chain(3, "aodv"), seconds=12, events=True) as net:
        words = [*PING, net[3].address, "--count", "60", "--interval", "0.1"]
        program = net[0].popen(words, stdout=subprocess.DEVNULL)
        net.sleep(2)
        net.cut(1, 2)
        net.sleep(2)
        net.restore(1, 2)
        program.wait(timeout=10)
        net.sleep(2)
    there = multihop.explain(net.result, flow=0).flows[0]
    assert (there.source, there.destination) == (0, 3)
    causes = [[span.cause for span in silence.spans] for silence in there.silences]
    cut, rest = causes[0], causes[-1]
    assert "out-of-range" in cut
    assert cut[-1] != "nothing-to-send"
    assert rest[-1] == "nothing-to-send"
    assert "programs at 0 sent nothing" in there.silences[-1].text


def test_what_can_not_be_is_refused() -> None:
    with pytest.raises(EmulationError, match="there are nodes 0 to 2"):
        Network(chain(2), nodes=[3])
    with pytest.raises(EmulationError, match="mtu must be 68 to 2304"):
        Network(chain(2), mtu=9000)
    with Network(chain(2), nodes=[0, 2]) as net:
        with pytest.raises(EmulationError, match="node 1 has no device"):
            net[1].popen(["true"])
        with pytest.raises(EmulationError, match="there are nodes 0 to 2"):
            net.cut(0, 3)


def test_a_machine_without_the_means_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requirements, "_TUN", Path("/dev/net/absent"))
    monkeypatch.setattr(requirements, "_capabilities", lambda: 0)
    with pytest.raises(EmulationError, match=r"/dev/net/absent.*CAP_NET_ADMIN and CAP_SYS_ADMIN"):
        requirements.check()


def test_hostile_frames_do_no_harm() -> None:
    """Bytes of all lengths and kinds, by a raw socket past the kernel's own checks."""
    flood = (
        "import random, socket; r = random.Random(1);"
        "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('mesh0', 0));\n"
        "kinds = [b'\\x08\\x06', b'\\x86\\xdd', b'\\x08\\x00', b'\\x88\\xcc']\n"
        "to = [b'\\xff' * 6, bytes([2, 0, 0, 0, 0, 1]), bytes([2, 0, 0xff, 0, 0, 1])]\n"
        "for i in range(400):\n"
        "    s.send(r.choice(to) + r.randbytes(6) + r.choice(kinds)"
        " + r.randbytes(r.randrange(120)))\n"
    )
    for routing in ("aodv", "none"):
        with Network(chain(1, routing), seconds=10) as net:
            assert net[0].run([sys.executable, "-c", flood]).returncode == 0
            net.sleep(0.5)
            assert not net.is_over
        frames = (net.result.emulation or {})["frames"]
        assert sum(frames[kind] for kind in ("sent", "broadcast", "ignored", "unknown")) >= 400


def test_the_command_says_what_programs_say(scenario: str, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("run.json", "run.csv", "run.parquet", "run.pcapng")]
    options = [str(part) for pair in zip(("--json", "--series", "--trace", "--pcap"), files,
                                         strict=True) for part in pair]  # fmt: skip
    ping = shlex.join([*PING, "10.0.0.5", "--count", "3"])
    done = cli(scenario, "--exec", "0", ping, "--exec", "1", "exit 7", *options)
    assert done.returncode == 0, done.stderr
    assert "0: 3 packets transmitted, 3 received" in done.stdout
    assert "node 1: exit 7: status 7" in done.stderr
    assert all(file.stat().st_size > 0 for file in files)
    result = json.loads(files[0].read_text())
    assert [program["status"] for program in result["emulation"]["programs"]] == [0, 7]
    assert result["emulation"]["lateness"]["worst_s"] < 1
    assert result["emulation"]["seconds"] < 20, "ends with its programs"


def test_a_script_finds_the_network(scenario: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print(len(net), net[4].address, net[4].run('true').returncode)")
    done = cli(scenario, "--script", str(script))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "5 10.0.0.5 0"), done.stderr


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_clean(scenario: str, by: signal.Signals) -> None:
    process, run = started(scenario)
    assert len(of(run)) == 5
    process.send_signal(by)
    process.wait(timeout=20)
    assert process.returncode == 130
    assert not of(run)
    assert run not in runs()


@pytest.mark.parametrize("pause_s", [0.0, 0.02, 0.2])
def test_further_signals_leave_nothing_behind(scenario: str, pause_s: float) -> None:
    """A program that does not end when it is asked has the end take a second."""
    stubborn = ("--exec", "1", "trap '' TERM; while :; do sleep 0.1; done")
    process, run = started(scenario, *stubborn)
    for by in (signal.SIGINT, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process.send_signal(by)
        time.sleep(pause_s)
    process.wait(timeout=30)
    assert process.returncode == 130
    assert not of(run)
    assert run not in runs()


def test_programs_run_as_the_user_that_is_named(scenario: str) -> None:
    done = cli(scenario, "--user", "nobody", "--exec", "0", "id -un; cat /etc/shadow; echo $HOME")
    assert "0: nobody" in done.stdout, done
    assert "denied" in done.stdout
    assert "root" not in done.stdout
    missing = cli(scenario, "--user", "no-such-user", "--exec", "0", "true")
    assert (missing.returncode, missing.stderr.count("\n")) == (2, 1)
    assert "there is no user no-such-user" in missing.stderr
    with Network(chain(1), user="nobody") as net:
        assert net[0].run("id -un").stdout == "nobody\n"


def test_what_killed_runs_leave_goes_at_the_next_start(scenario: str) -> None:
    stranger = "multihop-stranger-0"
    subprocess.run(["ip", "netns", "add", stranger], check=True)
    try:
        for _ in range(2):
            process, run = started(scenario)
            sleepers = pids(of(run))
            assert sleepers
            process.kill()
            process.wait(timeout=20)
            assert len(of(run)) == 5
            assert of(run) <= {*sweep()}
            assert not of(run)
            assert run not in runs()
            assert not any(lives(sleeper) for sleeper in sleepers)
        assert of("stranger") == {stranger}, "what others made stays"
    finally:
        subprocess.run(["ip", "netns", "del", stranger], check=True)


def lives(process: int) -> bool:
    """Whether a process is there, and does not only wait for its parent to notice its end."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def pids(names: set[str]) -> list[int]:
    out = [subprocess.check_output(["ip", "netns", "pids", name], text=True) for name in names]
    return [int(word) for text in out for word in text.split()]


def test_the_pipe_of_a_program_is_closed_with_it() -> None:
    told: list[tuple[int, str]] = []
    with Network(chain(1)) as net:
        program = net.start(1, "echo here", lambda node, line: told.append((node, line)))
        net.wait_for_programs()
    assert told == [(1, "here")]
    assert program.process.stdout is not None
    assert program.process.stdout.closed


def test_a_living_run_is_not_swept() -> None:
    with Network(chain(1)) as net:
        assert sweep() == []
        assert net[0].run(["true"]).returncode == 0


def started(scenario: str, *more: str) -> tuple[subprocess.Popen[bytes], str]:
    """A run in a process of its own whose program runs, and its name."""
    command = [sys.executable, "-m", "multihop", "emulate", scenario, "--exec", "0", "sleep 60"]
    command += more
    said = Path(scenario).with_suffix(".err")
    with said.open("w") as file:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)
    until = time.monotonic() + 60
    while "namespaces multihop-" not in said.read_text() and time.monotonic() < until:
        time.sleep(0.02)
    run = said.read_text().split("namespaces multihop-")[1].split("-")[0]
    while not pids(of(run)) and time.monotonic() < until:
        time.sleep(0.02)
    return process, run
