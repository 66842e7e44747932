"""A study killed again and again ends as one that was left alone.

Runs a study of short chains undisturbed; then once more, sent SIGKILL at random moments and gone on
with `--resume`, the last time while the report is written. Fails unless the ledger has every run
once and both reports are the same byte for byte, apart from the times on the page.
"""

import random
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import click

STUDY = """\
title = "Short chains"
question = "Does a killed study end as one that was left alone?"
schemes = ["aodv", "static"]
baseline = "aodv"
metrics = ["goodput_bps", "collisions"]
record = { series_interval_s = 1.0 }

[scenario]
duration_s = 5
topology = { kind = "chain", hops = 4, spacing_m = 200 }
flows = [{ kind = "ftp", source = 0, destination = 4, stop_s = 5 }]

[axes.window]
key = "transport.window_segments"
values = [1, 4]

[scale]
quick = { networks = 50 }
full = { networks = 50 }

[[figures]]
name = "windows"
title = "Goodput by window"
x = "window"
y = "goodput_bps"

[[figures]]
name = "cwnd"
title = "Congestion window"
kind = "series"
x = "time_s"
y = "cwnd"
where = "window == 4"
"""
RUNS = 200
LATEST_S = 0.03
"""A kill comes up to so long after the run that it waits for."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--kills", default=10, show_default=True)
@click.option("--seed", default=1, show_default=True, help="Of the moments.")
def main(folder: Path, kills: int, seed: int) -> None:
    """Run both studies below FOLDER, which must not have them yet, and compare."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY)
    calm, killed = folder / "calm", folder / "killed"
    run(folder, calm).wait()
    moments = random.Random(seed)
    for enough in sorted(moments.sample(range(RUNS), kills - 1)):
        kill(folder, killed, enough, LATEST_S * moments.random())
    kill(folder, killed, RUNS, moments.random())
    if run(folder, killed).wait() != 0:
        sys.exit("the last of the killed runs did not end well")
    states = ledger(killed, "SELECT state, count(*) FROM runs GROUP BY state")
    if states != [("done", RUNS)]:
        sys.exit(f"the ledger has {states}")
    left = [str(path) for path in killed.rglob("*.part")]
    if differing := differences(calm, killed):
        sys.exit(f"not the same: {', '.join(differing)}")
    click.echo(f"{RUNS} runs once each, the reports are the same; left behind: {left or 'nothing'}")


def run(folder: Path, out: Path) -> subprocess.Popen[bytes]:
    """Start the study, or go on with it."""
    command = [sys.executable, "-m", "multihop", "study", "run", str(folder / "study.toml")]
    return subprocess.Popen([*command, "--out", str(out), "--resume"], stdout=subprocess.DEVNULL)


def kill(folder: Path, out: Path, enough: int, later_s: float) -> None:
    """Go on with the study and kill it some time after it has so many runs."""
    process = run(folder, out)
    while process.poll() is None and done(out) < enough:
        time.sleep(0.002)
    time.sleep(later_s)
    over = process.poll() is not None
    process.kill()
    process.wait()
    states = ledger(out, "SELECT state, count(*) FROM runs GROUP BY state")
    click.echo(f"killed after {enough} runs{' (too late)' if over else ''}: {dict(states)}")


def done(out: Path) -> int:
    """How many runs are done."""
    return sum(count for (count,) in ledger(out, "SELECT count(*) FROM runs WHERE state = 'done'"))


def ledger(out: Path, query: str) -> list[tuple[object, ...]]:
    """Ask the ledger, which may not be there yet."""
    file = out / "store" / "ledger.sqlite"
    if not file.exists():
        return []
    connection = sqlite3.connect(file, timeout=10)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def differences(calm: Path, killed: Path) -> list[str]:
    """The files, the store's apart, that differ or that one side lacks."""
    names = [
        {
            str(path.relative_to(out))
            for path in out.rglob("*")
            if path.is_file() and path.relative_to(out).parts[0] != "store"
        }
        for out in (calm, killed)
    ]
    both = names[0] & names[1]
    return sorted(
        (names[0] ^ names[1])
        | {name for name in both if content(calm / name) != content(killed / name)}
    )


def content(file: Path) -> bytes:
    """What has to be the same."""
    return re.sub(rb'<p id="times">.*?</p>', b"", file.read_bytes(), flags=re.DOTALL)


if __name__ == "__main__":
    main()
