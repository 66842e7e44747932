"""Environments: what agents see and set, episodes, many networks at once, learned policies."""

from __future__ import annotations

import itertools
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import multihop
from multihop import extras

if not extras.has("gym"):
    pytest.skip(extras.missing("gym"), allow_module_level=True)

import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

from multihop import gym

CHAIN = {
    "duration_s": 6,
    "topology": {"kind": "chain", "hops": 4},
    "transport": {"window_segments": 32},
    "flows": [{"kind": "ftp", "source": 0, "destination": 4}],
}
CROSS = {
    "duration_s": 6,
    "topology": {"kind": "random", "nodes": 12, "area_m": [600, 600], "connected": True},
    "flows": [
        {"kind": "ftp", "source": 0, "destination": 1},
        {"kind": "ftp", "source": 2, "destination": 3},
    ],
}
PACE = gym.Plan("flow", every_s=0.25)
SLOTS = gym.Plan("node", every_s=0.25)


def random_actions(env, count, seed=3):
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(count)]


@pytest.mark.parametrize("name", ["Sender", "Node", "Network"])
def test_the_checker_of_gymnasium_has_nothing_to_say(name):
    options = {"plan": gym.Plan("node")} if name == "Network" else {}
    env = gymnasium.make(f"multihop/{name}", scenario=CHAIN, **options).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("name", ["Sender", "Node", "Network"])
def test_gymnasium_makes_many_by_name(name):
    options = {"plan": gym.Plan("node")} if name == "Network" else {"every_s": 0.25}
    env = gymnasium.make_vec(f"multihop/{name}", 3, "vector_entry_point", scenario=CHAIN, **options)
    observed, _ = env.reset(seed=1)
    assert env.observation_space.contains(observed)
    assert env.step(env.action_space.sample())[1].shape == (3,)


@pytest.mark.parametrize("plan", [PACE, SLOTS])
def test_the_test_of_pettingzoo_passes(plan):
    env = gym.AgentsEnv(CROSS, plan)
    parallel_api_test(env, num_cycles=30)
    assert env.possible_agents[0] == f"{plan.of} 0"


def test_an_episode_is_decided_by_its_seed_and_networks_differ():
    env = gym.NetworkEnv(CROSS, PACE)

    def episode(seed):
        observed, info = env.reset(seed=seed)
        rows = [observed, *(env.step(action)[0] for action in random_actions(env, 8))]
        return info["network"], np.array(rows)

    (network, first), (again, second), (other, third) = episode(1), episode(1), episode(2)
    assert network == again != other
    assert (first == second).all()
    assert (first != third).any()


def test_many_networks_do_as_each_alone_whatever_the_workers():
    many = {workers: gym.VectorNetworks(CROSS, PACE, 5, workers=workers) for workers in (1, 2)}
    alone = gym.NetworkEnv(CROSS, PACE)
    actions = random_actions(many[1], 30)
    taken = {}
    for workers, env in many.items():
        observed, info = env.reset(seed=4)
        steps = [env.step(action) for action in actions]
        taken[workers] = np.array([observed, *(step[0] for step in steps)])
        ended = np.array([step[3] for step in steps])
        rewards = np.array([step[1] for step in steps])
    assert (taken[1] == taken[2]).all()
    last = int(ended[:, 0].argmax())
    assert ended[last].all()
    assert (rewards[last + 1] == 0).all(), "the step that begins anew brings nothing"
    observed, _ = alone.reset(options={"network": int(info["network"][3])})
    rows = [observed, *(alone.step(action[3])[0] for action in actions[: last + 1])]
    assert (taken[1][: last + 2, 3] == np.array(rows)).all()


def test_what_is_set_is_done_and_seen():
    env = gym.sender_env(CHAIN, sets=["window_segments"], observes=["window_segments", "hops"])
    wanted = env.plan.set()[0]
    env.reset(seed=1)
    observed, *_ = env.step(np.array([-1.0], np.float32))
    assert env.plan.observed()[0].value(observed[0]) == pytest.approx(1.0)
    sent = [env.step(np.array([-1.0], np.float32)) for _ in range(6)]
    assert env.plan.observed()[1].value(sent[-1][0][1]) == pytest.approx(4)
    flow = env.result()["flows"][0]
    # A window of 1: one on the way, and the SYN.
    assert flow["sent_segments"] - flow["retransmits"] - flow["acked_segments"] <= 2
    assert wanted.value(0.5) == pytest.approx(16)


