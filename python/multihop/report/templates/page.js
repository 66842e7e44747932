"use strict";
(() => {
  const ONE_COLUMN = 560; // px; narrower pages stack the panels of a figure
  const LONG = 12; // rows; longer tables have a filter
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

  // Beside the text the contents are open, above it folded.
  const contents = document.querySelector("details.contents");
  const wide = matchMedia("(min-width: 80rem)");
  const place = () => { contents.open = wide.matches; };
  wide.addEventListener("change", place);
  place();

  // Paper can't be clicked: folded parts are printed open.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });

  // A heading sticks to the window only if the table need not scroll sideways.
  const fits = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      target.classList.toggle("fits", target.scrollWidth <= target.clientWidth);
    }
  });
  for (const scroll of document.querySelectorAll(".scroll")) fits.observe(scroll);

  /** Shows the rows that pass; says how many. */
  function sift(rows, passes, output) {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !passes(row);
      shown += !row.hidden;
    }
    output.textContent = `${shown} of ${rows.length}`;
  }

  const texts = new WeakMap();

  /** Whether a row names all words; what was measured is no name, and 4 is not found in 24. */
  function has(row, words) {
    if (!texts.has(row)) {
      const cells = [...row.cells].filter((cell) => !cell.classList.contains("number"));
      texts.set(row, cells.map((cell) => cell.textContent.toLowerCase()).join(" "));
    }
    const text = texts.get(row);
    const named = text.split(/\s+/);
    return words.every((word) => /^[\d.]+$/.test(word) ? named.includes(word) : text.includes(word));
  }

  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  const form = document.querySelector("form.filters");
  if (form) {
    const rows = [...document.querySelectorAll("tr[data-verdict]")];
    const filter = () => {
      const asked = new FormData(form);
      const verdicts = asked.getAll("verdict");
      const words = wordsOf(asked.get("words"));
      const passes = (row) =>
        verdicts.includes(row.dataset.verdict) &&
        ["", row.dataset.study].includes(asked.get("study")) &&
        has(row, words);
      sift(rows, passes, form.querySelector("output"));
    };
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    filter();
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.tHead.rows[0].cells) {
      heading.tabIndex = 0;
      heading.title = "Sort";
      heading.addEventListener("keydown", (event) => {
        if (event.key === "Enter") heading.click();
      });
    }
    const rows = [...table.tBodies[0].rows];
    if (rows.length <= LONG) continue;

    const tools = document.createElement("div");
    tools.className = "tools";
    const search = Object.assign(document.createElement("input"), {
      type: "search", placeholder: "Filter rows", ariaLabel: "Filter rows", autocomplete: "off",
    });
    const output = document.createElement("output");
    const unsort = Object.assign(document.createElement("button"), {
      type: "button", textContent: "Original order", hidden: true,
    });
    search.addEventListener("input", () => {
      const words = wordsOf(search.value);
      table.classList.toggle("filtered", words.length > 0);
      sift(rows, (row) => has(row, words), output);
    });
    table.addEventListener("sort-end", () => { unsort.hidden = false; });
    unsort.addEventListener("click", () => {
      table.tHead.querySelector("[aria-sort]")?.removeAttribute("aria-sort");
      table.tBodies[0].append(...rows);
      unsort.hidden = true;
    });
    // The table of all claims has a form of its own.
    if (!rows[0].dataset.verdict) tools.append(search, output);
    tools.append(unsort);
    (table.closest(".scroll") ?? table).before(tools);
  }
})();
