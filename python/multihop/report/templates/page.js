"use strict";
(() => {
  const ONE_COLUMN = 560; // px; narrower pages stack the panels of a figure
  const charts = [...document.querySelectorAll(".chart")].map((element) => ({
    element,
    spec: JSON.parse(element.parentElement.querySelector("script.spec").textContent),
    width: 0,
  }));

  /** The chart's specification for so many pixels; `inner` is the width of a panel. */
  function fitted(spec, width, inner) {
    const made = structuredClone(spec);
    delete made.title; // the page has it as a heading
    const { labels, longestLabel } = spec.usermeta;
    const columns = Math.floor(width / (6.8 * longestLabel + 40));
    made.config.legend.columns = Math.max(1, Math.min(labels, columns));
    if (made.facet) {
      made.columns = panelsBeside(spec, width);
      made.spec.width = inner ?? Math.floor(width / made.columns) - 50;
    } else {
      made.width = width;
    }
    return made;
  }

  function panelsBeside(spec, width) {
    return width < ONE_COLUMN ? 1 : spec.columns;
  }

  async function embed(chart, width, inner) {
    chart.view?.finalize();
    const options = { actions: false, mode: "vega-lite", renderer: "svg" };
    chart.view = await vegaEmbed(chart.element, fitted(chart.spec, width, inner), options);
  }

  async function draw(chart) {
    const width = Math.floor(chart.element.clientWidth);
    if (width === 0 || width === chart.width) return;
    chart.width = width;
    await embed(chart, width);
    if (!chart.spec.facet) return;
    // Only the drawn chart tells how much room its axes take.
    const excess = chart.element.querySelector("svg").width.baseVal.value - width;
    const beside = panelsBeside(chart.spec, width);
    const inner = Math.floor(width / beside) - 50 - Math.ceil(excess / beside);
    if (excess !== 0 && inner > 0) await embed(chart, width, inner);
  }

  async function drawAll() {
    for (const chart of charts) await draw(chart);
    document.documentElement.dataset.charts = "drawn";
  }

  let drawing = drawAll();
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { drawing = drawing.then(drawAll); }, 150);
  });

  // Paper can't be clicked: folded parts are printed open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });

  const form = document.querySelector("form.filters");
  if (form) {
    const rows = [...document.querySelectorAll("tr[data-verdict]")];
    const filter = () => {
      const asked = new FormData(form);
      const verdicts = asked.getAll("verdict");
      const words = asked.get("words").toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !(
          verdicts.includes(row.dataset.verdict) &&
          ["", row.dataset.study].includes(asked.get("study")) &&
          words.every((word) => text.includes(word))
        );
        shown += !row.hidden;
      }
      form.querySelector("output").textContent = `${shown} of ${rows.length}`;
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    filter();
  }
})();
