/** Forms of the scenario's tables, made from the schema. */

import { element } from "../bands";
import type { Fault, Path, Tables } from "./api";
import type { Bench } from "./bench";
import { Schema, type Field } from "./schema";

/** What most people change, shown before the rest. */
const FIRST: { [table: string]: string[] } = {
  "": ["title", "duration_s", "seed", "profile"],
  topology: ["kind", "hops", "columns", "rows", "spacing_m", "nodes", "area_m", "file"],
  radio: ["propagation", "reception", "receive_range_m", "sense_range_m", "transmit_power_dbm", "path_loss_exponent", "shadowing_db", "fading"],
  mac: ["scheme", "phy", "rate", "data_rate_bps", "rts_threshold_bytes", "queue_packets"],
  routing: ["scheme", "metric"],
  transport: ["scheme", "window_segments", "link_failure", "segment_bytes", "ecn"],
  link: ["queue", "arp"],
  mobility: ["kind", "speed_mps", "pause_s"],
};
const OF_A_FLOW = ["kind", "name", "source", "destination", "start_s", "stop_s", "bytes", "packet_bytes", "rate_bps", "on_s", "off_s", "request_bytes", "response_bytes", "file"];
const SECTIONS: [string, string][] = [
  ["", "Run"], ["topology", "Topology"], ["radio", "Radio"], ["mac", "MAC"], ["routing", "Routing"],
  ["transport", "Transport"], ["link", "Link layer"], ["mobility", "Mobility"],
];
/** What a flow of each kind needs to begin with. */
export const APPLICATIONS: { [kind: string]: Tables } = {
  ftp: {}, cbr: { packet_bytes: 500, rate_bps: 100000 }, file: { bytes: 1000000 },
  "on-off": { packet_bytes: 500, rate_bps: 200000, on_s: 1, off_s: 1 },
  "request-response": { request_bytes: 200, response_bytes: 20000 }, web: {}, voice: {},
};
const TABLES = ["topology", "mobility", "mac", "routing", "transport", "radio", "link", "interfaces", "flows", "events"];

export class Forms {
  private readonly opened = new Set<string>(["", "routing", "transport"]);
  private readonly all = new Set<string>();
  private shown = "";

  constructor(private readonly root: HTMLElement, private readonly schema: Schema, private readonly bench: Bench) {}

