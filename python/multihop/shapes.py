"""Whether data from a file has the form of a type: of results, which strangers may send."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

_PLAIN: dict[object, CoreSchema] = {
    Any: core_schema.any_schema(),
    NoneType: core_schema.none_schema(),
    bool: core_schema.bool_schema(strict=True),
    int: core_schema.int_schema(strict=True),
    float: core_schema.float_schema(strict=True, allow_inf_nan=False),
    str: core_schema.str_schema(strict=True),
}


def fault(value: object, of: Any) -> str | None:
    """What keeps `value` from being `of`, a `TypedDict`; keys that it does not have are let be."""
    try:
        _validator(of).validate_python(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'.'.join(map(str, found['loc']))}: {' '.join(found['msg'].split()).lower()}"
    return None


@cache
def _validator(of: Any) -> SchemaValidator:
    return SchemaValidator(_schema(of))


def _schema(of: Any) -> CoreSchema:
    if of in _PLAIN:
        return _PLAIN[of]
    if is_typeddict(of):
        fields = {
            name: core_schema.typed_dict_field(
                _schema(
                    get_args(hint)[0] if (may_lack := get_origin(hint) is NotRequired) else hint
                ),
                required=not may_lack,
            )
            for name, hint in get_type_hints(of, include_extras=True).items()
        }
        return core_schema.typed_dict_schema(fields, extra_behavior="ignore")
    inner = get_args(of)
    match get_origin(of):
        case origin if origin is Literal:
            return core_schema.literal_schema([*inner])
        case origin if origin in (Union, UnionType):
            return core_schema.union_schema([*map(_schema, inner)])
        case origin if origin is list:
            return core_schema.list_schema(_schema(inner[0]), strict=True)
        case origin if origin is dict:
            return core_schema.dict_schema(core_schema.str_schema(), _schema(inner[1]), strict=True)
        case _:
            raise TypeError(f"no shape of {of}")