def test_a_pace_spaces_segments():
    env = gym.sender_env(CHAIN, sets=["pacing_s"], every_s=0.5)
    pace = env.plan.set()[0]
    env.reset(seed=1)
    action = np.array([2 * pace.share(0.5) - 1], np.float32)
    before = None
    for _ in range(10):
        env.step(action)
        if before is None:
            env.step(action)
            before = env.result()["flows"][0]["sent_segments"]
    sent = env.result()["flows"][0]["sent_segments"] - before
    assert 7 <= sent <= 10, "two a second for 4.5 s"


def test_a_wider_contention_window_sends_less_often():
    one_hop = CHAIN | {"topology": {"kind": "chain", "hops": 1}}
    one_hop |= {"flows": [{"kind": "ftp", "source": 0, "destination": 1}]}

    def sent(slots):
        env = gym.NetworkEnv(one_hop, gym.Plan("node", sets=["least_window_slots"]))
        share = env.plan.set()[0].share(slots)
        env.reset(seed=1)
        while not env.step(np.full(2, 2 * share - 1, np.float32))[3]:
            pass
        return env.result()["mac"]["data_sent"]

    assert sent(1000) < 0.6 * sent(31)


def test_a_slower_rate_takes_more_air():
    radio = {"mac": {"phy": "802.11g", "rate": "arf"}, "radio": {"reception": "sinr"}}
    near = CHAIN | radio | {"topology": {"kind": "chain", "hops": 2, "spacing_m": 20}}
    near |= {"flows": [{"kind": "ftp", "source": 0, "destination": 2}]}

    def delivered(rate_bps):
        env = gym.NetworkEnv(near, gym.Plan("node", sets=["data_rate_bps"]))
        share = env.plan.set()[0].share(rate_bps)
        env.reset(seed=1)
        while not env.step(np.full(3, 2 * share - 1, np.float32))[3]:
            pass
        return env.result()["flows"][0]["delivered_bytes"]

    assert delivered(6e6) < 0.5 * delivered(54e6)
    with pytest.raises(multihop.ScenarioError, match="nodes with rates to choose from"):
        gym.NetworkEnv(CHAIN, gym.Plan("node", sets=["data_rate_bps"]))


DIAMOND = CHAIN | {
    "topology": {"kind": "positions", "positions_m": [[0, 0], [150, 100], [150, -100], [300, 0]]},
    "routing": "static",
    "flows": [{"kind": "ftp", "source": 0, "destination": 3}],
}
NEXT_HOPS = gym.Plan("node", observes=["next_hop", "queue_packets"], sets=["next_hop"])


def test_next_hops_are_actions_in_both_kinds_of_environment():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.NetworkEnv(DIAMOND, NEXT_HOPS), skip_render_check=True)
    parallel_api_test(gym.AgentsEnv(DIAMOND, NEXT_HOPS), num_cycles=30)
    env = gym.NetworkEnv(DIAMOND, NEXT_HOPS)
    env.reset(seed=1)
    # Nodes 1 and 2 send to each other: nothing arrives.
    observed = env.step(np.array([-1, 1, 1, -1], np.float32))[0]
    assert observed[::2].tolist() == [0, 1, 1, 0]
    arrived = env.result()["flows"][0]["delivered_bytes"]
    while not env.step(np.array([-1, 1, 1, -1], np.float32))[3]:
        pass
    assert env.result()["flows"][0]["delivered_bytes"] == arrived
    with pytest.raises(multihop.ScenarioError, match=r'needs routing\.scheme "static"'):
        gym.NetworkEnv(DIAMOND | {"routing": "aodv"}, NEXT_HOPS)


def test_decisions_can_come_with_changes_of_a_queue():
    env = gym.node_env(CHAIN, by_event=True, observes=["queue_packets"], every_s=10)
    env.reset(seed=1)
    steps = [env.step(np.zeros(1, np.float32)) for _ in range(20)]
    lengths = [round(env.plan.observed()[0].value(step[0][0])) for step in steps]
    assert all(abs(a - b) == 1 for a, b in itertools.pairwise(lengths))


