"""The pages on real sites: every command in them works, in the order in which it stands there."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import Called
from tests.test_sites import MAP

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r'^```(?:sh|toml title="([^"]+)")\n(.*?)^```', re.MULTILINE | re.DOTALL)
FEWER = {"20": "2", "5": "2"}
"""Seeds, in place of those on the page."""


@pytest.mark.parametrize(
    ("page", "leaves"),
    [
        pytest.param(
            "start/community-mesh.md", ["town.png", "roofs.png"],
            marks=pytest.mark.slow("plans a mesh three times"),
        ),
        ("use/import.md", ["meshviewer/nodes.csv", "own.geojson", "street.params", "moving.tcl"]),
    ],
)  # fmt: skip
def test_every_command_of_the_page_works(
    page: str, leaves: list[str], tmp_path: Path, called: Called
) -> None:
    shutil.copy(MAP, tmp_path)
    shutil.copy(MAP.with_name("roofs.csv"), tmp_path)
    text = (DOCS / page).read_text("utf-8")
    ran = 0
    for file, block in BLOCK.findall(text):
        if file:
            (tmp_path / file).write_text(block, "utf-8")
            continue
        for row in block.splitlines():
            words = shlex.split(row)
            if "--seeds" in words:
                seeds = words.index("--seeds") + 1
                words[seeds] = FEWER[words[seeds]]
            if "service" in words:
                words += ["--seeds", "2"]
            if "plan" in words:
                words += ["--start", "2", "--limit", "2"]
            assert words[0] == "multihop"
            said = called(*words[1:])
            assert said.returncode == 0, f"{row}\n{said.stderr}"
            ran += 1
    assert ran == text.count("\nmultihop ") > 4
    for file in leaves:
        assert (tmp_path / file).stat().st_size > 0
