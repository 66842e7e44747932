/** What the runs come to: a line for all, a table of flows, both beside what they were before. */

import { element } from "../bands";
import { flowColour } from "../theme";
import type { Change, Told } from "./api";
import { difference, interval, took } from "./units";

export class Results {
  private last: Told | null = null;

  constructor(private readonly root: HTMLElement, private readonly status: HTMLElement, private readonly palette: string[]) {}

  clear(): void {
    this.root.classList.add("stale");
    this.last = null;
    this.status.textContent = "Running";
  }

  fail(message: string): void {
    this.last = null;
    this.root.replaceChildren();
    this.status.textContent = message;
  }

  get runs(): number {
    return this.last?.states[0].runs ?? 0;
  }

  /** No more runs come. */
  stop(): void {
    if (this.last) this.show(this.last, true);
    else this.status.textContent = "Stopped";
  }

  show(told: Told, ended = told.done): void {
    this.last = told;
    const [figures] = told.states;
    this.root.classList.remove("stale");
    this.status.textContent = `${figures.runs} run${figures.runs === 1 ? "" : "s"} in ${took(told.seconds)}${ended ? "" : ", more to come"}`;
    const sums = element("dl", "sums");
    const sum = (name: string, value: string, change: Change | null) => {
      const line = element("div");
      line.append(element("dt", "", name), element("dd", "", value));
      const by = changed(change);
      if (by) line.lastElementChild!.append(" ", by);
      sums.append(line);
    };
    sum("Goodput of all", `${interval(figures.total_bps.now, 1e-3)} kbit/s`, figures.total_bps.change);
    sum("Mean delay", `${interval(figures.mean_delay_s.now, 1e3)} ms`, figures.mean_delay_s.change);
    if (figures.fairness.now.mean !== null)
      sum("Fairness (Jain)", interval(figures.fairness.now, 1), figures.fairness.change);
    const table = element("table");
    table.append(element("caption", "away", "Goodput and delay by flow, with 95 % intervals"));
    const head = element("tr");
    for (const title of ["flow", "goodput [kbit/s]", "delay [ms]", "since the change"]) {
      const cell = element("th", "", title);
      cell.setAttribute("scope", "col");
      head.append(cell);
    }
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    for (const row of figures.rows) {
      const line = element("tr");
      const name = element("th", "", row.label);
      name.setAttribute("scope", "row");
      const swatch = element("i", "swatch");
      swatch.style.background = flowColour(this.palette, row.id);
      name.prepend(swatch);
      const by = element("td");
      const made = changed(row.change);
      if (made) by.append(made);
      const goodput = element("td", "", interval(row.goodput_bps, 1e-3));
      if (row.missing !== 0 && row.goodput_bps.half !== null && figures.runs > 2) {
        const often = row.missing === null ? "thousands of runs more" : `${row.missing} more run${row.missing === 1 ? "" : "s"}`;
        goodput.append(element("span", "missing", `± 10 %: ${often}`));
      }
      line.append(name, goodput, element("td", "", interval(row.delay_s, 1e3)), by);
      body.append(line);
    }
    table.append(top, body);
    const scroll = element("div", "scroll");
    scroll.append(table);
    this.root.replaceChildren(sums, scroll);
  }
}

/** A change in words and colour; none where there is nothing to compare. */
export function changed(change: Change | null): HTMLElement | null {
  const { text, kind } = difference(change);
  return text ? element("span", `change ${kind}`, text) : null;
}