def test_decisions_can_come_with_acknowledgments():
    env = gym.sender_env(CHAIN, by_event=True, observes=["acked_per_s"], every_s=1.0)
    env.reset(seed=1)
    instants = [env.step(np.zeros(1, np.float32))[4]["now_s"] for _ in range(20)]
    assert len(set(instants)) == 20
    assert instants[-1] < 2


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (gym.Plan("flow", [3]), "only: must be different flows, 0 to 0 (got 3)"),
        (gym.Plan("flow", []), "only: must hold at least one number (got none)"),
        (gym.Plan("flow", sets=["power"]), "sets.0: must be "),
        (gym.Plan("node", observes=["attempts", "attempts"]), 'observes.1: "attempts" is there'),
        (gym.Plan("flow", every_s=0), "every_s: must be"),
        (gym.Plan("flow", every_s=float("nan")), "every_s: must be a number"),
        (gym.Plan("flow", only=0), "only: must be a list (got 0)"),
        (gym.Plan("flow", observes="hops"), 'observes: must be a list (got "hops")'),
    ],
)
def test_what_can_not_be_steered_is_refused_by_name(plan, fault):
    with pytest.raises(ValueError, match=r"must be|there twice|must hold") as refused:
        gym.NetworkEnv(CHAIN, plan)
    assert str(refused.value).startswith(fault)


def test_senders_without_a_window_and_nodes_without_contention_are_refused():
    for transport in ("semi-tcp", "quic"):
        with pytest.raises(multihop.ScenarioError, match="whose sender has a congestion window"):
            gym.NetworkEnv(CHAIN, PACE, set={"transport.scheme": transport})
    slots = {
        "profile": "standard",
        "mac": {"access": "tdma", "tdma": {"slot_s": 0.01, "slots": [0, 1, 2, 3, 4]}},
        "routing": "static",
        "link": {"arp": False},
    }
    with pytest.raises(multihop.ScenarioError, match="contention window"):
        gym.NetworkEnv(CHAIN | slots, SLOTS)


@pytest.mark.parametrize(
    ("options", "drawn", "fault"),
    [
        ({"num_envs": 0}, {}, "num_envs: must be at least one"),
        ({"workers": -1}, {}, "workers: must be at least one"),
        ({"networks": []}, {}, "networks: must hold at least one seed"),
        ({}, {"network": -1}, "network: must be a whole number, 0 to 9007199254740991 (got -1)"),
        ({}, {"network": "a"}, "network: must be a whole number"),
        ({}, {"scenario": 1}, "scenario: must be a whole number, 0 to 0 (got 1)"),
    ],
)
def test_what_can_not_be_drawn_is_refused_by_name(options, drawn, fault):
    with pytest.raises(ValueError, match="must") as refused:
        gym.VectorNetworks(CHAIN, PACE, **options).reset(options=drawn)
    assert str(refused.value).startswith(fault)
    with pytest.raises(ValueError, match="scenario: must be at least one"):
        gym.VectorNetworks([], PACE)


def test_nodes_can_be_numbers_of_numpy():
    env = gym.NetworkEnv(CHAIN, gym.Plan("node", np.array([0, 2])))
    assert env.steered.numbers == [0, 2]


def test_agents_act_only_while_there_are_any():
    env = gym.AgentsEnv(CHAIN, PACE)
    with pytest.raises(RuntimeError, match="reset comes first"):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no agent 'flow 9'; there are flow 0"):
        env.step({"flow 9": np.zeros(1, np.float32)})
    while env.agents:
        env.step({})
    with pytest.raises(RuntimeError, match="reset comes first"):
        env.step({})


class Halved(multihop.CongestionControl):
    def on_ack(self, window, _ack):
        window.cwnd = 2


