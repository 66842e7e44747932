"""Policies of AODV in Python: they make AODV's choices, and their mistakes are told in one line."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import ClassVar

import pytest

import multihop
from multihop import AodvPolicy, CongestionControl, ScenarioError, Study
from multihop.engine import (
    Ack,
    DataPacket,
    RequestCopy,
    Route,
    RouteOffer,
    RouteReply,
    RouteRequest,
    RoutingContext,
    Window,
)
from tests.conftest import Called


class Same(AodvPolicy):
    """AODV's own choices, each made here."""

    heard: ClassVar[Counter[str]] = Counter()

    def on_start(self, context: RoutingContext) -> None:
        self.heard["on_start"] += 1

    def originate(self, context: RoutingContext, request: RouteRequest) -> None:
        assert request.originator == context.node
        self.heard["originate"] += 1

    def gather(self, context: RoutingContext, request: RouteRequest, sender: int) -> None:
        assert sender != context.node
        self.heard["gather"] += 1

    def originate_reply(self, context: RoutingContext, reply: RouteReply) -> None:
        self.heard["originate_reply"] += 1

    def gather_reply(self, context: RoutingContext, reply: RouteReply, sender: int) -> None:
        self.heard["gather_reply"] += 1

    def counts(self, request: RouteRequest, seen: bool) -> bool:
        self.heard["counts"] += 1
        return not seen

    def collect(self, context: RoutingContext, copy: RequestCopy) -> RequestCopy | None:
        self.heard["collect"] += 1
        return copy

    def may_answer(self, route: Route, request: RouteRequest, usual: bool) -> bool:
        self.heard["may_answer"] += 1
        return usual

    def prefers(self, route: Route, offer: RouteOffer, usual: bool) -> bool:
        assert usual == (offer.is_newer or (offer.is_same_age and offer.hops < route.hops))
        self.heard["prefers"] += 1
        return usual

    def repairs(self, route: Route, packet: DataPacket, usual: bool) -> bool:
        assert usual == (packet.hops > route.hops)
        self.heard["repairs"] += 1
        return usual

    def may_send(self, context: RoutingContext, destination: int) -> bool:
        self.heard["may_send"] += 1
        return True

    def on_undelivered(self, context: RoutingContext, packet: DataPacket, route: Route) -> None:
        self.heard["on_undelivered"] += 1

    def on_reply(self, context: RoutingContext, destination: int) -> None:
        self.heard["on_reply"] += 1

    def on_route_lost(self, context: RoutingContext, route: Route) -> None:
        self.heard["on_route_lost"] += 1

    def on_data(self, context: RoutingContext, packet: DataPacket) -> None:
        self.heard["on_data"] += 1


def test_aodv_s_choices_made_in_python_give_aodv_s_runs() -> None:
    keys = {"duration_s": 30}
    Same.heard.clear()
    for scenario in ("random-200", "moving-50"):
        ours, theirs = (
            multihop.run(scenario, set={**keys, "routing.scheme": scheme})
            for scheme in ("aodv", Same)
        )
        assert ours.json["engine"]["fingerprint"] == theirs.json["engine"]["fingerprint"]
        assert ours.json["flows"] == theirs.json["flows"]
    hooks = {name for name, value in vars(Same).items() if callable(value)}
    assert set(Same.heard) == hooks


class Greeter(AodvPolicy):
    """It tells its neighbours a number in HELLOs, and a message and a timer go round."""

    heard: ClassVar[Counter[tuple[str, int]]] = Counter()

    def on_start(self, context: RoutingContext) -> None:
        context.set_timer(0.5 + 0.1 * context.node, number=7)

    def on_timer(self, context: RoutingContext, number: int) -> RequestCopy | None:
        assert (number, context.now_s) == (7, pytest.approx(0.5 + 0.1 * context.node))
        context.broadcast(bytes([context.node, 9]))
        return None

    def on_message(self, context: RoutingContext, sender: int, message: bytes) -> None:
        assert message == bytes([sender, 9])
        self.heard["message", context.node] += 1

    def greet(self, context: RoutingContext) -> bytes | None:
        return bytes([context.node, 5]) if context.node else None

    def on_greeting(self, context: RoutingContext, sender: int, fields: bytes) -> None:
        assert fields == bytes([sender, 5])
        assert sender != 0
        self.heard["greeting", context.node] += 1


