/** The lab page: a scenario built on a map, run as it changes, played, explained and compared. */

import { element } from "../bands";
import type { Facts as Played } from "../facts";
import { Part } from "../part";
import { Places } from "../places";
import { Player } from "../player";
import { Record } from "../record";
import { unpacked } from "../unpack";
import { ask, isEnded, stream, type Fault, type Link, type Tables, type Told } from "./api";
import { Bench } from "./bench";
import { Compare } from "./compare";
import { APPLICATIONS, Forms } from "./forms";
import { fromHash, toHash } from "./link";
import { LabMap } from "./map";
import { places } from "./places";
import { Results } from "./results";
import { Schema } from "./schema";
import { Selection } from "./selection";
import { Tools, type Tool } from "./tools";
import { number } from "./units";

interface Facts {
  text: string;
  name: string;
  folder: string;
  own: string[];
  examples: string[];
  schemes: { name: string; about: string }[];
  schema: Tables;
  palette: string[];
}

const get = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found;
const TYPED_MS = 500;
const TABS = ["results", "settings", "toml", "compare"];
/** The links of a run are looked at once there are so many runs. */
const LINKS_AT = 4;

class LabPage {
  private readonly map: LabMap;
  private readonly bench: Bench;
  private readonly forms: Forms;
  private readonly results: Results;
  private readonly tools: Tools;
  private readonly selection: Selection;
  private running = new AbortController();
  /** So many runs are asked for, however precise they are; none if the server says how many. */
  private wanted: number | undefined;
  /** What the figures are compared to: what was before the last change, or was kept. */
  private before: string | null = null;
  private pinned: string | null = null;
  /** Another file has been asked for: there is nothing to compare it to. */
  private opening = false;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private name: string;
  private player: Player | null = null;
  /** The seed that is played; none for the scenario's own. */
  private seed: number | undefined;

  constructor(private readonly facts: Facts) {
    this.name = facts.name;
    this.map = new LabMap(get("map"), facts.palette);
    this.bench = new Bench(() => this.changed(), (before) => this.committed(before), (text) => this.say(text));
    this.forms = new Forms(get("forms"), new Schema(facts.schema), this.bench);
    this.results = new Results(get("figures"), get("status"), facts.palette);
    this.tools = new Tools(this.map, this.bench, {
      tool: () => this.tool,
      count: () => Number(get<HTMLInputElement>("count").value) || 1,
      columns: () => Number(get<HTMLInputElement>("columns").value) || 1,
      flow: (source, destination) => void this.addFlow(source, destination),
      selection: () => this.selection.show(),
      choose: (tool) => this.choose(tool),
      say: (text) => this.say(text),
      pick: (x, y) => this.player?.pick(x, y),
    });
    this.selection = new Selection(get("selection"), this.map, this.bench, {
      copy: () => void this.tools.copy(),
      remove: () => void this.tools.remove(),
      open: (path) => this.forms.open(path),
      say: (text) => this.say(text),
    });
    new Compare({
      text: () => this.bench.text,
      title: () => this.shortState(),
      begin: () => this.begin(),
      study: (states, names) => void this.study(states, names),
      fail: (message) => this.say(message),
    }, facts.schemes);
    this.listen();
  }

  async start(): Promise<void> {
    const linked = await fromHash(location.hash);
    this.map.resize();
    await this.bench.set(linked ?? this.facts.text, false);
    this.map.fit();
    document.documentElement.dataset.lab = "ready";
  }

  private get tool(): Tool {
    return this.player ? "watch" : document.querySelector<HTMLInputElement>("input[name=tool]:checked")!.value as Tool;
  }

  private choose(tool: Tool): void {
    document.querySelector<HTMLInputElement>(`input[name=tool][value=${tool}]`)!.checked = true;
    this.toolChosen();
  }

  private toolChosen(): void {
    const { tool } = this;
    if (tool === "watch") return;
    get("counts").hidden = !["line", "grid", "area"].includes(tool);
    get("columns-label").hidden = tool !== "grid";
    get("application-label").hidden = tool !== "flow";
    get("map").dataset.tool = tool;
    this.say({
      select: "Click a node to see who hears it; drag to move it.",
      node: "Click where a node is to be.",
      line: "Drag a line of nodes.",
      grid: "Drag a grid of nodes.",
      area: "Drag an area: nodes stand in it at random.",
      flow: "Drag from node to node, or click the source, then the destination.",
    }[tool]);
  }

  private say(text: string): void {
    get("said").textContent = text;
  }