def test_classes_of_python_are_steered_too_and_those_of_files_only_if_they_may_run(tmp_path):
    env = gym.VectorNetworks(CHAIN, PACE, 2, workers=2, set={"transport.scheme": Halved})
    env.reset(seed=1)
    observed = env.step(np.zeros((2, 1), np.float32))[0]
    cwnd = [each.name for each in env.plan.observed()].index("cwnd_segments")
    assert env.plan.observed()[cwnd].value(observed[1, cwnd]) == pytest.approx(2)
    (tmp_path / "mine.py").write_text(
        "from multihop import CongestionControl\n\n\nclass Mine(CongestionControl):\n"
        "    def on_ack(self, window, ack):\n        window.cwnd = 1 / 0\n"
    )
    named = CHAIN | {"transport": {"scheme": f"{tmp_path / 'mine.py'}:Mine"}}
    with pytest.raises(multihop.ScenarioError, match="allow"):
        gym.NetworkEnv(named, PACE)
    env = gym.NetworkEnv(named, PACE, allow_code=True)
    with pytest.raises(multihop.ScenarioError, match=r"mine.py: line 6: Mine: ZeroDivisionError"):
        env.reset(seed=1)


def test_actions_of_another_shape_or_before_a_reset_are_refused():
    env = gym.NetworkEnv(CHAIN, PACE)
    with pytest.raises(RuntimeError, match="has not been reset"):
        env.step(np.zeros(1, np.float32))
    env.reset(seed=1)
    with pytest.raises(ValueError, match="got 3 numbers"):
        env.step(np.zeros(3, np.float32))
    env.step(np.full(1, np.inf, np.float32))


def faulty(observed):
    if observed[0] > -1:
        raise ZeroDivisionError("no agent")  # the line that is told
    return [0.0]


def test_an_exception_of_an_agent_tells_its_line():
    source = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = next(n for n, text in enumerate(source, 1) if "the line that is told" in text)
    env = gym.NetworkEnv(CHAIN, PACE)
    with pytest.raises(gym.AgentError) as raised:
        gym.play(faulty, env, [1])
    assert str(raised.value) == f"test_gym.py: line {line}: ZeroDivisionError: no agent"
    with pytest.raises(gym.AgentError, match=r"its action must be of shape \(1,\) \(got \(2,\)\)"):
        gym.play(lambda _: [0.0, 0.0], env, [1])


def policy(plan, seed=7, hidden=(4,)):
    count = gym.Policy.count(plan, hidden)
    return gym.Policy.of_parameters(plan, np.random.default_rng(seed).normal(size=count), hidden)


@pytest.mark.parametrize("plan", [PACE, SLOTS])
def test_a_policy_of_weights_runs_in_the_engine_as_in_the_environment(tmp_path, plan):
    learned = policy(plan)
    env = gym.NetworkEnv(CROSS, plan)

    def agent(observed):
        return learned(observed.reshape(env.steered.agents, -1)).reshape(-1)

    (played,) = gym.play(agent, env, [11])
    learned.save(tmp_path / "learned.json")
    (tmp_path / "scenario.json").write_text(
        json.dumps(CROSS | {"agents": [{"file": "learned.json"}]})
    )
    ran = multihop.run(tmp_path / "scenario.json", seed=11).json
    plain = multihop.run(CROSS, seed=11).json
    # Tangents may differ in their last bit.
    assert [flow["delivered_bytes"] for flow in ran["flows"]] == pytest.approx(
        [flow["delivered_bytes"] for flow in played["flows"]], rel=0.02
    )
    assert ran["mac"] != plain["mac"]
    assert ran["scenario"]["agents"][0]["layers"][0]["activation"] == "tanh"


def test_a_policy_decides_alike_in_numpy_and_in_the_engine(tmp_path):
    # Weights of few bits: no sum is rounded, so all that both do is the same to the last bit.
    random = np.random.default_rng(5)

    def layer(inputs, outputs, activation):
        numbers = random.integers(-8, 9, (outputs, inputs + 1)) / 8
        return gym.Layer(numbers[:, 1:], numbers[:, 0], activation)

    observes = ["queue_packets", "sending_share", "retry_share", "busy_per_s", "freezes_per_s"]
    observes += ["delivered_bps", "attempts", "window_slots", "least_window_slots", "flows"]
    sets, outputs = ["least_window_slots", "queue_packets"], 2
    plan = gym.Plan("node", every_s=0.25, observes=observes, sets=sets)
    layers = [layer(len(observes), 5, "relu"), layer(5, 4, "none"), layer(4, outputs, "none")]
    learned = gym.Policy(plan, layers)
    env = gym.NetworkEnv(CROSS, plan)
    seen = []

    def agent(observed):
        seen.append(learned(observed.reshape(env.steered.agents, -1)))
        return seen[-1].reshape(-1)

    (played,) = gym.play(agent, env, [11])
    learned.save(tmp_path / "learned.json")
    agents = [{"file": str(tmp_path / "learned.json")}]
    ran = multihop.run(CROSS, seed=11, set={"agents": agents}).json
    assert np.unique(np.array(seen)).size > 20, "decisions differ"
    assert ran["flows"] == played["flows"]
    assert ran["mac"] == played["mac"]


