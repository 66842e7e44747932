"""The keys of a scenario by their paths: what each means, from the JSON Schema."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from multihop import engine

Node = Mapping[str, Any]
"""A part of the schema."""

_UNITS = {
    "s": "s", "m": "m", "mps": "m/s", "bps": "bit/s", "hz": "Hz", "db": "dB", "dbm": "dBm",
    "w": "W", "deg": "degrees", "bytes": "bytes", "segments": "segments", "packets": "packets",
}  # fmt: skip
"""What a key's last word says its value is in."""
_WORDS = {
    "integer": "whole number", "number": "number", "string": "text", "boolean": "true or false",
    "array": "list", "object": "table",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the scenario file, in one form of the table that it is in."""

    path: str
    """As `--set` takes it; of a list's tables, without their places."""
    of: str
    """Which forms of its table have it, as `scheme "aodv", "dsr"`; empty if all have."""
    node: Node
    """What the schema says of it."""

    @property
    def about(self) -> str:
        """What it means."""
        forms = (form.get("description", "") for form in _forms(self.node))
        return " ".join((self.node.get("description") or next(forms, "")).split())

    @property
    def is_table(self) -> bool:
        """Whether it has keys of its own."""
        return any("properties" in form for form in _forms(self.node))

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Its values, if they are few, each with what it means."""
        found = {}
        for form in _forms(self.node):
            if "const" in form:
                found[str(form["const"])] = " ".join(form.get("description", "").split())
            found |= dict.fromkeys(map(str, form.get("enum", [])), "")
        if any(form.get("type") == "boolean" for form in _forms(self.node)):
            found |= dict.fromkeys(("true", "false"), "")
        return [*found.items()]

    @property
    def takes(self) -> str:
        """Its type, unit and bounds, in words."""
        if self.choices:
            return "one of " + ", ".join(name for name, _ in self.choices)
        words = []
        for form in _forms(self.node):
            if form.get("type") == "array":
                forms = _forms(form.get("items", {}))
                inner = [_WORDS.get(str(each.get("type")), "") for each in forms]
                tables = any("properties" in each for each in forms)
                words.append("list of tables" if tables else f"list of {inner[0]}s")
            elif (word := _WORDS.get(str(form.get("type")))) is not None:
                bounds = [form[name] for name in ("minimum", "maximum") if name in form]
                shown = f", {bounds[0]:g} to {bounds[1]:g}" if len(bounds) == 2 else ""
                words.append(word + shown)
        unit = _UNITS.get(self.path.rpartition(".")[2].rpartition("_")[2])
        return " or ".join(dict.fromkeys(words)) + (f" [{unit}]" if unit and words else "")

    @property
    def default(self) -> str:
        """Its default; empty if it has none, or a table's."""
        value = self.node.get("default")
        return "" if value is None or isinstance(value, dict) else json.dumps(value)


@cache
def all_keys() -> tuple[Key, ...]:
    """All keys, in the order of the schema."""
    return tuple(_below(_schema(), ""))


def keys_at(path: str) -> list[Key]:
    """The forms of a key; of a flow's, its table's place or name may stand in the path."""
    parts = path.split(".")
    short = ".".join([parts[0], *parts[2:]])
    known = {key.path for key in all_keys()}
    wanted = short if path not in known and short in known and len(parts) > 2 else path
    return [key for key in all_keys() if key.path == wanted]


def near(path: str) -> list[str]:
    """Paths like one that does not exist: those that end so, then those that are written alike."""
    known = [*dict.fromkeys(key.path for key in all_keys())]
    last = path.rpartition(".")[2]
    same = [each for each in known if each.rpartition(".")[2] == last]
    alike = difflib.get_close_matches(path, known, n=3)
    lasts = {each.rpartition(".")[2] for each in known}
    words = difflib.get_close_matches(last, lasts, n=1)
    alike += [each for each in known if each.rpartition(".")[2] in words]
    return [*dict.fromkeys(same or alike)][:3]


@cache
def _schema() -> Node:
    return engine.schema()


def _forms(node: Node) -> list[Node]:
    """What a part of the schema may be, references followed, without null."""
    if "$ref" in node:
        return _forms(_schema()["$defs"][node["$ref"].rpartition("/")[2]])
    for word in ("anyOf", "oneOf"):
        if word in node:
            forms = [form for each in node[word] for form in _forms(each)]
            more = node.get("properties")
            return [_joined(form, more) for form in forms] if more else forms
    types = node.get("type")
    if isinstance(types, list):
        return [{**node, "type": each} for each in types if each != "null"]
    return [] if types == "null" else [node]


def _joined(form: Node, more: Node) -> Node:
    """A form of a table with keys that all its forms have."""
    return {**form, "properties": {**more, **form.get("properties", {})}}


def _below(node: Node, path: str) -> Iterator[Key]:
    forms = [form for form in _forms(node) if "properties" in form]
    if not forms:
        forms = [
            form
            for each in _forms(node)
            if each.get("type") == "array"
            for form in _forms(each.get("items", {}))
            if "properties" in form
        ]
    seen: dict[str, list[tuple[str, Node]]] = {}
    for form in forms:
        of = _which(form) if len(forms) > 1 else ""
        for name, inner in form["properties"].items():
            seen.setdefault(name, []).append((of, inner))
    for name, found in seen.items():
        here = f"{path}.{name}" if path else name
        merged: list[tuple[list[str], Node]] = []
        for of, inner in found:
            same = next((names for names, other in merged if other == inner), None)
            if same is None:
                merged.append(([of], inner))
            else:
                same.append(of)
        if any("const" in inner for _, inner in found):  # what tells the forms apart
            consts = [inner for _, inner in found if "const" in inner]
            about = [form.get("description", "") for form in forms if _which(form)]
            told = [{**c, "description": said} for c, said in zip(consts, about, strict=True)]
            yield Key(here, "", {"oneOf": told, "description": f"Which {name} it is."})
            continue
        for names, inner in merged:
            yield Key(here, "" if len(names) == len(forms) else _together(names), inner)
        yield from _below(found[0][1], here)


def _which(form: Node) -> str:
    """What tells a form of a table from the others."""
    keys = form["properties"].items()
    return next((f'{name} "{inner["const"]}"' for name, inner in keys if "const" in inner), "")


def _together(forms: list[str]) -> str:
    """Several forms, with the key that tells them apart once."""
    first, *others = dict.fromkeys(filter(None, forms)) or [""]
    return ", ".join([first, *(form.partition(" ")[2] for form in others)])
