"""How the package's folders and modules may import each other: the contracts of pyproject.toml."""

import re
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "python" / "multihop"


def test_imports_run_one_way_and_never_in_a_circle(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(REPOSITORY / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_only_one_module_imports_the_compiled_bindings() -> None:
    using = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if re.search(r"multihop\._engine|import _engine", path.read_text("utf-8"))
    ]
    assert using == ["engine.py"]
