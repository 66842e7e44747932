"""Every parameter of a study's runs: those common to all, and what schemes and axes set."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine, labels
from multihop.engine import Overrides
from multihop.reading import find
from multihop.scenario import load, scheme_overrides, to_toml
from multihop.study.document import SchemeTable
from multihop.study.plan import LABELS
from multihop.study.results import StudyResults

Pairs = list[tuple[str, str]]


_UNNAMED = {False: "The scenario's own choice.", True: "The scenario with other settings."}
"""What a scheme is that lays no named one over the scenario, by whether it sets anything."""


@dataclass(frozen=True, slots=True)
class SchemeParameters:
    """A scheme: what it is, what it sets, and the resulting values that not all schemes share."""

    name: str
    base: str | None
    reading: str | None
    """What it was under, where that is the same at all points."""
    description: str
    sets: Pairs
    values: Pairs


@dataclass(frozen=True, slots=True)
class Parameters:
    """All parameters of a study, as key paths of the scenario and values."""

    common: dict[str, Pairs]
    """The same in every run, by table of the scenario."""
    schemes: list[SchemeParameters]
    axes: dict[str, list[tuple[str, Pairs]]]
    """For each axis, its values and what each sets."""


def parameters(results: StudyResults) -> Parameters:
    """Read the parameters from the resolved scenarios of the study's cells."""
    scenarios = [
        (cell.scheme, dict(_flat(json.loads(cell.text), LABELS))) for cell in results.cells
    ]
    common = _shared([flat for _, flat in scenarios])
    tables: dict[str, Pairs] = {}
    for key, value in common.items():
        table, dot, rest = key.partition(".")
        tables.setdefault(table if dot else "", []).append((rest if dot else table, plain(value)))
    described = dict(engine.schemes())
    schemes = []
    for scheme in results.study.table.scheme_tables:
        own = _shared([flat for name, flat in scenarios if name == scheme.name])
        schemes.append(
            SchemeParameters(
                scheme.name,
                scheme.scheme,
                read := results.readings.get(scheme.name),
                described.get(scheme.scheme or "", _UNNAMED[bool(scheme.set)]),
                [
                    *_overridden(scheme.scheme),
                    *_settings(dict(_choices(read, scheme))),
                    *_settings(scheme.set),
                ],
                [(key, plain(value)) for key, value in own.items() if key not in common],
            )
        )
    axes = {
        name: [(plain(label), _settings(axis.settings(label))) for label in axis.labels]
        for name, axis in results.study.table.axes.items()
    }
    return Parameters(tables, schemes, axes)


def plain(value: object) -> str:
    """A value as people read it; of a file on this machine its name alone."""
    if isinstance(value, str) and Path(value.partition(".py:")[0]).is_absolute():
        return Path(value).name
    if isinstance(value, Mapping):
        return labels.plain({key: plain(inner) for key, inner in value.items()})
    return labels.plain(value)


def study_file(results: StudyResults) -> str:
    """The study as a self-contained file, with its scenario in it."""
    source = load(results.study.source)
    scenario = source.tables()
    for key, value in source.overrides:  # paths of files, made absolute
        table, _, name = key.rpartition(".")
        scenario[table][name] = value
    return to_toml({**results.study.tables, "scenario": scenario})


def _overridden(scheme: str | None) -> Pairs:
    """What a scheme sets, key by key."""
    pairs: Pairs = []
    for key, text in scheme_overrides(scheme):
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        pairs.extend((path, plain(inner)) for path, inner in _flat(value, (), key))
    return pairs


def _choices(read: str | None, scheme: SchemeTable) -> Overrides:
    """What its reading sets for a scheme."""
    if read is None:
        return []
    return find(scheme.reading or read).overrides(scheme.scheme)


def _settings(settings: Mapping[str, Any]) -> Pairs:
    return [(key, plain(value)) for key, value in settings.items()]


def _shared(scenarios: list[dict[str, Any]]) -> dict[str, Any]:
    """What all of them have, in the order of the first."""
    first, *others = scenarios or [{}]
    missing = object()
    return {
        key: value
        for key, value in first.items()
        if all(other.get(key, missing) == value for other in others)
    }


def _flat(value: Any, without: tuple[str, ...] = (), path: str = "") -> Iterator[tuple[str, Any]]:
    """Key paths and values of a document, in its order."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in without:
                yield from _flat(inner, (), f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for place, inner in enumerate(value):
            yield from _flat(inner, (), f"{path}.{place}")
    elif value is not None:
        yield path, value