@pytest.mark.parametrize(
    ("action", "fault"),
    [
        (np.zeros(3), r"action: must be 2 numbers, -1 to 1: .* \(got 3 numbers\)"),
        (np.array([0.0, np.nan]), r"got nan for pacing_s of flow 0 of network 1"),
        ("fast", r"got 'fast'"),
        (None, r"got none"),
    ],
)
def test_an_action_that_is_none_is_refused_before_the_step(action, fault):
    env = gym.VectorNetworks(CHAIN, PACE, 2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=fault):
        env.step(action)
    _, _, _, over, _ = env.step(np.zeros((2, 1), np.float32))
    assert not over.any()


def test_a_seed_that_is_no_whole_number_is_refused():
    env = gym.NetworkEnv(CHAIN, PACE, networks=[1.5])
    with pytest.raises(ValueError, match=r"network: must be a whole number, .*\(got 1\.5\)"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"layers": []}, "layers: must be 1 to 8 layers (got 0)"),
        ({"observes": ["secret"]}, "observes.0: must be "),
        ({"code": "import os"}, "code: unknown key"),
        ({"of": "moon"}, "of: must be "),
    ],
)
def test_a_file_of_weights_is_data_and_its_faults_are_named(tmp_path, change, fault):
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(policy(PACE).table() | change))
    with pytest.raises(multihop.ScenarioError) as refused:
        multihop.run(CHAIN, set={"agents": [{"file": str(path)}]})
    assert str(refused.value).startswith(f"agents.0.file: {path}: {fault}")
    assert "secret" not in str(refused.value)


def test_a_file_of_weights_is_a_scheme_by_its_name(tmp_path):
    policy(PACE).save(tmp_path / "my pace.json")
    by_set = multihop.run(CHAIN, set={"agents": [{"file": str(tmp_path / "my pace.json")}]}).json
    named = multihop.run(CHAIN, scheme=str(tmp_path / "my pace.json")).json
    assert named["flows"] == by_set["flows"]
    study = {
        "title": "learned",
        "question": "Is it better?",
        "schemes": ["aodv", "my pace.json", "learned-pace"],
        "baseline": "my pace",
        "scenario": CHAIN,
        "scale": {"quick": {"networks": 1}},
    }
    (tmp_path / "study.toml").write_text(multihop.scenario.to_toml(study))
    cells = multihop.Study.read(tmp_path / "study.toml").cells("quick")
    assert [cell.scheme for cell in cells] == ["aodv", "my pace", "learned-pace"]
    assert [len(json.loads(cell.text).get("agents", [])) for cell in cells] == [0, 1, 1]
    with pytest.raises(multihop.ScenarioError, match=r"agents\.0\.file: none\.json"):
        multihop.run(CHAIN, scheme="none.json")


