/** The keys of a scenario's tables, from the JSON Schema. */

import type { Path, Tables } from "./api";

type Node = { [key: string]: any };

export interface Choice {
  value: string;
  about: string;
}

export interface Field {
  key: string;
  about: string;
  kind: "choice" | "yes-no" | "number" | "text" | "list" | "other";
  choices: Choice[];
  unit: string;
  /** What the schema says holds where it is not set. */
  usual: unknown;
  required: boolean;
}

const UNITS: { [ending: string]: string } = {
  s: "s", m: "m", mps: "m/s", bps: "bit/s", hz: "Hz", ghz: "GHz", mhz: "MHz", db: "dB", dbm: "dBm", w: "W",
  deg: "degrees", bytes: "bytes", segments: "segments", packets: "packets",
};

export class Schema {
  constructor(private readonly root: Node) {}

  /** The form of a table that a value is of, and the key that tells its forms apart. */
  table(path: Path, value: Tables): { fields: Field[]; by: string } {
    let nodes = this.forms(this.root);
    for (const part of path) {
      const next = nodes.flatMap((node) => typeof part === "number"
        ? (node.items ? this.forms(node.items) : []) : (node.properties?.[part] ? this.forms(node.properties[part]) : []));
      nodes = next;
    }
    const tables = nodes.filter((node) => node.properties);
    if (!tables.length) return { fields: [], by: "" };
    const by = tables.length > 1 ? Object.keys(tables[0].properties).find((key) => tables[0].properties[key].const !== undefined) ?? "" : "";
    const chosen = (by && tables.find((node) => node.properties[by]?.const === value[by])) || tables[0];
    const required: string[] = chosen.required ?? [];
    const fields = Object.entries(chosen.properties as { [key: string]: Node })
      .filter(([key]) => key !== by)
      .map(([key, node]) => this.field(key, node, required.includes(key)));
    if (by) fields.unshift({
      key: by, kind: "choice", unit: "", usual: undefined, required: true, about: `Which ${by} it is.`,
      choices: tables.filter((node) => node.properties[by]).map((node) => ({ value: String(node.properties[by].const), about: tidy(node.description) })),
    });
    return { fields, by };
  }

  private field(key: string, node: Node, required: boolean): Field {
    const forms = this.forms(node);
    const about = tidy(node.description ?? forms.find((form) => form.description)?.description);
    const choices: Choice[] = [];
    for (const form of forms) {
      if (form.const !== undefined) choices.push({ value: String(form.const), about: tidy(form.description) });
      for (const each of form.enum ?? []) choices.push({ value: String(each), about: "" });
    }
    const has = (type: string) => forms.some((form) => form.type === type && form.const === undefined);
    const kind = has("boolean") ? "yes-no" : has("integer") || has("number") ? "number"
      : has("array") ? "list" : choices.length ? "choice" : has("string") ? "text" : "other";
    return { key, about, kind, choices, unit: unitOf(key), usual: node.default, required };
  }

  /** What a part may be, references followed, without null. */
  private forms(node: Node): Node[] {
    if (node.$ref) return this.forms(this.root.$defs[node.$ref.split("/").pop()]);
    for (const word of ["anyOf", "oneOf"])
      if (node[word]) {
        const forms: Node[] = node[word].flatMap((each: Node) => this.forms(each));
        return node.properties
          ? forms.map((form) => ({ ...form, properties: { ...node.properties, ...form.properties } })) : forms;
      }
    if (Array.isArray(node.type)) return node.type.filter((each: string) => each !== "null").map((type: string) => ({ ...node, type }));
    return node.type === "null" ? [] : [node];
  }
}

function unitOf(key: string): string {
  const ending = key.split("_").pop()!;
  return ending !== key || ending === "s" ? UNITS[ending] ?? "" : "";
}

function tidy(text: unknown): string {
  return typeof text === "string" ? text.replace(/\s+/g, " ").replace(/`/g, "") : "";
}
