"""A scenario, its figures and one run as a page of its own, which asks for nothing."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from multihop.explain import Explanation
from multihop.foreign import in_html, line
from multihop.lab.runs import State
from multihop.playback.page import page as played
from multihop.results import Result, title_of

_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; font: 15px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #8886; }
td { font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; border-radius: 4px; }
iframe { width: 100%; height: 46rem; border: 1px solid #8886; border-radius: 4px; }
.scroll { overflow-x: auto; }
"""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def page(
    state: State, result: Result, found: Explanation, figures: Mapping[str, Any] | None
) -> str:
    """The page of a run and, where there were more, of the figures of all of them."""
    title = in_html(line(title_of(result.scenario)))
    text = state.source.text
    link = base64.b64encode(text.encode()).decode()
    scheme = f", under {in_html(line(state.scheme))}" if state.scheme else ""
    said = "".join(f"<li>{in_html(line(each, 800))}</li>" for each in str(found).split("\n"))
    frame = in_html(played(result, found.json))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>multihop {in_html(result.version)}{scheme}. Seed {result.seed} is played below; this page is
to be read alone. <a download="scenario.toml" href="data:application/toml;base64,{link}">The
scenario as a file</a>, for <code>multihop lab scenario.toml</code>.</p>
<h2>Results</h2>
{_table(figures)}
<h2>Why flows were silent</h2>
<ul>{said}</ul>
<h2>The run</h2>
<iframe title="The run, to be played" sandbox="allow-scripts" srcdoc="{frame}"></iframe>
<h2>The scenario</h2>
<pre tabindex="0" aria-label="Scenario file">{in_html(text)}</pre>
</body>
</html>
"""


def _table(figures: Mapping[str, Any] | None) -> str:
    if figures is None:
        return "<p>One run, no interval.</p>"
    rows: list[Sequence[str]] = [
        (
            in_html(str(row["label"])),
            _shown(row["goodput_bps"], 1e-3, "kbit/s"),
            _shown(row["delay_s"], 1e3, "ms"),
        )
        for row in figures["rows"]
    ]
    rows.append(
        (
            "all together",
            _shown(figures["total_bps"]["now"], 1e-3, "kbit/s"),
            _shown(figures["mean_delay_s"]["now"], 1e3, "ms"),
        )
    )
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{goodput}</td><td>{delay}</td></tr>'
        for name, goodput, delay in rows
    )
    fairness = _shown(figures["fairness"]["now"], 1.0, "")
    return (
        f'<div class="scroll"><table><thead><tr><th scope="col">flow</th><th scope="col">goodput'
        f'</th><th scope="col">delay</th></tr></thead><tbody>{body}</tbody></table></div>'
        f"<p>Means of {figures['runs']} runs with 95 % intervals. Fairness (Jain): {fairness}.</p>"
    )


def _shown(estimate: Mapping[str, float | None], factor: float, unit: str) -> str:
    mean, half = estimate["mean"], estimate["half"]
    if mean is None:
        return "none"
    interval = "" if half is None else f" ± {half * factor:.3g}"
    return f"{mean * factor:.4g}{interval} {unit}".strip()
