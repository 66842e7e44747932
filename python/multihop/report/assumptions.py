"""What decides a headline: a page in Markdown, a tornado chart, and the findings as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import altair as alt

from multihop.assumptions.effects import Effect
from multihop.assumptions.findings import Findings, factor_shown, shown
from multihop.files import write_within
from multihop.palette import COLOURS
from multihop.report import charts
from multihop.report.markdown import table_lines
from multihop.report.wording import capital, counted

PAGE, DATA, PICTURE = "assumptions.md", "assumptions.json", "tornado.svg"
_MOST_PAIRS = 12
_STEP = 26
_DECIMALS = 3


def write_assumptions(findings: Findings, folder: Path, study: str) -> None:
    """Write page, chart and data into `folder`; `study` is what the command calls the study."""
    document = json.dumps(findings.document(), indent=2, ensure_ascii=False)
    write_within(folder / DATA, document + "\n")
    write_within(folder / PICTURE, charts.svg(tornado(findings)))
    write_within(folder / PAGE, page(findings, study))


def tornado(findings: Findings) -> charts.Spec:
    """The main effects of the screening as bars from 1, largest first, with their intervals."""
    rows = [_bar(findings, effect) for effect in findings.main if _known(effect)]
    names = [row["name"] for row in rows]
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, labelLimit=320))
    scale = alt.Scale(type="log", nice=False, zero=False, padding=8)
    x = alt.X("factor:Q", title="factor on the ratio", scale=scale, axis=alt.Axis(format="~g"))
    colour = alt.condition(
        "datum.factor >= 1", alt.value(COLOURS[0]), alt.value(COLOURS[1])
    )  # fmt: skip
    layers = [
        alt.Chart().mark_bar(height=14).encode(y=y, x=x, x2=alt.datum(1), color=colour),
        alt.Chart().mark_rule(color=charts.INK, strokeWidth=1.3)
        .encode(y=y, x=alt.X("low:Q", scale=scale), x2="high:Q")
        .transform_filter("isValid(datum.low)"),
        alt.Chart().mark_rule(color=charts.INK, strokeDash=[5, 4]).encode(x=alt.datum(1)),
    ]  # fmt: skip
    title = alt.TitleParams(findings.asked.headline, subtitle=_measure(findings))
    made = alt.layer(*layers).properties(
        width=charts.WIDTH - 240, height=_STEP * max(1, len(rows)), title=title,
        data=alt.InlineData(values=rows),
        # Room for a font wider than the one that texts were measured with.
        padding={"left": 40, "right": 60, "top": 5, "bottom": 5},
    )  # fmt: skip
    spec: charts.Spec = made.to_dict()
    spec["config"] = charts.config(1)
    return spec


def page(findings: Findings, study: str) -> str:
    """The page."""
    asked = findings.asked
    parts = [
        f"# {capital(asked.headline)}: what decides it",
        f"{findings.sentence()}.",
        _how(findings, study),
        "## Main effects",
        f"![Main effects]({PICTURE})",
        _effects(findings, findings.main, ["choice", "from", "to", "factor", "95 % interval"]),
        f"## In full: {', '.join(asked.choices[choice].name for choice in findings.kept)}",
        f"{counted(len(findings.combined), 'setting')} on the same networks; the other choices "
        "as given.",
        _effects(
            findings, findings.main_in_full, ["choice", "from", "to", "factor", "95 % interval"]
        ),
        *_pairs(findings),
        "## The smallest change that flips",
        *_flip(findings),
        "## Settings",
        _settings(findings),
    ]
    return "\n\n".join(parts) + "\n"


def _how(findings: Findings, study: str) -> str:
    asked = findings.asked
    where = f", where {asked.where}" if asked.where else ""
    return (
        f"The ratio is that of the means of `{asked.metric}` under {asked.scheme} and under "
        f"{asked.over}, on the same networks{where}. The headline holds {asked.holds} "
        f"{asked.line:g}. {counted(len(findings.tried), 'setting')} were tried, chosen on networks "
        f"{_networks(findings.screening)} and confirmed on {_networks(findings.confirming)}. A "
        "factor is what an alternative does to the ratio, over all alternatives of the other "
        f"choices. Again: `multihop assumptions {study} --out DIR`; one setting: "
        "`multihop run SCENARIO --scheme NAME --reading settings/s001.toml`."
    )


def _bar(findings: Findings, effect: Effect) -> charts.Row:
    factor = effect.factor
    bounded = math.isfinite(factor.low) and math.isfinite(factor.high) and factor.low > 0
    return {
        "name": findings.named(effect)[0],
        "factor": round(factor.value, _DECIMALS),
        # Of an interval beyond these the picture shows no more than that it is wide.
        "low": round(max(factor.low, factor.value / 4), _DECIMALS) if bounded else None,
        "high": round(min(factor.high, factor.value * 4), _DECIMALS) if bounded else None,
    }


def _known(effect: Effect) -> bool:
    return math.isfinite(effect.factor.value) and effect.factor.value > 0


def _measure(findings: Findings) -> str:
    networks = counted(len(findings.screening), "network")
    settings = counted(len(findings.screened), "setting")
    return f"Main effects; {settings} on {networks}, 95 % interval"


def _effects(findings: Findings, effects: Sequence[Effect], head: list[str]) -> str:
    rows = [head]
    for effect in effects:
        ((choice, level),) = effect.of
        label = findings.asked.label
        name = findings.asked.choices[choice].name
        rows.append([name, label(choice, 0), label(choice, level), *factor_shown(effect)])
    return table_lines(rows)


def _pairs(findings: Findings) -> Iterator[str]:
    if not findings.pairs:
        return
    yield (
        "Pairs, largest first: the factor by which both together differ from the product of what "
        "each does beside the other's first alternative."
    )
    shown_pairs = findings.pairs[:_MOST_PAIRS]
    rows = [["one", "the other", "factor", "95 % interval"]]
    rows += [[*findings.named(effect), *factor_shown(effect)] for effect in shown_pairs]
    yield table_lines(rows)
    if left := findings.pairs[_MOST_PAIRS:]:
        yield f"{counted(len(left), 'smaller pair')} in `{DATA}`."


def _flip(findings: Findings) -> Iterator[str]:
    rows = [["setting", "changes", "ratio", "flips"]]
    base = findings.screened[0]
    rows.append([f"`{findings.name(base)}`", "as given", shown(findings.base), ""])
    for found in findings.candidates:
        told = findings.asked.told(found.row)
        rows.append([f"`{findings.name(found.row)}`", told, shown(found.ratio), found.flips])
    yield table_lines(rows)
    if findings.taken_back:
        yield "Each change taken back alone:"
        rows = [["setting", "taken back", "ratio", "needed"]]
        for back in findings.taken_back:
            name = findings.asked.choices[back.choice].name
            rows.append([f"`{findings.name(back.row)}`", name, shown(back.ratio), back.needed])
        yield table_lines(rows)


def _settings(findings: Findings) -> str:
    rows = [["setting", "changes", "ratio"]]
    for row in findings.tried:
        ratio = shown(findings.ratios[row]) if row in findings.ratios else "only confirmed"
        rows.append([f"`{findings.name(row)}`", findings.asked.told(row), ratio])
    return table_lines(rows)


def _networks(seeds: range) -> str:
    return f"{seeds[0]:,} to {seeds[-1]:,}" if len(seeds) > 1 else f"{seeds[0]:,}"