CHAIN = {
    "duration_s": 5.0,
    "topology": {"kind": "chain", "hops": 2},
    "flows": [{"kind": "ftp", "source": 0, "destination": 2}],
}


def test_messages_timers_and_hellos_of_its_own_arrive() -> None:
    Greeter.heard.clear()
    keys = {"routing.scheme": Greeter, "routing.hello_interval_s": 1.0}
    multihop.run(CHAIN, set={**keys, "flows.0.start_s": 4.9})
    messages = {node: n for (what, node), n in Greeter.heard.items() if what == "message"}
    greetings = {node for what, node in Greeter.heard if what == "greeting"}
    assert messages == {0: 1, 1: 2, 2: 1}
    assert greetings == {0, 1, 2}


class Late(AodvPolicy):
    """It keeps each request for 10 ms, and forwards the copy that came last."""

    def __init__(self) -> None:
        self.held: list[RequestCopy] = []

    def counts(self, request: RouteRequest, seen: bool) -> bool:
        return True

    def collect(self, context: RoutingContext, copy: RequestCopy) -> RequestCopy | None:
        if not self.held:
            context.set_timer(0.01)
        self.held.append(copy)
        return None

    def on_timer(self, context: RoutingContext, number: int) -> RequestCopy | None:
        copy, self.held = self.held[-1], []
        return copy


def test_a_copy_that_is_kept_goes_on_at_a_timer() -> None:
    at_once, late = (
        multihop.run(CHAIN, set={"routing.scheme": scheme}, events=True).events
        for scheme in ("aodv", Late)
    )
    first = [
        events.filter(event="transmit", kind="data", content="tcp-data")["time_ns"][0]
        for events in (at_once, late)
    ]
    # One relay, and the destination.
    assert first[1] - first[0] == pytest.approx(2 * 10e6, abs=5e6)


def test_its_random_numbers_are_the_seed_s() -> None:
    drawn: list[float] = []

    class Drawing(AodvPolicy):
        def on_start(self, context: RoutingContext) -> None:
            drawn.append(self.random.random())

    for seed in (1, 1, 2):
        multihop.run(CHAIN, seed=seed, set={"routing.scheme": Drawing})
    assert drawn[:3] == drawn[3:6] != drawn[6:]
    assert len(set(drawn)) == 6


BAD = """
from multihop import AodvPolicy, CongestionControl

class Mine(AodvPolicy):
    {hook}
        # here
        {body}

class Window(CongestionControl):
    def on_ack(self, window, ack):
        pass
"""
GATHER = "def gather(self, context, request, sender):"


