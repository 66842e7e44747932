/** Schemes and states of the scenario side by side, on the same seeds. */

import { element } from "../bands";
import { isEnded, stream, type Told } from "./api";
import { changed } from "./results";
import { interval, took } from "./units";

interface Entry {
  name: string;
  text: string | null;
  scheme: string | null;
}

export interface CompareHost {
  text(): string;
  title(): string;
  begin(): AbortSignal;
  study(states: { text: string; scheme: string | null }[], names: string[]): void;
  fail(message: string): void;
}

const get = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found;

export class Compare {
  /** The first is what the others are compared to; a text of none is the present one. */
  private readonly entries: Entry[] = [{ name: "as it is now", text: null, scheme: null }];
  private told: Told | null = null;

  constructor(private readonly host: CompareHost, schemes: { name: string; about: string }[]) {
    const select = get<HTMLSelectElement>("compare-scheme");
    for (const { name, about } of schemes) {
      const option = new Option(name, name);
      option.title = about;
      select.append(option);
    }
    get("compare-add").addEventListener("click", () => this.add({ name: select.value, text: null, scheme: select.value }));
    get("compare-keep").addEventListener("click", () => {
      const kept = this.entries.filter(({ text }) => text !== null).length + 1;
      this.add({ name: `kept ${kept}: ${host.title()}`, text: host.text(), scheme: null });
    });
    get("compare-run").addEventListener("click", () => void this.run());
    get("compare-more").addEventListener("click", () => void this.run(true));
    get("compare-study").addEventListener("click", () => host.study(this.states(), this.entries.map(({ name }) => name)));
    this.draw();
  }

  private add(entry: Entry): void {
    if (this.entries.length >= 6) return this.host.fail("Six can be compared at a time: remove one.");
    this.entries.push(entry);
    this.told = null;
    this.draw();
  }

  private states(): { text: string; scheme: string | null }[] {
    return this.entries.map(({ text, scheme }) => ({ text: text ?? this.host.text(), scheme }));
  }

  async run(more = false): Promise<void> {
    if (this.entries.length < 2) return this.host.fail("Add a scheme, or keep this state and change it.");
    const wanted = more ? 2 * (this.told?.states[0].runs ?? 10) : undefined;
    get("compare-status").textContent = "Running";
    const body = { states: this.states(), networks: wanted, least: wanted };
    await stream("compare", body, this.host.begin(), (told) => {
      if (told.fault) return this.host.fail(told.fault.message);
      this.told = told;
      this.draw();
    }).catch((error: Error) => {
      if (!isEnded(error)) this.host.fail(error.message);
    });
  }

  private draw(): void {
    const table = element("table");
    table.append(element("caption", "away", "Scenarios compared, with 95 % intervals"));
    const head = element("tr");
    for (const title of ["what", "goodput of all [kbit/s]", "against the first", "delay [ms]", "fairness", ""]) {
      const cell = element(title ? "th" : "td", "", title);
      if (title) cell.setAttribute("scope", "col");
      head.append(cell);
    }
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    this.entries.forEach((entry, place) => {
      const line = element("tr");
      const name = element("th", "", entry.name);
      name.setAttribute("scope", "row");
      const found = this.told?.states[place];
      const by = element("td", "", found && place === 0 ? "the first" : "");
      const made = place > 0 && found ? changed(found.total_bps.change) : null;
      if (made) by.append(made);
      const out = element("td");
      if (place > 0) {
        const button = element("button", "", "×");
        button.setAttribute("aria-label", `Remove ${entry.name}`);
        button.addEventListener("click", () => {
          this.entries.splice(place, 1);
          this.told = null;
          this.draw();
        });
        out.append(button);
      }
      line.append(name, element("td", "", found ? interval(found.total_bps.now, 1e-3) : ""), by,
        element("td", "", found ? interval(found.mean_delay_s.now, 1e3) : ""),
        element("td", "", found ? interval(found.fairness.now, 1) : ""), out);
      body.append(line);
    });
    table.append(top, body);
    get("compare-table").replaceChildren(table);
    const { told } = this;
    get("compare-status").textContent = told
      ? `${told.states[0].runs} networks each, the same for all, in ${took(told.seconds)}${told.done ? "" : ", more to come"}` : "";
  }
}