  /** The network is another: draw it all. */
  private changed(): void {
    const { bench } = this;
    this.map.take(bench.look);
    const editor = get<HTMLTextAreaElement>("text");
    if (editor.value !== bench.text && document.activeElement !== editor) editor.value = bench.text;
    this.forms.draw();
    this.showFault(bench.look.fault);
    this.selection.show();
    get<HTMLButtonElement>("undo").disabled = !bench.canUndo;
    get<HTMLButtonElement>("redo").disabled = !bench.canRedo;
    const title = bench.look.tables?.title;
    get("title").textContent = typeof title === "string" && title ? title : this.name;
    get("warnings").replaceChildren(...(bench.look.warnings ?? []).map((each) => element("li", "", each)));
    this.describe();
  }

  private describe(): void {
    const { count, look } = this.bench;
    get("map").setAttribute("aria-label", `Map of ${count} nodes and ${look.flows?.length ?? 0} flows. Page down chooses a node, arrows move it.`);
  }

  private committed(before: string | null): void {
    this.build();
    this.before = this.pinned ?? (this.opening ? null : before);
    this.map.links = [];
    this.map.ask();
    this.wanted = undefined;
    void toHash(this.bench.text).then((hash) => history.replaceState(null, "", hash));
    if (this.bench.look.fault) {
      this.begin();
      this.results.fail("It can't be run as it is.");
    } else void this.run();
  }

  private showFault(fault: Fault | null): void {
    const place = fault?.line ? `line ${fault.line}: ` : "";
    const key = fault?.key ? `${fault.key}: ` : "";
    get("fault").textContent = fault ? `${place}${key}${fault.message}` : "";
    get("fault").hidden = fault === null;
    const mark = get("line");
    mark.hidden = !fault?.line;
    if (fault?.line) {
      const style = getComputedStyle(get("text"));
      mark.style.top = `${(fault.line - 1) * parseFloat(style.lineHeight) + parseFloat(style.paddingTop) - get("text").scrollTop}px`;
    }
    get("text").setAttribute("aria-invalid", String(fault !== null));
  }

  /** End what runs; what runs next ends with the signal. */
  private begin(): AbortSignal {
    this.running.abort();
    this.running = new AbortController();
    return this.running.signal;
  }

  private async run(): Promise<void> {
    const signal = this.begin();
    const { text } = this.bench;
    const begun = performance.now();
    this.results.clear();
    let asked = false;
    let last: Told | null = null;
    const body = { text, before: this.before !== text ? this.before : null, networks: this.wanted, least: this.wanted };
    await stream("run", body, signal, (told) => {
      if (told.fault) return this.results.fail(told.fault.message);
      last = told;
      this.results.show(told);
      performance.mark("figures", { detail: { runs: told.states[0].runs, after: performance.now() - begun } });
      if (!asked && (told.done || told.states[0].runs >= LINKS_AT)) {
        asked = true;
        void this.showLinks(text, signal);
      }
    }).catch((error: Error) => {
      if (!isEnded(error)) this.results.fail(error.message);
    });
    if (last && !signal.aborted) this.results.show(last, true);
  }

  private async showLinks(text: string, signal: AbortSignal): Promise<void> {
    const found = await ask<{ links?: Link[] }>("links", { text }, signal).catch(() => null);
    if (!found?.links || text !== this.bench.text) return;
    this.map.links = found.links;
    this.map.ask();
    this.selection.show();
  }

  private async addFlow(source: number, destination: number): Promise<void> {
    const kind = get<HTMLSelectElement>("application").value;
    const place = Array.isArray(this.bench.look.tables?.flows) ? (this.bench.look.tables.flows as unknown[]).length : 0;
    const value = { kind, source, destination, start_s: 1, ...APPLICATIONS[kind] };
    if (await this.bench.edit({ changes: [{ path: ["flows", place], value }] })) {
      this.say(`A flow of kind ${kind} from node ${source} to ${destination}.`);
      this.forms.open(["flows", place]);
    }
  }

  private shortState(): string {
    const { tables } = this.bench.look;
    const scheme = (table: unknown) => (typeof table === "string" ? table : (table as Tables | undefined)?.scheme);
    return [scheme(tables?.routing), scheme(tables?.transport)].filter(Boolean).join(", ") || this.name;
  }