  /** Bring the forms up to date, but not under the hands of who types. */
  draw(force = false): void {
    const { text, look } = this.bench;
    const key = `${text}\n${JSON.stringify(look.fault)}`;
    if (key === this.shown && !force) return;
    this.shown = key;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.id : undefined;
    const { tables } = look;
    const flows = listed(tables?.flows);
    this.root.replaceChildren(
      ...SECTIONS.map(([table, title]) => this.section(table ? [table] : [], title)),
      ...listed(tables?.interfaces).map((kind, place) =>
        this.section(["interfaces", place], `Radio ${place}: ${kind?.name ?? ""}`)),
      ...flows.map((flow, place) => this.section(["flows", place], flowTitle(flow, place))),
      ...listed(tables?.events).map((event, place) =>
        this.section(["events", place], `Event ${place}: ${event?.kind ?? ""} at ${event?.at_s ?? "?"} s`)),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /** Show the table of a flow. */
  open(path: Path): void {
    this.opened.add(path.join("."));
    this.draw(true);
    document.getElementById(`set-${path.join("-")}`)?.scrollIntoView({ block: "nearest" });
  }

  private section(path: Path, title: string): HTMLElement {
    const id = path.join(".");
    const { fault } = this.bench.look;
    const wrong = fault && faultIn(fault, path, path.length === 0);
    const box = element("details", "settings") as HTMLDetailsElement;
    box.id = `set-${path.join("-")}`;
    box.open = this.opened.has(id) || Boolean(wrong);
    const summary = element("summary", "", title);
    if (wrong) summary.append(element("span", "wrong", " needs a look"));
    box.append(summary);
    const fill = () => {
      if (box.open && box.childElementCount === 1) box.append(...this.fields(path));
    };
    fill();
    box.addEventListener("toggle", () => {
      if (box.open) this.opened.add(id);
      else this.opened.delete(id);
      fill();
    });
    return box;
  }

  private fields(path: Path): HTMLElement[] {
    const written = plainTable(at(this.bench.look.tables, path), path);
    const holds = plainTable(at(this.bench.look.resolved, path), path);
    const value = { ...holds, ...written };
    const { fields, by } = this.schema.table(path, value);
    const mine = path.length === 0 ? fields.filter(({ key }) => !TABLES.includes(key)) : fields;
    const first = path[0] === "flows" ? OF_A_FLOW : FIRST[path.join(".")] ?? [];
    const isFirst = ({ key, required }: Field) => key === by || required || first.includes(key) || key in written;
    const id = path.join(".");
    const { fault } = this.bench.look;
    const faulty = ({ key }: Field) => fault?.key === [...path, key].join(".");
    const made = mine.filter((field) => isFirst(field) || faulty(field)).sort((a, b) => rank(first, a) - rank(first, b))
      .map((field) => this.field(path, field, written, holds, by));
    const rest = mine.filter((field) => !isFirst(field) && !faulty(field) && field.kind !== "other");
    if (fault && fault.key === id && id) made.unshift(element("p", "wrong", fault.message));
    if (typeof path[1] === "number") made.push(this.removal(path));
    if (!rest.length) return made;
    const more = element("details", "more") as HTMLDetailsElement;
    more.open = this.all.has(id);
    more.append(element("summary", "", `All other settings (${rest.length})`));
    const fill = () => {
      if (more.open && more.childElementCount === 1)
        more.append(...rest.map((field) => this.field(path, field, written, holds, by)));
    };
    fill();
    more.addEventListener("toggle", () => {
      if (more.open) this.all.add(id);
      else this.all.delete(id);
      fill();
    });
    return [...made, more];
  }

  private removal(path: Path): HTMLElement {
    const button = element("button", "", "Remove this table");
    button.addEventListener("click", () => void this.bench.edit({ changes: [{ path, value: null }] }));
    const line = element("p", "buttons");
    line.append(button);
    return line;
  }

  private field(path: Path, field: Field, written: Tables, holds: Tables, by: string): HTMLElement {
    const full = [...path, field.key];
    const id = `key-${full.join("-")}`;
    const { fault } = this.bench.look;
    const wrong = fault && fault.key === full.join(".") ? fault.message : "";
    const line = element("div", wrong ? "field faulty" : "field");
    const label = element("label", "", titleOf(field));
    label.setAttribute("for", id);
    const usual = holds[field.key] ?? field.usual;
    const input = this.input(field, written[field.key], usual);
    input.id = id;
    const told = [`${id}-about`];
    line.append(label, input);
    if (field.unit) line.append(element("span", "unit", field.unit));
    const set = String(written[field.key] ?? usual ?? "");
    const about = [field.about, field.choices.find(({ value }) => value === set)?.about].filter(Boolean).join(" ");
    if (wrong) {
      const said = element("p", "wrong", wrong);
      said.id = `${id}-wrong`;
      told.unshift(said.id);
      input.setAttribute("aria-invalid", "true");
      line.append(said);
    }
    const help = element("p", "help", about);
    help.id = `${id}-about`;
    line.append(help);
    input.setAttribute("aria-describedby", told.join(" "));
    input.addEventListener("change", () => void this.change(full, field, input.value, by));
    return line;
  }

  private input(field: Field, value: unknown, usual: unknown): HTMLInputElement | HTMLSelectElement {
    const told = (each: unknown) => (typeof each === "string" ? each : JSON.stringify(each));
    if (field.kind === "choice" || field.kind === "yes-no") {
      const select = document.createElement("select");
      const known = field.kind === "yes-no" ? ["true", "false"] : field.choices.map((each) => each.value);
      const now = value === undefined ? "" : typeof value === "object" ? String((value as Tables).scheme ?? "") : String(value);
      if (!field.required) select.append(new Option(usual === undefined || usual === null || typeof usual === "object" ? "by default" : `${String(usual)} (default)`, ""));
      if (now && !known.includes(now)) known.push(now);
      for (const each of known) select.append(new Option(each, each));
      select.value = now || (field.required ? String(usual ?? "") : "");
      return select;
    }
    const input = document.createElement("input");
    input.autocomplete = "off";
    input.spellcheck = false;
    if (field.kind === "number") input.inputMode = "decimal";
    input.value = value === undefined ? "" : told(value);
    if (usual !== undefined && usual !== null && typeof usual !== "object") input.placeholder = told(usual);
    return input;
  }

  private async change(path: Path, field: Field, text: string, by: string): Promise<void> {
    const value = parsed(text.trim(), field);
    const table = path.slice(0, -1);
    if (field.key === by && value !== null && (path[0] === "topology" || path[0] === "mobility" || path[0] === "flows")) {
      // What another kind has not would be an error: take along what both have.
      const old = plainTable(at(this.bench.look.tables, table), table);
      const { fields } = this.schema.table(table, { [by]: value });
      const kept = Object.fromEntries(fields.filter(({ key }) => key in old && key !== by).map(({ key }) => [key, old[key]]));
      const needed = path[0] === "flows" ? APPLICATIONS[String(value)] ?? {} : path[0] === "topology" ? sized(String(value), this.bench) : {};
      await this.bench.edit({ changes: [{ path: table, value: { [by]: value, ...needed, ...kept } }] });
    } else if (field.key === by && value !== null && path.length === 2) {
      const old = plainTable(at(this.bench.look.tables, table), table);
      const { fields } = this.schema.table(table, { [by]: value });
      const gone = Object.keys(old).filter((key) => !fields.some((each) => each.key === key));
      await this.bench.edit({ changes: [{ path, value }, ...gone.map((key) => ({ path: [...table, key], value: null }))] });
    } else await this.bench.edit({ changes: [{ path, value }] });
  }
}

/** A key in words, without the unit at its end. */
function titleOf({ key, unit }: Field): string {
  const words = key.split("_");
  return (unit && words.length > 1 && words[0] !== "window" && words[0] !== "queue" ? words.slice(0, -1) : words).join(" ");
}

/** A topology of a kind with about as many nodes as there are. */
function sized(kind: string, bench: Bench): Tables {
  const count = Math.max(2, bench.count);
  switch (kind) {
    case "chain":
      return { hops: count - 1 };
    case "grid": {
      const columns = Math.ceil(Math.sqrt(count));
      return { columns, rows: Math.ceil(count / columns) };
    }
    case "random":
      return { nodes: count, area_m: [Math.round(150 * Math.sqrt(count)), Math.round(120 * Math.sqrt(count))] };
    case "positions":
      return { positions_m: bench.look.positions_m ?? [[0, 0], [200, 0]] };
    case "parallel":
      return { hops: 3, strings: 2 };
    case "cross":
    case "spindle":
      return { hops: 4 };
    default:
      return {};
  }
}

function parsed(text: string, field: Field): unknown {
  if (text === "") return null;
  if (field.kind === "yes-no") return text === "true";
  if (field.kind === "number") return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  if (field.kind === "list" || field.kind === "other") {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}

function at(tables: unknown, path: Path): unknown {
  return path.reduce<any>((value, key) => value?.[key], tables);
}

/** A table; of text that stands for its scheme that alone. */
function plainTable(value: unknown, path: Path): Tables {
  if (typeof value === "string" && path.length === 1) return { scheme: value };
  return typeof value === "object" && value !== null ? (value as Tables) : {};
}

function listed(value: unknown): Tables[] {
  return Array.isArray(value) ? (value as Tables[]) : [];
}

function flowTitle(flow: Tables, place: number): string {
  const name = typeof flow?.name === "string" ? `${flow.name}: ` : "";
  return `Flow ${place}: ${name}${flow?.kind ?? ""} ${flow?.source ?? ""} → ${flow?.destination ?? ""}`;
}

function rank(first: string[], { key, required }: Field): number {
  const place = first.indexOf(key);
  return place >= 0 ? place : required ? 50 : 100;
}

/** Whether a fault is of a table, or of one of its keys. */
function faultIn(fault: Fault, path: Path, isTop: boolean): boolean {
  if (isTop) return fault.key !== "" && !fault.key.includes(".") && !TABLES.includes(fault.key);
  const id = path.join(".");
  return fault.key === id || fault.key.startsWith(`${id}.`);
}
