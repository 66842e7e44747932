"""A laboratory for TCP over multi-hop 802.11 wireless networks.

`run` simulates one scenario, `run_many` one per seed; both give `Result` objects with data frames.
`explain` says why its flows were silent. `Study` compares schemes over many networks.

Names are imported when they are first used: Polars, NumPy and Pydantic together take longer than
many a run.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multihop.bases import (
        AodvPolicy,
        BabelMetric,
        BatmanMetric,
        CongestionControl,
        DsrPolicy,
        HwmpMetric,
        OlsrMetric,
        RateControl,
    )
    from multihop.engine import ScenarioError, schemes
    from multihop.engine import version as __version__
    from multihop.errors import OverrideWarning, SchemeError, StudyError
    from multihop.events import Watch
    from multihop.explain import Explanation, explain
    from multihop.interactive import Study, StudyResults
    from multihop.pcap import Pcap
    from multihop.playback.replay import replay
    from multihop.prototypes import PrototypeError
    from multihop.recording import Recording
    from multihop.renamed import RenamedWarning
    from multihop.resolved import Scenario
    from multihop.results import Result
    from multihop.simulate import movement, run, run_many, schema

_HOMES = {
    "AodvPolicy": "bases",
    "BabelMetric": "bases",
    "BatmanMetric": "bases",
    "CongestionControl": "bases",
    "DsrPolicy": "bases",
    "Explanation": "explain",
    "HwmpMetric": "bases",
    "OlsrMetric": "bases",
    "OverrideWarning": "errors",
    "Pcap": "pcap",
    "PrototypeError": "prototypes",
    "RateControl": "bases",
    "Recording": "recording",
    "RenamedWarning": "renamed",
    "Result": "results",
    "Scenario": "resolved",
    "ScenarioError": "errors",
    "SchemeError": "errors",
    "Study": "interactive",
    "StudyError": "errors",
    "StudyResults": "interactive",
    "Watch": "events",
    "explain": "explain",
    "movement": "simulate",
    "replay": "playback.replay",
    "run": "simulate",
    "run_many": "simulate",
    "schema": "simulate",
    "schemes": "engine",
}
"""The module that each name is of."""

__all__ = [
    "AodvPolicy",
    "BabelMetric",
    "BatmanMetric",
    "CongestionControl",
    "DsrPolicy",
    "Explanation",
    "HwmpMetric",
    "OlsrMetric",
    "OverrideWarning",
    "Pcap",
    "PrototypeError",
    "RateControl",
    "Recording",
    "RenamedWarning",
    "Result",
    "Scenario",
    "ScenarioError",
    "SchemeError",
    "Study",
    "StudyError",
    "StudyResults",
    "Watch",
    "__version__",
    "explain",
    "movement",
    "replay",
    "run",
    "run_many",
    "schema",
    "schemes",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module("multihop.engine").version
    elif name in _HOMES:
        value = getattr(import_module(f"multihop.{_HOMES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """The package, whose `explain` is the function although a folder has the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if name != "explain" or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
