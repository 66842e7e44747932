"""Congestion controls in Python: they rule the window, and their mistakes are told in one line."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import polars as pl
import pytest

import multihop
from multihop import (
    AodvPolicy,
    CongestionControl,
    DsrPolicy,
    PrototypeError,
    ScenarioError,
    Study,
)
from multihop.engine import Ack, Loss, RoutingContext, Sent, Window
from tests.conftest import Called

CHAIN = """
duration_s = 20
[topology]
kind = "chain"
hops = 4
[transport]
window_segments = 64
[[flows]]
kind = "ftp"
source = 0
destination = 4
"""
FIXED = dedent(
    """
    import multihop

    class Fixed(multihop.CongestionControl):
        segments = 3.0

        def on_ack(self, window, ack):
            window.cwnd = self.segments

        def on_loss(self, window, loss):
            pass
    """
)


class Vegas(CongestionControl):
    """The engine's, from the same paper (Brakmo and Peterson, IEEE JSAC 13(8), 1995)."""

    def __init__(self) -> None:
        self.round: tuple[int, int] | None = None
        self.holds = False

    def on_ack(self, window: Window, ack: Ack) -> None:
        if self.round is None or ack.delivered_total > self.round[0]:
            before = self.round
            self.round = (ack.delivered_total + ack.in_flight, ack.in_flight)
            if before and ack.rtt_s is not None and ack.min_rtt_s is not None:
                self.turn(window, before[1] * (1 - ack.min_rtt_s / ack.rtt_s))
        if window.is_in_slow_start and not self.holds:
            window.grow(ack.delivered)

    def turn(self, window: Window, queued: float) -> None:
        if window.is_in_slow_start:
            self.holds = not self.holds
            if queued > 1:
                window.ssthresh = max(int(window.cwnd), 2)
        elif queued < 1:
            window.cwnd += 1
        elif queued > 3:
            window.cwnd = max(window.cwnd - 1, 2)
            window.ssthresh = min(window.ssthresh, int(window.cwnd))

    def on_loss(self, window: Window, loss: Loss) -> None:
        super().on_loss(window, loss)
        self.round, self.holds = None, False

    def on_timeout(self, window: Window, loss: Loss) -> None:
        super().on_timeout(window, loss)
        self.round, self.holds = None, False


def test_what_a_control_counts_is_in_the_result_for_all_flows_together() -> None:
    class Counting(CongestionControl):
        def __init__(self) -> None:
            self.losses = 0

        def on_ack(self, window: Window, ack: Ack) -> None:
            window.grow(ack.delivered)

        def on_loss(self, window: Window, loss: Loss) -> None:
            self.losses += 1
            window.halve(loss.in_flight)

        def counters(self) -> dict[str, int]:
            return {"losses": self.losses}

    back = '[[flows]]\nkind = "ftp"\nsource = 4\ndestination = 0\n'
    keys = {"transport.scheme": Counting, "mac.queue_packets": 8}
    result = multihop.run(CHAIN + back, set=keys).json
    (counts,) = result["schemes"].values()
    losses = [flow["fast_retransmits"] for flow in result["flows"]]
    assert min(losses) > 0
    assert counts == {"losses": sum(losses)}


@pytest.mark.parametrize("base", [AodvPolicy, DsrPolicy])
def test_what_a_policy_counts_is_in_the_result_for_all_nodes_together(
    base: type[AodvPolicy] | type[DsrPolicy],
) -> None:
    class Counting(base):  # type: ignore[misc, valid-type]
        started = 0

        def on_start(self, context: RoutingContext) -> None:
            self.started += 1

        def counters(self) -> dict[str, int]:
            return {"nodes": self.started}

    result = multihop.run(CHAIN, set={"routing.scheme": Counting}).json
    assert list(result["schemes"].values()) == [{"nodes": 5}]


@pytest.mark.parametrize("keys", [{}, {"transport.profile": "linux"}, {"transport.ecn": True}])
@pytest.mark.parametrize("scenario", ["six-hops", "random-200"])
def test_vegas_in_python_sends_what_the_engines_sends(
    scenario: str, keys: dict[str, object]
) -> None:
    keys = {"transport.window_segments": 64, "duration_s": 20, **keys}
    ours, theirs = (
        multihop.run(scenario, set={**keys, "transport.scheme": scheme})
        for scheme in ("vegas", Vegas)
    )
    assert ours.json["flows"] == theirs.json["flows"]
    assert ours.json["engine"]["fingerprint"] == theirs.json["engine"]["fingerprint"]


