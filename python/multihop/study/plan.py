"""What a study runs: a `Cell` for each scheme at each point of the axes, each on all networks."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multihop import engine, prototypes
from multihop.consent import Sources
from multihop.engine import Overrides
from multihop.errors import ScenarioError, StudyError
from multihop.files import read_bytes
from multihop.overriding import reading_for
from multihop.reading import Reading, find
from multihop.recording import Recording
from multihop.scenario import (
    ScenarioSource,
    Source,
    classes,
    load,
    scheme_overrides,
    set_overrides,
)
from multihop.study.document import READING, Axis, SchemeTable, StudyTable
from multihop.study.names import Value

LABELS = ("title", "seed")
"""Keys of a scenario that do not affect its runs."""
MOST_INPUT_BYTES = 256 << 20
"""The largest file of positions, movement or the like that the engine reads."""
MOST_CELLS = 20_000
"""Planning takes ten seconds for so many."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A scheme at a point of the axes, resolved: all that is common to its networks."""

    scheme: str
    point: tuple[tuple[str, Value], ...]
    """Axis and label, in the order of the study's axes."""
    text: str
    """The resolved scenario, as JSON."""
    recording: Recording
    build: str
    """That of the engine that runs it."""
    sources: Sources
    """What the files of Python hold that the scenario names: that runs, whatever they hold then."""
    digest: str
    """Hash of everything above except the names."""
    reading: str | None = None
    """Name of the reading that the scheme is under; none for a protocol that is no paper's."""

    def key(self, seed: int) -> str:
        """Content address of the run with `seed`: 40 hexadecimal digits."""
        return hashlib.sha256(f"{self.digest}/{seed}".encode()).hexdigest()[:40]

    @property
    def name(self) -> str:
        """The cell's name, for messages."""
        return " ".join([self.scheme, *(f"{axis}={label}" for axis, label in self.point)])


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings laid over the scenario, and where in the study file they come from."""

    key: str
    overrides: Overrides


def cells(table: StudyTable, source: ScenarioSource, which: str) -> list[Cell]:
    """Every cell at scale `which`; the scenario and every override are checked along the way.

    Raises:
        StudyError: naming the setting of the study that its scenario rejects, and the cell.
        ScenarioError: the base scenario can't be run.
    """
    scale = table.scale.named[which]
    only = {name: {*labels} for name, labels in scale.only.items()}
    axes = {
        name: [label for label in axis.labels if name not in only or label in only[name]]
        for name, axis in table.axes.items()
    }
    planned = len(table.scheme_tables) * math.prod(map(len, axes.values()))
    if planned > MOST_CELLS:
        fault = f"make {planned:,} cells, schemes at points; at most {MOST_CELLS:,} are planned"
        raise StudyError.at("axes", fault)
    loaded = load(source)
    readings = {reading.name: reading for reading in map(find, table.readings)}
    found = []
    for labels in itertools.product(*axes.values()):
        point = tuple(zip(axes, labels, strict=True))
        for number, scheme in enumerate(table.scheme_tables):
            if _applies(table.axes, scheme, point):
                reading = _reading(readings, scheme, dict(point))
                layers = [
                    Layer("scenario", loaded.overrides),
                    Layer(f"scale.{which}.set", set_overrides(scale.set)),
                    _scheme(number, scheme),
                    *_read(reading, scheme),
                    Layer(f"schemes.{number}.set", set_overrides(scheme.set)),
                    *(
                        Layer(f"axes.{axis}", set_overrides(table.axes[axis].settings(label)))
                        for axis, label in point
                    ),
                ]
                name = reading.name if reading else None
                found.append(_resolved(scheme, point, loaded, layers, table.record, name))
    return found


def _scheme(number: int, scheme: SchemeTable) -> Layer:
    try:
        return Layer(f"schemes.{number}", scheme_overrides(scheme.scheme))
    except ScenarioError as error:
        raise StudyError.at(f"schemes.{number}", str(error)) from None


def _reading(
    readings: Mapping[str, Reading], scheme: SchemeTable, point: Mapping[str, Value]
) -> Reading | None:
    """What a scheme is under: its own reading, that of the point, or its paper's default one."""
    if scheme.reading is not None:
        return reading_for(scheme.scheme, scheme.reading)
    asked = readings[str(point[READING])] if readings else None
    if asked is not None and asked.concerns(scheme.scheme):
        return asked
    return reading_for(scheme.scheme, None)


def _read(reading: Reading | None, scheme: SchemeTable) -> list[Layer]:
    if reading is None:
        return []
    return [Layer(f"reading {reading.name}", reading.overrides(scheme.scheme))]


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
    source: Source,
    layers: list[Layer],
    recording: Recording,
    reading: str | None,
) -> Cell:
    try:
        text, build = _laid_over(source, layers)
    except ScenarioError as error:
        layer = _at_fault(source, layers, error)
        if layer is None:
            raise
        name = " ".join([scheme.name, *(f"{axis}={label}" for axis, label in point)])
        raise StudyError.at(layer.key, f"{name}: {error}") from None
    resolved = json.loads(text)
    content = {key: value for key, value in resolved.items() if key not in LABELS}
    sources = {name: prototypes.source(name) for name in classes(content)}
    digests = [*_files(content), *(hashlib.sha256(held).hexdigest() for held in sources.values())]
    parts = [build, content, digests, recording.asked()]
    address = json.dumps(parts, sort_keys=True)
    digest = hashlib.sha256(address.encode()).hexdigest()
    return Cell(scheme.name, point, text, recording, build, sources, digest, reading)


def _laid_over(source: Source, layers: Iterable[Layer]) -> tuple[str, str]:
    overrides = [override for layer in layers for override in layer.overrides]
    return engine.resolve_with(source.text, overrides, syntax=source.syntax)


def _at_fault(source: Source, layers: list[Layer], error: ScenarioError) -> Layer | None:
    """The last layer that sets the key at fault; else one without which there is no fault."""
    for layer in reversed(layers):
        if any(_is_within(error.key, key) for key, _ in layer.overrides):
            return layer
    for layer in reversed(layers):
        try:
            _laid_over(source, [other for other in layers if other is not layer])
        except ScenarioError:
            continue
        return layer
    return None


def _is_within(key: str, path: str) -> bool:
    return key == path or key.startswith(f"{path}.")


def _files(content: Mapping[str, Any]) -> list[str]:
    """Digests of what a scenario reads: positions, movement, gains of links, traces."""
    sections = ("topology", "mobility", "radio")
    tables = (*map(content.get, sections), *content.get("flows", []))
    names = [table["file"] for table in tables if isinstance(table, dict) and "file" in table]
    return [hashlib.sha256(read_bytes(Path(name), MOST_INPUT_BYTES)).hexdigest() for name in names]
