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


def ablation(name: str) -> str:
    """What a policy carries without each observation, over what it carries with all."""
    with (HERE / "ablation.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["policy"] == name]
    figures = [
        (scenario, figure)
        for scenario in dict.fromkeys(row["scenario"] for row in rows)
        for figure in ("total", "jain")
        if any(row["scenario"] == scenario and row[f"{figure}_ratio"] for row in rows)
    ]
    head = ["replaced", "its mean", *(f"{scenario}: {figure}" for scenario, figure in figures)]
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    for replaced in dict.fromkeys(row["replaced"] for row in rows):
        found = {row["scenario"]: row for row in rows if row["replaced"] == replaced}
        mean = next(iter(found.values()))["mean_share"]
        cells = [replaced, f"{float(mean):.3f}" if mean else ""]
        for scenario, figure in figures:
            row = found[scenario]
            value, half = float(row[f"{figure}_ratio"]), float(row[f"{figure}_ratio_half"])
            cells.append(f"{value:.3f} ± {half:.3f}")
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
        begin, end = (f"<!-- {name} ablation: {edge} -->" for edge in ("begin", "end"))
        told = f"{begin}\n{ablation(name)}\n{end}"
        page = re.sub(f"{begin}.*?{end}", told, page, flags=re.S)
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