def test_a_file_is_relative_to_the_scenario_that_names_it(tmp_path: Path, called: Called) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "fixed.py").write_text(FIXED)
    text = CHAIN.replace("[transport]", '[transport]\nscheme = "fixed.py:Fixed"')
    (tmp_path / "below" / "chain.toml").write_text(text)
    file = tmp_path / "below" / "chain.toml"
    largest = (
        multihop.run(file, record=multihop.Recording(series_interval_s=0.1), allow_code=True)
        .series["cwnd"]
        .max()
    )
    assert largest == 3.0
    said = called("run", "below/chain.toml", "--scheme", "below/fixed.py:Fixed")
    assert said.returncode == 0
    assert "fixed.py:Fixed" in said.stdout


def test_a_flow_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "fixed.py").write_text(FIXED)
    (tmp_path / "chain.toml").write_text(
        f'{CHAIN}transport = {{ scheme = "fixed.py:Fixed" }}\n'
        '[[flows]]\nkind = "ftp"\nsource = 4\ndestination = 0\n'
    )
    series = multihop.run(
        tmp_path / "chain.toml", record=multihop.Recording(series_interval_s=0.1), allow_code=True
    ).series
    largest = dict(series.group_by("flow").agg(pl.col("cwnd").max()).iter_rows())
    assert largest[0] == 3.0 < largest[1]


def test_every_hook_is_called() -> None:
    heard: set[str] = set()

    class Listener(CongestionControl):
        def on_ack(self, window: Window, ack: Ack) -> None:
            assert ack.limited_by in ("window", "receiver", "application", "pacing")
            heard.add("on_ack")
            window.grow(ack.delivered)

        def on_partial_ack(self, window: Window, ack: Ack) -> None:
            heard.add("on_partial_ack")

        def on_duplicate_ack(self, window: Window, ack: Ack) -> None:
            assert ack.duplicates > 0
            heard.add("on_duplicate_ack")

        def on_loss(self, window: Window, loss: Loss) -> None:
            heard.add("on_loss")
            super().on_loss(window, loss)

        def on_congestion(self, window: Window, loss: Loss) -> None:
            heard.add("on_congestion")
            super().on_congestion(window, loss)

        def on_timeout(self, window: Window, loss: Loss) -> None:
            heard.add("on_timeout")
            super().on_timeout(window, loss)

        def on_resume(self, suspended_s: float) -> None:
            assert suspended_s > 0
            heard.add("on_resume")

        def on_recovered(self, window: Window) -> None:
            heard.add("on_recovered")

        def on_undo(self, window: Window) -> None:
            heard.add("on_undo")

        def on_send(self, sent: Sent) -> None:
            heard.add("on_send" if not sent.retransmission else "on_send again")

        def pacing_interval_s(self, window: Window, smoothed_rtt_s: float | None) -> float | None:
            heard.add("pacing_interval_s")
            return None if smoothed_rtt_s is None else smoothed_rtt_s / window.cwnd

    common = {"transport.scheme": Listener, "transport.window_segments": 64}
    worlds: list[dict[str, object]] = [
        {"transport.pacing.scheme": "rate"},
        {"transport.link_failure": "elfn"},
        {"transport.profile": "linux", "transport.ecn": True, "link.queue": "codel"},
    ]
    for world in worlds:
        multihop.run("six-hops", set={**common, **world})
    hooks = {name for name in vars(Listener) if name.startswith(("on_", "pacing"))}
    assert heard == {*hooks, "on_send again"}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("window.cwnd = 1 / 0", "line 6: Mine: ZeroDivisionError: division by zero"),
        ("window.cwnd = -1", "line 6: Mine: ValueError: cwnd: must be a number of at least 1"),
        ("window.cwnd = 'much'", "line 6: Mine: TypeError: argument 'segments': must be real"),
        ("window.ssthresh = float('nan')", "line 6: Mine: ValueError: ssthresh: must be a number"),
        ("window.cwin = 3", "line 6: Mine: AttributeError: "),
        ("self.helper()", "line 6: Mine: AttributeError: 'Mine' object has no attribute 'helper'"),
        ("ack.in_flight = 3", "line 6: Mine: AttributeError: "),
    ],
)
def test_an_exception_ends_the_run_and_names_the_line(
    body: str, fault: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mine.py").write_text(
        "from multihop import CongestionControl\n\nclass Mine(CongestionControl):\n"
        f"    def on_ack(self, window, ack):\n        # growth\n        {body}\n"
    )
    (tmp_path / "chain.toml").write_text(CHAIN)
    said = called("run", "chain.toml", "--set", "transport.scheme=mine.py:Mine", "--json", "r.json")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert f"mine.py: {fault}" in line
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "mine.py can't be read: No such file or directory"),
        ("x = = 3", "mine.py: line 1: not Python: invalid syntax"),
        ("class Mine: pass", "mine.py: Mine is not derived from multihop.CongestionControl"),
        (FIXED, "mine.py: Mine is not in it; there are: Fixed"),
        ("Mine = 3", "mine.py: Mine is not derived from multihop.CongestionControl"),
        (FIXED.replace("on_ack", "on_ac"), "mine.py: Mine is not in it"),
        (FIXED.replace("on_ack", "on_ac") + "Mine = Fixed", "mine.py: Mine has no on_ack"),
    ],
)
def test_what_cannot_be_found_is_refused_before_the_run(
    text: str | None, fault: str, tmp_path: Path, called: Called
) -> None:
    if text is not None:
        (tmp_path / "mine.py").write_text(text)
    (tmp_path / "chain.toml").write_text(
        CHAIN.replace("[transport]", '[transport]\nscheme = "mine.py:Mine"')
    )
    said = called("check", "chain.toml")
    assert said.returncode == 2
    (line,) = said.stdout.splitlines()
    assert line.startswith("chain.toml:")
    assert "transport.scheme: " in line
    assert fault in line


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = 3\ny = x.z", "mine.py: line 2: AttributeError: "),
        ("import nonsense_that_is_not", "mine.py: line 1: ModuleNotFoundError: "),
    ],
)
def test_a_file_that_fails_is_told_when_it_runs(
    text: str, fault: str, tmp_path: Path, called: Called
) -> None:
    (tmp_path / "mine.py").write_text(f"{text}\n{FIXED}\nMine = Fixed")
    (tmp_path / "chain.toml").write_text(CHAIN)
    said = called("run", "chain.toml", "--scheme", "mine.py:Mine")
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()[-1:]
    assert fault in line


