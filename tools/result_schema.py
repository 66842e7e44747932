"""Makes Python's types of a result and docs/use/results.md from the engine's JSON Schema.

`make schema` writes both; a test fails when they are out of date.
"""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from multihop import engine

REPOSITORY = Path(__file__).resolve().parents[1]
TYPES = REPOSITORY / "python" / "multihop" / "result_types.pyi"
PAGE = REPOSITORY / "docs" / "use" / "results.md"

WIDTH = 100
ROOT = "RunResult"

Schema = Mapping[str, Any]

PYTHON = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}
WORDS = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "boolean",
    "object": "table",
}

TYPES_HEAD = '''\
"""What the engine returns: the types of a result and of everything in it.

Made from the engine's schema by `make schema`; docs/use/results.md has the same as tables.
"""

from typing import Any, Literal, NotRequired, TypedDict
'''

PAGE_HEAD = """\
# What a result holds

`multihop run --json FILE` writes the result of a run as one JSON object; `multihop.run(...).json` is the same as a mapping of type
`multihop.result_types.RunResult`. Units stand in brackets; a number without one is a count or a share (0 to 1). Nodes and flows are
numbered from 0. *Or null*: the value can be `null`, in Python `None`. *If any*: the key is absent where it was not recorded or does not
apply. `make schema` writes this page from the engine's schema.
"""


def definitions(schema: Schema) -> dict[str, Schema]:
    """Every type of a result by its name, the result itself last."""
    return {**schema["$defs"], ROOT: schema}


def text_of(node: Schema) -> str:
    """What a node's description says, on one line."""
    return " ".join(node.get("description", "").replace("\\", "").split())


def unit_of(node: Schema) -> str:
    """The unit that a node's description gives in brackets; of points, those of all coordinates."""
    return ", ".join(re.findall(r"\[([^\]]+)\]", text_of(node)))


def without_unit(text: str) -> str:
    """A description without the unit, which has a column of its own."""
    return re.sub(r" ?\[[^\]]+\]", "", text)


def alternatives(node: Schema) -> tuple[list[Schema], bool]:
    """The forms that a value may have besides null, and whether it may be null."""
    if "anyOf" in node:
        forms = node["anyOf"]
    elif isinstance(node.get("type"), list):
        forms = [{**node, "type": kind} for kind in node["type"]]
    else:
        forms = [node]
    others = [form for form in forms if form.get("type") != "null"]
    return others, len(others) < len(forms)


def name_of(node: Schema) -> str | None:
    """The type that a node refers to."""
    reference: str | None = node.get("$ref")
    return reference.rpartition("/")[2] if reference else None


def choices(node: Schema) -> list[str]:
    """The texts that a node allows, if only some."""
    found: list[str] = [*node.get("enum", [])]
    for form in node.get("oneOf", []):
        found += form.get("enum", [form["const"]] if "const" in form else [])
    return found


def is_table(node: Schema) -> bool:
    """Whether a type is an object with keys of its own."""
    return bool(node.get("properties"))


def python_type(node: Schema) -> str:
    """A node as an annotation."""
    forms, nullable = alternatives(node)
    return " | ".join([*(_python_form(form) for form in forms), *(["None"] if nullable else [])])


def _python_form(node: Schema) -> str:
    if name := name_of(node):
        return name
    if node.get("type") == "array":
        return f"list[{python_type(node['items'])}]"
    if node.get("type") == "object":
        return "dict[str, Any]"
    return PYTHON[node["type"]]


def python_types(schema: Schema) -> str:
    """The module of Python's types."""
    parts = [TYPES_HEAD]
    for name, node in _in_order(definitions(schema)):
        if not is_table(node):
            listed = ", ".join(f'"{choice}"' for choice in choices(node))
            parts.append(f"{name} = Literal[{listed}]\n{_docstring(text_of(node), '')}")
        elif all(_is_plain(key) for key in node["properties"]):
            parts.append(_class(name, node))
        else:
            parts.append(_call(name, node))
    return "\n".join(parts)


def _in_order(types: dict[str, Schema]) -> list[tuple[str, Schema]]:
    """Types after those that they refer to: the functional form cannot refer ahead."""
    done: dict[str, Schema] = {}

    def visit(name: str) -> None:
        for reference in _references(types[name].get("properties", {})):
            if reference not in done:
                visit(reference)
        done.setdefault(name, types[name])

    for name in types:
        visit(name)
    return list(done.items())


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if name := name_of(node):
            yield name
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