@pytest.mark.parametrize(
    ("hook", "body", "fault"),
    [
        (GATHER, "request.metric = 1 / 0", "line 7: Mine: ZeroDivisionError: division by zero"),
        (GATHER, "request.metric = 0.5", "line 7: Mine: TypeError: argument 'metric'"),
        (GATHER, "request.metric = -1", "line 7: Mine: OverflowError: "),
        (GATHER, "request.hop_count = 3", "line 7: Mine: AttributeError: "),
        (GATHER, "context.set_timer(-1)", "line 7: Mine: ValueError: set_timer: must be 0 to"),
        ("def gather(self, context):", "pass", "line 5: Mine: TypeError: Mine.gather() takes 2"),
        (
            "def prefers(self, route, offer, usual):",
            "return 'yes'",
            "line 5: Mine: TypeError: prefers: must return True or False (got 'yes')",
        ),
        (
            "def collect(self, context, copy):",
            "return copy.request",
            "line 5: Mine: TypeError: collect: must return a RequestCopy or None",
        ),
    ],
)
def test_a_mistake_ends_the_run_and_names_the_line(
    hook: str, body: str, fault: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mine.py").write_text(BAD.format(hook=hook, body=body))
    said = called("run", "six-hops", "--scheme", "mine.py:Mine", "--json", "r.json")
    assert said.returncode == 2
    *_, line = said.stderr.splitlines()
    assert f"routing.scheme: mine.py: {fault}" in line
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("key", "of", "fault"),
    [
        ("routing.scheme", "Window", "Window is not derived from multihop.AodvPolicy"),
        ("transport.scheme", "Mine", "Mine is not derived from multihop.CongestionControl"),
        ("routing.scheme", "Other", "Other is not in it; there are: Mine"),
    ],
)
def test_a_class_stands_at_its_own_key_alone(
    key: str, of: str, fault: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mine.py").write_text(BAD.format(hook=GATHER, body="pass"))
    said = called("run", "six-hops", "--set", f"{key}=mine.py:{of}")
    assert said.returncode == 2
    assert fault in said.stderr


def test_its_table_has_aodv_s_keys_and_no_others() -> None:
    result = multihop.run(CHAIN, set={"routing": {"scheme": Late, "local_repair": False}})
    assert result.scenario["routing"]["local_repair"] is False
    assert result.scenario["routing"]["scheme"].endswith("test_policies.py:Late")
    with pytest.raises(ScenarioError, match=r"routing\.local_repairs: unknown key"):
        multihop.run(CHAIN, set={"routing": {"scheme": Late, "local_repairs": False}})


def test_scheme_sets_what_the_class_is(tmp_path: Path) -> None:
    (tmp_path / "two.py").write_text(BAD.format(hook=GATHER, body="pass"))
    routing = multihop.run(CHAIN, scheme=f"{tmp_path}/two.py:Mine").scenario
    transport = multihop.run(CHAIN, scheme=f"{tmp_path}/two.py:Window").scenario
    assert routing["routing"]["scheme"].endswith("two.py:Mine")
    assert transport["transport"]["scheme"].endswith("two.py:Window")
    assert transport["routing"]["scheme"] == "aodv"


def test_a_scheme_of_both_runs_with_both() -> None:
    class Slow(CongestionControl):
        def on_ack(self, window: Window, ack: Ack) -> None:
            window.cwnd = 2

    result = multihop.run(
        CHAIN,
        set={"routing.scheme": Same, "transport.scheme": Slow},
        record=multihop.Recording(series_interval_s=0.1),
    )
    assert result.series["cwnd"].max() == 2


def test_a_study_sets_it_beside_others(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BAD.format(hook=GATHER, body="request.metric += 1"))
    (tmp_path / "study.toml").write_text(
        dedent(
            """
            title = "Mine"
            question = "Does it do anything?"
            baseline = "aodv"
            schemes = ["aodv", { name = "mine", set = { "routing.scheme" = "mine.py:Mine" } }]
            [scenario]
            duration_s = 5
            topology = { kind = "chain", hops = 2 }
            flows = [{ kind = "ftp", source = 0, destination = 2 }]
            [scale.full]
            networks = 2
            [[figures]]
            name = "goodput"
            title = "Goodput"
            x = "scheme"
            y = "goodput_bps"
            kind = "bar"
            """
        )
    )

    def runs() -> int:
        ran: list[object] = []
        study = Study.read(tmp_path / "study.toml")
        study.run(tmp_path / "out", workers=2, finished=ran.append, allow_code=True)
        return len(ran)

    assert (runs(), runs()) == (4, 0)
    (tmp_path / "mine.py").write_text(BAD.format(hook=GATHER, body="request.metric += 2"))
    assert runs() == 2


@pytest.mark.slow("fills in a template, tests it and runs its study")
def test_a_new_policy_passes_its_test_and_has_a_study(tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", "round-queues", "--kind", "routing")
    assert said.returncode == 0, said.stderr
    files = {path.name for path in (tmp_path / "round-queues").iterdir()}
    assert files == {"round_queues.py", "test_round_queues.py", "study.toml"}
    run = called("run", "six-hops", "--scheme", "round-queues/round_queues.py:RoundQueues")
    assert run.returncode == 0, run.stderr
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / "round-queues"],
        env={**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "3 passed" in tested.stdout, tested.stdout
    assert called("check", "round-queues/study.toml").returncode == 0


def test_the_example_of_the_documentation_runs(tmp_path: Path, called: Called) -> None:
    page = Path("docs/extend/python.md").read_text().partition("## A policy of AODV")[2]
    (tmp_path / "queues.py").write_text(page.split("```python\n")[1].split("```")[0])
    for command in page.split("```sh\n")[1].split("```")[0].splitlines():
        said = called(*command.split()[1:])
        assert (said.returncode, "queues.py:Queues" in said.stdout) == (0, True), said
