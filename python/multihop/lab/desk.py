"""What the page can ask for, each by its name: see `Desk.acts`.

What plays and explains takes a second to import: it is imported where it is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from multihop import catalogue
from multihop.consent import names_code
from multihop.events import Watch
from multihop.files import read_text, write_atomically
from multihop.foreign import line
from multihop.lab import nodes
from multihop.lab.figures import told
from multihop.lab.folder import Refused, file_of
from multihop.lab.limits import Limits, Source, check, read
from multihop.lab.network import look, positions_m
from multihop.lab.runs import Ended, Runs, State
from multihop.lab.toml_text import Change, changed
from multihop.scenario import is_policy
from multihop.statistics import t_quantile

NETWORKS, COMPARED = 200, 20
"""So many seeds at most in a run and in a comparison, unless more are asked for."""
MOST_NETWORKS = 2000
MOST_STATES = 6
"""Compared at a time."""
MOST_TRANSMISSIONS = 400_000
"""Of a longer run only its first part is played, or looked at frame by frame."""

Body = Mapping[str, Any]
Answer = dict[str, Any] | Iterator[dict[str, Any]]


class Desk:
    """The folder, the limits and the runs behind a page."""

    def __init__(self, folder: Path, limits: Limits, *, allow_code: bool) -> None:
        self.folder = folder.resolve()
        self.limits = limits
        self.runs = Runs(limits)
        self._allow_code = allow_code
        self.acts: dict[str, Callable[[Body], Answer]] = {
            "look": self.look,
            "run": self.run,
            "links": self.links,
            "compare": self.compare,
            "watch": self.watch,
            "study": self.study,
            "share": self.share,
            "open": self.open,
            "save": self.save,
        }

    def warm(self) -> None:
        """Import what the first interval needs, then what plays and explains."""
        t_quantile(2, 0.95)
        for name in ("explain", "lab.medium", "lab.sharing", "lab.study_file"):
            import_module(f"multihop.{name}")

    def look(self, body: Body) -> Answer:
        """The network of a text; with `changes`, after these, and the text that they make."""
        text, kept = _text(body), True
        changes = self._changes(text, body)
        if changes:
            made = changed(text, changes)
            text, kept = made.text, made.kept
        source = self._read(text)
        return {"text": text, "kept": kept, "tables": _plain(source.tables),
                **look(source, self.limits)}  # fmt: skip

    def run(self, body: Body) -> Answer:
        """The figures of a text, which narrow; beside those of `before`."""
        states = [self._state(body)]
        before = None
        if isinstance(body.get("before"), str):
            before = State(self._read(body["before"]))
        most, least = _networks(body, NETWORKS)
        return self.runs.figures(states, before, most, self.runs.begin(), least=least)

    def compare(self, body: Body) -> Answer:
        """The figures of several `states`, each a text and a scheme, beside the first's."""
        states = [self._state(each) for each in body["states"]][:MOST_STATES]
        most, least = _networks(body, COMPARED)
        return self.runs.figures(states, None, most, self.runs.begin(), least=least)

    def links(self, body: Body) -> Answer:
        """What the links carried and lost in the run of the scenario's own seed."""
        from multihop.lab import medium

        state = self._state(body)
        try:
            result = self.runs.result(
                state, state.first_seed, self.runs.beside(), events=self._window(state)
            )
        except Ended:
            return {"links": []}
        return {"links": medium.links(result)}

    def watch(self, body: Body) -> Answer:
        """A run to play, with why its flows were silent, and that in a line each."""
        from multihop.explain import explain
        from multihop.playback.page import ReplayError, packed

        state = self._state(body)
        seed = body.get("seed")
        chosen = seed if isinstance(seed, int) and seed >= 0 else state.first_seed
        window = self._window(state)
        try:
            result = self.runs.result(state, chosen, self.runs.begin(), events=window)
        except Ended:
            raise Refused("another run began") from None
        found = explain(result)
        try:
            facts, record = packed(result, found.json)
        except ReplayError as error:
            raise Refused(str(error)) from None
        part = window.to_s if isinstance(window, Watch) else None
        return {"facts": facts, "record": record, "until_s": part,
                "said": _lines(str(found))}  # fmt: skip

    def study(self, body: Body) -> Answer:
        """The study file that compares the `states` as the page does."""
        from multihop.lab import study_file

        states = [self._state(each) for each in body["states"]][:MOST_STATES]
        return {"text": study_file.written(states, [line(n) for n in body["names"]])}

    def share(self, body: Body) -> Answer:
        """A page of its own with the scenario, its figures and one run."""
        from multihop.explain import explain
        from multihop.lab import sharing

        state = self._state(body)
        end = self.runs.begin()
        known = self.runs.known(state)
        try:
            result = self.runs.result(state, state.first_seed, end, events=self._window(state))
        except Ended:
            raise Refused("another run began") from None
        figures = told(dict(known), None) if known else None
        return {"html": sharing.page(state, result, explain(result), figures)}

    def open(self, body: Body) -> Answer:
        """The text of a scenario of the folder, or an example."""
        name = body["name"]
        is_example = name in dict(catalogue.scenarios())
        path = catalogue.scenario_file(name) if is_example else file_of(self.folder, name)
        try:
            return {"text": read_text(path), "name": name}
        except OSError as error:
            raise Refused(f"{path.name}: {error.strerror}") from None

    def save(self, body: Body) -> Answer:
        """Write a text into the folder; a file that is there only where `replace` says so."""
        path, text = file_of(self.folder, body["name"]), body["text"]
        if not isinstance(text, str):
            raise TypeError("text")
        if path.exists() and not body.get("replace"):
            return {"exists": True}
        try:
            write_atomically(path, text)
        except OSError as error:
            raise Refused(f"{path.name}: {error.strerror}") from None
        return {"saved": str(path)}

    def _read(self, text: str) -> Source:
        examples = catalogue.scenario_file("six-hops").parent
        return read(text, (self.folder, examples), allow_code=self._allow_code)

    def _state(self, body: Body) -> State:
        source = self._read(_text(body))
        check(source.resolved(), self.limits)
        scheme = body.get("scheme")
        if scheme is not None and (
            not isinstance(scheme, str) or names_code(scheme) or is_policy(scheme)
        ):
            raise Refused("a scheme is one that `multihop list schemes` names")
        return State(source, scheme)

    def _changes(self, text: str, body: Body) -> list[Change]:
        """The changes of keys that are asked for, or what moving nodes comes to."""
        if "changes" in body:
            return [Change(tuple(each["path"]), each.get("value")) for each in body["changes"]]
        if not any(word in body for word in ("move", "add", "remove")):
            return []
        source = self._read(text)
        places = positions_m(source)
        if "move" in body:
            to = {int(node): at for node, at in body["move"]}
            return nodes.moved(source.tables, places, to)
        if "add" in body:
            return nodes.added(source.tables, places, body["add"])
        gone = {int(node) for node in body["remove"]}
        if len(gone) >= len(places) - 1:
            raise Refused("a network has two nodes at least")
        return nodes.removed(source.tables, places, gone)

    def _window(self, state: State) -> bool | Watch:
        """All of a run, or as much of its beginning as can be told frame by frame."""
        known = self.runs.known(state)
        most = max((each.transmissions for each in known.values()), default=0)
        if most <= MOST_TRANSMISSIONS:
            return True
        duration_s = float(state.source.resolved()["duration_s"])
        return Watch(to_s=duration_s * MOST_TRANSMISSIONS / most)


def _lines(text: str) -> list[str]:
    """Lines of others, those that belong to the one above with two blanks."""
    return [("  " if each.startswith(" ") else "") + line(each, 600) for each in text.split("\n")]


def _text(body: Body) -> str:
    text = body["text"]
    if not isinstance(text, str):
        raise TypeError("text")
    return text


def _networks(body: Body, usual: int) -> tuple[int, int]:
    """How many networks there are at most, and how many at least."""
    most = max(2, min(int(body.get("networks", usual)), MOST_NETWORKS))
    return most, min(int(body.get("least", 0)), most)


def _plain(value: Any) -> Any:
    """Tables as JSON has them; dates, infinities and NaN as text."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, (bool, int, str)) else str(value)