def _is_plain(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def _fields(node: Schema) -> Iterator[tuple[str, str, str]]:
    """Each key with its annotation and description."""
    for key, value in node["properties"].items():
        yield key, python_type(value) if _is_there(key, node) else _optional(value), text_of(value)


def _is_there(key: str, node: Schema) -> bool:
    """Whether a key is in every result."""
    return key in node.get("required", [])


def _optional(value: Schema) -> str:
    """The annotation of a key that is left out, not null, where there is nothing to say."""
    return f"NotRequired[{python_type({'anyOf': alternatives(value)[0]})}]"


def _class(name: str, node: Schema) -> str:
    lines = [f"class {name}(TypedDict):\n", _docstring(text_of(node), "    ")]
    for key, annotation, text in _fields(node):
        lines.append(f"\n    {key}: {annotation}\n{_docstring(text, '    ')}")
    return "".join(lines)


def _call(name: str, node: Schema) -> str:
    lines = [f'{name} = TypedDict(\n    "{name}",\n    {{\n']
    for key, annotation, text in _fields(node):
        comment = textwrap.wrap(text, WIDTH - 10, break_on_hyphens=False)
        lines += [f"        # {line}\n" for line in comment]
        lines.append(f'        "{key}": {annotation},\n')
    return "".join([*lines, "    },\n)\n", _docstring(text_of(node), "")])


def _docstring(text: str, indent: str) -> str:
    if not text:
        return ""
    if len(line := f'{indent}"""{text}"""') <= WIDTH:
        return f"{line}\n"
    # Two lines or more: on one there would be room for the quotes as well.
    wrapped = textwrap.wrap(
        f'"""{text}', WIDTH - 4, initial_indent=indent, subsequent_indent=indent,
        break_on_hyphens=False,
    )  # fmt: skip
    return "".join(f"{line}\n" for line in wrapped) + f'{indent}"""\n'


def page(schema: Schema, recording: Schema) -> str:
    """The page for people."""
    types = definitions(schema)
    parts = [PAGE_HEAD, _recording(recording), *_sections("", ROOT, types, {})]
    return "\n".join(parts)


def _recording(schema: Schema) -> str:
    rows = [
        "## What to record\n",
        "Fields of `multihop.Recording`, which `run` takes as `record`; keys of a study's `[record]`.\n",
        "| Key | What |",
        "|---|---|",
    ]
    for key, node in schema["properties"].items():
        unit = f" [{unit}]" if (unit := unit_of(node)) else ""
        rows.append(row(f"`{key}`{unit}", without_unit(text_of(node))))
    return "\n".join(rows) + "\n"


def _sections(path: str, name: str, types: dict[str, Schema], done: dict[str, str]) -> list[str]:
    """The table of a type, and the tables of what is in it."""
    node = types[name]
    done[name] = path
    rows = [f"## `{path}`\n" if path else "## Top level\n"]
    if path:
        rows.append(f"{without_unit(text_of(node))}\n")
    rows += ["| Key | Type | Meaning |", "|---|---|---|"]
    inner: list[tuple[str, str]] = []
    for key, value in node["properties"].items():
        below = f"{path}.{key}" if path else key
        reference = _table_in(value, types)
        if reference and reference not in done and reference not in dict(inner).values():
            inner.append((below, reference))
        meaning = without_unit(text_of(value)) or without_unit(_described(value, types))
        if reference in done:
            meaning += f" As `{done[reference]}`."
        if not _is_there(key, node):
            meaning += " *If any.*"
        elif alternatives(value)[1]:
            meaning += " *Or null.*"
        kind = _words(value, types) + (f" [{unit}]" if (unit := unit_of(value)) else "")
        rows.append(row(f"`{key}`", kind, meaning))
    sections = ["\n".join(rows) + "\n"]
    for below, reference in inner:
        sections += _sections(below, reference, types, done)
    return sections


def _described(node: Schema, types: dict[str, Schema]) -> str:
    """What the type of a node says of itself."""
    found = name_of(node)
    return text_of(types[found]) if found else ""


def _table_in(node: Schema, types: dict[str, Schema]) -> str | None:
    """The table that a value is, or is a list of."""
    for form in alternatives(node)[0]:
        inner = form.get("items", form) if form.get("type") == "array" else form
        found = name_of(inner)
        if found and is_table(types[found]):
            return found
    return None


def _words(node: Schema, types: dict[str, Schema]) -> str:
    """A node's type for people."""
    (form,) = alternatives(node)[0]
    if name := name_of(form):
        listed = choices(types[name])
        return ", ".join(f"`{choice}`" for choice in listed) if listed else "table"
    if form.get("type") == "array":
        items = form["items"]
        if _table_in(items, types):
            return "rows"
        one, of, rest = _words(items, types).partition(" of ")
        return f"list of {one}s{of}{rest}"
    return WORDS[form["type"]]


def row(*cells: str) -> str:
    """A row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    """Write both."""
    schema = engine.result_schema()
    TYPES.write_text(python_types(schema), encoding="utf-8")
    PAGE.write_text(page(schema, engine.recording_schema()), encoding="utf-8")


if __name__ == "__main__":
    main()
