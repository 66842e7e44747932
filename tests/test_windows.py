"""What Windows lacks is not missed by what runs there, and emulation says that it needs Linux."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, os, signal, sys
import click, numpy, polars, pydantic, rich.progress, scipy.special, subprocess, tempfile

sys.platform = "win32"  # after what has a form of its own for each system
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("SIGHUP", "SIGKILL"):
    delattr(signal, name)
def kill(process, number):
    raise SystemError("on Windows this is Ctrl-C for all of a console")
os.kill = kill

from multihop.cli import main
ended = []
for arguments in json.load(sys.stdin):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as end:
        ended.append(end.code)
print(ended)
"""
STUDY = ["study", "run", "mesh/study.toml", "--scale", "quick", "--networks", "1", "--out", "out"]


def test_runs_and_studies_need_nothing_that_windows_lacks(tmp_path: Path) -> None:
    calls = [
        ["new", "mesh"], ["run", "mesh/scenario.toml"], STUDY, [*STUDY, "--resume"],
        ["emulate", "mesh/scenario.toml", "--seconds", "1"],
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps(calls), cwd=tmp_path, timeout=120,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["[0, 0, 0, 0, 2]"], done.stderr
    assert "emulation needs Linux: only it has network namespaces" in done.stderr.splitlines()[-1]
