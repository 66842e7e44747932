"""A comparison of the page as a study file, to be run at length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tomli_w

from multihop.foreign import line
from multihop.lab.runs import State

_HEAD = """\
# A comparison from multihop lab, as a study.
#
#   multihop check FILE.toml                    is it right, and how much would it run?
#   multihop study run FILE.toml --out out/lab  networks until the answer is as precise as wanted

"""
_METRICS = ["goodput_bps", "mean_delay_s", "jain"]


def written(states: Sequence[State], names: Sequence[str]) -> str:
    """The study of some states of a scenario, the first of which is the baseline.

    Tables in which a state differs from the first are what its entry sets.
    """
    base = states[0].source.tables
    unique = _unique(names)
    schemes = [
        {"name": name, **({"scheme": state.scheme} if state.scheme else {}),
         "set": _differences(base, state.source.tables)}
        for name, state in zip(unique, states, strict=True)
    ]  # fmt: skip
    study: dict[str, Any] = {
        "title": f"{line(str(base.get('title') or 'scenario'))}: {len(states)} compared",
        "question": f"Which of {', '.join(unique)} serves this network best?",
        "baseline": unique[0],
        "metrics": _METRICS,
        "schemes": schemes,
        "scenario": base,
        "scale": {"quick": {"networks": 5}, "full": {"networks": 50}},
        "figures": [
            {"name": "goodput", "title": "Goodput", "x": "scheme", "y": "goodput_bps",
             "kind": "bar"},
        ],
    }  # fmt: skip
    return _HEAD + tomli_w.dumps(study)


def _differences(base: dict[str, Any], tables: dict[str, Any]) -> dict[str, Any]:
    """Keys whose values differ, by their paths; tables that lack keys of the first are whole."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        old = base.get(key)
        if isinstance(value, dict) and isinstance(old, dict) and old.keys() <= value.keys():
            found |= {f"{key}.{name}": inner for name, inner in _differences(old, value).items()}
        elif value != old:
            found[key] = value
    return found


def _unique(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        told, count = name, 1
        while told in found:
            count += 1
            told = f"{name} {count}"
        found.append(told)
    return found
