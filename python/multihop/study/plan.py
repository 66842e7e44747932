"""What a study runs: a `Cell` for each scheme at each point of the axes, each on all networks."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine
from multihop.scenario import (
    Overrides,
    ScenarioSource,
    load,
    scheme_overrides,
    set_overrides,
    to_toml,
)
from multihop.study.document import Axis, SchemeTable, StudyTable, Value

LABELS = ("title", "seed")
"""Keys of a scenario that do not affect its runs."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A scheme at a point of the axes, resolved: all that is common to its networks."""

    scheme: str
    point: tuple[tuple[str, Value], ...]
    """Axis and label, in the order of the study's axes."""
    text: str
    """The resolved scenario, as TOML."""
    options: Mapping[str, Any]
    """What is recorded: further arguments of the engine's `run`."""
    digest: str
    """Hash of everything above except the names."""

    def key(self, seed: int) -> str:
        """Content address of the run with `seed`: 40 hexadecimal digits."""
        return hashlib.sha256(f"{self.digest}/{seed}".encode()).hexdigest()[:40]

    @property
    def name(self) -> str:
        """The cell's name, for messages."""
        return " ".join([self.scheme, *(f"{axis}={label}" for axis, label in self.point)])


class SettingError(engine.ScenarioError):
    """A setting of the study that its scenario rejects."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        """Where in the study file it is."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings laid over the scenario, and where in the study file they come from."""

    key: str
    overrides: Overrides


def cells(table: StudyTable, source: ScenarioSource, which: str) -> list[Cell]:
    """Every cell at scale `which`; the scenario and every override are checked along the way.

    Raises:
        ScenarioError: naming the cell whose scenario can't be run.
    """
    scale = table.scale.named[which]
    axes = {
        name: [label for label in axis.labels if label in scale.only.get(name, axis.labels)]
        for name, axis in table.axes.items()
    }
    loaded = load(source)
    found = []
    for labels in itertools.product(*axes.values()):
        point = tuple(zip(axes, labels, strict=True))
        for number, scheme in enumerate(table.scheme_tables):
            if _applies(table.axes, scheme, point):
                layers = [
                    Layer("scenario", loaded.overrides),
                    Layer(f"scale.{which}.set", set_overrides(scale.set)),
                    _scheme(number, scheme),
                    Layer(f"schemes.{number}.set", set_overrides(scheme.set)),
                    *(
                        Layer(f"axes.{axis}", set_overrides(table.axes[axis].settings(label)))
                        for axis, label in point
                    ),
                ]
                found.append(_resolved(scheme, point, loaded.text, layers, table))
    return found


def _scheme(number: int, scheme: SchemeTable) -> Layer:
    try:
        return Layer(f"schemes.{number}", scheme_overrides(scheme.scheme))
    except engine.ScenarioError as error:
        raise SettingError(f"schemes.{number}", str(error)) from None


def _applies(
    axes: Mapping[str, Axis], scheme: SchemeTable, point: tuple[tuple[str, Value], ...]
) -> bool:
    """Whether the scheme runs at this point: a scheme that an axis leaves out has its default."""
    for name, label in point:
        axis = axes[name]
        if not axis.varies(scheme.name) and label != axis.default:
            return False
    return True


def _resolved(
    scheme: SchemeTable,
    point: tuple[tuple[str, Value], ...],
    text: str,
    layers: list[Layer],
    table: StudyTable,
) -> Cell:
    options = table.record.options()
    try:
        overrides = [override for layer in layers for override in layer.overrides]
        resolved = json.loads(engine.resolve(text, overrides))
    except engine.ScenarioError as error:
        name = " ".join([scheme.name, *(f"{axis}={label}" for axis, label in point)])
        for layer in reversed(layers):
            if any(
                re.search(rf"(?<![\w.]){re.escape(key)}\b", str(error))
                for key, _ in layer.overrides
            ):
                raise SettingError(layer.key, f"{name}: {error}") from None
        raise engine.ScenarioError(str(error)) from None
    content = {key: value for key, value in resolved.items() if key not in LABELS}
    address = json.dumps([engine.build_name(), content, _files(content), options], sort_keys=True)
    digest = hashlib.sha256(address.encode()).hexdigest()
    return Cell(scheme.name, point, to_toml(resolved), options, digest)


def _files(content: Mapping[str, Any]) -> list[str]:
    """Digests of the movement files that a scenario reads."""
    tables = (content.get("topology"), content.get("mobility"))
    names = [table["file"] for table in tables if isinstance(table, dict) and "file" in table]
    return [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in names]
