"""The page's tables and figure from the measured rows.

python -m evidence.gap.tables evidence/gap/gap.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path

import altair as alt
import polars as pl

from multihop.bound.losses import WORDS
from multihop.files import put_between, write_atomically
from multihop.rendering import svg
from multihop.report.charts.style import config
from multihop.statistics import mean_interval

EVIDENCE = Path(__file__).resolve().parents[1]
PAGE = EVIDENCE / "gap.md"
PICTURE = EVIDENCE / "images" / "gap.svg"
MARKERS = ("<!-- gap: begin -->", "<!-- gap: end -->")
COLOURS = {
    "within_fair_rates": "#0072B2", "beyond_fair_rates": "#56B4E9", "uncleared": "#332288",
    "together": "#88CCEE", "tcp_acks": "#CC79A7", "retransmissions": "#882255",
    "detours": "#aa6699", "routing": "#661100", "failed_attempts": "#D55E00",
    "reservation": "#DDCC77", "deferral": "#E69F00", "partly_filled": "#a08a30",
    "mac_acks": "#f0d070", "backoff": "#999933", "queueing": "#117733",
    "packets_elsewhere": "#44AA99", "no_packets": "#bbbbbb",
}  # fmt: skip
"""What is carried blue, packets that bring no data red, time of contention yellow, none grey."""


def main() -> None:
    """Writes both into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    rows = pl.read_csv(parser.parse_args().file)
    schemes = rows["scheme"].unique(maintain_order=True).to_list()
    put_between(PAGE, MARKERS, "\n".join(_table(rows, schemes)))
    write_atomically(PICTURE, svg(_drawn(rows, schemes)))


def _table(rows: pl.DataFrame, schemes: list[str]) -> list[str]:
    parts = [*COLOURS]
    lines = [
        "| % of the fair rates | total over NewReno's | Jain | "
        + " | ".join(WORDS[name] for name in parts)
        + " | sum off by at most |",
        "|---|--:|--:|" + "--:|" * (len(parts) + 1),
    ]
    totals = {
        scheme: sum(rows.filter(pl.col("scheme") == scheme)["total_bps"].to_list())
        for scheme in schemes
    }
    for scheme in schemes:
        own = rows.filter(pl.col("scheme") == scheme)
        index = mean_interval(own["jain"].to_list())
        cells = [f"{totals[scheme] / totals['newreno']:.2f}", f"{index.value:.2f}"]
        for name in parts:
            shares = own[name].to_list()
            found = mean_interval(shares)
            shown = f"{100 * found.value:.1f} ± {100 * found.half_width:.1f}"
            cells.append(shown if any(shares) else "0")
        cells.append(f"{100 * max(abs(share) for share in own['unaccounted'].to_list()):.2f}")
        lines.append(f"| `{scheme}` | " + " | ".join(cells) + " |")
    return lines


def _drawn(rows: pl.DataFrame, schemes: list[str]) -> dict[str, object]:
    means = rows.group_by("scheme").agg(pl.col(list(COLOURS)).mean())
    long = means.unpivot(index="scheme", variable_name="part", value_name="share")
    order = {name: place for place, name in enumerate(COLOURS)}
    values = [
        {
            "scheme": row["scheme"],
            "share": 100 * row["share"],
            "what": WORDS[row["part"]],
            "order": order[row["part"]],
        }
        for row in long.to_dicts()
    ]
    scale = alt.Scale(domain=[WORDS[name] for name in COLOURS], range=[*COLOURS.values()])
    chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            y=alt.Y("scheme:N", sort=schemes, title=None),
            x=alt.X(
                "share:Q",
                title="% of what the proportionally fair rates are worth",
                scale=alt.Scale(domain=[-10, 110]),
            ),
            color=alt.Color("what:N", scale=scale, title=None, sort=None),
            order=alt.Order("order:Q"),
        )
        .properties(width=560, height=alt.Step(22))
    )
    return {**chart.to_dict(), "config": config(2)}


if __name__ == "__main__":
    main()