  /** Play a run on the map. */
  private async watch(): Promise<void> {
    const signal = this.begin();
    this.say("Recording a run to play");
    const { text } = this.bench;
    type Made = { facts?: Played; record?: string; said?: string[]; until_s?: number | null; fault?: Fault };
    const made = await ask<Made>("watch", { text, seed: this.seed }, signal).catch((error: Error): Made | null =>
      (isEnded(error) ? null : { fault: { message: error.message, key: "", line: null } }));
    if (!made) return;
    if (!made.facts || !made.record) return this.say(made.fault?.message ?? "Nothing to play.");
    const record = new Record(made.facts);
    record.append(new Part(made.facts.columns, await unpacked(made.record), record.events));
    if (signal.aborted) return;
    this.say("");
    this.play(made.facts, record);
    get("why").append(...(made.said ?? []).map((each) => element("li", each.startsWith("  ") ? "soft" : "", each.trim())));
    get("watched-until").textContent = made.until_s ? `The first ${number(made.until_s)} s of the run: more is too much to draw.` : "";
    const seed = get<HTMLInputElement>("watch-seed");
    seed.value = String(made.facts.seed);
    get("watch-again").addEventListener("submit", (event) => {
      event.preventDefault();
      this.seed = Number(seed.value);
      void this.watch();
    });
  }

  private play(facts: Played, record: Record): void {
    const { map } = this;
    this.player?.end();
    get("playing").replaceChildren(get<HTMLTemplateElement>("player").content.cloneNode(true));
    this.show("watch");
    map.include(new Places(facts.ways).box);
    this.player = new Player(facts, record, record.time[record.length - 1], map);
    map.player = this.player;
    document.documentElement.dataset.replay = "ready";
    get("play").focus({ preventScroll: true });
  }

  /** Go back to what is built. */
  private build(): void {
    if (!this.player) return;
    this.player.end();
    this.player = this.map.player = null;
    delete document.documentElement.dataset.replay;
    get("playing").replaceChildren();
    this.show("build");
    this.map.resize();
    this.describe();
  }

  private show(what: "build" | "watch"): void {
    document.body.dataset.view = what;
    for (const each of ["build", "watch"]) get(`show-${each}`).setAttribute("aria-pressed", String(each === what));
  }

  private async study(states: { text: string; scheme: string | null }[], names: string[]): Promise<void> {
    const made = await ask<{ text?: string; fault?: Fault }>("study", { states, names });
    if (!made.text) return this.say(made.fault?.message ?? "No study could be made.");
    const name = `${stem(this.name)}-study.toml`;
    if (await this.save(name, made.text)) this.say(`Saved ${name}: multihop study run ${name} --out out/lab`);
  }

  private async share(): Promise<void> {
    const signal = this.begin();
    this.say("Making a page to share");
    const made = await ask<{ html?: string; fault?: Fault }>("share", { text: this.bench.text }, signal).catch(() => null);
    if (!made?.html) return this.say(made?.fault?.message ?? "The page could not be made.");
    download(`${stem(this.name)}.html`, made.html, "text/html");
    this.say(`${stem(this.name)}.html is one file that anybody can open: scenario, results and one run.`);
  }

  /** Write a file into the folder, after asking where there is one already. */
  private async save(name: string, text: string): Promise<boolean> {
    type Saved = { saved?: string; exists?: boolean; fault?: Fault };
    let made = await ask<Saved>("save", { name, text });
    if (made.exists) {
      if (!window.confirm(`${name} is there already. Replace it?`)) return false;
      made = await ask<Saved>("save", { name, text, replace: true });
    }
    if (made.fault) this.say(made.fault.message);
    return made.saved !== undefined;
  }

  private async open(name: string): Promise<void> {
    const found = await ask<{ text?: string; fault?: Fault }>("open", { name });
    if (found.text === undefined) return this.say(found.fault?.message ?? "It can't be opened.");
    this.name = name;
    this.map.selected.clear();
    this.pinned = null;
    this.opening = true;
    await this.bench.set(found.text);
    this.opening = false;
    this.map.fit();
  }

  private tab(name: string, focus = false): void {
    for (const each of TABS) {
      const button = get(`tab-${each}`);
      button.setAttribute("aria-selected", String(each === name));
      button.tabIndex = each === name ? 0 : -1;
      get(`panel-${each}`).hidden = each !== name;
      if (focus && each === name) button.focus();
    }
    if (name === "toml") this.showFault(this.bench.look.fault);
  }

