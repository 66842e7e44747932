"""Whether data from a file has a form: of results, which strangers may send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

from multihop import engine

_PLAIN: dict[str, CoreSchema] = {
    "null": core_schema.none_schema(),
    "boolean": core_schema.bool_schema(strict=True),
    "integer": core_schema.int_schema(strict=True),
    "number": core_schema.float_schema(strict=True, allow_inf_nan=False),
    "string": core_schema.str_schema(strict=True),
}

Schema = Mapping[str, Any]


class Shape:
    """A form as a JSON Schema, made when it is first asked for; bounds of numbers do not count."""

    def __init__(self, schema: Callable[[], Schema]) -> None:
        self._schema = schema

    @cached_property
    def _validator(self) -> SchemaValidator:
        schema = self._schema()
        return SchemaValidator(_core(schema, schema.get("$defs", {})))

    def fault(self, value: object) -> str | None:
        """What keeps `value` from having the form; keys that it does not have are let be."""
        try:
            self._validator.validate_python(value)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)[0]
            return f"{'.'.join(map(str, found['loc']))}: {' '.join(found['msg'].split()).lower()}"
        return None


RESULT = Shape(engine.result_schema)


def table(*, optional: Mapping[str, Any] | None = None, **keys: Schema | str) -> Schema:
    """A table with these keys, each with its schema or type."""
    given = {**keys, **(optional or {})}
    properties = {key: {"type": of} if isinstance(of, str) else of for key, of in given.items()}
    return {"type": "object", "properties": properties, "required": [*keys]}


def _core(node: Schema, named: Mapping[str, Schema]) -> CoreSchema:
    if "$ref" in node:
        return _core(named[node["$ref"].rpartition("/")[2]], named)
    if "const" in node or "enum" in node:
        return core_schema.literal_schema(node.get("enum") or [node["const"]])
    kinds = node.get("type")
    if forms := node.get("anyOf") or node.get("oneOf"):
        return core_schema.union_schema([_core(form, named) for form in forms])
    if isinstance(kinds, list):
        return core_schema.union_schema([_core({**node, "type": kind}, named) for kind in kinds])
    if kinds == "array":
        return core_schema.list_schema(_core(node["items"], named), strict=True)
    if kinds is None:
        return core_schema.any_schema()
    if kinds != "object":
        return _PLAIN[kinds]
    if "properties" not in node:
        return core_schema.dict_schema(core_schema.str_schema(), strict=True)
    needed = node.get("required", ())
    fields = {
        key: core_schema.typed_dict_field(
            _core(value if key in needed else _without_null(value), named), required=key in needed
        )
        for key, value in node["properties"].items()
    }
    return core_schema.typed_dict_schema(fields, extra_behavior="ignore")


def _without_null(node: Schema) -> Schema:
    """What a key may be that is left out, and not null, where there is nothing to say."""
    if isinstance(node.get("type"), list):
        return {**node, "type": [kind for kind in node["type"] if kind != "null"]}
    if "anyOf" in node:
        return {"anyOf": [form for form in node["anyOf"] if form.get("type") != "null"]}
    return node
