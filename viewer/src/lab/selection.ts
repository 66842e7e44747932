/** The panel of what is selected on the map: where a node is, who hears it, what its links carry. */

import { element } from "../bands";
import type { Path, Tables } from "./api";
import type { Bench } from "./bench";
import type { LabMap } from "./map";
import { number } from "./units";

export interface SelectionHost {
  copy(): void;
  remove(): void;
  open(path: Path): void;
  say(text: string): void;
}

export class Selection {
  constructor(private readonly box: HTMLElement, private readonly map: LabMap, private readonly bench: Bench,
    private readonly host: SelectionHost) {}

  /** Who hears a selected node, and what its links carry. */
  show(): void {
    const { map, bench, box } = this;
    const chosen = [...map.selected].filter((node) => node < map.at.length);
    box.hidden = chosen.length === 0;
    if (!chosen.length) return;
    const title = chosen.length === 1 ? `Node ${chosen[0]}${bench.look.names?.[chosen[0]] ? ` (${bench.look.names[chosen[0]]})` : ""}` : `${chosen.length} nodes`;
    const parts: HTMLElement[] = [element("h2", "", title)];
    if (chosen.length === 1) {
      parts.push(this.placeFields(chosen[0]));
      parts.push(this.heardBy(chosen[0]));
    }
    const buttons = element("p", "buttons");
    for (const [name, act] of [
      ["Copy", () => this.host.copy()], ["Remove", () => this.host.remove()],
      ["Second radio", () => void this.addRadio(chosen)],
    ] as const) {
      const button = element("button", "", name);
      button.addEventListener("click", act);
      buttons.append(button);
    }
    parts.push(buttons);
    box.replaceChildren(...parts);
  }

  private placeFields(node: number): HTMLElement {
    const line = element("p", "place");
    (["x", "y"] as const).forEach((axis, place) => {
      const label = element("label", "", `${axis} [m] `);
      const input = document.createElement("input");
      input.inputMode = "decimal";
      input.size = 8;
      input.value = String(Math.round(this.map.at[node][place] * 100) / 100);
      input.addEventListener("change", () => {
        const value = Number(input.value);
        if (!Number.isFinite(value)) return;
        const to: [number, number] = [...this.map.at[node]];
        to[place] = value;
        void this.bench.edit({ move: [[node, to]] });
      });
      label.append(input);
      line.append(label);
    });
    return line;
  }

  private heardBy(node: number): HTMLElement {
    const { heard } = this.bench.look;
    if (!heard) return element("p", "soft", "Too many pairs hear each other to list them.");
    const hears: string[] = [], senses: string[] = [];
    heard.sender.forEach((sender, at) => {
      if (sender !== node) return;
      const power = heard.power_dbm ? ` (${Math.round(heard.power_dbm[at])} dBm)` : "";
      if (heard.flags[at] & 3) hears.push(`${heard.node[at]}${power}`);
      else if (heard.flags[at] & 4) senses.push(`${heard.node[at]}`);
    });
    const list = element("ul", "heard");
    list.tabIndex = 0;
    list.setAttribute("aria-label", `Who hears node ${node}`);
    list.append(element("li", "", `Heard by ${hears.length ? hears.join(", ") : "nobody"}.`));
    if (senses.length) list.append(element("li", "", `Only sensed by ${senses.join(", ")}.`));
    for (const { from, to, data_per_s, share, loss } of this.map.links)
      if (from === node && share >= 0.0005)
        list.append(element("li", "", `To ${to}: ${number(data_per_s)} data frames a second, on the air ${number(share * 100, 2)} % of the time, ${number(loss * 100, 2)} % not heard.`));
    return list;
  }

  /** A radio on a channel of its own for some nodes, beside the one that all have. */
  private async addRadio(nodes: number[]): Promise<void> {
    const known = Array.isArray(this.bench.look.tables?.interfaces) ? (this.bench.look.tables.interfaces as Tables[]) : [];
    const channel = 1 + Math.max(0, ...known.map((each) => Number(each.channel) || 0));
    const first = known.length ? [] : [{ path: ["interfaces", 0], value: { name: "radio-0", channel } }];
    const place = known.length + first.length;
    const value = { name: `radio-${place}`, channel: channel + first.length, nodes };
    if (await this.bench.edit({ changes: [...first, { path: ["interfaces", place], value }] })) {
      this.host.say(`Nodes ${nodes.join(", ")} have another radio, on channel ${value.channel}.`);
      this.host.open(["interfaces", place]);
    }
  }
}
