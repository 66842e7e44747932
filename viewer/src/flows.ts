/** The flows with their colours, and what they do at the shown instant. */

import { element } from "./bands";
import type { Facts } from "./facts";
import { plain, rate } from "./format";
import type { Names } from "./names";
import type { Routes } from "./routes";
import { Series } from "./series";
import { flowColour } from "./theme";

const LAST_S = 1;

export class FlowTable {
  private readonly rows: { swatch: HTMLElement; route: HTMLElement; window: HTMLElement; goodput: HTMLElement }[] = [];

  private readonly hidden = new Set<number>();

  constructor(private readonly root: HTMLElement, private readonly facts: Facts, private readonly names: Names, private readonly routes: Routes,
    private readonly series: Series, private readonly changed: (hidden: Set<number>) => void) {
    this.extend();
  }

  /** Show the flows that are new. */
  extend(): void {
    const { hidden, names } = this;
    const body = this.root.querySelector("tbody")!;
    this.facts.flows.forEach((flow, place) => {
      if (place < this.rows.length) return;
      const row = element("tr");
      const label = element("label");
      const box = document.createElement("input");
      [box.type, box.checked] = ["checkbox", true];
      const swatch = element("i", "swatch");
      box.addEventListener("change", () => {
        if (box.checked) hidden.delete(place);
        else hidden.add(place);
        row.classList.toggle("hidden", !box.checked);
        this.changed(hidden);
      });
      const ends = `${names.node(flow.source)} → ${names.node(flow.destination)}`;
      const told = `${names.short(flow.source)} → ${names.short(flow.destination)}`;
      label.title = `Show or hide ${names.flow(flow.id)}, ${ends}`;
      label.append(box, swatch, `${flow.id}${flow.name ? ` ${flow.name}` : ""}: ${told}`);
      const name = element("td");
      name.append(label);
      const cells = { swatch, route: element("td"), window: element("td"), goodput: element("td") };
      row.append(name, cells.route, cells.window, cells.goodput);
      body.append(row);
      this.rows.push(cells);
    });
  }

  /** Bring it up to date; `time` in seconds. */
  draw(time: number): void {
    this.rows.forEach(({ swatch, route, window, goodput }, place) => {
      swatch.style.background = flowColour(this.facts.palette, place);
      const path = this.routes.path(place, time * 1e9);
      set(route, path.length > 1 ? path.map((node) => this.names.short(node)).join(this.facts.names.length ? " · " : " ") : "–");
      route.title = route.textContent!;
      const segments = Series.at(this.series.windows[place], time);
      set(window, segments === null ? "–" : plain(segments));
      const bits = this.series.goodput(place, time, LAST_S);
      set(goodput, bits === null ? "–" : rate(bits));
    });
  }
}

function set(cell: HTMLElement, text: string): void {
  if (cell.textContent !== text) cell.textContent = text;
}
