"""Everything that is fuzzed: what reads the bytes, and what its inputs are made of."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from fuzz import frames, records, stores, texts
from fuzz.judge import timed
from multihop import engine

CORPUS = Path(__file__).parent / "corpus"
_REPOSITORY = Path(__file__).parents[1]
_MOVEMENT = ["$node_(0) set X_ 1.5\n", '$ns_ at 1.0 "$node_(1) setdest 3.0 4.0 5.0"\n', "$god_"]
_CSV = ["id,name,x_m,y_m\n", "x_m", "\r\n", ",", ";", '"', "lat,lon\n", "\ufeff"]
_SITES = [
    "nem:1",
    "<",
    "/>",
    "&",
    "lat",
    "lon",
    '"tq":',
    "null",
    "\t",
    "\n",
    "Table: Links\n",
    "$n(1)",
]
_MESSAGES = ["time_s,bytes\n", "bytes", "\r\n", ",", ";", '"', "0.5,100\n", "\ufeff"]
_VALUES = [
    "0", "-1", "1e308", "-0.0", "nan", "inf", "true", "9223372036854775807",
    "18446744073709551616", '""', "[]", "{}", "\n", "[[", "]]", " = ", '"random"', "1e-300",
    "65536", "4294967295", "0.5",
    "2020-01-01", "07:00:00", "\\u0000", "[" * 60, "1" * 60, "a." * 30, "1e400", "../", "0x",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """One reader."""

    name: str
    read: Callable[[bytes, Path], None]
    """Gives it an input, in an empty folder; raises where that is neither taken nor refused."""
    seeds: tuple[str, ...] = ()
    """Files of the repository that it can start from, as patterns."""
    tokens: Callable[[], Iterable[str]] = tuple
    """Words that inputs are made of."""

    def try_input(self, data: bytes) -> None:
        """Give it `data`; raises what is found."""
        with tempfile.TemporaryDirectory(prefix="fuzz") as folder, timed():
            self.read(data, Path(folder))

    def corpus(self) -> list[Path]:
        """Its inputs in the corpus."""
        return sorted(path for path in (CORPUS / self.name).iterdir() if path.is_file())

    def examples(self) -> list[Path]:
        """Files of the repository that it can start from."""
        return sorted(path for seeds in self.seeds for path in _REPOSITORY.glob(seeds))


_STUDIES = "papers/*/studies/*.toml"


def _scenario_words() -> list[str]:
    """Every key and every name in the scenario's schema."""
    text = str(engine.schema())
    return [*_VALUES, *sorted(set(re.findall(r"'([a-zA-Z0-9_-]{2,40})'", text)))]


def _study_words() -> list[str]:
    text = "".join(path.read_text("utf-8") for path in _REPOSITORY.glob(_STUDIES))
    words = set(re.findall(r"[a-z_.-]{3,40}", text)) & set(
        re.findall(
            r"[a-z_.-]{3,40}", (_REPOSITORY / "docs" / "use" / "studies.md").read_text("utf-8")
        )
    )
    return [*_VALUES, *sorted(words)]


TARGETS = {
    target.name: target
    for target in (
        Target("scenario", texts.scenario, ("python/multihop/scenarios/*.toml",), _scenario_words),
        Target("scenario-json", texts.scenario_json, (), _scenario_words),
        Target("setting", texts.setting, (), _scenario_words),
        Target("study", texts.study, (_STUDIES,), _study_words),
        Target("reading", texts.reading, ("papers/*/readings/*.toml",), _scenario_words),
        Target("movement", texts.movement, (), lambda: [*_VALUES, *_MOVEMENT]),
        Target("positions", texts.positions, (), lambda: [*_VALUES, *_CSV]),
        Target("policy", texts.policy, ("evidence/learning/*.json",), _scenario_words),
        Target("sites", texts.real_sites, ("tests/sites/*",), lambda: [*_VALUES, *_SITES]),
        Target("heights", texts.heights),
        Target("trace", texts.trace, (), lambda: [*_VALUES, *_MESSAGES]),
        Target("frames", frames.frames, (), lambda: frames.WORDS),
        Target("store", stores.store),
        Target("record", records.record),
        Target("names", texts.names, (), lambda: texts.MARKS),
        Target("description", stores.description, (), lambda: [*_VALUES, "scale", "store"]),
    )
}
