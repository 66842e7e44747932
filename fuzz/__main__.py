"""`python -m fuzz TARGET... --minutes N`: fuzz, guided by coverage, and keep what is found.

Needs atheris (`make fuzz` installs it). Each finding is written once, for the place where it
arose, to `out/fuzz/TARGET/`; a hang or a crash of the whole process is kept by libFuzzer there.
Inputs that reach new code are kept in `out/fuzz/TARGET/inputs` and started from the next time.

The engine's code guides as well where it is built with coverage, which stable Rust can do:
`RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"`,
`cargo build --release -p multihop-module --target TRIPLE` and without LTO, with overflow checks
and debug assertions. Then preload libFuzzer: atheris has it as `libclang_rt.fuzzer_no_main.a`,
which `gcc -shared -Wl,--whole-archive` makes a library.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import resource
import subprocess
import sys
import time
import traceback
from pathlib import Path

MEMORY_BYTES = 6 << 30
FUZZED = ["multihop", "tomllib", "json"]


def main() -> None:
    """Fuzz each target in turn, in processes of their own, and start again what crashes."""
    options = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    options.add_argument("targets", nargs="*", metavar="TARGET", help="all by default")
    options.add_argument("--minutes", type=float, default=1.0, help="for each target")
    options.add_argument("--out", type=Path, default=Path("out/fuzz"))
    options.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.worker:
        _work(asked.targets[0], asked.out, asked.minutes * 60)
        return
    found = 0
    for name in asked.targets or _names():
        folder = asked.out / name
        (folder / "inputs").mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + asked.minutes * 60
        while (left := end - time.monotonic()) > 1:
            command = [sys.executable, "-m", "fuzz", name, "--worker", "--out", str(folder)]
            with (folder / "log").open("a") as log:
                subprocess.run(
                    [*command, "--minutes", str(left / 60)], stdout=log, stderr=log, check=False
                )
            if not _cases(folder):
                sys.exit(f"{name}: nothing was tried; {folder / 'log'} says why")
        findings = sorted(folder.glob("*.input")) + sorted(folder.glob("*-*-*"))
        found += len(findings)
        print(f"{name}: {_cases(folder)} cases, {len(findings)} findings in {folder}")
    sys.exit(found > 0)


def _names() -> list[str]:
    from fuzz.targets import TARGETS

    return [*TARGETS]


def _cases(folder: Path) -> int:
    return sum(int(path.read_text()) for path in folder.glob("cases.*"))


def _work(name: str, folder: Path, seconds: float) -> None:
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=FUZZED):
        from fuzz.targets import TARGETS
    target = TARGETS[name]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.tokens()))
    counter = folder / f"cases.{os.getpid()}"
    seen: set[str] = set()
    cases = 0

    def one(data: bytes) -> None:
        nonlocal cases
        cases += 1
        if cases % 16 == 0:
            counter.write_text(str(cases))
        try:
            target.try_input(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
            _keep(error, data, folder, seen)

    examples = folder / "examples"
    examples.mkdir(exist_ok=True)
    for path in [*target.corpus(), *target.examples()]:
        (examples / hashlib.sha256(path.read_bytes()).hexdigest()[:16]).write_bytes(
            path.read_bytes()
        )
    atheris.Setup(
        [
            "fuzz", str(folder / "inputs"), str(examples),
            *([f"-dict={words}"] if words.stat().st_size else []),
            f"-max_total_time={int(seconds)}", "-timeout=30", "-max_len=65536", "-rss_limit_mb=0",
            f"-artifact_prefix={folder}/", "-print_final_stats=1", "-len_control=0",
        ],
        one,
    )  # fmt: skip
    atheris.Fuzz()


def _keep(error: Exception, data: bytes, folder: Path, seen: set[str]) -> None:
    from fuzz.judge import place

    where = place(error)
    if where in seen:
        return
    seen.add(where)
    name = hashlib.sha256(where.encode()).hexdigest()[:12]
    if not (folder / f"{name}.input").exists():
        (folder / f"{name}.input").write_bytes(data)
        (folder / f"{name}.txt").write_text("".join(traceback.format_exception(error)))


def _escaped(word: str) -> str:
    return "".join(
        letter if letter.isalnum() or letter in "_-. " else f"\\x{byte:02x}"
        for letter in word
        for byte in letter.encode()[:1]
    )


if __name__ == "__main__":
    main()
