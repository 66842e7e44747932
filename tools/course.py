"""The answers to the course's sheets, from runs, as course/answers.md."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import multihop
from multihop.lab.figures import change, estimate
from multihop.statistics import jain

COURSE = Path(__file__).parents[1] / "course"
_HEAD = """\
# Answers

Made by `python -m tools.course` of [answers.toml](answers.toml), which the tests hold to the
engine. Means over seeds 1 to n with 95 % intervals; ratios in pairs of equal seeds. The lab page
shows the same runs.
"""


def _flows(result: multihop.Result) -> Any:
    return result.json["flows"]


def _longest_ms(result: multihop.Result) -> float:
    return 1e3 * float((_flows(result)[-1].get("delay") or {}).get("greatest_s") or math.nan)


def _goodput(number: int) -> Callable[[multihop.Result], float]:
    return lambda result: float(_flows(result)[number]["goodput_bps"]) / 1e3


_METRICS: dict[str, tuple[str, Callable[[multihop.Result], float]]] = {
    "total_kbps": (
        "goodput of all [kbit/s]", lambda r: sum(f["goodput_bps"] for f in _flows(r)) / 1e3,
    ),
    **{f"flow{n}_kbps": (f"goodput of flow {n} [kbit/s]", _goodput(n)) for n in range(3)},
    "delay_ms": ("delay of flow 0 [ms]", lambda r: 1e3 * (_flows(r)[0]["mean_delay_s"] or 0)),
    "flow1_delay_ms": ("delay of the call [ms]", lambda r: 1e3 * _flows(r)[1]["mean_delay_s"]),
    "longest_delay_ms": ("longest delay [ms]", _longest_ms),
    "fairness": ("fairness", lambda r: jain(r.flows["goodput_bps"].to_numpy())),
    "collisions": ("collisions", lambda r: r.json["mac"]["collisions"]),
    "timeouts": ("timeouts", lambda r: _flows(r)[0]["timeouts"]),
    "discoveries": ("searches for routes", lambda r: r.json["routing"]["discoveries"]),
    "false_link_failures": (
        "false link failures", lambda r: r.json["routing"]["false_link_failures"],
    ),
    "mean_hops": ("hops", lambda r: _flows(r)[0]["mean_hops"] or math.nan),
    "longest_silence_s": ("longest silence [s]", lambda r: _flows(r)[0]["longest_silence_s"]),
    "routing_packets": ("packets of routing", lambda r: r.json["routing"]["packets_sent"]),
}  # fmt: skip

Values = Mapping[str, Mapping[str, list[float]]]
"""By variant and metric, of each seed."""


def sheets() -> list[dict[str, Any]]:
    """What is run for each sheet, and what has to hold."""
    found: list[dict[str, Any]] = tomllib.loads((COURSE / "answers.toml").read_text())["sheets"]
    return found


def values(sheet: Mapping[str, Any]) -> Values:
    """The figures of every variant of a sheet."""
    seeds = range(1, sheet["seeds"] + 1)
    names = {*sheet["metrics"], *(answer["metric"] for answer in sheet["answers"])}
    found = {}
    for variant, settings in sheet["variants"].items():
        runs = multihop.run_many(COURSE / f"{sheet['file']}.toml", seeds=seeds, set=settings)
        found[variant] = {name: [float(_METRICS[name][1](run)) for run in runs] for name in names}
    return found


def ratio(answer: Mapping[str, Any], of: Values) -> tuple[float, float, float]:
    """A ratio of means, and the interval that pairs of equal seeds give it."""
    name = answer["metric"]
    by = change(of[answer["of"]][name], of[answer["over"]][name])
    if by is None or by["half"] is None:
        raise ValueError(f"{answer['says']}: nothing to compare")
    return 1 + by["share"], 1 + by["share"] - by["half"], 1 + by["share"] + by["half"]


def page(of: Mapping[str, Values]) -> str:
    """The answers to all sheets."""
    parts = [_HEAD]
    for sheet in sheets():
        found = of[sheet["file"]]
        heads = [_METRICS[name][0] for name in sheet["metrics"]]
        rows = [["variant", *heads], ["---"] * (len(heads) + 1)]
        rows += [
            [variant, *(_shown(found[variant][name]) for name in sheet["metrics"])]
            for variant in sheet["variants"]
        ]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        answers = []
        for answer in sheet["answers"]:
            mean, low, high = ratio(answer, found)
            answers.append(
                f"{answer['says']} *{_METRICS[answer['metric']][0].partition(' [')[0]}, "
                f"{answer['of']} over {answer['over']}: {mean:.3g}, {low:.3g} to {high:.3g}*"
            )
        parts.append(
            f"## {sheet['title']}\n[Scenario]({sheet['file']}.toml), n = {sheet['seeds']}.\n\n"
            f"{table}\n\n" + "\n".join(answers) + "\n"
        )
    return "\n".join(parts)


def _shown(of: list[float]) -> str:
    found = estimate(of)
    mean, half = found["mean"], found["half"]
    if mean is None or half is None:
        return "none"
    return f"{_number(mean, 3)} ± {_number(half, 2)}" if half else _number(mean, 3)


def _number(value: float, digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.{digits}g}"


if __name__ == "__main__":
    every = {sheet["file"]: values(sheet) for sheet in sheets()}
    (COURSE / "answers.md").write_text(page(every))
