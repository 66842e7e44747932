"""A laboratory for TCP over multi-hop 802.11 wireless networks.

`run` simulates one scenario, `run_many` one per seed; both give `Result` objects with data frames.
`explain` says why its flows were silent. `Study` compares schemes over many networks.
"""

from multihop.engine import ScenarioError, schemes
from multihop.engine import version as __version__
from multihop.errors import SchemeError
from multihop.events import Watch
from multihop.explain import Explanation, explain
from multihop.interactive import Study, StudyResults
from multihop.overriding import OverrideWarning
from multihop.pcap import Pcap
from multihop.playback import replay
from multihop.prototypes import (
    AodvPolicy,
    CongestionControl,
    DsrPolicy,
    PrototypeError,
    RateControl,
)
from multihop.resolved import Scenario
from multihop.results import Result
from multihop.simulate import movement, run, run_many, schema
from multihop.study import StudyError

__all__ = [
    "AodvPolicy",
    "CongestionControl",
    "DsrPolicy",
    "Explanation",
    "OverrideWarning",
    "Pcap",
    "PrototypeError",
    "RateControl",
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
