"""Writes the tables of evidence/learning.md from what was judged."""

from __future__ import annotations

import csv
import re

from evidence.learning.tasks import HERE, TASKS

PAGE = HERE.parent / "learning.md"


def table(name: str, figure: str) -> str:
    """A policy's goodput as a ratio to each rival's, or the difference of the reward."""
    with (HERE / f"{name}-judged.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    scenarios = list(dict.fromkeys(row["scenario"] for row in rows))
    rivals = list(dict.fromkeys(row["rival"] for row in rows))
    found = {(row["scenario"], row["rival"]): row for row in rows}
    head = ["networks held out", "kbit/s", "of the bound", *rivals]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    for scenario in scenarios:
        first = found[scenario, rivals[0]]
        learned = float(first["learned_bps"])
        cells = [scenario, f"{learned / 1e3:.0f}", f"{float(first['bound_share']):.2f}"]
        for rival in rivals:
            row = found[scenario, rival]
            cells.append(f"{float(row[figure]):.2f} ± {float(row[f'{figure}_half']):.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Write all tables for which there are results."""
    page = PAGE.read_text("utf-8")
    for name in TASKS:
        for figure in ("ratio", "log_difference"):
            begin, end = (f"<!-- {name} {figure}: {edge} -->" for edge in ("begin", "end"))
            if begin in page and (HERE / f"{name}-judged.csv").exists():
                told = f"{begin}\n{table(name, figure)}\n{end}"
                page = re.sub(f"{begin}.*?{end}", told, page, flags=re.S)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
