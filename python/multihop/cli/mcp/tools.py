"""What the tools do. Each returns plain data, or raises one line."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import catalogue, engine
from multihop.cli import effort, keys, listing
from multihop.cli.mcp.bounds import MOST_ANSWER, Deadline, refuse, settings, source
from multihop.errors import ScenarioError, StudyError
from multihop.lab.figures import Sample, sample, told
from multihop.lab.limits import Limits, Source, check
from multihop.results import Result
from multihop.scenario import toml
from multihop.simulate import run

MOST_SEEDS = 100
MOST_SCHEMES = 8
MOST_SILENCES = 50


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools over a folder."""

    folder: Path
    limits: Limits

    def check(self, scenario: str, set: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Whether a scenario is right, and what it would take."""
        of, resolved = self._source(scenario, set)
        text = json.dumps(resolved)
        load = engine.load(of.text, [*of.overrides, *settings(set).items()])
        return {
            "is_right": True,
            "title": resolved["title"],
            "duration_s": resolved["duration_s"],
            "run_s": effort.run_seconds(text),
            "is_large": load is not None,
        }

    def run(
        self,
        scenario: str,
        seeds: int = 1,
        seed: int | None = None,
        scheme: str | None = None,
        set: Mapping[str, Any] | None = None,
        whole: bool = False,
    ) -> dict[str, Any]:
        """Each flow's goodput and delay: means over seeds, with half of their 95 % intervals."""
        of, _ = self._source(scenario, set)
        deadline = Deadline(self.limits.run_s)
        results = [self._run(of, each, scheme, set, deadline) for each in _seeds(of, seed, seeds)]
        if whole:
            return _fitting({"results": [result.json for result in results]})
        figures = told(_by_seed(results), None)
        return {"warnings": results[0].warnings, **_without_changes(figures)}

    def compare(
        self,
        scenario: str,
        schemes: list[str],
        seeds: int = 10,
        seed: int | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Schemes on the same networks, each beside the first, in pairs of equal seeds."""
        named = dict.fromkeys(schemes)
        if not 2 <= len(named) <= MOST_SCHEMES:
            fault = f"must be 2 to {MOST_SCHEMES} different ones (got {len(named)})"
            raise ScenarioError.at("schemes", fault)
        of, _ = self._source(scenario, set)
        deadline = Deadline(self.limits.run_s)
        first: dict[int, Sample] | None = None
        rows = {}
        for scheme in named:
            runs = [self._run(of, each, scheme, set, deadline) for each in _seeds(of, seed, seeds)]
            samples = _by_seed(runs)
            figures = told(samples, first)
            rows[scheme] = {
                name: figures[name] for name in ("runs", "total_bps", "mean_delay_s", "fairness")
            }
            first = first or samples
        return {"baseline": schemes[0], "schemes": rows}

    def explain(
        self,
        scenario: str,
        seed: int | None = None,
        scheme: str | None = None,
        set: Mapping[str, Any] | None = None,
        flow: int | None = None,
    ) -> dict[str, Any]:
        """Why the flows of a run were silent: the causes, and the longest silences."""
        from multihop.explain import explain

        of, _ = self._source(scenario, set)
        (one,) = _seeds(of, seed, 1)
        result = self._run(of, one, scheme, set, Deadline(self.limits.run_s), events=True)
        try:
            found = explain(result, flow=flow)
        except ValueError as error:
            raise ScenarioError(str(error)) from None
        return _fitting({"text": str(found), **found.json})

    def study(self, study: str, networks: int = 2) -> dict[str, Any]:
        """The summary of a study, given as TOML, on a few networks at its quick scale."""
        from multihop.study import Study

        tables = toml(study)
        refuse("study", tables)
        name = tables.get("scenario")
        if isinstance(name, str) and name not in dict(catalogue.scenarios()):
            raise StudyError.at("scenario", "must be a table, or an example's name")
        for key in ("readings", "assumptions"):
            if key in tables:
                raise StudyError.at(key, "can't be given here")
        schemes = tables.get("schemes")
        for index, scheme in enumerate(schemes if isinstance(schemes, list) else []):
            if isinstance(scheme, dict) and "reading" in scheme:  # it may be a file's name
                raise StudyError.at(f"schemes.{index}.reading", "can't be given here")
        if not 1 <= networks <= MOST_SEEDS:
            raise StudyError.at("networks", f"must be 1 to {MOST_SEEDS} (got {networks})")
        made = Study(**tables)
        scale = "quick" if "quick" in made.table.scale.named else made.which_scale()
        cells = made.cells(scale)
        for cell in cells:
            check(json.loads(cell.text), self.limits)
        needed = effort.study_seconds(cells, networks)
        if needed > self.limits.run_s:
            raise StudyError(
                f"{len(cells)} cells on {networks} networks take about {needed:,.0f} s, more than "
                f"the {self.limits.run_s:g} s of a call; multihop study run has no limit"
            )
        with tempfile.TemporaryDirectory(prefix="multihop-mcp-") as out:
            deadline = Deadline(self.limits.run_s)
            results = made.run(
                out, scale=scale, networks=networks, workers=1,
                finished=lambda _outcome: deadline.check(),
            )  # fmt: skip
            rows = results.summary().to_dicts()
            failures = [str(each) for each in results.failures][:10]
        return _fitting({"runs": len(cells) * networks, "failures": failures, "summary": rows})

    def list(self, what: str, paper: str = "all") -> dict[str, Any]:
        """What comes along, by name."""
        if what not in listing.WHAT:
            names = ", ".join(f'"{name}"' for name in listing.WHAT)
            raise ScenarioError.at("what", f'must be one of {names} (got "{what}")')
        papers = ["all", *(name for name, *_ in listing.rows("papers", "all"))]
        if paper not in papers:  # nor is a folder of elsewhere looked into
            names = ", ".join(f'"{name}"' for name in papers)
            raise ScenarioError.at("paper", f'must be one of {names} (got "{paper}")')
        return _fitting({what: [[*row] for row in listing.rows(what, paper)]})

    def schema(self, key: str | None = None) -> dict[str, Any]:
        """What a key of the scenario file means, takes and defaults to, and the keys below it."""
        if not key:
            return {"keys": sorted({each.path for each in keys.all_keys()})}
        found = keys.keys_at(key)
        if not found:
            near = keys.near(key)
            hint = f"did you mean `{near[0]}`?" if near else "without a key all are listed"
            raise ScenarioError.at(key[:200], f"no such key; {hint}")
        told = [
            {
                "key": each.path,
                "with": each.of,
                "about": each.about,
                "takes": each.takes or "table",
                "default": json.loads(each.default) if each.default else None,
                "choices": dict(each.choices),
            }
            for each in found
        ]
        below = [each.path for each in keys.all_keys() if each.path.startswith(f"{found[0].path}.")]
        return {"forms": told, "below": [*dict.fromkeys(below)]}

    def _source(
        self, scenario: str, set: Mapping[str, Any] | None
    ) -> tuple[Source, dict[str, Any]]:
        """The scenario, and all its keys with what is laid over it."""
        of = source(scenario, self.folder, self.limits)
        laid = [*of.overrides, *settings(set).items()]
        resolved: dict[str, Any] = json.loads(engine.resolve(of.text, laid))
        check(resolved, self.limits)
        return of, resolved

    def _run(
        self,
        of: Source,
        seed: int,
        scheme: str | None,
        set: Mapping[str, Any] | None,
        deadline: Deadline,
        events: bool = False,
    ) -> Result:
        if scheme is not None:
            refuse("scheme", {"scheme": scheme})
        return run(
            of.text,
            seed=seed,
            scheme=scheme,
            set={**dict(of.overrides), **settings(set)},
            events=events,
            progress=deadline.check,
        )


def _seeds(of: Source, first: int | None, count: int) -> range:
    if not 1 <= count <= MOST_SEEDS:
        raise ScenarioError.at("seeds", f"must be 1 to {MOST_SEEDS} (got {count})")
    own = of.tables.get("seed", 1)
    begin = first if first is not None else own if isinstance(own, int) else 1
    return range(begin, begin + count)


def _by_seed(results: list[Result]) -> dict[int, Sample]:
    return {result.seed: sample(result) for result in results}


def _without_changes(figures: dict[str, Any]) -> dict[str, Any]:
    rows = [{key: row[key] for key in row if key != "change"} for row in figures["rows"]]
    sums = {name: figures[name]["now"] for name in ("total_bps", "mean_delay_s", "fairness")}
    return {"runs": figures["runs"], "flows": rows, **sums}


def _fitting(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer as plain data, if it is not too long.

    Raises:
        ScenarioError: it is.
    """
    text = json.dumps(answer, default=str)
    if len(text) > MOST_ANSWER:
        raise ScenarioError(
            f"the answer has {len(text):,} characters, more than {MOST_ANSWER:,}: ask for less"
        )
    plain: dict[str, Any] = json.loads(text)
    return plain
