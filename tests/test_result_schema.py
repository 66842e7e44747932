"""The schema of a result, what is made from it, and what the engine returns."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import fields
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tools import result_schema

import multihop
from multihop import catalogue, engine
from multihop.recording import Recording

SCHEMA = engine.result_schema()
EVERYTHING = Recording(
    series_interval_s=1.0, queues=[0], queue_classes=True, links=True, routes_interval_s=1.0,
    paths=True, frames=True,
)  # fmt: skip


def test_what_is_made_from_the_schema_is_up_to_date() -> None:
    types = result_schema.python_types(SCHEMA)
    page = result_schema.page(SCHEMA, engine.recording_schema())
    assert result_schema.TYPES.read_text("utf-8") == types, "make schema"
    assert result_schema.PAGE.read_text("utf-8") == page, "make schema"


def keys() -> Iterator[tuple[str, str, Any]]:
    """Type, key and schema of everything in a result."""
    for name, node in result_schema.definitions(SCHEMA).items():
        for key, value in node.get("properties", {}).items():
            yield name, key, value


UNITS = {"_bps": "bit/s", "_bytes": "bytes", "_ns": "ns", "_us": "µs", "_s": "s", "_m": "m"}


def test_a_quantity_whose_name_has_a_unit_states_it() -> None:
    for name, key, node in keys():
        for suffix, unit in UNITS.items():
            if key.endswith(suffix) and not key.endswith("_per_s"):
                assert unit in result_schema.unit_of(node).split(", "), f"{name}.{key}"


def test_everything_has_a_meaning() -> None:
    assert [f"{name}.{key}" for name, key, node in keys() if not described(node)] == []


def described(node: Any) -> bool:
    """Whether a key or its type says what it is."""
    named = result_schema.name_of(node)
    return bool(result_schema.text_of(SCHEMA["$defs"][named] if named else node))


def closed(schema: Any) -> Any:
    """The schema with no keys allowed besides those it has."""
    found = deepcopy(schema)
    for node in result_schema.definitions(found).values():
        if node.get("properties"):
            node["additionalProperties"] = False
    return found


@pytest.mark.parametrize("scheme", [name for name, _ in engine.schemes()])
def test_a_result_is_as_the_schema_says(scheme: str) -> None:
    scenario = catalogue.scenario_folder() / "contended-middle.toml"
    result = multihop.run(scenario, scheme=scheme, set={"duration_s": 14}, record=EVERYTHING)
    Draft202012Validator(closed(SCHEMA)).validate(ends(result.json))


def ends(value: Any) -> Any:
    """A result of which long lists have their first and last rows alone."""
    if isinstance(value, Mapping):
        return {key: ends(each) for key, each in value.items()}
    if isinstance(value, list):
        return [ends(each) for each in (value if len(value) < 20 else value[:10] + value[-10:])]
    return value


def test_what_to_record_has_the_engine_s_names() -> None:
    ours = [field.name for field in fields(Recording) if field.name != "observe"]
    assert ours == [*engine.recording_schema()["properties"]]
