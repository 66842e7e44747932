"""Policies of DSR in Python: they make DSR's choices, and their mistakes are told in one line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from jsonschema import Draft202012Validator

import multihop
from multihop import DsrPolicy, ScenarioError
from multihop.engine import Answer, DataPacket, Discover, PathRequest, RoutingContext
from tests.conftest import Called

CHAIN = {
    "duration_s": 5.0,
    "topology": {"kind": "chain", "hops": 3},
    "flows": [{"kind": "ftp", "source": 0, "destination": 3}],
}


class Same(DsrPolicy):
    """DSR's own choices, each made here."""

    heard: ClassVar[Counter[str]] = Counter()

    def on_start(self, context: RoutingContext) -> None:
        self.heard["on_start"] += 1

    def passes_on(self, context: RoutingContext, request: PathRequest, is_first: bool) -> bool:
        assert request.path[0] == request.originator != context.node
        self.heard["passes_on"] += 1
        return is_first

    def gather(self, context: RoutingContext, request: PathRequest) -> float | None:
        assert request.path[-1] == context.node
        self.heard["gather"] += 1
        return None

    def answers(
        self, context: RoutingContext, request: PathRequest, is_first: bool, usual: bool
    ) -> bool:
        assert request.target == context.node
        self.heard["answers"] += 1
        return usual

    def gathered(self, context: RoutingContext, request: PathRequest) -> Sequence[float]:
        self.heard["gathered"] += 1
        return request.gathered

    def pick(
        self,
        context: RoutingContext,
        packet: DataPacket,
        paths: tuple[tuple[int, ...], ...],
        usual: int | None,
    ) -> int | None:
        assert {(path[0], path[-1]) for path in paths} == {(context.node, packet.destination)}
        assert usual is not None
        shortest = [len(path) for path in paths].index(min(map(len, paths)))
        assert len(paths[usual]) == len(paths[shortest])
        self.heard["pick"] += 1
        return usual

    def on_reply(self, now_s: float, path: tuple[int, ...], gathered: tuple[float, ...]) -> None:
        assert len(path) > 1
        self.heard["on_reply"] += 1

    def piggyback(self, context: RoutingContext, previous: int) -> float | None:
        assert previous != context.node
        self.heard["piggyback"] += 1
        return None

    def on_delivered(
        self,
        context: RoutingContext,
        packet: DataPacket,
        path: tuple[int, ...] | None,
        gathered: tuple[float, ...],
    ) -> Answer | Discover | None:
        assert packet.destination == context.node
        self.heard["on_delivered"] += 1
        return None

    def on_broken_link(
        self, now_s: float, sender: int, receiver: int
    ) -> Answer | Discover | Sequence[Answer | Discover] | None:
        self.heard["on_broken_link"] += 1
        return []

    def tells_transport(self, destination: int) -> bool:
        self.heard["tells_transport"] += 1
        return True


@pytest.mark.parametrize("flow_state", [True, False])
def test_dsr_s_choices_made_in_python_give_dsr_s_runs(flow_state: bool) -> None:
    Same.heard.clear()
    for scenario in ("random-200", "moving-50"):
        keys = {"duration_s": 15, "routing.flow_state": flow_state}
        ours, theirs = (
            multihop.run(scenario, set={"routing": {"scheme": scheme}, **keys})
            for scheme in (Same, "dsr")
        )
        assert ours.json["engine"]["fingerprint"] == theirs.json["engine"]["fingerprint"]
        assert ours.json["flows"] == theirs.json["flows"]
    hooks = {name for name, value in vars(Same).items() if callable(value)}
    assert set(Same.heard) >= hooks - {"piggyback"}


class Collecting(DsrPolicy):
    """Requests and packets gather where they have been; the answer tells it."""

    told: ClassVar[list[tuple[float, ...]]] = []
    delivered: ClassVar[set[tuple[float, ...]]] = set()

    def gather(self, context: RoutingContext, request: PathRequest) -> float | None:
        return 10.0 + context.node

    def gathered(self, context: RoutingContext, request: PathRequest) -> Sequence[float]:
        return [*request.gathered, 0.5]

    def on_reply(self, now_s: float, path: tuple[int, ...], gathered: tuple[float, ...]) -> None:
        assert 0 < now_s < 5
        self.told.append(gathered)

    def piggyback(self, context: RoutingContext, previous: int) -> float | None:
        return 100.0 * context.node + previous

    def on_delivered(
        self,
        context: RoutingContext,
        packet: DataPacket,
        path: tuple[int, ...] | None,
        gathered: tuple[float, ...],
    ) -> Answer | Discover | None:
        self.delivered.add(gathered)
        return None