  private listen(): void {
    const { bench, facts } = this;
    const click = (id: string, act: () => void) => get(id).addEventListener("click", act);
    click("undo", () => void bench.undo());
    click("redo", () => void bench.redo());
    click("share", () => void this.share());
    click("larger", () => this.tools.zoom(1.3));
    click("smaller", () => this.tools.zoom(1 / 1.3));
    click("fit", () => this.map.fit());
    click("show-build", () => {
      if (!this.player) return;
      this.build();
      // What recording the run has ended.
      void this.run();
    });
    click("show-watch", () => void this.watch());
    click("more", () => {
      this.wanted = 2 * Math.max(this.results.runs, 10);
      void this.run();
    });
    click("stop", () => {
      this.begin();
      this.results.stop();
    });
    click("pin", () => {
      this.pinned = this.pinned === null ? bench.text : null;
      get("pin").setAttribute("aria-pressed", String(this.pinned !== null));
      this.say(this.pinned === null ? "Changes are compared to what was just before." : "Changes are compared to this state from now on.");
    });
    click("save", () => {
      const name = this.name.endsWith(".toml") ? this.name : `${stem(this.name)}.toml`;
      void this.save(name, bench.text).then((saved) => saved && this.say(`Saved ${name} in ${facts.folder}`));
    });
    click("download", () => download(`${stem(this.name)}.toml`, bench.text, "application/toml"));
    for (const input of document.querySelectorAll("input[name=tool]")) input.addEventListener("change", () => this.toolChosen());
    for (const name of TABS) click(`tab-${name}`, () => this.tab(name));
    get("tabs").addEventListener("keydown", (event) => {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!by) return;
      const at = TABS.findIndex((name) => get(`tab-${name}`).getAttribute("aria-selected") === "true");
      this.tab(TABS[(at + by + TABS.length) % TABS.length], true);
    });
    const files = get<HTMLSelectElement>("open");
    const group = (label: string, names: string[]) => {
      const made = document.createElement("optgroup");
      made.label = label;
      made.append(...names.map((name) => new Option(name, name)));
      if (names.length) files.append(made);
    };
    group("in the folder", facts.own);
    group("examples", facts.examples);
    files.addEventListener("change", () => {
      const { value } = files;
      files.value = "";
      if (value) void this.open(value);
    });
    const applications = get<HTMLSelectElement>("application");
    applications.append(...Object.keys(APPLICATIONS).map((kind) => new Option(kind, kind)));
    const editor = get<HTMLTextAreaElement>("text");
    editor.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => void bench.set(editor.value), TYPED_MS);
    });
    editor.addEventListener("blur", () => {
      clearTimeout(this.typing);
      if (editor.value !== bench.text) void bench.set(editor.value);
    });
    editor.addEventListener("scroll", () => this.showFault(bench.look.fault));
    get<HTMLInputElement>("picture").addEventListener("change", (event) => void this.takePicture(event.target as HTMLInputElement));
    get<HTMLInputElement>("import").addEventListener("change", (event) => void this.importNodes(event.target as HTMLInputElement));
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || (event.target as HTMLElement).matches("textarea, input:not([type=radio])")) return;
      const key = event.key.toLowerCase();
      if (key === "z" || key === "y") {
        event.preventDefault();
        void (key === "y" || event.shiftKey ? bench.redo() : bench.undo());
      }
    });
    window.addEventListener("hashchange", () => void fromHash(location.hash).then((text) => {
      if (text !== null && text !== bench.text) void bench.set(text);
    }));
    new ResizeObserver(() => this.map.resize()).observe(get("stage"));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.map.ask());
  }

  private async importNodes(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    if (!file) return;
    const found = places(await file.text());
    input.value = "";
    if (typeof found === "string") return this.say(`${file.name}: ${found}`);
    if (await this.bench.edit({ add: found })) {
      this.say(`${found.length} nodes of ${file.name}.`);
      this.map.fit();
    }
  }

  /** A picture of the site behind the map, its width in metres; it does not leave the browser. */
  private async takePicture(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    if (!file) return;
    const image = await createImageBitmap(file).catch(() => null);
    if (!image) return this.say("That is no picture that the browser knows.");
    const width = Number(window.prompt("How many metres wide is the picture? Its lower left corner is at 0, 0.", "1000"));
    if (!(width > 0)) return;
    this.map.picture = { image, width, height: (width * image.height) / image.width };
    this.map.ask();
  }
}

function stem(name: string): string {
  return name.replace(/\.toml$/, "").replace(/[^\w .-]/g, "-") || "scenario";
}

function download(name: string, text: string, kind: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const page = new LabPage(JSON.parse(get("facts").textContent!) as Facts);
Object.assign(window, { lab: page });
page.start().catch((error: Error) => {
  get("said").textContent = `The page can't be shown: ${error.message}`;
  throw error;
});
