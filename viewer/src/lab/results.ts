/** What the runs come to: a line for all, a table of flows, both beside what they were before. */

import { element } from "../bands";
import { flowColour } from "../theme";
import type { Change, Told } from "./api";
import { difference, interval, took } from "./units";

export class Results {
  private last: Told | null = null;

  /** Kept, so that it stays open. */
  private readonly counts = element("details");

  constructor(private readonly root: HTMLElement, private readonly status: HTMLElement, private readonly palette: string[]) {
    this.counts.append(element("summary", "", "Collisions, routing, timeouts, silences"), element("div"));
  }

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
    const lines = figures.rows.map((row) => {
      const name = rowHead(row.label);
      const swatch = element("i", "swatch");
      swatch.style.background = flowColour(this.palette, row.id);
      name.prepend(swatch);
      const goodput = element("td", "", interval(row.goodput_bps, 1e-3));
      if (row.missing !== 0 && row.goodput_bps.half !== null && figures.runs > 2) {
        const often = row.missing === null ? "thousands of runs more" : `${row.missing} more run${row.missing === 1 ? "" : "s"}`;
        goodput.append(element("span", "missing", `± 10 %: ${often}`));
      }
      return [name, goodput, element("td", "", interval(row.delay_s, 1e3)), by(row.change)];
    });
    const flows = table("Goodput and delay by flow, with 95 % intervals",
      ["flow", "goodput [kbit/s]", "delay [ms]", "since the change"], lines);
    const counts = figures.counts.filter(({ now }) => now.mean !== null).map((count) =>
      [rowHead(count.name), element("td", "", interval(count.now, 1)), by(count.change)]);
    this.counts.lastElementChild?.remove();
    this.counts.append(table("Other figures of a run, with 95 % intervals", ["of a run", "mean", "since the change"], counts));
    this.root.replaceChildren(sums, flows, this.counts);
  }
}

function rowHead(name: string): HTMLElement {
  const made = element("th", "", name);
  made.setAttribute("scope", "row");
  return made;
}

function by(change: Change | null): HTMLElement {
  const cell = element("td");
  const made = changed(change);
  if (made) cell.append(made);
  return cell;
}

function table(caption: string, titles: string[], lines: HTMLElement[][]): HTMLElement {
  const row = (cells: HTMLElement[]) => {
    const made = element("tr");
    made.append(...cells);
    return made;
  };
  const head = element("thead"), body = element("tbody"), made = element("table"), scroll = element("div", "scroll");
  head.append(row(titles.map((title) => {
    const cell = element("th", "", title);
    cell.setAttribute("scope", "col");
    return cell;
  })));
  body.append(...lines.map(row));
  made.append(element("caption", "away", caption), head, body);
  scroll.append(made);
  return scroll;
}

/** A change in words and colour; none where there is nothing to compare. */
export function changed(change: Change | null): HTMLElement | null {
  const { text, kind } = difference(change);
  return text ? element("span", `change ${kind}`, text) : null;
}
