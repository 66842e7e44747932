"""What a Python file has, read from its text: nothing of it runs."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from multihop.errors import ScenarioError


@dataclass(slots=True)
class _Class:
    bases: list[str]
    names: set[str]


@dataclass(slots=True)
class Outline:
    """The names in a module, and its classes."""

    names: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    classes: dict[str, _Class] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    """Names whose value is no class of another's: functions, and what is plainly no class."""

    def kinds(self, name: str, known: set[str]) -> tuple[set[str], bool]:
        """Which of the `known` a class is derived from, and whether it may be from others, too."""
        name = self.aliases.get(name, name)
        if name in known:
            return {name}, False
        if name not in self.classes:
            return set(), name not in self.others
        found, is_open = set(), False
        for base in self.classes[name].bases:
            more, also = self.kinds(base, known) if base != name else (set(), False)
            found |= more
            is_open = is_open or also
        return found, is_open

    def has(self, name: str) -> set[str]:
        """What a class has of its own, and of its bases in the file."""
        found = self.classes.get(self.aliases.get(name, name))
        if found is None:
            return set()
        return found.names.union(*(self.has(base) for base in found.bases if base != name))


def outline(content: bytes, file: Path) -> Outline:
    """What `file` has, which holds `content`.

    Raises:
        ScenarioError: it is not Python; with the line.
    """
    try:
        tree = ast.parse(content, file)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"line {line}: " if line else ""
        fault = getattr(error, "msg", None) or error or "nested too deeply"
        raise ScenarioError(f"{file}: {place}not Python: {fault}") from None
    found = Outline()
    _read(tree.body, found)
    return found


def _read(body: list[ast.stmt], found: Outline) -> None:
    for statement in body:
        match statement:
            case ast.ClassDef(name=name, bases=bases, body=inner):
                found.classes[name] = _Class([*map(_last, bases)], _names(inner))
                found.aliases.pop(name, None)
                found.names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.names.add(name)
                found.others.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for each in names:
                    known = each.asname or each.name.partition(".")[0]
                    found.names.add(known)
                    if isinstance(statement, ast.ImportFrom) and known != each.name:
                        found.aliases[known] = each.name
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.names.add(name)
                if isinstance(value, (ast.Name, ast.Attribute)):
                    if _last(value) != name:
                        found.aliases[name] = _last(value)
                elif not isinstance(value, ast.Call):
                    found.others.add(name)
            case _:
                found.names |= {
                    each.id
                    for each in ast.walk(statement)
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
                }
                for part in ("body", "orelse", "finalbody"):
                    _read([*getattr(statement, part, [])], found)
                for handler in getattr(statement, "handlers", []):
                    _read(handler.body, found)


def _last(base: ast.expr) -> str:
    """The last part of a dotted name; what is no name stands for anything."""
    match base:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _last(value)
        case _:
            return ""


def _names(body: list[ast.stmt]) -> set[str]:
    """What the body of a class gives a name."""
    found = Outline()
    _read(body, found)
    return found.names
