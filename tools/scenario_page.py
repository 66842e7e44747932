"""The site's page of the scenario file, made from the engine's schema.

Each table of the file has a section, and where a key (`kind`, `scheme`) says which keys are
allowed, each of its values has one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tools.result_schema import (
    WORDS,
    Schema,
    alternatives,
    choices,
    name_of,
    row,
    text_of,
)

HEAD = """\
# The scenario file

Every key of a scenario, TOML or JSON, with its default. `multihop schema` prints the same as a
JSON Schema; `multihop check FILE` says what is wrong in a file. *Required*: there is no default. A
key without a default is unset, or its default follows from others, as its meaning says. Units are
in the keys: `_s`, `_m`, `_bps`, `_bytes`. A table that its `scheme` chooses can be given as that
name alone: `recovery = "sack"`.

"""
TABLE = ("table", "tables")
DRAWN, DISTRIBUTIONS = "Drawn", "Distributions"
SHORT = "Its `scheme` alone."
SHARED = 5
"""A form of a table is told by a smaller one only if that has at least so many keys."""


class _Page:
    """The sections of the page, in the order of the file."""

    def __init__(self, schema: Schema) -> None:
        self._top: Schema = _spelled_out(schema)
        self._types: Mapping[str, Schema] = self._top["$defs"]

    def sections(self) -> Iterator[str]:
        yield "## Top level\n\n" + self._table(self._top, "")
        for key, value in self._top["properties"].items():
            array = value.get("type") == "array"
            node = self._resolved(value["items"] if array else value)
            if self._forms(node) or node.get("properties"):
                yield from self._section(key, node, "##", array=array)
        yield from self._distributions()

    def _distributions(self) -> Iterator[str]:
        """What a key may draw its value from, told once for all keys."""
        drawn = self._types[DRAWN]
        yield f"## {DISTRIBUTIONS}\n\nA number, always the same, or a table. {text_of(drawn)}"
        for form in self._forms(drawn):
            key, name = _discriminator(form)
            keys = {**form, "properties": _without(key, form["properties"])}
            yield f'### `{key} = "{name}"`\n\n{text_of(form)}\n\n{self._table(keys, "")}'

    def _section(self, path: str, node: Schema, level: str, *, array: bool) -> Iterator[str]:
        title = f"`[[{path}]]`" if array else f"`[{path}]`"
        yield f"{level} {title}\n\n{text_of(node)}"
        forms = [(_discriminator(form), form) for form in self._forms(node)]
        keys = {name: _without(key, form["properties"]) for (key, name), form in forms}
        for (key, name), form in forms:
            heading = f'{level}# `{key} = "{name}"`\n\n{text_of(form)}'
            yield heading + self._form(path, {**form, "properties": keys[name]}, keys)
            for listed, value in keys[name].items():
                items = self._resolved(value.get("items", {}))
                if value.get("type") == "array" and items.get("properties"):
                    yield from self._section(f"{path}.{listed}", items, f"{level}##", array=True)
        if node.get("properties"):
            yield self._table(node, path)
        for key, value in node.get("properties", {}).items():
            is_array = value.get("type") == "array"
            inner = self._resolved(value.get("items", {}) if is_array else value)
            if inner.get("properties"):
                yield from self._section(f"{path}.{key}", inner, f"{level}#", array=is_array)

    def _form(self, path: str, form: Schema, others: Mapping[str, Schema]) -> str:
        """The keys of one form of a table, those that it shares with a smaller form left out."""
        own, text = form["properties"], ""
        for name, theirs in others.items():
            if len(theirs) >= SHARED and theirs.keys() < own.keys():
                own = {key: value for key, value in own.items() if value != theirs.get(key)}
                text = f" It has every key of `{name}`; new or different are:"
                break
        return f"{text}\n\n{self._table({**form, 'properties': own}, path)}" if own else text

    def _table(self, node: Schema, path: str) -> str:
        rows = ["| Key | Value | Default | Meaning |", "|---|---|---|---|"]
        for key, value in node["properties"].items():
            default = "*required*" if key in node.get("required", []) else _default(value)
            words = self._words(value)
            if words.endswith(TABLE):
                words = f"[{words}](#{self._anchor(value, f'{path}.{key}')})"
            rows.append(row(f"`{key}`", words, default, self._meaning(value)))
        return "\n".join(rows)

    def _anchor(self, node: Schema, path: str) -> str:
        """Where a table is told: at a table of the top level if it has the same type."""
        types = {name_of(form) for form in alternatives(node)[0]} - {None}
        if "Distribution" in types:
            return DISTRIBUTIONS.lower()
        top: Mapping[str, Schema] = self._top["properties"]
        same = (key for key, value in top.items() if name_of(value) in types)
        return next(same, path.replace(".", ""))

    def _resolved(self, node: Schema) -> Schema:
        """A node together with the type that it refers to; its own words go first."""
        name = name_of(node)
        if name is None:
            return node
        found = self._types[name]
        properties = {**node.get("properties", {}), **found.get("properties", {})}
        merged = {**found, **{key: value for key, value in node.items() if key != "$ref"}}
        required = [*node.get("required", []), *found.get("required", [])]
        return {
            **merged,
            "required": required,
            **({"properties": properties} if properties else {}),
        }

    def _forms(self, node: Schema) -> list[Schema]:
        """The forms of a table, if it has several."""
        forms = [self._resolved(form) for form in node.get("oneOf", [])]
        return [form for form in forms if form.get("properties")]

    def _words(self, node: Schema) -> str:
        """What a value may be, for people."""
        return " or ".join(
            dict.fromkeys(self._one(self._resolved(form)) for form in alternatives(node)[0])
        )

    def _one(self, node: Schema) -> str:
        if self._forms(node) or node.get("properties"):
            return TABLE[0]
        if listed := choices(node):
            others = [form for form in node.get("oneOf", []) if not choices({"oneOf": [form]})]
            return ", ".join([*(self._words(form) for form in others), *map(_value, listed)])
        if node.get("type") == "array" and "items" not in node:
            return "list"  # of several kinds
        if node.get("type") == "array":
            one, of, rest = self._words(node["items"]).partition(" of ")
            return f"list of {one}s{of}{rest}"
        if "const" in node:
            return _value(node["const"])
        if "anyOf" in node:
            return self._words(node)
        if "oneOf" in node:
            return " or ".join(self._words(form) for form in node["oneOf"])
        return WORDS[node["type"]]

    def _meaning(self, node: Schema) -> str:
        """What a key means, and each of its values that says what it is."""
        lines = [text_of(node)]
        lines += [
            f"{_value(form['const'])}: {text_of(form)}"
            for form in self._resolved(node).get("oneOf", [])
            if "const" in form and text_of(form)
        ]
        return "<br>".join(line for line in lines if line)


def _spelled_out(node: Any) -> Any:
    """The schema without the short form of tables that may be given by their scheme's name."""
    if isinstance(node, list):
        return [_spelled_out(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    found = {key: _spelled_out(inner) for key, inner in node.items()}
    either = found.get("anyOf", [])
    if len(either) == 2 and either[1].get("description") == SHORT:
        del found["anyOf"]
        return either[0] | found
    return found


def _discriminator(form: Schema) -> tuple[str, str]:
    """The key that tells a form from the others, and its value; a pattern is that of a class."""
    return next(
        (key, value.get("const", "FILE.py:CLASS"))
        for key, value in form["properties"].items()
        if "const" in value or "pattern" in value
    )


def _without(key: str, properties: Schema) -> Schema:
    return {other: value for other, value in properties.items() if other != key}


def _default(node: Schema) -> str:
    value = node.get("default")
    return "" if value is None or isinstance(value, dict) else _value(value)


def _value(value: Any) -> str:
    return f"`{json.dumps(value)}`"


def page(schema: Schema) -> str:
    """The page."""
    return HEAD + "\n\n".join(_Page(schema).sections()) + "\n"
