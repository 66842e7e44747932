"""Why the bulk flows of the study of a mesh of roofs were silent, by routing.

python -m evidence.proactive.silences --mesh "50, restarts" --networks 3
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from typing import Any

import multihop
from multihop import catalogue

STUDY = catalogue.study_file("mesh/routing")


def main() -> None:
    """Print each routing's silent time and the shares of its causes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mesh", default="50, restarts")
    parser.add_argument("--networks", type=int, default=3)
    parser.add_argument("--scheme", action="append", help="only these")
    told = parser.parse_args()
    study: dict[str, Any] = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    (point,) = (each for each in study["axes"]["mesh"]["points"] if each["label"] == told.mesh)
    for scheme in study["schemes"]:
        if told.scheme and scheme["name"] not in told.scheme:
            continue
        spent: Counter[str] = Counter()
        for seed in range(study["first_seed"], study["first_seed"] + told.networks):
            given = {**scheme["set"], **point["set"]}
            explained = multihop.explain(study["scenario"], seed=seed, set=given)
            for flow in explained.flows[:2]:
                for silence in flow.silences:
                    for span in silence.spans:
                        spent[span.cause] += span.length_ns
        silent = sum(spent.values())
        shares = ", ".join(
            f"{cause} {length / silent:.0%}" for cause, length in spent.most_common(4)
        )
        print(f"| `{scheme['name']}` | {silent / 1e9 / told.networks:.0f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