@pytest.mark.parametrize("hidden", ["tanh", "relu"])
def test_weights_of_another_library_act_the_same_here_and_in_the_engine(tmp_path, hidden):
    random = np.random.default_rng(1)
    widths = [len(PACE.filled().observes), 8, 6, len(PACE.filled().sets)]
    state = {}  # as PyTorch keeps a multilayer perceptron
    for layer, (inputs, outputs) in enumerate(itertools.pairwise(widths)):
        state[f"{2 * layer}.weight"] = random.normal(0, 0.4, (outputs, inputs)).astype(np.float32)
        state[f"{2 * layer}.bias"] = random.normal(0, 0.4, outputs).astype(np.float32)
    state["4.bias"] += 2  # so that it paces, whatever was drawn

    def forward(numbers):
        for layer in range(3):
            numbers = state[f"{2 * layer}.weight"] @ numbers + state[f"{2 * layer}.bias"]
            if layer < 2:
                numbers = np.tanh(numbers) if hidden == "tanh" else np.maximum(numbers, 0)
        return np.clip(numbers, -1, 1)

    learned = gym.Policy.of_arrays(PACE, [*state.values()], hidden)
    for observed in random.uniform(size=(50, widths[0])).astype(np.float32):
        np.testing.assert_allclose(learned(observed), forward(observed), atol=1e-5)
    learned.save(tmp_path / "other.json")
    env = gym.NetworkEnv(CHAIN, PACE)
    (played,) = gym.play(learned, env, [1])
    run = multihop.run(CHAIN, seed=1, set={"agents": [{"file": str(tmp_path / "other.json")}]})
    got = run.json["flows"][0]["delivered_bytes"]
    # Tangents may differ in their last bit.
    assert got == pytest.approx(played["flows"][0]["delivered_bytes"], rel=0.02)
    assert got < 0.9 * multihop.run(CHAIN, seed=1).json["flows"][0]["delivered_bytes"]


def test_weights_that_do_not_fit_are_refused():
    inputs, outputs = len(PACE.filled().observes), len(PACE.filled().sets)
    right = [np.zeros((3, inputs)), np.zeros(3), np.zeros((outputs, 3)), np.zeros(outputs)]
    for wrong, message in [
        ([], r"weights and biases in turn \(got 0\)"),
        (right[:3], r"in turn \(got 3\)"),
        ([right[0].T, *right[1:]], rf"arrays\[0\]: must be of shape \(3, {inputs}\)"),
        ([*right[:3], np.zeros(outputs + 1)], r"arrays\[3\]: must be of shape"),
        ([*right[:3], np.full(outputs, np.nan)], r"arrays\[3\]: must be finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            gym.Policy.of_arrays(PACE, wrong)


def test_a_file_that_is_no_policy_tells_nothing_of_what_it_holds(tmp_path):
    path = tmp_path / "weights.json"
    path.write_bytes(b"{password")
    with pytest.raises(multihop.ScenarioError, match="is no policy") as refused:
        multihop.run(CHAIN, set={"agents": [{"file": str(path)}]})
    assert "password" not in str(refused.value)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units")
def test_resets_do_not_gather_memory():
    import resource

    env = gym.NetworkEnv(CHAIN | {"duration_s": 1}, gym.Plan("node", every_s=0.1))
    for network in range(300):
        env.reset(options={"network": network})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for network in range(1500):
        env.reset(options={"network": network})
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 1500, "less than a kilobyte a reset"


def test_every_quantity_is_on_the_page():
    page = (Path(__file__).parents[1] / "docs/use/learning.md").read_text(encoding="utf-8")
    missing = [each.name for each in gym.QUANTITIES if f"`{each.name}`" not in page]
    assert not missing


def test_a_study_compares_a_policy_by_its_file_and_runs_it_again_once_it_changes(tmp_path):
    study = {
        "title": "learned",
        "question": "Is it better?",
        "schemes": [
            {"name": "newreno", "set": {"transport.scheme": "newreno"}},
            {"name": "learned", "set": {"agents": [{"file": "pace.json"}]}},
        ],
        "baseline": "newreno",
        "scenario": CHAIN,
        "metrics": ["goodput_bps"],
        "scale": {"quick": {"networks": 2}},
    }
    (tmp_path / "study.toml").write_text(multihop.scenario.to_toml(study))
    keys = []
    for seed in (1, 1, 2):
        policy(PACE, seed).save(tmp_path / "pace.json")
        read = multihop.Study.read(tmp_path / "study.toml")
        keys.append([cell.key(1) for cell in read.cells("quick")])
    assert keys[0] == keys[1]
    assert keys[1][0] == keys[2][0]
    assert keys[1][1] != keys[2][1]
    rows = read.run(tmp_path / "out", scale="quick", workers=1).summary().to_dicts()
    plain, learned = (row["value"] for row in rows if row["metric"] == "goodput_bps")
    assert plain != learned