def test_a_class_without_on_ack_or_with_arguments_is_refused() -> None:
    class Nothing(CongestionControl):
        pass

    class Wants(CongestionControl):
        def __init__(self, gain: float) -> None:
            self.gain = gain

        def on_ack(self, window: Window, ack: Ack) -> None:
            window.grow(ack.delivered)

    with pytest.raises(ScenarioError, match=r"transport\.scheme: Nothing has no on_ack"):
        multihop.run(CHAIN, set={"transport.scheme": Nothing})
    with pytest.raises(PrototypeError, match=r"Wants: TypeError: .*'gain'"):
        multihop.run(CHAIN, set={"transport.scheme": Wants})
    with pytest.raises(ScenarioError, match=r"transport\.scheme: int is not derived"):
        multihop.run(CHAIN, set={"transport.scheme": int})


def test_a_class_that_is_in_no_file_runs_but_has_no_place_in_a_study(tmp_path: Path) -> None:
    program = f"""
import tomllib
from multihop import CongestionControl, Recording, ScenarioError, Study, run

class Mine(CongestionControl):
    def on_ack(self, window, ack):
        window.cwnd = 2 / self.share

Mine.share = 1
chain = {CHAIN!r}
record = Recording(series_interval_s=0.1)
print(run(chain, record=record, set={{"transport.scheme": Mine}}).series["cwnd"].max())
Mine.share = 0
schemes = [{{"name": "mine", "set": {{"transport.scheme": Mine}}}}]
for work in (
    lambda: run(chain, set={{"transport.scheme": Mine}}),
    lambda: Study(title="t", question="?", scenario=tomllib.loads(chain), schemes=schemes,
                  scale={{"full": {{"networks": 1}}}}).run("out"),
):
    try:
        work()
    except ScenarioError as error:
        print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.stderr == ""
    largest, failed, refused = said.stdout.splitlines()
    assert largest == "2.0"
    assert failed.endswith("notebook.py: line 7: Mine: ZeroDivisionError: division by zero")
    assert refused.endswith("Mine can't be told from others of its name: put it into a file")


def test_the_interval_of_the_base_is_the_engines() -> None:
    class Reno(CongestionControl):
        def on_ack(self, window: Window, ack: Ack) -> None:
            window.grow(ack.delivered)

    class Told(Reno):
        def pacing_interval_s(self, window: Window, smoothed_rtt_s: float | None) -> float | None:
            return super().pacing_interval_s(window, smoothed_rtt_s)

    keys = {"transport.pacing.scheme": "rate", "transport.window_segments": 64}
    engines, told = (
        multihop.run(CHAIN, set={**keys, "transport.scheme": scheme}) for scheme in (Reno, Told)
    )
    assert engines.json["engine"]["fingerprint"] == told.json["engine"]["fingerprint"]


def test_ctrl_c_in_a_hook_is_no_fault_of_it() -> None:
    class Stopped(CongestionControl):
        def on_ack(self, window: Window, ack: Ack) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        multihop.run(CHAIN, set={"transport.scheme": Stopped})


def test_studies_run_it_again_only_if_its_file_changes(tmp_path: Path) -> None:
    (tmp_path / "fixed.py").write_text(FIXED)
    (tmp_path / "study.toml").write_text(
        dedent(
            """
            title = "Fixed windows"
            question = "Does a fixed window do?"
            baseline = "newreno"
            schemes = [
              { name = "newreno", set = { "transport.scheme" = "newreno" } },
              { name = "fixed", set = { "transport.scheme" = "fixed.py:Fixed" } },
            ]
            [scenario]
            duration_s = 10
            topology = { kind = "chain", hops = 4 }
            flows = [{ kind = "ftp", source = 0, destination = 4 }]
            [scale.full]
            networks = 4
            """
        )
    )

    def runs() -> int:
        ran: list[object] = []
        study = Study.read(tmp_path / "study.toml")
        study.run(tmp_path / "out", workers=2, finished=ran.append, allow_code=True)
        return len(ran)

    assert runs() == 8
    assert runs() == 0
    (tmp_path / "fixed.py").write_text(FIXED.replace("3.0", "2.0"))
    assert runs() == 4
    results = Study.read(tmp_path / "study.toml").open(tmp_path / "out")
    alone = multihop.run(
        (tmp_path / "study.toml").read_text().split("[scenario]")[1].split("[scale")[0],
        seed=2,
        set={"transport.scheme": f"{tmp_path}{os.sep}fixed.py:Fixed"},
    )
    of_study = results.flows.to_pandas().query("scheme == 'fixed' and network == 2")
    assert of_study["goodput_bps"].tolist() == [alone.flows["goodput_bps"][0]]


def test_the_example_of_the_documentation_runs(tmp_path: Path, called: Called) -> None:
    page = Path("docs/extend/python.md").read_text().partition("## A congestion control")[2]
    example = page.split("```python\n")[1].split("```")[0]
    commands = page.split("```sh\n")[1].split("```")[0].splitlines()
    (tmp_path / "aimd.py").write_text(example)
    assert len(commands) == 2
    for command in commands:
        said = called(*command.split()[1:])
        assert (said.returncode, "aimd.py:Gentle" in said.stdout) == (0, True), said


def test_a_new_scheme_passes_its_test_and_has_a_study(tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", "schemes/gentle-aimd")
    assert said.returncode == 0
    folder = tmp_path / "schemes" / "gentle-aimd"
    assert len(said.stdout.splitlines()) == len(list(folder.iterdir())) == 3
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder],
        env={**os.environ, "PYTHONPATH": str(Path(multihop.__file__).parents[1])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "2 passed" in tested.stdout, tested.stdout
    assert called("check", "schemes/gentle-aimd/study.toml").returncode == 0
    study = Study.read(folder / "study.toml").run(
        tmp_path / "out", scale="quick", networks=1, allow_code=True
    )
    assert study.flows.filter(pl.col("scheme") == "GentleAimd").height > 0
    again = called("new-scheme", "schemes/gentle-aimd")
    assert again.returncode == 2
    assert again.stderr == "multihop: schemes/gentle-aimd/gentle_aimd.py: is there already\n"


@pytest.mark.parametrize("name", ["9x", "a b", "a--b", "\u00e4"])
def test_a_scheme_needs_a_name_that_python_knows(name: str, tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", name)
    assert (said.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "must be letters and digits, in words joined by - or _" in said.stderr


@pytest.mark.parametrize("kind", ["congestion-control", "routing"])
def test_a_file_must_not_hide_a_module(kind: str, tmp_path: Path, called: Called) -> None:
    said = called("new-scheme", "random", "--kind", kind)
    assert (said.returncode, list(tmp_path.iterdir())) == (2, [])
    assert (
        said.stderr == "multihop: 'random': means something else to Python; another name, please\n"
    )


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (lambda: Window(cwnd=0), "cwnd: must be a number of at least 1"),
        (lambda: Window(ssthresh=float("nan")), "ssthresh: must be a number of at least 1"),
        (lambda: Ack(rtt_s=-1), "rtt_s: must be 0 to"),
        (lambda: Loss(now_s=float("inf")), "now_s: must be 0 to"),
    ],
)
def test_what_hooks_get_can_be_made_by_hand_within_bounds(
    made: Callable[[], object], fault: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        made()
