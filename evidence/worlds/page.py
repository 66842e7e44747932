"""Puts the map of what holds in which world into evidence/worlds.md.

for paper in congestion-aware multipath elfn copas semi-tcp; do
  multihop study run worlds/$paper --out out/worlds/$paper --store out/worlds/store
done
python -m evidence.worlds.page --out out/worlds --store out/worlds/store
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import altair as alt
import click

from evidence.worlds import confirm as worlds_confirm
from evidence.worlds import kept as worlds_kept
from evidence.worlds import worlds
from evidence.worlds.worlds import FLOWS, RATIOS, TRANSPORTS, WORLDS, Cell, Ratio, Word, World
from multihop.files import put_between, write_atomically
from multihop.rendering import svg
from multihop.report.charts.style import INK, RULE, SOFT, Spec, config
from multihop.report.markdown import table_lines
from multihop.report.wording import with_interval
from multihop.reproduction.headline_verdicts import Tested

EVIDENCE = Path(__file__).resolve().parents[1]
PAGE = EVIDENCE / "worlds.md"
PICTURE = EVIDENCE / "images" / "worlds.svg"
MARKERS = ("<!-- worlds: begin -->", "<!-- worlds: end -->")
_WIDTH, _HEIGHT = 30, 30
"""Of a cell [px]."""
_FEWEST = 3
"""Networks below which a ratio is not drawn, as it has no interval."""
_MOST = 3.0
"""Ratios beyond it, or below its inverse, have the darkest colour."""
_GREEN, _PURPLE = (27, 120, 55), (118, 42, 131)


def drawn(cells: Sequence[Cell]) -> Spec:
    """The heat map: rows are results, columns worlds; pale where the interval is not clear of 1."""
    columns = [f"{transport}, {flows}" for transport in TRANSPORTS for flows in FLOWS]
    places = list(dict.fromkeys(f"{world.radio}, {world.movement}" for world in WORLDS))
    data = alt.InlineData(values=[_row(cell) for cell in cells])
    x = alt.X("column:N", sort=columns, title=None, axis=alt.Axis(labelAngle=-90, ticks=False))
    y = alt.Y("ratio:N", sort=[ratio.name for ratio in RATIOS], title=None,
              axis=alt.Axis(labelLimit=300))  # fmt: skip
    boxes = (
        alt.Chart(data)
        .mark_rect(stroke="white")
        .encode(x=x, y=y, color=alt.Color("fill:N", scale=None, legend=None))
    )
    words = (
        alt.Chart(data)
        .mark_text(fontSize=10.5)
        .encode(x=x, y=y, text="label:N", color=alt.Color("ink:N", scale=None, legend=None))
    )
    chart = (
        alt.layer(boxes, words)
        .properties(width=_WIDTH * len(columns), height=_HEIGHT * len(RATIOS))
        .facet(column=alt.Column("place:N", sort=places, title=None), spacing=8)
        .properties(
            title=alt.Title(
                "The papers' results in other worlds",
                subtitle="Goodput over the baseline's. Green: as the paper says; purple: the "
                "other way round; pale: the 95 % interval holds 1; grey: not run, or nothing to "
                "compare",
            )
        )
    )
    spec: Spec = chart.to_dict()
    # Labels are wider in other fonts than where the picture is made.
    return spec | {"config": config(4), "padding": {"left": 50, "right": 5, "top": 5, "bottom": 25}}


def _row(cell: Cell) -> dict[str, Any]:
    result = cell.result
    value = math.nan if result is None else result.value
    seen = result is not None and result.networks >= _FEWEST and math.isfinite(value)
    sign = 1 if result is None or result.side == "above" else -1
    shade = sign * math.log(max(value, 1e-3)) / math.log(_MOST) if seen else 0.0
    dark = seen and cell.clear and abs(shade) > 0.55
    return {
        "ratio": cell.ratio.name,
        "place": f"{cell.world.radio}, {cell.world.movement}",
        "column": f"{cell.world.transport}, {cell.world.flows}",
        "fill": _fill(shade if cell.clear else max(-1.0, min(1.0, shade)) / 4) if seen else RULE,
        "label": _short(value) if seen else "",
        "ink": "white" if dark else (INK if cell.clear else SOFT),
    }


def _fill(shade: float) -> str:
    """From purple, where the result is turned round, over white to green, where it is there."""
    end = _GREEN if shade > 0 else _PURPLE
    share = min(1.0, abs(shade))
    return "#" + "".join(f"{round(255 + share * (colour - 255)):02x}" for colour in end)


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.0f}"


def written(
    cells: Sequence[Cell],
    failures: Iterable[str],
    confirmed: Mapping[tuple[Ratio, World], Tested],
) -> str:
    """The counts, the flips to be confirmed, and the runs that failed."""
    parts = ["![The papers' results in other worlds](images/worlds.svg)", _counts(cells)]
    turned = worlds.flips(cells)
    parts.append("## Flips, and what other networks say")
    if turned:
        rows = [["result", "world", "ratio", "networks", "beside", "word", "on held-out networks"]]
        said = worlds_confirm.words([cell for cell, _ in turned], dict(confirmed))
        for cell, beside in turned:
            count = str(cell.result.networks) if cell.result else ""
            rows.append(
                [cell.ratio.name, cell.world.name, _measured(cell.result), count, beside,
                 cell.word, _again(cell, confirmed, said)]
            )  # fmt: skip
        parts.append(table_lines(rows))
    else:
        parts.append("None.")
    failed = list(failures)
    if failed:
        parts.append("## Runs that failed")
        parts.append("\n".join(f"- {line}" for line in failed))
    return "\n\n".join(parts)


def _counts(cells: Sequence[Cell]) -> str:
    words: list[Word] = list(get_args(Word))
    rows = [["result", *words, "networks"]]
    for ratio in RATIOS:
        own = [cell for cell in cells if cell.ratio == ratio]
        count = Counter(cell.word for cell in own)
        networks = sorted({cell.result.networks for cell in own if cell.result})
        span = " to ".join(str(n) for n in dict.fromkeys(networks[:1] + networks[-1:]))
        rows.append([ratio.name, *(str(count[word] or "") for word in words), span])
    return table_lines(rows)


def _again(
    cell: Cell,
    confirmed: Mapping[tuple[Ratio, World], Tested],
    said: Mapping[tuple[Ratio, World], bool],
) -> str:
    key = cell.ratio, cell.world
    if key not in confirmed:
        return ""
    found = confirmed[key]
    word = ": confirmed" if said[key] else ""
    return f"{_measured(found)} on {found.networks}{word}"


def _measured(result: Tested | None) -> str:
    if result is None:
        return ""
    value, between = with_interval(result.value, result.low, result.high)
    return f"{value} ({between})" if between else value


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/worlds"))
@click.option("--store", type=click.Path(path_type=Path), default=Path("out/worlds/store"))
@click.option("--page", type=click.Path(path_type=Path, exists=True, dir_okay=False), default=PAGE)
def main(out: Path, store: Path, page: Path) -> None:
    """Write the page, its table and its picture from the runs here and what the table keeps."""
    results = worlds.read(out, store)
    table = page.with_suffix(worlds_kept.TABLE.suffix)
    kept, again = worlds_kept.read(table)
    found = worlds.worded(list(worlds_kept.merged(worlds.cells(results), kept)))
    turned = [cell for cell, _ in worlds.flips(found)]
    confirmed = worlds_kept.joined(worlds_confirm.confirmed(turned, out, store), again)
    worlds_kept.write(table, found, confirmed)
    picture = page.parent / "images" / PICTURE.name
    picture.parent.mkdir(exist_ok=True)
    write_atomically(picture, svg(drawn(found)))
    put_between(page, MARKERS, written(found, worlds.failures(results.values()), confirmed))


if __name__ == "__main__":
    main()