def test_what_is_gathered_arrives() -> None:
    Collecting.told.clear()
    Collecting.delivered.clear()
    keys = {"routing.flow_state": False, "routing.cached_replies": "none"}
    multihop.run(CHAIN, set={"routing.scheme": Collecting, **keys})
    assert (11.0, 12.0, 0.5) in Collecting.told
    assert Collecting.delivered == {(100.0, 201.0), (203.0, 102.0)}


class Asking(DsrPolicy):
    """It searches at a timer, and answers a request twice: at once and late."""

    kept: PathRequest | None = None
    replies: ClassVar[list[tuple[float, ...]]] = []

    def on_start(self, context: RoutingContext) -> None:
        if context.node == 0:
            context.set_timer(1.0, number=3)

    def answers(
        self, context: RoutingContext, request: PathRequest, is_first: bool, usual: bool
    ) -> bool:
        self.kept = request
        context.set_timer(0.5)
        return usual

    def on_timer(
        self, context: RoutingContext, number: int
    ) -> Answer | Discover | Sequence[Answer | Discover] | None:
        if number == 3:
            return Discover(3)
        return [Answer(self.kept, gathered=[7.0])] if self.kept is not None else None

    def on_reply(self, now_s: float, path: tuple[int, ...], gathered: tuple[float, ...]) -> None:
        self.replies.append((round(now_s, 1), *gathered))


def test_orders_are_carried_out() -> None:
    Asking.replies.clear()
    flow = {"kind": "ftp", "source": 1, "destination": 2, "start_s": 3.9}
    keys = {"routing.scheme": Asking, "routing.ring_zero_search": False, "duration_s": 4}
    multihop.run({**CHAIN, "flows": [flow]}, set=keys)
    assert Asking.replies[:2] == [(1.0,), (1.5, 7.0)]


BAD = """
from multihop import DsrPolicy

class Mine(DsrPolicy):
    {hook}
        # here
        {body}
"""
PICK = "def pick(self, context, packet, paths, usual):"
PASSES = "def passes_on(self, context, request, is_first):"


@pytest.mark.parametrize(
    ("hook", "body", "fault"),
    [
        (PICK, "return 1 // 0", "line 7: Mine: ZeroDivisionError: "),
        (PICK, "return 99", "line 5: Mine: TypeError: pick: must return a place in paths, 0 to "),
        (PICK, "return paths[0]", "line 5: Mine: TypeError: pick: must return a place in paths"),
        (PASSES, "return None", "line 5: Mine: TypeError: passes_on: must return True or False"),
        (PASSES, "context.set_timer(1); return True", "line 5: Mine: ValueError: passes_on: takes"),
        (PASSES, "request.target = 3", "line 7: Mine: AttributeError: "),
        ("def gather(self, context, request):", "return 'x'", "line 5: Mine: TypeError: gather: "),
        ("def on_reply(self, now_s):", "pass", "line 5: Mine: TypeError: Mine.on_reply() takes 2"),
        (
            "def on_delivered(self, context, packet, path, gathered):",
            "return 5",
            "line 5: Mine: TypeError: on_delivered: must return Answer, Discover or None (got 5)",
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


def test_its_table_has_dsr_s_keys_and_no_others() -> None:
    result = multihop.run(CHAIN, set={"routing": {"scheme": Same, "flow_state": False}})
    assert result.scenario["routing"]["flow_state"] is False
    with pytest.raises(ScenarioError, match=r"routing\.local_repair: unknown key"):
        multihop.run(CHAIN, set={"routing": {"scheme": Same, "local_repair": False}})


def test_the_schema_takes_both_kinds_of_policies() -> None:
    validator = Draft202012Validator(multihop.schema())
    for keys in ({"flow_state": False}, {"local_repair": False}, {}):
        routing = {"scheme": "mine.py:Mine", **keys}
        assert validator.is_valid({**CHAIN, "routing": routing})
    assert not validator.is_valid({**CHAIN, "routing": {"scheme": "mine.py:Mine", "nothing": 1}})


def test_new_scheme_writes_one_that_works(tmp_path: Path, called: Called) -> None:
    assert called("new-scheme", "newest", "--kind", "dsr").returncode == 0
    said = called("check", "newest/study.toml")
    assert said.returncode == 0, said.stderr
    study = (tmp_path / "newest" / "study.toml").read_text()
    assert 'baseline = "dsr"' in study
    assert "BASELINE" not in study
    ran = called("run", "six-hops", "--scheme", "newest/newest.py:Newest", "--set", "duration_s=5")
    assert ran.returncode == 0, ran.stderr


def test_a_class_decides_one_thing(tmp_path: Path, called: Called) -> None:
    text = "from multihop import AodvPolicy as A, DsrPolicy as D\nclass Mine(A, D):\n    pass\n"
    (tmp_path / "mine.py").write_text(text)
    said = called("run", "six-hops", "--scheme", "mine.py:Mine")
    assert said.returncode == 2
    assert "Mine is derived from both multihop.AodvPolicy and multihop.DsrPolicy" in said.stderr
